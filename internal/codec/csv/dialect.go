package csvrec

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"ubik/internal/codec"
)

// Dialect is how records are spelled.
type Dialect struct {
	Delimiter byte // between two fields
	Quote     byte // around a field that holds what would end it; 0: there are no quotes
	// Escape stands before a quote within quotes. Where it is Quote itself, a doubled quote stands for one; any other
	// stands before itself too, and before nothing else.
	Escape byte
	Header bool     // the first record of each file names the columns
	Names  []string // the columns, in the order of the fields
	Null   string   // a field of this text is NULL, unless it is quoted
}

// Default is the dialect of RFC 4180 without a header, for columns of these names.
func Default(names []string) Dialect {
	return Dialect{Delimiter: ',', Quote: '"', Escape: '"', Names: names}
}

// Check returns what is wrong with the dialect: characters that cannot be told apart, or names that occur twice.
func (d Dialect) Check() error {
	if !separates(d.Delimiter) {
		return fmt.Errorf("the delimiter is %s: it must be one ASCII character that ends no line, such as ',' or ';'", charName(d.Delimiter))
	}
	if d.Quote != 0 {
		switch {
		case !separates(d.Quote) || d.Quote == d.Delimiter:
			return fmt.Errorf("the quote is %s: it must be one ASCII character that ends no line and is not the delimiter, such as '\"'", charName(d.Quote))
		case !separates(d.Escape) || d.Escape == d.Delimiter:
			return fmt.Errorf("the escape is %s: it must be one ASCII character that ends no line and is not the delimiter; the quote itself stands for doubled quotes", charName(d.Escape))
		}
	}
	switch {
	case !utf8.ValidString(d.Null):
		return fmt.Errorf("the text for NULL, %q, is not UTF-8", d.Null)
	case strings.IndexByte(d.Null, d.Delimiter) >= 0 || strings.ContainsAny(d.Null, "\r\n") || d.Quote != 0 && strings.IndexByte(d.Null, d.Quote) >= 0:
		return fmt.Errorf("the text for NULL, %q, holds the delimiter, the quote or a line end: no field that is not quoted has it", d.Null)
	case len(d.Names) == 0:
		return errors.New("no columns are named: a CSV has at least one")
	}
	seen := make(map[string]bool, len(d.Names))
	for _, name := range d.Names {
		if seen[name] {
			return fmt.Errorf("two columns are named %q; give one another name", name)
		}
		seen[name] = true
	}
	return nil
}

// separates reports whether c can be a delimiter or a quote.
func separates(c byte) bool { return c != 0 && c != '\r' && c != '\n' && c < utf8.RuneSelf }

func charName(c byte) string {
	if c == 0 {
		return "missing"
	}
	if c >= utf8.RuneSelf {
		return fmt.Sprintf("the byte %#x", c)
	}
	return fmt.Sprintf("%q", rune(c))
}

// Framing is where the records of a file end.
func (d Dialect) Framing() codec.Framing {
	f := codec.Framing{Header: d.Header}
	if d.Quote != 0 {
		f.Quote, f.Escape, f.Delimiter = d.Quote, d.Escape, d.Delimiter
	}
	return f
}

// String is the dialect as a run prints it, without the names: delimiter ';', quote '"', header.
func (d Dialect) String() string {
	s := "delimiter " + charName(d.Delimiter)
	if d.Quote == 0 {
		s += ", no quotes"
	} else {
		s += ", quote " + charName(d.Quote)
		if d.Escape != d.Quote {
			s += ", escape " + charName(d.Escape)
		}
	}
	if d.Header {
		s += ", header"
	} else {
		s += ", no header"
	}
	if d.Null != "" {
		s += fmt.Sprintf(", NULL is %q", d.Null)
	}
	return s
}

// OtherDelimiter is the error of a header that names the columns, but with another delimiter between them.
type OtherDelimiter struct{ Here, Expected byte }

func (e *OtherDelimiter) Error() string {
	return fmt.Sprintf("its delimiter is %s, and %s is expected", charName(e.Here), charName(e.Expected))
}

// CheckHeader compares a header, the first record of a file, with the names of the columns: another file of the same
// source must name the same ones in the same order. It is an *OtherDelimiter that only the delimiter differs.
func (d Dialect) CheckHeader(record []byte) error {
	err := d.compareHeader(record)
	if err == nil {
		return nil
	}
	for _, c := range []byte(delimiters) {
		other := d
		if other.Delimiter = c; c != d.Delimiter && c != d.Quote && len(d.Names) > 1 && other.compareHeader(record) == nil {
			return &OtherDelimiter{c, d.Delimiter}
		}
	}
	return err
}

// compareHeader compares a header with the names of the columns.
func (d Dialect) compareHeader(record []byte) error {
	names, err := headerNames(d, record)
	if err != nil {
		return err
	}
	for i, name := range names {
		switch {
		case i == len(d.Names):
			return fmt.Errorf("the header %s: %s", countReason(len(names), len(d.Names)), shownNames(d.Names))
		case name != d.Names[i]:
			return fmt.Errorf("the header names field %d %q, but the column there is %q; files read together must have the same columns in the same order", i+1, name, d.Names[i])
		}
	}
	if len(names) < len(d.Names) {
		return fmt.Errorf("the header %s: %s", countReason(len(names), len(d.Names)), shownNames(d.Names))
	}
	return nil
}

// shownNames lists names for an error, the first twenty of many.
func shownNames(names []string) string {
	const most = 20
	shown := names[:min(len(names), most)]
	s := strings.Join(shown, ", ")
	if n := len(names) - len(shown); n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}
