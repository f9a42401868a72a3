package exact

import (
	"math"
	"math/big"
	"math/bits"
)

// Float64 returns the float64 nearest to a / 10^scale, ties to even; scale is 0..38.
func (a Int128) Float64(scale int) float64 {
	if a.IsInt64() && scale < len(pow10f64) {
		// Both sides exact in float64: then one division rounds once.
		if v := int64(a.Lo); -1<<53 <= v && v <= 1<<53 {
			return float64(v) / pow10f64[scale]
		}
	}
	return signedFloat(quoFloat(a.magnitude(), pow10u128[scale]), a.Hi < 0)
}

// Quo returns the float64 nearest to sum / 10^scale / n, ties to even: the
// average of n decimals. n must be positive and scale 0..38. It allocates only
// when 10^scale·n leaves 128 bits, which takes a scale of 20 or more.
func Quo(sum Int128, scale int, n int64) float64 {
	if n <= 0 {
		panic("exact: average of no values")
	}
	if sum.IsInt64() && scale < len(pow10u64) {
		v := int64(sum.Lo)
		hi, d := bits.Mul64(pow10u64[scale], uint64(n))
		if -1<<53 <= v && v <= 1<<53 && hi == 0 && d <= 1<<53 {
			return float64(v) / float64(d)
		}
	}
	d, over := pow10u128[scale].mul(u128{0, uint64(n)})
	if over {
		return quoBig(sum, scale, n)
	}
	return signedFloat(quoFloat(sum.magnitude(), d), sum.Hi < 0)
}

// quoBig is Quo by math/big.
func quoBig(sum Int128, scale int, n int64) float64 {
	d := pow10u128[scale].big()
	d.Mul(d, big.NewInt(n))
	m := sum.magnitude().big()
	if sum.Hi < 0 {
		m.Neg(m)
	}
	f, _ := new(big.Rat).SetFrac(m, d).Float64()
	return f
}

func (x u128) big() *big.Int {
	b := new(big.Int).SetUint64(x.hi)
	return b.Lsh(b, 64).Or(b, new(big.Int).SetUint64(x.lo))
}

func signedFloat(f float64, neg bool) float64 {
	if neg {
		return -f
	}
	return f
}

// quoFloat returns the float64 nearest to num / den, ties to even; den ≠ 0. The
// quotient of two 128-bit integers is always a normal number.
func quoFloat(num, den u128) float64 {
	if num.isZero() {
		return 0
	}
	// With both shifted to fill their words, num / den = n / d · 2^e and n/d is in (½, 2).
	ln, ld := num.bitLen(), den.bitLen()
	n, d := num.shl(uint(128-ln)), den.shl(uint(128-ld))
	e := ln - ld
	var low uint64
	if !n.less(d) {
		low = n.lo << 63
		n, _ = n.shr(1)
		e++
	}
	// n/d is in [½, 1): its first 64 bits, then whether anything follows.
	q, rest := n.fraction64(low, d)
	if rest {
		q |= 1 // far below the rounding bit: only says "not a tie"
	}
	return math.Ldexp(roundWord(q), e-64)
}

// fraction64 returns floor((n·2^64 + low) / d) and whether the division left a
// remainder, for n < d and a d with its top bit set.
func (n u128) fraction64(low uint64, d u128) (q uint64, rest bool) {
	// The estimate from the top words is at most 2 too large.
	var r u128 // n·2^64 + low − q·d, modulo 2^128
	if n.hi >= d.hi {
		q = math.MaxUint64
	} else {
		q, _ = bits.Div64(n.hi, n.lo, d.hi)
	}
	for {
		// q·d as three words against n.hi, n.lo, low.
		p1, p0 := bits.Mul64(q, d.lo)
		p2, t := bits.Mul64(q, d.hi)
		p1, c := bits.Add64(p1, t, 0)
		p2 += c
		lo, b := bits.Sub64(low, p0, 0)
		hi, b := bits.Sub64(n.lo, p1, b)
		_, b = bits.Sub64(n.hi, p2, b)
		if b == 0 {
			r = u128{hi, lo}
			return q, !r.isZero()
		}
		q--
	}
}

// roundWord returns q, whose top bit is set, rounded to 53 bits, ties to even.
func roundWord(q uint64) float64 {
	const drop = 64 - 53
	const half = 1 << (drop - 1)
	m := q >> drop
	tail := q & (1<<drop - 1)
	if tail > half || tail == half && m&1 == 1 {
		m++
	}
	return float64(m) * (1 << drop)
}

// FromFloat64 returns f as a decimal of the given scale (0..38), as DuckDB casts
// DOUBLE to DECIMAL: f·10^scale is taken in float64 arithmetic, so it is rounded
// once, and then brought to an integer half away from zero. So 1.005 at scale 2
// gives 100 (the product is 100.49999999999999) but 1.115 gives 112, though its
// binary value is 1.1149999999999999911 (the product rounds to 111.5). It returns
// false for NaN, infinities and results outside the range of Int128; a precision
// is for FitsDecimal to check.
func FromFloat64(f float64, scale int) (Int128, bool) {
	return fromInteger(math.Round(f * scaleFactor(scale)))
}

// RoundFloat64 returns f as an integer, as DuckDB casts DOUBLE to the types up
// to BIGINT: to nearest, ties to even. It returns false for NaN, infinities and
// values outside the range of Int128.
func RoundFloat64(f float64) (Int128, bool) {
	return fromInteger(math.RoundToEven(f))
}

// scaleFactor returns the float64 nearest to 10^scale.
func scaleFactor(scale int) float64 {
	if scale < len(pow10f64) {
		return pow10f64[scale]
	}
	return Pow10(scale).Float64(0)
}

// fromInteger converts a float64 without a fraction.
func fromInteger(f float64) (Int128, bool) {
	if -1<<63 <= f && f < 1<<63 {
		return FromInt64(int64(f)), true
	}
	m, e, ok := splitFloat(f)
	if !ok || e > 127-52 {
		return Int128{}, false
	}
	return u128{0, m}.shl(uint(e)).signed(f < 0)
}

// splitFloat returns |f| = m·2^e with m < 2^53, and false for NaN and infinities.
func splitFloat(f float64) (m uint64, e int, ok bool) {
	b := math.Float64bits(f)
	m = b & (1<<52 - 1)
	e = int(b >> 52 & 0x7ff)
	switch e {
	case 0x7ff:
		return 0, 0, false
	case 0:
		return m, -1074, true
	}
	return m | 1<<52, e - 1075, true
}
