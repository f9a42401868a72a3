package exact

import (
	"math"
	"math/big"
	"testing"
)

func bigQuo(n, d *big.Int) float64 {
	f, _ := new(big.Rat).SetFrac(n, d).Float64()
	return f
}

func TestFloat64IsCorrectlyRounded(t *testing.T) {
	r := rng(t)
	try := func(v Int128, scale int) {
		if got, want := v.Float64(scale), bigQuo(toBig(v), bigPow10(scale)); got != want {
			t.Fatalf("Float64(%v, %d) = %v, want %v", v, scale, got, want)
		}
	}
	for _, v := range edges128 {
		for scale := range 39 {
			try(v, scale)
		}
	}
	for range 100_000 {
		try(randInt128(r), r.Intn(39))
	}
	// Halfway between two floats, and one unit to either side.
	for range 20_000 {
		half := u128{0, 1<<53 | r.Uint64()>>11 | 1}.shl(uint(1 + r.Intn(73)))
		v, _ := half.signed(r.Intn(2) == 0)
		for d := int64(-1); d <= 1; d++ {
			try(v.WrapAdd(FromInt64(d)), 0)
		}
	}
}

func TestQuoIsCorrectlyRounded(t *testing.T) {
	r := rng(t)
	for range 100_000 {
		v, scale, n := randInt128(r), r.Intn(39), r.Int63()>>r.Intn(63)+1
		if n <= 0 {
			n = math.MaxInt64
		}
		got := Quo(v, scale, n)
		want := bigQuo(toBig(v), new(big.Int).Mul(bigPow10(scale), big.NewInt(n)))
		if got != want {
			t.Fatalf("Quo(%v, %d, %d) = %v, want %v", v, scale, n, got, want)
		}
	}
}

func TestFromFloat64RoundsAsDuckDBDoes(t *testing.T) {
	for _, c := range []struct {
		f     float64
		scale int
		want  int64
	}{
		{0.5, 0, 1}, {-0.5, 0, -1}, {1.5, 0, 2}, {2.5, 0, 3}, {1.005, 2, 100}, {1.115, 2, 112}, {-1.115, 2, -112}, {0, 5, 0},
	} {
		if got, ok := FromFloat64(c.f, c.scale); !ok || got != FromInt64(c.want) {
			t.Errorf("FromFloat64(%v, %d) = %v, %v, want %d", c.f, c.scale, got, ok, c.want)
		}
	}
	for f, want := range map[float64]int64{0.5: 0, 1.5: 2, 2.5: 2, -0.5: 0, -1.5: -2, 0.51: 1} {
		if got, ok := RoundFloat64(f); !ok || got != FromInt64(want) {
			t.Errorf("RoundFloat64(%v) = %v, %v, want %d", f, got, ok, want)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0x1p127, math.MaxFloat64, -math.MaxFloat64} {
		_, a := FromFloat64(f, 0)
		_, b := RoundFloat64(f)
		if a || b {
			t.Errorf("%v was converted", f)
		}
	}
	for _, f := range []float64{-0x1p127, 0x1.fffffffffffffp126} {
		want, _ := new(big.Float).SetFloat64(f).Int(nil)
		a, _ := FromFloat64(f, 0)
		b, ok := RoundFloat64(f)
		if !ok || a != b || toBig(b).Cmp(want) != 0 {
			t.Errorf("%v became %v, %v", f, a, b)
		}
	}
}

func TestFromFloat64EqualsBig(t *testing.T) {
	r := rng(t)
	check := func(name string, f float64, got Int128, ok bool, want *big.Int) {
		t.Helper()
		if ok != inRange(want) || ok && toBig(got).Cmp(want) != 0 {
			t.Fatalf("%s(%v) = %v, %v, want %v", name, f, got, ok, want)
		}
	}
	one := big.NewInt(1)
	for range 100_000 {
		f, scale := randFloat(r), r.Intn(39)
		if r.Intn(4) == 0 {
			f = (float64(r.Intn(2000)-1000) + 0.5) / float64(int(1)<<r.Intn(4))
		}
		if p := f * scaleFactor(scale); !math.IsInf(p, 0) {
			want, _ := new(big.Float).SetFloat64(math.Round(p)).Int(nil)
			got, ok := FromFloat64(f, scale)
			check("FromFloat64", f, got, ok, want)
		}
		want, _ := new(big.Float).SetFloat64(math.RoundToEven(f)).Int(nil)
		got, ok := RoundFloat64(f)
		check("RoundFloat64", f, got, ok, want)
	}
	for scale := range 39 {
		if got, want := scaleFactor(scale), bigQuo(bigPow10(scale), one); got != want {
			t.Errorf("scaleFactor(%d) = %v, want %v", scale, got, want)
		}
	}
}
