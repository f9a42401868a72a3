package exact

import (
	"math/bits"
)

// Int128 is a signed 128-bit integer in two's complement: Hi·2^64 + Lo.
// The zero value is 0, and == compares by value.
type Int128 struct {
	Hi int64
	Lo uint64
}

// The ends of the range of Int128.
var (
	MinInt128 = Int128{Hi: -1 << 63}
	MaxInt128 = Int128{Hi: 1<<63 - 1, Lo: 1<<64 - 1}
)

// FromInt64 returns v.
func FromInt64(v int64) Int128 { return Int128{Hi: v >> 63, Lo: uint64(v)} }

// Add returns a + b, and false when the sum is out of range; the returned number
// is then the sum modulo 2^128.
func (a Int128) Add(b Int128) (Int128, bool) {
	lo, c := bits.Add64(a.Lo, b.Lo, 0)
	hi := a.Hi + b.Hi + int64(c)
	return Int128{hi, lo}, (a.Hi^hi)&(b.Hi^hi) >= 0
}

// Sub returns a − b, and false when the difference is out of range; the returned
// number is then the difference modulo 2^128.
func (a Int128) Sub(b Int128) (Int128, bool) {
	lo, c := bits.Sub64(a.Lo, b.Lo, 0)
	hi := a.Hi - b.Hi - int64(c)
	return Int128{hi, lo}, (a.Hi^b.Hi)&(a.Hi^hi) >= 0
}

// WrapAdd returns a + b modulo 2^128. It is for accumulators whose inputs are
// bounded so that their sum cannot leave the range (2^63 values of 64 bits do).
func (a Int128) WrapAdd(b Int128) Int128 {
	lo, c := bits.Add64(a.Lo, b.Lo, 0)
	return Int128{a.Hi + b.Hi + int64(c), lo}
}

// AddInt64 adds v to *a modulo 2^128. See WrapAdd.
func (a *Int128) AddInt64(v int64) {
	lo, c := bits.Add64(a.Lo, uint64(v), 0)
	a.Lo = lo
	a.Hi += v>>63 + int64(c)
}

// MulInt64 returns the product of two 64-bit integers, which always fits.
func MulInt64(a, b int64) Int128 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	// bits.Mul64 read a negative factor as itself + 2^64.
	return Int128{int64(hi) - a>>63&b - b>>63&a, lo}
}

// Mul returns a · b, and false when the product is out of range; the returned
// number is then the product modulo 2^128.
func (a Int128) Mul(b Int128) (Int128, bool) {
	if a.IsInt64() && b.IsInt64() {
		return MulInt64(int64(a.Lo), int64(b.Lo)), true
	}
	neg := a.Hi^b.Hi < 0
	x, y := a.magnitude(), b.magnitude()
	p, over := x.mul(y)
	r, ok := p.signed(neg)
	return r, ok && !over
}

// Neg returns −a, and false for MinInt128, whose negation does not fit.
func (a Int128) Neg() (Int128, bool) {
	lo, c := bits.Sub64(0, a.Lo, 0)
	r := Int128{-a.Hi - int64(c), lo}
	return r, a != MinInt128
}

// Abs returns |a|, and false for MinInt128, whose magnitude does not fit.
func (a Int128) Abs() (Int128, bool) {
	if a.Hi < 0 {
		return a.Neg()
	}
	return a, true
}

// Cmp returns −1, 0 or 1 as a is less than, equal to or greater than b.
func (a Int128) Cmp(b Int128) int {
	switch {
	case a == b:
		return 0
	case a.Hi < b.Hi || a.Hi == b.Hi && a.Lo < b.Lo:
		return -1
	}
	return 1
}

// Less reports whether a < b.
func (a Int128) Less(b Int128) bool {
	return a.Hi < b.Hi || a.Hi == b.Hi && a.Lo < b.Lo
}

// Sign returns −1, 0 or 1 as a is negative, zero or positive.
func (a Int128) Sign() int {
	if a.Hi < 0 {
		return -1
	}
	if a.Hi == 0 && a.Lo == 0 {
		return 0
	}
	return 1
}

// IsZero reports whether a is 0.
func (a Int128) IsZero() bool { return uint64(a.Hi)|a.Lo == 0 }

// IsInt64 reports whether a fits an int64.
func (a Int128) IsInt64() bool { return a.Hi == int64(a.Lo)>>63 }

// Int64 returns the low 64 bits of a, which are a itself when IsInt64 holds.
func (a Int128) Int64() int64 { return int64(a.Lo) }

// QuoRem returns the quotient truncated toward zero and the remainder, which
// has the sign of a: a = q·b + r. It panics for b = 0. The one quotient that
// does not fit, MinInt128 / −1, wraps to MinInt128.
func (a Int128) QuoRem(b Int128) (q, r Int128) {
	if b.IsZero() {
		panic("exact: division by zero")
	}
	uq, ur := a.magnitude().quoRem(b.magnitude())
	q, _ = uq.signed(a.Hi^b.Hi < 0)
	r, _ = ur.signed(a.Hi < 0)
	return q, r
}

// magnitude returns |a|, which for MinInt128 needs the unsigned range.
func (a Int128) magnitude() u128 {
	if a.Hi < 0 {
		lo, c := bits.Sub64(0, a.Lo, 0)
		hi, _ := bits.Sub64(0, uint64(a.Hi), c)
		return u128{hi, lo}
	}
	return u128{uint64(a.Hi), a.Lo}
}
