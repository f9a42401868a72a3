package naive

import (
	"math"
	"math/big"
)

// finish is an aggregate of the values of its group's rows, NULLs left out.
func (a *aggregate) finish(values []any, rows int) (any, error) {
	if a.name == "count" {
		if a.arg == nil {
			return num(rows), nil
		}
		return num(len(values)), nil
	}
	if len(values) == 0 {
		return nil, nil
	}
	t := a.arg.typ
	switch a.name {
	case "min", "max":
		best := values[0]
		for _, v := range values[1:] {
			if c := compare(v, best, t); c < 0 && a.name == "min" || c > 0 && a.name == "max" {
				best = v
			}
		}
		return best, nil
	case "sum":
		if t.Name == "DOUBLE" {
			return sumDoubles(values, 1), nil
		}
		total := sum(values)
		if !a.result.fits(total) {
			return nil, fault("%s does not fit %s", digits(total, t.S), a.result)
		}
		return total, nil
	}
	if t.Name == "DOUBLE" {
		return sumDoubles(values, len(values)), nil
	}
	return toDouble(new(big.Rat).Quo(ratio(sum(values), t.S), big.NewRat(int64(len(values)), 1))), nil
}

func sum(values []any) *big.Int {
	total := new(big.Int)
	for _, v := range values {
		switch v := v.(type) {
		case bool:
			if v {
				total.Add(total, big.NewInt(1))
			}
		case *big.Int:
			total.Add(total, v)
		}
	}
	return total
}

// sumDoubles is the exact sum divided by n, rounded once.
func sumDoubles(values []any, n int) float64 {
	total := new(big.Rat)
	special, infinite := 0.0, false
	for _, v := range values {
		f := v.(float64)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			special += f
			infinite = true
			continue
		}
		total.Add(total, new(big.Rat).SetFloat64(f))
	}
	if infinite {
		return special
	}
	return toDouble(total.Quo(total, big.NewRat(int64(n), 1)))
}
