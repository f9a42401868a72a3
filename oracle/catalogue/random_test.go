package catalogue

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"ubik/internal/expr"
	"ubik/oracle/duck"
)

// expressionsTried is how many random expressions the test evaluates on all rows.
const expressionsTried = 3000

// usualSeed is that of a run that is given none.
const usualSeed = 20260101

func seedOf(t *testing.T) uint64 {
	text := os.Getenv("UBIK_ORACLE_SEED")
	if text == "" {
		return usualSeed
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("UBIK_ORACLE_SEED: %v", err)
	}
	return seed
}

func TestRandomExpressionsAgreeWithDuckDB(t *testing.T) {
	seed := seedOf(t)
	g := newGenerator(seed, nil)
	columns := randomColumns(g.Rand)
	g = newGenerator(seed+1, columns)
	d := newTable(t, duck.ForTest(t), columns)

	called := map[string]int{}
	tried := expressionsTried
	if n, err := strconv.Atoi(os.Getenv("UBIK_ORACLE_EXPRESSIONS")); err == nil {
		tried = n
	}
	var refused, differ, failed int
	for i := range tried {
		e := g.nth(i)
		engine, duckdb := d.engine(e), d.duckdb(e)
		if engine.refused != "" && duckdb.refused != "" {
			refused++
		} else {
			for _, f := range expr.Functions() {
				if strings.Contains(e, f.Name+"(") {
					called[f.Name]++
				}
			}
		}
		message := compare(e, engine, duckdb)
		if message != "" && engine.refused == "" && duckdb.refused == "" {
			message = compare(e, engine, d.rowByRow(e)) // with what DuckDB says of this row
		}
		switch {
		case message == "":
		case wanted(e, message):
			differ++
		default:
			failed++
			t.Errorf("seed %d: %s\n\t%s", seed, e, message)
		}
		if failed == 200 {
			t.Fatalf("seed %d: more are not tried", seed)
		}
	}
	for _, f := range expr.Functions() {
		if f.Refused == "" && called[f.Name] == 0 && tried >= expressionsTried {
			t.Errorf("seed %d: %s was not called", seed, f.Name)
		}
	}
	t.Logf("seed %d: %d expressions on %d rows, %d refused by both, %d that differ on purpose", seed, tried, rowsTried, refused, differ)
}
