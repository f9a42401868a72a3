package expr

import (
	"slices"

	"ubik/internal/vec"
)

// notNull narrows sel to the rows that are NULL in none of the vectors, using buf. A vector without NULLs costs
// nothing; when none has any, sel is returned as it is, nil included.
func (r *run) notNull(sel []int32, buf *[]int32, vs ...*vec.Vector) []int32 {
	for _, v := range vs {
		if !v.HasNulls() {
			continue
		}
		out := slices.Grow((*buf)[:0], r.n)
		for _, i := range r.rows(sel) {
			if !v.IsNull(int(i)) {
				out = append(out, i)
			}
		}
		*buf, sel = out, out
	}
	return sel
}

// room returns dst with space for n more, as a slice of its full new length, and the old length.
func room(dst []int32, n int) ([]int32, int) {
	dst = slices.Grow(dst, n)
	return dst[:len(dst)+n], len(dst)
}

// without appends to dst the rows that are not in minus, which is part of rows, in order.
func without(rows, minus, dst []int32) []int32 {
	m := 0
	for _, i := range rows {
		if m < len(minus) && minus[m] == i {
			m++
			continue
		}
		dst = append(dst, i)
	}
	return dst
}

// mark returns 1 for true.
func mark(b bool) int {
	var n int
	if b {
		n = 1
	}
	return n
}

// isLiteral returns the literal that a node is, or nil; a NULL is not one.
func isLiteral(n node) *vec.Vector {
	if l, ok := n.(*literalNode); ok && !l.one.IsNull(0) {
		return l.one
	}
	return nil
}
