package jsonrec

import (
	"encoding/base64"

	"ubik/internal/expr"
	"ubik/internal/vec"
)

// How a JSON value becomes a value of a column:
//
//	                  number               string            true, false        object, array
//	VARCHAR           its text             the string        its text           its text
//	JSON              its text             its text          its text           its text
//	BOOLEAN           1, 0                 cast of text      the value          malformed
//	integers, DECIMAL, DOUBLE
//	                  exact, by its text   cast of text      malformed          malformed
//	TIMESTAMP, DATE, TIME, INTERVAL
//	                  malformed            cast of text      malformed          malformed
//	BLOB              malformed            base64            malformed          malformed
//
// and null is NULL everywhere. Texts are as they stand in the record. DuckDB's read_json differs in this: it takes true
// for 1 and any number but 0 for true, rounds fractions to integers, writes numbers and nested values anew when it makes
// VARCHAR of them (1.50 becomes 1.5), and takes the text of a string for a BLOB's bytes, so that its own base64 would
// not read back.

// readValue reads the value at p, which lies within depth levels, into the columns of node n.
func (dec *decoder) readValue(n *node, p, depth int) (int, flaw) {
	d, end := dec.data, dec.end
	if p >= end {
		return end, flawEnds
	}
	switch d[p] {
	case '"':
		q, flags, f := scanString(d, p+1, end)
		if f != sound {
			return q, f
		}
		for _, i := range n.cols {
			dec.storeString(i, p+1, q, flags&textEscaped != 0)
		}
		return q + 1, sound
	case 'n':
		q, f := scanWord(d, p, end, "null")
		if f == sound {
			dec.setNull(n)
		}
		return q, f
	case '{', '[', 't', 'f':
		q, f := skipValue(d, p, end, depth)
		if f == sound {
			dec.storeRaw(n, p, q)
		}
		return q, f
	}
	q, f := skipScalar(d, p, end)
	if f == sound {
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
	case vec.Varchar:
		if !escaped {
			v.Spans[dec.row] = vec.Span{Off: uint32(p), Len: uint32(q - p)}
			return
		}
		off := len(dec.data)
		dec.data = appendUnescaped(dec.data, dec.data[p:q])
		v.Spans[dec.row] = vec.Span{Off: uint32(off), Len: uint32(len(dec.data) - off)}
		return
	}
	text := dec.data[p:q]
	if escaped {
		dec.text = appendUnescaped(dec.text[:0], text)
		text = dec.text
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

// storeNumber stores the number from p to q.
func (dec *decoder) storeNumber(i, p, q int) {
	v, c := dec.out[i], &dec.cols[i]
	text := dec.data[p:q]
	switch c.typ.Kind {
	case vec.JSON, vec.Varchar:
		v.Spans[dec.row] = vec.Span{Off: uint32(p), Len: uint32(q - p)}
		return
	case vec.Double:
		if x, ok := shortDouble(text); ok {
			v.F64[dec.row] = x
			return
		}
	case vec.Bool:
		if len(text) == 1 && text[0] <= '1' {
			v.Bools[dec.row] = text[0] == '1'
			return
		}
	case vec.Timestamp, vec.TimestampTZ:
		dec.fail(c.field, excerpt(text)+" is a number, not "+article(c.typ)+
			"; if it counts milliseconds, read it as a BIGINT x and use epoch_ms(x)")
		return
	}
	if reason := expr.CastNumber(v, dec.row, text); reason != "" {
		dec.fail(c.field, reason)
	}
}

// storeRaw stores the object, array, true or false from p to q in the columns of n.
func (dec *decoder) storeRaw(n *node, p, q int) {
	for _, i := range n.cols {
		v, c := dec.out[i], &dec.cols[i]
		switch first := dec.data[p]; {
		case c.typ.Phys() == vec.PhysBytes && c.typ.Kind != vec.Blob:
			v.Spans[dec.row] = vec.Span{Off: uint32(p), Len: uint32(q - p)}
		case c.typ.Kind == vec.Bool && (first == 't' || first == 'f'):
			v.Bools[dec.row] = first == 't'
		default:
			dec.fail(c.field, excerpt(dec.data[p:q])+" is "+kindOf(first)+", not "+article(c.typ))
		}
	}
}

// shortDouble reads a number of up to 15 digits without an exponent: the quotient of two exact numbers, rounded once.
func shortDouble(text []byte) (float64, bool) {
	neg := text[0] == '-'
	if neg {
		text = text[1:]
	}
	point := len(text)
	var m int64
	for i, c := range text {
		switch {
		case c-'0' <= 9:
			m = m*10 + int64(c-'0')
		case c == '.':
			point = i + 1
		default:
			return 0, false
		}
		if i > 14 {
			return 0, false
		}
	}
	x := float64(m) / float64(pow10[len(text)-point])
	if neg {
		x = -x
	}
	return x, true
}

func quoted(text []byte) string { return `"` + excerpt(text) + `"` }

// article returns the type with its article.
func article(t vec.Type) string {
	switch s := t.String(); s[0] {
	case 'I':
		return "an " + s
	default:
		return "a " + s
	}
}
