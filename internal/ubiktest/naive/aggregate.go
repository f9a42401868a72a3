package naive

import (
	"fmt"
	"math"
	"sort"

	"ubik/internal/sql"
)

// aggregation groups the rows of its arms by window and key.
type aggregation struct {
	arms []*arm
	by   []*grouping // by arm: what each computes of its rows; else alike
}

// pane is one group of one window.
type pane struct {
	span
	keys   []any
	values [][]any // by aggregate, what it takes in
	behind []Record
}

// aggregate makes the one arm of a SELECT with groups.
func (b *builder) aggregate(sel *sql.Select, items []item, arms []*arm) ([]*arm, error) {
	g := &aggregation{arms: arms}
	out := &arm{base: g}
	for i, a := range arms {
		c := &compiler{tables: a.tables}
		by, err := c.groupBy(sel, items)
		if err != nil {
			return nil, err
		}
		g.by = append(g.by, by)
		c.agg = by
		for _, it := range items {
			n, err := c.expr(it.expr)
			if err != nil {
				return nil, err
			}
			if i == 0 {
				out.out = append(out.out, column{it.name, n, func() {}})
			}
		}
		if sel.Having != nil {
			terms := conjuncts(sel.Having)
			having, err := c.logic(&sql.Logic{Op: sql.OpAnd, Terms: terms[:decided(terms)]})
			if err != nil {
				return nil, err
			}
			if i == 0 {
				out.where = append(out.where, having)
			}
		}
	}
	b.settle()
	return []*arm{out}, nil
}

// feed evaluates the groups. Those of windows that end at or before the least watermark of all arms leave, by end,
// start and group key, NULLs last.
func (g *aggregation) feed(e *evaluation, a *arm, t *taker) (int64, error) {
	panes := map[string]*pane{}
	watermark := int64(math.MaxInt64)
	for i, in := range g.arms {
		by := g.by[i]
		tk := &taker{take: func(r *row, _ int64, windows []span) error { return by.take(panes, r, windows) }}
		if by.win != nil {
			tk.time, tk.windows = by.win.time, by.win.of
		}
		wm, err := in.base.feed(e, in, tk)
		if err != nil {
			return 0, err
		}
		watermark = min(watermark, wm)
	}
	by := g.by[0]
	if len(panes) == 0 && by.win == nil && len(by.groups) == 0 {
		panes[""] = &pane{span: span{0, math.MaxInt64}, values: make([][]any, len(by.aggs))}
	}
	var sorted []*pane
	for _, p := range panes {
		sorted = append(sorted, p)
	}
	sort.Slice(sorted, func(i, j int) bool { return by.before(sorted[i], sorted[j]) })
	for _, p := range sorted {
		if p.end > watermark {
			continue
		}
		r := &row{start: p.start, end: p.end, keys: p.keys, behind: p.behind}
		for i := range by.aggs {
			v, err := by.aggs[i].finish(p.values[i], len(p.values[i]))
			if err != nil {
				return 0, err
			}
			r.results = append(r.results, v)
		}
		if err := t.row(a, r); err != nil {
			return 0, err
		}
	}
	return watermark, nil // of a row's window_end − 1 µs
}

// take brings a row into its groups.
func (g *grouping) take(panes map[string]*pane, r *row, windows []span) error {
	var keys []any
	name := ""
	for _, by := range g.groups {
		v, err := by.node.eval(r)
		if err != nil {
			return err
		}
		if f, ok := v.(float64); ok && f == 0 {
			v = 0.0 // never −0
		}
		keys = append(keys, v)
		name += output(v, by.node.typ) + ","
	}
	values := make([][]any, len(g.aggs))
	for i, a := range g.aggs {
		counts := any(true)
		var v any
		var err error
		if a.filter != nil {
			if counts, err = a.filter.eval(r); err != nil {
				return err
			}
		}
		if a.arg != nil {
			if v, err = a.arg.eval(r); err != nil {
				return err
			}
		}
		if counts == true && (v != nil || a.arg == nil) {
			values[i] = []any{v}
		}
	}
	for _, w := range windows {
		id := fmt.Sprint(w.start, " ", w.end, " ", name)
		p := panes[id]
		if p == nil {
			p = &pane{span: w, keys: keys, values: make([][]any, len(values))}
			panes[id] = p
		}
		for i := range values {
			p.values[i] = append(p.values[i], values[i]...)
		}
		p.behind = append(p.behind, r.behind...)
	}
	return nil
}

func (g *grouping) before(a, b *pane) bool {
	if a.end != b.end {
		return a.end < b.end
	}
	if a.start != b.start {
		return a.start < b.start
	}
	for i, by := range g.groups {
		x, y := a.keys[i], b.keys[i]
		if (x == nil) != (y == nil) {
			return y == nil
		}
		if x != nil {
			if c := compare(x, y, by.node.typ); c != 0 {
				return c < 0
			}
		}
	}
	return false
}
