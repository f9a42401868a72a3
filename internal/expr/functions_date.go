package expr

import (
	"fmt"
	"math"
	"strings"

	"ubik/internal/vec"
)

// wordMap makes a kernel of a function of one word.
func wordMap(f func(x int64) int64) func(c *Call) {
	return func(c *Call) {
		for _, i := range c.Rows {
			c.Out.I64[i] = f(c.Args[0].I64[i])
		}
	}
}

// epochUnit makes the overloads of epoch_ms and its like: a count of units of so many µs, cut towards zero, or so many
// to the µs.
func epochUnit(name string, div, mul int64) []Overload {
	kernel := func(factor int64) func(c *Call) {
		return func(c *Call) {
			for _, i := range c.Rows {
				n, ok := mulInt64(c.Args[0].I64[i]*factor/div, mul)
				if !ok {
					c.bad(i, "overflow: "+name+"("+string(AppendText(nil, c.Args[0], int(i)))+") is out of range for BIGINT")
				}
				c.Out.I64[i] = n
			}
		}
	}
	fails := mul > 1
	return []Overload{
		{Args: kinds(vec.Timestamp), Result: vec.Int64, Kernel: kernel(1), Fails: fails},
		{Args: kinds(vec.Date), Result: vec.Int64, Kernel: kernel(microsPerDay), Fails: fails},
		{Args: kinds(vec.TimestampTZ), Result: vec.Int64, Kernel: kernel(1), Fails: fails},
		{Args: kinds(vec.TimeOfDay), Result: vec.Int64, Kernel: kernel(1), Fails: fails},
		{Args: kinds(vec.Interval), Result: vec.Int64, Fails: true, Kernel: func(c *Call) {
			for _, i := range c.Rows {
				iv := c.Args[0].Ivals[i]
				n, ok := addScaled(iv.Micros/div, int64(iv.Months)*30+int64(iv.Days), microsPerDay/div)
				n, ok2 := mulInt64(n, mul)
				if !ok || !ok2 {
					c.bad(i, "overflow: "+string(appendInterval(nil, iv))+" is too long")
				}
				c.Out.I64[i] = n
			}
		}},
	}
}

// instantOf makes a TIMESTAMP kernel of a count of units of so many µs.
func instantOf(name string, micros int64) func(c *Call) {
	return func(c *Call) {
		for _, i := range c.Rows {
			us, ok := mulInt64(c.Args[0].I64[i], micros)
			if !ok || !vec.Time(us).InRange() {
				c.bad(i, fmt.Sprintf("%s(%d): outside the years 0001 to 9999", name, c.Args[0].I64[i]))
				continue
			}
			c.Out.I64[i] = us
		}
	}
}

func toTimestamp(c *Call) {
	for _, i := range c.Rows {
		us, ok := fromSeconds(c.Args[0].F64[i])
		if !ok {
			c.bad(i, "to_timestamp("+string(appendDouble(nil, c.Args[0].F64[i]))+"): outside the years 0001 to 9999")
			continue
		}
		c.Out.I64[i] = us
	}
}

func makeTimestamp(c *Call) {
	for _, i := range c.Rows {
		var v [5]int64
		for k := range v {
			v[k] = c.Args[k].I64[i]
		}
		s := c.Args[5].F64[i]
		if !validDate(v[0], v[1], v[2]) || v[3] < 0 || v[3] > 23 || v[4] < 0 || v[4] > 59 || !(s >= 0 && s < 60) {
			c.bad(i, fmt.Sprintf("make_timestamp(%d, %d, %d, %d, %d, %s): no such date or time", v[0], v[1], v[2], v[3], v[4], appendDouble(nil, s)))
			continue
		}
		us := DaysFromCivil(v[0], v[1], v[2])*microsPerDay + v[3]*microsPerHour + v[4]*microsPerMinute
		c.Out.I64[i] = us + int64(math.Round(s*microsPerSecond))
	}
}

func validDate(y, m, d int64) bool {
	return y >= 1 && y <= 9999 && m >= 1 && m <= 12 && d >= 1 && d <= daysInMonth(y, m)
}

func makeDate(c *Call) {
	for _, i := range c.Rows {
		y, m, d := c.Args[0].I64[i], c.Args[1].I64[i], c.Args[2].I64[i]
		if !validDate(y, m, d) {
			c.bad(i, fmt.Sprintf("make_date(%d, %d, %d): no such date", y, m, d))
			continue
		}
		c.Out.I64[i] = DaysFromCivil(y, m, d)
	}
}

// unitArg is the canonical name of the unit in a literal argument.
func unitArg(function string, e Expr) (string, error) {
	name, err := literalArg(function, "unit", e)
	if err != nil {
		return "", err
	}
	p := findPart(strings.ToLower(name))
	if p == nil || p.name == "era" {
		return "", fmt.Errorf("%s: no unit %q; units: microsecond, millisecond, second, minute, hour, day, week, month, quarter, year, decade, century, millennium", function, name)
	}
	return p.name, nil
}

func truncKernel(k vec.Kind) func(args []Expr) (func(c *Call), error) {
	return func(args []Expr) (func(c *Call), error) {
		unit, err := unitArg("date_trunc", args[0])
		if err != nil {
			return nil, err
		}
		us := clockUnit(unit)
		return func(c *Call) {
			x := c.Args[1]
			for _, i := range c.Rows {
				switch {
				case k == vec.Interval:
					c.Out.Ivals[i] = truncInterval(unit, x.Ivals[i])
					continue
				case us > 0 && k == vec.Date:
					c.Out.I64[i] = x.I64[i] * microsPerDay
					continue
				case us > 0:
					_, r := floorDiv(x.I64[i], us)
					c.Out.I64[i] = x.I64[i] - r
					continue
				}
				days := x.I64[i]
				if k != vec.Date {
					days, _ = floorDiv(days, microsPerDay)
				}
				days, _ = truncDays(unit, days)
				if days < minDay {
					c.bad(i, "date_trunc: the start of the "+unit+" is before the year 0001")
					continue
				}
				c.Out.I64[i] = days * microsPerDay
			}
		}, nil
	}
}

// between makes the overloads of date_diff and date_sub.
func between(function string, count func(unit string, from, to int64) (int64, bool)) []Overload {
	var out []Overload
	for _, k := range instantKinds {
		factor := int64(1)
		if k == vec.Date {
			factor = microsPerDay
		}
		out = append(out, Overload{Args: kinds(vec.Varchar, k, k), Result: vec.Int64, Prepare: func(args []Expr) (func(c *Call), error) {
			unit, err := unitArg(function, args[0])
			if err != nil {
				return nil, err
			}
			return func(c *Call) {
				for _, i := range c.Rows {
					c.Out.I64[i], _ = count(unit, c.Args[1].I64[i]*factor, c.Args[2].I64[i]*factor)
				}
			}, nil
		}})
	}
	return out
}

// bucketOverloads are those of time_bucket, for a kind: width and value, and an offset or origin if any.
func bucketOverloads(k vec.Kind) []Overload {
	kernel := func(shifted, origin bool) func(c *Call) {
		return func(c *Call) {
			factor := int64(1)
			if k == vec.Date {
				factor = microsPerDay
			}
			for _, i := range c.Rows {
				width := c.Args[0].Ivals[i]
				ts, from, ok := c.Args[1].I64[i]*factor, bucketOriginOf(width), true
				var back vec.IntervalValue
				if shifted {
					back = c.Args[2].Ivals[i]
					forth, valid := negInterval(back)
					if ts, ok = addInterval(ts, forth); !valid {
						ok = false
					}
				} else if origin {
					from = c.Args[2].I64[i] * factor
				}
				if ok {
					ts, ok = timeBucket(width, ts, from)
				}
				if ok && shifted {
					ts, ok = addInterval(ts, back)
				}
				if !ok {
					c.bad(i, "time_bucket("+string(appendInterval(nil, width))+", …): the width must be positive, of months alone or without them, and the bucket within the years 0001 to 9999")
					continue
				}
				c.Out.I64[i], _ = floorDiv(ts, factor)
			}
		}
	}
	return []Overload{
		{Args: kinds(vec.Interval, k), Result: k, Kernel: kernel(false, false), Fails: true},
		{Args: kinds(vec.Interval, k, vec.Interval), Result: k, Kernel: kernel(true, false), Fails: true},
		{Args: kinds(vec.Interval, k, k), Result: k, Kernel: kernel(false, true), Fails: true},
	}
}

// lastDay is the last day of the month.
func lastDay(days int64) int64 {
	y, m, _ := CivilFromDays(days)
	return DaysFromCivil(y, m, daysInMonth(y, m))
}

// toInterval is a function that makes an interval of a number of units.
func toInterval(name, unitName string, u unit, whole bool, want string) Function {
	kernel := func(c *Call) {
		for _, i := range c.Rows {
			var months, days, us int64
			ok := true
			if whole {
				n := c.Args[0].I64[i]
				var ok1, ok2, ok3 bool
				months, ok1 = mulInt64(n, int64(u.months))
				days, ok2 = mulInt64(n, int64(u.days))
				us, ok3 = mulInt64(n, u.micros)
				ok = ok1 && ok2 && ok3
			} else {
				f := math.RoundToEven(c.Args[0].F64[i] * float64(u.micros))
				ok = math.Abs(f) < 1<<63
				us = int64(f)
			}
			if !ok || !storeInterval(c.Out, i, months, days, us, true) {
				c.bad(i, "overflow: "+name+"("+string(AppendText(nil, c.Args[0], int(i)))+") is out of range for INTERVAL")
			}
		}
	}
	arg := vec.Int64
	if !whole {
		arg = vec.Double
	}
	return Function{
		Name: name, Doc: "An interval of so many " + unitName + ".",
		Overloads: []Overload{{Args: kinds(arg), Result: vec.Interval, Kernel: kernel, Fails: true}},
		Examples:  []Example{{name + "(2)", want, ""}, {name + "(0)", "00:00:00", ""}, {name + "(NULL)", "NULL", ""}},
	}
}

// buildTimezone is x AT TIME ZONE 'UTC', the only zone known.
func buildTimezone(args []Expr) (Expr, error) {
	zone, err := literalArg("timezone", "zone", args[0])
	if err != nil {
		return nil, err
	}
	if z := strings.ToUpper(zone); z != "UTC" && z != "Z" && z != "GMT" && z != "ETC/UTC" {
		return nil, fmt.Errorf("timezone: the zone %q is not known, only UTC is: zones with summer time are not there; shift by a fixed offset: UTC in a zone an hour ahead is x + INTERVAL 1 HOUR, its times in UTC are x - INTERVAL 1 HOUR", zone)
	}
	switch args[1].Type().Kind {
	case vec.Timestamp, vec.Date:
		return NewCast(args[1], vec.TypeOf(vec.TimestampTZ), false)
	case vec.TimestampTZ:
		return NewCast(args[1], timestampType, false)
	}
	return nil, noForm("timezone", []string{"timezone(VARCHAR, TIMESTAMP)", "timezone(VARCHAR, TIMESTAMP WITH TIME ZONE)"}, args)
}

func dateFunctions() []Function {
	var truncs, buckets []Overload
	for _, k := range instantKinds {
		result := k
		if k == vec.Date {
			result = vec.Timestamp
		}
		truncs = append(truncs, Overload{Args: kinds(vec.Varchar, k), Result: result, Prepare: truncKernel(k), Fails: true})
		buckets = append(buckets, bucketOverloads(k)...)
	}
	truncs = append(truncs, Overload{Args: kinds(vec.Varchar, vec.Interval), Result: vec.Interval, Prepare: truncKernel(vec.Interval)})
	operator := func(form, op string) func(args []Expr) (Expr, error) {
		return counted(form, 2, 2, func(args []Expr) (Expr, error) { return NewBinary(op, args[0], args[1]) })
	}
	return []Function{
		{
			Name: "epoch_ms", Doc: "Milliseconds since 1970 UTC; of a BIGINT, the TIMESTAMP that many after 1970.",
			Overloads: append(epochUnit("epoch_ms", 1000, 1), Overload{Args: kinds(vec.Int64), Result: vec.Timestamp, Kernel: instantOf("epoch_ms", 1000), Fails: true}),
			Examples: []Example{{"epoch_ms(TIMESTAMP '2020-01-01 00:00:00.123456')", "1577836800123", ""}, {"epoch_ms(1577836800123)", "2020-01-01 00:00:00.123", ""}, {"epoch_ms(-1)", "1969-12-31 23:59:59.999", ""},
				{"epoch_ms(DATE '1969-12-31')", "-86400000", ""}, {"epoch_ms(INTERVAL '1 month 1 second')", "2592001000", ""}, {"epoch_ms(NULL::TIMESTAMP)", "NULL", ""}},
		},
		{
			Name: "epoch_us", Doc: "Microseconds since 1970 UTC.", Overloads: epochUnit("epoch_us", 1, 1),
			Examples: []Example{{"epoch_us(TIMESTAMP '2020-01-01 00:00:00.123456')", "1577836800123456", ""}, {"epoch_us(DATE '1969-12-31')", "-86400000000", ""}, {"epoch_us(NULL::DATE)", "NULL", ""}},
		},
		{
			Name: "epoch_ns", Doc: "Nanoseconds since 1970 UTC.", Overloads: epochUnit("epoch_ns", 1, 1000),
			Examples: []Example{{"epoch_ns(TIMESTAMP '2020-01-01 00:00:00.5')", "1577836800500000000", ""}, {"epoch_ns(DATE '1969-12-31')", "-86400000000000", ""}, {"epoch_ns(NULL::DATE)", "NULL", ""}},
		},
		{
			Name: "to_timestamp", Doc: "The instant so many seconds after 1970 UTC.",
			Overloads: []Overload{{Args: kinds(vec.Double), Result: vec.TimestampTZ, Kernel: toTimestamp, Fails: true}},
			Examples:  []Example{{"to_timestamp(1.5)", "1970-01-01 00:00:01.5+00", ""}, {"to_timestamp(0)", "1970-01-01 00:00:00+00", ""}, {"to_timestamp(-1)", "1969-12-31 23:59:59+00", ""}, {"to_timestamp(NULL)", "NULL", ""}},
		},
		{
			Name: "make_timestamp", Doc: "A TIMESTAMP of year, month, day, hour, minute and second, or of microseconds since 1970.",
			Overloads: []Overload{
				{Args: kinds(vec.Int64), Result: vec.Timestamp, Kernel: instantOf("make_timestamp", 1), Fails: true},
				{Args: kinds(vec.Int64, vec.Int64, vec.Int64, vec.Int64, vec.Int64, vec.Double), Result: vec.Timestamp, Kernel: makeTimestamp, Fails: true},
			},
			Examples: []Example{{"make_timestamp(2020, 1, 2, 3, 4, 5.6)", "2020-01-02 03:04:05.6", ""}, {"make_timestamp(1500000)", "1970-01-01 00:00:01.5", ""}, {"make_timestamp(-1)", "1969-12-31 23:59:59.999999", ""}, {"make_timestamp(NULL::BIGINT)", "NULL", ""}},
		},
		{
			Name: "make_date", Doc: "A DATE of year, month and day.",
			Overloads: []Overload{{Args: kinds(vec.Int64, vec.Int64, vec.Int64), Result: vec.Date, Kernel: makeDate, Fails: true}},
			Examples:  []Example{{"make_date(2020, 1, 2)", "2020-01-02", ""}, {"make_date(1969, 12, 31)", "1969-12-31", ""}, {"make_date(2024, 2, 29)", "2024-02-29", ""}, {"make_date(2020, NULL, 1)", "NULL", ""}},
		},
		{
			Name: "date_trunc", Aliases: []string{"datetrunc"}, Doc: "The start of the unit (a literal) that the instant is in; of an interval, what is below the unit is cut.", Overloads: truncs,
			Examples: []Example{{"date_trunc('month', TIMESTAMP '2020-03-15 10:11:12')", "2020-03-01 00:00:00", ""}, {"date_trunc('week', TIMESTAMP '2020-03-15 10:11:12')", "2020-03-09 00:00:00", ""}, {"date_trunc('hour', TIMESTAMP '1969-12-31 23:59:59')", "1969-12-31 23:00:00", ""},
				{"date_trunc('quarter', DATE '2020-03-15')", "2020-01-01 00:00:00", ""}, {"date_trunc('milliseconds', TIMESTAMP '2020-01-01 00:00:00.123456')", "2020-01-01 00:00:00.123", ""}, {"date_trunc('decade', DATE '1969-12-31')", "1960-01-01 00:00:00", ""},
				{"date_trunc('day', INTERVAL '3 days 5 hours')", "3 days", ""}, {"date_trunc('century', DATE '1969-12-31')", "1900-01-01 00:00:00", ""}, {"date_trunc('day', NULL::TIMESTAMP)", "NULL", ""}},
		},
		{
			Name: "date_diff", Aliases: []string{"datediff"}, Doc: "How many starts of the unit (a literal) lie between two instants.", Overloads: between("date_diff", crossed),
			Examples: []Example{{"date_diff('day', DATE '2023-02-15', DATE '2023-03-01')", "14", ""}, {"date_diff('month', TIMESTAMP '2023-02-28 00:00:00', TIMESTAMP '2023-03-01 00:00:00')", "1", ""}, {"date_diff('hour', TIMESTAMP '2023-02-15 00:59:00', TIMESTAMP '2023-02-15 01:00:00')", "1", ""},
				{"date_diff('week', DATE '2023-02-12', DATE '2023-02-19')", "1", ""}, {"date_diff('week', DATE '2023-02-12', DATE '2023-02-13')", "0", ""}, {"date_diff('year', DATE '2023-01-01', DATE '2020-12-31')", "-3", ""}, {"date_diff('day', NULL::DATE, DATE '2020-01-01')", "NULL", ""}},
		},
		{
			Name: "date_sub", Aliases: []string{"datesub"}, Doc: "How many whole units (a literal) lie between two instants.", Overloads: between("date_sub", complete),
			Examples: []Example{{"date_sub('month', TIMESTAMP '2023-02-15 00:00:00', TIMESTAMP '2023-03-14 00:00:00')", "0", ""}, {"date_sub('month', TIMESTAMP '2023-02-15 00:00:00', TIMESTAMP '2023-03-15 00:00:00')", "1", ""}, {"date_sub('hour', TIMESTAMP '2023-02-15 00:59:00', TIMESTAMP '2023-02-15 01:00:00')", "0", ""},
				{"date_sub('year', DATE '2023-01-01', DATE '2020-12-31')", "-2", ""}, {"date_sub('day', NULL::DATE, DATE '2020-01-01')", "NULL", ""}},
		},
		{
			Name: "date_add", Doc: "An instant moved by an interval. The same as +.", Forms: []string{"date_add(TIMESTAMP, INTERVAL)", "date_add(DATE, INTERVAL)"}, build: operator("date_add(TIMESTAMP, INTERVAL)", "+"),
			Examples: []Example{{"date_add(DATE '2020-01-31', INTERVAL '1 month')", "2020-02-29 00:00:00", ""}, {"date_add(TIMESTAMP '2020-01-01 00:00:00', INTERVAL '-1 second')", "2019-12-31 23:59:59", ""}, {"date_add(NULL::DATE, INTERVAL '1 day')", "NULL", ""}},
		},
		{
			Name: "time_bucket", Doc: "The start of the bucket of that width that the instant is in; buckets count from Monday 2000-01-03, or from the given origin, or are moved by the given offset.", Overloads: buckets,
			Examples: []Example{{"time_bucket(INTERVAL '1 week', TIMESTAMP '2020-01-01 00:00:00')", "2019-12-30 00:00:00", ""}, {"time_bucket(INTERVAL '1 month', TIMESTAMP '2020-01-15 00:00:00')", "2020-01-01 00:00:00", ""}, {"time_bucket(INTERVAL '1 day', DATE '1969-12-31')", "1969-12-31", ""},
				{"time_bucket(INTERVAL '7 minutes', TIMESTAMP '2020-01-15 00:00:00', INTERVAL '1 minute')", "2020-01-14 23:58:00", ""}, {"time_bucket(INTERVAL '7 minutes', TIMESTAMP '2020-01-15 00:00:00', TIMESTAMP '2020-01-01 00:00:00')", "2020-01-15 00:00:00", ""},
				{"time_bucket(INTERVAL '5 months', TIMESTAMP '1969-12-31 00:00:00')", "1969-08-01 00:00:00", ""}, {"time_bucket(INTERVAL '1 day', NULL::TIMESTAMP)", "NULL", ""}},
		},
		{
			Name: "last_day", Doc: "The last day of the month.",
			Overloads: []Overload{
				{Args: kinds(vec.Date), Result: vec.Date, Kernel: wordMap(lastDay)},
				{Args: kinds(vec.Timestamp), Result: vec.Date, Kernel: wordMap(func(us int64) int64 {
					d, _ := floorDiv(us, microsPerDay)
					return lastDay(d)
				})},
			},
			Examples: []Example{{"last_day(DATE '2023-02-15')", "2023-02-28", ""}, {"last_day(TIMESTAMP '2024-02-01 10:00:00')", "2024-02-29", ""}, {"last_day(DATE '1969-12-31')", "1969-12-31", ""}, {"last_day(NULL::DATE)", "NULL", ""}},
		},
		{
			Name: "strftime", Doc: "The instant as text, in a format that is a literal: %Y-%m-%d %H:%M:%S and others.", Forms: []string{"strftime(TIMESTAMP, VARCHAR)", "strftime(DATE, VARCHAR)"}, build: buildStrftime,
			Examples: []Example{{"strftime(TIMESTAMP '2020-01-02 03:04:05.678', '%Y-%m-%d %H:%M:%S.%f')", "2020-01-02 03:04:05.678000", ""}, {"strftime(DATE '2020-01-02', '%d/%m/%y %a %A %b %B')", "02/01/20 Thu Thursday Jan January", ""},
				{"strftime(TIMESTAMP '2020-12-31 00:04:05', '%-d %-m %-H %I %p %j %U %W %w %u %V %G %%')", "31 12 0 12 AM 366 52 52 4 4 53 2020 %", ""}, {"strftime(DATE '1969-12-31', 'é')", "é", ""}, {"strftime(NULL::DATE, '%Y')", "NULL", ""}},
		},
		{
			Name: "timezone", Doc: "x AT TIME ZONE z, for UTC: a TIMESTAMP gets the zone or loses it.", Forms: []string{"timezone(VARCHAR, TIMESTAMP)", "timezone(VARCHAR, TIMESTAMP WITH TIME ZONE)"},
			build:    counted("timezone(VARCHAR, TIMESTAMP)", 2, 2, buildTimezone),
			Examples: []Example{{"timezone('UTC', TIMESTAMP '2020-01-01 00:00:00')", "2020-01-01 00:00:00+00", ""}, {"timezone('UTC', to_timestamp(-1))", "1969-12-31 23:59:59", ""}, {"timezone('UTC', NULL::TIMESTAMP)", "NULL", ""}},
		},
		toInterval("to_millennia", "millennia", unit{months: 12000}, true, "2000 years"),
		toInterval("to_centuries", "centuries", unit{months: 1200}, true, "200 years"),
		toInterval("to_decades", "decades", unit{months: 120}, true, "20 years"),
		toInterval("to_years", "years", unit{months: 12}, true, "2 years"),
		toInterval("to_quarters", "quarters", unit{months: 3}, true, "6 months"),
		toInterval("to_months", "months", unit{months: 1}, true, "2 months"),
		toInterval("to_weeks", "weeks", unit{days: 7}, true, "14 days"),
		toInterval("to_days", "days", unit{days: 1}, true, "2 days"),
		toInterval("to_hours", "hours", unit{micros: microsPerHour}, true, "02:00:00"),
		toInterval("to_minutes", "minutes", unit{micros: microsPerMinute}, true, "00:02:00"),
		toInterval("to_seconds", "seconds", unit{micros: microsPerSecond}, false, "00:00:02"),
		toInterval("to_milliseconds", "milliseconds", unit{micros: 1000}, false, "00:00:00.002"),
		toInterval("to_microseconds", "microseconds", unit{micros: 1}, true, "00:00:00.000002"),
	}
}
