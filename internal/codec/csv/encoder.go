package csvrec

import (
	"bytes"

	"ubik/internal/codec"
	jsonrec "ubik/internal/codec/json"
	"ubik/internal/jsontext"
	"ubik/internal/vec"
)

// encoder writes rows as records:
//
//	a,2026-01-01T00:01:00Z,3,12.50,"said ""no"""
//
// The bytes are part of what the program promises: they change only with a new version of the output.
type encoder struct {
	syntax
	null   []byte
	fields []vec.Field
	text   []byte // a value on its way into a field
}

// newEncoder returns an encoder for fields that CheckOutput has passed. It panics on others.
func newEncoder(d Dialect, fields []vec.Field) *encoder {
	if err := CheckOutput(d, fields); err != nil {
		panic("csv: " + err.Error())
	}
	return &encoder{syntax: newSyntax(d), null: []byte(d.Null), fields: fields}
}

// AppendRows implements codec.Encoder.
func (enc *encoder) AppendRows(dst []byte, ends []uint32, b *vec.Batch, sel []int32) ([]byte, []uint32) {
	for row := range codec.Rows(b.N, sel) {
		dst = enc.appendRow(dst, b, row)
		ends = append(ends, uint32(len(dst)))
	}
	return dst, ends
}

func (enc *encoder) appendRow(dst []byte, b *vec.Batch, row int) []byte {
	for i := range enc.fields {
		if i > 0 {
			dst = append(dst, enc.delimiter)
		}
		v := b.Cols[i]
		if enc.fields[i].Type.Kind == vec.Null || v.IsNull(row) {
			if len(enc.null) > 0 || len(enc.fields) > 1 {
				dst = append(dst, enc.null...)
			} else { // an empty line would be no record; of a type that does not keep it, the empty text is NULL too
				dst = append(dst, enc.quote, enc.quote)
			}
			continue
		}
		dst = enc.appendField(dst, enc.valueText(&enc.fields[i].Type, v, row), i == 0)
	}
	return dst
}

// valueText is the text of a value: that of JSON output, without its quotes.
func (enc *encoder) valueText(t *vec.Type, v *vec.Vector, row int) []byte {
	switch t.Kind {
	case vec.Varchar:
		return v.Bytes(row)
	case vec.JSON, vec.Struct, vec.List, vec.Map:
		enc.text = jsontext.AppendCompact(enc.text[:0], v.Bytes(row))
		return enc.text
	}
	enc.text = jsonrec.AppendValue(enc.text[:0], t, v, row)
	if n := len(enc.text); enc.text[0] == '"' { // a time, a BLOB, NaN: texts without escapes
		return enc.text[1 : n-1]
	}
	return enc.text
}

// appendField writes a field, in quotes where it would else read as something else.
func (enc *encoder) appendField(dst, text []byte, first bool) []byte {
	if !enc.mustQuote(text, first) {
		return append(dst, text...)
	}
	dst = append(dst, enc.quote)
	for _, c := range text {
		if c == enc.quote || c == enc.escape {
			dst = append(dst, enc.escape)
		}
		dst = append(dst, c)
	}
	return append(dst, enc.quote)
}

// mark is what a file may begin with that is no part of its first record.
const mark = "\uFEFF"

func (enc *encoder) mustQuote(text []byte, first bool) bool {
	n := len(text)
	if n == len(enc.null) && bytes.Equal(text, enc.null) {
		return true
	}
	if n == 0 {
		return len(enc.fields) == 1 // else the line would be empty
	}
	return text[0] <= ' ' || text[n-1] <= ' ' || first && text[0] == mark[0] && bytes.HasPrefix(text, []byte(mark)) ||
		enc.special(text, 0, n) < n
}

// Header is the record that names the columns, without a line end: what a file written in the dialect begins with. It
// is nil for a dialect without a header. The dialect must have passed Check and have a quote.
func Header(d Dialect) []byte {
	if !d.Header {
		return nil
	}
	enc := &encoder{syntax: newSyntax(d), fields: make([]vec.Field, len(d.Names))}
	var dst []byte
	for i, name := range d.Names {
		if i > 0 {
			dst = append(dst, enc.delimiter)
		}
		dst = enc.appendField(dst, []byte(name), i == 0)
	}
	return dst
}
