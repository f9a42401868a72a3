package plan

import (
	"strconv"

	"ubik/internal/agg"
	"ubik/internal/expr"
	"ubik/internal/op"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

func isAggregate(c *sql.Call) bool {
	return agg.Lookup(c.Name.Name) != nil
}

// aggregates reports whether the query groups: by a clause, or by an aggregate anywhere.
func (b *builder) aggregates() bool {
	if b.sel.GroupBy != nil {
		return true
	}
	found := b.sel.Having != nil && hasAggregate(b.sel.Having)
	for _, it := range b.items {
		found = found || hasAggregate(it.expr)
	}
	return found
}

func hasAggregate(e sql.Expr) bool {
	found := false
	sql.WalkExprs(e, func(x sql.Expr) bool {
		if c, ok := x.(*sql.Call); ok && isAggregate(c) {
			found = true
		}
		return !found
	})
	return found
}

// hasWindowBound reports whether TUMBLE_START, TUMBLE_END or their like stand in an expression, which groups by nothing.
func hasWindowBound(e sql.Expr) bool {
	found := false
	sql.WalkExprs(e, func(x sql.Expr) bool {
		if c, ok := x.(*sql.Call); ok {
			_, _, bound := boundOf(c)
			found = found || bound
		}
		return !found
	})
	return found
}

// group is one entry of GROUP BY that is not the window.
type group struct {
	ast  sql.Expr
	expr expr.Expr
	part part
}

// grouping is an aggregate in the making. What it emits is computed from a batch that has the window's start and end, then
// the group keys, then the aggregates' results.
type grouping struct {
	b      *builder // whose rel is what is aggregated
	groups []group
	window *sql.Call   // nil: none
	time   expr.Expr   // of the window, over the rows of FROM; TIMESTAMP
	inputs []expr.Expr // over them, too: the group keys, then arguments and filters
	start  part        // of the key: the window's start
	node   *op.WindowAggregate
}

// part is a part of the default output key.
type part struct {
	name string
	item int // the entry of the select list that it is named for; -1: none
	col  expr.Expr
}

// aggregate plans GROUP BY: one arm, the rows of a new operator.
func (b *builder) aggregate() (*rows, error) {
	g := &grouping{b: b, node: &op.WindowAggregate{}, start: part{"window", -1, windowStart()}}
	if err := g.groupBy(); err != nil {
		return nil, err
	}
	if g.window == nil && !b.p.bounded(b.rel) {
		if c := g.hiddenWindow(); c != nil {
			return nil, g.otherWindow(c)
		}
		return nil, sql.Errorf(b.sel, "an aggregate over a source without an end needs a window, else it would never be done").
			WithHint("add one, %s; or read %s", g.withWindow(g.windowGuess()), b.p.toItsEnd(b.rel))
	}
	for _, gr := range g.groups {
		g.inputs = append(g.inputs, gr.expr)
		g.node.Keys = append(g.node.Keys, vec.Field{Name: gr.part.name, Type: gr.expr.Type()})
	}
	out, a := &rows{}, &arm{op: &operator{agg: g}, direct: true}
	for _, it := range b.items {
		e, err := g.bind(it.expr, "the select list")
		if err != nil {
			return nil, err
		}
		a.cols = append(a.cols, e)
		out.add(it, e)
	}
	if h := b.sel.Having; h != nil {
		e, err := g.bind(h, "HAVING")
		if err != nil {
			return nil, err
		}
		if e, err = asCondition(h, e, "HAVING"); err != nil {
			return nil, err
		}
		if e, err = g.having(h, e); err != nil {
			return nil, err
		}
		a.where = append(a.where, e)
	}
	out.arms = []*arm{a}
	return out, nil
}

// groupBy resolves the entries of GROUP BY: ordinals, names (first a column, then an alias), ALL, expressions.
func (g *grouping) groupBy() error {
	gb := g.b.sel.GroupBy
	if gb == nil {
		return nil
	}
	if gb.All {
		for _, it := range g.b.items {
			if !hasAggregate(it.expr) && !hasWindowBound(it.expr) {
				if err := g.add(it.expr); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, e := range gb.Items {
		e, err := g.resolve(e)
		if err != nil {
			return err
		}
		if err := g.add(e); err != nil {
			return err
		}
	}
	return nil
}

func (g *grouping) resolve(e sql.Expr) (sql.Expr, error) {
	switch e := e.(type) {
	case *sql.NumberLit:
		n, err := strconv.Atoi(e.Text)
		if e.Kind != sql.IntegerNumber || err != nil || n < 1 || n > len(g.b.items) {
			return nil, sql.Errorf(e, "GROUP BY %s: the select list has no entry of that number", e.Text)
		}
		x := g.b.items[n-1].expr
		if hasAggregate(x) {
			return nil, sql.Errorf(e, "GROUP BY %d: that entry of the select list is an aggregate", n)
		}
		return x, nil
	case *sql.ColumnRef:
		if len(e.Parts) > 1 {
			return e, nil
		}
		if g.b.hasColumn(e.Parts[0].Name) {
			return e, nil
		}
		for _, it := range g.b.items {
			if !sql.SameName(it.name, e.Parts[0].Name) {
				continue
			}
			if hasAggregate(it.expr) {
				return nil, sql.Errorf(e, "%s is an aggregate, by which nothing can be grouped", sql.QuoteName(it.name))
			}
			return it.expr, nil
		}
	}
	return e, nil
}

func (g *grouping) add(e sql.Expr) error {
	if hasAggregate(e) {
		return sql.Errorf(e, "an aggregate cannot stand in GROUP BY")
	}
	if c, ok := e.(*sql.Call); ok && isWindow(c) {
		if g.window != nil {
			if g.isWindowOfGroup(c) {
				return nil
			}
			return sql.Errorf(c, "GROUP BY has two windows").WithHint("one query has one window; run two queries")
		}
		g.window = c
		for i, it := range g.b.items {
			if w, ok := it.expr.(*sql.Call); ok && g.isWindowOfGroup(w) {
				g.start.name, g.start.item = it.name, i
				break
			}
		}
		return g.planWindow(c)
	}
	x, err := g.b.bindInput(e, "GROUP BY")
	if err != nil {
		return err
	}
	switch {
	case x.Type().IsJSON():
		return sql.Errorf(e, "nothing can be grouped by %s, whose equal values have several spellings", x.Type()).WithHint("%s", asText(x.Type())+", or take a part of it, as "+partOf(e, x.Type()))
	case x.Type().Kind == vec.Interval:
		return sql.Errorf(e, "nothing can be grouped by %s, whose equal values have several spellings", x.Type()).WithHint("cast it to VARCHAR, or compare parts of it")
	case x.Type().Kind == vec.Null:
		x = expr.NewTypedNull(vec.TypeOf(vec.Varchar))
	}
	p := part{name: g.b.outputName(e), item: -1}
	for i, it := range g.b.items {
		if sql.Equal(it.expr, e) || g.isColumn(it.expr, x) {
			p.name, p.item = it.name, i
			break
		}
	}
	for _, have := range g.groups {
		if sql.Equal(have.ast, e) || g.isColumn(e, have.expr) {
			return nil
		}
	}
	g.groups = append(g.groups, group{e, x, p})
	return nil
}

// isColumn reports whether a name, qualified or not, is that of a column.
func (g *grouping) isColumn(e sql.Expr, x expr.Expr) bool {
	ref, ok := e.(*sql.ColumnRef)
	if !ok {
		return false
	}
	column, err := (&scope{b: g.b, rel: g.b.rel}).column(ref)
	return err == nil && expr.Equal(column, x)
}
