package plan

import (
	"fmt"
	"strconv"
	"strings"

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

// group is one entry of GROUP BY that is not the window.
type group struct {
	ast  sql.Expr
	expr expr.Expr
	name string // of its part of the output key
}

// grouping is what the emission of an aggregate is made of. Its batch has the window's start and end, then the group
// keys, then the aggregates' results.
type grouping struct {
	b      *builder
	groups []group
	window *sql.Call // nil: none
	start  string    // output name of the window's start
	node   *op.WindowAggregate
}

func (b *builder) aggregate() error {
	g := &grouping{b: b, node: &op.WindowAggregate{}, start: "window"}
	if err := g.groupBy(); err != nil {
		return err
	}
	g.node.Window = b.plan.Inputs[0].Window
	src := b.scope.src
	if g.window == nil && !src.Bounded {
		return sql.Errorf(b.sel, "an aggregate over a source without an end needs a window, else it would never be done").
			WithHint("add one: GROUP BY TUMBLE(event_time, INTERVAL 1 MINUTE), or read to the end with --until-end")
	}
	in := &b.plan.Inputs[0]
	for _, gr := range g.groups {
		in.Exprs = append(in.Exprs, gr.expr)
		g.node.Keys = append(g.node.Keys, vec.Field{Name: gr.name, Type: gr.expr.Type()})
	}
	in.Keys = len(g.groups)

	for _, it := range b.items {
		e, err := g.bind(it.expr, "the select list")
		if err != nil {
			return err
		}
		if e, err = writable(it.expr, e); err != nil {
			return err
		}
		g.node.Select = append(g.node.Select, e)
		b.plan.Output = append(b.plan.Output, vec.Field{Name: it.name, Type: e.Type()})
	}
	if h := b.sel.Having; h != nil {
		e, err := g.bind(h, "HAVING")
		if err != nil {
			return err
		}
		if g.node.Having, err = asCondition(h, e, "HAVING"); err != nil {
			return err
		}
	}
	if err := g.key(); err != nil {
		return err
	}
	b.plan.Root = g.node
	return nil
}

// groupBy resolves the entries of GROUP BY: ordinals, names (first a column, then an alias), ALL, expressions.
func (g *grouping) groupBy() error {
	gb := g.b.sel.GroupBy
	if gb == nil {
		return nil
	}
	if gb.All {
		for _, it := range g.b.items {
			if !hasAggregate(it.expr) {
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
		if _, isColumn := g.b.scope.find(e.Parts[0].Name); isColumn {
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
		for _, it := range g.b.items {
			if w, ok := it.expr.(*sql.Call); ok && g.isWindowOfGroup(w) {
				g.start = it.name
				break
			}
		}
		return g.b.window(c)
	}
	x, err := g.b.bindInput(e, "GROUP BY")
	if err != nil {
		return err
	}
	switch x.Type().Kind {
	case vec.Interval, vec.JSON:
		return sql.Errorf(e, "nothing can be grouped by %s, whose equal values have several spellings", x.Type()).WithHint("cast it to VARCHAR, or compare parts of it")
	case vec.Null:
		x = expr.NewTypedNull(vec.TypeOf(vec.Varchar))
	}
	name := g.b.outputName(e)
	for _, it := range g.b.items {
		if sql.Equal(it.expr, e) || g.isColumn(it.expr, x) {
			name = it.name
			break
		}
	}
	for _, have := range g.groups {
		if sql.Equal(have.ast, e) || g.isColumn(e, have.expr) {
			return nil
		}
	}
	g.groups = append(g.groups, group{e, x, name})
	return nil
}

// isColumn reports whether a name, qualified or not, is that of a column.
func (g *grouping) isColumn(e sql.Expr, x expr.Expr) bool {
	ref, ok := e.(*sql.ColumnRef)
	if !ok {
		return false
	}
	column, err := g.b.scope.column(ref)
	return err == nil && expr.Equal(column, x)
}

// bind binds an expression of the emission: over group keys, window bounds and aggregates.
func (g *grouping) bind(e sql.Expr, clause string) (expr.Expr, error) {
	return (&binder{scope: &g.b.scope, clause: clause, before: g.before}).bind(e)
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
	x, err := g.b.scope.column(ref)
	if err != nil {
		return nil, true, err
	}
	for i, gr := range g.groups {
		if expr.Equal(gr.expr, x) {
			return g.keyColumn(i), true, nil
		}
	}
	name := sql.Format(ref)
	return nil, true, sql.Errorf(ref, "%s is neither in GROUP BY nor in an aggregate", name).
		WithHint("add it to GROUP BY, or take min(%s) or max(%s)", name, name)
}

func (g *grouping) keyColumn(i int) expr.Expr {
	k := g.node.Keys
	name, t := g.groups[i].name, g.groups[i].expr.Type()
	if i < len(k) {
		name = k[i].Name
	}
	return &expr.Column{Index: 2 + i, Name: sql.QuoteName(name), T: t}
}

// The columns of the window in texts. Group keys stand there as SQL writes names, which have no blank without quotes.
const windowStart, windowEnd = "window start", "window end"

// windowBound resolves TUMBLE(…) as GROUP BY has it to the window's start, and TUMBLE_START and TUMBLE_END.
func (g *grouping) windowBound(c *sql.Call) (expr.Expr, bool, error) {
	ts := vec.TypeOf(vec.Timestamp)
	start := &expr.Column{Index: 0, Name: windowStart, T: ts}
	if isWindow(c) {
		if !g.isWindowOfGroup(c) {
			return nil, true, sql.Errorf(c, "this window is not the one in GROUP BY").WithHint("write it in GROUP BY exactly as here, or name it: … AS window … GROUP BY window")
		}
		return start, true, nil
	}
	name := sql.FoldName(c.Name.Name)
	base, end := strings.CutSuffix(name, "_end")
	if !end {
		base, _ = strings.CutSuffix(name, "_start")
	}
	if base == name || !isWindow(&sql.Call{Name: sql.Ident{Name: base}}) {
		return nil, false, nil
	}
	as := *c
	as.Name = sql.Ident{Name: base}
	if !g.isWindowOfGroup(&as) {
		return nil, true, sql.Errorf(c, "this window is not the one in GROUP BY").WithHint("give it the same arguments")
	}
	if end {
		return &expr.Column{Index: 1, Name: windowEnd, T: ts}, true, nil
	}
	return start, true, nil
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
		x, err := (&binder{scope: &g.b.scope, clause: "an aggregate"}).bind(a)
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
		return &expr.Column{Index: 2 + len(g.groups) + i, Name: name, T: result}
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
	in := &g.b.plan.Inputs[0]
	for i := in.Keys; i < len(in.Exprs); i++ {
		if expr.Equal(in.Exprs[i], x) {
			return i
		}
	}
	in.Exprs = append(in.Exprs, x)
	return len(in.Exprs) - 1
}

// key plans the output key: the window's start, then the group keys; or what --key names.
func (g *grouping) key() error {
	p := g.b.plan
	type part struct {
		field vec.Field
		col   expr.Expr
	}
	var parts []part
	if g.window != nil {
		ts := vec.TypeOf(vec.Timestamp)
		parts = append(parts, part{vec.Field{Name: g.start, Type: ts}, &expr.Column{Index: 0, Name: windowStart, T: ts}})
	}
	for i := range g.groups {
		parts = append(parts, part{g.node.Keys[i], g.keyColumn(i)})
	}
	if g.b.req.Key == nil {
		for i, a := range parts {
			for _, b := range parts[:i] {
				if a.field.Name == b.field.Name {
					return fmt.Errorf("two parts of the output key are named %q; give one of them another name with AS in the select list", a.field.Name)
				}
			}
			p.Key = append(p.Key, a.field)
			g.node.OutKey = append(g.node.OutKey, a.col)
		}
		p.Key = append([]vec.Field{}, p.Key...)
		return nil
	}
	cols, err := g.b.keyColumns()
	if err != nil {
		return err
	}
	for _, a := range parts {
		found := false
		for _, c := range cols {
			found = found || expr.Equal(g.node.Select[c], a.col)
		}
		if !found {
			return fmt.Errorf("--key %s leaves out %q, so two rows could have the same key and the result would depend on the order of writing; name every group column and the window, or leave --key away",
				strings.Join(g.b.req.Key, ","), a.field.Name)
		}
	}
	for _, c := range cols {
		p.Key = append(p.Key, p.Output[c])
		g.node.OutKey = append(g.node.OutKey, g.node.Select[c])
	}
	return nil
}
