package plan

import (
	"ubik/internal/expr"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// bindInput binds an expression over the rows of FROM.
func (b *builder) bindInput(e sql.Expr, clause string) (expr.Expr, error) {
	return (&binder{scope: &scope{b: b, rel: b.rel}, clause: clause}).bind(e)
}

// condition binds a BOOLEAN expression over the rows of FROM.
func (b *builder) condition(e sql.Expr, clause string) (expr.Expr, error) {
	return (&binder{scope: &scope{b: b, rel: b.rel}, clause: clause}).condition(e)
}

// condition binds a BOOLEAN expression.
func (b *binder) condition(e sql.Expr) (expr.Expr, error) {
	x, err := b.bind(e)
	if err != nil {
		return nil, err
	}
	return asCondition(e, x, b.clause)
}

func asCondition(at sql.Node, x expr.Expr, clause string) (expr.Expr, error) {
	switch x.Type().Kind {
	case vec.Bool:
		return x, nil
	case vec.Null:
		return expr.NewTypedNull(vec.TypeOf(vec.Bool)), nil
	}
	return nil, sql.Errorf(at, "%s needs a BOOLEAN, this is %s", clause, x.Type()).WithHint("compare it with something")
}

// selectList expands * and names the output columns.
func (b *builder) selectList() error {
	for i := range b.sel.Items {
		it := &b.sel.Items[i]
		if star, ok := it.Expr.(*sql.Star); ok {
			if err := b.star(star); err != nil {
				return err
			}
			continue
		}
		name := b.outputName(it.Expr)
		if it.Alias != nil {
			name = it.Alias.Name
		}
		b.items = append(b.items, item{it.Expr, name, it})
	}
	return nil
}

// star adds what * and t.* stand for: the columns of the tables that can be named, those of USING once.
func (b *builder) star(s *sql.Star) error {
	if len(s.Table) == 0 {
		b.starOf(b.rel, s, asIs, nil)
		return nil
	}
	name := s.Table[len(s.Table)-1]
	for _, t := range b.rel.shown(false) {
		if len(s.Table) == 1 && sql.SameName(name.Name, t.alias) {
			b.starTable(b.rel, t, s, asIs, nil)
			return nil
		}
	}
	for _, h := range b.rel.hidden {
		if len(s.Table) == 1 && sql.SameName(name.Name, h.table.alias) {
			return h.refuse(s)
		}
	}
	return sql.Errorf(s, "there is no source named %s here", sql.QuoteName(name.Name))
}

func asIs(x expr.Expr) expr.Expr { return x }

// starOf adds the columns of a relation, lifted by up to that of FROM, but for those named in without, which USING has
// already given.
func (b *builder) starOf(r *relation, s *sql.Star, up func(x expr.Expr) expr.Expr, without []sql.Ident) {
	j := r.join
	if j == nil {
		b.starTable(r, r.tables[0], s, up, without)
		return
	}
	side := func(i int, without []sql.Ident) {
		b.starOf(j.sides[i], s, func(x expr.Expr) expr.Expr { return up(r.lift(i, x)) }, without)
	}
	first := len(b.items)
	side(0, without)
	if j.visible() == leftSide {
		return
	}
	for _, id := range j.using {
		for _, it := range b.items[first:] {
			if sql.SameName(it.name, id.Name) {
				b.resolved[it.expr.(*sql.ColumnRef)] = func() (expr.Expr, error) {
					x, err := b.usingColumn(j, id)
					if err != nil {
						return nil, err
					}
					return up(x), nil
				}
			}
		}
	}
	side(1, append(append([]sql.Ident{}, without...), j.using...))
}

// starTable adds the columns of a table. The names that stand for them are not looked up again, where columns that USING
// made one would be ambiguous.
func (b *builder) starTable(r *relation, t *table, s *sql.Star, up func(x expr.Expr) expr.Expr, without []sql.Ident) {
	for _, f := range t.fields {
		id := sql.Ident{Span: s.Span, Name: f.Name, Quoted: true}
		if hasName(without, id) || f.Type.Kind == vec.Null { // known by name only
			continue
		}
		ref := &sql.ColumnRef{Span: s.Span, Parts: []sql.Ident{id}}
		parts := ref.Parts
		if b.rel.join != nil {
			ref = t.ref(id)
		}
		b.resolved[ref] = func() (expr.Expr, error) {
			x, err := b.named(r, t, parts, ref)
			if err != nil {
				return nil, err
			}
			return up(x), nil
		}
		b.items = append(b.items, item{ref, f.Name, s})
	}
}

func hasName(ids []sql.Ident, id sql.Ident) bool {
	for _, have := range ids {
		if sql.SameName(have.Name, id.Name) {
			return true
		}
	}
	return false
}

// rowByRow plans a query without aggregates: the arms of FROM with other columns.
func (b *builder) rowByRow() (*rows, error) {
	if h := b.sel.Having; h != nil {
		return nil, sql.Errorf(h, "HAVING needs GROUP BY or an aggregate").WithHint("use WHERE")
	}
	out := &rows{}
	var cols []expr.Expr
	for _, it := range b.items {
		e, err := b.bindInput(it.expr, "the select list")
		if err != nil {
			return nil, err
		}
		cols = append(cols, e)
		out.add(it, e)
	}
	for _, a := range b.rel.arms {
		n := &arm{ref: a.ref, op: a.op, where: a.where}
		for i, e := range cols {
			x := a.over(e)
			if x != e && tooLarge(x) {
				return nil, sql.Errorf(b.items[i].at, "with the columns of the subqueries written out, this has more than %d operations", operationsMost)
			}
			n.cols = append(n.cols, x)
		}
		out.arms = append(out.arms, n)
	}
	return out, nil
}

func (r *rows) add(it item, e expr.Expr) {
	r.fields = append(r.fields, vec.Field{Name: it.name, Type: e.Type()})
	r.at = append(r.at, it.at)
}

// writable makes columns of untyped NULLs VARCHAR.
func (r *rows) writable() {
	for i := range r.fields {
		if r.fields[i].Type.Kind != vec.Null {
			continue
		}
		r.fields[i].Type = vec.TypeOf(vec.Varchar)
		for _, a := range r.arms {
			a.cols[i] = expr.NewTypedNull(r.fields[i].Type)
		}
	}
}

// operationsMost bounds what an expression can grow to when subqueries that double it are nested.
const operationsMost = 100_000

func tooLarge(e expr.Expr) bool {
	n := 0
	expr.Walk(e, func(expr.Expr) bool { n++; return n <= operationsMost })
	return n > operationsMost
}
