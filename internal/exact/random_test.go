package exact

import (
	"math"
	"math/big"
	"math/rand"
	"testing"
)

// seed is fixed; every failure names it through the test's rng.
const seed = 20260117

func rng(t testing.TB) *rand.Rand {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d", int64(seed))
		}
	})
	return rand.New(rand.NewSource(seed))
}

var (
	bigMin = new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), 127))
	bigMax = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 127), big.NewInt(1))
)

func toBig(a Int128) *big.Int {
	b := big.NewInt(a.Hi)
	return b.Lsh(b, 64).Add(b, new(big.Int).SetUint64(a.Lo))
}

func inRange(b *big.Int) bool { return b.Cmp(bigMin) >= 0 && b.Cmp(bigMax) <= 0 }

func bigPow10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// halfAway returns n / d rounded half away from zero; d > 0.
func halfAway(n, d *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(n, d, new(big.Int))
	if r.Abs(r).Lsh(r, 1).Cmp(d) >= 0 {
		q.Add(q, big.NewInt(int64(n.Sign())))
	}
	return q
}

var edges128 = func() []Int128 {
	e := []Int128{{}, MinInt128, MaxInt128}
	for _, n := range []uint{0, 1, 31, 32, 52, 53, 54, 62, 63, 64, 65, 95, 96, 126} {
		p := u128{0, 1}.shl(n)
		for _, d := range []u128{{}, {0, 1}, {^uint64(0), ^uint64(0)}} {
			x, _ := p.add(d)
			v, _ := x.signed(false)
			w, _ := x.signed(true)
			e = append(e, v, w)
		}
	}
	for n := range MaxPrecision + 1 {
		v := Pow10(n)
		w, _ := v.Neg()
		e = append(e, v, w, v.WrapAdd(FromInt64(-1)), v.WrapAdd(FromInt64(1)), w.WrapAdd(FromInt64(1)))
	}
	return e
}()

// randInt128 is an edge at times, else of any number of bits.
func randInt128(r *rand.Rand) Int128 {
	if r.Intn(4) == 0 {
		return edges128[r.Intn(len(edges128))]
	}
	a := Int128{int64(r.Uint64()), r.Uint64()}
	x, _ := a.magnitude().shr(uint(r.Intn(128)))
	a, _ = x.signed(r.Intn(2) == 0)
	return a
}

var edgesFloat = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, 2.5, 0.1, 1e22, 1e23, 1 << 53, 1<<53 + 2, 1 << 63, 1 << 64,
	math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64,
	0x1p-1022, -0x1p-1022, 0x1.fffffffffffffp-1022, 0x0.fffffffffffffp-1022, 0x1p127, -0x1p127, 0x1.fffffffffffffp126, 0x1p970, -0x1p969,
}

// randFloat is finite: an edge, an amount of money, an integer or any bits.
func randFloat(r *rand.Rand) float64 {
	switch r.Intn(8) {
	case 0:
		return edgesFloat[r.Intn(len(edgesFloat))]
	case 1, 2, 3:
		return float64(r.Intn(2e9)-1e9) / 100
	case 4:
		return float64(r.Int63()>>r.Intn(63) - 1)
	case 5:
		return math.Ldexp(r.Float64()-0.5, r.Intn(200)-100)
	}
	for {
		if f := math.Float64frombits(r.Uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f
		}
	}
}
