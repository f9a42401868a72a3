package plan

import "ubik/internal/expr"

// assemble gives each source its input and the operator the columns of a joined row: of each source those that the
// query needs behind the join, in the order in which it names them.
func (j *join) assemble() error {
	n := j.node
	var err error
	if n.Residual, err = allOf(j.pair); err != nil {
		return err
	}
	if n.Where, err = allOf(j.after); err != nil {
		return err
	}
	var need [2][]*expr.Column
	place := func(c *expr.Column) int {
		side := sideOf(c)
		for i, have := range need[side] {
			if have.Index == c.Index {
				return i
			}
		}
		need[side] = append(need[side], c)
		return len(need[side]) - 1
	}
	var outputs []*expr.Expr
	for _, list := range [][]expr.Expr{n.Select, n.OutKey} {
		for i := range list {
			outputs = append(outputs, &list[i])
		}
	}
	outputs = append(outputs, &n.Residual, &n.Where)
	for _, e := range outputs {
		each(*e, func(c *expr.Column) { place(c) })
	}
	for _, e := range outputs {
		*e = rewrite(*e, func(c *expr.Column) *expr.Column {
			side, at := sideOf(c), place(c)
			if side == 1 {
				at += len(need[0])
			}
			return &expr.Column{Index: at, Name: j.alias(side) + "." + c.Name, T: c.T}
		})
	}
	own := func(c *expr.Column) *expr.Column {
		return &expr.Column{Index: c.Index % sideBase, Name: c.Name, T: c.T}
	}
	n.Keys = len(j.keys[0])
	for i := range j.sides {
		in := j.sides[i].in
		if in.Where, err = allOf(j.push[i]); err != nil {
			return err
		}
		in.Keys = n.Keys
		in.Exprs = j.keys[i]
		for _, c := range need[i] {
			in.Exprs = append(in.Exprs, c)
			n.Columns[i] = append(n.Columns[i], c.T)
		}
		in.Time, in.Where = rewrite(in.Time, own), rewrite(in.Where, own)
		for k := range in.Exprs {
			in.Exprs[k] = rewrite(in.Exprs[k], own)
		}
	}
	return nil
}

// allOf is the conjunction of conditions, nil for none.
func allOf(conds []expr.Expr) (expr.Expr, error) {
	if len(conds) == 0 {
		return nil, nil
	}
	return expr.NewAnd(conds...)
}

// each calls f for every column of an expression, which may be nil.
func each(e expr.Expr, f func(c *expr.Column)) {
	if e == nil {
		return
	}
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Column); ok {
			f(c)
		}
		return true
	})
}

// rewrite replaces every column of an expression, which may be nil.
func rewrite(e expr.Expr, f func(c *expr.Column) *expr.Column) expr.Expr {
	if e == nil {
		return nil
	}
	return expr.Rewrite(e, func(x expr.Expr) expr.Expr {
		if c, ok := x.(*expr.Column); ok {
			return f(c)
		}
		return x
	})
}
