package sql

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// intervalUnit is what one of a unit is: months, or days, or microseconds.
type intervalUnit struct {
	months, days, micros int64
}

const (
	microsPerSecond = 1_000_000
	microsPerMinute = 60 * microsPerSecond
	microsPerHour   = 60 * microsPerMinute
	microsPerDay    = 24 * microsPerHour
)

// intervalUnits are the units by their singular. Each has a plural in s.
var intervalUnits = map[string]intervalUnit{
	"microsecond": {micros: 1},
	"millisecond": {micros: 1000},
	"second":      {micros: microsPerSecond},
	"minute":      {micros: microsPerMinute},
	"hour":        {micros: microsPerHour},
	"day":         {days: 1},
	"week":        {days: 7},
	"month":       {months: 1},
	"quarter":     {months: 3},
	"year":        {months: 12},
}

// intervalShort are further spellings, allowed inside the quotes only.
var intervalShort = map[string]string{
	"us": "microsecond", "usec": "microsecond", "usecs": "microsecond",
	"ms": "millisecond", "msec": "millisecond", "msecs": "millisecond",
	"s": "second", "sec": "second", "secs": "second",
	"m": "minute", "min": "minute", "mins": "minute",
	"h": "hour", "hr": "hour", "hrs": "hour",
	"d": "day", "w": "week", "mon": "month", "mons": "month",
	"y": "year", "yr": "year", "yrs": "year",
}

var intervalWords = []string{
	"microsecond", "microseconds", "millisecond", "milliseconds", "second", "seconds",
	"minute", "minutes", "hour", "hours", "day", "days", "week", "weeks",
	"month", "months", "quarter", "quarters", "year", "years",
}

// unitName returns the singular of a unit, or "".
func unitName(word string) string {
	w := strings.TrimSuffix(FoldName(word), "s")
	if _, ok := intervalUnits[w]; ok {
		return w
	}
	return ""
}

// interval reads INTERVAL and its value, or returns nil if INTERVAL is a name
// here.
func (p *parser) interval() Expr {
	start := p.tok().pos
	value := p.ahead(1)
	switch {
	case p.isOp(value, "("):
		p.next()
		p.next()
		x := p.nested()
		p.expect(")")
		return p.intervalOf(start, x)
	case value.kind == tokenString:
		p.next()
		p.next()
		if t := p.tok(); t.kind == tokenWord && unitName(p.textOf(t)) != "" {
			return p.intervalCount(start, unquote(p.textOf(value)), value)
		}
		return p.intervalText(start, value)
	case value.kind == tokenNumber:
		p.next()
		p.next()
		return p.intervalCount(start, p.textOf(value), value)
	case p.isOp(value, "-") && p.ahead(2).kind == tokenNumber && unitName(p.textOf(p.ahead(3))) != "":
		p.next()
		p.next()
		n := p.next()
		return p.intervalCount(start, "-"+p.textOf(n), token{pos: value.pos, end: n.end})
	}
	return nil
}

// unit takes the unit that must come next and returns its singular.
func (p *parser) unit() string {
	t := p.tok()
	if name := unitName(p.textOf(t)); t.kind == tokenWord && name != "" {
		p.next()
		return name
	}
	p.unexpectedWith("a unit of time", unitHint(p.textOf(t)))
	return "day"
}

func unitHint(word string) string {
	if near := Nearest(word, intervalWords); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return "units are microsecond, millisecond, second, minute, hour, day, week, month, quarter, year"
}

// intervalCount is INTERVAL n UNIT and INTERVAL 'n' UNIT, with the unit next.
func (p *parser) intervalCount(start int, count string, at token) Expr {
	unit := p.unit()
	if p.err != nil {
		return nil
	}
	n := parseNumber(strings.TrimSpace(strings.ReplaceAll(count, "_", "")))
	if n == nil || n.scale > 0 {
		p.fail(at, "expected a whole number before the unit", fmt.Sprintf("other values are written inside the quotes: INTERVAL '1.5 %ss'", unit))
		return nil
	}
	lit := &intervalSum{}
	lit.add(n, intervalUnits[unit])
	return p.intervalLit(start, lit)
}

// intervalOf is INTERVAL (x) UNIT, with the unit next.
func (p *parser) intervalOf(start int, x Expr) Expr {
	at := p.span(start)
	unit := p.unit()
	if p.err != nil {
		return nil
	}
	sign, inner := "", x
	if u, ok := x.(*Unary); ok && u.Op == OpNeg {
		sign, inner = "-", u.X
	}
	if num, ok := inner.(*NumberLit); ok && num.Kind == IntegerNumber {
		lit := &intervalSum{}
		lit.add(parseNumber(sign+num.Text), intervalUnits[unit])
		return p.intervalLit(start, lit)
	}
	return &Call{Span: p.span(start), Name: Ident{Span: at, Name: "to_" + unit + "s"}, Args: []Expr{x}}
}

func (p *parser) intervalLit(start int, sum *intervalSum) Expr {
	lit := &IntervalLit{Span: p.span(start)}
	months, days, micros := sum.months.Int64(), sum.days.Int64(), sum.micros.Int64()
	fits := sum.months.IsInt64() && sum.days.IsInt64() && sum.micros.IsInt64() &&
		months == int64(int32(months)) && days == int64(int32(days))
	if !fits {
		p.failAt(lit.Pos, lit.End, "this INTERVAL is too long", fmt.Sprintf("months and days go to %d each, microseconds to %d", math.MaxInt32, math.MaxInt64))
		return nil
	}
	lit.Months, lit.Days, lit.Micros = int32(months), int32(days), micros
	return lit
}

// intervalText is INTERVAL 'text', the text being numbers with units and at
// most one hh:mm[:ss[.fraction]] without.
func (p *parser) intervalText(start int, at token) Expr {
	sum := &intervalSum{}
	rest := strings.TrimSpace(unquote(p.textOf(at)))
	fail := func(msg, hint string) Expr {
		p.fail(at, msg, hint)
		return nil
	}
	if rest == "" {
		return fail("this INTERVAL is empty", "write INTERVAL '1 minute'")
	}
	for rest != "" {
		var number, word string
		number, rest = cut(rest, func(c byte) bool { return isDigit(c) || strings.IndexByte("+-.:", c) >= 0 })
		if strings.Contains(number, ":") {
			if !sum.addClock(number) {
				return fail(fmt.Sprintf("%s is not a time of the form hours:minutes:seconds", clip(number)), "")
			}
		} else {
			n := parseNumber(number)
			if n == nil {
				return fail(fmt.Sprintf("expected a number at %s", clip(number+rest)), "write INTERVAL '1 hour 30 minutes'")
			}
			word, rest = cut(strings.TrimSpace(rest), func(c byte) bool { return !isDigit(c) && strings.IndexByte("+-.: \t\n\r,", c) < 0 })
			unit := unitName(word)
			if short := intervalShort[FoldName(word)]; unit == "" && short != "" {
				unit = short
			}
			if next := p.tok(); unit == "" && word == "" && rest == "" && next.kind == tokenWord && Nearest(p.textOf(next), intervalWords) != "" {
				p.unit() // INTERVAL '5' SECNOD
				return nil
			}
			if unit == "" {
				return fail(fmt.Sprintf("expected a unit of time after %s", clip(number)), unitHint(word))
			}
			if !sum.add(n, intervalUnits[unit]) {
				return fail(fmt.Sprintf("a fraction of a %s has no fixed length", unit), "write it in months or days")
			}
		}
		rest = strings.TrimSpace(rest)
	}
	return p.intervalLit(start, sum)
}

// cut splits s behind its longest beginning of bytes that belong.
func cut(s string, belongs func(byte) bool) (head, tail string) {
	i := 0
	for i < len(s) && belongs(s[i]) {
		i++
	}
	return s[:i], s[i:]
}

// decimalNumber is digits / 10^scale.
type decimalNumber struct {
	digits *big.Int
	scale  int
}

// numberDigitsMax bounds the digits of a number of an interval, which fits 19
// before the point; it keeps the arithmetic on them short.
const numberDigitsMax = 60

// parseNumber reads an optional sign, digits, and optionally a point and
// digits. It returns nil for anything else. Digits too many to fit are cut to
// as many as still do not fit.
func parseNumber(s string) *decimalNumber {
	sign, body := cut(s, func(c byte) bool { return c == '+' || c == '-' })
	if len(sign) > 1 {
		return nil
	}
	whole, fraction := cut(body, isDigit)
	if fraction != "" {
		var more string
		fraction, more = cut(fraction[1:], isDigit)
		if body[len(whole)] != '.' || more != "" || fraction == "" {
			return nil
		}
	}
	if whole == "" && fraction == "" {
		return nil
	}
	whole = strings.TrimLeft(whole, "0")
	whole = whole[:min(len(whole), numberDigitsMax)]
	fraction = fraction[:min(len(fraction), numberDigitsMax)]
	digits, ok := new(big.Int).SetString(sign+"0"+whole+fraction, 10)
	if !ok {
		panic("sql: digits that are no number: " + whole + fraction)
	}
	return &decimalNumber{digits, len(fraction)}
}

// intervalSum adds up the parts of an interval without bound.
type intervalSum struct {
	months, days, micros big.Int
}

// add adds n of a unit. A fraction of a day goes into the microseconds, digits
// past the microsecond are cut. It reports false for a fraction of a month or
// more, which has no fixed length.
func (s *intervalSum) add(n *decimalNumber, unit intervalUnit) bool {
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n.scale)), nil)
	whole := func(perUnit int64) (quotient, rest *big.Int) {
		return new(big.Int).QuoRem(new(big.Int).Mul(n.digits, big.NewInt(perUnit)), ten, new(big.Int))
	}
	switch {
	case unit.months > 0:
		months, rest := whole(unit.months)
		s.months.Add(&s.months, months)
		return rest.Sign() == 0
	case unit.days > 0:
		days, rest := whole(unit.days)
		s.days.Add(&s.days, days)
		rest.Mul(rest, big.NewInt(microsPerDay))
		s.micros.Add(&s.micros, rest.Quo(rest, ten))
	default:
		micros, _ := whole(unit.micros)
		s.micros.Add(&s.micros, micros)
	}
	return true
}

// addClock adds [-]hours:minutes[:seconds[.fraction]].
func (s *intervalSum) addClock(text string) bool {
	sign, body := cut(text, func(c byte) bool { return c == '+' || c == '-' })
	parts := strings.Split(body, ":")
	if len(sign) > 1 || len(parts) > 3 {
		return false
	}
	for i, unit := range []string{"hour", "minute", "second"}[:len(parts)] {
		if parts[i] == "" || !isDigit(parts[i][0]) {
			return false
		}
		n := parseNumber(sign + parts[i])
		if n == nil || i < 2 && n.scale > 0 {
			return false
		}
		whole, _ := cut(parts[i], isDigit)
		if i > 0 && (len(whole) > 2 || len(whole) == 2 && whole[0] > '5') {
			return false
		}
		s.add(n, intervalUnits[unit])
	}
	return true
}

// intervalWordsOf writes an interval with the units years, months, days,
// hours, minutes and seconds, such that interval reads it back.
func intervalWordsOf(l *IntervalLit) string {
	var parts []string
	put := func(negative bool, n uint64, fraction, unit string) {
		if n == 0 && fraction == "" {
			return
		}
		sign := ""
		if negative {
			sign = "-"
		}
		if n != 1 || fraction != "" {
			unit += "s"
		}
		parts = append(parts, fmt.Sprintf("%s%d%s %s", sign, n, fraction, unit))
	}
	months, days, micros := magnitude(int64(l.Months)), magnitude(int64(l.Days)), magnitude(l.Micros)
	put(l.Months < 0, months/12, "", "year")
	put(l.Months < 0, months%12, "", "month")
	put(l.Days < 0, days, "", "day")
	put(l.Micros < 0, micros/microsPerHour, "", "hour")
	put(l.Micros < 0, micros%microsPerHour/microsPerMinute, "", "minute")
	fraction := ""
	if f := micros % microsPerSecond; f > 0 {
		fraction = strings.TrimRight(fmt.Sprintf(".%06d", f), "0")
	}
	put(l.Micros < 0, micros%microsPerMinute/microsPerSecond, fraction, "second")
	if len(parts) == 0 {
		return "0 seconds"
	}
	return strings.Join(parts, " ")
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}
