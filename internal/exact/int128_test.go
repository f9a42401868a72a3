package exact

import (
	"math/big"
	"testing"
)

// wrap brings b into the range modulo 2^128.
func wrap(b *big.Int) *big.Int {
	m := new(big.Int).Lsh(big.NewInt(1), 128)
	b = new(big.Int).Mod(b, m)
	if b.Cmp(bigMax) > 0 {
		b.Sub(b, m)
	}
	return b
}

func TestArithmeticEqualsBig(t *testing.T) {
	r := rng(t)
	check := func(op string, a, b, got Int128, ok bool, want *big.Int) {
		t.Helper()
		if ok != inRange(want) || toBig(got).Cmp(wrap(want)) != 0 {
			t.Fatalf("%v %s %v = %v, %v, want %v", a, op, b, got, ok, want)
		}
	}
	try := func(a, b Int128) {
		x, y := toBig(a), toBig(b)
		s, ok := a.Add(b)
		check("+", a, b, s, ok, new(big.Int).Add(x, y))
		if w := a.WrapAdd(b); w != s {
			t.Fatalf("WrapAdd(%v, %v) = %v, want %v", a, b, w, s)
		}
		sum := a
		sum.AddInt64(b.Hi)
		if w := a.WrapAdd(FromInt64(b.Hi)); sum != w {
			t.Fatalf("AddInt64(%v, %d) = %v, want %v", a, b.Hi, sum, w)
		}
		d, ok := a.Sub(b)
		check("-", a, b, d, ok, new(big.Int).Sub(x, y))
		p, ok := a.Mul(b)
		check("*", a, b, p, ok, new(big.Int).Mul(x, y))
		check("*", a, b, MulInt64(a.Hi, int64(b.Lo)), true, new(big.Int).Mul(big.NewInt(a.Hi), big.NewInt(int64(b.Lo))))
		n, ok := a.Neg()
		check("neg", a, b, n, ok, new(big.Int).Neg(x))
		n, ok = a.Abs()
		check("abs", a, b, n, ok, new(big.Int).Abs(x))
		if a.Cmp(b) != x.Cmp(y) || a.Less(b) != (x.Cmp(y) < 0) || a.Sign() != x.Sign() ||
			a.IsZero() != (x.Sign() == 0) || a.IsInt64() != x.IsInt64() || a.IsInt64() && a.Int64() != x.Int64() {
			t.Fatalf("comparison of %v and %v", a, b)
		}
		if b.IsZero() {
			return
		}
		q, m := a.QuoRem(b)
		wantQ, wantM := new(big.Int).QuoRem(x, y, new(big.Int))
		if toBig(q).Cmp(wrap(wantQ)) != 0 || toBig(m).Cmp(wantM) != 0 {
			t.Fatalf("%v / %v = %v rest %v, want %v rest %v", a, b, q, m, wantQ, wantM)
		}
	}
	for _, a := range edges128 {
		for _, b := range edges128 {
			try(a, b)
		}
	}
	for range 50_000 {
		try(randInt128(r), randInt128(r))
	}
}

func TestConversionsKeepTheValue(t *testing.T) {
	for _, v := range []int64{0, 1, -1, 1<<63 - 1, -1 << 63} {
		if got := FromInt64(v); toBig(got).Cmp(big.NewInt(v)) != 0 || !got.IsInt64() || got.Int64() != v {
			t.Errorf("FromInt64(%d) = %v", v, got)
		}
	}
}

func TestDivisionByZeroPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"QuoRem": func() { FromInt64(1).QuoRem(Int128{}) },
		"Quo":    func() { Quo(FromInt64(1), 0, 0) },
		"Mean": func() {
			var f FloatSums
			f.Grow(1)
			f.Mean(0, 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("did not panic")
				}
			}()
			f()
		})
	}
}

func TestRescaleRoundsHalfAwayFromZero(t *testing.T) {
	r := rng(t)
	for range 100_000 {
		v, from, to := randInt128(r), r.Intn(39), r.Intn(39)
		if r.Intn(4) == 0 && from > to {
			// A tie, or its neighbours.
			half, _ := Pow10(from - to).QuoRem(FromInt64(2))
			v = FromInt64(int64(r.Intn(9) - 4)).WrapAdd(half).WrapAdd(FromInt64(int64(r.Intn(3) - 1)))
			if r.Intn(2) == 0 {
				v, _ = v.Neg()
			}
		}
		got, ok := Rescale(v, from, to)
		want := new(big.Int).Mul(toBig(v), bigPow10(to))
		want = halfAway(want, bigPow10(from))
		if ok != inRange(want) || ok && toBig(got).Cmp(want) != 0 {
			t.Fatalf("Rescale(%v, %d, %d) = %v, %v, want %v", v, from, to, got, ok, want)
		}
		p := r.Intn(39)
		if got, want := FitsDecimal(v, p), new(big.Int).Abs(toBig(v)).Cmp(bigPow10(p)) < 0; got != want {
			t.Fatalf("FitsDecimal(%v, %d) = %v", v, p, got)
		}
	}
	if !FitsDecimal(MinInt128, 39) || FitsDecimal(Int128{}, -1) {
		t.Error("FitsDecimal outside 0..38")
	}
}

func TestPow10(t *testing.T) {
	for n := range 39 {
		if toBig(Pow10(n)).Cmp(bigPow10(n)) != 0 {
			t.Errorf("Pow10(%d) = %v", n, Pow10(n))
		}
	}
}
