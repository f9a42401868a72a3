package sql

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// operators is searched in order, so a longer one stands before its prefix.
var operators = []string{
	"->>", "->", "::", ":=", "||", "**", "//", "==", "=>", "<>", "!=", "<=", ">=",
	"+", "-", "*", "/", "%", "^", "=", "<", ">", "(", ")", "[", "]", ",", ".", ";", ":", "{", "}",
}

// lex cuts a text into tokens, the last of which is tokenEnd, or into those
// before an error.
func lex(text string) ([]token, *Error) {
	if err := checkUTF8(text); err != nil {
		return nil, err
	}
	l := lexer{text: text}
	if strings.HasPrefix(text, "\uFEFF") {
		l.pos = len("\uFEFF")
	}
	for {
		if err := l.skipBlank(); err != nil {
			return l.tokens, err
		}
		if l.pos == len(text) {
			l.add(tokenEnd, l.pos)
			return l.tokens, nil
		}
		if err := l.token(); err != nil {
			return l.tokens, err
		}
	}
}

func checkUTF8(text string) *Error {
	if utf8.ValidString(text) {
		return nil
	}
	for i, r := range text {
		if r != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
			return &Error{Pos: i, End: i + 1, Msg: fmt.Sprintf("byte 0x%02X is not valid UTF-8", text[i])}
		}
	}
	panic("sql: text neither valid nor invalid UTF-8")
}

type lexer struct {
	text   string
	pos    int
	tokens []token
	open   []int // indexes of the parentheses that wait for their partner
}

// add appends the token [pos, end) and moves to its end.
func (l *lexer) add(kind tokenKind, end int) {
	l.tokens = append(l.tokens, token{kind: kind, pos: l.pos, end: end})
	l.pos = end
}

// skipBlank moves over white space and comments. Block comments nest.
func (l *lexer) skipBlank() *Error {
	for l.pos < len(l.text) {
		rest := l.text[l.pos:]
		switch {
		case strings.HasPrefix(rest, "--"):
			line := strings.IndexByte(rest, '\n')
			if line < 0 {
				line = len(rest)
			}
			l.pos += line
		case strings.HasPrefix(rest, "/*"):
			n := blockComment(rest)
			if n < 0 {
				return &Error{Pos: l.pos, End: l.pos + 2, Msg: "this comment is never closed",
					Hint: "comments nest: each /* needs its own */"}
			}
			l.pos += n
		default:
			r, size := utf8.DecodeRuneInString(rest)
			if !unicode.IsSpace(r) {
				return nil
			}
			l.pos += size
		}
	}
	return nil
}

// blockComment returns the length of the comment s begins with, or -1.
func blockComment(s string) int {
	depth := 0
	for i := 0; i+1 < len(s); {
		switch s[i : i+2] {
		case "/*":
			depth++
			i += 2
		case "*/":
			depth--
			i += 2
			if depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return -1
}

func (l *lexer) token() *Error {
	c := l.text[l.pos]
	switch {
	case c == '\'':
		return l.quoted(tokenString, '\'', "this string is never closed", "a quote inside a string is written twice: ''")
	case c == '"':
		if err := l.quoted(tokenQuoted, '"', "this quoted name is never closed", `a double quote inside a name is written twice: ""`); err != nil {
			return err
		}
		if t := l.tokens[len(l.tokens)-1]; t.end-t.pos == 2 {
			return &Error{Pos: t.pos, End: t.end, Msg: "a quoted name cannot be empty", Hint: "a string is written with single quotes: ''"}
		}
		return nil
	case isDigit(c), c == '.' && l.pos+1 < len(l.text) && isDigit(l.text[l.pos+1]):
		return l.number()
	}
	if n := wordLength(l.text[l.pos:]); n > 0 {
		l.add(tokenWord, l.pos+n)
		return nil
	}
	for _, op := range operators {
		if strings.HasPrefix(l.text[l.pos:], op) {
			l.operator(op)
			return nil
		}
	}
	return l.strayRune()
}

func (l *lexer) operator(op string) {
	at := len(l.tokens)
	l.add(tokenOp, l.pos+len(op))
	switch op {
	case "(":
		l.open = append(l.open, at)
	case ")":
		if n := len(l.open); n > 0 {
			from := l.open[n-1]
			l.open = l.open[:n-1]
			l.tokens[from].match, l.tokens[at].match = at, from
		}
	}
}

func (l *lexer) strayRune() *Error {
	r, size := utf8.DecodeRuneInString(l.text[l.pos:])
	err := &Error{Pos: l.pos, End: l.pos + size, Msg: fmt.Sprintf("unexpected character %q", r)}
	switch r {
	case '`':
		err.Hint = `a name is quoted with double quotes: "name"`
	case '?', '$', '@':
		err.Hint = "parameters are not supported: write the value"
		if strings.HasPrefix(l.text[l.pos:], "$$") {
			err.Hint = "a string is written with single quotes: 'text'"
		}
	case '~':
		err.Hint = byPattern
	case '#':
		err.Hint = "a comment begins with --"
	case '!':
		if strings.HasPrefix(l.text[l.pos:], "!~") {
			err.Hint = "write NOT regexp_matches(x, 'pattern')"
			break
		}
		err.Hint = "not equal is written <> or !=, negation NOT"
	case '&', '|':
		err.Hint = "conditions are joined with AND and OR"
	}
	return err
}

// quoted reads a string or quoted name, in which the quote is written twice.
func (l *lexer) quoted(kind tokenKind, quote byte, unclosed, hint string) *Error {
	for i := l.pos + 1; ; i++ {
		n := strings.IndexByte(l.text[i:], quote)
		if n < 0 {
			return &Error{Pos: l.pos, End: l.pos + 1, Msg: unclosed, Hint: hint}
		}
		i += n
		if i+1 < len(l.text) && l.text[i+1] == quote {
			i++
			continue
		}
		l.add(kind, i+1)
		return nil
	}
}

// unquote resolves what quoted has read.
func unquote(s string) string {
	quote := s[:1]
	return strings.ReplaceAll(s[1:len(s)-1], quote+quote, quote)
}

func (l *lexer) number() *Error {
	s := l.text
	i := digits(s, l.pos)
	if i < len(s) && s[i] == '.' {
		i = digits(s, i+1)
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		exp := i + 1
		if exp < len(s) && (s[exp] == '+' || s[exp] == '-') {
			exp++
		}
		if end := digits(s, exp); end > exp {
			i = end
		}
	}
	if n := wordLength(s[i:]); n > 0 {
		return &Error{Pos: l.pos, End: i + n, Msg: fmt.Sprintf("%s is neither a number nor a name", clip(s[l.pos:i+n])),
			Hint: "a name that begins with a digit is written in double quotes"}
	}
	l.add(tokenNumber, i)
	return nil
}

// digits returns the end of the run of digits at i, single underscores
// between two of them included.
func digits(s string, i int) int {
	start := i
	for i < len(s) {
		switch {
		case isDigit(s[i]):
			i++
		case s[i] == '_' && i > start && i+1 < len(s) && isDigit(s[i+1]):
			i++
		default:
			return i
		}
	}
	return i
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// wordLength returns the length of the word s begins with, 0 for none. A word
// is letters, digits, _ and $, not beginning with a digit or $; everything
// outside ASCII that is not white space counts as a letter.
func wordLength(s string) int {
	for i, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '_':
		case r >= utf8.RuneSelf && !unicode.IsSpace(r):
		case i > 0 && (r >= '0' && r <= '9' || r == '$'):
		default:
			return i
		}
	}
	return len(s)
}
