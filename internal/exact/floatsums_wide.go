package exact

import (
	"math"
	"math/bits"
)

// limbs is a sum with all its limbs, the form for slow paths.
type limbs [fullLimbs]uint64

// add adds b; a sum of fewer than 2^63 float64 does not overflow.
func (a *limbs) add(b *limbs) {
	var carry uint64
	for i := range a {
		a[i], carry = bits.Add64(a[i], b[i], carry)
	}
}

// span returns the range lo..hi of limbs that hold the value: below lo are
// zeros, from hi on are copies of the sign of limb hi−1. For 0, lo = hi = 0.
func (a *limbs) span() (lo, hi int) {
	for lo < fullLimbs && a[lo] == 0 {
		lo++
	}
	if lo == fullLimbs {
		return 0, 0
	}
	sign := uint64(int64(a[fullLimbs-1]) >> 63)
	hi = fullLimbs
	for hi > lo+1 && a[hi-1] == sign && int64(a[hi-2]^sign) >= 0 {
		hi--
	}
	return lo, hi
}

// addSlow adds what cell.add does not.
func (f *FloatSums) addSlow(g uint32, x float64) {
	b := math.Float64bits(x)
	m := b & (1<<52 - 1)
	at := uint(b >> 52 & 0x7ff)
	switch {
	case at == 0x7ff:
		flag := uint64(flagPos)
		if m != 0 {
			flag = flagNaN
		} else if x < 0 {
			flag = flagNeg
		}
		f.cells[g][0] |= flag
		return
	case at != 0:
		m |= 1 << 52
		at--
	case m == 0:
		return
	}
	sign := uint64(int64(b) >> 63)
	lo := m << (at & 63)
	hi := m >> 1 >> (^at & 63)
	lo, carry := bits.Add64(lo^sign, sign&1, 0)
	hi = hi ^ sign + carry
	i := int(at >> 6)
	base, window := f.wide(g)
	if window != nil && i >= base && addWindow(window, i-base, lo, hi, sign) {
		return
	}
	var sum, v limbs
	f.load(g, &sum)
	v[i], v[i+1] = lo, hi
	for j := i + 2; j < fullLimbs; j++ {
		v[j] = sign
	}
	sum.add(&v)
	f.store(g, &sum)
}

// addWindow adds lo and hi, extended by sign, at limb k of w. It returns false,
// and leaves w as it was, when they or the sum do not fit.
func addWindow(w []uint64, k int, lo, hi, sign uint64) bool {
	top := len(w) - 1
	// hi has at most 53 bits, so a top limb of 62 is far from overflow.
	if k+1 > top || w[top]+1<<62 >= 1<<63 {
		return false
	}
	var carry uint64
	w[k], carry = bits.Add64(w[k], lo, 0)
	w[k+1], carry = bits.Add64(w[k+1], hi, carry)
	for j := k + 2; j <= top; j++ {
		if carry == sign&1 {
			break // sign + carry is 0: nothing changes from here on
		}
		w[j], carry = bits.Add64(w[j], sign, carry)
	}
	return true
}

// wide returns the window of a group that is not in its cell, or nil.
func (f *FloatSums) wide(g uint32) (base int, window []uint64) {
	head := f.cells[g][0]
	slot := head >> 32
	switch head & codeMask {
	case codeMid:
		return int(head >> 16 & 0xff), f.mid[slot][:]
	case codeFull:
		return 0, f.full[slot][:]
	}
	return 0, nil
}

// window returns where the limbs of a group are.
func (f *FloatSums) window(g uint32) (base int, window []uint64) {
	if base, window = f.wide(g); window == nil {
		c := &f.cells[g]
		base, window = int(c[0]&codeMask^usualBase), c[1:]
	}
	return base, window
}

// load sets a to the sum of group g.
func (f *FloatSums) load(g uint32, a *limbs) {
	base, window := f.window(g)
	n := base + copy(a[base:], window)
	clear(a[:base])
	sign := uint64(int64(a[n-1]) >> 63)
	for i := n; i < fullLimbs; i++ {
		a[i] = sign
	}
}

// store sets the sum of group g to a, in its present kind of window or, where
// that is too narrow, the next that is not. A group does not go back to a
// narrower kind: it has shown that it needs the wider.
func (f *FloatSums) store(g uint32, a *limbs) {
	lo, hi := a.span()
	c := &f.cells[g]
	kind := c[0] & codeMask
	switch {
	case hi-lo <= cellLimbs && kind < codeMid:
		base := usualBase
		if lo < base || hi > base+cellLimbs {
			base = min(lo, fullLimbs-cellLimbs)
		}
		if lo == hi {
			base = usualBase
		}
		c[0] = c[0]&flagMask | uint64(base^usualBase)
		copy(c[1:], a[base:])
	case hi-lo <= midLimbs && kind != codeFull:
		slot := c[0] >> 32
		if kind != codeMid {
			slot = takeSlot(&f.freeMid, &f.mid)
		}
		// Room on both sides, and above for carries.
		base := max(0, min(lo-(midLimbs-(hi-lo))/2, fullLimbs-midLimbs))
		c[0] = c[0]&flagMask | codeMid | uint64(base)<<16 | slot<<32
		copy(f.mid[slot][:], a[base:])
	default:
		slot := c[0] >> 32
		if kind != codeFull {
			f.release(g)
			slot = takeSlot(&f.freeFull, &f.full)
		}
		c[0] = c[0]&flagMask | codeFull | slot<<32
		f.full[slot] = *a
	}
}

// release makes group g empty and gives its wide window back.
func (f *FloatSums) release(g uint32) {
	c := &f.cells[g]
	slot := uint32(c[0] >> 32)
	switch c[0] & codeMask {
	case codeMid:
		f.freeMid = append(f.freeMid, slot)
	case codeFull:
		f.freeFull = append(f.freeFull, slot)
	}
	*c = cell{c[0] & flagMask}
}

// takeSlot returns a free slot of slab; its content is left over.
func takeSlot[T any](free *[]uint32, slab *[]T) uint64 {
	if n := len(*free); n > 0 {
		slot := (*free)[n-1]
		*free = (*free)[:n-1]
		return uint64(slot)
	}
	var empty T
	*slab = append(*slab, empty)
	return uint64(len(*slab) - 1)
}
