package jsonrec

import "ubik/internal/expr"

const microsPerDay = 86400 * microsPerSecond

// appendTimestamp writes µs since 1970 as "2026-01-01T00:01:00Z", with three or six decimals where they are not zero.
func appendTimestamp(dst []byte, t int64) []byte {
	days, micros := t/microsPerDay, t%microsPerDay
	if micros < 0 {
		days--
		micros += microsPerDay
	}
	dst = append(dst, '"')
	dst = appendDate(dst, days)
	dst = append(dst, 'T')
	dst = appendClock(dst, micros)
	if f := micros % microsPerSecond; f != 0 {
		dst = append(dst, '.')
		if f%1000 == 0 {
			dst = appendPadded(dst, f/1000, 3)
		} else {
			dst = appendPadded(dst, f, 6)
		}
	}
	return append(dst, 'Z', '"')
}

// appendTimeOfDay writes µs since midnight as "12:00:00", with six decimals where they are not zero.
func appendTimeOfDay(dst []byte, micros int64) []byte {
	dst = append(dst, '"')
	dst = appendClock(dst, micros)
	if f := micros % microsPerSecond; f != 0 {
		dst = append(dst, '.')
		dst = appendPadded(dst, f, 6)
	}
	return append(dst, '"')
}

// appendDate writes days since 1970 as 2026-01-01; the year has at least four digits, and a sign before year 0.
func appendDate(dst []byte, days int64) []byte {
	year, month, day := expr.CivilFromDays(days)
	if year < 0 {
		dst = append(dst, '-')
		year = -year
	}
	width := 4
	for y := year / 10000; y > 0; y /= 10 {
		width++
	}
	dst = appendPadded(dst, year, width)
	dst = append(dst, '-')
	dst = appendPadded(dst, month, 2)
	dst = append(dst, '-')
	return appendPadded(dst, day, 2)
}

// appendClock writes the whole seconds of µs since midnight as hh:mm:ss.
func appendClock(dst []byte, micros int64) []byte {
	s := micros / microsPerSecond
	dst = appendPadded(dst, s/3600, 2)
	dst = append(dst, ':')
	dst = appendPadded(dst, s/60%60, 2)
	dst = append(dst, ':')
	return appendPadded(dst, s%60, 2)
}

// appendPadded writes the last width digits of x.
func appendPadded(dst []byte, x int64, width int) []byte {
	var b [20]byte
	for i := width - 1; i >= 0; i-- {
		b[i] = byte('0' + x%10)
		x /= 10
	}
	return append(dst, b[:width]...)
}
