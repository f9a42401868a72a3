package catalogue

import (
	"strings"
	"testing"

	"ubik/internal/expr"
	"ubik/oracle/duck"
)

// TestExamplesOfFunctionsHoldInDuckDB takes an example with a note as one that differs on purpose: then it must.
func TestExamplesOfFunctionsHoldInDuckDB(t *testing.T) {
	d := newTable(t, duck.ForTest(t), []column{{"one", "INTEGER", []string{"1"}}})
	count := 0
	for _, f := range expr.Functions() {
		for _, x := range f.Examples {
			count++
			engine, duckdb := d.engine(x.Call), d.duckdb(x.Call)
			message := compare(x.Call, engine, duckdb)
			switch {
			case message != "" && x.Note == "":
				t.Errorf("%s: %s", x.Call, message)
			case message == "" && x.Note != "":
				t.Errorf("%s: DuckDB does not differ, though %s", x.Call, x.Note)
			}
			want := x.Want
			if want == "NULL" {
				want = null
			}
			if engine.refused != "" || engine.values[0] != want {
				t.Errorf("%s: the engine gives %+v, the catalogue says %s", x.Call, engine, x.Want)
			}
		}
	}
	t.Logf("%d examples", count)
}

// unknown are names that DuckDB does not have, or has as syntax only.
var unknown = map[string]bool{"position": true, "extract": true, "milliseconds": true, "microseconds": true}

// TestNamesOfFunctionsMeanTheSameInDuckDB calls each alias with the first example of its function.
func TestNamesOfFunctionsMeanTheSameInDuckDB(t *testing.T) {
	d := newTable(t, duck.ForTest(t), []column{{"one", "INTEGER", []string{"1"}}})
	for _, f := range expr.Functions() {
		for _, alias := range f.Aliases {
			if unknown[alias] {
				continue
			}
			for _, x := range f.Examples {
				rest, ok := strings.CutPrefix(x.Call, f.Name+"(")
				if !ok || strings.Contains(x.Call, "NULL") {
					continue
				}
				call := alias + "(" + rest
				if message := compare(call, d.engine(call), d.duckdb(call)); message != "" {
					t.Errorf("%s: %s", call, message)
				}
				break
			}
		}
	}
}
