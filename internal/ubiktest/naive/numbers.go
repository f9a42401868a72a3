package naive

import (
	"math"
	"math/big"
)

// rounding is abs, round, floor, ceil, trunc, sign and mod: functions whose type follows their argument's.
func rounding(name string, xs []*node) (*node, error) {
	if len(xs) == 0 || !xs[0].typ.isNumeric() {
		return nil, unsupported("the function %s", name)
	}
	t := xs[0].typ
	x := xs[0]
	exactOf := func(f func(*big.Int) *big.Int, result Type) (*node, error) {
		return strict(result, func(v []any) (any, error) { return checked(f(v[0].(*big.Int)), result) }, x), nil
	}
	switch name {
	case "abs":
		if t.Name == "DOUBLE" {
			return strict(t, func(v []any) (any, error) { return math.Abs(v[0].(float64)), nil }, x), nil
		}
		return exactOf(func(v *big.Int) *big.Int { return new(big.Int).Abs(v) }, t)
	case "sign":
		return strict(named("TINYINT"), func(v []any) (any, error) {
			if f, ok := v[0].(float64); ok {
				return num(order(f < 0, f > 0)), nil
			}
			return num(v[0].(*big.Int).Sign()), nil
		}, x), nil
	case "floor", "ceil", "trunc":
		return toWhole(name, x)
	case "round":
		return roundTo(xs)
	}
	return nil, unsupported("the function %s", name)
}

func toWhole(name string, x *node) (*node, error) {
	t := x.typ
	switch {
	case t.Name == "DOUBLE":
		f := map[string]func(float64) float64{"floor": math.Floor, "ceil": math.Ceil, "trunc": math.Trunc}[name]
		return strict(t, func(v []any) (any, error) { return f(v[0].(float64)), nil }, x), nil
	case t.isInt():
		return x, nil
	}
	result := decimal(t.P, 0)
	return strict(result, func(v []any) (any, error) {
		q, r := new(big.Int).QuoRem(v[0].(*big.Int), pow10(t.S), new(big.Int))
		switch {
		case name == "floor" && r.Sign() < 0:
			q.Sub(q, big.NewInt(1))
		case name == "ceil" && r.Sign() > 0:
			q.Add(q, big.NewInt(1))
		}
		return checked(q, result)
	}, x), nil
}

// roundTo is round(x [, digits]), half away from zero. The digits of a DECIMAL's result are part of its type.
func roundTo(xs []*node) (*node, error) {
	x, t := xs[0], xs[0].typ
	digits := int64(0)
	if len(xs) == 2 {
		d, ok := xs[1].lit.(*big.Int)
		if !ok {
			return nil, unsupported("round to digits that are no literal")
		}
		digits = d.Int64()
	}
	switch {
	case t.Name == "DOUBLE" && digits == 0:
		return strict(t, func(v []any) (any, error) { return math.Round(v[0].(float64)), nil }, x), nil
	case t.Name == "DOUBLE":
		return strict(t, func(v []any) (any, error) {
			f := v[0].(float64)
			p := math.Pow(10, math.Abs(float64(digits)))
			var r float64
			if digits < 0 {
				r = math.Round(f/p) * p
			} else {
				r = math.Round(f*p) / p
			}
			if math.IsNaN(r) || math.IsInf(r, 0) {
				return f, nil
			}
			return r, nil
		}, x), nil
	case t.isInt() && digits >= 0:
		return x, nil
	case t.Name == "DECIMAL" && digits >= int64(t.S):
		return x, nil
	}
	result := t
	if t.Name == "DECIMAL" {
		result = decimal(t.P, int(max(digits, 0)))
	}
	return strict(result, func(v []any) (any, error) {
		r := round(new(big.Rat).Mul(ratio(v[0].(*big.Int), t.S), pow(digits)))
		return checked(scaled(new(big.Rat).Quo(new(big.Rat).SetInt(r), pow(digits)), result.S), result)
	}, x), nil
}

// pow is 10^n, n of any sign.
func pow(n int64) *big.Rat {
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), pow10(int(-n)))
	}
	return new(big.Rat).SetInt(pow10(int(n)))
}
