package exact

import (
	"bytes"
	"math"
	"math/big"
	"math/rand"
	"testing"
)

// naiveSum is one sum in the plainest form.
type naiveSum struct {
	units         big.Int // of 2^-1074
	nan, pos, neg bool
}

func (s *naiveSum) add(x float64) {
	switch {
	case math.IsNaN(x):
		s.nan = true
	case math.IsInf(x, 1):
		s.pos = true
	case math.IsInf(x, -1):
		s.neg = true
	default:
		m, e, _ := splitFloat(x)
		u := new(big.Int).SetUint64(m)
		u.Lsh(u, uint(e+1074))
		if x < 0 {
			u.Neg(u)
		}
		s.units.Add(&s.units, u)
	}
}

func (s *naiveSum) mean(n int64) float64 {
	switch {
	case s.nan || s.pos && s.neg:
		return math.NaN()
	case s.pos:
		return math.Inf(1)
	case s.neg:
		return math.Inf(-1)
	}
	d := new(big.Int).Lsh(big.NewInt(n), 1074)
	return bigQuo(&s.units, d) + 0
}

// same is equality of float64 that tells −0 from 0 and has one NaN.
func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

// randColumn makes values of one kind, so that some columns stay narrow, others
// widen late or cancel.
func randColumn(r *rand.Rand, n int) []float64 {
	xs := make([]float64, 0, n)
	kind := r.Intn(6)
	for len(xs) < n {
		var x float64
		switch kind {
		case 0:
			x = float64(r.Intn(2e6)-1e6) / 100
		case 1:
			x = randFloat(r)
		case 2:
			x = math.Ldexp(r.Float64()-0.5, 1000+r.Intn(25))
		case 3:
			x = math.Float64frombits(r.Uint64() & (1<<63 | 1<<53 - 1)) // subnormal or nearly
		case 4:
			x = math.Ldexp(r.Float64()-0.5, r.Intn(300)-150)
		case 5:
			x = math.Ldexp(1, r.Intn(2098)-1074)
		}
		xs = append(xs, x)
		if r.Intn(3) == 0 {
			xs = append(xs, -x)
		}
	}
	if r.Intn(10) == 0 {
		xs = append(xs, []float64{math.NaN(), math.Inf(1), math.Inf(-1), -math.NaN()}[r.Intn(4)])
	}
	if n > 0 && r.Intn(4) == 0 { // all of it cancels, or nearly
		for i := range xs[:len(xs)-r.Intn(2)] {
			xs = append(xs, -xs[i])
		}
	}
	return xs
}

func TestSumAndMeanEqualBig(t *testing.T) {
	r := rng(t)
	var f FloatSums
	for range 300 {
		f.Reset()
		groups := 1 + r.Intn(20)
		f.Grow(groups)
		naive := make([]naiveSum, groups)
		for g := range naive {
			for _, x := range randColumn(r, r.Intn(60)) {
				f.Add(uint32(g), x)
				naive[g].add(x)
				if got, want := f.Sum(uint32(g)), naive[g].mean(1); !same(got, want) {
					t.Fatalf("group %d after %v: sum %v, want %v", g, x, got, want)
				}
			}
			for range 5 {
				n := r.Int63()>>r.Intn(63) | 1
				if got, want := f.Mean(uint32(g), n), naive[g].mean(n); !same(got, want) {
					t.Fatalf("group %d: mean of %d is %v, want %v (sum %v)", g, n, got, want, naive[g].mean(1))
				}
			}
		}
		for g := range naive { // nothing leaked from one group to another
			if got, want := f.Sum(uint32(g)), naive[g].mean(1); !same(got, want) {
				t.Fatalf("group %d at the end: sum %v, want %v", g, got, want)
			}
		}
	}
}

func TestSumEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	negZero := math.Copysign(0, -1)
	const big, tiny = math.MaxFloat64, math.SmallestNonzeroFloat64
	for _, c := range []struct {
		xs   []float64
		n    int64
		sum  float64
		mean float64
	}{
		{nil, 1, 0, 0},
		{[]float64{negZero}, 1, 0, 0},
		{[]float64{negZero, negZero}, 2, 0, 0},
		{[]float64{1, -1}, 2, 0, 0},
		{[]float64{1e100, 1, -1e100}, 3, 1, 1.0 / 3},
		{[]float64{big, big}, 2, inf, big},
		{[]float64{-big, -big}, 2, -inf, -big},
		{[]float64{big, big, -big}, 1, big, big},
		{[]float64{big, 0x1p969}, 1, big, big},
		{[]float64{big, 0x1p970}, 1, inf, inf},
		{[]float64{big, 0x1p970, -tiny}, 1, big, big},
		{[]float64{tiny, tiny}, 4, 2 * tiny, 0},
		{[]float64{tiny, tiny, tiny}, 4, 3 * tiny, tiny},
		{[]float64{-tiny}, 3, -tiny, 0},
		{[]float64{1, 0x1p-53}, 1, 1, 1},
		{[]float64{1, 0x1p-53, tiny}, 1, 1 + 0x1p-52, 1 + 0x1p-52},
		{[]float64{1 + 0x1p-52, 0x1p-53, -tiny}, 1, 1 + 0x1p-52, 1 + 0x1p-52},
		{[]float64{0x1p-1022, -tiny}, 1, 0x0.fffffffffffffp-1022, 0x0.fffffffffffffp-1022},
		{[]float64{inf, 1}, 2, inf, inf},
		{[]float64{-inf, 1, -inf}, 2, -inf, -inf},
		{[]float64{inf, -inf}, 2, nan, nan},
		{[]float64{nan, inf}, 2, nan, nan},
	} {
		var f FloatSums
		f.Grow(1)
		for _, x := range c.xs {
			f.Add(0, x)
		}
		if got := f.Sum(0); !same(got, c.sum) {
			t.Errorf("sum of %v = %v, want %v", c.xs, got, c.sum)
		}
		if got := f.Mean(0, c.n); !same(got, c.mean) {
			t.Errorf("mean of %v by %d = %v, want %v", c.xs, c.n, got, c.mean)
		}
	}
}

// The top limb fills after 2^11 additions of large values: it must widen, not wrap.
func TestManyEqualValuesDoNotOverflowTheWindow(t *testing.T) {
	for _, x := range []float64{0x1.fffffffffffffp10, 0x1.fffffffffffffp64, 0x1.fffffffffffffp65, -0x1.fffffffffffffp65, 0x1.fffffffffffffp74, 0x1.fffffffffffffp75, -0x1.fffffffffffffp77, math.MaxFloat64, -math.MaxFloat64, 0x1.fffffffffffffp400} {
		var f FloatSums
		f.Grow(2)
		f.Add(1, x)
		var naive naiveSum
		naive.add(x)
		for range 62 { // doubles each time: 2^62 additions
			f.Merge(1, &f, 1)
			naive.units.Lsh(&naive.units, 1)
			if got, want := f.Mean(1, 1<<62), naive.mean(1<<62); !same(got, want) {
				t.Fatalf("%v doubled to %d bits: %v, want %v", x, naive.units.BitLen(), got, want)
			}
		}
		for range 5000 {
			f.Add(0, x)
		}
		if got := f.Mean(0, 5000); got != x {
			t.Errorf("mean of 5000 × %v = %v", x, got)
		}
	}
}

// The same for the top limb of a window of 8, which the small value makes full.
func TestWideWindowDoesNotOverflow(t *testing.T) {
	for _, x := range []float64{0x1.fffffffffffffp65, -0x1.fffffffffffffp65} {
		var f FloatSums
		f.Grow(1)
		var naive naiveSum
		for i := range 10_000 {
			v := x
			if i == 1 {
				v = 0x1p-382
			}
			f.Add(0, v)
			naive.add(v)
			if i == 1 && (len(f.mid) != 1 || f.full != nil) {
				t.Fatal("the test is not about a window of 8")
			}
		}
		if got, want := f.Sum(0), naive.mean(1); got != want {
			t.Errorf("sum %v, want %v", got, want)
		}
		if f.full == nil {
			t.Error("the window never became too narrow")
		}
	}
}

func TestAddRowsIsAdd(t *testing.T) {
	r := rng(t)
	for _, n := range []int{1, 100, cellsCached + 1, 3 * cellsCached} {
		for _, rows := range []int{0, 1, rowsAhead, rowsAhead + 1, 5000} {
			xs := randColumn(r, rows)
			groups := make([]uint32, len(xs))
			var a, b FloatSums
			a.Grow(n)
			b.Grow(n)
			for i, x := range xs {
				groups[i] = uint32(r.Intn(n))
				a.Add(groups[i], x)
			}
			b.AddRows(groups, xs)
			for g := range uint32(n) {
				if !bytes.Equal(a.AppendState(nil, g), b.AppendState(nil, g)) {
					t.Fatalf("%d rows, %d groups: group %d differs", rows, n, g)
				}
			}
		}
	}
}

func TestResetGivesEmptyGroupsAndKeepsMemory(t *testing.T) {
	var f FloatSums
	f.Grow(10)
	for g := range uint32(10) {
		f.Add(g, 1e300)
		f.Add(g, 1e-300)
		f.Add(g, math.Inf(1))
	}
	held := f.Bytes()
	if held < 10*(32+34*8) {
		t.Errorf("Bytes = %d", held)
	}
	f.Reset()
	if f.Len() != 0 {
		t.Errorf("Len after Reset = %d", f.Len())
	}
	f.Grow(5)
	f.Grow(3)
	if f.Len() != 5 || f.Bytes() != held {
		t.Errorf("Len %d, Bytes %d, want 5, %d", f.Len(), f.Bytes(), held)
	}
	for g := range uint32(5) {
		if got := f.AppendState(nil, g); !bytes.Equal(got, []byte{0, 0, 0}) {
			t.Errorf("group %d after Reset: % x", g, got)
		}
		f.Add(g, 1e300)
		f.Add(g, 1e-300)
		if got := f.Sum(g); got != 1e300 {
			t.Errorf("sum after Reset = %v", got)
		}
	}
}

func TestMoneyStaysInCells(t *testing.T) {
	r := rng(t)
	var f FloatSums
	f.Grow(1000)
	for range 200_000 {
		f.Add(uint32(r.Intn(1000)), float64(r.Intn(2e9)-1e9)/100)
	}
	if f.mid != nil || f.full != nil {
		t.Errorf("%d and %d wide windows", len(f.mid), len(f.full))
	}
	if n := len(f.AppendState(nil, 0)); n > 14 {
		t.Errorf("state of %d bytes", n)
	}
}
