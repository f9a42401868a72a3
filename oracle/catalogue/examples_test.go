package catalogue

import (
	"fmt"
	"strings"
	"testing"

	"ubik/internal/agg"
	"ubik/internal/expr"
	"ubik/internal/vec"
	"ubik/oracle/duck"
)

func open(t *testing.T) *duck.DB {
	t.Helper()
	db, err := duck.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// TestExamplesOfFunctionsHoldInDuckDB takes an example with a note as one that differs on purpose: then it must.
func TestExamplesOfFunctionsHoldInDuckDB(t *testing.T) {
	d := newTable(t, open(t), []column{{"one", "INTEGER", []string{"1"}}})
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
	d := newTable(t, open(t), []column{{"one", "INTEGER", []string{"1"}}})
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

// TestExamplesOfAggregatesHoldInDuckDB compares result and type. The exact sums of DOUBLE are a difference: DuckDB
// rounds at every step.
func TestExamplesOfAggregatesHoldInDuckDB(t *testing.T) {
	db := open(t)
	count := 0
	for _, e := range agg.Functions {
		for _, x := range e.Examples {
			count++
			typ, call := "INTEGER", e.Name+"(x)"
			if e.Star {
				call = "count(*)"
			} else {
				typ = x.Arg.String()
			}
			name := fmt.Sprintf("%s of %s %q", call, typ, x.Values)
			rows := "SELECT NULL::VARCHAR AS v WHERE false"
			for _, v := range x.Values {
				if v == "NULL" || e.Star {
					v = null
				}
				rows += " UNION ALL SELECT " + literal(v)
			}
			result, err := db.Query(fmt.Sprintf("SELECT typeof(r), r::VARCHAR FROM (SELECT %s AS r FROM (SELECT v::%s AS x FROM (%s)))", call, typ, rows))
			if err != nil {
				t.Error(err)
				continue
			}
			got := "NULL"
			if v := result.Rows[0][1]; v != nil {
				got = v.(string)
			}
			if got != x.Result && !wanted(name, got) {
				t.Errorf("%s: DuckDB gives %s, the catalogue says %s", name, got, x.Result)
			}
			var args []vec.Type
			if !e.Star {
				args = append(args, x.Arg)
			}
			f, err := agg.Resolve(strings.TrimSuffix(e.Name, "_star"), args)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if f.Result.String() != result.Rows[0][0] {
				t.Errorf("%s: DuckDB's type is %s, the engine's %s", name, result.Rows[0][0], f.Result)
			}
		}
	}
	t.Logf("%d examples", count)
}
