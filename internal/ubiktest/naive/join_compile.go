package naive

import "ubik/internal/sql"

// compileJoin reads a query over two sources: FROM a JOIN b, or FROM a WHERE [NOT] EXISTS (SELECT … FROM b WHERE …).
func compileJoin(q Query) (*join, error) {
	stmt, err := sql.Parse(q.SQL)
	if err != nil {
		return nil, err
	}
	sel, ok := stmt.(*sql.Select)
	if !ok || sel.Distinct || len(sel.OrderBy) > 0 || sel.Limit != nil || sel.Offset != nil || sel.GroupBy != nil || sel.Having != nil {
		return nil, unsupported("%s", q.SQL)
	}
	j := &join{query: &query{Query: q}}
	tables, on, where, err := j.shape(sel)
	if err != nil {
		return nil, err
	}
	if err := j.openInputs(tables); err != nil {
		return nil, err
	}
	j.pairs = &compiler{sides: []*compiler{j.inputs[0].names, j.inputs[1].names}}
	j.pairs.inner = sel.From == tables[0] // the condition stands inside EXISTS
	if err := j.compileOn(on); err != nil {
		return nil, err
	}
	if j.kind == sql.SemiJoin || j.kind == sql.AntiJoin {
		j.pairs = &compiler{sides: j.pairs.sides[:1]} // behind the join there is no right side
	}
	if err := j.compileWhere(where); err != nil {
		return nil, err
	}
	return j, j.compileSelect(sel)
}

// shape finds the kind and the two tables of a query, the conjuncts of its condition and those of its WHERE.
func (j *join) shape(sel *sql.Select) (tables [2]sql.TableExpr, on, where []sql.Expr, err error) {
	if from, ok := sel.From.(*sql.Join); ok {
		if from.Using != nil {
			return tables, nil, nil, unsupported("USING")
		}
		j.kind = from.Kind
		return [2]sql.TableExpr{from.Left, from.Right}, conjuncts(from.On), conjuncts(sel.Where), nil
	}
	var found *sql.Exists
	for _, e := range conjuncts(sel.Where) {
		kind, x := sql.SemiJoin, e
		if not, ok := e.(*sql.Unary); ok && not.Op == sql.OpNot {
			kind, x = sql.AntiJoin, not.X
		}
		ex, ok := x.(*sql.Exists)
		switch {
		case !ok:
			where = append(where, e)
		case found != nil:
			return tables, nil, nil, unsupported("a second EXISTS")
		default:
			found, j.kind = ex, kind
		}
	}
	if found == nil {
		return tables, nil, nil, unsupported("a query that joins nothing")
	}
	inner, ok := found.Query.(*sql.Select)
	if !ok || inner.GroupBy != nil || inner.Having != nil || inner.Limit != nil {
		return tables, nil, nil, unsupported("this EXISTS")
	}
	return [2]sql.TableExpr{sel.From, inner.From}, conjuncts(inner.Where), where, nil
}

// conjuncts are the terms of a condition that must all be true.
func conjuncts(e sql.Expr) []sql.Expr {
	if e == nil {
		return nil
	}
	if l, ok := e.(*sql.Logic); ok && l.Op == sql.OpAnd {
		return l.Terms
	}
	return []sql.Expr{e}
}

func (j *join) openInputs(tables [2]sql.TableExpr) error {
	names, schemas, delays := [2]string{j.Table, j.Join.Table}, [2]string{j.Schema, j.Join.Schema}, [2]int64{j.Delay, j.Join.Delay}
	for i, t := range tables {
		from, ok := t.(*sql.TableName)
		if !ok || len(from.Parts) != 1 || !sql.SameName(from.Parts[0].Name, names[i]) {
			return unsupported("this FROM")
		}
		c := &compiler{table: names[i]}
		if from.Alias != nil {
			c.table = from.Alias.Name.Name
		}
		var err error
		if c.schema, err = schema(schemas[i]); err != nil {
			return err
		}
		text, err := sql.ParseExpr(j.Join.Times[i])
		if err != nil {
			return err
		}
		in := &input{names: c, delay: delays[i]}
		if in.time, err = c.expr(text); err != nil {
			return err
		}
		in.time = to(in.time, timestamp)
		j.inputs[i] = in
	}
	return nil
}

// all is a condition of which all terms must be true, nil if there is none.
func (j *join) all(terms []sql.Expr) (*node, error) {
	var nodes []*node
	for _, e := range terms {
		n, err := j.pairs.boolean(e)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	if len(nodes) < 2 {
		if len(nodes) == 0 {
			return nil, nil
		}
		return nodes[0], nil
	}
	return chain(sql.OpAnd, nodes), nil
}

// part takes from the terms of a condition those that remove rows of one side before they are joined, which is what the
// ledger calls filtered: terms that name that side alone, where a row that fails them leaves no trace in the output.
func (j *join) part(terms []sql.Expr, traceless [2]bool) ([]sql.Expr, error) {
	var rest []sql.Expr
	for _, e := range terms {
		j.pairs.touched = [2]bool{}
		n, err := j.pairs.boolean(e)
		if err != nil {
			return nil, err
		}
		switch touched := j.pairs.touched; {
		case touched == [2]bool{true, false} && traceless[0]:
			j.inputs[0].where = append(j.inputs[0].where, n)
		case touched == [2]bool{false, true} && traceless[1]:
			j.inputs[1].where = append(j.inputs[1].where, n)
		default:
			rest = append(rest, e)
		}
	}
	return rest, nil
}

// compileOn compiles the condition by which rows match.
func (j *join) compileOn(terms []sql.Expr) (err error) {
	inner := j.kind == sql.InnerJoin || j.kind == sql.CrossJoin
	terms, err = j.part(terms, [2]bool{
		inner || j.kind == sql.RightJoin || j.kind == sql.SemiJoin,
		inner || j.kind == sql.LeftJoin || j.kind == sql.SemiJoin || j.kind == sql.AntiJoin,
	})
	if err == nil {
		err = j.keys(terms)
	}
	if err == nil {
		j.on, err = j.all(terms)
	}
	return err
}

// keys notes the sides of equalities of one source with the other: a row for which one fails is malformed.
func (j *join) keys(terms []sql.Expr) error {
	for _, e := range terms {
		eq, ok := e.(*sql.Binary)
		if !ok || eq.Op != sql.OpEq {
			continue
		}
		for _, x := range []sql.Expr{eq.L, eq.R} {
			j.pairs.touched = [2]bool{}
			n, err := j.pairs.expr(x)
			if err != nil {
				return err
			}
			for side, in := range j.inputs {
				if j.pairs.touched[side] && !j.pairs.touched[1-side] {
					in.own = append(in.own, n)
				}
			}
		}
	}
	return nil
}

// compileWhere compiles the condition on joined rows.
func (j *join) compileWhere(terms []sql.Expr) (err error) {
	inner := j.kind == sql.InnerJoin || j.kind == sql.CrossJoin
	terms, err = j.part(terms, [2]bool{
		inner || j.kind == sql.LeftJoin || j.kind == sql.SemiJoin || j.kind == sql.AntiJoin,
		inner || j.kind == sql.RightJoin,
	})
	if err == nil {
		j.where, err = j.all(terms)
	}
	return err
}

func (j *join) compileSelect(sel *sql.Select) error {
	for i := range sel.Items {
		it := &sel.Items[i]
		if star, ok := it.Expr.(*sql.Star); ok {
			for _, side := range j.pairs.sides {
				if len(star.Table) > 0 && !sql.SameName(star.Table[0].Name, side.table) {
					continue
				}
				for _, col := range side.schema {
					ref := &sql.ColumnRef{Parts: []sql.Ident{{Name: side.table}, {Name: col.Name}}}
					j.items = append(j.items, item{ref, col.Name})
				}
			}
			continue
		}
		name := j.pairs.nameOf(it.Expr)
		if it.Alias != nil {
			name = it.Alias.Name
		}
		j.items = append(j.items, item{it.Expr, name})
	}
	for _, it := range j.items {
		n, err := j.pairs.expr(it.expr)
		if err != nil {
			return err
		}
		j.out = append(j.out, n)
	}
	for _, name := range j.Key {
		for i, it := range j.items {
			if sql.SameName(it.name, name) {
				j.key = append(j.key, i)
				break
			}
		}
	}
	return nil
}

// sideOf is the side that a column is of.
func (c *compiler) sideOf(ref *sql.ColumnRef) (int, error) {
	var found []int
	for i, s := range c.sides {
		if len(ref.Parts) > 1 && sql.SameName(ref.Parts[0].Name, s.table) && s.has(ref.Parts[1].Name) {
			return i, nil
		}
		if s.has(ref.Parts[0].Name) {
			found = append(found, i)
		}
	}
	switch {
	case len(found) == 2 && c.inner:
		return 1, nil
	case len(found) != 1:
		return 0, unsupported("the column %s of %d tables", sql.Format(ref), len(found))
	}
	return found[0], nil
}

// sideColumn resolves a column of a joined row.
func (c *compiler) sideColumn(ref *sql.ColumnRef) (*node, error) {
	side, err := c.sideOf(ref)
	if err != nil {
		return nil, err
	}
	c.touched[side] = true
	n, err := c.sides[side].column(ref)
	if err != nil {
		return nil, err
	}
	return &node{typ: n.typ, eval: func(r *row) (any, error) {
		if r.sides[side] == nil {
			return nil, nil
		}
		return n.eval(r.sides[side])
	}}, nil
}
