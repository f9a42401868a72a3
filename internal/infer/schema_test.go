package infer

import (
	"fmt"
	"strings"
	"testing"

	"ubik/internal/sql"
	"ubik/internal/vec"
)

// sample reads JSON records, one a line.
func sample(lines string) *Sampler {
	s := NewJSON()
	for line := range strings.Lines(lines) {
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			s.Add([]byte(line))
		}
	}
	return s
}

// fields reads CSV records, one a line, the first naming the columns; an empty field is NULL, one of ” is empty.
func fields(lines string) *Sampler {
	var s *Sampler
	for line := range strings.Lines(lines) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		if s == nil {
			s = NewCSV(parts)
			continue
		}
		texts, null := make([][]byte, len(parts)), make([]bool, len(parts))
		for i, p := range parts {
			texts[i], null[i] = []byte(strings.TrimPrefix(p, "''")), p == ""
		}
		s.AddFields(texts, null)
	}
	return s
}

// describe is the DDL and the notes.
func describe(s Schema) string {
	text := s.DDL("")
	for _, c := range s.Columns {
		if c.Note != "" {
			text += "\n" + c.Name + ": " + c.Note
		}
	}
	return text
}

// column is the type and note of a column x that has the given JSON values.
func column(values ...string) string {
	s := NewJSON()
	for _, v := range values {
		if v == "-" {
			s.Add([]byte(`{}`))
			continue
		}
		s.Add([]byte(`{"x":` + v + `}`))
	}
	return oneColumn(s)
}

func oneColumn(s *Sampler) string {
	text := strings.TrimPrefix(s.Schema(nil).DDL(""), "x ")
	if cols := s.Schema(nil).Columns; len(cols) > 0 && cols[0].Note != "" {
		text += " -- " + cols[0].Note
	}
	return text
}

func TestTypesOfJSONValues(t *testing.T) {
	for _, c := range []struct {
		values string
		want   string
	}{
		{`true false`, "BOOLEAN"},
		{`true null -`, "BOOLEAN"},
		{`1 -2 0`, "BIGINT"},
		{`1e2 -0`, "BIGINT"},
		{`9223372036854775807 -9223372036854775808`, "BIGINT"},
		{`1 9223372036854775808`, "HUGEINT"},
		{`1e20`, "HUGEINT"},
		{`-170141183460469231731687303715884105728`, "HUGEINT"},
		{`170141183460469231731687303715884105728 1`, "DOUBLE -- integers beyond HUGEINT lose digits: declare VARCHAR to keep them"},
		{`1e400`, "DOUBLE -- integers beyond HUGEINT lose digits: declare VARCHAR to keep them"},
		{`1 2.5`, "DOUBLE -- fractions: declare DECIMAL(18,2) for money"},
		{`1.0`, "DOUBLE -- fractions: declare DECIMAL(18,2) for money"},
		{`1.2345 100`, "DOUBLE -- fractions: declare DECIMAL(18,4) for money"},
		{`12345678901234567.25`, "DOUBLE -- fractions: declare DECIMAL(38,2) for money"},
		{`1e-3`, "DOUBLE -- fractions: declare DECIMAL for money"},
		{`0.123456789012`, "DOUBLE -- fractions: declare DECIMAL for money"},
		{`9223372036854775808 0.5`, "DOUBLE -- fractions: declare DECIMAL(38,2) for money"},
		{`"2026-01-01" "2026/1/2"`, "DATE"},
		{`"2026-01-01" "2026-01-01T10:00:00Z"`, "TIMESTAMP"},
		{`"2026-01-01_10:00" null`, "TIMESTAMP"},
		{`"2026-01-01_10:00:00.123456+05:30" "2026-01-01T10:00:00-0330" "2026-01-01_10:00:00_UTC" "_2026-1-1_"`, "TIMESTAMP"},
		{`"2026-01-01T24:00:00"`, "TIMESTAMP"},
		{`"2026-01-01T23:59:60"`, "VARCHAR"},
		{`"2026-02-30"`, "VARCHAR"},
		{`"10:00:00"`, "VARCHAR"},
		{`"1-2-3"`, "VARCHAR"},
		{`"0001-2-3"`, "DATE -- dates before the year 1000: declare VARCHAR if they are codes"},
		{`"2026-01-01" "2026-01-02" ""`, `VARCHAR -- one of 3 is no time, "": TRY_CAST(x AS TIMESTAMP) makes them NULL`},
		{`"2026-01-01" "soon" "later"`, `VARCHAR`},
		{`"a" "b"`, "VARCHAR"},
		{`"+41" "12"`, "VARCHAR -- leading signs, kept: CAST(x AS BIGINT) reads numbers"},
		{`1 "NaN" "-Infinity"`, "DOUBLE"},
		{`1 "nan"`, "VARCHAR -- texts and numbers: VARCHAR"},
		{`"NaN" "Infinity"`, "VARCHAR"},
		{`"NaN" "x"`, "VARCHAR"},
		{`"NaN" "x" 1`, "VARCHAR -- texts and numbers: VARCHAR"},
		{`"NaN" true`, "VARCHAR -- texts and booleans: VARCHAR"},
		{`"1" "2"`, "VARCHAR -- numbers in quotes: CAST(x AS BIGINT) reads them"},
		{`"1.5" "2"`, "VARCHAR -- numbers in quotes: CAST(x AS DECIMAL(18,2)) reads them"},
		{`"0.348804" "12"`, "VARCHAR -- numbers in quotes: CAST(x AS DECIMAL(18,6)) reads them"},
		{`"1234567890123456.25"`, "VARCHAR -- numbers in quotes: CAST(x AS DECIMAL(18,2)) reads them"},
		{`"12345678901234567.25"`, "VARCHAR -- numbers in quotes: CAST(x AS DECIMAL(38,2)) reads them"},
		{`"1.5e3"`, "VARCHAR -- numbers in quotes: CAST(x AS DOUBLE) reads them"},
		{`"007" "12"`, "VARCHAR -- leading zeros, kept: CAST(x AS BIGINT) reads numbers"},
		{`"1,234.50" "12"`, "VARCHAR -- separated thousands: CAST(replace(x, ',', '') AS DECIMAL(18,2)) reads them"},
		{`"12,5" "1.234,50"`, "VARCHAR -- decimal commas: CAST(replace(replace(x, '.', ''), ',', '.') AS DECIMAL(18,2)) reads them"},
		{`"1,234"`, "VARCHAR -- separated thousands or decimal commas, which the sample does not tell: CAST(replace(x, ',', '') AS DECIMAL(18,2)) reads them"},
		{`"31.12.2026_10:00"`, `VARCHAR -- dates with the day first: CAST(regexp_replace(x, '^ *(\d+)\.(\d+)\.(\d+)', '\3-\2-\1') AS TIMESTAMP) reads them`},
		{`1 "a"`, "VARCHAR -- texts and numbers: VARCHAR"},
		{`1 2 3 "n/a"`, `VARCHAR -- one of 4 is no number, "n/a": TRY_CAST(x AS BIGINT) makes them NULL`},
		{`true "a"`, "VARCHAR -- texts and booleans: VARCHAR"},
		{`true 1`, "VARCHAR -- numbers and booleans: VARCHAR"},
		{`null null`, "VARCHAR -- only NULL"},
		{`{"a":1} {"b":"z"}`, "STRUCT(a BIGINT, b VARCHAR)"},
		{`{"a":{"b":[1,2.5]}}`, "STRUCT(a STRUCT(b DOUBLE[])) -- x.a.b[]: fractions: declare DECIMAL(18,2) for money"},
		{`{} {}`, "JSON -- only empty objects: JSON"},
		{`{} {"a":null}`, "STRUCT(a VARCHAR) -- x.a: only NULL"},
		{`[1] [] null`, "BIGINT[]"},
		{`[]`, "VARCHAR[] -- only empty lists"},
		{`[[1],[2.5]] [null]`, "DOUBLE[][] -- x[][]: fractions: declare DECIMAL(18,2) for money"},
		{`[{"a":1},{"b":true}]`, "STRUCT(a BIGINT, b BOOLEAN)[]"},
		{`[1,"a"]`, "VARCHAR[] -- x[]: texts and numbers: VARCHAR"},
		{`[1,[2]]`, "JSON[] -- x[]: lists and numbers: JSON"},
		{`{"a":1} [1]`, "JSON -- objects and lists: JSON"},
		{`{"a":1} 7 true`, "JSON -- objects, numbers and booleans: JSON"},
		{`[1] "a"`, "JSON -- lists and texts: JSON"},
		{`{"a":1,"A":2}`, "STRUCT(a BIGINT) -- x.a: also spelled A, which SQL cannot tell from it: only the first is read"},
		{`{"a":1,"a":2}`, "STRUCT(a BIGINT) -- x.a: a record has the name twice: it is malformed"},
		{`{"":1}`, "JSON"},
		{`{"order":1,"two_words":2,"ä":3}`, `STRUCT("order" BIGINT, "two words" BIGINT, "ä" BIGINT)`},
	} {
		values := strings.Fields(c.values)
		for i := range values {
			values[i] = strings.ReplaceAll(values[i], "_", " ")
		}
		if got := column(values...); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.values, got, c.want)
		}
	}
}

func TestTypesOfCSVFields(t *testing.T) {
	for _, c := range []struct{ values, want string }{
		{"true|FALSE|", "BOOLEAN"},
		{"t|f", "VARCHAR"},
		{"1|0", "BIGINT"},
		{"1| 2 |-3", "BIGINT"},
		{"99999999999999999999", "HUGEINT"},
		{"1|.5|5.", "DOUBLE -- fractions: declare DECIMAL(18,2) for money"},
		{"1|nan|-Infinity", "DOUBLE"},
		{"nan|inf", "VARCHAR"},
		{"1|NA|3", `VARCHAR -- one of 3 is no number, "NA": TRY_CAST(x AS BIGINT) makes them NULL`},
		{"00123|99999", "VARCHAR -- leading zeros, kept: CAST(x AS BIGINT) reads numbers"},
		{"0|0.5|-0.5", "DOUBLE -- fractions: declare DECIMAL(18,2) for money"},
		{"+41791234567|+41791234568", "VARCHAR -- leading signs, kept: CAST(x AS BIGINT) reads numbers"},
		{"1,234.50|12|999.00", "VARCHAR -- separated thousands: CAST(replace(x, ',', '') AS DECIMAL(18,2)) reads them"},
		{"1.234,50|1.234|7", "VARCHAR -- decimal commas: CAST(replace(replace(x, '.', ''), ',', '.') AS DECIMAL(18,2)) reads them"},
		{"1'234.50|12", "VARCHAR -- separated thousands: CAST(replace(x, '''', '') AS DECIMAL(18,2)) reads them"},
		{"1 234,50|12", "VARCHAR -- decimal commas: CAST(replace(replace(x, ' ', ''), ',', '.') AS DECIMAL(18,2)) reads them"},
		{"1 234.50|12", "VARCHAR -- separated thousands: CAST(replace(x, ' ', '') AS DECIMAL(18,2)) reads them"},
		{"31/12/26|01/02/26", `VARCHAR -- dates with the day first and years of two digits: CAST(regexp_replace(x, '^ *(\d+)/(\d+)/(\d+)', '20\3-\2-\1') AS TIMESTAMP) reads them`},
		{"01/02/26", `VARCHAR -- dates with the day or the month first and years of two digits, which the sample does not tell: CAST(regexp_replace(x, '^ *(\d+)/(\d+)/(\d+)', '20\3-\2-\1') AS TIMESTAMP) reads them`},
		{"12/31/26 1:05 PM", `VARCHAR -- dates with the month first and years of two digits: strptime(x, '%m/%d/%y %I:%M %p') reads them`},
		{"31.12.26 10:00", `VARCHAR -- dates with the day first and years of two digits: CAST(regexp_replace(x, '^ *(\d+)\.(\d+)\.(\d+)', '20\3-\2-\1') AS TIMESTAMP) reads them`},
		{"31/12/69", "VARCHAR"},
		{"31/12/2026|01/02/2026", `VARCHAR -- dates with the day first: CAST(regexp_replace(x, '^ *(\d+)/(\d+)/(\d+)', '\3-\2-\1') AS TIMESTAMP) reads them`},
		{"12/31/2026|01/02/2026", `VARCHAR -- dates with the month first: CAST(regexp_replace(x, '^ *(\d+)/(\d+)/(\d+)', '\3-\1-\2') AS TIMESTAMP) reads them`},
		{"01/02/2026", `VARCHAR -- dates with the day or the month first, which the sample does not tell: CAST(regexp_replace(x, '^ *(\d+)/(\d+)/(\d+)', '\3-\2-\1') AS TIMESTAMP) reads them`},
		{"2026-01-01|2026-01-02", "DATE"},
		{"2026-01-01|2026-01-02 10:00", "TIMESTAMP"},
		{"2026-01-01|7", "VARCHAR -- texts and numbers: VARCHAR"},
		{"|", "VARCHAR -- only NULL"},
		{"''|1", `VARCHAR -- texts and numbers: VARCHAR`},
	} {
		s := NewCSV([]string{"x"})
		for _, v := range strings.Split(c.values, "|") {
			s.AddFields([][]byte{[]byte(strings.TrimPrefix(v, "''"))}, []bool{v == ""})
		}
		if got := oneColumn(s); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.values, got, c.want)
		}
	}
}

func TestColumnsAreCounted(t *testing.T) {
	s := sample(`{"a":1,"b":null}
not json
{"b":null,"c":[]}
{"a":null}`)
	if good, malformed := s.Records(); good != 3 || malformed != 1 {
		t.Errorf("got %d good, %d malformed", good, malformed)
	}
	got := ""
	for _, c := range s.Schema(nil).Columns {
		got += fmt.Sprintf("%s %d %d, ", c.Name, c.Seen, c.Nulls)
	}
	if want := "a 2 1, b 2 2, c 1 0, "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	c := fields("a|b\n1|\n2|x\n3\n4|\xff")
	if good, malformed := c.Records(); good != 2 || malformed != 2 {
		t.Errorf("got %d good, %d malformed", good, malformed)
	}
}

func TestColumnsThatAreNotUsedAreKnownByName(t *testing.T) {
	s := sample(`{"a":1,"b c":2.5,"d":{"e":1,"f":{"g":2,"h":3},"*/":4},"*/ /*x":5}`)
	used := func(path []string) bool {
		switch p := strings.Join(path, "."); p {
		case "a", "d", "d.f", "d.f.h":
			return true
		}
		return false
	}
	got := s.Schema(used)
	if want := `a BIGINT, d STRUCT(f STRUCT(h BIGINT)) /* not typed: "b c", "* / / *x" */`; got.DDL("") != want {
		t.Errorf("got %s\nwant %s", got.DDL(""), want)
	}
	if got.Columns[1].Type.Kind != vec.Null || got.Columns[1].Note != "" || got.Columns[1].Seen != 1 {
		t.Errorf("got %+v", got.Columns[1])
	}
	if want := `CREATE TABLE "order" (a BIGINT, d STRUCT(f STRUCT(h BIGINT)) /* not typed: "b c", "* / / *x" */)`; got.DDL("order") != want {
		t.Errorf("got %s\nwant %s", got.DDL("order"), want)
	}
	if _, err := sql.ParseSchema(got.DDL("")); err != nil {
		t.Error(err)
	}
	all := `a BIGINT, "b c" DOUBLE, d STRUCT(e BIGINT, f STRUCT(g BIGINT, h BIGINT), "*/" BIGINT), "*/ /*x" BIGINT`
	if got := s.Schema(nil).DDL(""); got != all {
		t.Errorf("got %s\nwant %s", got, all)
	}
}

func TestNamesThatDifferInCaseAreOneColumn(t *testing.T) {
	got := describe(sample(`{"ID":1}
{"id":"x","Id":true,"":1}`).Schema(nil))
	want := `ID BIGINT /* not typed: "" */
ID: also spelled id, which SQL cannot tell from it: only the first is read; also spelled Id, which SQL cannot tell from it: only the first is read
: the name cannot be declared`
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestOnlyTheFirstNotesOfAColumnAreShown(t *testing.T) {
	got := sample(`{"a":{"b":1.5,"c":1.5,"d":1.5,"e":1.5}}`).Schema(nil).Columns[0].Note
	want := "a.b: fractions: declare DECIMAL(18,2) for money; a.c: fractions: declare DECIMAL(18,2) for money; " +
		"a.d: fractions: declare DECIMAL(18,2) for money; and more"
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestNearestNames(t *testing.T) {
	s := sample(`{"merchant":1,"Amount":2,"payload":{"event_time":3,"user":{"Amount":4}},"merchants":5,"a b":6}`)
	for name, want := range map[string]string{
		"mercant":    "merchant merchants",
		"amount":     "Amount payload.user.Amount",
		"event_time": "payload.event_time",
		"a_b":        `"a b"`,
		"zzz":        "",
	} {
		if got := strings.Join(s.Nearest(name, sql.Nearest), " "); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestReservedWordsAreQuoted(t *testing.T) {
	for _, w := range sql.ReservedWords() {
		if !reserved(fold(w)) {
			t.Errorf("%s is reserved", w)
		}
	}
	for _, name := range []string{"a", "interval", "order", "Select", "a b", `"`, "1a", "_x", "date", "window"} {
		if got, want := quoteName(name), sql.QuoteName(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestNoRecordsGiveNoColumns(t *testing.T) {
	s := sample("{}\n[1]\n")
	if got := s.Schema(nil); len(got.Columns) != 0 || got.DDL("") != "" || got.Note != "" {
		t.Errorf("got %+v", got)
	}
}
