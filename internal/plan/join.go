package plan

import (
	"ubik/internal/expr"
	"ubik/internal/op"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// join is a join in the making: the relations that it reads, and what of its conditions is key, band and the rest.
type join struct {
	b      *builder
	rel    *relation    // its rows
	sides  [2]*relation // left and right, in the order of the text
	kind   op.JoinKind
	using  []sql.Ident
	at     sql.Node
	clause string           // where its condition stands, for messages
	open   bool             // that clause is not written
	inner  bool             // it is EXISTS
	list   []sql.SelectItem // of EXISTS
	on     []sql.Expr       // the condition's conjuncts

	// Over the join's columns:
	keys   [2][]expr.Expr
	unfit  *sql.Binary  // the first equality that is no key, of INTERVALs
	time   [2]expr.Expr // TIMESTAMP: what the band compares
	timeAt [2]sql.Expr
	lo, hi vec.Time
	pair   []expr.Expr // what a pair must satisfy beside its keys and its band
}

func (j *join) onScope() *scope { return &scope{b: j.b, rel: j.rel, on: true, inner: j.inner} }

// conditions sorts the conjuncts of ON, and of the WHERE behind the join: the band, keys, and what else there is by where
// SQL has it apply. It does so for the joins below, too, which get those of WHERE that are theirs.
func (j *join) conditions(where []sql.Expr) error {
	for _, id := range j.using {
		both, err := j.usingRefs(id)
		if err != nil {
			return err
		}
		j.on = append(j.on, &sql.Binary{Span: id.Span, Op: sql.OpEq, L: both[0], R: both[1], OpSpan: id.Span})
	}
	if j.kind == op.Inner || j.kind == op.Semi && !j.inner {
		for _, c := range j.on {
			if never(c) { // then no row comes to WHERE
				j.b.p.rest(where)
			}
		}
	}
	where, err := j.sink(where)
	if err != nil {
		return err
	}
	if err := j.b.selectOfExists(j); err != nil {
		return err
	}
	conds := append([]sql.Expr{}, j.on...)
	if j.kind == op.Inner {
		conds, where = append(conds, where...), nil
	}
	b := &binder{scope: j.onScope(), clause: j.clause}
	search := &bandSearch{j: j}
	for i, c := range conds {
		clause := j.clause
		if i >= len(j.on) {
			clause = "WHERE"
		}
		if _, err := (&binder{scope: j.onScope(), clause: clause}).condition(c); err != nil {
			return err
		}
		if err := search.add(b, c); err != nil {
			return err
		}
	}
	pair, err := search.choose()
	if err != nil {
		return err
	}
	rest, err := search.take(pair)
	if err != nil {
		return err
	}
	for _, l := range rest {
		if isKey, err := j.equality(b, l.cond, l.idle); err != nil || isKey {
			if err != nil {
				return err
			}
			continue
		}
		x, err := b.condition(l.cond)
		if err != nil {
			return err
		}
		if !l.idle {
			j.place(x)
		}
	}
	w := &binder{scope: &scope{b: j.b, rel: j.rel}, clause: "WHERE"}
	for _, c := range where {
		x, err := w.condition(c)
		if err != nil {
			return err
		}
		if !j.b.p.idle[c] {
			j.placeWhere(x)
		}
	}
	if len(j.keys[0]) == 0 {
		return j.keyless(search, pair)
	}
	return nil
}

// advice says where a condition that is missing is to be written.
func (j *join) advice(condition string) string {
	switch {
	case j.open && j.inner:
		return "add to EXISTS: WHERE " + condition
	case j.open:
		return "add: WHERE " + condition
	}
	return "add to " + j.clause + ": AND " + condition
}

// sink has the joins below apply their conditions and those of WHERE that are of one of them alone, and returns the
// others.
func (j *join) sink(where []sql.Expr) (others []sql.Expr, err error) {
	var below [2][]sql.Expr
	takes := [2]bool{
		j.sides[0].join != nil && j.kind != op.Right && j.kind != op.Full,
		j.sides[1].join != nil && (j.kind == op.Inner || j.kind == op.Right),
	}
	if j.sides[0].join == nil && j.sides[1].join == nil {
		return where, nil
	}
	w := &binder{scope: &scope{b: j.b, rel: j.rel}, clause: "WHERE"}
	for _, c := range where {
		x, err := w.condition(c)
		if err != nil {
			return nil, err
		}
		switch s := j.sidesOf(x); {
		case s == leftSide && takes[0]:
			below[0] = append(below[0], c)
		case s == rightSide && takes[1]:
			below[1] = append(below[1], c)
		default:
			others = append(others, c)
		}
	}
	if j.inner && j.sides[1].join != nil { // the WHERE of EXISTS is one of the joins in its FROM
		on := j.on
		j.on = nil
		b := &binder{scope: j.onScope(), clause: j.clause}
		for _, c := range on {
			x, err := b.condition(c)
			if err != nil {
				return nil, err
			}
			if j.sidesOf(x) == rightSide {
				below[1] = append(below[1], c)
			} else {
				j.on = append(j.on, c)
			}
		}
	}
	for i, s := range j.sides {
		if s.join != nil {
			if err := s.join.conditions(below[i]); err != nil {
				return nil, err
			}
		}
	}
	return others, nil
}

// usingRefs names the two columns that USING makes one.
func (j *join) usingRefs(id sql.Ident) (refs [2]*sql.ColumnRef, err error) {
	both, err := j.b.usingSides(j, id)
	for i := range refs {
		refs[i] = &sql.ColumnRef{Span: id.Span, Parts: []sql.Ident{id}}
		for _, t := range j.sides[i].shown(false) {
			if t.has(id.Name, true) {
				refs[i] = t.ref(id)
				break
			}
		}
		j.b.resolved[refs[i]] = func() (expr.Expr, error) { return both[i], nil }
	}
	return refs, err
}

// equality takes a condition as a key if it is an equality of one value of each side. Of one that is idle the key is NULL,
// which has no partner, as no row has then.
func (j *join) equality(b *binder, c sql.Expr, idle bool) (bool, error) {
	e, ok := c.(*sql.Binary)
	if !ok || e.Op != sql.OpEq {
		return false, nil
	}
	l, err := b.bind(e.L)
	if err != nil {
		return false, err
	}
	r, err := b.bind(e.R)
	if err != nil {
		return false, err
	}
	if j.sidesOf(l) == rightSide {
		l, r = r, l
	}
	if j.sidesOf(l) != leftSide || j.sidesOf(r) != rightSide {
		return false, nil
	}
	t, err := expr.CommonType(l, r)
	if err != nil {
		return false, sql.Errorf(e, "%s", err)
	}
	if t.Kind == vec.Interval {
		if j.unfit == nil {
			j.unfit = e
		}
		return false, nil // equal values have several spellings
	}
	key := [2]expr.Expr{l, r}
	if idle {
		key[0], key[1] = expr.NewTypedNull(t), expr.NewTypedNull(t)
	}
	for i, x := range key {
		if !x.Type().Equal(t) {
			if key[i], err = expr.NewCast(x, t, false); err != nil {
				return false, sql.Errorf(e, "%s", err)
			}
		}
	}
	for i := range j.keys[0] {
		if expr.Equal(j.keys[0][i], key[0]) && expr.Equal(j.keys[1][i], key[1]) {
			return true, nil
		}
	}
	j.keys[0], j.keys[1] = append(j.keys[0], key[0]), append(j.keys[1], key[1])
	return true, nil
}

// place puts a condition of the join where it applies: before the join if it is of one side and rows that fail it leave
// no trace, else to the pair.
func (j *join) place(x expr.Expr) {
	s := j.sidesOf(x)
	switch {
	case s == leftSide && (j.kind == op.Inner || j.kind == op.Right || j.kind == op.Semi):
		j.before(0, x)
	case s == rightSide && j.kind != op.Right && j.kind != op.Full:
		j.before(1, x)
	default:
		j.pair = append(j.pair, x)
	}
}

// placeWhere does so with a condition of WHERE, which applies to joined rows.
func (j *join) placeWhere(x expr.Expr) { j.rel.arms[0].restrict(x) }

// before has a condition apply to the rows of a side.
func (j *join) before(side int, x expr.Expr) {
	x = j.own(side, x)
	for _, a := range j.sides[side].arms {
		a.restrict(a.over(x))
	}
}

// restrict has a condition over the base's columns apply to the rows of the arm: of a join before it, if the condition is
// of one side alone and rows that fail it leave no other trace. One of no column is of the rows for which EXISTS is asked.
func (a *arm) restrict(x expr.Expr) {
	if a.op != nil && a.op.join != nil {
		j := a.op.join
		switch s := j.sidesOf(x); {
		case s == leftSide && j.kind != op.Right && j.kind != op.Full, s == 0 && j.inner:
			j.before(0, x)
			return
		case s == rightSide && (j.kind == op.Inner || j.kind == op.Right):
			j.before(1, x)
			return
		}
	}
	a.where = append(a.where, x)
}
