package naive

import (
	"maps"
	"slices"
	"strings"

	"ubik/internal/sql"
)

// join makes the one arm of a join whose condition is that all terms are true, and that the columns of USING are equal.
func (b *builder) join(kind sql.JoinKind, left, right []*arm, terms []sql.Expr, using []sql.Ident) ([]*arm, error) {
	j, err := b.newJoin(kind, left, right)
	if err != nil {
		return nil, err
	}
	for _, e := range terms {
		j.empty = j.empty || excludes(e) && (kind == sql.InnerJoin || kind == sql.CrossJoin || kind == sql.SemiJoin)
	}
	if err := b.on(j, &compiler{tables: append(j.tables(0, false), j.tables(1, false)...)}, terms, decided(terms)); err != nil {
		return nil, err
	}
	a := &arm{base: j, tables: j.tables(0, false), labels: j.labels}
	if kind != sql.SemiJoin && kind != sql.AntiJoin { // behind these there is no right side
		a.tables = append(a.tables, j.tables(1, false)...)
	}
	return []*arm{a}, b.using(j, a, using)
}

// using makes one column of those of one name on both sides.
func (b *builder) using(j *join, a *arm, names []sql.Ident) error {
	if names == nil {
		return nil
	}
	if j.kind != sql.InnerJoin {
		return unsupported("USING in this kind of join") // there is no place for a band
	}
	left := &compiler{tables: j.tables(0, false)}
	both := &table{hides: len(a.tables)}
	for _, id := range names {
		ref := &sql.ColumnRef{Parts: []sql.Ident{id}}
		l, err := left.column(ref)
		if err != nil {
			return err
		}
		r, err := (&compiler{tables: j.tables(1, false)}).column(ref)
		if err != nil {
			return err
		}
		eq, err := comparison(sql.OpEq, l, r)
		if err != nil {
			return err
		}
		j.on = append(j.on, eq)
		both.columns = append(both.columns, left.nameOf(ref))
	}
	both.has = func(name string) bool { return contains(both.columns, name) }
	both.column = func(names []sql.Ident) (*node, error) { return left.column(&sql.ColumnRef{Parts: names}) }
	a.tables = append([]*table{both}, a.tables...)
	b.settle()
	return nil
}

// existence takes [NOT] EXISTS apart.
func existence(e sql.Expr) (sql.JoinKind, *sql.Exists, bool) {
	if not, ok := e.(*sql.Unary); ok && not.Op == sql.OpNot {
		ex, ok := not.X.(*sql.Exists)
		return sql.AntiJoin, ex, ok
	}
	ex, ok := e.(*sql.Exists)
	return sql.SemiJoin, ex, ok
}

// exists joins the rows outside to those of [NOT] EXISTS, whose WHERE is the condition; of one that is idle it is not
// computed.
func (b *builder) exists(kind sql.JoinKind, ex *sql.Exists, outside []*arm, idle bool) ([]*arm, error) {
	sel, ok := ex.Query.(*sql.Select)
	if !ok || sel.GroupBy != nil || sel.Having != nil || sel.Limit != nil || sel.Offset != nil {
		return nil, unsupported("this EXISTS")
	}
	b.unnamed = 0
	inside, err := b.from(sel.From)
	if err != nil {
		return nil, err
	}
	var terms []sql.Expr
	all := conjuncts(sel.Where)
	n := decided(all)
	for i, e := range all {
		if kind, ex, ok := existence(e); ok { // of the rows inside
			if inside, err = b.exists(kind, ex, inside, i >= n); err != nil {
				return nil, err
			}
		} else {
			terms = append(terms, e)
		}
	}
	if n = decided(terms); idle {
		n = 0
	}
	j, err := b.newJoin(kind, outside, inside)
	if err != nil {
		return nil, err
	}
	if err := b.on(j, &compiler{tables: append(j.tables(0, false), j.tables(1, true)...)}, terms, n); err != nil {
		return nil, err
	}
	return []*arm{{base: j, tables: j.tables(0, false), labels: j.labels}}, nil
}

// newJoin takes the next band.
func (b *builder) newJoin(kind sql.JoinKind, left, right []*arm) (*join, error) {
	if len(b.Bands) == 0 {
		return nil, unsupported("a join without a band told")
	}
	j := &join{Band: b.Bands[0], kind: kind, sides: [2][]*arm{left, right}, labels: map[*reference]string{}}
	b.Bands = b.Bands[1:]
	for side, arms := range j.sides {
		e, err := sql.ParseExpr(j.Times[side])
		if err != nil {
			return nil, err
		}
		time := func(tables []*table) (*node, error) {
			n, err := (&compiler{tables: tables}).expr(e)
			if err != nil {
				return nil, err
			}
			return to(n, timestamp), nil
		}
		for _, a := range arms {
			if _, ok := a.base.(*aggregation); ok {
				return nil, unsupported("a join of an aggregate's rows")
			}
			n, err := time(a.tables)
			if err != nil {
				return nil, err
			}
			j.times[side] = append(j.times[side], n)
			if side == 0 || kind != sql.SemiJoin && kind != sql.AntiJoin {
				maps.Copy(j.labels, a.labels)
			}
		}
		n, err := time(j.tables(side, false))
		if err != nil {
			return nil, err
		}
		j.ids[side] = n.id
	}
	j.named = [2][]*node{}
	b.joins = append(b.joins, j)
	return j, nil
}

// tables are those of one side as a joined row has them.
func (j *join) tables(side int, inner bool) []*table {
	var out []*table
	arms := j.sides[side]
	for i, t := range arms[0].tables {
		of := &table{name: t.name, inner: inner, hides: t.hides, columns: t.columns, has: t.has}
		out = append(out, of)
		of.column = func(names []sql.Ident) (*node, error) {
			var nodes []*node
			var ids []string
			for _, a := range arms {
				n, err := a.tables[i].column(names)
				if err != nil {
					return nil, err
				}
				nodes, ids = append(nodes, n), append(ids, n.id)
			}
			n := &node{typ: nodes[0].typ, id: strings.Join(ids, "|"), eval: func(r *row) (any, error) {
				if s := r.sides[side]; s != nil {
					return nodes[s.arm].eval(s)
				}
				return nil, nil
			}}
			if nodes[0].field != nil {
				n.field = func(more []sql.Ident) (*node, error) { return of.column(slices.Concat(names, more)) }
			}
			j.named[side] = append(j.named[side], n)
			return n, nil
		}
	}
	return out
}

// on compiles the condition by which rows match, of which so many terms are computed. A term that names one side alone, where a row that fails it leaves no
// trace in the output, removes rows before they are joined.
func (b *builder) on(j *join, c *compiler, terms []sql.Expr, computed int) error {
	inner := j.kind == sql.InnerJoin || j.kind == sql.CrossJoin
	traceless := [2]bool{
		inner || j.kind == sql.RightJoin || j.kind == sql.SemiJoin,
		inner || j.kind == sql.LeftJoin || j.kind == sql.SemiJoin || j.kind == sql.AntiJoin,
	}
	for i, e := range terms {
		n, err := b.condition(c, e)
		if err != nil {
			return err
		}
		if i >= computed {
			continue
		}
		if j.push(n, traceless) {
			continue
		}
		j.on = append(j.on, n)
		if err := b.keys(j, c, e); err != nil {
			return err
		}
	}
	b.settle()
	return nil
}

// push takes a condition just compiled to the only side that it names, if it may: there it is one on the rows of each
// arm. Else it reports false.
func (j *join) push(n *node, traceless [2]bool) bool {
	for side := range j.sides {
		if !traceless[side] || j.named[side] == nil || j.named[1-side] != nil {
			continue
		}
		j.named[side] = nil // it is no longer this join that needs them
		for k, a := range j.sides[side] {
			a.filter(&node{typ: n.typ, eval: func(r *row) (any, error) {
				r.arm = k
				alone := &row{}
				alone.sides[side] = r
				return n.eval(alone)
			}})
		}
		return true
	}
	return false
}

// keys notes the sides of an equality of one side with the other: what a row computes by itself.
func (b *builder) keys(j *join, c *compiler, e sql.Expr) error {
	eq, ok := e.(*sql.Binary)
	if !ok || eq.Op != sql.OpEq {
		return nil
	}
	for _, x := range []sql.Expr{eq.L, eq.R} {
		b.settle()
		n, err := c.expr(x)
		if err != nil {
			return err
		}
		for side := range j.sides {
			if j.named[side] != nil && j.named[1-side] == nil {
				j.own[side] = append(j.own[side], n)
			}
		}
	}
	return nil
}
