package expr

import (
	"fmt"

	"ubik/internal/vec"
)

// parse reads a text as µs since 1970 UTC; what the text does not say is that of 1900-01-01 00:00:00. When it does not
// fit, why says what is wrong; the step of the format that failed did so at that byte, or at is −1.
func (f *timeFormat) parse(text []byte) (us int64, at int, why string) {
	year, month, day := int64(1900), int64(1), int64(1)
	var hour, minute, second, micros, yearDay, offset int64
	var half byte // 'a' or 'p'
	p := 0
	for p < len(text) && isBlank(text[p]) {
		p++
	}
	for i := range f.steps {
		s := &f.steps[i]
		rest := text[p:]
		var v int64
		n := 0
		switch {
		case s.digits > 0:
			if v, n = parseDigits(rest, s.digits); v < s.low || v > s.high {
				n = 0
			}
		case s.kind == 0:
			if len(rest) >= len(s.literal) && string(rest[:len(s.literal)]) == s.literal {
				n = len(s.literal)
			}
		case s.kind == ' ':
			for n < len(rest) && isBlank(rest[n]) {
				n++
			}
		default:
			v, n = parseTimeWord(s.kind, rest)
		}
		if n == 0 {
			return 0, p, s.want
		}
		p += n
		switch s.kind {
		case 'Y':
			year = v
		case 'y':
			year = v + 1900
			if v < 69 {
				year += 100
			}
		case 'm', 'b', 'h', 'B':
			month = v
		case 'd':
			day = v
		case 'j':
			yearDay = v
		case 'H', 'I':
			hour = v
		case 'M':
			minute = v
		case 'S':
			second = v
		case 'f', 'g':
			for ; n < 6; n++ {
				v *= 10
			}
			micros = v
		case 'p':
			half = byte(v)
		case 'z':
			offset = v
		}
	}
	end := p
	for p < len(text) && isBlank(text[p]) {
		p++
	}
	if p < len(text) {
		return 0, end, "its end"
	}
	switch {
	case half != 0 && hour > 12:
		return 0, -1, "an hour after 12 is neither AM nor PM"
	case half == 'a' && hour == 12:
		hour = 0
	case half == 'p' && hour < 12:
		hour += 12
	}
	if year == 0 {
		return 0, -1, "it is outside the years 0001 to 9999"
	}
	var days int64
	switch {
	case f.yearDay:
		days = DaysFromCivil(year, 1, 1) + yearDay - 1
	case day > daysInMonth(year, month):
		return 0, -1, "there is no such date"
	default:
		days = DaysFromCivil(year, month, day)
	}
	us = days*microsPerDay + hour*microsPerHour + minute*microsPerMinute + second*microsPerSecond + micros - offset
	if !vec.Time(us).InRange() {
		return 0, -1, "it is outside the years 0001 to 9999"
	}
	return us, 0, ""
}

// parseTimeWord reads what is no number at the start of b, and returns the bytes read: the number of a month or day,
// 'a' or 'p', or an offset in µs. None are read when the specifier is not met.
func parseTimeWord(kind byte, b []byte) (v int64, n int) {
	switch kind {
	case 'b', 'h':
		return parseName(b, monthNames[1:], 3)
	case 'B':
		return parseName(b, monthNames[1:], 0)
	case 'a':
		return parseName(b, dayNames[:], 3)
	case 'A':
		return parseName(b, dayNames[:], 0)
	case 'p':
		if half := at(b, 0) | 0x20; (half == 'a' || half == 'p') && at(b, 1)|0x20 == 'm' {
			return int64(half), 2
		}
		return 0, 0
	case 'z':
		return parseLeadingOffset(b)
	default:
		panic("expr: no word for %" + string(kind))
	}
}

// at is byte i of b, or 0 behind its end.
func at(b []byte, i int) byte {
	if i < len(b) {
		return b[i]
	}
	return 0
}

// parseName finds the name that b begins with, in any case, and counts it from 1. Of each name so many letters are
// taken, or all for 0; no one of them begins another.
func parseName(b []byte, names []string, letters int) (number int64, n int) {
next:
	for i, name := range names {
		if letters > 0 {
			name = name[:letters]
		}
		if len(b) < len(name) {
			continue
		}
		for k := range len(name) {
			if b[k]|0x20 != name[k]|0x20 { // names are ASCII letters, and only those become one by 0x20
				continue next
			}
		}
		return int64(i + 1), len(name)
	}
	return 0, 0
}

// parseLeadingOffset reads ±HH, ±HHMM or ±HH:MM at the start of b as µs east of Greenwich.
func parseLeadingOffset(b []byte) (us int64, n int) {
	if sign := at(b, 0); sign != '+' && sign != '-' {
		return 0, 0
	}
	hour, digits := parseDigits(b[1:], 2)
	if digits != 2 {
		return 0, 0
	}
	n = 3
	rest := b[n:]
	if at(rest, 0) == ':' {
		rest = rest[1:]
	}
	minute, digits := parseDigits(rest, 2)
	if digits == 2 {
		n = len(b) - len(rest) + 2
	} else {
		minute = 0 // what follows is for the next step
	}
	if hour > 15 || minute > 59 {
		return 0, 0
	}
	us = (hour*60 + minute) * microsPerMinute
	if b[0] == '-' {
		us = -us
	}
	return us, n
}

// TimeReader returns what reads texts as strptime does with a format: the µs since 1970 UTC, and whether the text fits.
func TimeReader(format string) (func(text []byte) (us int64, ok bool), error) {
	f, err := compileTimeFormat("strptime", format)
	if err != nil {
		return nil, err
	}
	return func(text []byte) (int64, bool) {
		us, _, why := f.parse(text)
		return us, why == ""
	}, nil
}

// misfit says why a text does not fit.
func (f *timeFormat) misfit(text []byte, at int, why string) string {
	where := `"` + shown(text) + `" does not fit "` + shown([]byte(f.text)) + `": `
	switch {
	case at < 0:
		return where + why
	case at == len(text):
		return where + "it ends where " + why + " is expected"
	}
	return where + "expected " + why + `, not "` + shown(text[at:]) + `"`
}

// buildStrptime makes the function of a name, strptime or with try try_strptime. The type depends on the format: with
// an offset it has a zone.
func buildStrptime(name string, try bool) func(args []Expr) (Expr, error) {
	return func(args []Expr) (Expr, error) {
		if len(args) != 2 {
			return nil, noForm(name, []string{strptimeForm(name)}, args)
		}
		if k := args[0].Type().Kind; k != vec.Varchar && k != vec.Null {
			return nil, noForm(name, []string{strptimeForm(name)}, args)
		}
		x, err := coerce(args[0], varcharType)
		if err != nil {
			return nil, err
		}
		if l, ok := args[1].(*Literal); ok && l.IsNull() {
			return NewTypedNull(timestampType), nil
		}
		text, err := literalArg(name, "format", args[1])
		if err != nil {
			return nil, err
		}
		format, err := compileTimeFormat(name, text)
		if err != nil {
			return nil, err
		}
		t := timestampType
		if format.zone {
			t = vec.TypeOf(vec.TimestampTZ)
		}
		return newCallOp(name, []Expr{x, args[1]}, t, &Overload{Fails: !try, Kernel: func(c *Call) {
			for _, i := range c.Rows {
				text := c.Args[0].Bytes(int(i))
				us, at, why := format.parse(text)
				switch {
				case why == "":
					c.Out.I64[i] = us
				case try:
					c.Out.SetNull(int(i))
				default:
					c.bad(i, fmt.Sprintf("%s: %s", name, format.misfit(text, at, why)))
				}
			}
		}})
	}
}

func strptimeForm(name string) string { return name + "(VARCHAR, VARCHAR)" }

func strptimeFunctions() []Function {
	return []Function{
		{
			Name: "strptime", Forms: []string{strptimeForm("strptime")}, build: buildStrptime("strptime", false),
			Doc: "The TIMESTAMP that a text says in a format that is a literal, or with %z, which is turned to UTC, the TIMESTAMP WITH TIME ZONE; specifiers: %Y %y (69 is 1969, 68 is 2068) %m %d %j %H %I %p %M %S, %f and %g (up to 6 and 3 digits of a fraction), %b %B %a %A (names, in any case), %z (+02, +0200, +02:00), %c %x %X %T (as in strftime), %%; numbers need no leading zeros, so %-d and its like mean the same; what is missing is that of 1900-01-01 00:00:00; a text that does not fit is an error of the row.",
			Examples: []Example{
				{"strptime('10/Oct/2000:13:55:36 -0700', '%d/%b/%Y:%H:%M:%S %z')", "2000-10-10 20:55:36+00", ""}, {"strptime('31.12.2025 23:59:58', '%d.%m.%Y %H:%M:%S')", "2025-12-31 23:59:58", ""}, {"strptime('monday, 5 JANUARY 26 12.5 am', '%A, %-d %B %y %I.%M %p')", "2026-01-05 00:05:00", ""},
				{"strptime('20260105030405.25', '%Y%m%d%H%M%S.%f')", "2026-01-05 03:04:05.25", ""}, {"strptime(' 100% 60  2024 ', '100%% %j %Y')", "2024-02-29 00:00:00", ""}, {"strptime('7:8', '%H:%M')", "1900-01-01 07:08:00", ""}, {"strptime('366 2021', '%j %Y')", "2022-01-01 00:00:00", ""},
				{"strptime(NULL, '%Y')", "NULL", ""}, {"strptime('2020', NULL)", "NULL", ""},
			},
		},
		{
			Name: "try_strptime", Forms: []string{strptimeForm("try_strptime")}, build: buildStrptime("try_strptime", true), Doc: "What strptime gives, but NULL for a text that does not fit.",
			Examples: []Example{
				{"try_strptime('10/Oct/2000:13:55:36 -0700', '%d/%b/%Y:%H:%M:%S %z')", "2000-10-10 20:55:36+00", ""}, {"try_strptime('2026-02-29', '%Y-%m-%d')", "NULL", ""}, {"try_strptime('noon', '%H:%M')", "NULL", ""},
				{"try_strptime('2026-02-28 13 PM', '%Y-%m-%d %H %p')", "NULL", ""}, {"try_strptime(NULL, '%Y')", "NULL", ""},
				{"try_strptime('epoch', '%Y')", "NULL", "epoch and infinity are no times unless the format says so"}, {"try_strptime('2026 +16', '%Y %z')", "NULL", "an offset is at most 15:59, as in a cast"},
				{"try_strptime('0000', '%Y')", "NULL", "the years are 0001 to 9999"},
			},
		},
	}
}
