package expr

import (
	"math"

	"ubik/internal/exact"
	"ubik/internal/vec"
)

func castToBool(c *castRun) {
	for _, i := range c.rows {
		switch c.from.Phys() {
		case vec.PhysI64:
			c.out.Bools[i] = c.in.I64[i] != 0
		case vec.PhysI128:
			c.out.Bools[i] = !c.in.I128[i].IsZero()
		default:
			c.out.Bools[i] = c.in.F64[i] != 0
		}
	}
}

func castFromBool(c *castRun) {
	if c.to.Kind == vec.Double {
		for _, i := range c.rows {
			c.out.F64[i] = float64(mark(c.in.Bools[i]))
		}
		return
	}
	one := exact.Pow10(int(c.to.Scale))
	fits := c.to.Kind != vec.Decimal || c.to.Precision > c.to.Scale
	for _, i := range c.rows {
		switch {
		case !c.in.Bools[i]:
			setDecimal(c.out, int(i), exact.Int128{})
		case fits:
			setDecimal(c.out, int(i), one)
		default:
			c.outOfRange(i)
		}
	}
}

func castToDouble(c *castRun) {
	out := c.out.F64
	scale := int(c.from.Scale)
	switch {
	case c.from.Phys() == vec.PhysI128:
		for _, i := range c.rows {
			out[i] = c.in.I128[i].Float64(scale)
		}
	case scale == 0:
		for _, i := range c.rows {
			out[i] = float64(c.in.I64[i])
		}
	default:
		// Both are exact up to 2^53 and a quotient is rounded once, so nearly all values need no wide arithmetic.
		p := math.Pow10(scale)
		for _, i := range c.rows {
			if v := c.in.I64[i]; v > -1<<53 && v < 1<<53 {
				out[i] = float64(v) / p
			} else {
				out[i] = exact.FromInt64(v).Float64(scale)
			}
		}
	}
}

func castFromDouble(c *castRun) {
	x := c.in.F64
	if c.to.Kind == vec.Decimal {
		for _, i := range c.rows {
			v, ok := exact.FromFloat64(x[i], int(c.to.Scale))
			if !ok || !exact.FitsDecimal(v, int(c.to.Precision)) {
				c.outOfRange(i)
				continue
			}
			setDecimal(c.out, int(i), v)
		}
		return
	}
	if c.to.Kind == vec.HugeInt {
		for _, i := range c.rows {
			v, ok := exact.RoundFloat64(x[i])
			if !ok {
				c.outOfRange(i)
			}
			c.out.I128[i] = v
		}
		return
	}
	lo, hi := intRange(c.to.Kind)
	for _, i := range c.rows {
		f := math.RoundToEven(x[i])
		// 2^63 itself is out of range and is what float64(hi) is for BIGINT; NaN fails both tests.
		if !(f >= float64(lo) && f < float64(hi)+1 && f < 1<<63) {
			c.outOfRange(i)
			continue
		}
		c.out.I64[i] = int64(f)
	}
}

// castLimits are the least and the greatest integer behind a value of an integer or DECIMAL type of one word.
func castLimits(t vec.Type) (lo, hi int64) {
	if t.Kind == vec.Decimal {
		hi = exact.Pow10(int(t.Precision)).Int64() - 1
		return -hi, hi
	}
	return intRange(t.Kind)
}

// castWord is between integers and DECIMALs of one word.
func castWord(c *castRun) {
	x, out := c.in.I64, c.out.I64
	lo, hi := castLimits(c.to)
	up := int(c.to.Scale) - int(c.from.Scale)
	switch {
	case up == 0 && castIsTotal(c.from, c.to):
		if c.dense {
			copy(out, x)
			return
		}
		for _, i := range c.rows {
			out[i] = x[i]
		}
	case up == 0:
		for _, i := range c.rows {
			if x[i] < lo || x[i] > hi {
				c.outOfRange(i)
			}
			out[i] = x[i]
		}
	case up > 0:
		p := exact.Pow10(up).Int64()
		most := hi / p
		for _, i := range c.rows {
			if x[i] < -most || x[i] > most {
				c.outOfRange(i)
				continue
			}
			out[i] = x[i] * p
		}
	default:
		p := exact.Pow10(-up).Int64()
		half := p / 2
		for _, i := range c.rows {
			q, rem := x[i]/p, x[i]%p
			// Half away from zero.
			if rem >= half {
				q++
			} else if rem <= -half {
				q--
			}
			if q < lo || q > hi {
				c.outOfRange(i)
			}
			out[i] = q
		}
	}
}

// castWide is between integers and DECIMALs of which one has two words.
func castWide(c *castRun) {
	from, to := int(c.from.Scale), int(c.to.Scale)
	lo, hi := exact.MinInt128, exact.MaxInt128
	switch {
	case c.to.Kind == vec.Decimal:
		p := exact.Pow10(int(c.to.Precision))
		lo, _ = exact.FromInt64(1).Sub(p)
		hi, _ = p.Sub(exact.FromInt64(1))
	case c.to.Kind != vec.HugeInt:
		l, h := intRange(c.to.Kind)
		lo, hi = exact.FromInt64(l), exact.FromInt64(h)
	}
	for _, i := range c.rows {
		v, ok := exact.Rescale(exactValue(c.in, i), from, to)
		if !ok || v.Less(lo) || hi.Less(v) {
			c.outOfRange(i)
			continue
		}
		setDecimal(c.out, int(i), v)
	}
}
