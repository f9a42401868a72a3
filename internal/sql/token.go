package sql

// tokenKind is the lexical class of a token.
type tokenKind uint8

const (
	tokenEnd    tokenKind = iota // the end of the text, an empty span
	tokenWord                    // an unquoted name or keyword
	tokenQuoted                  // "name"
	tokenString                  // 'text'
	tokenNumber                  // 12, 1.5, 1e3
	tokenOp                      // an operator or punctuation
)

// token is one lexical element. Its text is text[pos:end].
type token struct {
	kind     tokenKind
	pos, end int
	// match is, for a parenthesis that has a partner, the partner's index.
	match int
}

// reserved holds the words that are names only when quoted. Whatever else the
// grammar uses (INTERVAL, FILTER, WINDOW, DATE, …) is told from a name by what
// stands around it.
var reserved = wordSet(
	"ALL", "AND", "AS", "ASC", "BETWEEN", "BOTH", "CASE", "CAST", "CREATE",
	"CROSS", "DESC", "DISTINCT", "ELSE", "END", "EXCEPT", "FALSE", "FOR",
	"FROM", "GROUP", "HAVING", "ILIKE", "IN", "INNER", "INTERSECT", "INTO",
	"IS", "JOIN", "LEADING", "LIKE", "LIMIT", "NATURAL", "NOT", "NULL",
	"OFFSET", "ON", "OR", "ORDER", "QUALIFY", "SELECT", "TABLE", "THEN",
	"TRAILING", "TRUE", "UNION", "USING", "WHEN", "WHERE", "WITH",
)

// IsReserved reports whether a word is a name only when quoted.
func IsReserved(word string) bool { return reserved[upperWord(word)] }

// notBareAlias holds the words that are names, but never an alias without AS,
// because after a table they begin a join.
var notBareAlias = wordSet("ANTI", "ASOF", "FULL", "LEFT", "POSITIONAL", "RIGHT", "SEMI")

// clauseWords are the keywords that a misspelt word is compared with.
var clauseWords = []string{
	"SELECT", "FROM", "WHERE", "GROUP", "BY", "HAVING", "ORDER", "LIMIT", "OFFSET",
	"UNION", "ALL", "DISTINCT", "JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS",
	"ON", "USING", "AS", "AND", "OR", "NOT", "IN", "IS", "NULL", "LIKE", "ILIKE",
	"BETWEEN", "CASE", "WHEN", "THEN", "ELSE", "END", "FILTER", "INTERVAL",
	"ASC", "DESC", "NULLS", "FIRST", "LAST",
}

func wordSet(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// FoldName maps ASCII upper-case letters to lower case and leaves the rest, as
// DuckDB does when it compares names.
func FoldName(name string) string {
	for i := 0; i < len(name); i++ {
		if c := name[i]; c >= 'A' && c <= 'Z' {
			return mapASCII(name, 'A', 'Z', 'a'-'A')
		}
	}
	return name
}

// upperWord maps ASCII lower-case letters to upper case.
func upperWord(word string) string {
	for i := 0; i < len(word); i++ {
		if c := word[i]; c >= 'a' && c <= 'z' {
			return mapASCII(word, 'a', 'z', 'A'-'a')
		}
	}
	return word
}

func mapASCII(s string, low, high byte, by int) string {
	b := []byte(s)
	for i, c := range b {
		if c >= low && c <= high {
			b[i] = byte(int(c) + by)
		}
	}
	return string(b)
}

// SameName says whether two names are one: names, quoted or not, compare
// without regard to the case of ASCII letters.
func SameName(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i++ {
		if lowerByte(a[i]) != lowerByte(b[i]) {
			return false
		}
	}
	return true
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + ('a' - 'A')
	}
	return c
}
