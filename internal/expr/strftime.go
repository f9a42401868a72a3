package expr

import (
	"fmt"

	"ubik/internal/vec"
)

// strftimeLetters are the letters that may follow %, those of padded numbers also after %-.
const (
	strftimeLetters  = "aAbBcdfGHIjmMpSuUVwWxXyYzZg%"
	strftimeUnpadded = "dHIjmMSy"
)

// checkFormat says what is wrong with a format, or nil.
func checkFormat(format string) error {
	has := func(set string, c byte) bool {
		for i := 0; i < len(set); i++ {
			if set[i] == c {
				return true
			}
		}
		return false
	}
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		i++
		set, start := strftimeLetters, i-1
		if i < len(format) && format[i] == '-' {
			i++
			set = strftimeUnpadded
		}
		if i >= len(format) || !has(set, format[i]) {
			return fmt.Errorf("strftime: no specifier %q; specifiers: %s, and with %%- for no padding %s", format[start:min(i+1, len(format))], strftimeLetters, strftimeUnpadded)
		}
	}
	return nil
}

// appendStrftime appends an instant as a checked format says. zone tells whether the value has one: it is UTC.
func appendStrftime(dst []byte, format string, ts int64, zone bool) []byte {
	days, us := floorDiv(ts, microsPerDay)
	y, m, d := CivilFromDays(days)
	doy := days - DaysFromCivil(y, 1, 1)
	isoY, isoW := isoWeek(days)
	hour := us / microsPerHour
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			dst = append(dst, format[i])
			continue
		}
		i++
		bare := format[i] == '-'
		if bare {
			i++
		}
		number := func(v int64, width int) {
			if bare {
				width = 1
			}
			dst = appendPadded(dst, v, width)
		}
		switch format[i] {
		case 'a':
			dst = append(dst, dayNames[weekday(days)][:3]...)
		case 'A':
			dst = append(dst, dayNames[weekday(days)]...)
		case 'b':
			dst = append(dst, monthNames[m][:3]...)
		case 'B':
			dst = append(dst, monthNames[m]...)
		case 'c':
			dst = appendStrftime(dst, "%Y-%m-%d %H:%M:%S", ts, zone)
		case 'x':
			dst = appendStrftime(dst, "%Y-%m-%d", ts, zone)
		case 'X':
			dst = appendStrftime(dst, "%H:%M:%S", ts, zone)
		case 'd':
			number(d, 2)
		case 'm':
			number(m, 2)
		case 'y':
			number(y%100, 2)
		case 'Y':
			number(y, 4)
		case 'G':
			number(isoY, 4)
		case 'V':
			number(isoW, 2)
		case 'H':
			number(hour, 2)
		case 'I':
			number((hour+11)%12+1, 2)
		case 'p':
			if hour < 12 {
				dst = append(dst, "AM"...)
			} else {
				dst = append(dst, "PM"...)
			}
		case 'M':
			number(us/microsPerMinute%60, 2)
		case 'S':
			number(us/microsPerSecond%60, 2)
		case 'f':
			number(us%microsPerSecond, 6)
		case 'g':
			number(us%microsPerSecond/1000, 3)
		case 'j':
			number(doy+1, 3)
		case 'u':
			number(weekday(days)+1, 1)
		case 'w':
			number((weekday(days)+1)%7, 1)
		case 'U': // weeks that start on Sunday
			number((doy+7-(weekday(days)+1)%7)/7, 2)
		case 'W': // weeks that start on Monday
			number((doy+7-weekday(days))/7, 2)
		case 'z':
			dst = append(dst, "+00"...)
		case 'Z':
			if zone {
				dst = append(dst, "UTC"...)
			}
		case '%':
			dst = append(dst, '%')
		}
	}
	return dst
}

// strftime is the function; the format is a literal, in either place.
func buildStrftime(args []Expr) (Expr, error) {
	forms := []string{"strftime(TIMESTAMP, VARCHAR)", "strftime(DATE, VARCHAR)"}
	if len(args) != 2 {
		return nil, noForm("strftime", forms, args)
	}
	if args[0].Type().Kind == vec.Varchar {
		args = []Expr{args[1], args[0]}
	}
	x := args[0]
	if k := x.Type().Kind; k == vec.Null || loose(x) != nil && k == vec.Varchar || k == vec.Date {
		var err error
		if x, err = coerce(x, timestampType); err != nil {
			return nil, err
		}
	}
	if k := x.Type().Kind; k != vec.Timestamp && k != vec.TimestampTZ {
		return nil, noForm("strftime", forms, args)
	}
	if l, ok := args[1].(*Literal); ok && l.IsNull() {
		return NewTypedNull(varcharType), nil
	}
	format, err := literalArg("strftime", "format", args[1])
	if err != nil {
		return nil, err
	}
	if err := checkFormat(format); err != nil {
		return nil, err
	}
	zone := x.Type().Kind == vec.TimestampTZ
	return newCallOp("strftime", []Expr{x, args[1]}, varcharType, &Overload{Kernel: func(c *Call) {
		for _, i := range c.Rows {
			from := len(c.Out.Arena)
			c.Out.Arena = appendStrftime(c.Out.Arena, format, c.Args[0].I64[i], zone)
			c.end(i, from)
		}
	}})
}
