package op

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"ubik/internal/expr"
	"ubik/internal/vec"
)

// faulty is the error of the row at which the emission batch ends.
func (a *aggregate) faulty() error {
	row := int(a.stumble.row)
	o := &a.out
	order := append(slices.Clone(o.Major), vec.Piece(o.Order, o.OrderEnds, row)...)
	return &RowError{Order: order, What: a.stumble.of + a.where(row), Reason: a.stumble.reason}
}

// where names the window and the key of a row of the emission batch.
func (a *aggregate) where(row int) string {
	b := []byte{}
	word := " of "
	if a.node.Window != nil {
		b = append(b, " of window "...)
		b = expr.AppendText(b, a.batch.Cols[ColWindowStart], row)
		b = append(b, " to "...)
		b = expr.AppendText(b, a.batch.Cols[ColWindowEnd], row)
		word = " and "
	}
	if len(a.node.Keys) > 0 {
		b = append(append(b, word...), "key ("...)
		for i, k := range a.node.Keys {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(append(b, k.Name...), " = "...)
			b = appendValue(b, a.batch.Cols[ColKeys+i], row)
		}
		b = append(b, ')')
	}
	return string(b)
}

const textShown = 64 // bytes of a text in a message, at most

func appendValue(b []byte, v *vec.Vector, row int) []byte {
	if v.IsNull(row) {
		return append(b, "NULL"...)
	}
	if v.Type.Kind != vec.Varchar {
		return expr.AppendText(b, v, row)
	}
	s := v.Bytes(row)
	if n := textShown; len(s) > n {
		for n > textShown-utf8.UTFMax && !utf8.RuneStart(s[n]) {
			n-- // the cut would be within a character
		}
		return append(strconv.AppendQuote(b, string(s[:n])), "…"...)
	}
	return strconv.AppendQuote(b, string(s))
}
