package std

import (
	"bytes"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner walks over the members of one JSON object as our encoder writes it: no spaces between the tokens.
type scanner struct {
	in    []byte
	at    int
	begun bool
	ended bool
	value []byte // of the present member, as it stands
}

// next goes to the next member and says whether there is one.
func (s *scanner) next() bool {
	opener := byte(',')
	if !s.begun {
		s.begun = true
		opener = '{'
		if bytes.Equal(s.in, []byte("{}")) {
			s.at, s.ended = 2, true
			return false
		}
	} else if s.take('}') {
		s.ended = true
		return false
	}
	if !s.take(opener) || !s.skipString() || !s.take(':') {
		return false
	}
	from := s.at
	if !s.skipValue() {
		return false
	}
	s.value = s.in[from:s.at]
	return true
}

// done says whether the object was whole and nothing follows it.
func (s *scanner) done() bool { return s.ended && s.at == len(s.in) }

func (s *scanner) take(c byte) bool {
	if s.at < len(s.in) && s.in[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *scanner) skipString() bool {
	if !s.take('"') {
		return false
	}
	for s.at < len(s.in) {
		switch s.in[s.at] {
		case '"':
			s.at++
			return true
		case '\\':
			s.at += 2
		default:
			s.at++
		}
	}
	return false
}

// skipValue passes one value; brackets are only counted.
func (s *scanner) skipValue() bool {
	from, depth := s.at, 0
	for s.at < len(s.in) {
		switch s.in[s.at] {
		case '"':
			if !s.skipString() {
				return false
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return s.at > from
			}
			depth--
		case ',':
			if depth == 0 {
				return s.at > from
			}
		}
		s.at++
	}
	return false
}

// text returns the present value as a reader wants it: a string without quotes and escapes, NULL for null, else the JSON
// text. It may hold anything that a record held.
func (s *scanner) text() (text string, null bool) {
	switch {
	case string(s.value) == "null":
		return "NULL", true
	case s.value[0] != '"':
		return string(s.value), false
	}
	return unquote(s.value[1 : len(s.value)-1]), false
}

// unquote resolves the escapes of a JSON string. A wrong one stays as it stands.
func unquote(b []byte) string {
	if bytes.IndexByte(b, '\\') < 0 {
		return string(b)
	}
	var out []byte
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' || i+1 == len(b) {
			out = append(out, b[i])
			continue
		}
		i++
		switch b[i] {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, ok := hex4(b[i+1:])
			if !ok {
				out = append(out, `\u`...)
				continue
			}
			i += 4
			if utf16.IsSurrogate(r) && i+2 < len(b) && b[i+1] == '\\' && b[i+2] == 'u' {
				low, ok := hex4(b[i+3:])
				if both := utf16.DecodeRune(r, low); ok && both != unicode.ReplacementChar {
					r = both
					i += 6
				}
			}
			out = utf8.AppendRune(out, r)
		default: // the quote, the slashes
			out = append(out, b[i])
		}
	}
	return string(out)
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[:4]), 16, 16)
	return rune(v), err == nil
}
