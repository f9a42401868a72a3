package duck

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// Result is what a statement gave. Rows hold the driver's values; Print makes text of one.
type Result struct {
	Columns []string
	Types   []string
	Rows    [][]any
}

// Text gives the rows as text, value by value, as Print writes them.
func (r *Result) Text() [][]string {
	text := make([][]string, len(r.Rows))
	for i, row := range r.Rows {
		text[i] = make([]string, len(row))
		for j, v := range row {
			text[i][j] = r.print(j, v)
		}
	}
	return text
}

// String gives one line a row, values parted by a tab.
func (r *Result) String() string {
	var b strings.Builder
	for _, row := range r.Text() {
		b.WriteString(strings.Join(row, "\t"))
		b.WriteByte('\n')
	}
	return b.String()
}

// print knows the column's type, which for days and times of day the value does not tell.
func (r *Result) print(column int, v any) string {
	if t, ok := v.(time.Time); ok {
		switch r.Types[column] {
		case "DATE":
			return t.UTC().Format("2006-01-02")
		case "TIME":
			return strings.TrimSuffix(t.UTC().Format("15:04:05.000000"), ".000000")
		}
	}
	if b, ok := v.([]byte); ok && r.Types[column] == "UUID" && len(b) == 16 {
		u := duckdb.UUID(b)
		return u.String()
	}
	return Print(v)
}

// Print writes a value so that equal values, and only those, are equal as text within a type: NULL; integers and decimals in full, decimals with all
// the digits of their scale; doubles with the fewest digits that read back; times as 2026-01-01T00:00:00Z with 6 fraction digits
// where there are any; blobs as hex after \x; strings in double quotes, escaped as Go does; lists, structs and maps in brackets, the names of a struct in order.
func Print(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return strconv.Quote(v)
	case []byte:
		return `\x` + hex.EncodeToString(v)
	case float64:
		return printFloat(v, 64)
	case float32:
		return printFloat(float64(v), 32)
	case *big.Int:
		return v.String()
	case duckdb.Decimal:
		return Decimal(v.Value, int(v.Scale))
	case time.Time:
		return strings.Replace(v.UTC().Format("2006-01-02T15:04:05.000000Z"), ".000000Z", "Z", 1)
	case duckdb.Interval:
		return fmt.Sprintf("%d months %d days %d us", v.Months, v.Days, v.Micros)
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = Print(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]any:
		items := make([]string, 0, len(v))
		for name, item := range v {
			items = append(items, strconv.Quote(name)+": "+Print(item))
		}
		sort.Strings(items)
		return "{" + strings.Join(items, ", ") + "}"
	case duckdb.OrderedMap:
		items := make([]string, v.Len())
		for i, key := range v.Keys() {
			items[i] = Print(key) + ": " + Print(v.Values()[i])
		}
		return "MAP{" + strings.Join(items, ", ") + "}"
	}
	if k := reflect.TypeOf(v).Kind(); k >= reflect.Int && k <= reflect.Uint64 {
		return fmt.Sprintf("%d", v)
	}
	panic(fmt.Sprintf("duck: no text form for %T", v))
}

func printFloat(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(f, 'g', -1, bits)
}

// Decimal writes an unscaled integer with exactly scale decimals.
func Decimal(unscaled *big.Int, scale int) string {
	digits := new(big.Int).Abs(unscaled).String()
	if scale > 0 {
		if missing := scale + 1 - len(digits); missing > 0 {
			digits = strings.Repeat("0", missing) + digits
		}
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if unscaled.Sign() < 0 {
		digits = "-" + digits
	}
	return digits
}

// JSONString is a text as the program writes it in JSON: it escapes the quote, the backslash and control characters, and
// nothing else.
func JSONString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c < ' ':
			if i := strings.IndexRune("\b\f\n\r\t", c); i >= 0 {
				b.WriteString(`\` + "bfnrt"[i:i+1])
			} else {
				fmt.Fprintf(&b, `\u%04x`, c)
			}
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
