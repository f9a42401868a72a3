package exact

import (
	"math"
	"math/bits"
	"slices"
)

// FloatSums is a column of exact sums of float64, one per group, groups being
// numbered from 0. The zero value is an empty column. It is not safe for
// concurrent use.
//
// A sum is an integer count of 2^-1074, the smallest float64, kept in two's
// complement in 64-bit limbs: limb i weighs 2^(64i−1074). Limbs are at fixed
// places, so a sum has one representation, but for zeros below and copies of the
// sign above; the saved form leaves those out. Only a window of the limbs is
// stored. Nearly every group lives in a cell, a window of 3 limbs (192 bits);
// values further apart move it to a wide window of 8, then to all 34.
//
//	cell   | head | limb b | limb b+1 | limb b+2 |                     32 bytes
//	head   bits  0..7   code: 15 xor b for a cell, codeMid, codeFull
//	       bits  8..10  NaN, +Inf, −Inf have been added
//	       bits 16..23  b of a wide window
//	       bits 32..63  slot of a wide window in mid or full
//
// Invariant: the top limb of a window holds the sign. A sum of fewer than 2^63
// values, even of the largest, fits 34 limbs.
type FloatSums struct {
	cells    []cell
	mid      [][midLimbs]uint64
	full     [][fullLimbs]uint64
	freeMid  []uint32 // slots of mid and full that no group uses
	freeFull []uint32
}

type cell [1 + cellLimbs]uint64

const (
	cellLimbs = 3
	midLimbs  = 8
	fullLimbs = 34

	// usualBase is where a cell's window starts unless values say otherwise: it
	// holds 2^-62 to 2^65 with all their bits, and sums to 2^77. It is written
	// as code 0, so that a cell of zeros is an empty sum.
	usualBase = 15

	// Of more groups than cellsCached the cells are not all in the cache, and
	// AddRows fetches those of rowsAhead rows at once.
	cellsCached = 4096
	rowsAhead   = 128

	codeMask = 0xff
	codeMid  = 0x80
	codeFull = 0xc0

	flagNaN  = 1 << 8
	flagPos  = 1 << 9
	flagNeg  = 1 << 10
	flagMask = flagNaN | flagPos | flagNeg
)

// Len returns the number of groups.
func (f *FloatSums) Len() int { return len(f.cells) }

// Grow makes the column hold n groups; the new ones are empty. It never shrinks.
func (f *FloatSums) Grow(n int) {
	old := len(f.cells)
	if n <= old {
		return
	}
	f.cells = slices.Grow(f.cells, n-old)[:n]
	clear(f.cells[old:])
}

// Reset removes all groups and keeps the memory for others.
func (f *FloatSums) Reset() {
	f.cells = f.cells[:0]
	f.mid = f.mid[:0]
	f.full = f.full[:0]
	f.freeMid = f.freeMid[:0]
	f.freeFull = f.freeFull[:0]
}

// Bytes returns the memory of the slabs, in bytes, used or kept for reuse.
func (f *FloatSums) Bytes() int {
	return cap(f.cells)*(1+cellLimbs)*8 +
		cap(f.mid)*midLimbs*8 + cap(f.full)*fullLimbs*8 +
		(cap(f.freeMid)+cap(f.freeFull))*4
}

// Add adds x to group g. NaN and infinities are remembered apart from the
// finite sum; −0.0 adds nothing.
func (f *FloatSums) Add(g uint32, x float64) {
	if !f.cells[g].add(x) {
		f.addSlow(g, x)
	}
}

// AddRows adds xs[i] to group groups[i], for every i. The slices have the same
// length and are only read.
func (f *FloatSums) AddRows(groups []uint32, xs []float64) {
	xs = xs[:len(groups)]
	if len(f.cells) > cellsCached {
		for len(groups) > rowsAhead {
			touch(f.cells, groups[:rowsAhead])
			f.addRows(groups[:rowsAhead], xs[:rowsAhead])
			groups, xs = groups[rowsAhead:], xs[rowsAhead:]
		}
	}
	f.addRows(groups, xs)
}

func (f *FloatSums) addRows(groups []uint32, xs []float64) {
	cells := f.cells
	for i, g := range groups {
		if !cells[g].add(xs[i]) {
			f.addSlow(g, xs[i])
		}
	}
}

// touch brings the cells of groups into the cache: loads that depend on nothing
// are served side by side, those between the arithmetic of add hardly so. It is
// not inlined lest the loads be dropped with their result.
//
//go:noinline
func touch(cells []cell, groups []uint32) (heads uint64) {
	for _, g := range groups {
		heads |= cells[g][0]
	}
	return heads
}

// add adds a normal number that lies within the window, without branches on its
// size or sign: real columns mix both. It returns false, and leaves the cell as
// it was, for every other number and when the window is too narrow for the sum.
func (c *cell) add(x float64) bool {
	b := math.Float64bits(x)
	at := uint(b>>52&0x7ff) - 1 // x = ±m · 2^(at−1074)
	k := at>>6 - uint(c[0]&codeMask^usualBase)
	if at >= 0x7fe || k > 1 {
		return false
	}
	// m shifted into two limbs, then negated where x is negative.
	m := b&(1<<52-1) | 1<<52
	sign := uint64(int64(b) >> 63)
	lo := m << (at & 63)
	hi := m >> 1 >> (^at & 63)
	lo, carry := bits.Add64(lo^sign, sign&1, 0)
	hi = hi ^ sign + carry
	// Placed at limb 0 or 1 of the window.
	up := -uint64(k)
	a0 := lo &^ up
	a1 := hi ^ (hi^lo)&up
	a2 := sign ^ (sign^hi)&up
	s0, carry := bits.Add64(c[1], a0, 0)
	s1, carry := bits.Add64(c[2], a1, carry)
	s2, _ := bits.Add64(c[3], a2, carry)
	if int64((c[3]^s2)&(a2^s2)) < 0 {
		return false
	}
	c[1], c[2], c[3] = s0, s1, s2
	return true
}

// Merge adds the sum of group h of from to group g. The columns may be the same.
func (f *FloatSums) Merge(g uint32, from *FloatSums, h uint32) {
	c, d := &f.cells[g], &from.cells[h]
	c[0] |= d[0] & flagMask
	code := d[0] & codeMask
	if code < codeMid {
		if d[1]|d[2]|d[3] == 0 {
			return
		}
		if c[0]&codeMask == code && c.addLimbs(d) {
			return
		}
	}
	var a, b limbs
	f.load(g, &a)
	from.load(h, &b)
	a.add(&b)
	f.store(g, &a)
}

// addLimbs adds the limbs of d, a cell with the same window. It returns false,
// and leaves c as it was, when the window is too narrow.
func (c *cell) addLimbs(d *cell) bool {
	s0, carry := bits.Add64(c[1], d[1], 0)
	s1, carry := bits.Add64(c[2], d[2], carry)
	s2, _ := bits.Add64(c[3], d[3], carry)
	if int64((c[3]^s2)&(d[3]^s2)) < 0 {
		return false
	}
	c[1], c[2], c[3] = s0, s1, s2
	return true
}
