package catalogue

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"ubik/internal/agg"
	"ubik/internal/expr"
	"ubik/internal/vec"
	"ubik/oracle/duck"
)

// aggregate is what an aggregate of the program gives for the rows of each group, as text; fault where the result does
// not fit. typ is its type, or why there is none.
func aggregate(e *agg.Entry, arg *vec.Vector, groups []uint32, count int) (values []string, typ string) {
	var args []vec.Type
	if !e.Star {
		args = append(args, arg.Type)
	}
	f, err := agg.Resolve(strings.TrimSuffix(e.Name, "_star"), args)
	if err != nil {
		return nil, err.Error()
	}
	a := f.New()
	a.Grow(count)
	rows := make([]int32, len(groups))
	for i := range rows {
		rows[i] = int32(i)
	}
	if e.Star {
		a.Update(groups, nil, rows)
	} else {
		a.Update(groups, arg, rows)
	}
	for g := range count {
		out := vec.NewVector(f.Result)
		out.Resize(1)
		var overflow *agg.Overflow
		switch err := a.Finish([]uint32{uint32(g)}, out); {
		case errors.As(err, &overflow):
			values = append(values, fault)
		case out.IsNull(0):
			values = append(values, null)
		default:
			values = append(values, string(expr.AppendText(nil, out, 0)))
		}
	}
	return values, f.Result.String()
}

func call(e *agg.Entry, arg string) string {
	if e.Star {
		return "count(*)"
	}
	return e.Name + "(" + arg + ")"
}

// TestExamplesOfAggregatesHoldInDuckDB compares result and type of both with what the catalogue says.
func TestExamplesOfAggregatesHoldInDuckDB(t *testing.T) {
	db := duck.ForTest(t)
	count := 0
	for _, e := range agg.Functions {
		for _, x := range e.Examples {
			count++
			c := column{"x", x.Arg.String(), append([]string(nil), x.Values...)}
			if e.Star {
				c.typ = "INTEGER"
			}
			texts := []string{}
			for i, v := range c.values {
				if v == "NULL" || e.Star {
					c.values[i] = null
				}
				texts = append(texts, literal(c.values[i]))
			}
			name := fmt.Sprintf("%s of %s %q", call(e, "x"), c.typ, x.Values)
			result, err := db.Query(fmt.Sprintf("SELECT typeof(r), r::VARCHAR FROM (SELECT %s AS r FROM (SELECT unnest([%s]::VARCHAR[])::%s AS x))", call(e, "x"), strings.Join(texts, ", "), c.typ))
			if err != nil {
				t.Error(err)
				continue
			}
			want := x.Result
			if want == "NULL" {
				want = null
			}
			duckdb := null
			if v := result.Rows[0][1]; v != nil {
				duckdb = v.(string)
			}
			if duckdb != want && !wanted(name, duckdb) {
				t.Errorf("%s: DuckDB gives %s, the catalogue says %s", name, printed(duckdb), x.Result)
			}
			typ := vec.TypeOf(vec.Int32)
			if !e.Star {
				typ = x.Arg
			}
			engine, got := aggregate(e, cast(t, c, typ), make([]uint32, len(c.values)), 1)
			if engine[0] != want || got != result.Rows[0][0] {
				t.Errorf("%s: the engine gives %s %s, the catalogue says %s and DuckDB's type is %s", name, got, printed(engine[0]), x.Result, result.Rows[0][0])
			}
		}
	}
	t.Logf("%d examples", count)
}

// TestAggregatesOfRandomColumnsAgreeWithDuckDB takes every aggregate of every type it has, over the groups that three
// rests of the row number make. What DuckDB refuses, sums that leave HUGEINT on the way, is left out.
func TestAggregatesOfRandomColumnsAgreeWithDuckDB(t *testing.T) {
	seed := seedOf(t)
	columns := randomColumns(newGenerator(seed, nil).Rand)
	d := newTable(t, duck.ForTest(t), columns)
	groups := make([]uint32, d.rows)
	for i := range groups {
		groups[i] = uint32(i % 3)
	}
	compared := 0
	for i, f := range d.fields {
		for _, e := range agg.Functions {
			engine, typ := aggregate(e, d.cols[i], groups, 3)
			if engine == nil {
				continue // not defined for the type
			}
			result, err := d.db.Query(fmt.Sprintf("SELECT typeof(r), r::VARCHAR FROM (SELECT id %% 3 AS g, %s AS r FROM data GROUP BY g) ORDER BY g", call(e, f.Name)))
			if err != nil {
				if !strings.Contains(err.Error(), "Overflow in") && !strings.Contains(err.Error(), "out of range") {
					t.Error(err)
				}
				continue
			}
			compared++
			exact := e.Name != "avg" && (e.Name != "sum" || f.Type.Kind != vec.Double)
			for g, r := range result.Rows {
				duckdb := null
				if r[1] != nil {
					duckdb = r[1].(string)
				}
				if duckdb == "-0.0" {
					duckdb = "0.0" // which of the two equal zeros is the least is chance
				}
				same := duckdb == engine[g]
				if !exact && !same {
					same = near(duckdb, engine[g], magnitude(d.cols[i], groups, uint32(g)))
				}
				if !same || r[0] != typ {
					t.Errorf("seed %d: %s of %s, group %d: the engine gives %s %s, DuckDB %s %s", seed, call(e, f.Name), f.Type, g, typ, printed(engine[g]), r[0], printed(duckdb))
				}
			}
		}
	}
	if compared < 60 {
		t.Errorf("only %d columns of results were compared", compared)
	}
}

// near tells whether two texts of DOUBLEs are the same but for what a sum in another order loses, of numbers whose sizes
// add up to magnitude. That the engine's own sums are exact is tested with the accumulators.
func near(a, b string, magnitude float64) bool {
	x, errX := strconv.ParseFloat(strings.TrimPrefix(a, "-nan"), 64)
	y, errY := strconv.ParseFloat(b, 64)
	return strings.HasSuffix(a, "nan") && b == "nan" || errX == nil && errY == nil && math.Abs(x-y) <= 1e-12*max(math.Abs(x), magnitude)
}

// magnitude is the sum of the sizes of a group's values; 0 where they are no DOUBLEs.
func magnitude(v *vec.Vector, groups []uint32, group uint32) float64 {
	sum := 0.0
	if v.Type.Kind != vec.Double {
		return sum
	}
	for i, g := range groups {
		if g == group && !v.IsNull(i) && !math.IsInf(v.F64[i], 0) && !math.IsNaN(v.F64[i]) {
			sum += math.Abs(v.F64[i])
		}
	}
	return sum
}
