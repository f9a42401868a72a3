package expr

import (
	"math"
	"math/bits"

	"ubik/internal/vec"
)

// unit is a part of time by name.
type unit struct {
	months, days int32
	micros       int64
}

// intervalUnit returns the unit that a word of an interval's text names; the word is in lower case.
func intervalUnit(word []byte) (unit, bool) {
	switch string(word) {
	case "millennium", "millennia", "millenniums", "mil", "mils":
		return unit{months: 12000}, true
	case "century", "centuries", "cent", "c":
		return unit{months: 1200}, true
	case "decade", "decades", "dec", "decs":
		return unit{months: 120}, true
	case "year", "years", "yr", "yrs", "y":
		return unit{months: 12}, true
	case "quarter", "quarters":
		return unit{months: 3}, true
	case "month", "months", "mon", "mons":
		return unit{months: 1}, true
	case "week", "weeks", "w":
		return unit{days: 7}, true
	case "day", "days", "d", "dayofmonth":
		return unit{days: 1}, true
	case "hour", "hours", "hr", "hrs", "h":
		return unit{micros: microsPerHour}, true
	case "minute", "minutes", "min", "mins", "m":
		return unit{micros: microsPerMinute}, true
	case "second", "seconds", "sec", "secs", "s":
		return unit{micros: microsPerSecond}, true
	case "millisecond", "milliseconds", "ms", "msec", "msecs":
		return unit{micros: 1000}, true
	case "microsecond", "microseconds", "us", "usec", "usecs":
		return unit{micros: 1}, true
	}
	return unit{}, false
}

// parseInterval reads a sequence of parts, each a number and a unit or a time of day, with "ago" for the negation of
// the whole: '1 day', '1 year 2 months -3 days', '1.5 hours', '04:05:06.7', '1h 30m', '3 days ago'. A number alone
// counts seconds. A fraction of a month is in days of 30 to the month, a fraction of a day in µs.
func parseInterval(b []byte) (vec.IntervalValue, bool) {
	p := intervalParser{b: b}
	ok := p.all()
	return p.iv, ok
}

type intervalParser struct {
	b  []byte
	iv vec.IntervalValue
}

func (p *intervalParser) blanks() {
	for len(p.b) > 0 && isBlank(p.b[0]) {
		p.b = p.b[1:]
	}
}

func (p *intervalParser) all() bool {
	for parts := 0; ; parts++ {
		p.blanks()
		if len(p.b) == 0 {
			return parts > 0
		}
		c := p.b[0]
		if c != '-' && c != '+' && c != '.' && c-'0' > 9 {
			w, n := p.word()
			if parts > 0 && string(w[:n]) == "ago" {
				p.blanks()
				iv, ok := negInterval(p.iv)
				p.iv = iv
				return ok && len(p.b) == 0
			}
			return false
		}
		if !p.part(parts == 0) {
			return false
		}
	}
}

// word reads letters, in lower case. The longest unit has 12.
func (p *intervalParser) word() (low [16]byte, n int) {
	for n < len(p.b) && n < len(low) && p.b[n]|0x20 >= 'a' && p.b[n]|0x20 <= 'z' {
		low[n] = p.b[n] | 0x20
		n++
	}
	p.b = p.b[n:]
	return low, n
}

func (p *intervalParser) part(first bool) bool {
	neg := false
	if p.b[0] == '-' || p.b[0] == '+' {
		neg = p.b[0] == '-'
		p.b = p.b[1:]
	}
	if len(p.b) == 0 || p.b[0] != '.' && p.b[0]-'0' > 9 {
		return false
	}
	whole, n := parseDigits(p.b, 18)
	p.b = p.b[n:]
	if len(p.b) > 0 && p.b[0] == ':' {
		return p.clock(whole, neg)
	}
	var frac int64 // millionths
	if len(p.b) > 0 && p.b[0] == '.' {
		var m int
		frac, m = parseFraction(p.b)
		p.b = p.b[m:]
		if n == 0 && m < 2 {
			return false
		}
	}
	if neg {
		whole, frac = -whole, -frac
	}
	p.blanks()
	if len(p.b) == 0 && first {
		return p.add(unit{micros: microsPerSecond}, whole, frac)
	}
	w, n := p.word()
	u, ok := intervalUnit(w[:n])
	return ok && p.add(u, whole, frac)
}

// clock reads :MM[:SS[.fraction]] behind the hours.
func (p *intervalParser) clock(hours int64, neg bool) bool {
	minute, n := parseDigits(p.b[1:], 2)
	p.b = p.b[1+n:]
	if n == 0 || minute > 59 {
		return false
	}
	var second, frac int64
	if len(p.b) > 0 && p.b[0] == ':' {
		second, n = parseDigits(p.b[1:], 2)
		p.b = p.b[1+n:]
		if n == 0 || second > 59 {
			return false
		}
		if len(p.b) > 0 && p.b[0] == '.' {
			frac, n = parseFraction(p.b)
			p.b = p.b[n:]
		}
	}
	us := (minute*60+second)*microsPerSecond + frac
	if neg {
		hours, us = -hours, -us
	}
	return p.add(unit{micros: microsPerHour}, hours, 0) && p.add(unit{micros: 1}, us, 0)
}

// add adds whole + frac millionths of a unit.
func (p *intervalParser) add(u unit, whole, frac int64) bool {
	months, ok1 := addScaled(int64(p.iv.Months), whole, int64(u.months))
	days, ok2 := addScaled(int64(p.iv.Days), whole, int64(u.days))
	micros, ok3 := addScaled(p.iv.Micros, whole, u.micros)
	if !ok1 || !ok2 || !ok3 {
		return false
	}
	if frac != 0 {
		// A part of a month goes to days, a part of a day to µs.
		m := frac * int64(u.months)
		months += m / 1e6
		d := m%1e6*30 + frac*int64(u.days)
		days += d / 1e6
		us, ok := addScaled(micros, d%1e6, microsPerDay/1e6)
		if !ok {
			return false
		}
		if us, ok = addScaled(us, frac*(u.micros/1e6), 1); !ok {
			return false
		}
		if u.micros < 1e6 {
			us += frac * u.micros / 1e6
		}
		micros = us
	}
	if months != int64(int32(months)) || days != int64(int32(days)) {
		return false
	}
	p.iv = vec.IntervalValue{Months: int32(months), Days: int32(days), Micros: micros}
	return true
}

// addScaled returns a + b·c, and false when it overflows.
func addScaled(a, b, c int64) (int64, bool) {
	p, ok := mulInt64(b, c)
	if !ok {
		return 0, false
	}
	s := a + p
	return s, (a^s)&(p^s) >= 0
}

// mulInt64 returns a·b, and false when it overflows.
func mulInt64(a, b int64) (int64, bool) {
	neg := a < 0 != (b < 0)
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if hi != 0 || lo > 1<<63 || lo == 1<<63 && !neg {
		return 0, false
	}
	if neg {
		return int64(-lo), true
	}
	return int64(lo), true
}

func magnitude(a int64) uint64 {
	if a == math.MinInt64 {
		return 1 << 63
	}
	if a < 0 {
		a = -a
	}
	return uint64(a)
}
