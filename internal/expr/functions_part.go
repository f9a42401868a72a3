package expr

import (
	"fmt"
	"strings"

	"ubik/internal/vec"
)

// instantKinds are the types that fields of a date are taken from, in the order of their overloads.
var instantKinds = []vec.Kind{vec.Timestamp, vec.Date, vec.TimestampTZ}

// partKernel takes a field from values of a kind.
func partKernel(p *datePart, k vec.Kind) func(c *Call) {
	switch k {
	case vec.Date:
		return func(c *Call) {
			for _, i := range c.Rows {
				c.Out.I64[i] = p.of(c.Args[0].I64[i], 0)
			}
		}
	case vec.TimeOfDay:
		return func(c *Call) {
			for _, i := range c.Rows {
				c.Out.I64[i] = p.of(0, c.Args[0].I64[i])
			}
		}
	case vec.Interval:
		return func(c *Call) {
			for _, i := range c.Rows {
				c.Out.I64[i] = p.ofInterval(c.Args[0].Ivals[i])
			}
		}
	}
	return func(c *Call) {
		for _, i := range c.Rows {
			c.Out.I64[i] = p.of(floorDiv(c.Args[0].I64[i], microsPerDay))
		}
	}
}

// partOverloads are those of a function that takes one field.
func partOverloads(name string) []Overload {
	p := findPart(name)
	var out []Overload
	for _, k := range instantKinds {
		out = append(out, Overload{Args: kinds(k), Result: vec.Int64, Kernel: partKernel(p, k)})
	}
	if p.ofInterval != nil {
		out = append(out, Overload{Args: kinds(vec.Interval), Result: vec.Int64, Kernel: partKernel(p, vec.Interval)})
	}
	if p.clock {
		out = append(out, Overload{Args: kinds(vec.TimeOfDay), Result: vec.Int64, Kernel: partKernel(p, vec.TimeOfDay)})
	}
	return out
}

const partForms = "date_part(VARCHAR, TIMESTAMP)"

// buildPart is date_part(field, x): the function of the field, a DOUBLE for epoch and julian, else a BIGINT.
func buildPart(args []Expr) (Expr, error) {
	if len(args) != 2 {
		return nil, noForm("date_part", []string{partForms}, args)
	}
	name, err := literalArg("date_part", "field", args[0])
	if err != nil {
		return nil, err
	}
	name = strings.ToLower(name)
	switch name {
	case "epoch", "julian":
		return NewCall(name, args[1:])
	case "timezone", "timezone_hour", "timezone_minute":
		if args[1].Type().Kind != vec.TimestampTZ {
			return nil, fmt.Errorf("date_part(%q, %s): only a TIMESTAMP WITH TIME ZONE has a zone", name, args[1].Type())
		}
		return newCallOp("date_part", args, bigintType, &Overload{Kernel: func(c *Call) {
			for _, i := range c.Rows {
				c.Out.I64[i] = 0 // always UTC
			}
		}})
	}
	p := findPart(name)
	if p == nil {
		return nil, fmt.Errorf("date_part: no field %q; fields: %s", name, partNames())
	}
	f := Function{Name: p.name, Overloads: partOverloads(p.name)}
	return f.resolve(args[1:])
}

func partNames() string {
	names := make([]string, 0, len(dateParts)+2)
	for i := range dateParts {
		names = append(names, dateParts[i].name)
	}
	return strings.Join(append(names, "epoch", "julian"), ", ")
}

func partFunction(name, doc string, aliases []string, examples ...Example) Function {
	return Function{Name: name, Aliases: aliases, Doc: doc, Overloads: partOverloads(name),
		Examples: append(examples, Example{name + "(NULL::TIMESTAMP)", "NULL", ""})}
}

var (
	dayNames   = [7]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
	monthNames = [13]string{"", "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
)

// nameOverloads are those of a function that gives the name of a day or month.
func nameOverloads(name func(days int64) string) []Overload {
	var out []Overload
	for _, k := range instantKinds {
		out = append(out, Overload{Args: kinds(k), Result: vec.Varchar, Kernel: func(c *Call) {
			for _, i := range c.Rows {
				days := c.Args[0].I64[i]
				if k != vec.Date {
					days, _ = floorDiv(days, microsPerDay)
				}
				from := len(c.Out.Arena)
				c.Out.Arena = append(c.Out.Arena, name(days)...)
				c.end(i, from)
			}
		}})
	}
	return out
}

// epochOverloads are seconds as a DOUBLE.
func epochOverloads() []Overload {
	us := func(to func(us int64) float64, days bool) func(c *Call) {
		return func(c *Call) {
			for _, i := range c.Rows {
				x := c.Args[0].I64[i]
				if days {
					x *= microsPerDay
				}
				c.Out.F64[i] = to(x)
			}
		}
	}
	seconds := func(us int64) float64 { return float64(us) / microsPerSecond }
	return []Overload{
		{Args: kinds(vec.Timestamp), Result: vec.Double, Kernel: us(seconds, false)},
		{Args: kinds(vec.Date), Result: vec.Double, Kernel: us(seconds, true)},
		{Args: kinds(vec.TimestampTZ), Result: vec.Double, Kernel: us(seconds, false)},
		{Args: kinds(vec.TimeOfDay), Result: vec.Double, Kernel: us(seconds, false)},
		{Args: kinds(vec.Interval), Result: vec.Double, Kernel: func(c *Call) {
			for _, i := range c.Rows {
				// A year has 365.25 days here, a month 30.
				iv := c.Args[0].Ivals[i]
				whole := int64(iv.Months/12)*(36525*864) + int64(iv.Months%12)*(30*86400) + int64(iv.Days)*86400
				c.Out.F64[i] = float64(whole) + float64(iv.Micros)/microsPerSecond
			}
		}},
	}
}

func julianOverloads() []Overload {
	// Day 0 of the Julian count as DuckDB has it, and the time of day as a fraction.
	const epochJulian = 2440588
	return []Overload{
		{Args: kinds(vec.Timestamp), Result: vec.Double, Kernel: func(c *Call) {
			for _, i := range c.Rows {
				d, us := floorDiv(c.Args[0].I64[i], microsPerDay)
				c.Out.F64[i] = float64(d+epochJulian) + float64(us)/microsPerDay
			}
		}},
		{Args: kinds(vec.Date), Result: vec.Double, Kernel: func(c *Call) {
			for _, i := range c.Rows {
				c.Out.F64[i] = float64(c.Args[0].I64[i] + epochJulian)
			}
		}},
	}
}

func partFunctions() []Function {
	const ts = "(TIMESTAMP '2023-03-19 10:11:12.345678')"
	return []Function{
		{
			Name: "date_part", Aliases: []string{"datepart", "extract"}, Doc: "A field of a date, time or interval, by its name, a literal. EXTRACT(field FROM x) is the same.",
			Forms: []string{partForms, "date_part(VARCHAR, DATE)", "date_part(VARCHAR, INTERVAL)", "date_part(VARCHAR, TIME)"}, build: buildPart,
			Examples: []Example{{"date_part('year', DATE '2023-03-19')", "2023", ""}, {"date_part('dow', DATE '2023-03-19')", "0", ""}, {"date_part('isodow', DATE '2023-03-19')", "7", ""},
				{"date_part('week', DATE '2021-01-01')", "53", ""}, {"date_part('isoyear', DATE '2021-01-01')", "2020", ""}, {"date_part('epoch', TIMESTAMP '1969-12-31 23:59:59.5')", "-0.5", ""},
				{"date_part('hour', INTERVAL '30 hours')", "30", ""}, {"date_part('month', INTERVAL '-14 months')", "-2", ""}, {"date_part('century', DATE '2000-01-01')", "20", ""},
				{"date_part('millennium', DATE '2001-01-01')", "3", ""}, {"date_part('doy', DATE '2024-12-31')", "366", ""}, {"date_part('ms', TIME '10:11:12.5')", "12500", ""}, {"date_part('year', NULL::DATE)", "NULL", ""}},
		},
		partFunction("year", "The year.", nil, Example{"year" + ts, "2023", ""}, Example{"year(DATE '0001-01-01')", "1", ""}, Example{"year(INTERVAL '-14 months')", "-1", ""}),
		partFunction("quarter", "The quarter, 1 to 4.", nil, Example{"quarter" + ts, "1", ""}, Example{"quarter(DATE '2020-12-31')", "4", ""}),
		partFunction("month", "The month, 1 to 12.", nil, Example{"month" + ts, "3", ""}, Example{"month(DATE '1969-12-31')", "12", ""}),
		partFunction("week", "The ISO week, 1 to 53.", []string{"weekofyear"}, Example{"week" + ts, "11", ""}, Example{"week(DATE '2021-01-01')", "53", ""}, Example{"week(DATE '2019-12-30')", "1", ""}),
		partFunction("day", "The day of the month.", []string{"dayofmonth"}, Example{"day" + ts, "19", ""}, Example{"day(DATE '2024-02-29')", "29", ""}),
		partFunction("hour", "The hour, 0 to 23.", nil, Example{"hour" + ts, "10", ""}, Example{"hour(TIMESTAMP '1969-12-31 23:00:00')", "23", ""}, Example{"hour(TIME '10:00:00')", "10", ""}),
		partFunction("minute", "The minute, 0 to 59.", nil, Example{"minute" + ts, "11", ""}, Example{"minute(TIMESTAMP '1969-12-31 23:59:00')", "59", ""}),
		partFunction("second", "The second, 0 to 59.", nil, Example{"second" + ts, "12", ""}, Example{"second(INTERVAL '-90 seconds')", "-30", ""}),
		partFunction("millisecond", "Milliseconds within the minute.", []string{"milliseconds"}, Example{"millisecond" + ts, "12345", ""}, Example{"millisecond(TIME '00:00:59.9999')", "59999", ""}),
		partFunction("microsecond", "Microseconds within the minute.", []string{"microseconds"}, Example{"microsecond" + ts, "12345678", ""}, Example{"microsecond(TIME '00:00:00.000001')", "1", ""}),
		partFunction("dayofweek", "The day of the week, 0 for Sunday to 6.", []string{"weekday"}, Example{"dayofweek" + ts, "0", ""}, Example{"dayofweek(DATE '1969-12-31')", "3", ""}),
		partFunction("isodow", "The day of the week, 1 for Monday to 7.", nil, Example{"isodow" + ts, "7", ""}, Example{"isodow(DATE '1969-12-31')", "3", ""}),
		partFunction("dayofyear", "The day of the year, from 1.", nil, Example{"dayofyear" + ts, "78", ""}, Example{"dayofyear(DATE '2024-12-31')", "366", ""}),
		partFunction("isoyear", "The year that the ISO week belongs to.", nil, Example{"isoyear" + ts, "2023", ""}, Example{"isoyear(DATE '2021-01-01')", "2020", ""}),
		partFunction("yearweek", "The ISO year and week, as 202311.", nil, Example{"yearweek" + ts, "202311", ""}, Example{"yearweek(DATE '2021-01-01')", "202053", ""}),
		partFunction("decade", "The year divided by ten.", nil, Example{"decade" + ts, "202", ""}, Example{"decade(DATE '1999-12-31')", "199", ""}),
		partFunction("century", "The century, from 1.", nil, Example{"century" + ts, "21", ""}, Example{"century(DATE '2000-12-31')", "20", ""}),
		partFunction("millennium", "The millennium, from 1.", nil, Example{"millennium" + ts, "3", ""}, Example{"millennium(DATE '2000-12-31')", "2", ""}),
		partFunction("era", "1 for the years from 1 on.", nil, Example{"era" + ts, "1", ""}, Example{"era(DATE '0001-01-01')", "1", ""}),
		{
			Name: "epoch", Doc: "Seconds since 1970 UTC, or the seconds of an interval.", Overloads: epochOverloads(),
			Examples: []Example{{"epoch(TIMESTAMP '2020-01-01 00:00:00.5')", "1577836800.5", ""}, {"epoch(DATE '1969-12-31')", "-86400.0", ""}, {"epoch(INTERVAL '14 months')", "36741600.0", ""}, {"epoch(NULL::TIMESTAMP)", "NULL", ""}},
		},
		{
			Name: "julian", Doc: "The Julian day.", Overloads: julianOverloads(),
			Examples: []Example{{"julian(DATE '2021-01-01')", "2459216.0", ""}, {"julian(TIMESTAMP '2021-01-01 12:00:00')", "2459216.5", ""}, {"julian(DATE '1969-12-31')", "2440587.0", ""}, {"julian(NULL::DATE)", "NULL", ""}},
		},
		{
			Name: "dayname", Doc: "The English name of the day of the week.", Overloads: nameOverloads(func(days int64) string { return dayNames[weekday(days)] }),
			Examples: []Example{{"dayname(DATE '2023-03-15')", "Wednesday", ""}, {"dayname(TIMESTAMP '1969-12-31 23:00:00')", "Wednesday", ""}, {"dayname(DATE '2023-03-19')", "Sunday", ""}, {"dayname(NULL::DATE)", "NULL", ""}},
		},
		{
			Name: "monthname", Doc: "The English name of the month.", Overloads: nameOverloads(func(days int64) string {
				_, m, _ := CivilFromDays(days)
				return monthNames[m]
			}),
			Examples: []Example{{"monthname(DATE '2023-03-15')", "March", ""}, {"monthname(TIMESTAMP '1969-12-31 23:00:00')", "December", ""}, {"monthname(DATE '2023-01-01')", "January", ""}, {"monthname(NULL::DATE)", "NULL", ""}},
		},
	}
}
