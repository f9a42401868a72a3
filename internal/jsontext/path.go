package jsontext

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Path leads from a value to one within it. Its spellings are DuckDB's:
//
//	merchant        the member of that name, whatever other characters the name has
//	$.a."b c"[0]    members and elements from the outside in; [-1] and [#-1] are the last element
//	/a/b~1c/0       a JSON pointer (RFC 6901)
//	$ and nothing   the value itself
//
// A name with a quotation mark in it is read as a pointer, as DuckDB does. The zero Path is the value itself.
type Path struct{ steps []step }

type step struct {
	name   string
	index  int64 // negative: from the end, −1 being the last element
	member bool  // the name says which member
	elem   bool  // the index says which element; a step of a pointer may be both
}

// ParsePath reads a path as written. An error is a sentence for who wrote it.
func ParsePath(text string) (Path, error) {
	switch {
	case text == "":
		return Path{}, nil
	case text[0] == '$':
		return parseDollar(text)
	case text[0] == '/':
		return parsePointer(text[1:]), nil
	case strings.Contains(text, `"`):
		return parsePointer(text), nil
	}
	return memberPath(unescapeName(text)), nil
}

// memberPath leads to the member of an object, by its name as it is.
func memberPath(name string) Path { return Path{[]step{{name: name, member: true}}} }

// ElementPath leads to an element of an array, 0 being the first and −1 the last.
func ElementPath(index int64) Path { return Path{[]step{{index: index, elem: true}}} }

func parseDollar(text string) (Path, error) {
	var p Path
	rest := text[1:]
	for rest != "" {
		at := rest
		bad := func(try string) (Path, error) {
			return Path{}, fmt.Errorf("the path '%s' is wrong at '%s'; %s", text, at, try)
		}
		switch rest[0] {
		case '.':
			name, behind, ok := readName(rest[1:])
			if !ok {
				return bad(`a name follows a point, as in '$.a."b c"'`)
			}
			if name == "*" || name == "**" || name == "" {
				return Path{}, fmt.Errorf("the path '%s' stands for several values; name one member or element", text)
			}
			p.steps = append(p.steps, step{name: name, member: true})
			rest = behind
		case '[':
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return bad("a bracket is not closed")
			}
			if rest[1:end] == "*" {
				return Path{}, fmt.Errorf("the path '%s' stands for several values; name one member or element", text)
			}
			index, ok := readIndex(rest[1:end])
			if !ok {
				return bad("an element is written as in '$[0]', the last one '$[-1]', a member as in '$.a'")
			}
			p.steps = append(p.steps, step{index: index, elem: true})
			rest = rest[end+1:]
		default:
			return bad("a member is written as in '$.a', an element as in '$[0]'")
		}
	}
	return p, nil
}

// readName reads a member's name, in quotes or up to the next point or bracket. The empty name is that of two points
// one behind the other.
func readName(s string) (name, rest string, ok bool) {
	if s == "" {
		return "", "", false
	}
	if s[0] == '"' {
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case '"':
				return unescapeName(s[1:i]), s[i+1:], i > 1
			}
		}
		return "", "", false
	}
	end := strings.IndexAny(s, ".[")
	if end < 0 {
		end = len(s)
	}
	return s[:end], s[end:], end > 0 || s[0] == '.'
}

// unescapeName takes away the backslash before a quotation mark or backslash.
func unescapeName(s string) string {
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(s)
}

// readIndex reads n, -n, #-n or #. A # alone is the place behind the last element, where there is none.
func readIndex(s string) (int64, bool) {
	if s == "#" {
		return math.MaxInt64, true
	}
	digits, fromEnd := strings.CutPrefix(strings.TrimPrefix(s, "#"), "-")
	if !fromEnd && strings.HasPrefix(s, "#") || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, false
	}
	if fromEnd {
		n = -n
	}
	return n, true
}

func parsePointer(text string) Path {
	var p Path
	for _, token := range strings.Split(text, "/") {
		s := step{member: true, name: token}
		if i := strings.IndexByte(token, '~'); i >= 0 {
			var err error
			if s.name, err = unescapePointer(token); err != nil {
				s.member = false
			}
		}
		if token == "0" || token != "" && token[0] != '0' && strings.Trim(token, "0123456789") == "" {
			if n, err := strconv.ParseInt(token, 10, 64); err == nil {
				s.index, s.elem = n, true
			}
		}
		p.steps = append(p.steps, s)
	}
	return p
}

var errTilde = errors.New("~ without 0 or 1")

func unescapePointer(s string) (string, error) {
	var out []byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '~' {
			if i++; i == len(s) || s[i] != '0' && s[i] != '1' {
				return "", errTilde
			}
			c = "~/"[s[i]-'0']
		}
		out = append(out, c)
	}
	return string(out), nil
}

// Find returns the text of the value that the path leads to within a valid JSON text, or nil when there is none. Of
// members of one name it takes the first.
func (p Path) Find(text []byte) []byte {
	at := space(text, 0)
	for i := range p.steps {
		s := &p.steps[i]
		switch {
		case text[at] == '{' && s.member:
			at = findMember(text, at, s.name)
		case text[at] == '[' && s.elem:
			at = findElement(text, at, s.index)
		default:
			return nil
		}
		if at < 0 {
			return nil
		}
	}
	return text[at:behindValue(text, at)]
}

// findMember returns the offset of a member's value, −1 if the object at p has no such member.
func findMember(d []byte, p int, name string) int {
	for p = space(d, p+1); d[p] != '}'; p = space(d, p) {
		if d[p] == ',' {
			p = space(d, p+1)
		}
		q, escaped := behindString(d, p)
		value := space(d, q)
		value = space(d, value+1) // behind the colon
		if isName(d[p+1:q-1], name, escaped) {
			return value
		}
		p = behindValue(d, value)
	}
	return -1
}

func isName(text []byte, name string, escaped bool) bool {
	if !escaped {
		return string(text) == name
	}
	var buf [128]byte
	return string(AppendUnescaped(buf[:0], text)) == name
}

// findElement returns the offset of an element, −1 if the array at p has no such element.
func findElement(d []byte, p int, index int64) int {
	if index < 0 {
		for q := nextElement(d, p); q >= 0; q = nextElement(d, behindValue(d, q)) {
			index++
		}
		if index < 0 {
			return -1
		}
	}
	q := nextElement(d, p)
	for ; q >= 0 && index > 0; index-- {
		q = nextElement(d, behindValue(d, q))
	}
	return q
}

// nextElement returns the offset of the element behind p, which is at an array's bracket or behind an element; −1 where
// the array ends.
func nextElement(d []byte, p int) int {
	if d[p] == '[' {
		p++
	}
	if p = space(d, p); d[p] == ',' {
		p = space(d, p+1)
	}
	if d[p] == ']' {
		return -1
	}
	return p
}
