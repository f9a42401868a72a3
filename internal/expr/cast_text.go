package expr

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"ubik/internal/exact"
	"ubik/internal/jsontext"
	"ubik/internal/vec"
)

// CastText stores a text, cast as SQL does, as row of v by v's type, and returns "". When the text is no value of the
// type it returns why, as a phrase such as `"12x" is not a BIGINT`, and the row is unspecified. Text and BLOB values
// are appended to v's arena, which must be the caller's. The type must be one that is stored.
func CastText(v *vec.Vector, row int, text []byte) (reason string) {
	if storeText(v, row, text) {
		return ""
	}
	return textReason(text, v.Type)
}

// CastNumber is CastText for the text of a JSON number. 1.0 and 1e2 are integers; a number with a fraction is no
// integer. For a BOOLEAN, a date or an interval a number is no value; for VARCHAR it is its text.
func CastNumber(v *vec.Vector, row int, text []byte) (reason string) {
	switch t := v.Type; t.Kind {
	case vec.Int8, vec.Int16, vec.Int32, vec.Int64, vec.HugeInt:
		x, whole, ok := exact.ParseNumber(text)
		if !ok || !whole || !storeInteger(v, row, x) {
			return numberReason(text, t)
		}
	case vec.Decimal, vec.Double, vec.Varchar, vec.JSON:
		if !storeText(v, row, text) {
			return numberReason(text, t)
		}
	default:
		return numberReason(text, t)
	}
	return ""
}

// storeText is CastText without the reason.
func storeText(v *vec.Vector, row int, text []byte) bool {
	switch t := v.Type; t.Kind {
	case vec.JSON:
		if !jsontext.Valid(text) {
			return false
		}
		v.AppendBytes(row, text)
	case vec.Varchar:
		v.AppendBytes(row, text)
	case vec.Bool:
		b, ok := ParseBool(text)
		v.Bools[row] = b
		return ok
	case vec.Int8, vec.Int16, vec.Int32, vec.Int64, vec.HugeInt:
		text = trimBlanks(text)
		if x, ok := parseShortInt(text); ok {
			return storeInteger(v, row, exact.FromInt64(x))
		}
		x, ok := exact.ParseNumberInt(text)
		return ok && storeInteger(v, row, x)
	case vec.Decimal:
		text = trimBlanks(text)
		if t.Phys() == vec.PhysI64 {
			x, ok := exact.ParseDecimal64(text, int(t.Precision), int(t.Scale))
			v.I64[row] = x
			return ok
		}
		x, ok := exact.ParseDecimal(text, int(t.Precision), int(t.Scale))
		v.I128[row] = x
		return ok
	case vec.Double:
		f, ok := parseDouble(text)
		v.F64[row] = f
		return ok
	case vec.Timestamp, vec.TimestampTZ:
		us, ok := ParseTimestamp(text)
		v.I64[row] = us
		return ok
	case vec.Date:
		d, ok := parseDate(text)
		v.I64[row] = d
		return ok
	case vec.TimeOfDay:
		us, ok := ParseTime(text)
		v.I64[row] = us
		return ok
	case vec.Interval:
		iv, ok := parseInterval(text)
		v.Ivals[row] = iv
		return ok
	case vec.Blob:
		return storeBlob(v, row, text)
	default:
		panic("expr: text cast to " + t.String() + ", which no column stores")
	}
	return true
}

// parseShortInt reads up to 18 digits with a sign or none: what nearly all integers are.
func parseShortInt(b []byte) (int64, bool) {
	neg := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg = b[0] == '-'
		b = b[1:]
	}
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	var x int64
	for _, c := range b {
		d := c - '0'
		if d > 9 {
			return 0, false
		}
		x = x*10 + int64(d)
	}
	if neg {
		x = -x
	}
	return x, true
}

func storeInteger(v *vec.Vector, row int, x exact.Int128) bool {
	if v.Type.Kind == vec.HugeInt {
		v.I128[row] = x
		return true
	}
	if !x.IsInt64() {
		return false
	}
	lo, hi := intRange(v.Type.Kind)
	i := x.Int64()
	v.I64[row] = i
	return i >= lo && i <= hi
}

// storeBlob reads bytes as DuckDB writes them: ASCII, with \xAA for what is not.
func storeBlob(v *vec.Vector, row int, text []byte) bool {
	off := len(v.Arena)
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' {
			if i+3 >= len(text) || text[i+1] != 'x' {
				return false
			}
			hi, ok1 := hexDigit(text[i+2])
			lo, ok2 := hexDigit(text[i+3])
			if !ok1 || !ok2 {
				return false
			}
			c = hi<<4 | lo
			i += 3
		} else if c >= utf8.RuneSelf {
			return false
		}
		v.Arena = append(v.Arena, c)
	}
	v.Spans[row] = vec.SpanTo(off, len(v.Arena))
	return true
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// trimBlanks removes the blanks that SQL allows around a number.
func trimBlanks(b []byte) []byte {
	for len(b) > 0 && isBlank(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isBlank(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// textReason says that a text is no value of a type; a long text is cut.
func textReason(text []byte, t vec.Type) string {
	return `"` + shown(text) + `" is not ` + withArticle(t)
}

func numberReason(text []byte, t vec.Type) string { return shown(text) + " is not " + withArticle(t) }

// shown is a value as an error message prints it: at most 60 bytes of valid UTF-8 without control characters.
func shown(text []byte) string {
	const most = 60
	cut := len(text) > most
	if cut {
		n := most
		for n > most-utf8.UTFMax && !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:n]
	}
	s := string(bytes.ToValidUTF8(text, []byte("\uFFFD")))
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return '\uFFFD'
		}
		return r
	}, s)
	if cut {
		s += "…"
	}
	return s
}
