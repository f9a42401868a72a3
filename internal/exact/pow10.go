package exact

// MaxPrecision is the largest number of digits of a decimal.
const MaxPrecision = 38

// pow10u64 holds the powers of ten that fit one word.
var pow10u64 = [20]uint64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
}

// pow10u128 holds the powers of ten that fit two words, all of them below 2^127.
var pow10u128 = func() (t [MaxPrecision + 1]u128) {
	t[0] = u128{0, 1}
	for i := 1; i < len(t); i++ {
		t[i], _ = t[i-1].mulSmallAdd(10, 0)
	}
	return t
}()

// pow10f64 holds the powers of ten that float64 represents exactly.
var pow10f64 = [23]float64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10,
	1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// Pow10 returns 10^n for n in 0..38 and panics outside that range.
func Pow10(n int) Int128 {
	p := pow10u128[n]
	return Int128{int64(p.hi), p.lo}
}

// FitsDecimal reports whether |v| has at most precision digits. A precision
// above 38 admits every value, one below 0 admits none.
func FitsDecimal(v Int128, precision int) bool {
	if uint(precision) > MaxPrecision {
		return precision > 0
	}
	return v.magnitude().less(pow10u128[precision])
}

// Rescale brings a decimal of scale from to scale to (both 0..38). Going down it
// rounds half away from zero; going up it returns false when the result leaves
// the range of Int128 (a tighter limit is for FitsDecimal to check).
func Rescale(v Int128, from, to int) (Int128, bool) {
	switch {
	case from == to:
		return v, true
	case from < to:
		return v.Mul(Pow10(to - from))
	}
	m := v.magnitude().quoHalfUp(from - to)
	r, _ := m.signed(v.Hi < 0)
	return r, true
}

// quoHalfUp returns x / 10^n rounded to nearest, ties up; n in 1..38.
func (x u128) quoHalfUp(n int) u128 {
	var q, r u128
	if n < len(pow10u64) {
		q, r.lo = x.quoRemSmall(pow10u64[n])
	} else {
		q, r = x.quoRem(pow10u128[n])
	}
	// r ≥ d/2 written so that nothing overflows: r ≥ d − r.
	if !r.less(pow10u128[n].sub(r)) {
		q, _ = q.add(u128{0, 1})
	}
	return q
}
