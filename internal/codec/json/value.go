package jsonrec

import (
	"encoding/base64"
	"ubik/internal/codec"

	"ubik/internal/exact"
	"ubik/internal/expr"
	"ubik/internal/jsontext"
	"ubik/internal/vec"
)

// How a JSON value becomes a value of a column:
//
//	                  number               string            true, false        object, array
//	VARCHAR           its text             the string        its text           its text
//	JSON              its text             its text          its text           its text, compact
//	LIST              malformed            malformed         malformed          an array's text, compact
//	STRUCT, MAP       malformed            malformed         malformed          an object's text, compact
//	BOOLEAN           1, 0                 cast of text      the value          malformed
//	integers, DECIMAL, DOUBLE
//	                  exact, by its text   cast of text      malformed          malformed
//	TIMESTAMP, DATE, TIME, INTERVAL
//	                  malformed            cast of text      malformed          malformed
//	BLOB              malformed            base64            malformed          malformed
//
// and null is NULL everywhere. Texts are as they stand in the record, a compact one without the white space between its
// tokens. A name that occurs twice in an object of a compact text is malformed; what a LIST, STRUCT or MAP is of is not
// looked at. DuckDB's read_json differs in this: it takes true
// for 1 and any number but 0 for true, rounds fractions to integers, writes numbers and nested values anew when it makes
// VARCHAR of them (1.50 becomes 1.5), and takes the text of a string for a BLOB's bytes, so that its own base64 would
// not read back.

// readValue reads the value at p, which lies within depth levels, into the columns of node n.
func (dec *decoder) readValue(n *node, p, depth int) (int, jsontext.Flaw) {
	d, end := dec.data, dec.end
	if p >= end {
		return end, jsontext.FlawEnds
	}
	switch d[p] {
	case '"':
		q, flags, f := jsontext.ScanString(d, p+1, end)
		if f != jsontext.Sound {
			return q, f
		}
		for _, i := range n.cols {
			dec.storeString(i, p+1, q, flags&jsontext.Escaped != 0)
		}
		return q + 1, jsontext.Sound
	case 'n':
		q, f := jsontext.ScanWord(d, p, end, "null")
		if f == jsontext.Sound {
			dec.setNull(n)
		}
		return q, f
	case '{', '[', 't', 'f':
		q, f := jsontext.SkipValue(d, p, end, depth)
		if f == jsontext.Sound {
			dec.storeRaw(n, p, q)
		}
		return q, f
	}
	q, f := jsontext.SkipScalar(d, p, end)
	if f == jsontext.Sound {
		for _, i := range n.cols {
			dec.storeNumber(i, p, q)
		}
	}
	return q, f
}

// storeString stores the string whose quotes are before p and at q.
func (dec *decoder) storeString(i, p, q int, escaped bool) {
	v, c := dec.out[i], &dec.cols[i]
	switch c.typ.Kind {
	case vec.JSON:
		v.Spans[dec.row] = vec.Span{Off: uint32(p - 1), Len: uint32(q - p + 2)}
		return
	case vec.List, vec.Struct, vec.Map:
		dec.notA(c, p-1, q+1)
		return
	case vec.Varchar:
		if !escaped {
			v.Spans[dec.row] = vec.Span{Off: uint32(p), Len: uint32(q - p)}
			return
		}
		off := len(dec.data)
		dec.data = jsontext.AppendUnescaped(dec.data, dec.data[p:q])
		v.Spans[dec.row] = vec.Span{Off: uint32(off), Len: uint32(len(dec.data) - off)}
		return
	}
	text := dec.data[p:q]
	if escaped {
		dec.text = jsontext.AppendUnescaped(dec.text[:0], text)
		text = dec.text
	}
	if c.strict && !ownText(c.typ, text) {
		dec.fail(c.field, quoted(text)+" is not "+Article(c.typ))
		return
	}
	switch c.typ.Kind {
	case vec.Blob:
		off := len(dec.data)
		data, err := base64.StdEncoding.AppendDecode(dec.data, text)
		if err != nil {
			dec.fail(c.field, quoted(text)+" is not a BLOB in base64")
			return
		}
		dec.data = data
		v.Spans[dec.row] = vec.Span{Off: uint32(off), Len: uint32(len(data) - off)}
		return
	case vec.Timestamp, vec.TimestampTZ:
		if t, ok := dec.minutes.parse(text); ok {
			v.I64[dec.row] = t
			return
		}
	}
	if reason := expr.CastText(v, dec.row, text); reason != "" {
		dec.fail(c.field, reason)
	}
}

// ownText reports whether a string may be a value of a strict column: not of a number or a BOOLEAN, but for what numbers
// cannot spell.
func ownText(t vec.Type, text []byte) bool {
	switch {
	case t.Kind == vec.Double:
		return string(text) == "NaN" || string(text) == "Infinity" || string(text) == "-Infinity"
	case t.Kind == vec.Bool || t.IsNumeric():
		return false
	}
	return codec.OwnForm(t, text)
}

// storeNumber stores the number from p to q.
func (dec *decoder) storeNumber(i, p, q int) {
	v, c := dec.out[i], &dec.cols[i]
	text := dec.data[p:q]
	switch c.typ.Kind {
	case vec.JSON, vec.Varchar:
		v.Spans[dec.row] = vec.Span{Off: uint32(p), Len: uint32(q - p)}
		return
	case vec.List, vec.Struct, vec.Map:
		dec.notA(c, p, q)
		return
	case vec.Double:
		if x, ok := exact.ShortDouble(text); ok {
			v.F64[dec.row] = x
			return
		}
	case vec.Bool:
		if c.strict {
			dec.notA(c, p, q)
			return
		}
		if len(text) == 1 && text[0] <= '1' {
			v.Bools[dec.row] = text[0] == '1'
			return
		}
	case vec.Timestamp, vec.TimestampTZ:
		dec.fail(c.field, Excerpt(text)+" is a number, not "+Article(c.typ)+
			"; if it counts milliseconds, read it as a BIGINT x and use epoch_ms(x)")
		return
	}
	if reason := expr.CastNumber(v, dec.row, text); reason != "" {
		dec.fail(c.field, reason)
	}
}

// storeRaw stores the object, array, true or false from p to q in the columns of n.
func (dec *decoder) storeRaw(n *node, p, q int) {
	var whole vec.Span // the compact text, once a column has asked for it
	for _, i := range n.cols {
		v, c := dec.out[i], &dec.cols[i]
		switch first := dec.data[p]; {
		case c.typ.IsJSON():
			if opens := opening(c.typ.Kind); opens != 0 && opens != first {
				dec.notA(c, p, q)
				continue
			}
			if whole.Len == 0 {
				whole = dec.compact(c, p, q)
			}
			v.Spans[dec.row] = whole
		case c.typ.Phys() == vec.PhysBytes && c.typ.Kind != vec.Blob:
			v.Spans[dec.row] = vec.Span{Off: uint32(p), Len: uint32(q - p)}
		case c.typ.Kind == vec.Bool && (first == 't' || first == 'f'):
			v.Bools[dec.row] = first == 't'
		default:
			dec.notA(c, p, q)
		}
	}
}

// compact returns the compact text of the value from p to q, which is appended to the chunk when it is not compact as
// it stands.
func (dec *decoder) compact(c *column, p, q int) vec.Span {
	spaced, twice := dec.whole.Look(dec.data, p, q)
	if twice != nil {
		dec.fail(c.field, quoted(twice)+" occurs twice")
	}
	if !spaced {
		return vec.SpanTo(p, q)
	}
	from := len(dec.data)
	dec.data = jsontext.AppendCompact(dec.data, dec.data[p:q])
	return vec.SpanTo(from, len(dec.data))
}

// opening is what a value of a type that has one form only begins with, 0 for other types.
func opening(k vec.Kind) byte {
	switch k {
	case vec.List:
		return '['
	case vec.Struct, vec.Map:
		return '{'
	}
	return 0
}

// notA notes that the value from p to q is of a kind that the column's type does not have.
func (dec *decoder) notA(c *column, p, q int) {
	dec.fail(c.field, Excerpt(dec.data[p:q])+" is "+kindOf(dec.data[p])+", not "+Article(c.typ))
}

func quoted(text []byte) string { return `"` + Excerpt(text) + `"` }

// Article returns a type with its article, as messages have it.
func Article(t vec.Type) string {
	switch t.Kind { // these are not looked into
	case vec.List:
		return "a LIST"
	case vec.Struct:
		return "a STRUCT"
	case vec.Map:
		return "a MAP"
	}
	switch s := t.String(); s[0] {
	case 'I':
		return "an " + s
	default:
		return "a " + s
	}
}
