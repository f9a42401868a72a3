package plan

import (
	"fmt"
	"strings"
	"testing"

	"ubik/internal/expr"
	"ubik/internal/op"
	"ubik/internal/vec"
)

// trees are queries whose plans have every shape.
var trees = []string{
	"SELECT a.k, TUMBLE(b.ts, INTERVAL 1 HOUR) AS w, sum(a.n) AS s FROM a JOIN b ON a.k = b.k AND b.ts BETWEEN a.ts - INTERVAL 1 SECOND AND a.ts WHERE a.n > 1 GROUP BY a.k, w",
	"SELECT a.k, b.m, c.p FROM a JOIN b ON a.k = b.k AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 SECOND LEFT JOIN c ON c.k = a.k AND c.ts BETWEEN a.ts AND a.ts + INTERVAL 1 MINUTE WHERE b.m > 3 AND a.n > b.m",
	"SELECT k, n FROM a WHERE n > 1 UNION ALL SELECT x.k, y.m FROM a x JOIN b y ON x.k = y.k AND x.ts = y.ts UNION ALL SELECT k, count(*) FROM d WHERE n > 2 GROUP BY k, TUMBLE(ts, INTERVAL 1 MINUTE)",
	"SELECT x.k FROM (SELECT k, ts FROM a WHERE n > 0 UNION ALL SELECT b.k, c.ts FROM b JOIN c ON b.k = c.k AND b.ts = c.ts) x JOIN d ON x.k = d.k AND d.ts BETWEEN x.ts AND x.ts + INTERVAL 1 SECOND WHERE x.k > 'a'",
	"SELECT max(c) AS most, HOP(e, INTERVAL 1 HOUR, INTERVAL 2 HOUR) AS h FROM (SELECT TUMBLE_END(ts, INTERVAL 1 MINUTE) - INTERVAL 1 MICROSECOND AS e, count(*) AS c FROM a WHERE n > 3 GROUP BY TUMBLE(ts, INTERVAL 1 MINUTE)) x WHERE c > 1 GROUP BY h",
	"SELECT k FROM a WHERE n > 2 AND EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.ts = a.ts) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = a.k AND c.ts = a.ts)",
	"CREATE TABLE t (k VARCHAR, at TIMESTAMP, WATERMARK FOR at AS at); CREATE TABLE s (x BIGINT, y VARCHAR, z DATE); INSERT INTO s (y, x) SELECT k, _offset FROM t UNION ALL SELECT k, sum(n) FROM a GROUP BY k, TUMBLE(ts, INTERVAL 1 MINUTE)",
	"WITH v AS (SELECT k, ts, n FROM a WHERE n > 1), w(l, at, most) AS (SELECT x.k, x.ts, y.n FROM v x JOIN v y ON x.k = y.k AND x.ts = y.ts) SELECT l, max(most) AS m FROM w GROUP BY l, TUMBLE(at, INTERVAL 1 MINUTE)",
	"SELECT * FROM a LEFT JOIN (SELECT k AS bk, ts AS bt, m + 1 AS m FROM b) b ON a.k = bk AND bt = ts JOIN c AS c(ck, ct) ON ck = bk AND ct = ts",
}

func TestStagesStandBehindThoseThatFeedThem(t *testing.T) {
	for _, q := range trees {
		p := build(t, treeRequest(t, q))
		for i, s := range p.Stages {
			if s.To >= 0 && s.To <= i || s.To >= len(p.Stages) || s.To >= 0 && p.Stages[s.To].Branch != s.Branch {
				t.Errorf("%s\nstage %d feeds %d", q, i, s.To)
			}
			if s.To < 0 && p.Branches[s.Branch].Stage != i {
				t.Errorf("%s\nstage %d feeds nothing and is not its branch's", q, i)
			}
			n, join := s.Node.(*op.BandJoin)
			for port := range 2 {
				fs := p.feeders(i, port)
				if (len(fs) == 0) != (port == 1 && !join) {
					t.Errorf("%s\nport %d of stage %d is fed by %d", q, port, i, len(fs))
				}
				placed := false
				for _, f := range fs {
					placed = placed || f.stage >= 0
				}
				if join && n.Placed[port] != placed {
					t.Errorf("%s\nport %d of stage %d has places: %v", q, port, i, n.Placed[port])
				}
			}
		}
		branch := 0
		for i, in := range p.Inputs {
			if in.Branch < branch || (in.Stage < 0) != (p.Branches[in.Branch].Input == i) {
				t.Errorf("%s\ninput %d is of branch %d, stage %d", q, i, in.Branch, in.Stage)
			}
			branch = in.Branch
		}
	}
}

// What is handed on has for every feeder of a port the types that the taker reads.
func TestFeedersOfAPortGiveTheSameTypes(t *testing.T) {
	for _, q := range trees {
		p := build(t, treeRequest(t, q))
		for i := range p.Stages {
			for port := range 2 {
				var first string
				for _, f := range p.feeders(i, port) {
					var types []string
					for _, e := range p.gives(f) {
						types = append(types, e.Type().String())
					}
					text := strings.Join(types, ", ")
					if first == "" {
						first = text
					}
					keys := 0
					if f.stage >= 0 {
						keys = p.Stages[f.stage].Keys
						if s := p.Stages[f.stage]; s.Timed && p.timeOf(f).Type().Kind != vec.Timestamp {
							t.Errorf("%s\nthe time of stage %d is %s", q, f.stage, p.timeOf(f).Type())
						}
					} else {
						keys = p.Inputs[f.input].Keys
					}
					if n, ok := p.Stages[i].Node.(*op.BandJoin); ok {
						for k, typ := range n.Columns[port] {
							if got := p.gives(f)[keys+k].Type(); !got.Equal(typ) {
								t.Errorf("%s\ncolumn %d of port %d of stage %d is %s, given is %s", q, k, port, i, typ, got)
							}
						}
						if len(p.gives(f)) != keys+len(n.Columns[port]) || keys != n.Keys {
							t.Errorf("%s\nport %d of stage %d is given %d columns", q, port, i, len(p.gives(f)))
						}
					}
					if text != first {
						t.Errorf("%s\nport %d of stage %d is given %s and %s", q, port, i, first, text)
					}
				}
			}
		}
	}
}

func TestATreeIsBuiltTheSameWayEveryTime(t *testing.T) {
	text := func(p *Plan) string {
		around := Surroundings{From: make([]From, len(p.Sources))}
		out := fmt.Sprint(p.Explain(around), factsText(p))
		for _, s := range p.Sources {
			out += fmt.Sprint(s.Columns, s.Pseudo)
		}
		return out
	}
	for _, q := range trees {
		r := treeRequest(t, q)
		want := text(build(t, r))
		for range 30 {
			if got := text(build(t, r)); got != want {
				t.Fatalf("%s\ngot\n%s\nthe first was\n%s", q, got, want)
			}
		}
	}
}

// Subqueries that filter and project leave no trace in a plan.
func TestLayersOfSubqueriesAreThePlanOfOneSelect(t *testing.T) {
	for flat, layered := range map[string][]string{
		"SELECT k, n + 1 AS m FROM a WHERE n > 1 AND n + 1 < 9 AND k <> 'x'": {
			"SELECT k, m FROM (SELECT k, n + 1 AS m FROM a WHERE n > 1) WHERE m < 9 AND k <> 'x'",
			"SELECT * FROM (SELECT k, m FROM (SELECT k, n + 1 AS m FROM a WHERE n > 1) WHERE m < 9) x WHERE x.k <> 'x'",
			"FROM (SELECT k, z + 1 FROM (FROM a SELECT k, n WHERE n > 1) AS x(k, z)) y(k, m) WHERE y.m < 9 AND k <> 'x'",
		},
		"SELECT k, count(*) AS c, sum(n * 2) AS s FROM a WHERE n > 1 GROUP BY k, TUMBLE(ts, INTERVAL 1 MINUTE) HAVING count(*) > 1 AND sum(n * 2) < 9": {
			"SELECT k, c, s FROM (SELECT k, count(*) AS c, sum(m) AS s FROM (SELECT k, n * 2 AS m, ts FROM a WHERE n > 1) GROUP BY k, TUMBLE(ts, INTERVAL 1 MINUTE) HAVING count(*) > 1) WHERE s < 9",
		},
		"SELECT a.k, b.m FROM a LEFT JOIN b ON a.k = b.k AND a.ts = b.ts WHERE b.m > 2": {
			"SELECT k, m FROM (SELECT a.k, b.m FROM a LEFT JOIN b ON a.k = b.k AND a.ts = b.ts) x WHERE m > 2",
		},
		"SELECT k FROM a UNION ALL SELECT x FROM b WHERE x > 'c'": {
			"SELECT k FROM (SELECT k FROM a UNION ALL SELECT x FROM b WHERE x > 'c')",
			"(SELECT k FROM a) UNION ALL (SELECT x AS z FROM b WHERE x > 'c')",
		},
	} {
		want := factsOfNames(t, flat)
		for _, q := range layered {
			if got := factsOfNames(t, q); got != want {
				t.Errorf("%s\nhas the facts\n%s\nwant those of %s\n%s", q, got, flat, want)
			}
		}
	}
}

// factsOfNames are the facts without the names of aggregates, which are as the query has them.
func factsOfNames(t *testing.T, query string) string {
	t.Helper()
	return strings.ReplaceAll(factsText(build(t, treeRequest(t, query))), "sum(m)", "sum((n * 2))")
}

// How an AND is computed depends on whether its terms can fail, and a name can stand for one that does.
func TestAConditionOnASubqueryFailsWhereItsTermsDo(t *testing.T) {
	faults := func(query string) int {
		p := build(t, treeRequest(t, query))
		b := &vec.Batch{N: 1}
		for _, c := range p.Sources[0].Columns {
			v := vec.NewVector(c.Type)
			v.Resize(1)
			if c.Path[0] == "made" {
				v.SetNull(0)
			} else {
				v.I64[0] = 1
			}
			b.Cols = append(b.Cols, v)
		}
		var errs expr.Errors
		expr.Compile(p.Inputs[0].Exprs[0]).Eval(b, nil, &errs)
		return len(errs.Faults)
	}
	const flat = "SELECT CASE WHEN made > DATE '2020-01-01' AND n + 2147483647 > 0 THEN 1 ELSE 0 END AS x FROM a"
	const layered = "SELECT CASE WHEN made > DATE '2020-01-01' AND m > 0 THEN 1 ELSE 0 END AS x FROM (SELECT made, n + 2147483647 AS m FROM a)"
	if a, b := faults(flat), faults(layered); a != 1 || b != 1 {
		t.Errorf("one SELECT has %d faults, with a subquery it has %d", a, b)
	}
}

// The watermark that a join hands on is the greatest below which no row comes.
func TestTheWatermarkHandedOnIsTheGreatestPossible(t *testing.T) {
	kinds := []struct {
		name        string
		left, right bool // rows without a partner leave
	}{{"JOIN", false, false}, {"LEFT JOIN", true, false}, {"RIGHT JOIN", false, true}, {"FULL JOIN", true, true}, {"SEMI JOIN", false, false}, {"ANTI JOIN", true, false}}
	const far = 100
	for _, kind := range kinds {
		for lo := -4; lo <= 4; lo++ {
			for hi := lo; hi <= 4; hi++ {
				for _, at := range []string{"a.ts", "b.ts", "greatest(a.ts, b.ts)"} {
					semi := kind.name == "SEMI JOIN" || kind.name == "ANTI JOIN"
					if semi && at != "a.ts" {
						continue
					}
					p, err := Build(treeRequest(t, fmt.Sprintf("SELECT count(*) AS c FROM a %s b ON a.k = b.k AND b.ts - a.ts BETWEEN INTERVAL (%d) MICROSECOND AND INTERVAL (%d) MICROSECOND GROUP BY TUMBLE(%s, INTERVAL 1 HOUR)", kind.name, lo, hi, at)))
					// Each form of a row: its time, and when it leaves. A time of an absent side is NULL.
					worst, null := 0, false
					row := func(l, r, leaves int) {
						time := map[string]int{"a.ts": l, "b.ts": r, "greatest(a.ts, b.ts)": max(l, r)}[at]
						null = null || time < 0
						worst = max(worst, leaves-time)
					}
					if kind.name != "ANTI JOIN" {
						for r := far + lo; r <= far+hi; r++ {
							row(far, r, max(far, r))
						}
					}
					if kind.left {
						row(far, -1, max(far, far+hi))
					}
					if kind.right {
						row(-1, far, max(far, far-lo))
					}
					if null != (err != nil) {
						t.Errorf("%s %d..%d by %s: NULL %v, but %v", kind.name, lo, hi, at, null, err)
					}
					if err == nil && p.Stages[0].Behind != vec.Time(worst) {
						t.Errorf("%s %d..%d by %s: %d µs behind, want %d", kind.name, lo, hi, at, p.Stages[0].Behind, worst)
					}
				}
			}
		}
	}
}
