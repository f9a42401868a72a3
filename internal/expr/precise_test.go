package expr

import (
	"math"
	"math/big"
	"math/rand"
	"testing"
)

// bigExp is e^x by the plain series, with 300 bits.
func bigExp(x float64) *big.Float {
	f := func() *big.Float { return new(big.Float).SetPrec(300) }
	r := f().SetFloat64(x)
	r.SetMantExp(r, -20)
	sum, term := f().SetInt64(1), f().SetInt64(1)
	for i := int64(1); i < 60; i++ {
		term.Mul(term, r)
		term.Quo(term, f().SetInt64(i))
		sum.Add(sum, term)
	}
	for range 20 {
		sum.Mul(sum, sum)
	}
	return sum
}

func TestExpIsRoundedOnce(t *testing.T) {
	const seed = 13
	rnd := rand.New(rand.NewSource(seed))
	for n := 0; n < 300; n++ {
		x := rnd.NormFloat64() * math.Pow(10, float64(rnd.Intn(6)-3))
		if math.Abs(x) > 700 {
			continue
		}
		want, _ := bigExp(x).Float64()
		if got := exp(x); got != want {
			t.Fatalf("seed %d: exp(%v) is %v, want %v", seed, x, got, want)
		}
	}
}

func TestPowersOfWholeNumbersAreRoundedOnce(t *testing.T) {
	const seed = 17
	rnd := rand.New(rand.NewSource(seed))
	for n := 0; n < 3000; n++ {
		x, y := float64(rnd.Intn(2000)-1000)/8, rnd.Intn(60)
		want, _ := new(big.Float).SetPrec(4000).SetInt64(1), 0
		for range y {
			want.Mul(want, big.NewFloat(x))
		}
		f, _ := want.Float64()
		if got := pow(x, float64(y)); got != f {
			t.Fatalf("seed %d: pow(%v, %d) is %v, want %v", seed, x, y, got, f)
		}
		if inverse := pow(x, -float64(y)); x != 0 {
			f, _ := new(big.Float).SetPrec(4000).Quo(big.NewFloat(1).SetPrec(4000), want).Float64()
			if inverse != f {
				t.Fatalf("seed %d: pow(%v, -%d) is %v, want %v", seed, x, y, inverse, f)
			}
		}
	}
}

func TestLogarithmsUndoPowers(t *testing.T) {
	for k := -300; k <= 300; k++ {
		x := pow(10, float64(k))
		if got := log10(x); k >= 0 && k <= 22 && got != float64(k) || math.Abs(got-float64(k)) > 1e-13 {
			t.Errorf("log10(1e%d) is %v", k, got)
		}
		if got := log2(math.Ldexp(1, k)); got != float64(k) {
			t.Errorf("log2(2^%d) is %v", k, got)
		}
	}
	for _, x := range []float64{math.SmallestNonzeroFloat64, 1 - 0x1p-53, 1 + 0x1p-52, 0.999, 1.0001, 2, 1e308} {
		// The derivative of e^y is e^y, so the exact logarithm differs from y by (x − e^y) / e^y.
		y := ln(x)
		e := bigExp(y)
		d := new(big.Float).SetPrec(300).SetFloat64(x)
		d.Sub(d, e)
		d.Quo(d, e)
		off, _ := d.Float64()
		if ulp := math.Abs(math.Nextafter(y, math.Inf(1)) - y); math.Abs(off) > ulp*0.5000001 {
			t.Errorf("ln(%v) is %v, off by %v of its last place", x, y, off/ulp)
		}
	}
	if exp(math.Inf(-1)) != 0 || !math.IsInf(exp(1000), 1) || exp(0) != 1 || ln(1) != 0 || !math.IsInf(pow(10, 400), 1) || pow(10, -400) != 0 {
		t.Error("a result at the end of the range is wrong")
	}
}
