package plan

import (
	"fmt"
	"strings"

	"ubik/internal/agg"
	"ubik/internal/expr"
	"ubik/internal/op"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// bind binds an expression of the emission: over group keys, window bounds and aggregates.
func (g *grouping) bind(e sql.Expr, clause string) (expr.Expr, error) {
	return (&binder{scope: &scope{b: g.b, rel: g.b.rel}, clause: clause, before: g.before}).bind(e)
}

// having is the condition of HAVING, bound as x, without what no row comes to.
func (g *grouping) having(h sql.Expr, x expr.Expr) (expr.Expr, error) {
	var live []expr.Expr
	all := g.b.p.conjuncts(h)
	for _, c := range all {
		if g.b.p.idle[c] {
			continue
		}
		e, err := g.bind(c, "HAVING")
		if err != nil {
			return nil, err
		}
		if e, err = asCondition(c, e, "HAVING"); err != nil {
			return nil, err
		}
		live = append(live, e)
	}
	if len(live) == len(all) {
		return x, nil
	}
	return allOf(live), nil
}

func (g *grouping) before(e sql.Expr) (expr.Expr, bool, error) {
	if c, ok := e.(*sql.Call); ok {
		if x, taken, err := g.windowBound(c); taken || err != nil {
			return x, taken, err
		}
		if isAggregate(c) {
			x, err := g.aggregate(c)
			return x, true, err
		}
	}
	for i, gr := range g.groups {
		if sql.Equal(gr.ast, e) {
			return g.keyColumn(i), true, nil
		}
	}
	ref, ok := e.(*sql.ColumnRef)
	if !ok {
		return nil, false, nil
	}
	x, err := (&scope{b: g.b, rel: g.b.rel}).column(ref)
	if err != nil {
		return nil, true, err
	}
	for i, gr := range g.groups {
		if expr.Equal(gr.expr, x) {
			return g.keyColumn(i), true, nil
		}
	}
	name := sql.Format(ref)
	wrong := sql.Errorf(ref, "%s is neither in GROUP BY nor in an aggregate", name)
	if x.Type().IsJSON() {
		return nil, true, wrong.WithHint("%s, here and in GROUP BY", asText(x.Type()))
	}
	return nil, true, wrong.WithHint("add it to GROUP BY, or take min(%s) or max(%s)", name, name)
}

func (g *grouping) keyColumn(i int) expr.Expr {
	return &expr.Column{Index: op.ColKeys + i, Name: sql.QuoteName(g.groups[i].part.name), T: g.groups[i].expr.Type()}
}

// The columns of the window. Group keys stand in texts as SQL writes names, which have no blank without quotes.
func windowStart() *expr.Column {
	return &expr.Column{Index: op.ColWindowStart, Name: "window start", T: vec.TypeOf(vec.Timestamp)}
}

func (g *grouping) windowEnd() *expr.Column {
	return &expr.Column{Index: op.ColWindowEnd, Name: "window end", T: vec.TypeOf(vec.Timestamp)}
}

// endText is the end of the window as the SELECT would have it.
func (g *grouping) endText() string {
	c := *g.window
	c.Name.Name += "_END"
	return sql.Format(&c)
}

// boundOf takes TUMBLE_START and TUMBLE_END apart into the window's function and which bound it is.
func boundOf(c *sql.Call) (window string, end, ok bool) {
	name := sql.FoldName(c.Name.Name)
	window, end = strings.CutSuffix(name, "_end")
	if !end {
		window, _ = strings.CutSuffix(name, "_start")
	}
	return window, end, window != name && isWindow(&sql.Call{Name: sql.Ident{Name: window}})
}

// windowBound resolves TUMBLE(…) as GROUP BY has it to the window's start, and TUMBLE_START and TUMBLE_END.
func (g *grouping) windowBound(c *sql.Call) (expr.Expr, bool, error) {
	if isWindow(c) {
		if !g.isWindowOfGroup(c) {
			return nil, true, g.otherWindow(c)
		}
		return windowStart(), true, nil
	}
	base, end, ok := boundOf(c)
	if !ok {
		return nil, false, nil
	}
	as := *c
	as.Name = sql.Ident{Name: base}
	if g.window == nil {
		if err := plannedWindow(c, base); err != nil {
			return nil, true, err
		}
		return nil, true, sql.Errorf(c, "GROUP BY has no window of which this is the %s", map[bool]string{false: "start", true: "end"}[end]).WithHint("write %s", g.withWindow(windowOf(c, base)))
	}
	if !g.isWindowOfGroup(&as) {
		return nil, true, sql.Errorf(c, "this window is not the one in GROUP BY").WithHint("give it the same arguments")
	}
	if end {
		return g.windowEnd(), true, nil
	}
	return windowStart(), true, nil
}

// otherWindow is the error of a window of the select list that is not grouped by.
func (g *grouping) otherWindow(c *sql.Call) error {
	e := sql.Errorf(c, "this window is not the one in GROUP BY")
	for _, it := range g.b.items {
		if it.expr == sql.Expr(c) && g.isHidden(it.name) {
			name := sql.QuoteName(it.name)
			e.Msg += ", where " + name + " is a column of the source, which comes before a name of the select list"
			return e.WithHint("give the window another name than %s, or write it in GROUP BY exactly as here", name)
		}
	}
	return e.WithHint("write it in GROUP BY exactly as here, or name it: … AS window … GROUP BY window")
}

// hiddenWindow is a window of the select list whose name GROUP BY says, where it is that of a column; nil: there is none.
func (g *grouping) hiddenWindow() *sql.Call {
	for _, it := range g.b.items {
		if c, ok := it.expr.(*sql.Call); ok && isWindow(c) && g.isHidden(it.name) {
			return c
		}
	}
	return nil
}

// isHidden reports whether GROUP BY says a name of the select list and means a column.
func (g *grouping) isHidden(name string) bool {
	if g.b.sel.GroupBy == nil || !g.b.hasColumn(name) {
		return false
	}
	for _, by := range g.b.sel.GroupBy.Items {
		if ref, ok := by.(*sql.ColumnRef); ok && len(ref.Parts) == 1 && sql.SameName(ref.Parts[0].Name, name) {
			return true
		}
	}
	return false
}

// isWindowOfGroup reports whether c is the window of GROUP BY: the same function of the same time column, qualified or
// not, and of the same widths.
func (g *grouping) isWindowOfGroup(c *sql.Call) bool {
	w := g.window
	if w == nil || !sql.SameName(w.Name.Name, c.Name.Name) || len(w.Args) != len(c.Args) {
		return false
	}
	for i := range w.Args {
		if sql.Equal(w.Args[i], c.Args[i]) {
			continue
		}
		a, err := g.b.bindInput(w.Args[i], "a window")
		if err != nil {
			return false
		}
		b, err := g.b.bindInput(c.Args[i], "a window")
		if err != nil || !expr.Equal(a, b) {
			return false
		}
	}
	return true
}

// aggregate adds an aggregate, or finds the same one, and returns its column of the emission.
func (g *grouping) aggregate(c *sql.Call) (expr.Expr, error) {
	base := agg.Lookup(c.Name.Name).Name
	switch {
	case c.Distinct:
		return nil, sql.Errorf(c, "DISTINCT in an aggregate is not supported yet").WithHint("group by the column and count the rows downstream")
	case len(c.OrderBy) > 0:
		return nil, sql.Errorf(c, "ORDER BY in an aggregate is not supported: every aggregate here is independent of the order")
	case c.Star && base != "count":
		return nil, sql.Errorf(c, "%s(*) is not an aggregate", base).WithHint("only count takes *")
	}
	call := op.AggCall{Arg: -1, Filter: -1}
	var types []vec.Type
	name := base + "(*)"
	for _, a := range c.Args {
		x, err := (&binder{scope: &scope{b: g.b, rel: g.b.rel}, clause: "an aggregate"}).bind(a)
		if err != nil {
			return nil, err
		}
		if x.Type().Kind == vec.Null {
			x = expr.NewTypedNull(vec.TypeOf(vec.Int32)) // as DuckDB types a bare NULL
		}
		types = append(types, x.Type())
		call.Arg = g.input(x)
		name = fmt.Sprintf("%s(%s)", base, x)
	}
	fn, err := agg.Resolve(c.Name.Name, types)
	if err != nil {
		return nil, sql.Errorf(c, "%s", err)
	}
	call.Fn = fn
	result := fn.Result
	if c.Filter != nil {
		f, err := g.b.condition(c.Filter, "FILTER")
		if err != nil {
			return nil, err
		}
		call.Filter = g.input(f)
		name += fmt.Sprintf(" FILTER (WHERE %s)", f)
	}
	call.Name = name
	col := func(i int) expr.Expr {
		return &expr.Column{Index: op.ColKeys + len(g.groups) + i, Name: name, T: result}
	}
	for i, have := range g.node.Aggs {
		if have.Fn.String() == call.Fn.String() && have.Arg == call.Arg && have.Filter == call.Filter {
			return col(i), nil
		}
	}
	g.node.Aggs = append(g.node.Aggs, call)
	return col(len(g.node.Aggs) - 1), nil
}

// input returns the column of the operator's input that holds the expression.
func (g *grouping) input(x expr.Expr) int {
	for i := len(g.groups); i < len(g.inputs); i++ {
		if expr.Equal(g.inputs[i], x) {
			return i
		}
	}
	g.inputs = append(g.inputs, x)
	return len(g.inputs) - 1
}
