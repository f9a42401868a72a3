package table

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ubik/internal/catalog"
	"ubik/internal/codec"
	csvrec "ubik/internal/codec/csv"
	"ubik/internal/plan"
	"ubik/internal/vec"
)

// admitTypes and admitValues are drawn from: most values are of some of the types and not of others.
var (
	admitTypes = []string{"BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DECIMAL(4,2)", "DECIMAL(38,2)", "DECIMAL(38,37)", "DOUBLE", "DATE", "TIME", "TIMESTAMP",
		"VARCHAR", "JSON", "BIGINT[]", "DATE[][]", "STRUCT(x BIGINT, y DATE)", "STRUCT(x STRUCT(y BIGINT))", "STRUCT(x BIGINT[])", "MAP(VARCHAR, BIGINT)"}
	admitValues = []string{"null", "true", "0", "1", "-7", "300", "70000", "3000000000", "99999999999999999999", "1e38", "170141183460469231731687303715884105728", "1e400", "1.5", "12345.675",
		`"true"`, `"1"`, `"1.5"`, `"007"`, `""`, `" "`, `"x"`, `"2026-01-01"`, `"2026-1-2 3:4"`, `"2026-02-30"`, `"12:30"`, `"0000-00-00"`, `"NaN"`, `"\u00e9"`, `"{}"`, `"[1]"`,
		`[]`, `[1]`, `[1,"x"]`, `[[1]]`, `[["2026-01-01"]]`, `{}`, `{"x":1}`, `{"x":"z","y":"2026-01-01"}`, `{"x":1,"y":7}`, `{"x":{"y":"z"}}`, `{"x":[1,2.5]}`, `{"x":1,"x":2}`}
)

// TestWhatIsShownAdmitsTheRecord draws columns and records. Where a record is malformed and a declaration is shown that is
// to admit it, the declaration is read as if it were written by the user, and the record read by it.
func TestWhatIsShownAdmitsTheRecord(t *testing.T) {
	const seed = 5
	rng := rand.New(rand.NewPCG(seed, 0))
	shown, silent := 0, 0
	for range 20000 {
		json := rng.IntN(3) > 0
		var columns, values []string
		for i := range 1 + rng.IntN(3) {
			columns = append(columns, fmt.Sprintf("c%d %s", i, admitTypes[rng.IntN(len(admitTypes))]))
			values = append(values, admitValues[rng.IntN(len(admitValues))])
		}
		table, record := admitTable(t, json, strings.Join(columns, ", ")), admitRecord(json, values)
		place, malformed := flawIn(table, record)
		if !malformed {
			continue
		}
		ddl := table.Admit(place, record)
		if ddl == "" {
			silent++
			continue
		}
		shown++
		if place, malformed := flawIn(admitTable(t, json, ddl), record); malformed {
			t.Fatalf("seed %d: %s of %s is malformed; shown is %s, of which it is malformed in %s", seed, record, columnsText(table.Schema), ddl, place)
		}
	}
	if shown < 3000 || silent < 1000 {
		t.Errorf("seed %d: %d times shown, %d times not", seed, shown, silent)
	}
}

// admitTable is a table of declared columns.
func admitTable(t *testing.T, json bool, columns string) *Table {
	t.Helper()
	fields, err := plan.Schema(columns)
	if err != nil {
		t.Fatalf("%s: %v", columns, err)
	}
	table := &Table{Table: &catalog.Table{Name: "t"}, Schema: fields}
	if !json {
		var names []string
		for _, f := range fields {
			names = append(names, f.Name)
		}
		d := csvrec.Default(names)
		table.Dialect = &d
	}
	table.setFormat()
	return table
}

func admitRecord(json bool, values []string) []byte {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		if json {
			fmt.Fprintf(&b, `"c%d":%s`, i, v)
		} else {
			b.WriteString(`"` + strings.ReplaceAll(strings.Trim(v, `"`), `"`, `""`) + `"`)
		}
	}
	if json {
		return []byte("{" + b.String() + "}")
	}
	return []byte(b.String())
}

// flawIn is where a record is malformed by a table's columns, as a run has it.
func flawIn(t *Table, record []byte) (place string, malformed bool) {
	var cols []codec.Column
	var types []vec.Type
	for _, f := range t.Schema {
		cols, types = append(cols, codec.Column{Path: []string{f.Name}, Type: f.Type}), append(types, f.Type)
	}
	r := codec.Records{Data: append([]byte{}, record...), Spans: []vec.Span{vec.SpanTo(0, len(record))}}
	bad := t.Format.NewDecoder(cols).Decode(&r, vec.NewBatch(types...), nil)
	if len(bad) == 0 {
		return "", false
	}
	return bad[0].Field, true
}
