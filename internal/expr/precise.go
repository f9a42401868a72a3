package expr

import "math"

// exp, log and pow in double-double arithmetic. The results are those of exact arithmetic rounded once, but for about
// one in 2^40, and the same on every processor; math.Exp, math.Log and math.Pow differ between processors in the last bit,
// and a replay on another machine must give the same bytes.

// pair is a sum hi + lo that is not rounded, with |lo| at most half a unit in the last place of hi.
type pair struct{ hi, lo float64 }

var (
	ln2  = pair{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}
	ln10 = pair{0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53}
)

func twoSum(a, b float64) pair {
	s := a + b
	t := s - a
	return pair{s, (a - (s - t)) + (b - t)}
}

// fastSum is twoSum for |a| ≥ |b|.
func fastSum(a, b float64) pair {
	s := a + b
	return pair{s, b - (s - a)}
}

func twoProduct(a, b float64) pair {
	p := float64(a * b)
	return pair{p, math.FMA(a, b, -p)}
}

func (a pair) add(b pair) pair {
	s, t := twoSum(a.hi, b.hi), twoSum(a.lo, b.lo)
	u := fastSum(s.hi, s.lo+t.hi)
	return fastSum(u.hi, u.lo+t.lo)
}

func (a pair) neg() pair { return pair{-a.hi, -a.lo} }

func (a pair) mul(b pair) pair {
	p := twoProduct(a.hi, b.hi)
	return fastSum(p.hi, p.lo+(float64(a.hi*b.lo)+float64(a.lo*b.hi)))
}

func (a pair) div(b pair) pair {
	q1 := a.hi / b.hi
	r := a.add(b.mul(pair{q1, 0}).neg())
	q2 := r.hi / b.hi
	r = r.add(b.mul(pair{q2, 0}).neg())
	q := fastSum(q1, q2)
	return q.add(pair{r.hi / b.hi, 0})
}

// scale multiplies by a power of two, which is exact.
func (a pair) scale(f float64) pair { return pair{float64(a.hi * f), float64(a.lo * f)} }

// expPair is e^x as a pair times 2^k, for |x| < 800.
func expPair(x pair) (p pair, k int) {
	n := math.RoundToEven(x.hi / ln2.hi)
	r := x.add(ln2.mul(pair{n, 0}).neg())
	// e^r − 1 by its series at r / 512, then squared nine times: (1+s)² − 1 = 2s + s².
	r = r.scale(1.0 / 512)
	s, term := r, r
	for i := 2.0; i <= 10; i++ {
		term = term.mul(r).div(pair{i, 0})
		s = s.add(term)
	}
	for range 9 {
		s = s.scale(2).add(s.mul(s))
	}
	return s.add(pair{1, 0}), int(n)
}

// logPair is the natural logarithm of x, finite and greater than 0.
func logPair(x float64) pair {
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		k--
	}
	var y pair
	if d := m - 1; math.Abs(d) < 1.0/1024 {
		// Near 1 a correction would lose digits: 2·atanh(d / (2 + d)) by its series.
		s := pair{d, 0}.div(twoSum(2, d))
		square := s.mul(s)
		term := s
		y = s
		for i := 3.0; i <= 17; i += 2 {
			term = term.mul(square)
			y = y.add(term.div(pair{i, 0}))
		}
		y = y.scale(2)
	} else {
		// One step of Newton's method: y + (m·e^−y − 1).
		y = pair{lnNear(m), 0}
		e, n := expPair(y.neg())
		e = e.scale(math.Ldexp(1, n)).mul(pair{m, 0})
		y = y.add(e.add(pair{-1, 0}))
	}
	return y.add(ln2.mul(pair{float64(k), 0}))
}

// lnNear is ln m but for some units in the last place, for m from √½ to √2.
func lnNear(m float64) float64 {
	s := (m - 1) / (m + 1)
	square, sum := float64(s*s), 0.0
	for n := 21.0; n > 0; n -= 2 {
		sum = 1/n + float64(sum*square)
	}
	return float64(2 * float64(s*sum))
}

// toFloat rounds p·2^k.
func (a pair) toFloat(k int) float64 { return math.Ldexp(a.hi+a.lo, k) }

func exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 710:
		return math.Inf(1)
	case x < -746:
		return 0
	}
	return expSmall(pair{x, 0})
}

func expSmall(x pair) float64 {
	p, k := expPair(x)
	return p.toFloat(k)
}

// ln, log2 and log10 are of x > 0.
func ln(x float64) float64 {
	if x != x || math.IsInf(x, 1) {
		return x
	}
	return logPair(x).hi
}

func log2(x float64) float64 {
	if x != x || math.IsInf(x, 1) {
		return x
	}
	return logPair(x).div(ln2).hi
}

func log10(x float64) float64 {
	if x != x || math.IsInf(x, 1) {
		return x
	}
	return logPair(x).div(ln10).hi
}

func pow(x, y float64) float64 {
	whole := y == math.Trunc(y)
	if x == 0 || x == 1 || y == 0 || x-x != 0 || y-y != 0 || x < 0 && !whole {
		return math.Pow(x, y) // by its table of special cases
	}
	if whole && math.Abs(y) <= 64 {
		// A small power may lie exactly between two floats, which only exact products tell.
		if p := powWhole(x, int(math.Abs(y))); math.Abs(p.hi) < 1e290 && math.Abs(p.hi) > 1e-250 {
			if y < 0 {
				p = pair{1, 0}.div(p)
			}
			return p.hi
		}
	}
	t := logPair(math.Abs(x)).mul(pair{y, 0})
	var r float64
	switch {
	case t.hi > 710 || math.IsInf(t.hi, 1):
		r = math.Inf(1)
	case t.hi < -746:
		r = 0
	default:
		r = expSmall(t)
	}
	if x < 0 && math.Mod(y, 2) != 0 {
		r = -r
	}
	return r
}

// powWhole is x^n, n ≥ 1.
func powWhole(x float64, n int) pair {
	p, square := pair{1, 0}, pair{x, 0}
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			p = p.mul(square)
		}
		square = square.mul(square)
	}
	return p
}
