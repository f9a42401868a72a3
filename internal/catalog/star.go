package catalog

import (
	"errors"
	"regexp"
	"strings"

	"ubik/internal/sql"
)

// secretLeast is how many bytes of a secret are starred in a message. Fewer stand in any message by chance.
const secretLeast = 3

// RedactError returns an error about a script, or any other text, with stars in its message and its hint for what they
// quote of the parts of that text that Redact hides. Other errors are returned as they are.
func RedactError(err error, text string) error {
	var e *sql.Error
	if !errors.As(err, &e) {
		return err
	}
	secrets := hidden(text, Redact(text), commentsOf(text))
	msg, hint := starred(e.Msg, secrets), starred(e.Hint, secrets)
	if msg == e.Msg && hint == e.Hint {
		return err
	}
	return &sql.Error{Pos: e.Pos, End: e.End, Msg: msg, Hint: hint}
}

// commentsOf are the comments of a text, of which no message quotes anything.
func commentsOf(text string) []piece {
	var list []piece
	for _, p := range piecesOf(text) {
		if p.kind == pieceComment {
			list = append(list, p)
		}
	}
	return list
}

// hidden are the runs of a text that are stars in what is shown of it, but for those in some pieces.
func hidden(text, shown string, without []piece) []string {
	var list []string
	for from := 0; from < len(text); from++ {
		for len(without) > 0 && without[0].to <= from {
			without = without[1:]
		}
		end := len(text)
		if len(without) > 0 {
			if end = without[0].from; end <= from {
				from = without[0].to - 1
				continue
			}
		}
		to := from
		for to < end && text[to] != shown[to] {
			to++
		}
		if to > from {
			list = append(list, text[from:to])
			from = to - 1
		}
	}
	return list
}

// urlForm is an argument that is a URL, whatever is wrong with it, or begins with one; it may have a flag and a table's name
// before it. Its group is what the URL has behind the scheme.
var urlForm = regexp.MustCompile(`^(?:--?[A-Za-z-]+=)?(?:[^\s'"=:/]+=)?[A-Za-z][A-Za-z0-9+.-]*:/+((?s:.*))$`)

// secretForm is a name of a secret with what parts it from its value.
var secretForm = regexp.MustCompile(`(?i)[a-z0-9_.-]*(?:pass|pasw|pswd|pwd|jaas|secret|token|cred|api.?key)[a-z0-9_.-]*(?:=|:|%3D|%3A)`)

// propertyForm is a client property that is a secret, which is an argument.
var propertyForm = regexp.MustCompile(`(?i)^(?:--?[A-Za-z-]+=)?[a-z0-9_-]*\.[a-z0-9_.-]*(?:pass|pasw|pswd|pwd|jaas|secret|token|cred|key|pem)[a-z0-9_.-]*(?:=|:|%3D|%3A)`)

// RedactMessage returns a message with stars for what it quotes of the secrets of a command line: of a URL what stands
// before its last @, and behind a name that says so; the values of client properties; the logins of the URLs in a script.
func RedactMessage(msg string, args []string) string {
	var secrets []string
	for _, arg := range args {
		secrets = append(secrets, secretsIn(arg)...)
	}
	return starred(msg, secrets)
}

func secretsIn(arg string) []string {
	if m := propertyForm.FindStringIndex(arg); m != nil {
		return []string{arg[m[1]:]}
	}
	list := hidden(arg, RedactURL(arg), nil)
	m := urlForm.FindStringSubmatch(arg)
	if m == nil {
		return list
	}
	rest := m[1]
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		list = append(list, rest[:at])
		rest = rest[at+1:]
	}
	host := strings.IndexAny(rest, "/?#")
	if host < 0 {
		return list
	}
	if at := secretForm.FindStringIndex(rest[host:]); at != nil {
		list = append(list, rest[host+at[1]:])
	}
	return list
}

// starred puts stars over what a message has in common with secrets. That is looked for from the beginning of a word to the
// end of one, or to where the message cuts it off, in any case of its letters.
func starred(msg string, secrets []string) string {
	out := []byte(msg)
	low := lower(msg)
	for _, s := range secrets {
		s = lower(s)
		if len(s) > secretLeast && strings.TrimSpace(s) != "" && !isWord(s) {
			for at := 0; ; { // whatever is around it
				n := strings.Index(low[at:], s)
				if n < 0 {
					break
				}
				stars(out[at+n : at+n+len(s)])
				at += n + len(s)
			}
		}
		for from := range low {
			if !edge(low, from) {
				continue
			}
			if to := from + inCommon(low[from:], s, low, from); to > from {
				from, to := trimmed(low, from, to)
				if to > from {
					stars(out[from:to])
				}
			}
		}
	}
	return string(out)
}

// inCommon is how many bytes a part of a message, which begins at a place in all of it, has in common with a secret: the most
// of any place in that.
func inCommon(part, secret, msg string, from int) int {
	most := 0
	for at := range secret {
		if secret[at] != part[0] || !edge(secret, at) {
			continue
		}
		n := 1
		for n < len(part) && at+n < len(secret) && part[n] == secret[at+n] {
			n++
		}
		for n > most && !(edge(msg, from+n) && edge(secret, at+n)) && !strings.HasPrefix(part[n:], "…") {
			n--
		}
		most = max(most, n)
	}
	return most
}

// trimmed leaves blanks and quotes at the ends of a run of a message alone, and all of it where it is too short or says
// nothing but words of the language.
func trimmed(msg string, from, to int) (int, int) {
	const around = " \t'\""
	for from < to && strings.IndexByte(around, msg[from]) >= 0 {
		from++
	}
	for to > from && strings.IndexByte(around, msg[to-1]) >= 0 {
		to--
	}
	run := msg[from:to]
	letters := 0
	for i := range len(run) {
		if inWord(run[i]) {
			letters++
		}
	}
	if len(run) < secretLeast || letters < secretLeast && strings.ContainsAny(run, " \t") || isWord(run) {
		return from, from
	}
	return from, to
}

// loginWords are the words of what a login module is configured with that are no secrets.
var loginWords = map[string]bool{"required": true, "username": true, "password": true, "plainloginmodule": true, "scramloginmodule": true}

// isWord reports whether a text holds nothing but words of the language, names of options, and words of a login module.
func isWord(text string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n'\"(),;=", r) })
	for _, w := range words {
		_, option := optionIsPlain(w, inOptions)
		if !option && !sql.IsReserved(w) && !loginWords[lower(w)] {
			return false
		}
	}
	return len(words) > 0
}

// edge reports whether a word begins or ends at a place; behind the sign of an escape, one may begin.
func edge(text string, at int) bool {
	if at <= 0 || at >= len(text) || !inWord(text[at-1]) || !inWord(text[at]) {
		return true
	}
	return at >= 2 && text[at-2] == '\\'
}

func inWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

// lower is a text with its ASCII letters in lower case, which keeps its length.
func lower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
