package csvrec

import "bytes"

// Field is a field of a record.
type Field struct {
	Text   []byte // without quotes and escapes; lent from the record unless it had escapes
	Quoted bool
	Null   bool // not quoted and the dialect's text for NULL
}

// Fields appends the fields of a record to dst. It returns an error that says what is wrong with the record's quoting;
// their number, and whether their text is UTF-8, is left to the caller.
func Fields(d Dialect, record []byte, dst []Field) ([]Field, error) {
	s := newSyntax(d)
	p, end := 0, trimEnd(record, 0, len(record))
	for {
		q, f := s.field(record, p, end)
		if f != sound {
			return dst, flawError(f, record[:end], q)
		}
		dst = append(dst, s.fieldOf(record[p:q:q], d.Null))
		if q == end {
			return dst, nil
		}
		p = q + 1
	}
}

// fieldOf makes a field of a flawless text with its quotes.
func (s *syntax) fieldOf(text []byte, null string) Field {
	if !s.quotes || len(text) == 0 || text[0] != s.quote {
		return Field{Text: text, Null: string(text) == null}
	}
	text = text[1 : len(text)-1]
	if at := bytes.IndexByte(text, s.escape); at >= 0 {
		text = s.appendUnescaped(nil, text, at)
	}
	return Field{Text: text, Quoted: true}
}
