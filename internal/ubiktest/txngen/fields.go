package txngen

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// field is a member of the object being made: its name, unquoted, and its value as JSON text.
type field struct{ name, value string }

func without(fields []field, name string) []field {
	kept := fields[:0]
	for _, f := range fields {
		if f.name != name {
			kept = append(kept, f)
		}
	}
	return kept
}

// merchantName spells the merchant of a rank. Most names are plain; some need escapes, some are beyond ASCII, one is empty.
func merchantName(rank int) string {
	switch rank % 23 {
	case 5:
		return fmt.Sprintf("Café №%d", rank)
	case 9:
		return fmt.Sprintf(`the "%d" \ Co. / Sons`, rank)
	case 14:
		return fmt.Sprintf("店 %d 😀", rank)
	case 19:
		if rank == 19 {
			return ""
		}
	}
	return "m" + strconv.Itoa(rank)
}

// quote writes a JSON string: with what must be escaped only, or, when escaped is wanted, every third character as \u.
func quote(s string, escaped bool) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, c := range []rune(s) {
		switch {
		case escaped && i%3 == 1:
			for _, unit := range utf16.Encode([]rune{c}) {
				fmt.Fprintf(&b, `\u%04X`, unit)
			}
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '/' && escaped:
			b.WriteString(`\/`)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// timeText writes a time of µs since 1970 in one of the forms that occur: with Z, with an offset, without a zone; cut to seconds or milliseconds, in
// full, or with digits past the microsecond.
func timeText(r *random, us int64) string {
	layout := "2006-01-02T15:04:05"
	switch r.below(20) {
	case 0:
		layout = "2006-01-02 15:04:05"
	case 1, 2, 3:
		layout += ".000000"
	case 4:
		layout += fmt.Sprintf(".000000'%03d'", r.below(1000)) // the quotes, which no layout element holds, are taken out below
	case 5, 6:
	default:
		layout += ".000"
	}
	zone, offset := "Z", int64(0)
	switch r.below(20) {
	case 0, 1:
		zone, offset = "+02:00", 2*3600
	case 2:
		zone, offset = "-05:30", -(5*3600 + 1800)
	case 3:
		zone = "+00:00"
	case 4:
		zone = ""
	}
	text := time.UnixMicro(us + offset*1_000_000).UTC().Format(layout)
	return strings.ReplaceAll(text, "'", "") + zone
}

// amountText writes an amount.
func amountText(r *random, kind Amount) string {
	var sign string
	if r.below(8) == 0 {
		sign = "-"
	}
	if kind == Number {
		return sign + numberText(r)
	}
	integers := int(1 + r.below(6))
	if r.below(4) == 0 {
		integers = int(1 + r.below(32)) // sums of many thousands still fit 36 digits before the point
	}
	decimals := int(r.below(3))
	if r.below(4) == 0 {
		decimals = int(r.below(7))
	}
	text := sign + digits(r, integers)
	if decimals > 0 {
		text += "." + anyDigits(r, decimals)
	}
	if kind == String {
		return `"` + text + `"`
	}
	if r.below(50) == 0 {
		text += []string{"e-3", "E+2", "e0"}[r.below(3)]
		if integers > 25 {
			text = sign + digits(r, 25) + "e2"
		}
	}
	return text
}

// numberText writes a number of at most 15 digits, at most two of them decimals.
func numberText(r *random) string {
	integers := int(1 + r.below(4))
	if r.below(16) == 0 {
		integers = int(1 + r.below(13))
	}
	switch text := digits(r, integers); r.below(40) {
	case 0:
		return text
	case 1:
		return text + "." + anyDigits(r, 1)
	case 2:
		return digits(r, 1) + []string{"e2", "E+1", "e0", ".5e3"}[r.below(4)]
	case 3:
		return "0"
	default:
		return text + "." + anyDigits(r, 2)
	}
}

// digits gives n digits without a leading zero, unless there is one only.
func digits(r *random, n int) string {
	if n == 1 {
		return anyDigits(r, 1)
	}
	return string(byte('1'+r.below(9))) + anyDigits(r, n-1)
}

func anyDigits(r *random, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('0' + r.below(10))
	}
	return string(b)
}

// scoreText writes a double: mostly between 0 and 1, sometimes of any size, so that sums in different orders would differ.
func scoreText(r *random) string {
	v := float64(r.below(1<<53)) / (1 << 53)
	switch r.below(10) {
	case 0:
		v *= 1e18
	case 1:
		v = -v * 1e-12
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
