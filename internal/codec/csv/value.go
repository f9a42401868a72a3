package csvrec

import (
	"bytes"
	"encoding/base64"

	"ubik/internal/codec"
	jsonrec "ubik/internal/codec/json"
	"ubik/internal/exact"
	"ubik/internal/expr"
	"ubik/internal/vec"
)

// How a field becomes a value of a column:
//
//	                 not quoted: the text for NULL   empty   other text
//	VARCHAR          NULL                            ''      the text
//	BLOB             NULL                            ''      base64
//	JSON             NULL                            NULL    a JSON value, as it stands
//	all other types  NULL                            NULL    cast of text
//
// The text for NULL is mostly the empty one; a quoted field is never it.

// store stores the field between from and to, the quotes included, and returns what is wrong with it.
func (dec *decoder) store(c *column, row, from, to int) (reason string) {
	v := dec.out[c.out]
	escape := -1 // the offset of the first one in the text
	if dec.quotes && from < to && dec.data[from] == dec.quote {
		from++
		to--
		escape = bytes.IndexByte(dec.data[from:to], dec.escape)
	} else if to-from == len(dec.null) && string(dec.data[from:to]) == dec.null {
		v.SetNull(row)
		return ""
	}
	if c.typ.Kind == vec.Varchar {
		if escape >= 0 {
			at := len(dec.data)
			dec.data = dec.appendUnescaped(dec.data, dec.data[from:to], escape)
			from, to = at, len(dec.data)
		}
		v.Spans[row] = vec.SpanTo(from, to)
		return ""
	}
	text := dec.data[from:to]
	if len(text) == 0 && !keepsEmpty(c.typ.Kind) {
		v.SetNull(row)
		return ""
	}
	if escape >= 0 {
		dec.text = dec.appendUnescaped(dec.text[:0], text, escape)
		text = dec.text
	}
	if c.strict && !codec.OwnForm(c.typ, text) {
		return quoted(text) + " is not " + jsonrec.Article(c.typ)
	}
	switch c.typ.Kind {
	case vec.Int8, vec.Int16, vec.Int32, vec.Int64:
		if x, ok := shortInt(text); ok && x >= c.lo && x <= c.hi {
			v.I64[row] = x
			return ""
		}
	case vec.Double:
		if x, ok := exact.ShortDouble(text); ok {
			v.F64[row] = x
			return ""
		}
	case vec.JSON, vec.Struct, vec.List, vec.Map:
		if reason := jsonrec.CheckText(c.typ, text); reason != "" {
			return reason
		}
		if escape >= 0 {
			from = len(dec.data)
			dec.data = append(dec.data, text...)
			to = len(dec.data)
		}
		v.Spans[row] = vec.SpanTo(from, to)
		return ""
	case vec.Blob:
		from = len(dec.data)
		data, err := base64.StdEncoding.AppendDecode(dec.data, text)
		if err != nil {
			return quoted(text) + " is not a BLOB in base64"
		}
		dec.data = data
		v.Spans[row] = vec.SpanTo(from, len(data))
		return ""
	}
	return expr.CastText(v, row, text)
}

func quoted(text []byte) string { return `"` + jsonrec.Excerpt(text) + `"` }

// shortInt reads up to 18 digits with a minus sign or none.
func shortInt(text []byte) (int64, bool) {
	neg := len(text) > 0 && text[0] == '-'
	if neg {
		text = text[1:]
	}
	if len(text) == 0 || len(text) > 18 {
		return 0, false
	}
	var x int64
	for _, c := range text {
		if c -= '0'; c > 9 {
			return 0, false
		}
		x = x*10 + int64(c)
	}
	if neg {
		x = -x
	}
	return x, true
}
