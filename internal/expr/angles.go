package expr

import (
	"math"
	"math/bits"
)

// The functions of angles and the cube root in double-double arithmetic, as those of precise.go: math's are compiled to
// other instructions on other processors.

// twoOverPi are the bits of 2/π behind its point, and 64 zeros before them.
var twoOverPi = [...]uint64{
	0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
	0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
	0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
	0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
	0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
	0xf0cfbc209af4361d, 0xa9e391615ee61b08,
}

var halfPi = pair{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}

// inverse are 1/n!.
var inverse = func() (f [29]pair) {
	f[0] = pair{1, 0}
	for n := 1; n < len(f); n++ {
		f[n] = f[n-1].div(pair{float64(n), 0})
	}
	return f
}()

// tiny is below what sin, tan, asin and atan change in their last place.
const tiny = 0x1p-60

// turn is x less the nearest multiple of π/2, and how often that is π/2, modulo 4, for a finite x ≥ 0.
func turn(x float64) (r pair, quarter int) {
	if x < 0.78 {
		return pair{x, 0}, 0
	}
	// x is m·2^e. Of 2/π·2^e only the bits from 2^1 down count, since m times those above is a multiple of 4.
	m := math.Float64bits(x)&(1<<52-1) | 1<<52
	e := int(math.Float64bits(x)>>52) - 1075
	at := e + 62
	var w [4]uint64
	for i := range w {
		w[i] = twoOverPi[at/64+i]<<(at%64) | twoOverPi[at/64+i+1]>>(64-at%64)
	}
	// The product modulo 4, in units of 2^−254.
	h3, p3 := bits.Mul64(w[3], m)
	h2, p2 := bits.Mul64(w[2], m)
	h1, p1 := bits.Mul64(w[1], m)
	p2, carry := bits.Add64(p2, h3, 0)
	p1, carry = bits.Add64(p1, h2, carry)
	p0 := w[0]*m + h1 + carry
	quarter = int(p0 >> 62)
	p0, p1, p2, p3 = p0<<2|p1>>62, p1<<2|p2>>62, p2<<2|p3>>62, p3<<2
	sign := 1.0
	if p0>>63 == 1 { // the next multiple is nearer
		sign, quarter = -1, (quarter+1)%4
		var borrow uint64
		p3, borrow = bits.Sub64(0, p3, 0)
		p2, borrow = bits.Sub64(0, p2, borrow)
		p1, borrow = bits.Sub64(0, p1, borrow)
		p0, _ = bits.Sub64(0, p0, borrow)
	}
	k := 0
	for ; p0 == 0 && k < 192; k += 64 {
		p0, p1, p2, p3 = p1, p2, p3, 0
	}
	z := bits.LeadingZeros64(p0)
	p0, p1 = p0<<z|p1>>(64-z), p1<<z|p2>>(64-z)
	hi := math.Ldexp(float64(p0>>11), -53-z-k)
	lo := math.Ldexp(float64(p0<<53>>11|p1>>22), -106-z-k)
	return fastSum(float64(sign*hi), float64(sign*lo)).mul(halfPi), quarter
}

// sinCos are the sine and the cosine of r, |r| ≤ 0.8, by their series.
func sinCos(r pair) (sin, cos pair) {
	square := r.mul(r)
	n := len(inverse) - 1
	cos, sin = inverse[n], inverse[n-1]
	for n -= 2; n > 0; n -= 2 {
		cos = inverse[n].add(cos.mul(square).neg())
		sin = inverse[n-1].add(sin.mul(square).neg())
	}
	return sin.mul(r), inverse[0].add(cos.mul(square).neg())
}

// ofAngle returns the sine and the cosine of |x|.
func ofAngle(x float64) (sin, cos pair) {
	r, quarter := turn(math.Abs(x))
	sin, cos = sinCos(r)
	switch quarter {
	case 1:
		sin, cos = cos, sin.neg()
	case 2:
		sin, cos = sin.neg(), cos.neg()
	case 3:
		sin, cos = cos.neg(), sin
	}
	return sin, cos
}

// sin, cos and tan are of x that is not infinite.
func sin(x float64) float64 {
	if x != x || math.Abs(x) < tiny {
		return x
	}
	s, _ := ofAngle(x)
	return signed(s.hi, x)
}

func cos(x float64) float64 {
	if x != x {
		return x
	}
	_, c := ofAngle(x)
	return c.hi
}

func tan(x float64) float64 {
	if x != x || math.Abs(x) < tiny {
		return x
	}
	s, c := ofAngle(x)
	return signed(s.div(c).hi, x)
}

// signed is f(|x|) as f(x), for an odd f.
func signed(y, x float64) float64 {
	if x < 0 {
		return -y
	}
	return y
}

// angle is the angle of the point (x, y), y ≥ 0; x and y are not both 0, nor is either near the ends of the range.
func angle(y, x pair) pair {
	left := x.hi < 0
	if left {
		x = x.neg()
	}
	steep := y.hi > x.hi
	if steep {
		x, y = y, x
	}
	a := slope(y, x)
	if steep {
		a = halfPi.add(a.neg())
	}
	if left {
		a = halfPi.scale(2).add(a.neg())
	}
	return a
}

// slope is the angle for 0 ≤ y ≤ x.
func slope(y, x pair) pair {
	t := y.hi / x.hi
	if t < tiny {
		return pair{t, 0}
	}
	// Near enough: half the angle twice, then the series.
	t /= 1 + math.Sqrt(1+float64(t*t))
	t /= 1 + math.Sqrt(1+float64(t*t))
	square, sum := float64(t*t), 0.0
	for n := 23.0; n > 0; n -= 2 {
		sum = 1/n - float64(sum*square)
	}
	near := pair{float64(4 * float64(t*sum)), 0}
	// The point turned back by that has an angle that is its slope.
	s, c := sinCos(near)
	return near.add(y.mul(c).add(x.mul(s).neg()).div(x.mul(c).add(y.mul(s))))
}

func atan(x float64) float64 { return atan2(x, 1) }

func atan2(y, x float64) float64 {
	if x == 0 || y == 0 || x-x != 0 || y-y != 0 {
		return math.Atan2(y, x) // by its table of special cases
	}
	if t := math.Abs(y) / x; x > 0 && t < tiny {
		return signed(t, y)
	}
	_, e := math.Frexp(max(math.Abs(x), math.Abs(y)))
	return signed(angle(pair{math.Ldexp(math.Abs(y), -e), 0}, pair{math.Ldexp(x, -e), 0}).hi, y)
}

// asin and acos are of -1 ≤ x ≤ 1.
func asin(x float64) float64 {
	if x != x || math.Abs(x) < tiny {
		return x
	}
	return signed(angle(pair{math.Abs(x), 0}, leg(x)).hi, x)
}

func acos(x float64) float64 {
	if x != x {
		return x
	}
	return angle(leg(x), pair{x, 0}).hi
}

// leg is √(1 − x²).
func leg(x float64) pair {
	p := twoSum(1, -x).mul(twoSum(1, x))
	if p.hi == 0 {
		return p
	}
	root := math.Sqrt(p.hi)
	return pair{root, 0}.add(p.add(twoProduct(root, root).neg()).div(pair{2 * root, 0}))
}

func cbrt(x float64) float64 {
	if x == 0 || x-x != 0 {
		return x
	}
	m, e := math.Frexp(math.Abs(x))
	for ; e%3 != 0; e-- {
		m *= 2
	}
	y := 1.2
	for range 6 {
		y = (float64(2*y) + m/float64(y*y)) / 3
	}
	square := twoProduct(y, y)
	rest := pair{m, 0}.add(square.mul(pair{y, 0}).neg())
	p := pair{y, 0}.add(rest.div(square.mul(pair{3, 0})))
	return signed(math.Ldexp(p.hi, e/3), x)
}
