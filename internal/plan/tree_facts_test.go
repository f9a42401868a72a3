package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ubik/internal/expr"
	"ubik/internal/op"
	"ubik/internal/vec"
)

// Every property of a tree that its output depends on is in a fact.
func TestEveryPropertyOfATreeIsInAFact(t *testing.T) {
	other := expr.Expr(expr.NewString("other"))
	for _, q := range trees {
		base := build(t, treeRequest(t, q))
		check := func(what string, change func(p *Plan)) {
			p := build(t, treeRequest(t, q))
			change(p)
			p.Facts = nil
			p.facts()
			if slices.Equal(p.Facts, base.Facts) {
				t.Errorf("%s\n%s changes no fact", q, what)
			}
		}
		for i := range base.Sources {
			check("the log", func(p *Plan) { p.Sources[i].Log += "x" })
			check("the format", func(p *Plan) { p.Sources[i].Format += "x" })
			for k := range base.Sources[i].Columns {
				check("the type of a column", func(p *Plan) { p.Sources[i].Columns[k].Type = vec.TypeOf(vec.Double) })
			}
		}
		for i := range base.Output {
			check("the name of an output column", func(p *Plan) { p.Output[i].Name += "x" })
			check("the type of an output column", func(p *Plan) { p.Output[i].Type = vec.TypeOf(vec.Double) })
		}
		for i := range base.Inputs {
			if len(base.Inputs) > 1 { // of one it is nowhere in the output
				check("the alias", func(p *Plan) { p.Inputs[i].Alias += "x" })
			}
			check("the branch", func(p *Plan) { p.Inputs[i].Branch++ })
			check("the stage", func(p *Plan) { p.Inputs[i].Stage++ })
			check("WHERE", func(p *Plan) { p.Inputs[i].Where = other })
			for k := range base.Inputs[i].Exprs {
				check("an expression", func(p *Plan) { p.Inputs[i].Exprs[k] = other })
			}
			if base.Inputs[i].Stage >= 0 {
				check("the port", func(p *Plan) { p.Inputs[i].Port++ })
				check("the key", func(p *Plan) { p.Inputs[i].Keys++ })
			}
			if base.Inputs[i].Time != nil {
				check("the time", func(p *Plan) { p.Inputs[i].Time = other })
				check("the delay", func(p *Plan) { p.Inputs[i].Delay++ })
			}
		}
		for i, s := range base.Stages {
			check("the branch", func(p *Plan) { p.Stages[i].Branch++ })
			check("the taker", func(p *Plan) { p.Stages[i].To++ })
			if s.To >= 0 {
				check("the port", func(p *Plan) { p.Stages[i].Port++ })
				check("the key", func(p *Plan) { p.Stages[i].Keys++ })
				check("whether it has a time", func(p *Plan) { p.Stages[i].Timed = !p.Stages[i].Timed })
				check("what it is behind", func(p *Plan) { p.Stages[i].Behind++ })
			}
			switch s.Node.(type) {
			case *op.BandJoin:
				node := func(p *Plan) *op.BandJoin { return p.Stages[i].Node.(*op.BandJoin) }
				check("the kind", func(p *Plan) { node(p).Kind = (node(p).Kind + 1) % 6 })
				check("the keys", func(p *Plan) { node(p).Keys++ })
				check("the lower bound", func(p *Plan) { node(p).Lo-- })
				check("the upper bound", func(p *Plan) { node(p).Hi++ })
				check("the residual", func(p *Plan) { node(p).Residual = other })
				check("where", func(p *Plan) { node(p).Where = other })
				check("what is selected", func(p *Plan) { node(p).Select[0] = other })
				check("the output key", func(p *Plan) { node(p).OutKey = []expr.Expr{other} })
				check("the columns", func(p *Plan) { node(p).Columns[1] = append(node(p).Columns[1], vec.TypeOf(vec.Date)) })
			case *op.WindowAggregate:
				node := func(p *Plan) *op.WindowAggregate { return p.Stages[i].Node.(*op.WindowAggregate) }
				check("the window", func(p *Plan) { w := *node(p).Window; w.Offset.Micros++; node(p).Window = &w })
				check("having", func(p *Plan) { node(p).Having = other })
				check("what is selected", func(p *Plan) { node(p).Select[0] = other })
				check("a group", func(p *Plan) { node(p).Keys = append(node(p).Keys, vec.Field{Name: "z"}) })
				check("the aggregates", func(p *Plan) { node(p).Aggs = nil })
				if s.To < 0 {
					check("the output key", func(p *Plan) { node(p).OutKey[0] = other })
				}
			}
		}
		for i, b := range base.Branches {
			check("the key of a branch", func(p *Plan) { p.Branches[i].Key = append([]vec.Field{{Name: "z"}}, b.Key...) })
		}
	}
}

// A change of the query changes the facts; each query here differs from the first in one thing.
func TestEveryChangeOfATreeIsNamedByAFact(t *testing.T) {
	const base = "SELECT x.k, count(*) AS c FROM (SELECT k, ts, n FROM a UNION ALL SELECT k, ts, n FROM d) x JOIN b ON x.k = b.k AND b.ts BETWEEN x.ts AND x.ts + INTERVAL 1 SECOND WHERE b.m > 1 GROUP BY x.k, TUMBLE(b.ts, INTERVAL 1 MINUTE)"
	seen := map[string]string{factsText(build(t, treeRequest(t, base))): "nothing"}
	for _, c := range [][2]string{
		{"UNION ALL SELECT k, ts, n FROM d", "UNION ALL SELECT k, ts, n FROM d WHERE n > 1"}, {"SELECT k, ts, n FROM a", "SELECT k, ts, n FROM d"},
		{"FROM a UNION ALL SELECT k, ts, n FROM d", "FROM d UNION ALL SELECT k, ts, n FROM a"}, {"UNION ALL SELECT k, ts, n FROM d", ""},
		{" JOIN b", " RIGHT JOIN b"}, {"INTERVAL 1 SECOND", "INTERVAL 2 SECOND"}, {"BETWEEN x.ts", "BETWEEN x.ts - INTERVAL 1 SECOND"}, {"b.m > 1", "b.m > 2"},
		{"b.m > 1", "b.m > x.n"}, {"count(*)", "count(b.m)"}, {"INTERVAL 1 MINUTE", "INTERVAL 2 MINUTE"}, {"TUMBLE(b.ts", "TUMBLE(greatest(x.ts, b.ts)"},
		{"SELECT x.k", "SELECT x.k || 'z' AS k"}, {"x.k = b.k", "x.k = b.x"}, {" x ", " y(k, ts, n) JOIN (SELECT * FROM c) z ON y.k = z.k AND y.ts = z.ts AND y.n > 5 JOIN (SELECT * FROM a) x ON x.k = z.k AND z.ts = x.ts "},
	} {
		q := strings.Replace(base, c[0], c[1], 1)
		if q == base {
			t.Fatalf("%q is not in the query", c[0])
		}
		text := factsText(build(t, treeRequest(t, q)))
		if other, ok := seen[text]; ok {
			t.Errorf("%q for %q has the facts of %s", c[1], c[0], other)
		}
		seen[text] = fmt.Sprintf("%q for %q", c[1], c[0])
	}
}
