package naive

import (
	"fmt"
	"slices"
	"strconv"

	"ubik/internal/sql"
)

// grouping is GROUP BY and the aggregates of a query.
type grouping struct {
	call   *sql.Call // the window, nil: none
	win    *window
	start  string // output name of the window
	groups []group
	aggs   []aggregate
}

// group is one expression of GROUP BY.
type group struct {
	ast  sql.Expr
	path string // of a plain column
	node *node
	name string
}

// aggregate is one call of an aggregate.
type aggregate struct {
	name   string
	arg    *node // nil: count(*)
	filter *node // nil: none
	result Type
}

var aggregateNames = map[string]bool{"count": true, "sum": true, "min": true, "max": true, "avg": true, "mean": true}

func isAggregate(e sql.Expr) bool {
	c, ok := e.(*sql.Call)
	return ok && aggregateNames[sql.FoldName(c.Name.Name)]
}

func hasAggregate(e sql.Expr) bool {
	found := false
	sql.WalkExprs(e, func(x sql.Expr) bool {
		found = found || isAggregate(x)
		return !found
	})
	return found
}

// groupBy resolves GROUP BY against the select list.
func (c *compiler) groupBy(sel *sql.Select, items []item) (*grouping, error) {
	g := &grouping{start: "window"}
	if sel.GroupBy == nil {
		return g, nil
	}
	for _, it := range items {
		if sel.GroupBy.All && !hasAggregate(it.expr) {
			if err := c.addGroup(g, it.expr, items); err != nil {
				return nil, err
			}
		}
	}
	for _, e := range sel.GroupBy.Items {
		if n, ok := e.(*sql.NumberLit); ok {
			i, err := strconv.Atoi(n.Text)
			if err != nil || i < 1 || i > len(items) {
				return nil, unsupported("GROUP BY %s", n.Text)
			}
			e = items[i-1].expr
		}
		if ref, ok := e.(*sql.ColumnRef); ok && len(ref.Parts) == 1 && !c.declares(ref.Parts[0].Name) {
			for _, it := range items {
				if sql.SameName(it.name, ref.Parts[0].Name) {
					e = it.expr
					break
				}
			}
		}
		if err := c.addGroup(g, e, items); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func (c *compiler) addGroup(g *grouping, e sql.Expr, items []item) error {
	name := c.nameOf(e)
	_, windowed := isWindow(e)
	for _, it := range items {
		_, also := isWindow(it.expr) // a query has one window, however it is spelled
		if p := c.path(it.expr); sql.Equal(it.expr, e) || p != "" && p == c.path(e) || windowed && also {
			name = it.name
			break
		}
	}
	if call, ok := isWindow(e); ok {
		if g.call != nil {
			return nil
		}
		w, err := c.window(call)
		g.call, g.win, g.start = call, w, name
		return err
	}
	n, err := c.expr(e)
	if err != nil {
		return err
	}
	path := c.path(e)
	for _, have := range g.groups {
		if path != "" && path == have.path || sql.Equal(have.ast, e) {
			return nil
		}
	}
	g.groups = append(g.groups, group{e, path, n, name})
	return nil
}

// path is what a plain column is known by, "" for another expression.
func (c *compiler) path(e sql.Expr) string {
	ids := parts(e)
	if ids == nil {
		return ""
	}
	key := ""
	if t, rest, err := c.find(&sql.ColumnRef{Parts: ids}); err == nil {
		key, ids = fmt.Sprint(slices.Index(c.tables, t)), rest
	}
	for _, id := range ids {
		key += quote(sql.FoldName(id.Name))
	}
	return key
}

// emitted compiles what is a value of the emission: the window's bounds, a group key, an aggregate.
func (g *grouping) emitted(c *compiler, e sql.Expr) (*node, error) {
	if call, ok := e.(*sql.Call); ok {
		name := sql.FoldName(call.Name.Name)
		switch {
		case name == "tumble" || name == "hop" || name == "tumble_start" || name == "hop_start":
			return &node{typ: timestamp, eval: func(r *row) (any, error) { return r.start, nil }}, nil
		case name == "tumble_end" || name == "hop_end":
			return &node{typ: timestamp, eval: func(r *row) (any, error) { return r.end, nil }}, nil
		case isAggregate(e):
			return g.aggregate(c, call)
		}
	}
	path := c.path(e)
	for i, gr := range g.groups {
		if sql.Equal(gr.ast, e) || path != "" && path == gr.path {
			return &node{typ: gr.node.typ, eval: func(r *row) (any, error) { return r.keys[i], nil }}, nil
		}
	}
	if path != "" {
		return nil, unsupported("%s outside GROUP BY", sql.Format(e))
	}
	return nil, nil
}

func (g *grouping) aggregate(c *compiler, call *sql.Call) (*node, error) {
	c.agg = nil
	defer func() { c.agg = g }()
	if call.Distinct || len(call.OrderBy) > 0 || len(call.Args) > 1 {
		return nil, unsupported("%s", sql.Format(call))
	}
	a := aggregate{name: sql.FoldName(call.Name.Name), result: bigint}
	if len(call.Args) == 1 {
		var err error
		if a.arg, err = c.expr(call.Args[0]); err != nil {
			return nil, err
		}
		if a.arg.typ.Name == "NULL" {
			a.arg = to(a.arg, named("INTEGER"))
		}
		switch t := a.arg.typ; a.name {
		case "sum":
			switch {
			case t.isInt() || t.Name == "BOOLEAN":
				a.result = named("HUGEINT")
			case t.Name == "DECIMAL":
				a.result = decimal(38, t.S)
			case t.Name == "DOUBLE":
				a.result = double
			default:
				return nil, unsupported("sum of %s", t)
			}
		case "avg", "mean":
			if !t.isNumeric() {
				return nil, unsupported("%s of %s", a.name, t)
			}
			a.result = double
		case "min", "max":
			a.result = t
		}
	}
	if call.Filter != nil {
		var err error
		if a.filter, err = c.boolean(call.Filter); err != nil {
			return nil, err
		}
	}
	i := len(g.aggs)
	g.aggs = append(g.aggs, a)
	return &node{typ: a.result, eval: func(r *row) (any, error) { return r.results[i], nil }}, nil
}

// item is an entry of the select list.
type item struct {
	expr sql.Expr
	name string
}
