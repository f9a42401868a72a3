package csvrec

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// headerNames are the column names that a header gives.
func headerNames(d Dialect, record []byte) ([]string, error) {
	fields, err := Fields(d, record, nil)
	if err != nil {
		return nil, fmt.Errorf("the header is not CSV: %w", err)
	}
	return namesOf(fields)
}

// namesOf makes column names of fields: without the blanks around them, an empty one as of a file without a header, and
// one that occurs twice, case apart, with a number behind it: a, a_1, a_2.
func namesOf(fields []Field) ([]string, error) {
	names := make([]string, len(fields))
	for i, f := range fields {
		if !utf8.Valid(f.Text) {
			return nil, errors.New("the header is " + flawPhrases[flawUTF8] + " in the name of column " + strconv.Itoa(i+1) +
				", " + quoted(f.Text) + "; convert the file first, as with iconv -f LATIN1 -t UTF-8")
		}
		if names[i] = strings.TrimSpace(string(f.Text)); names[i] == "" {
			names[i] = numberedName(i, len(fields))
		}
	}
	copies := make(map[string]int, len(names))
	for i, name := range names {
		for {
			n, taken := copies[strings.ToLower(name)]
			if !taken {
				break
			}
			copies[strings.ToLower(name)] = n + 1
			name += "_" + strconv.Itoa(n+1)
		}
		copies[strings.ToLower(name)] = 0
		names[i] = name
	}
	return names, nil
}

// numberedName is the name of a column that has none: column0, or column00 where there are more than ten.
func numberedName(i, of int) string {
	return fmt.Sprintf("column%0*d", len(strconv.Itoa(max(of-1, 0))), i)
}

func numberedNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = numberedName(i, n)
	}
	return names
}

// header decides whether a file's first record names the columns, by comparing it with later ones. The rule, in this
// order:
//
//  1. A header has no field that looks like a number, a time or a boolean, and not only empty ones.
//  2. It is one when some column looks like numbers, like times or like booleans in all later records that have a value
//     there, and the first record has a text in that column.
//  3. Else, of columns that are text throughout, it is one when its fields look like names, are distinct, and none
//     occurs again in its column. A field may be empty over a column that is typed or empty throughout.
type header struct {
	first   []Field
	looks   []look // of the first record's fields
	columns []look // what all later values of a column look like: text where they differ, empty where there are none
	again   bool   // a field of the first record occurs again in its column
}

func newHeader(first []Field) *header {
	h := &header{first: first, looks: make([]look, len(first)), columns: make([]look, len(first))}
	for i, f := range first {
		h.looks[i] = f.looks()
	}
	return h
}

// add takes a later record with as many fields as the first.
func (h *header) add(fields []Field) {
	for i, f := range fields {
		if h.looks[i] == lookText && bytes.Equal(f.Text, h.first[i].Text) {
			h.again = true
		}
		if h.columns[i] == lookText {
			continue
		}
		switch l := f.looks(); {
		case l == lookEmpty:
		case h.columns[i] == lookEmpty:
			h.columns[i] = l
		case h.columns[i] != l:
			h.columns[i] = lookText
		}
	}
}

// is decides.
func (h *header) is() bool {
	texts, typed := 0, false
	for i, l := range h.looks {
		switch l {
		case lookEmpty:
		case lookText:
			texts++
			typed = typed || h.columns[i] != lookEmpty && h.columns[i] != lookText
		default:
			return false
		}
	}
	if texts == 0 || typed || h.again {
		return texts > 0 && typed
	}
	seen := map[string]bool{}
	for i, f := range h.first {
		if h.looks[i] == lookEmpty && h.columns[i] != lookText {
			continue
		}
		name := string(f.Text)
		if !isName(name) || seen[name] {
			return false
		}
		seen[name] = true
	}
	return true
}

// isName reports whether a text is likely a column's name: letters, digits, blanks and some signs, the first one a
// letter or '_', at most 64 characters.
func isName(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" || utf8.RuneCountInString(s) > 64 || strings.Contains(s, "//") {
		return false
	}
	for i, r := range s {
		switch {
		case unicode.IsLetter(r) || r == '_':
		case i > 0 && (unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune(" -./()[]%#€$&:+*'°²³µ", r)):
		case i == 0 && (r == '#' || r == '%' || r == '$' || r == '€'):
		default:
			return false
		}
	}
	return true
}
