package expr

import (
	"math"
	"strconv"

	"ubik/internal/exact"
	"ubik/internal/vec"
)

// AppendText appends row of v cast to VARCHAR, as DuckDB prints the type; of a STRUCT, LIST or MAP, which have no such
// cast, the JSON text. The row must not be NULL.
func AppendText(dst []byte, v *vec.Vector, row int) []byte {
	switch t := v.Type; t.Kind {
	case vec.Bool:
		return strconv.AppendBool(dst, v.Bools[row])
	case vec.Int8, vec.Int16, vec.Int32, vec.Int64:
		return strconv.AppendInt(dst, v.I64[row], 10)
	case vec.HugeInt:
		return v.I128[row].AppendDecimal(dst, 0)
	case vec.Decimal:
		from := len(dst)
		if t.Phys() == vec.PhysI64 {
			dst = exact.AppendDecimal64(dst, v.I64[row], int(t.Scale))
		} else {
			dst = v.I128[row].AppendDecimal(dst, int(t.Scale))
		}
		if t.Precision == t.Scale {
			// A type without whole digits prints none: .5, -.5.
			if dst[from] == '-' {
				from++
			}
			dst = append(dst[:from], dst[from+1:]...)
		}
		return dst
	case vec.Double:
		return appendDouble(dst, v.F64[row])
	case vec.Varchar, vec.JSON, vec.Struct, vec.List, vec.Map:
		return append(dst, v.Bytes(row)...)
	case vec.Timestamp:
		return appendTimestamp(dst, v.I64[row])
	case vec.TimestampTZ:
		return append(appendTimestamp(dst, v.I64[row]), "+00"...)
	case vec.Date:
		return appendDate(dst, v.I64[row])
	case vec.TimeOfDay:
		return appendClock(dst, v.I64[row])
	case vec.Interval:
		return appendInterval(dst, v.Ivals[row])
	case vec.Blob:
		return appendBlob(dst, v.Bytes(row))
	default:
		panic("expr: no text for a value of type " + t.String())
	}
}

// appendDouble writes the shortest text that reads back as f, always with a point or an exponent.
func appendDouble(dst []byte, f float64) []byte {
	switch {
	case f != f:
		return append(dst, "nan"...)
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	for _, c := range dst[from:] {
		if c == '.' {
			return dst
		}
	}
	return append(dst, ".0"...)
}

func appendTimestamp(dst []byte, us int64) []byte {
	days, us := floorDiv(us, microsPerDay)
	dst = appendDate(dst, days)
	dst = append(dst, ' ')
	return appendClock(dst, us)
}

func appendDate(dst []byte, days int64) []byte {
	y, m, d := CivilFromDays(days)
	bc := y <= 0
	if bc {
		y = 1 - y
	}
	dst = appendPadded(dst, y, 4)
	dst = append(dst, '-')
	dst = appendPadded(dst, m, 2)
	dst = append(dst, '-')
	dst = appendPadded(dst, d, 2)
	if bc {
		dst = append(dst, " (BC)"...)
	}
	return dst
}

// appendClock writes hours, minutes and seconds, of hours as many digits as there are, at least two.
func appendClock(dst []byte, us int64) []byte { return appendLength(dst, uint64(us)) }

// appendLength is appendClock for any number of µs, that of the longest negative INTERVAL included.
func appendLength(dst []byte, us uint64) []byte {
	s := int64(us / microsPerSecond)
	dst = appendPadded(dst, s/3600, 2)
	dst = append(dst, ':')
	dst = appendPadded(dst, s/60%60, 2)
	dst = append(dst, ':')
	dst = appendPadded(dst, s%60, 2)
	if f := us % microsPerSecond; f != 0 {
		dst = append(dst, '.')
		dst = appendPadded(dst, int64(f), 6)
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
	}
	return dst
}

// appendPadded writes v ≥ 0 with at least width digits.
func appendPadded(dst []byte, v int64, width int) []byte {
	var buf [20]byte
	i := len(buf)
	for v > 0 || width > 0 {
		i--
		buf[i] = byte('0' + v%10)
		v /= 10
		width--
	}
	return append(dst, buf[i:]...)
}

func appendInterval(dst []byte, iv vec.IntervalValue) []byte {
	from := len(dst)
	part := func(n int64, unit string) {
		if n == 0 {
			return
		}
		if len(dst) > from {
			dst = append(dst, ' ')
		}
		dst = strconv.AppendInt(dst, n, 10)
		dst = append(dst, unit...)
		if n != 1 && n != -1 {
			dst = append(dst, 's')
		}
	}
	part(int64(iv.Months/12), " year")
	part(int64(iv.Months%12), " month")
	part(int64(iv.Days), " day")
	if iv.Micros == 0 && len(dst) > from {
		return dst
	}
	if len(dst) > from {
		dst = append(dst, ' ')
	}
	us := uint64(iv.Micros)
	if iv.Micros < 0 {
		dst = append(dst, '-')
		us = -us
	}
	return appendLength(dst, us)
}

func appendBlob(dst, b []byte) []byte {
	const hex = "0123456789ABCDEF"
	for _, c := range b {
		if c < ' ' || c > '~' || c == '\\' || c == '\'' || c == '"' {
			dst = append(dst, '\\', 'x', hex[c>>4], hex[c&15])
			continue
		}
		dst = append(dst, c)
	}
	return dst
}
