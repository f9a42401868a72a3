package exact

import "math/bits"

// u128 is an unsigned 128-bit integer, the magnitude of an Int128.
type u128 struct{ hi, lo uint64 }

func (x u128) less(y u128) bool { return x.hi < y.hi || x.hi == y.hi && x.lo < y.lo }

func (x u128) isZero() bool { return x.hi|x.lo == 0 }

// add returns x + y modulo 2^128 and whether it wrapped.
func (x u128) add(y u128) (u128, bool) {
	lo, c := bits.Add64(x.lo, y.lo, 0)
	hi, c := bits.Add64(x.hi, y.hi, c)
	return u128{hi, lo}, c != 0
}

// sub returns x − y modulo 2^128.
func (x u128) sub(y u128) u128 {
	lo, c := bits.Sub64(x.lo, y.lo, 0)
	hi, _ := bits.Sub64(x.hi, y.hi, c)
	return u128{hi, lo}
}

// mul returns x · y modulo 2^128 and whether it wrapped.
func (x u128) mul(y u128) (u128, bool) {
	hi, lo := bits.Mul64(x.lo, y.lo)
	h1, l1 := bits.Mul64(x.hi, y.lo)
	h2, l2 := bits.Mul64(x.lo, y.hi)
	hi, c1 := bits.Add64(hi, l1, 0)
	hi, c2 := bits.Add64(hi, l2, 0)
	over := h1|h2|c1|c2 != 0 || x.hi != 0 && y.hi != 0
	return u128{hi, lo}, over
}

// mulSmallAdd returns x·m + a modulo 2^128 and whether it wrapped.
func (x u128) mulSmallAdd(m, a uint64) (u128, bool) {
	hi, lo := bits.Mul64(x.lo, m)
	over, mid := bits.Mul64(x.hi, m)
	lo, c := bits.Add64(lo, a, 0)
	hi, c = bits.Add64(hi, mid, c)
	return u128{hi, lo}, over|c != 0
}

// quoRemSmall divides by one word; d ≠ 0.
func (x u128) quoRemSmall(d uint64) (u128, uint64) {
	if x.hi == 0 {
		return u128{0, x.lo / d}, x.lo % d
	}
	hi := x.hi / d
	lo, r := bits.Div64(x.hi%d, x.lo, d)
	return u128{hi, lo}, r
}

// quoRem divides by d ≠ 0.
func (x u128) quoRem(d u128) (q, r u128) {
	if d.hi == 0 {
		q, r := x.quoRemSmall(d.lo)
		return q, u128{0, r}
	}
	if x.less(d) {
		return u128{}, x
	}
	// The quotient fits one word. With d shifted so that its top bit is set, the
	// quotient estimated from the top words is at most 1 too large (after the
	// halving of x that keeps Div64 in range).
	s := uint(bits.LeadingZeros64(d.hi))
	top := d.shl(s).hi
	half := u128{x.hi >> 1, x.hi<<63 | x.lo>>1}
	est, _ := bits.Div64(half.hi, half.lo, top)
	est >>= 63 - s
	if est != 0 {
		est-- // now too small by at most 1
	}
	p, _ := d.mul(u128{0, est})
	r = x.sub(p)
	for !r.less(d) {
		est++
		r = r.sub(d)
	}
	return u128{0, est}, r
}

// shl returns x << n for n < 128, dropping the bits that leave.
func (x u128) shl(n uint) u128 {
	if n >= 64 {
		return u128{x.lo << (n - 64), 0}
	}
	return u128{x.hi<<n | x.lo>>(64-n), x.lo << n}
}

// shr returns x >> n for n < 128, and whether a set bit was dropped.
func (x u128) shr(n uint) (u128, bool) {
	switch {
	case n == 0:
		return x, false
	case n >= 64:
		return u128{0, x.hi >> (n - 64)}, x.lo != 0 || n > 64 && x.hi<<(128-n) != 0
	}
	return u128{x.hi >> n, x.hi<<(64-n) | x.lo>>n}, x.lo<<(64-n) != 0
}

// bitLen returns the number of bits of x; 0 for 0.
func (x u128) bitLen() int {
	if x.hi != 0 {
		return 64 + bits.Len64(x.hi)
	}
	return bits.Len64(x.lo)
}

// signed returns x or −x modulo 2^128, and whether that is in range of Int128.
func (x u128) signed(neg bool) (Int128, bool) {
	if !neg {
		return Int128{int64(x.hi), x.lo}, x.hi>>63 == 0
	}
	lo, c := bits.Sub64(0, x.lo, 0)
	hi, _ := bits.Sub64(0, x.hi, c)
	return Int128{int64(hi), lo}, x.hi>>63 == 0 || x == u128{1 << 63, 0}
}
