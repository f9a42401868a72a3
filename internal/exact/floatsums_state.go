package exact

import (
	"errors"
	"math/bits"
)

// The saved form of a sum, frozen: what was added decides its bytes, not the
// order, nor where the sum was kept.
//
//	3 bytes   little-endian: bit 0 NaN, 1 +Inf, 2 −Inf have been added;
//	          bits 3..11 length n of the sum in bytes, 0..271;
//	          bits 12..20 its place p; bits 21..23 are 0
//	n bytes   the sum of the finite values in two's complement, little-endian,
//	          times 2^(8p−1074)
//
// The first byte is not 0 and the last is not a mere copy of the sign; the sum 0
// has n = p = 0. Sums of money take some 10 bytes.
const (
	stateHead    = 3
	statePlace   = 12
	stateFieldOf = 0x1ff

	// stateBytesMax is where bytes must end. The sum of 2^63 values needs no
	// more, and a few such may still be merged without reaching the last limb's end.
	stateBytesMax = fullLimbs*8 - 1
)

// What LoadState finds wrong with bytes.
var (
	ErrStateShort        = errors.New("exact: the state of a float sum is cut short")
	ErrStateInvalid      = errors.New("exact: the state of a float sum is out of range")
	ErrStateNotCanonical = errors.New("exact: the state of a float sum is not in canonical form")
)

// AppendState appends the saved form of group g: a function of the multiset of
// the values added to it, whatever the order and grouping of Add and Merge.
func (f *FloatSums) AppendState(dst []byte, g uint32) []byte {
	flags := uint(f.cells[g][0] & flagMask / flagNaN)
	base, w := f.window(g)
	for len(w) > 0 && w[0] == 0 {
		w = w[1:]
		base++
	}
	if len(w) == 0 {
		return append(dst, byte(flags), 0, 0)
	}
	top := len(w) - 1
	sign := uint64(int64(w[top]) >> 63)
	for top > 0 && w[top] == sign && int64(w[top-1]^sign) >= 0 {
		top--
	}
	from := bits.TrailingZeros64(w[0]) / 8
	to := top*8 + bits.Len64(w[top]^sign)/8 + 1 // one bit more, for the sign
	head := flags | uint(to-from)<<3 | uint(base*8+from)<<statePlace
	dst = append(dst, byte(head), byte(head>>8), byte(head>>16))
	for i := from; i < to; i++ {
		dst = append(dst, byte(w[i>>3]>>(8*(i&7))))
	}
	return dst
}

// LoadState replaces group g by the sum saved at the head of src and returns the
// bytes after it. On an error group g is as it was. It accepts exactly the bytes
// that AppendState writes.
func (f *FloatSums) LoadState(g uint32, src []byte) (rest []byte, err error) {
	if len(src) < stateHead {
		return nil, ErrStateShort
	}
	head := uint(src[0]) | uint(src[1])<<8 | uint(src[2])<<16
	n := int(head >> 3 & stateFieldOf)
	place := int(head >> statePlace & stateFieldOf)
	src = src[stateHead:]
	switch {
	case head>>21 != 0 || place+n > stateBytesMax:
		return nil, ErrStateInvalid
	case len(src) < n:
		return nil, ErrStateShort
	case n == 0 && place != 0:
		return nil, ErrStateNotCanonical
	}
	b := src[:n]
	if !canonicalBytes(b) {
		return nil, ErrStateNotCanonical
	}
	f.release(g)
	f.cells[g][0] = uint64(head&7) * flagNaN
	if n > 0 {
		var a limbs
		a.setBytes(b, place)
		f.store(g, &a)
	}
	return src[n:], nil
}

// canonicalBytes reports whether no shorter bytes give the same sum.
func canonicalBytes(b []byte) bool {
	n := len(b)
	if n == 0 {
		return true
	}
	if b[0] == 0 {
		return false
	}
	if n == 1 {
		return true
	}
	last, signBefore := b[n-1], b[n-2]>>7
	return !(last == 0 && signBefore == 0 || last == 0xff && signBefore == 1)
}

// setBytes sets a, which is zero, to b at the given byte place, extended by its sign.
func (a *limbs) setBytes(b []byte, place int) {
	for i, c := range b {
		at := place + i
		a[at>>3] |= uint64(c) << (8 * (at & 7))
	}
	if b[len(b)-1]>>7 == 0 {
		return
	}
	end := place + len(b)
	a[end>>3] |= ^uint64(0) << (8 * (end & 7))
	for i := end>>3 + 1; i < fullLimbs; i++ {
		a[i] = ^uint64(0)
	}
}
