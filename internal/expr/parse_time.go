package expr

import (
	"encoding/binary"
	"math"
	"strconv"

	"ubik/internal/vec"
)

// ParseTimestamp reads a date, or a date and a time of day, as µs since 1970 UTC:
//
//	2026-01-02   2026-01-02 03:04   2026-01-02T03:04:05.678Z   2026-01-02 03:04:05+02   …-0330   …+05:30   … UTC
//
// The date may be written with slashes, and months, days and hours with one digit. Digits of a second past the µs are
// cut. 24:00:00 is the next day's midnight; second 60 is no time. Years are 0001 to 9999, also after the offset is
// taken off. Blanks around the text are allowed, here and in parseDate and ParseTime.
func ParseTimestamp(b []byte) (us int64, ok bool) {
	if len(b) >= 19 {
		if us, ok := parseISO(b); ok {
			return us, true
		}
	}
	b = trimBlanks(b)
	days, n, ok := parseDatePart(b)
	if !ok {
		return 0, false
	}
	us = days * microsPerDay
	if n == len(b) {
		return us, true
	}
	if b[n] != ' ' && b[n] != 'T' {
		return 0, false
	}
	clock, m, ok := parseClock(b[n+1:])
	if !ok {
		return 0, false
	}
	offset, ok := parseOffset(b[n+1+m:])
	if !ok {
		return 0, false
	}
	us += clock - offset
	return us, vec.Time(us).InRange()
}

// daysBefore are the days from March 1 to the first of each month, by month.
var daysBefore = [16]uint32{1: 306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275}

// parseISO is the fast path: 2026-01-02T03:04:05, then .fraction and a zone or nothing. False sends the text to the slow
// path, which decides. The 16 bytes up to the minutes are checked and read as two words.
func parseISO(b []byte) (int64, bool) {
	_ = b[18]
	const (
		dateMarks  = 0x2d00002d00000000 // "-" at 4 and 7
		dateMask   = 0xff0000ff00000000
		dateDigits = ^uint64(dateMask)
		timeMarks  = 0x00003a0000000000 // ":" at 13
		timeMask   = 0x0000ff0000ff0000
		timeDigits = 0xffff00ffff00ffff
		zeros      = 0x3030303030303030
		six        = 0x0606060606060606
		high       = 0xf0f0f0f0f0f0f0f0
	)
	w0 := binary.LittleEndian.Uint64(b)     // 2026-01-
	w1 := binary.LittleEndian.Uint64(b[8:]) // 02T03:04
	if w0&dateMask != dateMarks || w1&0x0000ff0000000000 != timeMarks || b[10] != 'T' && b[10] != ' ' || b[16] != ':' {
		return 0, false
	}
	d0 := w0&dateDigits ^ zeros&dateDigits
	d1 := w1&0xffff00ffff00ffff ^ zeros&0xffff00ffff00ffff
	s1, s0 := b[17]-'0', b[18]-'0'
	// A byte that was a digit is now 0..9: no high bits, also after adding 6.
	if (d0|(d0+six&dateDigits)|d1|(d1+six&timeDigits))&high != 0 || s1 > 5 || s0 > 9 {
		return 0, false
	}
	// Neighbouring digits join: the tens come first in memory, so they are the lower byte.
	p0 := d0*10 + d0>>8
	p1 := d1*10 + d1>>8
	year := uint32(p0&0xff)*100 + uint32(p0>>16&0xff)
	month := uint32(p0 >> 40 & 0xff)
	day := uint32(p1 & 0xff)
	hour := uint32(p1 >> 24 & 0xff)
	minute := uint32(p1 >> 48 & 0xff)
	if year == 0 || month-1 > 11 || day-1 > 27 && (day == 0 || int64(day) > daysInMonth(int64(year), int64(month))) || hour > 23 || minute > 59 {
		return 0, false
	}
	// Years counted from March, as in DaysFromCivil, but none is negative here.
	y := year
	if month <= 2 {
		y--
	}
	days := int64(y*365+y/4-y/100+y/400+daysBefore[month]+day) - 719469
	us := (days*86400 + int64(hour*3600+minute*60+uint32(s1)*10+uint32(s0))) * microsPerSecond
	rest := b[19:]
	if len(rest) > 0 && rest[0] == '.' {
		f, n := parseFraction(rest)
		if n < 2 {
			return 0, false
		}
		us += f
		rest = rest[n:]
	}
	if len(rest) == 0 || len(rest) == 1 && rest[0] == 'Z' {
		return us, true
	}
	offset, ok := parseOffset(rest)
	us -= offset
	return us, ok && vec.Time(us).InRange()
}

// parseFraction reads a point and digits as µs, cutting what is beyond, and returns the bytes read.
func parseFraction(b []byte) (us int64, n int) {
	n = 1
	digits := 0
	for ; n < len(b) && b[n]-'0' <= 9; n++ {
		if digits < 6 {
			us = us*10 + int64(b[n]-'0')
			digits++
		}
	}
	for ; digits < 6; digits++ {
		us *= 10
	}
	return us, n
}

// parseDigits reads 1 to most digits.
func parseDigits(b []byte, most int) (v int64, n int) {
	for n < len(b) && n < most && b[n]-'0' <= 9 {
		v = v*10 + int64(b[n]-'0')
		n++
	}
	return v, n
}

// parseDatePart reads a date at the start of b as days since 1970 and returns the bytes read.
func parseDatePart(b []byte) (days int64, n int, ok bool) {
	year, n := parseDigits(b, 5)
	if n == 0 || n > 4 || n >= len(b) || b[n] != '-' && b[n] != '/' {
		return 0, 0, false
	}
	sep := b[n]
	n++
	month, m := parseDigits(b[n:], 2)
	n += m
	if m == 0 || n >= len(b) || b[n] != sep {
		return 0, 0, false
	}
	n++
	day, m := parseDigits(b[n:], 2)
	n += m
	if m == 0 || year == 0 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month) {
		return 0, 0, false
	}
	return DaysFromCivil(year, month, day), n, true
}

// parseClock reads HH:MM[:SS[.fraction]] at the start of b.
func parseClock(b []byte) (us int64, n int, ok bool) {
	hour, n := parseDigits(b, 2)
	if n == 0 || n >= len(b) || b[n] != ':' {
		return 0, 0, false
	}
	n++
	minute, m := parseDigits(b[n:], 2)
	n += m
	if m == 0 || minute > 59 {
		return 0, 0, false
	}
	var second, fraction int64
	if n < len(b) && b[n] == ':' {
		second, m = parseDigits(b[n+1:], 2)
		n += 1 + m
		if m == 0 || second > 59 {
			return 0, 0, false
		}
		if n < len(b) && b[n] == '.' {
			fraction, m = parseFraction(b[n:])
			n += m
		}
	}
	us = ((hour*60+minute)*60+second)*microsPerSecond + fraction
	return us, n, us <= microsPerDay
}

// parseOffset reads all of b as a zone: nothing, Z, UTC, ±HH, ±HH:MM or ±HHMM.
func parseOffset(b []byte) (us int64, ok bool) {
	switch {
	case len(b) == 0, len(b) == 1 && b[0] == 'Z', string(b) == " UTC":
		return 0, true
	case b[0] != '+' && b[0] != '-':
		return 0, false
	}
	hour, n := parseDigits(b[1:], 2)
	if n != 2 {
		return 0, false
	}
	rest := b[3:]
	var minute int64
	if len(rest) > 0 {
		if rest[0] == ':' {
			rest = rest[1:]
		}
		minute, n = parseDigits(rest, 2)
		if n != 2 || len(rest) != 2 {
			return 0, false
		}
	}
	if hour > 15 || minute > 59 {
		return 0, false
	}
	us = (hour*60 + minute) * microsPerMinute
	if b[0] == '-' {
		us = -us
	}
	return us, true
}

// parseDate reads a date as days since 1970. The text may go on with a time of day and a zone, which are checked
// and left out: the date is the one written.
func parseDate(b []byte) (days int64, ok bool) {
	b = trimBlanks(b)
	days, n, ok := parseDatePart(b)
	if !ok || n == len(b) {
		return days, ok
	}
	_, ok = ParseTimestamp(b)
	return days, ok
}

// ParseTime reads a time of day, HH:MM[:SS[.fraction]], as µs since midnight; 24:00:00 is the end of the day.
func ParseTime(b []byte) (us int64, ok bool) {
	b = trimBlanks(b)
	us, n, ok := parseClock(b)
	return us, ok && n == len(b)
}

// ParseBool reads true, t, yes, y, 1 and false, f, no, n, 0, in any case.
func ParseBool(b []byte) (value, ok bool) {
	var low [5]byte
	if len(b) > len(low) {
		return false, false
	}
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		low[i] = c
	}
	switch string(low[:len(b)]) {
	case "true", "t", "yes", "y", "1":
		return true, true
	case "false", "f", "no", "n", "0":
		return false, true
	}
	return false, false
}

// parseDouble reads a number, or inf, infinity or nan in any case, with a sign or none. Blanks around it are allowed.
// A number too large is infinite, one too small is 0.
func parseDouble(b []byte) (float64, bool) {
	b = trimBlanks(b)
	for i, c := range b {
		switch {
		case c >= '0' && c <= '9' || c == '.' || c == 'e' || c == 'E':
		case c == '-' || c == '+':
		default:
			return parseSpecial(b)
		}
		if i > 400 {
			break
		}
	}
	if len(b) == 0 {
		return 0, false
	}
	// The conversion does not outlive the call, so nothing is allocated.
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		if e, is := err.(*strconv.NumError); !is || e.Err != strconv.ErrRange {
			return 0, false
		}
	}
	return f, true
}

func parseSpecial(b []byte) (float64, bool) {
	sign := 1
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		if b[0] == '-' {
			sign = -1
		}
		b = b[1:]
	}
	var low [8]byte
	if len(b) > len(low) {
		return 0, false
	}
	for i, c := range b {
		low[i] = c | 0x20
	}
	switch string(low[:len(b)]) {
	case "inf", "infinity":
		return math.Inf(sign), true
	case "nan":
		return math.NaN(), true
	}
	return 0, false
}
