package plan

import (
	"ubik/internal/op"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

var joinKinds = map[sql.JoinKind]op.JoinKind{
	sql.InnerJoin: op.Inner, sql.CrossJoin: op.Inner, sql.LeftJoin: op.Left, sql.RightJoin: op.Right,
	sql.FullJoin: op.Full, sql.SemiJoin: op.Semi, sql.AntiJoin: op.Anti,
}

// fromJoin finds the sources of a join in FROM.
func (b *builder) fromJoin(f *sql.Join) error {
	for _, t := range []sql.TableExpr{f.Left, f.Right} {
		if inner, ok := t.(*sql.Join); ok {
			return threeSources(inner)
		}
	}
	j := &join{b: b, kind: joinKinds[f.Kind], using: f.Using, at: f, clause: "ON", where: conjuncts(b.sel.Where, false)}
	switch {
	case f.On != nil:
		j.on = conjuncts(f.On, false)
	case f.Using != nil && j.kind != op.Inner:
		j.clause = "JOIN … ON, in place of USING"
	default:
		j.clause = "WHERE"
	}
	if err := b.tables(j, f.Left, f.Right); err != nil {
		return err
	}
	for _, id := range f.Using {
		for i := range j.sides {
			if _, ok := j.sides[i].find(id.Name); !ok {
				return j.sides[i].unknown(id)
			}
		}
		j.on = append(j.on, &sql.Binary{Span: id.Span, Op: sql.OpEq, L: j.ref(0, id), R: j.ref(1, id), OpSpan: id.Span})
	}
	return nil
}

// fromExists makes a join of a query over one source whose WHERE asks for rows of another.
func (b *builder) fromExists(cond sql.Expr, where []sql.Expr) error {
	e := exists(cond)
	j := &join{b: b, kind: op.Semi, at: e, clause: "the WHERE of EXISTS", inner: true}
	if _, not := cond.(*sql.Unary); not {
		j.kind = op.Anti
	}
	for _, w := range where {
		if w != cond {
			j.where = append(j.where, w)
		}
	}
	sub, ok := e.Query.(*sql.Select)
	if !ok {
		return sql.Errorf(e.Query, "UNION in EXISTS is not supported yet").WithHint("write EXISTS (…) OR EXISTS (…) as two queries")
	}
	switch s := sub; {
	case s.GroupBy != nil, s.Having != nil:
		return sql.Errorf(s, "GROUP BY and HAVING in EXISTS are not supported yet").WithHint("leave them away if it is only asked whether there is a row")
	case s.Limit != nil, s.Offset != nil:
		return sql.Errorf(s, "LIMIT and OFFSET in EXISTS are not supported yet").WithHint("leave them away: one row is enough for EXISTS")
	case s.From == nil:
		return sql.Errorf(s, "the query of EXISTS has no FROM").WithHint("name the source: FROM %s", b.sourceNames())
	}
	if inner, ok := sub.From.(*sql.Join); ok {
		return threeSources(inner)
	}
	j.on = conjuncts(sub.Where, false)
	if err := b.tables(j, b.sel.From, sub.From); err != nil {
		return err
	}
	for _, it := range sub.Items {
		if _, star := it.Expr.(*sql.Star); star {
			continue
		}
		if _, err := j.bind(it.Expr, joinNames{j: j, see: bothSides, inner: true}, "the select list of EXISTS"); err != nil {
			return err
		}
	}
	return nil
}

// tables finds the two sources of a join.
func (b *builder) tables(j *join, left, right sql.TableExpr) error {
	b.plan.Inputs = make([]Input, 2)
	for i, t := range []sql.TableExpr{left, right} {
		src, alias, err := b.table(t)
		if err != nil {
			return err
		}
		b.plan.Sources = append(b.plan.Sources, src)
		b.plan.Aliases = append(b.plan.Aliases, alias)
		b.plan.Inputs[i].Source = i
	}
	for i := range j.sides {
		j.sides[i] = scope{src: &b.plan.Sources[i], alias: b.plan.Aliases[i], in: &b.plan.Inputs[i]}
		j.sides[i].in.Delay = delayOf(j.sides[i].src)
	}
	b.join = j
	for _, w := range append(append([]sql.Expr{}, j.where...), j.on...) {
		if e := exists(w); e != nil {
			return threeSources(e)
		}
	}
	l, r := &j.sides[0], &j.sides[1]
	switch {
	case sql.SameName(l.src.Name, r.src.Name):
		return sql.Errorf(j.at, "a join of a source with itself is not supported yet").WithHint("join %s with another source", sql.QuoteName(l.src.Name))
	case sql.SameName(l.alias, r.alias):
		return sql.Errorf(j.at, "two sources are named %s in this query", j.alias(0)).WithHint("give one of them another name: %s AS b", sql.QuoteName(r.src.Name))
	}
	return b.unused(j.at)
}

func threeSources(at sql.Node) error {
	return sql.Errorf(at, "a join of more than two sources is not supported yet").WithHint("write the rows of the first join to a topic and join that with a second query")
}

// conjuncts takes a condition apart into those that must all be TRUE. With not they are those of its negation: NOT goes
// inwards, past AND, OR and comparisons.
func conjuncts(e sql.Expr, not bool) []sql.Expr {
	switch e := e.(type) {
	case nil:
		return nil
	case *sql.Logic:
		if (e.Op == sql.OpAnd) == not {
			break
		}
		var out []sql.Expr
		for _, t := range e.Terms {
			out = append(out, conjuncts(t, not)...)
		}
		return out
	case *sql.Unary:
		if e.Op == sql.OpNot {
			return conjuncts(e.X, !not)
		}
	case *sql.Binary:
		if opposite, ok := opposites[e.Op]; ok && not {
			c := *e
			c.Op = opposite
			return []sql.Expr{&c}
		}
	case *sql.Between:
		if not {
			c := *e
			c.Not = !e.Not
			return []sql.Expr{&c}
		}
	}
	if not {
		return []sql.Expr{&sql.Unary{Span: e.(sql.Node).At(), Op: sql.OpNot, X: e}}
	}
	return []sql.Expr{e}
}

// opposites are the comparisons that are TRUE where others are FALSE, and NULL where they are.
var opposites = map[sql.BinaryOp]sql.BinaryOp{
	sql.OpEq: sql.OpNe, sql.OpNe: sql.OpEq, sql.OpLt: sql.OpGe, sql.OpGe: sql.OpLt, sql.OpGt: sql.OpLe, sql.OpLe: sql.OpGt,
	sql.OpDistinct: sql.OpNotDistinct, sql.OpNotDistinct: sql.OpDistinct,
}

// exists returns the EXISTS that a conjunct is, or that it negates; else nil.
func exists(cond sql.Expr) *sql.Exists {
	if u, ok := cond.(*sql.Unary); ok && u.Op == sql.OpNot {
		cond = u.X
	}
	e, _ := cond.(*sql.Exists)
	return e
}

// star is what * and t.* stand for: columns of the sources that can be named, those of USING once.
func (j *join) star(s *sql.Star) ([]item, error) {
	only := -1
	if len(s.Table) > 0 {
		name := s.Table[len(s.Table)-1]
		for i := range j.sides {
			if len(s.Table) == 1 && j.visible()&(1<<i) != 0 && sql.SameName(name.Name, j.sides[i].alias) {
				only = i
			}
		}
		if only < 0 {
			for i := range j.sides {
				if len(s.Table) == 1 && sql.SameName(name.Name, j.sides[i].alias) {
					return nil, j.hidden(s, i)
				}
			}
			return nil, sql.Errorf(s, "there is no source named %s here", sql.QuoteName(name.Name))
		}
	}
	var out []item
	for i := range j.sides {
		if only >= 0 && i != only || j.visible()&(1<<i) == 0 {
			continue
		}
		for _, f := range j.sides[i].src.Schema {
			id := sql.Ident{Span: s.Span, Name: f.Name, Quoted: true}
			ref := j.ref(i, id)
			if only < 0 && j.isUsing(id) && j.visible() == bothSides {
				if i == 1 {
					continue
				}
				ref = &sql.ColumnRef{Span: s.Span, Parts: []sql.Ident{id}}
			}
			out = append(out, item{ref, f.Name, s})
		}
	}
	return out, nil
}

// declared returns the declared spelling of a column named as in ref.
func (j *join) declared(ref *sql.ColumnRef) (string, bool) {
	for i := range j.sides {
		if name, ok := j.sides[i].declared(ref); ok {
			return name, true
		}
	}
	return "", false
}

// keyGuess is the column that a join is likely about: the first that both sources have, with the same type.
func (j *join) keyGuess() string {
	for _, f := range j.sides[0].src.Schema {
		if g, ok := j.sides[1].find(f.Name); ok && g.Type.Equal(f.Type) && !isInstant(f.Type) && f.Type.Kind != vec.Struct {
			return f.Name
		}
	}
	return "key"
}
