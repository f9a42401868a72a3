package naive

import (
	"math/big"
	"time"

	"ubik/internal/sql"
)

func timeArithmetic(op sql.BinaryOp, a, b *node) (*node, error) {
	ta, tb := a.typ, b.typ
	if op == sql.OpAdd && (tb.isInstant() || tb.Name == "DATE") && !ta.isInstant() && ta.Name != "DATE" ||
		op == sql.OpMul && tb.Name == "INTERVAL" {
		a, b, ta, tb = b, a, tb, ta
	}
	sign := int64(1)
	if op == sql.OpSub {
		sign = -1
	}
	additive := op == sql.OpAdd || op == sql.OpSub
	ts := named("TIMESTAMP")
	switch {
	case additive && ta.Name == "DATE" && tb.isInt():
		return strict(ta, func(v []any) (any, error) {
			d := new(big.Int).Mul(v[1].(*big.Int), big.NewInt(sign))
			d.Add(d, big.NewInt(v[0].(int64)))
			if !d.IsInt64() || d.Int64() > 1e7 || d.Int64() < -1e7 || !inRange(d.Int64()*day) {
				return nil, fault("the date is out of range")
			}
			return d.Int64(), nil
		}, a, b), nil
	case op == sql.OpAdd && ta.Name == "DATE" && tb.Name == "TIME":
		return strict(ts, func(v []any) (any, error) { return shift(v[0].(int64), interval{0, 0, v[1].(int64)}) }, to(a, ts), b), nil
	case op == sql.OpSub && ta.Name == "DATE" && tb.Name == "DATE":
		return strict(named("BIGINT"), func(v []any) (any, error) { return big.NewInt(v[0].(int64) - v[1].(int64)), nil }, a, b), nil
	case additive && (ta.isInstant() || ta.Name == "DATE") && tb.Name == "INTERVAL":
		t := ta
		if ta.Name == "DATE" {
			t = ts
		}
		return strict(t, func(v []any) (any, error) {
			iv := v[1].(interval)
			return shift(v[0].(int64), interval{sign * iv.months, sign * iv.days, sign * iv.micros})
		}, to(a, t), b), nil
	case op == sql.OpSub && (ta.isInstant() || ta.Name == "DATE") && (tb.isInstant() || tb.Name == "DATE"):
		return strict(named("INTERVAL"), func(v []any) (any, error) {
			d := v[0].(int64) - v[1].(int64)
			return interval{0, d / day, d % day}, nil
		}, to(a, ts), to(b, ts)), nil
	case additive && ta.Name == "INTERVAL" && tb.Name == "INTERVAL":
		return strict(ta, func(v []any) (any, error) {
			x, y := v[0].(interval), v[1].(interval)
			return interval{x.months + sign*y.months, x.days + sign*y.days, x.micros + sign*y.micros}, nil
		}, a, b), nil
	case op == sql.OpMul && ta.Name == "INTERVAL" && tb.isInt():
		return strict(ta, func(v []any) (any, error) {
			x, n := v[0].(interval), v[1].(*big.Int).Int64()
			return interval{x.months * n, x.days * n, x.micros * n}, nil
		}, a, b), nil
	}
	return nil, unsupported("%s %s %s", ta, op, tb)
}

// shift moves an instant by the months of an interval, a day the month does not have becoming its last, then by its
// days, then by its µs.
func shift(us int64, iv interval) (any, error) {
	out := shiftAny(us, iv)
	if !inRange(out) {
		return nil, fault("the timestamp is out of range")
	}
	return out, nil
}

func shiftAny(us int64, iv interval) int64 {
	d := floor(us, day)
	clock := us - d*day
	date := time.Unix(d*86400, 0).UTC()
	if iv.months != 0 {
		first := time.Date(date.Year(), date.Month()+time.Month(iv.months), 1, 0, 0, 0, 0, time.UTC)
		last := first.AddDate(0, 1, -1).Day()
		date = first.AddDate(0, 0, min(date.Day(), last)-1)
	}
	return date.UnixMicro() + iv.days*day + clock + iv.micros
}

// months counts the months from year 0 on to the month that holds an instant.
func months(us int64) int64 {
	t := instant(us)
	return int64(t.Year())*12 + int64(t.Month()) - 1
}

func monthStart(n int64) int64 {
	return time.Date(0, time.Month(n)+1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
}

// truncate is the start of the part of time that holds an instant.
func truncate(part string, us int64) (int64, bool) {
	t := instant(us)
	at := func(y int, m time.Month, d int) int64 { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).UnixMicro() }
	switch part {
	case "microsecond", "microseconds":
		return us, true
	case "millisecond", "milliseconds":
		return floor(us, 1000) * 1000, true
	case "second", "seconds":
		return floor(us, second) * second, true
	case "minute", "minutes":
		return floor(us, 60*second) * 60 * second, true
	case "hour", "hours":
		return floor(us, 3600*second) * 3600 * second, true
	case "day", "days":
		return floor(us, day) * day, true
	case "week", "weeks":
		back := (int(t.Weekday()) + 6) % 7
		return at(t.Year(), t.Month(), t.Day()-back), true
	case "month", "months":
		return at(t.Year(), t.Month(), 1), true
	case "quarter", "quarters":
		return at(t.Year(), (t.Month()-1)/3*3+1, 1), true
	case "year", "years":
		return at(t.Year(), 1, 1), true
	}
	return 0, false
}

// part is a number out of an instant.
func part(name string, us int64) (int64, bool) {
	t := instant(us)
	_, week := t.ISOWeek()
	inDay := us - floor(us, day)*day
	switch name {
	case "microsecond", "microseconds":
		return inDay % (60 * second), true
	case "millisecond", "milliseconds":
		return inDay % (60 * second) / 1000, true
	case "second", "seconds":
		return int64(t.Second()), true
	case "minute", "minutes":
		return int64(t.Minute()), true
	case "hour", "hours":
		return int64(t.Hour()), true
	case "day", "days":
		return int64(t.Day()), true
	case "dow", "dayofweek", "weekday":
		return int64(t.Weekday()), true
	case "isodow":
		return (int64(t.Weekday())+6)%7 + 1, true
	case "doy", "dayofyear":
		return int64(t.YearDay()), true
	case "week", "weeks":
		return int64(week), true
	case "month", "months":
		return int64(t.Month()), true
	case "quarter", "quarters":
		return (int64(t.Month())-1)/3 + 1, true
	case "year", "years":
		return int64(t.Year()), true
	}
	return 0, false
}
