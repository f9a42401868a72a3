package exact

import (
	"math"
	"math/bits"
)

// Sum returns the exact sum of group g rounded once, to nearest, ties to even:
// ±Inf when it is too large for float64, 0 (never −0) when it is zero or nothing
// was added. NaN among the values, or infinities of both signs, give NaN; one
// infinity gives itself.
func (f *FloatSums) Sum(g uint32) float64 {
	if head := f.cells[g][0]; head&flagMask != 0 {
		return special(head)
	}
	var m magnitude
	m.load(f, g)
	v, _ := m.round(false)
	return v
}

// Mean returns the exact sum of group g divided by n, rounded once. n is
// positive; special values are as in Sum. The mean of values whose sum is too
// large for float64 is still right.
func (f *FloatSums) Mean(g uint32, n int64) float64 {
	if n <= 0 {
		panic("exact: mean of no values")
	}
	if head := f.cells[g][0]; head&flagMask != 0 {
		return special(head)
	}
	var m magnitude
	m.load(f, g)
	if v, exact := m.round(false); exact && n <= 1<<53 {
		// Both sides exact: one rounding. Adding 0 makes an underflow to −0 a 0.
		return v/float64(n) + 0
	}
	// The two limbs below give the quotient its bits; what the division leaves
	// over can only break a tie.
	v, _ := m.round(m.divide(uint64(n)))
	return v
}

// special returns the sum of a group to which NaN or an infinity was added.
func special(head uint64) float64 {
	switch head & flagMask {
	case flagPos:
		return math.Inf(1)
	case flagNeg:
		return math.Inf(-1)
	}
	return math.NaN()
}

// below is the number of limbs that a magnitude has under those of the sum.
const below = 2

// magnitude is the absolute value of a sum: the first n limbs of v, of which the
// lowest weighs 2^(64·base−1074).
type magnitude struct {
	v    [below + fullLimbs]uint64
	n    int // limbs set
	base int
	neg  bool
}

// load sets m to the sum of group g, without zeros above; m is zero.
func (m *magnitude) load(f *FloatSums, g uint32) {
	base, window := f.window(g)
	v := m.v[below:][:len(window)]
	m.base = base - below
	sign := uint64(int64(window[len(window)-1]) >> 63)
	m.neg = sign != 0
	carry := sign & 1
	for i, limb := range window {
		v[i], carry = bits.Add64(limb^sign, 0, carry)
	}
	m.n = below + len(window)
	for m.n > below && m.v[m.n-1] == 0 {
		m.n--
	}
}

// divide divides m by d and returns whether a remainder is left.
func (m *magnitude) divide(d uint64) bool {
	var r uint64
	for i := m.n - 1; i >= 0; i-- {
		m.v[i], r = bits.Div64(r, m.v[i], d)
	}
	for m.n > 0 && m.v[m.n-1] == 0 {
		m.n--
	}
	return r != 0
}

// round returns the float64 nearest to m, ties to even, and whether it is m
// itself. more says that the true value is a little above m.
func (m *magnitude) round(more bool) (v float64, exact bool) {
	if m.n == 0 || m.n == below && m.v[0]|m.v[1] == 0 {
		return 0, !more
	}
	// Bit places count from 2^-1074. The result keeps 53 bits from the top one
	// on, but none below place 0: there the subnormals end.
	top := 64*(m.base+m.n-1) + bits.Len64(m.v[m.n-1]) - 1
	low := max(top-52, 0)
	kept := m.bits(low)
	half := m.bits(low-1) & 1
	rest := more || m.anyBelow(low-1)
	exact = half == 0 && !rest
	if half == 1 && (rest || kept&1 == 1) {
		kept++
	}
	// A normal number's exponent field is low+1, and its implicit bit adds 1 to
	// the field: so field and bits add up, also when kept has become 2^53 or,
	// for low = 0, is subnormal.
	if low >= 2046 {
		v, exact = math.Inf(1), false
	} else {
		v = math.Float64frombits(uint64(low)<<52 + kept)
	}
	return signedFloat(v, m.neg && v != 0), exact && !math.IsInf(v, 0)
}

// bits returns the 64 bits of m from place at on.
func (m *magnitude) bits(at int) uint64 {
	i, s := at>>6-m.base, uint(at&63)
	return m.limb(i)>>s | m.limb(i+1)<<1<<(63-s)
}

// anyBelow reports whether a bit below place at is set.
func (m *magnitude) anyBelow(at int) bool {
	i, s := at>>6-m.base, uint(at&63)
	for j := 0; j < min(i, m.n); j++ {
		if m.v[j] != 0 {
			return true
		}
	}
	return m.limb(i)&(1<<s-1) != 0
}

func (m *magnitude) limb(i int) uint64 {
	if i < 0 || i >= m.n {
		return 0
	}
	return m.v[i]
}
