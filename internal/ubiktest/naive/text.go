package naive

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

const (
	day    = int64(86400) * second
	second = int64(1000000)
)

// text is a value cast to VARCHAR.
func text(v any, t Type) string {
	switch t.Name {
	case "BOOLEAN":
		return strconv.FormatBool(v.(bool))
	case "DECIMAL":
		s := digits(v.(*big.Int), t.S)
		if t.P == t.S { // no whole digits: .5
			s = strings.Replace(s, "0.", ".", 1)
		}
		return s
	case "DOUBLE":
		return doubleText(v.(float64))
	case "VARCHAR", "JSON", "STRUCT", "LIST", "MAP":
		return v.(string)
	case "TIMESTAMP":
		return instantText(v.(int64), " ")
	case "TIMESTAMP WITH TIME ZONE":
		return instantText(v.(int64), " ") + "+00"
	case "DATE":
		return dateText(v.(int64))
	case "TIME":
		return clockText(v.(int64))
	case "INTERVAL":
		return intervalText(v.(interval))
	}
	return v.(*big.Int).String()
}

// digits writes v / 10^scale with exactly scale decimals.
func digits(v *big.Int, scale int) string {
	s := new(big.Int).Abs(v).String()
	for len(s) <= scale {
		s = "0" + s
	}
	if scale > 0 {
		s = s[:len(s)-scale] + "." + s[len(s)-scale:]
	}
	if v.Sign() < 0 {
		s = "-" + s
	}
	return s
}

func doubleText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

func instant(us int64) time.Time { return time.UnixMicro(us).UTC() }

func dateText(days int64) string {
	t := time.Unix(days*86400, 0).UTC()
	if t.Year() <= 0 {
		return fmt.Sprintf("%04d-%02d-%02d (BC)", 1-t.Year(), t.Month(), t.Day())
	}
	return fmt.Sprintf("%04d-%02d-%02d", t.Year(), t.Month(), t.Day())
}

func clockText(us int64) string {
	s := fmt.Sprintf("%02d:%02d:%02d", us/(3600*second), us/(60*second)%60, us/second%60)
	if f := us % second; f != 0 {
		s += strings.TrimRight(fmt.Sprintf(".%06d", f), "0")
	}
	return s
}

func instantText(us int64, sep string) string {
	d := floor(us, day)
	return dateText(d) + sep + clockText(us-d*day)
}

func intervalText(v interval) string {
	var parts []string
	add := func(n int64, unit string) {
		if n != 0 {
			if n != 1 && n != -1 {
				unit += "s"
			}
			parts = append(parts, fmt.Sprintf("%d %s", n, unit))
		}
	}
	add(v.months/12, "year")
	add(v.months%12, "month")
	add(v.days, "day")
	if v.micros != 0 || len(parts) == 0 {
		us, sign := v.micros, ""
		if us < 0 {
			us, sign = -us, "-"
		}
		parts = append(parts, sign+clockText(us))
	}
	return strings.Join(parts, " ")
}

func floor(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// output is a value as the output has it in JSON.
func output(v any, t Type) string {
	if v == nil {
		return "null"
	}
	switch t.Name {
	case "DECIMAL":
		return digits(v.(*big.Int), t.S)
	case "DOUBLE":
		f := v.(float64)
		switch {
		case math.IsNaN(f):
			return `"NaN"`
		case math.IsInf(f, 1):
			return `"Infinity"`
		case math.IsInf(f, -1):
			return `"-Infinity"`
		}
		return jsonDouble(f)
	case "TIMESTAMP", "TIMESTAMP WITH TIME ZONE":
		us := v.(int64)
		layout := "2006-01-02T15:04:05Z"
		switch {
		case us%1000 != 0:
			layout = "2006-01-02T15:04:05.000000Z"
		case us%second != 0:
			layout = "2006-01-02T15:04:05.000Z"
		}
		return `"` + instant(us).Format(layout) + `"`
	case "TIME":
		us := v.(int64)
		s := fmt.Sprintf("%02d:%02d:%02d", us/(3600*second), us/(60*second)%60, us/second%60)
		if us%second != 0 {
			s += fmt.Sprintf(".%06d", us%second)
		}
		return `"` + s + `"`
	case "VARCHAR":
		return quote(v.(string))
	case "JSON", "STRUCT", "LIST", "MAP":
		return compact([]byte(v.(string)))
	case "DATE", "INTERVAL":
		return `"` + text(v, t) + `"`
	}
	return text(v, t)
}

// quote escapes only quotes, backslashes and control characters.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		case c == '\b':
			b.WriteString(`\b`)
		case c == '\f':
			b.WriteString(`\f`)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ':
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
