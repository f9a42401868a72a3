package csv

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ubik/internal/codec"
	csvrec "ubik/internal/codec/csv"
	"ubik/internal/expr"
	"ubik/internal/vec"
	"ubik/oracle/duck"
)

var valueTypes = []vec.Type{
	vec.TypeOf(vec.Varchar), vec.TypeOf(vec.Bool), vec.TypeOf(vec.Int8), vec.TypeOf(vec.Int64), vec.TypeOf(vec.HugeInt), vec.DecimalType(6, 2),
	vec.TypeOf(vec.Double), vec.TypeOf(vec.Date), vec.TypeOf(vec.TimeOfDay), vec.TypeOf(vec.Timestamp), vec.TypeOf(vec.Interval), vec.TypeOf(vec.JSON),
}

// valueFields are fields as they stand in a record.
var valueFields = []string{
	``, `""`, `"a ""b"", c"`, `x`, ` x `, `NULL`, `"NULL"`, `\N`, `0`, `7`, `"7"`, `-7`, `+7`, ` 7 `, `007`, `127`, `128`, `-128`, `-129`, `1.5`, `2.5`, `-0.5`, `1.`, `.5`,
	`1e3`, `1e-3`, `1E400`, `9223372036854775807`, `9223372036854775808`, `"1,5"`, `"1,234.50"`, `1_000`, `0x10`, `1234.565`, `12345.6`, `$5`, `5%`,
	`true`, `False`, `TRUE`, `t`, `f`, `yes`, `1`, `nan`, `NaN`, `inf`, `-Infinity`,
	`2026-01-02`, `2026/01/02`, `2026-1-2`, `02.01.2026`, `01/02/2026`, `2026-02-30`, `0001-01-01`, `2026-01-02 03:04`, `2026-01-02 03:04:05`, `2026-01-02T03:04:05Z`,
	`2026-01-02 03:04:05.678901`, `2026-01-02 03:04:05+02:00`, `2026-01-02 24:00:00`, `03:04`, `03:04:05`, `03:04:05.5`, `1 day`, `"1 month, 2 days"`, `00:05:00`,
	`{}`, `"{""a"": 1}"`, `[1`, `null`,
}

// valueDifferences are fields that DuckDB reads as other values of a type, and why that is wanted.
var valueDifferences = []struct{ typ, field, reason string }{
	{`BIGINT|HUGEINT|DECIMAL.*|DOUBLE`, `1_000`, "digits of a text have no signs between them"},
	{`TINYINT|BIGINT`, `0x10`, "nor are they hexadecimal"},
	{`JSON`, `(?i)nan|-?inf(inity)?`, "RFC 8259 has no such numbers"},
	{`DATE|TIMESTAMP`, `-?(?i)inf(inity)?`, "dates and times end with the years 0001 and 9999"},
	{`TIME`, `\d.*[-/].*`, "a date is no time of day"},
	{`TIMESTAMP`, `.*\+02:00`, "text with a zone offset becomes UTC"},
	{`INTERVAL`, `\+7|\.5`, "a number is seconds, whatever its sign and digits"},
}

func TestFieldsAreTheValuesThatDuckDBReads(t *testing.T) {
	db := duck.ForTest(t)
	used := make([]bool, len(valueDifferences))
	path := filepath.Join(t.TempDir(), "values.csv")
	for _, field := range valueFields {
		if err := os.WriteFile(path, []byte(field+",1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, typ := range valueTypes {
			ours, theirs := valueRead(typ, field), valueOfDuckDB(db, path, typ)
			wanted := false
			for i, d := range valueDifferences {
				if regexp.MustCompile("^(?:"+d.typ+")$").MatchString(typ.String()) && regexp.MustCompile("^(?:"+d.field+")$").MatchString(field) && ours != theirs {
					used[i], wanted = true, true
				}
			}
			if ours != theirs && !wanted {
				t.Errorf("%s as %s: program %s, DuckDB %s", field, typ, ours, theirs)
			}
		}
	}
	for i, d := range valueDifferences {
		if !used[i] {
			t.Errorf("no difference any more: %s as %s, %s", d.field, d.typ, d.reason)
		}
	}
}

func valueRead(typ vec.Type, field string) string {
	d := csvrec.Default([]string{"x", "n"})
	cols := []codec.Column{{Path: []string{"x"}, Type: typ}}
	record := field + ",1"
	out := vec.NewBatch(typ)
	if bad := csvrec.Format(d).NewDecoder(cols).Decode(&codec.Records{Data: []byte(record), Spans: []vec.Span{{Len: uint32(len(record))}}}, out, nil); bad != nil {
		return "refused"
	}
	if out.Cols[0].IsNull(0) {
		return "NULL"
	}
	return "'" + string(expr.AppendText(nil, out.Cols[0], 0)) + "'"
}

// valueOfDuckDB is the first field of the file, which has one record. That a quoted empty field is NULL for all types
// but VARCHAR is what DuckDB does where quoted fields may be NULL.
func valueOfDuckDB(db *duck.DB, path string, typ vec.Type) string {
	quotedNulls := "true"
	if typ.Kind == vec.Varchar {
		quotedNulls = "false"
	}
	result, err := db.Query("SELECT CAST(x AS VARCHAR) FROM read_csv(" + duck.Literal(path) + `, auto_detect = false, header = false, delim = ',', quote = '"', escape = '"', ` +
		"allow_quoted_nulls = " + quotedNulls + ", columns = {'x': " + duck.Literal(typ.String()) + ", 'n': 'BIGINT'})")
	if err != nil {
		if !strings.Contains(err.Error(), "Conversion Error") && !strings.Contains(err.Error(), "Invalid Input Error") {
			return err.Error()
		}
		return "refused"
	}
	if text, ok := result.Rows[0][0].(string); ok {
		return "'" + text + "'"
	}
	return "NULL"
}
