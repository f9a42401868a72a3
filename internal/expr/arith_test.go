package expr

import (
	"math/big"
	"math/rand"
	"testing"

	"ubik/internal/exact"
	"ubik/internal/vec"
)

func toBig(x exact.Int128) *big.Int {
	b := big.NewInt(x.Hi)
	b.Lsh(b, 64)
	return b.Add(b, new(big.Int).SetUint64(x.Lo))
}

func pow10Big(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// randomNumber is a value of an exact type, often near an end of its range.
func randomNumber(rnd *rand.Rand, t vec.Type) exact.Int128 {
	bits := rnd.Intn(127)
	x, _ := exact.MulInt64(rnd.Int63(), rnd.Int63()).Mul(exact.FromInt64(1))
	for i := 126; i > bits; i-- {
		x, _ = x.QuoRem(exact.FromInt64(2))
	}
	if rnd.Intn(2) == 0 {
		x, _ = x.Neg()
	}
	var lo, hi exact.Int128
	switch {
	case t.Kind == vec.HugeInt:
		lo, hi = exact.MinInt128, exact.MaxInt128
	case t.Kind == vec.Decimal:
		hi, _ = exact.Pow10(int(t.Precision)).Sub(exact.FromInt64(1))
		lo, _ = hi.Neg()
	default:
		l, h := intRange(t.Kind)
		lo, hi = exact.FromInt64(l), exact.FromInt64(h)
	}
	if rnd.Intn(8) == 0 {
		return lo
	}
	if x.Less(lo) || hi.Less(x) {
		return hi
	}
	return x
}

var exactTypes = []vec.Type{vec.TypeOf(vec.Int8), vec.TypeOf(vec.Int16), intType, bigintType, hugeintType,
	vec.DecimalType(5, 2), vec.DecimalType(18, 2), vec.DecimalType(18, 9), vec.DecimalType(20, 3), vec.DecimalType(38, 10), vec.DecimalType(4, 4)}

func TestExactArithmeticAgreesWithBigIntegers(t *testing.T) {
	const seed = 20260101
	rnd := rand.New(rand.NewSource(seed))
	const n = 64
	for _, ta := range exactTypes {
		for _, tb := range exactTypes {
			for _, op := range []string{"+", "-", "*", "//", "%", "<", "="} {
				b := vec.NewBatch(ta, tb)
				b.Resize(n)
				for i := 0; i < n; i++ {
					setDecimal(b.Cols[0], i, randomNumber(rnd, ta))
					setDecimal(b.Cols[1], i, randomNumber(rnd, tb))
					if rnd.Intn(9) == 0 {
						b.Cols[rnd.Intn(2)].SetNull(i)
					}
				}
				e, err := NewBinary(op, &Column{0, "a", ta}, &Column{1, "b", tb})
				if err != nil {
					t.Fatalf("%s %s %s: %v", ta, op, tb, err)
				}
				if e.Type().Kind == vec.Double {
					continue // not exact by its type
				}
				var sel []int32
				if rnd.Intn(2) == 0 {
					for i := int32(0); i < n; i += 1 + int32(rnd.Intn(3)) {
						sel = append(sel, i)
					}
				}
				var errs Errors
				p := Compile(e)
				v := p.Eval(b, sel, &errs)
				faulty := map[int32]bool{}
				for _, f := range errs.Faults {
					faulty[f.Row] = true
				}
				for _, i := range (&run{n: n, all: identity(n)}).rows(sel) {
					if b.Cols[0].IsNull(int(i)) || b.Cols[1].IsNull(int(i)) {
						// The other operand may still fault, when it is cast to the common type.
						if !v.IsNull(int(i)) {
							t.Fatalf("seed %d: %s of NULL is not NULL", seed, e)
						}
						continue
					}
					x, y := exactValue(b.Cols[0], i), exactValue(b.Cols[1], i)
					want, ok := naive(op, toBig(x), toBig(y), ta, tb, e.Type())
					switch {
					case faulty[i]:
						if ok {
							t.Fatalf("seed %d: %s of %s and %s faults, want %v", seed, e, x, y, want)
						}
					case v.IsNull(int(i)):
						if op != "//" && op != "%" || y.Sign() != 0 {
							t.Fatalf("seed %d: %s of %s and %s is NULL", seed, e, x, y)
						}
					default:
						var got *big.Int
						if e.Type().Kind == vec.Bool {
							got = big.NewInt(int64(mark(v.Bools[i])))
						} else {
							got = toBig(exactValue(v, i))
						}
						if !ok || got.Cmp(want) != 0 {
							t.Fatalf("seed %d: %s of %s and %s is %s, want %v %v", seed, e, x, y, got, want, ok)
						}
					}
				}
			}
		}
	}
}

func identity(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// naive computes with big integers; ok is false when an operand or the result is out of the range of its type.
func naive(op string, x, y *big.Int, ta, tb, result vec.Type) (*big.Int, bool) {
	sa, sb := int(ta.Scale), int(tb.Scale)
	r := new(big.Int)
	inRange := func(v *big.Int) bool {
		if result.Kind == vec.Decimal {
			return new(big.Int).Abs(v).Cmp(pow10Big(int(result.Precision))) < 0
		}
		lo, hi := toBig(exact.MinInt128), toBig(exact.MaxInt128)
		if result.Kind != vec.HugeInt {
			l, h := intRange(result.Kind)
			lo, hi = big.NewInt(l), big.NewInt(h)
		}
		return v.Cmp(lo) >= 0 && v.Cmp(hi) <= 0
	}
	if op == "*" {
		r.Mul(x, y)
		// A HUGEINT of 39 digits is no DECIMAL to begin with.
		fits := func(v *big.Int, t vec.Type) bool {
			return result.Kind != vec.Decimal || new(big.Int).Abs(v).Cmp(pow10Big(int(asDecimal(t).Precision))) < 0
		}
		return r, fits(x, ta) && fits(y, tb) && inRange(r)
	}
	s := max(sa, sb)
	x = new(big.Int).Mul(x, pow10Big(s-sa))
	y = new(big.Int).Mul(y, pow10Big(s-sb))
	switch op {
	case "<":
		return big.NewInt(int64(mark(x.Cmp(y) < 0))), true
	case "=":
		return big.NewInt(int64(mark(x.Cmp(y) == 0))), true
	}
	ok := inRange(x) && inRange(y)
	switch op {
	case "+":
		r.Add(x, y)
	case "-":
		r.Sub(x, y)
	case "//", "%":
		if y.Sign() == 0 {
			return r, ok
		}
		if op == "//" {
			r.Quo(x, y)
		} else {
			r.Rem(x, y)
		}
	}
	return r, ok && inRange(r)
}
