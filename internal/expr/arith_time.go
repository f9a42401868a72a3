package expr

import (
	"math"

	"ubik/internal/vec"
)

// newTimeArith is + - * / of dates, times and intervals; ta and tb are the operands' types.
func newTimeArith(op string, a, b Expr, ta, tb vec.Type) (Expr, error) {
	is := func(t vec.Type, kinds ...vec.Kind) bool {
		for _, k := range kinds {
			if t.Kind == k {
				return true
			}
		}
		return false
	}
	if op == "+" && (tb.Kind == vec.Date || is(tb, vec.Timestamp, vec.TimestampTZ, vec.TimeOfDay)) && !is(ta, vec.Date) && (ta.Kind == vec.Interval || ta.IsInteger()) ||
		op == "+" && ta.Kind == vec.TimeOfDay && tb.Kind == vec.Date || op == "*" && tb.Kind == vec.Interval {
		a, b, ta, tb = b, a, tb, ta
	}
	if a.Type().Kind == vec.Null {
		a = NewTypedNull(ta)
	}
	if b.Type().Kind == vec.Null {
		b = NewTypedNull(tb)
	}
	two := func(xt, yt, result vec.Type, mayFail bool, kernel func(c *binaryRun)) (Expr, error) {
		x, err := coerce(a, xt)
		if err != nil {
			return nil, err
		}
		y, err := coerce(b, yt)
		if err != nil {
			return nil, err
		}
		return newBinaryOp(op, x, y, result, mayFail, kernel)
	}
	sign := int64(1)
	if op == "-" {
		sign = -1
	}
	additive := op == "+" || op == "-"
	instant := is(ta, vec.Timestamp, vec.TimestampTZ)
	switch {
	case additive && ta.Kind == vec.Date && tb.IsInteger() && tb.Kind != vec.HugeInt:
		return two(ta, bigintType, ta, true, dateShift(op, sign))
	case op == "-" && ta.Kind == vec.Date && tb.Kind == vec.Date:
		return two(ta, tb, bigintType, false, intSub)
	case op == "+" && ta.Kind == vec.Date && tb.Kind == vec.TimeOfDay:
		return two(timestampType, tb, timestampType, true, timestampPlusTime)
	case additive && ta.Kind == vec.Date && tb.Kind == vec.Interval:
		return two(timestampType, tb, timestampType, true, timestampShift(op, sign < 0))
	case additive && instant && tb.Kind == vec.Interval:
		return two(ta, tb, ta, true, timestampShift(op, sign < 0))
	case op == "-" && (instant || ta.Kind == vec.Date) && is(tb, vec.Timestamp, vec.TimestampTZ, vec.Date):
		t, _ := maxType(ta, tb)
		return two(t, t, intervalType, false, timestampDifference)
	case additive && ta.Kind == vec.TimeOfDay && tb.Kind == vec.Interval:
		return two(ta, tb, ta, false, timeShift(sign))
	case additive && ta.Kind == vec.Interval && tb.Kind == vec.Interval:
		return two(ta, tb, ta, true, intervalAdd(op, sign))
	case op == "*" && ta.Kind == vec.Interval && tb.IsInteger():
		return two(ta, bigintType, ta, true, intervalTimes)
	case op == "*" && ta.Kind == vec.Interval && tb.IsNumeric():
		return two(ta, doubleType, ta, true, intervalScale(op, false))
	case op == "/" && ta.Kind == vec.Interval && tb.IsNumeric():
		return two(ta, doubleType, ta, true, intervalScale(op, true))
	}
	return nil, noOperation(op, ta, tb)
}

func dateShift(op string, sign int64) func(c *binaryRun) {
	return func(c *binaryRun) {
		for _, i := range c.rows(c.sel) {
			d, n := c.a.I64[i], c.b.I64[i]
			s := d + sign*n
			c.out.I64[i] = s
			if n > maxDay-minDay || n < minDay-maxDay || s < minDay || s > maxDay {
				c.overflow(i, op)
			}
		}
	}
}

func timestampPlusTime(c *binaryRun) {
	for _, i := range c.rows(c.sel) {
		s := c.a.I64[i] + c.b.I64[i]
		c.out.I64[i] = s
		if !vec.Time(s).InRange() {
			c.overflow(i, "+")
		}
	}
}

func timestampShift(op string, minus bool) func(c *binaryRun) {
	return func(c *binaryRun) {
		x, y, z := c.a.I64, c.b.Ivals, c.out.I64
		for _, i := range c.rows(c.sel) {
			iv, ok := y[i], true
			if minus {
				iv, ok = negInterval(iv)
			}
			if ok {
				if iv.Months|iv.Days == 0 && iv.Micros < 1<<60 && iv.Micros > -1<<60 {
					// The calendar plays no part.
					z[i] = x[i] + iv.Micros
					ok = vec.Time(z[i]).InRange()
				} else {
					z[i], ok = addInterval(x[i], iv)
				}
			}
			if !ok {
				c.overflow(i, op)
			}
		}
	}
}

// timestampDifference is in days and µs, of one sign.
func timestampDifference(c *binaryRun) {
	for _, i := range c.rows(c.sel) {
		d := c.a.I64[i] - c.b.I64[i]
		c.out.Ivals[i] = vec.IntervalValue{Days: int32(d / microsPerDay), Micros: d % microsPerDay}
	}
}

// timeShift moves a time of day round the clock; months and days leave it where it is.
func timeShift(sign int64) func(c *binaryRun) {
	return func(c *binaryRun) {
		for _, i := range c.rows(c.sel) {
			_, c.out.I64[i] = floorDiv(c.a.I64[i]+sign*(c.b.Ivals[i].Micros%microsPerDay), microsPerDay)
		}
	}
}

// storeInterval puts an interval together from its parts, and reports false when one does not fit.
func storeInterval(v *vec.Vector, i int32, months, days, micros int64, ok bool) bool {
	v.Ivals[i] = vec.IntervalValue{Months: int32(months), Days: int32(days), Micros: micros}
	return ok && months == int64(int32(months)) && days == int64(int32(days))
}

func intervalAdd(op string, sign int64) func(c *binaryRun) {
	return func(c *binaryRun) {
		for _, i := range c.rows(c.sel) {
			x, y := c.a.Ivals[i], c.b.Ivals[i]
			us, ok := addScaled(x.Micros, y.Micros, sign)
			if !storeInterval(c.out, i, int64(x.Months)+sign*int64(y.Months), int64(x.Days)+sign*int64(y.Days), us, ok) {
				c.overflow(i, op)
			}
		}
	}
}

func intervalTimes(c *binaryRun) {
	for _, i := range c.rows(c.sel) {
		x, n := c.a.Ivals[i], c.b.I64[i]
		months, ok1 := mulInt64(int64(x.Months), n)
		days, ok2 := mulInt64(int64(x.Days), n)
		us, ok3 := mulInt64(x.Micros, n)
		if !storeInterval(c.out, i, months, days, us, ok1 && ok2 && ok3) {
			c.overflow(i, "*")
		}
	}
}

// millionths rounds to six decimals, which takes away what a factor of few decimals leaves in binary.
func millionths(x float64) float64 { return math.RoundToEven(x*1e6) / 1e6 }

// intervalScale multiplies by a DOUBLE or by its inverse, which is how DuckDB divides. A part of a month goes to days of 30 to the month, a part of a day
// to µs. Division by zero is NULL.
func intervalScale(op string, divide bool) func(c *binaryRun) {
	return func(c *binaryRun) {
		for _, i := range c.rows(c.sel) {
			x, f := c.a.Ivals[i], c.b.F64[i]
			scale := func(n float64) float64 { return float64(n * f) }
			if divide {
				if f == 0 {
					c.out.SetNull(int(i))
					continue
				}
				inverse := 1 / f
				scale = func(n float64) float64 { return float64(n * inverse) }
			}
			months, part := math.Modf(scale(float64(x.Months)))
			wholeDays, part := math.Modf(millionths(float64(part * 30)))
			days, dayPart := math.Modf(scale(float64(x.Days)))
			seconds := millionths(float64((dayPart + part) * 86400))
			carry, part := math.Modf(seconds / 86400)
			if carry != 0 {
				seconds = millionths(float64(part * 86400))
			}
			days += wholeDays + carry
			us := math.RoundToEven(scale(float64(x.Micros)) + float64(seconds*microsPerSecond))
			ok := months >= -1<<31 && months < 1<<31 && days >= -1<<31 && days < 1<<31 && us >= -1<<63 && us < 1<<63
			if !ok || !storeInterval(c.out, i, int64(months), int64(days), int64(us), true) {
				c.overflow(i, op)
			}
		}
	}
}
