package sim

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ubik/internal/runner"
	"ubik/internal/vec"
)

var queries = flag.Int("queries", 400, "random queries")

const randomSchema = "k VARCHAR, n INTEGER, b BIGINT, h HUGEINT, d DECIMAL(9,2), w DECIMAL(30,6), x DOUBLE, f BOOLEAN, ts TIMESTAMP, day DATE, s STRUCT(a INTEGER, t VARCHAR), j JSON, l INTEGER[], m MAP(VARCHAR, INTEGER)"

// generator writes random well-typed SQL over randomSchema.
type generator struct{ *rand.Rand }

func (g generator) of(choices ...string) string { return choices[g.IntN(len(choices))] }

// expr is an expression of a kind: int, dec, dbl, text, bool, time or date.
func (g generator) expr(kind string, depth int) string {
	if depth <= 0 {
		return g.leaf(kind)
	}
	e := func(kind string) string { return g.expr(kind, depth-1) }
	switch g.IntN(10) {
	case 0:
		return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", e("bool"), e(kind), e(kind))
	case 1:
		return fmt.Sprintf("coalesce(%s, %s)", e(kind), e(kind))
	case 2:
		return fmt.Sprintf("nullif(%s, %s)", e(kind), e(kind))
	case 3:
		return g.leaf(kind)
	}
	switch kind {
	case "int":
		return g.of(
			fmt.Sprintf("(%s %s %s)", e("int"), g.of("+", "-", "*", "//", "%"), e("int")), fmt.Sprintf("abs(%s)", e("int")),
			fmt.Sprintf("length(%s)", e("text")), fmt.Sprintf("(-%s)", e("int")), fmt.Sprintf("extract(%s FROM %s)", g.of("year", "month", "dow", "hour", "week"), e("time")),
			fmt.Sprintf("TRY_CAST(%s AS %s)", e(g.of("dec", "text", "int")), g.of("INTEGER", "BIGINT", "TINYINT")), fmt.Sprintf("CAST(%s AS INTEGER)", e(g.of("dec", "bool", "dbl"))),
			fmt.Sprintf("epoch_ms(%s)", e("time")))
	case "dec":
		return g.of(
			fmt.Sprintf("(%s %s %s)", e("dec"), g.of("+", "-", "%"), e(g.of("dec", "int"))), fmt.Sprintf("CAST(%s * %s AS DECIMAL(20,4))", g.leaf("dec"), g.leaf(g.of("int", "dec"))),
			fmt.Sprintf("round(%s, %d)", e("dec"), g.IntN(3)), fmt.Sprintf("CAST(%s AS DECIMAL(12,3))", e(g.of("int", "dec"))), fmt.Sprintf("%s(%s)", g.of("floor", "ceil", "abs"), e("dec")),
			fmt.Sprintf("(-%s)", e("dec")))
	case "dbl":
		return g.of(
			fmt.Sprintf("(%s %s %s)", e("dbl"), g.of("+", "-", "*", "/", "%"), e(g.of("dbl", "int", "dec"))), fmt.Sprintf("(%s / %s)", e(g.of("int", "dec")), e(g.of("int", "dec"))),
			fmt.Sprintf("CAST(%s AS DOUBLE)", e(g.of("int", "dec"))), fmt.Sprintf("%s(%s)", g.of("abs", "floor", "ceil", "round"), e("dbl")))
	case "text":
		if g.IntN(8) == 0 {
			return g.text(depth - 1)
		}
		return g.of(
			fmt.Sprintf("(%s || %s)", e("text"), e("text")), fmt.Sprintf("%s(%s)", g.of("lower", "upper", "trim", "reverse"), e("text")),
			fmt.Sprintf("substr(%s, %d, %d)", e("text"), g.IntN(7)-3, g.IntN(5)), fmt.Sprintf("CAST(%s AS VARCHAR)", e(g.of("int", "dec", "dbl", "bool", "time", "date"))),
			fmt.Sprintf("concat(%s, %s)", e("text"), e("int")), fmt.Sprintf("replace(%s, %s, %s)", e("text"), e("text"), g.leaf("text")))
	case "bool":
		if g.IntN(12) == 0 {
			return fmt.Sprintf("(%s IS %sNULL)", g.of(g.json(depth-1), "s", "l", "m"), g.of("", "NOT "))
		}
		same := g.of("int", "dec", "dbl", "text", "time", "date", "bool")
		return g.of(
			fmt.Sprintf("(%s %s %s)", e(same), g.of("=", "<>", "<", "<=", ">", ">="), e(same)), fmt.Sprintf("(%s %s %s)", e("int"), g.of("=", "<", ">="), e(g.of("dec", "dbl"))),
			fmt.Sprintf("(%s %s %s)", e("bool"), g.of("AND", "OR"), e("bool")), fmt.Sprintf("(NOT %s)", e("bool")), fmt.Sprintf("(%s IS %sNULL)", e(same), g.of("", "NOT ")),
			fmt.Sprintf("(%s %sIN (%s, %s))", e(same), g.of("", "NOT "), e(same), e(same)), fmt.Sprintf("(%s %sBETWEEN %s AND %s)", e(same), g.of("", "NOT "), e(same), e(same)),
			fmt.Sprintf("(%s %sLIKE %s)", e("text"), g.of("", "NOT "), g.of("'%a%'", "'_'", "'A%'", "''", "k")), fmt.Sprintf("(%s IS %sDISTINCT FROM %s)", e(same), g.of("", "NOT "), e(same)))
	case "time":
		return g.of(
			fmt.Sprintf("(%s %s INTERVAL %s)", e("time"), g.of("+", "-"), g.of("1 DAY", "'1 month'", "'90 seconds'", "'1 day 01:02:03.5'", "1 YEAR")),
			fmt.Sprintf("date_trunc('%s', %s)", g.of("day", "month", "week", "hour", "minute"), e("time")), fmt.Sprintf("CAST(%s AS TIMESTAMP)", e("date")))
	}
	return g.of(fmt.Sprintf("CAST(%s AS DATE)", e("time")), fmt.Sprintf("(%s + %s)", e("date"), g.of("1", "-400", "n")))
}

func (g generator) leaf(kind string) string {
	switch kind {
	case "int":
		return g.of("n", "n", "b", "h", "s.a", "0", "1", "-7", "100", "9223372036854775807", "_offset", "NULL::INTEGER")
	case "dec":
		return g.of("d", "d", "w", "1.5", "-0.005", "100.00", "0.1")
	case "dbl":
		return g.of("x", "x", "1e3", "0.1::DOUBLE", "-2.5e-3")
	case "text":
		return g.of("k", "k", "s.t", "'a'", "''", "'Éa%'", "_key")
	case "bool":
		return g.of("f", "f", "TRUE", "NULL::BOOLEAN", "n > 0")
	case "time":
		return g.of("ts", "ts", "TIMESTAMP '2024-02-29 12:00:00'", "TIMESTAMP '1969-12-31 23:59:59.999'")
	}
	return g.of("day", "day", "DATE '2024-02-29'", "DATE '1900-01-31'")
}

func (g generator) kind() string { return g.of("int", "dec", "dbl", "text", "bool", "time", "date") }

func (g generator) aggregate(depth int) string {
	a := g.of(
		"count(*)", fmt.Sprintf("count(%s)", g.of(g.expr(g.kind(), depth), g.json(depth))), fmt.Sprintf("sum(%s)", g.expr(g.of("int", "dec", "dbl"), depth)),
		fmt.Sprintf("avg(%s)", g.expr(g.of("int", "dec", "dbl"), depth)), fmt.Sprintf("%s(%s)", g.of("min", "max"), g.expr(g.kind(), depth)))
	if g.IntN(4) == 0 {
		a += fmt.Sprintf(" FILTER (WHERE %s)", g.expr("bool", depth))
	}
	return a
}

func (g generator) query() string {
	where := ""
	if g.IntN(2) == 0 {
		where = " WHERE " + g.expr("bool", 2)
	}
	var items []string
	item := func(e string) { items = append(items, fmt.Sprintf("%s AS c%d", e, len(items)+1)) }
	if g.IntN(3) == 0 {
		for range 1 + g.IntN(4) {
			if g.IntN(6) == 0 {
				item(g.of(g.json(2), "s", "l", "m", "j"))
			} else {
				item(g.expr(g.kind(), 3))
			}
		}
		return "SELECT " + strings.Join(items, ", ") + " FROM t" + where
	}
	if g.IntN(4) > 0 {
		item(g.of("TUMBLE(ts, INTERVAL 10 SECONDS)", "TUMBLE(ts, INTERVAL 7 SECONDS)", "HOP(ts, INTERVAL 5 SECONDS, INTERVAL 20 SECONDS)",
			"HOP(ts, INTERVAL 6 SECONDS, INTERVAL 10 SECONDS)", "HOP(ts, INTERVAL 10 SECONDS, INTERVAL 4 SECONDS)", "TUMBLE(ts, INTERVAL 1 MONTH)"))
	}
	for range g.IntN(3) {
		item(g.expr(g.kind(), 2))
	}
	by := len(items)
	for range 1 + g.IntN(3) {
		item(g.aggregate(2))
	}
	q := "SELECT " + strings.Join(items, ", ") + " FROM t" + where
	if by > 0 {
		q += " GROUP BY ALL"
	}
	if g.IntN(4) == 0 {
		q += fmt.Sprintf(" HAVING count(*) > %d OR %s IS NULL", g.IntN(3), g.aggregate(1))
	}
	return q
}

func (g generator) record(r *rand.Rand, i int) string {
	return fmt.Sprintf(`,"k":%s,"n":%s,"b":%s,"h":%s,"d":%s,"w":%s,"x":%s,"f":%s,"day":%s,"s":%s,"j":%s,"l":%s,"m":%s`,
		pickOf(r, `"a"`, `"b"`, `"aa Éb"`, `""`, "null", `"7"`), pickOf(r, "1", "-7", "2147483647", "0", "null", "3"), pickOf(r, "1", "9223372036854775807", "-1", "null"),
		pickOf(r, "1", "99999999999999999999999999999999999999", "-12", "null"), pickOf(r, "1.25", "-0.01", "9999999.99", "0", "null"),
		pickOf(r, "1.000001", "-5", "123456789012345678901234.567890", "null"), pickOf(r, "0.1", "-0.0", "1e300", "null", `"NaN"`, "2.5", "-3.5"), pickOf(r, "true", "false", "null"),
		pickOf(r, `"2026-01-31"`, `"2024-02-29"`, "null"), pickOf(r, `{"a":1,"t":"x"}`, `{"a":null}`, "null", `{"t":"É%","a":-2}`, `{ "a":1, "a":2}`, `{"b" : {"b":1,"b":2}, "a":5 }`),
		randomJSON(r, 3), pickOf(r, "[1,2]", "[ ]", "null", `[ 3, "x", {"a":1} ]`, "{}"), pickOf(r, `{"a": 1}`, "null", `{"b":2 , "x y":[1]}`, randomJSON(r, 2)))
}

// Random queries over random logs, each through two schedules, give what the naive evaluator gives.
func TestRandomQueriesGiveWhatTheNaiveEvaluatorGives(t *testing.T) {
	refused, failed := 0, 0
	for seed := *firstSeed; seed < *firstSeed+uint64(*queries); seed++ {
		g := generator{rand.New(rand.NewPCG(seed, 5))}
		w := World{SQL: g.query(), Sources: []Source{{"t", randomSchema, vec.Time(g.IntN(8)) * 1e6, ""}}, Partitions: makeLog(seed, 1+g.IntN(3), 5+g.IntN(20), 3*second, 6*second, g.record)}
		want, err := w.Naive(true, true)
		if _, planned := w.plan(runner.Bounded); planned != nil {
			refused++
			if *queries == 1 {
				t.Logf("%s\nis refused: %v", w.SQL, planned)
			}
			continue
		}
		for k := range uint64(2) {
			res, runErr := w.Run(seed*2+k, Options{End: ToEnd, Checkpoint: k == 1, Crashes: int(k), Skip: true})
			if strings.HasPrefix(fmt.Sprint(runErr), "the run failed: a result cannot be written") && err != nil {
				failed++
				continue
			}
			switch {
			case err != nil:
				err = fmt.Errorf("naive: %v\nrunner: %v", err, runErr)
			case runErr != nil:
				err = runErr
			default:
				err = w.Check(res, want)
			}
			if err != nil {
				t.Fatalf("-run=Random -seed=%d -queries=1\n%s\n%v", seed, w.SQL, err)
			}
		}
	}
	t.Logf("%d queries, %d of them refused, %d runs ended by a value that does not fit", *queries, refused, failed)
	if refused*5 > *queries {
		t.Errorf("%d of %d queries are refused", refused, *queries)
	}
}
