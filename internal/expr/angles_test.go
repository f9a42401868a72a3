package expr

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand"
	"testing"
)

const bigBits = 1500 // enough for what is left of the largest angles

func bigOf(x float64) *big.Float         { return new(big.Float).SetPrec(bigBits).SetFloat64(x) }
func bigNew() *big.Float                 { return new(big.Float).SetPrec(bigBits) }
func small(x *big.Float) bool            { return x.Sign() == 0 || x.MantExp(nil) < -400 }
func product(x, y *big.Float) *big.Float { return bigNew().Mul(x, y) }

// bigArctan is atan x by halving and the plain series.
func bigArctan(x *big.Float) *big.Float {
	one := bigOf(1)
	for range 10 {
		root := bigNew().Sqrt(bigNew().Add(one, product(x, x)))
		x = bigNew().Quo(x, root.Add(root, one))
	}
	sum, power, square := bigNew().Set(x), bigNew().Set(x), product(x, x)
	for n := 3.0; !small(power); n += 2 {
		power.Neg(power.Mul(power, square))
		sum.Add(sum, bigNew().Quo(power, bigOf(n)))
	}
	return sum.SetMantExp(sum, 10)
}

// bigPi is π by Machin's formula, in units of 2^−bigBits.
var bigPi = func() *big.Float {
	arctan := func(n int64) *big.Int {
		term := new(big.Int).Lsh(big.NewInt(1), bigBits+20)
		term.Quo(term, big.NewInt(n))
		sum := new(big.Int)
		for k := int64(1); term.Sign() != 0; k += 2 {
			part := new(big.Int).Quo(term, big.NewInt(k))
			if k%4 == 3 {
				part.Neg(part)
			}
			sum.Add(sum, part)
			term.Quo(term, big.NewInt(n*n))
		}
		return sum
	}
	pi := new(big.Int).Lsh(arctan(5), 2)
	pi.Sub(pi, arctan(239)).Lsh(pi, 2)
	f := new(big.Float).SetPrec(2 * bigBits).SetInt(pi)
	return f.SetMantExp(f, -bigBits-20)
}()

// bigSin is sin(x + quarters·π/2) by the plain series.
func bigSin(x float64, quarters int64) *big.Float {
	turn := new(big.Float).SetPrec(2*bigBits).Quo(bigOf(x), bigPi)
	turn.Add(turn, new(big.Float).SetRat(big.NewRat(quarters, 2)))
	half := big.NewFloat(0.5)
	if turn.Sign() < 0 {
		half.Neg(half)
	}
	whole, _ := new(big.Float).SetPrec(2*bigBits).Add(turn, half).Int(nil)
	turn.Sub(turn, new(big.Float).SetPrec(2*bigBits).SetInt(whole))
	r := bigNew().Mul(turn, bigPi)
	sum, term, square := bigNew().Set(r), bigNew().Set(r), product(r, r)
	for n := 2.0; !small(term); n += 2 {
		term.Neg(term.Mul(term, square))
		term.Quo(term, bigOf(n*(n+1)))
		sum.Add(sum, term)
	}
	if whole.Bit(0) == 1 {
		sum.Neg(sum)
	}
	return sum
}

// angles are numbers of all sizes, and those next to multiples of π/2.
func angles(rnd *rand.Rand, n int) []float64 {
	list := []float64{1, -1, 0.78, math.Nextafter(0.78, 0), 0x1p-60, 0x1p-61, math.MaxFloat64, 6381956970095103 * 0x1p797, 0x1p1023, 22, 355, 1e22, 5e-324, -1e-300}
	for range n {
		list = append(list, rnd.NormFloat64()*math.Pow(10, float64(rnd.Intn(20)-12)), math.Ldexp(rnd.Float64(), rnd.Intn(1024)),
			float64(rnd.Intn(1<<20))*(math.Pi/2), math.Nextafter(float64(rnd.Intn(40))*(math.Pi/4), float64(rnd.Intn(2))*1e9))
	}
	return list
}

func sameRounded(t *testing.T, name string, x, got float64, exact *big.Float) {
	t.Helper()
	if want, _ := exact.Float64(); got != want {
		t.Errorf("%s(%v) is %v, want %v", name, x, got, want)
	}
}

func TestFunctionsOfAnAngleAreRoundedOnce(t *testing.T) {
	const seed = 23
	for _, x := range angles(rand.New(rand.NewSource(seed)), 200) {
		s, c := bigSin(x, 0), bigSin(x, 1)
		sameRounded(t, "sin", x, sin(x), s)
		sameRounded(t, "cos", x, cos(x), c)
		sameRounded(t, "tan", x, tan(x), bigNew().Quo(s, c))
	}
}

func TestAnglesAreRoundedOnce(t *testing.T) {
	const seed = 29
	rnd := rand.New(rand.NewSource(seed))
	half := bigNew().Quo(bigPi, bigOf(2))
	for _, x := range angles(rnd, 60) {
		sameRounded(t, "atan", x, atan(x), bigArctan(bigOf(x)))
		y := rnd.NormFloat64() * math.Pow(10, float64(rnd.Intn(40)-20))
		switch rnd.Intn(3) {
		case 0:
			y = x * (1 + rnd.NormFloat64())
		case 1:
			y = math.Ldexp(rnd.NormFloat64(), rnd.Intn(2090)-1070) // of any size: y / x may be none that a DOUBLE can be
		}
		if y == 0 || math.IsInf(y, 0) {
			continue
		}
		want := bigArctan(bigNew().Quo(bigOf(y), bigOf(x)))
		if x < 0 && y > 0 {
			want.Add(want, bigPi)
		} else if x < 0 {
			want.Sub(want, bigPi)
		}
		sameRounded(t, "atan2", x, atan2(y, x), want)
	}
	for n := range 300 {
		x := rnd.Float64()*2 - 1
		switch n % 3 {
		case 1:
			x = math.Ldexp(x, -rnd.Intn(70))
		case 2:
			x = math.Copysign(1-math.Ldexp(math.Abs(x), -rnd.Intn(50)), x)
		}
		if math.Abs(x) == 1 {
			continue
		}
		leg := bigNew().Sqrt(product(bigNew().Sub(bigOf(1), bigOf(x)), bigNew().Add(bigOf(1), bigOf(x))))
		a := bigArctan(bigNew().Quo(bigOf(x), leg))
		sameRounded(t, "asin", x, asin(x), a)
		sameRounded(t, "acos", x, acos(x), bigNew().Sub(half, a))
	}
}

func TestCubeRootsAreRoundedOnce(t *testing.T) {
	const seed = 31
	rnd := rand.New(rand.NewSource(seed))
	for n := range 2000 {
		x := math.Float64frombits(rnd.Uint64())
		if n < 1000 {
			x = float64(n) * float64(n) * float64(n)
		}
		if x == 0 || x-x != 0 {
			continue
		}
		y := cbrt(x)
		for _, side := range []float64{math.Inf(-1), math.Inf(1)} { // x lies between the cubes of the two middles to the neighbours
			middle := bigNew().Add(bigOf(y), bigOf(math.Nextafter(y, side)))
			middle.SetMantExp(middle, -1)
			if c := product(product(middle, middle), middle).Cmp(bigOf(x)); c != 0 && (c > 0) != (side > 0) {
				t.Fatalf("seed %d: cbrt(%v) is %v", seed, x, y)
			}
		}
	}
}

func TestFunctionsOfAnglesAtTheEndsOfTheirRange(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, x := range []float64{0, math.Copysign(0, -1), inf, -inf, nan, 1, -1} {
		for name, f := range map[string][2]func(float64) float64{
			"sin": {sin, math.Sin}, "cos": {cos, math.Cos}, "tan": {tan, math.Tan}, "asin": {asin, math.Asin}, "acos": {acos, math.Acos},
			"atan": {atan, math.Atan}, "cbrt": {cbrt, math.Cbrt},
		} {
			if (name == "sin" || name == "cos" || name == "tan") && math.IsInf(x, 0) {
				continue // refused before
			}
			if got, want := f[0](x), f[1](x); math.Float64bits(got) != math.Float64bits(want) && !(got != got && want != want) && math.Abs(got-want) > 1e-15 {
				t.Errorf("%s(%v) is %v, want %v", name, x, got, want)
			}
		}
		for _, y := range []float64{0, math.Copysign(0, -1), inf, -inf, nan, 1, -1, 5e-324, math.MaxFloat64} {
			if got, want := atan2(y, x), math.Atan2(y, x); math.Float64bits(got) != math.Float64bits(want) && !(got != got && want != want) {
				t.Errorf("atan2(%v, %v) is %v, want %v", y, x, got, want)
			}
		}
	}
	for _, c := range [][2]float64{{sin(math.Copysign(0, -1)), math.Copysign(0, -1)}, {tan(math.Copysign(0, -1)), math.Copysign(0, -1)},
		{atan(math.Copysign(0, -1)), math.Copysign(0, -1)}, {cbrt(math.Copysign(0, -1)), math.Copysign(0, -1)}, {acos(1), 0}, {acos(-1), math.Pi}, {asin(-1), -math.Pi / 2},
		{atan2(5e-324, -2), math.Pi}, {atan2(1e-200, -1e200), math.Pi}, {atan2(-3.8e-298, -9.8e70), -math.Pi}, {atan2(5e-324, 2), 0}} {
		if math.Float64bits(c[0]) != math.Float64bits(c[1]) {
			t.Errorf("%v, want %v", c[0], c[1])
		}
	}
}

// The bytes are those of every processor.
func TestResultsOfAnglesAreTheSameBytesEverywhere(t *testing.T) {
	h := fnv.New64a()
	for n := 1; n <= 2000; n++ {
		x := float64(n) * 0.731
		for _, y := range []float64{sin(x), cos(x), tan(x), asin(1 / x / 2), acos(1 / x / 2), atan(x), atan2(x, 3-x), cbrt(x), exp(x / 50), ln(x), log2(x), log10(x), pow(x, 0.3)} {
			binary.Write(h, binary.LittleEndian, y)
		}
	}
	if got := h.Sum64(); got != 0xa7e82d666bb4a0d7 {
		t.Errorf("the hash of the results is %#x", got)
	}
}
