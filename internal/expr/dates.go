package expr

import (
	"math"

	"ubik/internal/vec"
)

// datePart is a field of a date and time.
type datePart struct {
	name    string
	aliases []string
	// of gives the field of a day and a time of day.
	of func(days, us int64) int64
	// ofInterval gives it of an interval; nil: an interval has no such field.
	ofInterval func(iv vec.IntervalValue) int64
	clock      bool // a time of day has it
}

func civilYear(days int64) int64 {
	y, _, _ := CivilFromDays(days)
	return y
}

func yearOf(iv vec.IntervalValue) int64 { return int64(iv.Months / 12) }

// centuryOf counts from 1; there is no century 0.
func centuryOf(year, length int64) int64 {
	if year > 0 {
		return (year-1)/length + 1
	}
	return year/length - 1
}

var dateParts = []datePart{
	{name: "year", aliases: []string{"years", "yr", "yrs", "y"}, of: func(d, _ int64) int64 { return civilYear(d) }, ofInterval: yearOf},
	{name: "month", aliases: []string{"months", "mon", "mons"}, of: func(d, _ int64) int64 {
		_, m, _ := CivilFromDays(d)
		return m
	}, ofInterval: func(iv vec.IntervalValue) int64 { return int64(iv.Months % 12) }},
	{name: "day", aliases: []string{"days", "d", "dayofmonth"}, of: func(d, _ int64) int64 {
		_, _, day := CivilFromDays(d)
		return day
	}, ofInterval: func(iv vec.IntervalValue) int64 { return int64(iv.Days) }},
	{name: "decade", aliases: []string{"decades", "dec", "decs"}, of: func(d, _ int64) int64 { return civilYear(d) / 10 },
		ofInterval: func(iv vec.IntervalValue) int64 { return yearOf(iv) / 10 }},
	{name: "century", aliases: []string{"centuries", "cent", "c"}, of: func(d, _ int64) int64 { return centuryOf(civilYear(d), 100) },
		ofInterval: func(iv vec.IntervalValue) int64 { return yearOf(iv) / 100 }},
	{name: "millennium", aliases: []string{"millennia", "millenniums", "mil", "mils"}, of: func(d, _ int64) int64 { return centuryOf(civilYear(d), 1000) },
		ofInterval: func(iv vec.IntervalValue) int64 { return yearOf(iv) / 1000 }},
	{name: "quarter", aliases: []string{"quarters"}, of: func(d, _ int64) int64 {
		_, m, _ := CivilFromDays(d)
		return (m-1)/3 + 1
	}, ofInterval: func(iv vec.IntervalValue) int64 { return int64(iv.Months%12)/3 + 1 }},
	{name: "week", aliases: []string{"weeks", "w", "weekofyear"}, of: func(d, _ int64) int64 {
		_, w := isoWeek(d)
		return w
	}},
	{name: "dow", aliases: []string{"dayofweek", "weekday"}, of: func(d, _ int64) int64 { return (weekday(d) + 1) % 7 }},
	{name: "isodow", of: func(d, _ int64) int64 { return weekday(d) + 1 }},
	{name: "doy", aliases: []string{"dayofyear"}, of: func(d, _ int64) int64 { return d - DaysFromCivil(civilYear(d), 1, 1) + 1 }},
	{name: "isoyear", of: func(d, _ int64) int64 {
		y, _ := isoWeek(d)
		return y
	}},
	{name: "yearweek", of: func(d, _ int64) int64 {
		y, w := isoWeek(d)
		return y*100 + w
	}},
	{name: "era", of: func(d, _ int64) int64 { return int64(mark(civilYear(d) > 0)) }},
	{name: "hour", aliases: []string{"hours", "hr", "hrs", "h"}, clock: true, of: func(_, us int64) int64 { return us / microsPerHour },
		ofInterval: func(iv vec.IntervalValue) int64 { return iv.Micros / microsPerHour }},
	{name: "minute", aliases: []string{"minutes", "min", "mins", "m"}, clock: true, of: func(_, us int64) int64 { return us / microsPerMinute % 60 },
		ofInterval: func(iv vec.IntervalValue) int64 { return iv.Micros / microsPerMinute % 60 }},
	{name: "second", aliases: []string{"seconds", "sec", "secs", "s"}, clock: true, of: func(_, us int64) int64 { return us / microsPerSecond % 60 },
		ofInterval: func(iv vec.IntervalValue) int64 { return iv.Micros / microsPerSecond % 60 }},
	{name: "millisecond", aliases: []string{"milliseconds", "ms", "msec", "msecs"}, clock: true, of: func(_, us int64) int64 { return us % microsPerMinute / 1000 },
		ofInterval: func(iv vec.IntervalValue) int64 { return iv.Micros % microsPerMinute / 1000 }},
	{name: "microsecond", aliases: []string{"microseconds", "us", "usec", "usecs"}, clock: true, of: func(_, us int64) int64 { return us % microsPerMinute },
		ofInterval: func(iv vec.IntervalValue) int64 { return iv.Micros % microsPerMinute }},
}

// findPart returns the field of a name in lower case, or nil.
func findPart(name string) *datePart {
	for i := range dateParts {
		p := &dateParts[i]
		if p.name == name {
			return p
		}
		for _, a := range p.aliases {
			if a == name {
				return p
			}
		}
	}
	return nil
}

// truncDays brings a day to the first of its week, month or longer unit; ok is false for a unit shorter than a day.
func truncDays(unit string, days int64) (int64, bool) {
	y, m, _ := CivilFromDays(days)
	switch unit {
	case "millennium":
		y, m = y/1000*1000, 1
	case "century":
		y, m = y/100*100, 1
	case "decade":
		y, m = y/10*10, 1
	case "year":
		m = 1
	case "quarter":
		m = (m-1)/3*3 + 1
	case "month":
	case "week", "yearweek":
		return days - weekday(days), true
	case "isoyear":
		_, w := isoWeek(days)
		return days - weekday(days) - (w-1)*7, true
	case "day", "dow", "isodow", "doy":
		return days, true
	default:
		return days, false
	}
	return DaysFromCivil(y, m, 1), true
}

// clockUnit is the length in µs of a unit shorter than a day, 0 for others.
func clockUnit(unit string) int64 {
	switch unit {
	case "hour":
		return microsPerHour
	case "minute":
		return microsPerMinute
	case "second":
		return microsPerSecond
	case "millisecond":
		return 1000
	case "microsecond":
		return 1
	}
	return 0
}

// truncInterval sets to zero what is below the unit. Of months, years and longer units keep what divides evenly.
func truncInterval(unit string, iv vec.IntervalValue) vec.IntervalValue {
	if us := clockUnit(unit); us > 0 {
		iv.Micros -= iv.Micros % us
		return iv
	}
	iv.Micros = 0
	months := int32(0)
	switch unit {
	case "millennium":
		months = 12000
	case "century":
		months = 1200
	case "decade":
		months = 120
	case "year", "isoyear":
		months = 12
	case "quarter":
		months = 3
	case "month":
		months = 1
	case "week", "yearweek":
		iv.Days -= iv.Days % 7
		return iv
	default:
		return iv
	}
	iv.Days = 0
	iv.Months -= iv.Months % months
	return iv
}

// crossed counts the starts of a unit between two instants (µs), as date_diff does; ok is false for no such unit.
func crossed(unit string, from, to int64) (n int64, ok bool) {
	if us := clockUnit(unit); us > 0 {
		a, _ := floorDiv(from, us)
		b, _ := floorDiv(to, us)
		return b - a, true
	}
	a, _ := floorDiv(from, microsPerDay)
	b, _ := floorDiv(to, microsPerDay)
	ya, ma, _ := CivilFromDays(a)
	yb, mb, _ := CivilFromDays(b)
	switch unit {
	case "day", "dow", "isodow", "doy":
		return b - a, true
	case "week", "yearweek":
		// DuckDB counts seven days as a week here, whatever day of the week they start on.
		return (b - a) / 7, true
	case "month":
		return (yb*12 + mb) - (ya*12 + ma), true
	case "quarter":
		return (yb*12+mb-1)/3 - (ya*12+ma-1)/3, true
	case "year":
		return yb - ya, true
	case "decade":
		return yb/10 - ya/10, true
	case "century":
		return yb/100 - ya/100, true
	case "millennium":
		return yb/1000 - ya/1000, true
	case "isoyear":
		ia, _ := isoWeek(a)
		ib, _ := isoWeek(b)
		return ib - ia, true
	}
	return 0, false
}

// complete counts the whole units between two instants (µs), as date_sub does.
func complete(unit string, from, to int64) (n int64, ok bool) {
	if us := clockUnit(unit); us > 0 {
		return (to - from) / us, true
	}
	months := int64(0)
	switch unit {
	case "day", "dow", "isodow", "doy":
		return (to - from) / microsPerDay, true
	case "week", "yearweek":
		return (to - from) / (7 * microsPerDay), true
	case "month":
		months = 1
	case "quarter":
		months = 3
	case "year", "isoyear":
		months = 12
	case "decade":
		months = 120
	case "century":
		months = 1200
	case "millennium":
		months = 12000
	default:
		return 0, false
	}
	if to < from {
		n, _ = complete("month", to, from)
		return -n / months, true
	}
	a, us := floorDiv(from, microsPerDay)
	b, usTo := floorDiv(to, microsPerDay)
	y, m, d := CivilFromDays(a)
	yTo, mTo, dTo := CivilFromDays(b)
	n = (yTo*12 + mTo) - (y*12 + m)
	// A month is whole when the day of the start has come again, or the month that is too short for it has ended.
	if dTo < d && !(dTo == daysInMonth(yTo, mTo) && d > dTo) || dTo <= d && usTo < us {
		n--
	}
	return n / months, true
}

// Where time_bucket counts from unless told otherwise: Monday 2000-01-03, and 2000-01-01 for months.
const (
	bucketOrigin      int64 = 946857600000000
	bucketMonthOrigin int64 = 946684800000000
)

// timeBucket returns the start of the bucket that ts (µs since 1970 UTC) is in, where buckets are width long and one
// starts at origin. Width is of days and µs, or of months alone, and positive; buckets of months start on the first of
// the month and count from the origin's. It
// reports false for another width and for a start outside the range of TIMESTAMP.
func timeBucket(width vec.IntervalValue, ts, origin int64) (int64, bool) {
	if width.Months != 0 {
		if width.Months < 0 || width.Days != 0 || width.Micros != 0 {
			return 0, false
		}
		days, _ := floorDiv(ts, microsPerDay)
		from, _ := floorDiv(origin, microsPerDay)
		y, m, _ := CivilFromDays(days)
		fy, fm, _ := CivilFromDays(from)
		_, into := floorDiv((y*12+m)-(fy*12+fm), int64(width.Months))
		y, m = monthsLater(y, m, -into)
		start := DaysFromCivil(y, m, 1) * microsPerDay
		return start, vec.Time(start).InRange()
	}
	us, ok := addScaled(width.Micros, int64(width.Days), microsPerDay)
	if !ok || us <= 0 {
		return 0, false
	}
	d := ts - origin
	_, r := floorDiv(d, us)
	start := ts - r
	return start, vec.Time(start).InRange()
}

// bucketOriginOf is the origin that time_bucket uses for a width.
func bucketOriginOf(width vec.IntervalValue) int64 {
	if width.Months != 0 {
		return bucketMonthOrigin
	}
	return bucketOrigin
}

// fromSeconds is a number of seconds as µs, rounded, and false when it is no TIMESTAMP.
func fromSeconds(s float64) (int64, bool) {
	us := math.RoundToEven(s * microsPerSecond)
	if !(us >= float64(vec.MinTime) && us <= float64(vec.MaxTime)) {
		return 0, false
	}
	return int64(us), true
}
