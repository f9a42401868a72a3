package plan

import (
	"ubik/internal/op"
	"ubik/internal/sql"
)

// exists returns the EXISTS that a conjunct is, or that it negates; else nil.
func exists(cond sql.Expr) *sql.Exists {
	if u, ok := cond.(*sql.Unary); ok && u.Op == sql.OpNot {
		cond = u.X
	}
	e, _ := cond.(*sql.Exists)
	return e
}

// semiJoin makes of a relation the rows for which EXISTS, or NOT EXISTS, holds.
func (b *builder) semiJoin(left *relation, cond sql.Expr) (*relation, error) {
	e := exists(cond)
	j := &join{kind: op.Semi, at: e, clause: "the WHERE of EXISTS", inner: true}
	if _, not := cond.(*sql.Unary); not {
		j.kind = op.Anti
	}
	sub, ok := e.Query.(*sql.Select)
	if !ok {
		return nil, sql.Errorf(e.Query, "UNION in EXISTS is not supported yet").WithHint("write it as a subquery: EXISTS (SELECT 1 FROM (SELECT … UNION ALL SELECT …) AS u WHERE …)")
	}
	switch s := sub; {
	case s.GroupBy != nil, s.Having != nil:
		return nil, sql.Errorf(s, "GROUP BY and HAVING in EXISTS are not supported yet").WithHint("leave them away if it is only asked whether there is a row")
	case s.Limit != nil, s.Offset != nil:
		return nil, sql.Errorf(s, "LIMIT and OFFSET in EXISTS are not supported yet").WithHint("leave them away: one row is enough for EXISTS")
	case s.From == nil:
		return nil, sql.Errorf(s, "the query of EXISTS has no FROM").WithHint("name the source: FROM %s", b.p.sourceNames())
	}
	if sub.Where == nil {
		j.clause = "EXISTS"
		j.open = true
	}
	inner := &builder{p: b.p, sel: sub, at: b.at.with(sub.With), resolved: b.resolved}
	right, err := inner.relation(sub.From)
	if err != nil {
		return nil, err
	}
	for _, c := range b.p.conjuncts(sub.Where) {
		if exists(c) != nil {
			right, err = inner.semiJoin(right, c)
		} else {
			j.on = append(j.on, c)
		}
		if err != nil {
			return nil, err
		}
	}
	if b.p.idle[cond] {
		b.p.rest(j.on)
	}
	j.list = sub.Items
	return b.join(j, left, right, e, e)
}

// selectOfExists binds the select list of EXISTS, of which nothing is taken.
func (b *builder) selectOfExists(j *join) error {
	for _, it := range j.list {
		if _, star := it.Expr.(*sql.Star); star {
			continue
		}
		if _, err := (&binder{scope: j.onScope(), clause: "the select list of EXISTS"}).bind(it.Expr); err != nil {
			return err
		}
	}
	return nil
}
