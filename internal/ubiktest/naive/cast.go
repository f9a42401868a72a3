package naive

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"ubik/internal/sql"
)

var numberForm = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)

func isNumber(s string) bool { return numberForm.MatchString(s) }

// parse reads a text as a value of a type, as a cast does.
func parse(s string, t Type) (any, error) {
	v, ok := parseValue(s, t)
	if !ok {
		return nil, fault("%q is not %s", s, t)
	}
	return v, nil
}

func parseValue(s string, t Type) (any, bool) {
	trimmed := strings.Trim(s, " \t\n\v\f\r")
	switch t.Name {
	case "VARCHAR":
		return s, true
	case "JSON":
		return s, flawOf([]byte(s)) == ""
	case "BOOLEAN":
		switch strings.ToLower(s) {
		case "true", "t", "yes", "y", "1":
			return true, true
		case "false", "f", "no", "n", "0":
			return false, true
		}
		return nil, false
	case "DOUBLE":
		return parseDouble(trimmed)
	case "TIMESTAMP", "TIMESTAMP WITH TIME ZONE":
		return parseInstant(s)
	case "DATE":
		// A time of day may follow; the date is that of the text, whatever the zone.
		_, ok := parseInstant(s)
		if m := instantForm.FindStringSubmatch(s); m != nil {
			s = strings.Join(m[1:6], "")
		}
		us, _ := parseInstant(s)
		return floor(us, day), ok
	case "TIME":
		return parseClock(s)
	case "INTERVAL":
		return parseInterval(s)
	}
	r, ok := rational(trimmed)
	if !ok {
		return nil, false
	}
	x := scaled(r, t.S)
	return x, t.fits(x)
}

func parseDouble(s string) (any, bool) {
	bare := strings.ToLower(strings.TrimLeft(s, "+-"))
	switch {
	case bare == "inf" || bare == "infinity":
		return math.Inf(map[bool]int{false: 1, true: -1}[s[0] == '-']), true
	case bare == "nan":
		return math.NaN(), true
	case !isNumber(s):
		return nil, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return nil, false
	}
	return f, true
}

var instantForm = regexp.MustCompile(`^[ \t-\r]*(\d{1,4})([-/])(\d{1,2})([-/])(\d{1,2})(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?(Z| UTC|[+-]\d\d(?::?\d\d)?)?)?[ \t-\r]*$`)

// parseInstant reads a date with or without a time of day and a zone, as µs since 1970 UTC.
func parseInstant(s string) (int64, bool) {
	m := instantForm.FindStringSubmatch(s)
	if m == nil || m[2] != m[4] {
		return 0, false
	}
	n := func(i int) int { v, _ := strconv.Atoi(m[i]); return v }
	d := time.Date(n(1), time.Month(n(3)), n(5), 0, 0, 0, 0, time.UTC)
	if n(1) == 0 || int(d.Month()) != n(3) || d.Day() != n(5) {
		return 0, false
	}
	us := d.UnixMicro()
	if m[6] != "" {
		clock, ok := clockOf(n(6), n(7), n(8), m[9])
		if !ok {
			return 0, false
		}
		us += clock
	}
	if z := m[10]; len(z) > 1 && z != " UTC" {
		hours, _ := strconv.ParseInt(z[1:3], 10, 64)
		rest := strings.TrimPrefix(z[3:], ":")
		minutes, _ := strconv.ParseInt("0"+rest, 10, 64)
		if hours > 15 || minutes > 59 {
			return 0, false
		}
		off := (hours*60 + minutes) * 60 * second
		if z[0] == '-' {
			off = -off
		}
		us -= off
	}
	return us, inRange(us)
}

// clockOf is a time of day in µs. Digits past the µs are cut.
func clockOf(h, m, s int, fraction string) (int64, bool) {
	if m > 59 || s > 59 {
		return 0, false
	}
	f, _ := strconv.ParseInt((fraction + "000000")[:6], 10, 64)
	us := int64((h*60+m)*60+s)*second + f
	return us, us <= day
}

// parseInterval reads the text of an INTERVAL as the parser does.
func parseInterval(s string) (any, bool) {
	e, err := sql.ParseExpr("INTERVAL " + sql.Format(&sql.StringLit{Value: s}))
	if err != nil {
		return nil, false
	}
	l, ok := e.(*sql.IntervalLit)
	if !ok {
		return nil, false
	}
	return interval{int64(l.Months), int64(l.Days), l.Micros}, true
}

var clockForm = regexp.MustCompile(`^[ \t-\r]*(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?[ \t-\r]*$`)

func parseClock(s string) (any, bool) {
	m := clockForm.FindStringSubmatch(s)
	if m == nil {
		return nil, false
	}
	n := func(i int) int { v, _ := strconv.Atoi(m[i]); return v }
	return clockOf(n(1), n(2), n(3), m[4])
}

// inRange reports whether an instant lies in the years 0001 to 9999.
func inRange(us int64) bool {
	return us >= time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro() && us < time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
}

// cast brings a value from one type to another.
func cast(v any, from, to Type) (any, error) {
	if v == nil || from.same(to) {
		return v, nil
	}
	out := func(x *big.Int) (any, error) {
		if !to.fits(x) {
			return nil, fault("%s is out of range for %s", text(v, from), to)
		}
		return x, nil
	}
	switch {
	case from.isJSON() && (to.Name == "JSON" || from.Name == "JSON" && to.Name == "VARCHAR"):
		return v, nil
	case from.isJSON() || to.isJSON() && (from.Name != "VARCHAR" || to.Name != "JSON"):
	case to.Name == "VARCHAR":
		return text(v, from), nil
	case from.Name == "VARCHAR":
		return parse(v.(string), to)
	case to.Name == "BOOLEAN" && from.Name == "DOUBLE":
		return v.(float64) != 0, nil
	case to.Name == "BOOLEAN" && from.isExact():
		return v.(*big.Int).Sign() != 0, nil
	case from.Name == "BOOLEAN" && to.isNumeric():
		x := big.NewInt(0)
		if v.(bool) {
			x = big.NewInt(1)
		}
		return cast(x, named("INTEGER"), to)
	case from.Name == "DOUBLE" && to.isInt():
		f := v.(float64)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fault("%s is out of range for %s", text(v, from), to)
		}
		x, _ := big.NewFloat(math.RoundToEven(f)).Int(nil)
		return out(x)
	case from.Name == "DOUBLE" && to.Name == "DECIMAL":
		return nil, unsupported("a cast of DOUBLE to DECIMAL")
	case from.isExact() && to.Name == "DOUBLE":
		return toDouble(ratio(v.(*big.Int), from.S)), nil
	case from.isExact() && to.isExact():
		return out(scaled(ratio(v.(*big.Int), from.S), to.S))
	case from.Name == "DATE" && to.isInstant():
		return v.(int64) * day, nil
	case from.isInstant() && to.isInstant():
		return v, nil
	case from.isInstant() && to.Name == "DATE":
		return floor(v.(int64), day), nil
	case from.isInstant() && to.Name == "TIME":
		us := v.(int64)
		return us - floor(us, day)*day, nil
	}
	return nil, unsupported("a cast of %s to %s", from, to)
}

// compare orders two values of one type: −1, 0 or 1. NaN is equal to itself and greater than every number.
func compare(a, b any, t Type) int {
	switch x := a.(type) {
	case bool:
		y := b.(bool)
		return order(!x && y, x && !y)
	case *big.Int:
		return x.Cmp(b.(*big.Int))
	case float64:
		y := b.(float64)
		if math.IsNaN(x) || math.IsNaN(y) {
			return order(!math.IsNaN(x), !math.IsNaN(y))
		}
		return order(x < y, x > y)
	case string:
		return strings.Compare(x, b.(string))
	case int64:
		return order(x < b.(int64), x > b.(int64))
	case interval:
		// A month counts 30 days, a day 24 hours.
		whole := func(v interval) *big.Int {
			n := big.NewInt(v.months*30 + v.days)
			return n.Add(n.Mul(n, big.NewInt(day)), big.NewInt(v.micros))
		}
		return whole(x).Cmp(whole(b.(interval)))
	}
	panic("naive: no order for " + t.String())
}

func order(less, greater bool) int {
	switch {
	case less == greater:
		return 0
	case less:
		return -1
	}
	return 1
}
