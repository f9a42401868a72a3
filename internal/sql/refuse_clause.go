package sql

import "strings"

// clause is a clause, operator or form of a value of other systems that is
// known in order to say why it is not here. Most of its words may be names too.
type clause struct {
	Words string // as written, in upper case
	// Next is what of must follow, or the words are something else: signs, and
	// words in upper case; _ is a name, # a number, ' a string. Empty: anything.
	Next   string
	Reason string // empty: none but that it is not supported
	Hint   string // what to do instead
}

const (
	byTime     = "a window over time is a group: GROUP BY TUMBLE(ts, INTERVAL 1 MINUTE)"
	byHead     = "give the rows to head: ubik … | head -n 10; records of a source are shown by ubik peek -n 10 SOURCE"
	byChance   = "its choice is chance, so a replay would give another result"
	byModulo   = "choose by a column: WHERE n % 10 = 0"
	byUnion    = "write a query for each grouping and join them with UNION ALL"
	byJoin     = "join the two: JOIN (SELECT …) AS x ON …"
	perRow     = "no query is made for each row of another"
	byPattern  = "write regexp_matches(x, 'pattern')"
	byList     = "write x IN (a, b, …); for the rows of a query, EXISTS " + ExistsForm
	orderless  = "every aggregate here is independent of the order"
	byNames    = "name the columns"
	byMaximum  = "of a group the greatest value is max(x), the newest time max(ts)"
	byCast     = "write CAST(x AS type)"
	byDistinct = "for rows that are in both write WHERE EXISTS " + ExistsForm + "; for those of the first alone, NOT EXISTS"
)

// ExistsForm is what stands behind EXISTS, or NOT EXISTS, in place of what looks
// into the rows of a query: with the band of time that it needs.
const ExistsForm = "(SELECT 1 FROM b WHERE b.x = a.x AND b.ts BETWEEN a.ts - INTERVAL 5 MINUTE AND a.ts), b being what is looked into and a what is read"

// refusedClauses stand behind an expression, a table or a clause.
var refusedClauses = []clause{
	{"COLLATE", "_ '", "text is compared by its bytes", "compare lower(x)"},
	{"CROSS APPLY", "", perRow, byJoin},
	{"EMIT", "CHANGES FINAL", "a row leaves when its window is complete", "leave it out"},
	{"EXCEPT", "", "", byDistinct},
	{"FETCH", "FIRST NEXT", "", byHead},
	{"FOR SYSTEM_TIME", "", "a table is a log and keeps no versions", "join by a band of time: JOIN b ON a.k = b.k AND b.ts BETWEEN a.ts - INTERVAL 5 MINUTE AND a.ts"},
	{"FOR UPDATE", "", "records are read, not changed", "leave it out"},
	{"GLOB", "_ '", "", "write x LIKE 'a%', or regexp_matches(x, 'pattern')"},
	{"IGNORE NULLS", "", "", "leave it out: aggregates pass over NULL"},
	{"INTERSECT", "", "", byDistinct},
	{"ISNULL", "", "", "write x IS NULL"},
	{"LATERAL VIEW", "", perRow, byJoin},
	{"MATCH_RECOGNIZE", "(", "", "records that belong together are joined by a key and a band of time: JOIN b ON a.k = b.k AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 5 MINUTE"},
	{"MINUS", "SELECT", "", byDistinct},
	{"NOT NULL", "", "", "write x IS NOT NULL"},
	{"NOTNULL", "", "", "write x IS NOT NULL"},
	{"OUTER APPLY", "", perRow, byJoin},
	{"PIVOT", "(", "", "write a column for each: sum(x) FILTER (WHERE …)"},
	{"QUALIFY", "", "it chooses rows by functions with OVER", byMaximum},
	{"REGEXP", "_ '", "", byPattern},
	{"RESPECT NULLS", "", "", "leave it out: aggregates pass over NULL"},
	{"RLIKE", "_ '", "", byPattern},
	{"SIMILAR TO", "", "", "write regexp_full_match(x, 'pattern')"},
	{"STRAIGHT_JOIN", "_ '", "", "write JOIN … ON …"},
	{"TABLESAMPLE", "# ( BERNOULLI SYSTEM RESERVOIR", byChance, byModulo},
	{"UNPIVOT", "(", "", "write a query for each column and join them with UNION ALL"},
	{"USING SAMPLE", "", byChance, byModulo},
	{"WINDOW", "_", "", byTime},
	{"WITH CUBE", "", "", byUnion},
	{"WITH ROLLUP", "", "", byUnion},
	{"WITHIN GROUP", "", orderless, "leave it out"},
}

// refusedOperands begin an expression.
var refusedOperands = []clause{
	{"ALL", "(", "", byList},
	{"ANY", "(", "", byList},
	{"B", "'", "bits are no values here", "write a number"},
	{"COLUMNS", "(", "", byNames},
	{"CONVERT", "(", "", byCast},
	{"CUBE", "(", "", byUnion},
	{"DISTINCT ON", "", "", byMaximum},
	{"E", "'", "text stands in plain quotes", `write 'text', and chr(10) for what \n is`},
	{"GROUPING SETS", "(", "", byUnion},
	{"MAP", "{", "", "name the columns of a row one by one"},
	{"N", "'", "all text is Unicode", "write 'text'"},
	{"ROLLUP", "(", "", byUnion},
	{"ROW", "(", "", "name the values one by one"},
	{"SOME", "(", "", byList},
	{"TABLE", "_", "", byTime},
	{"TOP", "#", "", byHead},
	{"X", "'", "bytes are written as BLOB", `write '\x00'::BLOB`},
}

// refusedTables begin an entry of FROM.
var refusedTables = []clause{
	{"LATERAL", "_ (", perRow, byJoin},
	{"TABLE", "(", "", byTime},
	{"VALUES", "(", "rows come from a source", "put the values into a file"},
}

// refusedModifiers stand behind * in a select list.
var refusedModifiers = []clause{
	{"EXCEPT", "(", "", byNames},
	{"EXCLUDE", "_ (", "", byNames},
	{"RENAME", "_ (", "", byNames},
	{"REPLACE", "_ (", "", byNames},
}

// refusedCreations stand behind CREATE.
var refusedCreations = []clause{
	{"CATALOG", "", "a declaration lives for one run", "leave it out: a name has one part"},
	{"DATABASE", "", "a declaration lives for one run", "leave it out: a name has one part"},
	{"EXTERNAL TABLE", "", "", "write CREATE TABLE name (column TYPE, …) WITH (…)"},
	{"FUNCTION", "", "", "write the expression where it is used, or a query with a name: CREATE VIEW name AS SELECT …"},
	{"INDEX", "", "records are read in their order", "leave it out"},
	{"MACRO", "", "", "write the expression where it is used, or a query with a name: CREATE VIEW name AS SELECT …"},
	{"SCHEMA", "", "a declaration lives for one run", "leave it out: a name has one part"},
	{"SEQUENCE", "", "the engine makes up no values", "leave it out"},
	{"SINK", "", "", "write CREATE TABLE name (column TYPE, …) WITH (…), and INSERT INTO name SELECT …"},
	{"SOURCE", "", "", "write CREATE TABLE name (column TYPE, …) WITH (…)"},
	{"STREAM", "", "", "write CREATE TABLE name (column TYPE, …) WITH (…)"},
	{"TYPE", "", "", "write the type out where it is used"},
	{"UNIQUE INDEX", "", "records are read in their order", "leave it out"},
}

// name is how messages call it.
func (c *clause) name() string {
	if c.Next == "'" {
		return c.Words + "'…'"
	}
	return c.Words
}

// refuseClause fails if what is next is in the list, and says whether it did.
// what stands before the words in the message.
func (p *parser) refuseClause(list []clause, what string) bool {
	t := p.tok()
	if t.kind != tokenWord {
		return false
	}
	word := upperWord(p.textOf(t))
	for _, c := range list {
		words := strings.Fields(c.Words)
		if words[0] != word || !p.isAll(words...) || !p.follows(p.ahead(len(words)), c.Next) {
			continue
		}
		end := p.ahead(len(words) - 1).end
		if c.Next == "'" {
			end = p.ahead(len(words)).end
		}
		msg := what + c.name() + " is not supported"
		if c.Reason != "" {
			msg += ": " + c.Reason
		}
		p.failAt(t.pos, end, msg, c.Hint)
		return true
	}
	return false
}

// follows says whether a token is one of those that a clause has next.
func (p *parser) follows(t token, next string) bool {
	if next == "" {
		return true
	}
	for _, want := range strings.Fields(next) {
		is := p.isWord(t, want) || p.isOp(t, want)
		switch want {
		case "_":
			is = p.isName(t) && !(t.kind == tokenWord && notBareAlias[upperWord(p.textOf(t))])
		case "#":
			is = t.kind == tokenNumber
		case "'":
			is = t.kind == tokenString
		}
		if is {
			return true
		}
	}
	return false
}
