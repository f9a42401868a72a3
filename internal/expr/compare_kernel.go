package expr

import (
	"bytes"
	"cmp"

	"ubik/internal/exact"
	"ubik/internal/vec"
)

// compareNode compares two vectors of one type (or two exact numbers of different types).
type compareNode struct {
	op     compareOp
	a, b   node
	ta, tb vec.Type
	lit    *vec.Vector // b, when it is a literal
	order  func(n *compareNode, i int32) int

	va, vb *vec.Vector // the operands' vectors of the last call
	out    *vec.Vector
	buf    []int32
}

func newCompareNode(op compareOp, ta, tb vec.Type, a, b node) *compareNode {
	n := &compareNode{op: op, a: a, b: b, ta: ta, tb: tb, out: vec.NewVector(boolType)}
	if isLiteral(a) != nil && isLiteral(b) == nil && (op.base == cmpEq || ta.Equal(tb)) {
		// The literal goes to the right: 5 < x is x > 5.
		n.a, n.b, n.ta, n.tb = b, a, tb, ta
		if op.base != cmpEq {
			n.op = compareOp{base: cmpLt + cmpLe - op.base, not: !op.not}
		}
	}
	n.lit = isLiteral(n.b)
	if !ta.Equal(tb) {
		n.order = orderExact
		return n
	}
	switch ta.Phys() {
	case vec.PhysBool:
		n.order = func(n *compareNode, i int32) int { return mark(n.va.Bools[i]) - mark(n.vb.Bools[i]) }
	case vec.PhysI128:
		n.order = func(n *compareNode, i int32) int { return n.va.I128[i].Cmp(n.vb.I128[i]) }
	case vec.PhysBytes:
		n.order = func(n *compareNode, i int32) int { return bytes.Compare(n.va.Bytes(int(i)), n.vb.Bytes(int(i))) }
	case vec.PhysIval:
		n.order = func(n *compareNode, i int32) int { return compareIntervals(n.va.Ivals[i], n.vb.Ivals[i]) }
	}
	return n
}

// orderExact compares exact numbers of two scales. A value that leaves 128 bits on the way to the larger scale is
// greater in magnitude than all values of that scale.
func orderExact(n *compareNode, i int32) int {
	x, y := exactValue(n.va, i), exactValue(n.vb, i)
	sx, sy := int(n.ta.Scale), int(n.tb.Scale)
	if sx < sy {
		w, ok := exact.Rescale(x, sx, sy)
		if !ok {
			return x.Sign()
		}
		return w.Cmp(y)
	}
	w, ok := exact.Rescale(y, sy, sx)
	if !ok {
		return -y.Sign()
	}
	return x.Cmp(w)
}

// exactValue is the integer behind row i of an integer or DECIMAL column.
func exactValue(v *vec.Vector, i int32) exact.Int128 {
	if v.Type.Phys() == vec.PhysI64 {
		return exact.FromInt64(v.I64[i])
	}
	return v.I128[i]
}

func (n *compareNode) operands(r *run, sel []int32) {
	n.va = n.a.eval(r, sel)
	n.vb = n.b.eval(r, sel)
}

func (n *compareNode) eval(r *run, sel []int32) *vec.Vector {
	n.operands(r, sel)
	out := n.out
	out.Resize(r.n)
	if n.ta.Kind == vec.Null {
		out.SetAllNull()
		return out
	}
	out.OrNulls(n.va)
	out.OrNulls(n.vb)
	switch {
	case n.order != nil:
		for _, i := range r.notNullRows(sel, &n.buf, n.va, n.vb) {
			out.Bools[i] = n.op.holds(n.order(n, i))
		}
	case n.ta.Phys() == vec.PhysF64:
		compareInto(n.op, n.va.F64, n.vb.F64, out.Bools, sel)
	default:
		compareInto(n.op, n.va.I64, n.vb.I64, out.Bools, sel)
	}
	return out
}

func (r *run) notNullRows(sel []int32, buf *[]int32, vs ...*vec.Vector) []int32 {
	return r.rows(r.notNull(sel, buf, vs...))
}

func (n *compareNode) filter(r *run, sel, dst []int32) []int32 {
	if n.ta.Kind == vec.Null {
		n.operands(r, sel)
		return dst
	}
	if n.lit != nil && n.order == nil {
		n.va = n.a.eval(r, sel)
		rows := r.notNullRows(sel, &n.buf, n.va)
		if n.ta.Phys() == vec.PhysF64 {
			return selectLiteral(n.op, n.va.F64, n.lit.F64[0], rows, dst)
		}
		return selectLiteral(n.op, n.va.I64, n.lit.I64[0], rows, dst)
	}
	n.operands(r, sel)
	rows := r.notNullRows(sel, &n.buf, n.va, n.vb)
	switch {
	case n.ta.Phys() == vec.PhysBytes && n.op.base == cmpEq && n.order != nil:
		for _, i := range rows {
			if bytes.Equal(n.va.Bytes(int(i)), n.vb.Bytes(int(i))) != n.op.not {
				dst = append(dst, i)
			}
		}
	case n.order != nil:
		for _, i := range rows {
			if n.op.holds(n.order(n, i)) {
				dst = append(dst, i)
			}
		}
	case n.ta.Phys() == vec.PhysF64:
		return selectPairs(n.op, n.va.F64, n.vb.F64, rows, dst)
	default:
		return selectPairs(n.op, n.va.I64, n.vb.I64, rows, dst)
	}
	return dst
}

// word is a number that is compared in one instruction. The terms for NaN are constant for integers.
type word interface{ int64 | float64 }

func equalWord[T word](x, y T) bool { return x == y || x != x && y != y }
func lessWord[T word](x, y T) bool  { return x < y || y != y && x == x }
func notAbove[T word](x, y T) bool  { return x <= y || y != y }

func compareInto[T word](op compareOp, x, y []T, out []bool, sel []int32) {
	if sel != nil {
		switch op.base {
		case cmpEq:
			for _, i := range sel {
				out[i] = equalWord(x[i], y[i]) != op.not
			}
		case cmpLt:
			for _, i := range sel {
				out[i] = lessWord(x[i], y[i]) != op.not
			}
		default:
			for _, i := range sel {
				out[i] = notAbove(x[i], y[i]) != op.not
			}
		}
		return
	}
	x, y = x[:len(out)], y[:len(out)]
	switch op.base {
	case cmpEq:
		for i := range out {
			out[i] = equalWord(x[i], y[i]) != op.not
		}
	case cmpLt:
		for i := range out {
			out[i] = lessWord(x[i], y[i]) != op.not
		}
	default:
		for i := range out {
			out[i] = notAbove(x[i], y[i]) != op.not
		}
	}
}

// The loops below write every row number and advance past those that hold, so that they have no branch to mispredict.

func selectPairs[T word](op compareOp, x, y []T, rows, dst []int32) []int32 {
	buf, k := room(dst, len(rows))
	switch op.base {
	case cmpEq:
		for _, i := range rows {
			buf[k] = i
			k += mark(equalWord(x[i], y[i]) != op.not)
		}
	case cmpLt:
		for _, i := range rows {
			buf[k] = i
			k += mark(lessWord(x[i], y[i]) != op.not)
		}
	default:
		for _, i := range rows {
			buf[k] = i
			k += mark(notAbove(x[i], y[i]) != op.not)
		}
	}
	return buf[:k]
}

func selectLiteral[T word](op compareOp, x []T, c T, rows, dst []int32) []int32 {
	buf, k := room(dst, len(rows))
	switch op.base {
	case cmpEq:
		for _, i := range rows {
			buf[k] = i
			k += mark(equalWord(x[i], c) != op.not)
		}
	case cmpLt:
		for _, i := range rows {
			buf[k] = i
			k += mark(lessWord(x[i], c) != op.not)
		}
	default:
		for _, i := range rows {
			buf[k] = i
			k += mark(notAbove(x[i], c) != op.not)
		}
	}
	return buf[:k]
}

// compareIntervals orders intervals as DuckDB does: a month counts 30 days, a day 24 hours.
func compareIntervals(a, b vec.IntervalValue) int {
	am, ad, au := normalInterval(a)
	bm, bd, bu := normalInterval(b)
	if c := cmp.Compare(am, bm); c != 0 {
		return c
	}
	if c := cmp.Compare(ad, bd); c != 0 {
		return c
	}
	return cmp.Compare(au, bu)
}

// normalInterval carries µs into days and days into months of 30, so that equal lengths are equal. Carrying is
// toward −∞, which makes the parts comparable one after the other.
func normalInterval(v vec.IntervalValue) (months, days, micros int64) {
	d, us := floorDiv(v.Micros, microsPerDay)
	m, d := floorDiv(int64(v.Days)+d, 30)
	return int64(v.Months) + m, d, us
}
