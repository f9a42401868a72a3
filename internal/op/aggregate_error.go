package op

import (
	"errors"
	"strconv"

	"ubik/internal/agg"
	"ubik/internal/expr"
	"ubik/internal/vec"
)

// tooLarge is the error of a result that does not fit its type.
func (a *aggregate) tooLarge(call *AggCall, err error) error {
	var o *agg.Overflow
	if !errors.As(err, &o) {
		panic("op: an aggregate failed with " + err.Error())
	}
	return errors.New(call.Name + a.where(o.Row) + " does not fit " + o.Type.String())
}

// faulty is the error of an expression over the emission batch.
func (a *aggregate) faulty(e expr.Expr) error {
	f := a.errs.Faults[0]
	return errors.New(e.String() + a.where(int(f.Row)) + ": " + f.Msg)
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

const textShown = 64 // bytes of a text in a message

func appendValue(b []byte, v *vec.Vector, row int) []byte {
	if v.IsNull(row) {
		return append(b, "NULL"...)
	}
	if v.Type.Kind != vec.Varchar {
		return expr.AppendText(b, v, row)
	}
	s := v.Bytes(row)
	if len(s) > textShown {
		return append(strconv.AppendQuote(b, string(s[:textShown])), "…"...)
	}
	return strconv.AppendQuote(b, string(s))
}
