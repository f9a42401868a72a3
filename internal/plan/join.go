package plan

import (
	"fmt"
	"strings"

	"ubik/internal/expr"
	"ubik/internal/op"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// join is what a query that reads two sources is made of.
type join struct {
	b      *builder
	kind   op.JoinKind
	sides  [2]scope // left and right, in the order of FROM
	using  []sql.Ident
	at     sql.Node
	clause string     // where its condition stands, for messages
	inner  bool       // the condition is that of EXISTS
	on     []sql.Expr // the condition's conjuncts
	where  []sql.Expr // those of WHERE, EXISTS not among them

	node  *op.BandJoin
	keys  [2][]expr.Expr
	push  [2][]expr.Expr // what a source's rows must satisfy before they are joined
	pair  []expr.Expr    // what a pair must satisfy beside its keys and its band
	after []expr.Expr    // what a joined row must satisfy
}

// visible are the sources that the select list and WHERE can name.
func (j *join) visible() sides {
	if j.kind == op.Semi || j.kind == op.Anti {
		return leftSide
	}
	return bothSides
}

// plan plans the query once its sources are known.
func (j *join) plan() error {
	b := j.b
	if err := b.selectList(); err != nil {
		return err
	}
	j.sides[0].items, j.sides[1].items = b.items, b.items
	if b.aggregates() {
		return sql.Errorf(b.sel, "an aggregate over a join is not supported yet").WithHint("write the join's rows to a topic and aggregate that with a second query")
	}
	if h := b.sel.Having; h != nil {
		return sql.Errorf(h, "HAVING needs GROUP BY or an aggregate").WithHint("use WHERE")
	}
	j.node = &op.BandJoin{Kind: j.kind}
	if err := j.conditions(); err != nil {
		return err
	}
	if len(j.keys[0]) == 0 {
		name := j.keyGuess()
		return sql.Errorf(j.at, "the join of %s and %s has no equality of a column of each", j.alias(0), j.alias(1)).
			WithHint("add to %s: AND %s = %s", j.clause, j.qualify(0, name), j.qualify(1, name))
	}
	for _, it := range b.items {
		e, err := j.bind(it.expr, joinNames{j: j, see: j.visible()}, "the select list")
		if err != nil {
			return err
		}
		if e, err = writable(it.expr, e); err != nil {
			return err
		}
		j.node.Select = append(j.node.Select, e)
		b.plan.Output = append(b.plan.Output, vec.Field{Name: it.name, Type: e.Type()})
	}
	if err := b.distinctNames(); err != nil {
		return err
	}
	if err := j.key(); err != nil {
		return err
	}
	if err := j.assemble(); err != nil {
		return err
	}
	b.plan.Root = j.node
	return nil
}

func (j *join) bind(e sql.Expr, n joinNames, clause string) (expr.Expr, error) {
	return (&binder{scope: n, clause: clause}).bind(e)
}

// conditions sorts the conjuncts of ON and WHERE: the band, keys, and what else there is by where SQL has it apply.
func (j *join) conditions() error {
	on := joinNames{j: j, see: bothSides, inner: j.inner}
	conds := append([]sql.Expr{}, j.on...)
	if j.kind == op.Inner {
		conds = append(conds, j.where...)
		j.where = nil
	}
	b := &binder{scope: on, clause: j.clause}
	search := &bandSearch{j: j}
	for i, c := range conds {
		clause := j.clause
		if i >= len(j.on) {
			clause = "WHERE"
		}
		if _, err := (&binder{scope: on, clause: clause}).condition(c); err != nil {
			return err
		}
		if err := search.add(b, c); err != nil {
			return err
		}
	}
	pair, lo, hi, rest, err := search.choose()
	if err != nil {
		return err
	}
	j.node.Lo, j.node.Hi = lo, hi
	for i := range j.sides {
		t, err := expr.NewCast(pair.x[i], vec.TypeOf(vec.Timestamp), false)
		if pair.x[i].Type().Kind == vec.Timestamp {
			t, err = pair.x[i], nil
		}
		if err != nil {
			return sql.Errorf(pair.at[i], "%s", err)
		}
		in := j.sides[i].in
		in.Time, in.TimeName, in.Strict = t, sql.Format(pair.at[i]), true
	}
	for _, c := range rest {
		if isKey, err := j.equality(b, c); err != nil || isKey {
			if err != nil {
				return err
			}
			continue
		}
		x, err := b.condition(c)
		if err != nil {
			return err
		}
		j.place(x)
	}
	w := &binder{scope: joinNames{j: j, see: j.visible()}, clause: "WHERE"}
	for _, c := range j.where {
		x, err := w.condition(c)
		if err != nil {
			return err
		}
		j.placeWhere(x)
	}
	return nil
}

// condition binds a BOOLEAN expression.
func (b *binder) condition(e sql.Expr) (expr.Expr, error) {
	x, err := b.bind(e)
	if err != nil {
		return nil, err
	}
	return asCondition(e, x, b.clause)
}

// equality takes a condition as a key if it is an equality of one value of each source.
func (j *join) equality(b *binder, c sql.Expr) (bool, error) {
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
	if sidesOf(l) == rightSide {
		l, r = r, l
	}
	if sidesOf(l) != leftSide || sidesOf(r) != rightSide {
		return false, nil
	}
	t, err := expr.CommonType(l, r)
	if err != nil {
		return false, sql.Errorf(e, "%s", err)
	}
	if t.Kind == vec.Interval {
		return false, nil // equal values have several spellings
	}
	key := [2]expr.Expr{l, r}
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

// place puts a condition of the join where it applies: before the join if it is of one source and rows that fail it
// leave no trace, else to the pair.
func (j *join) place(x expr.Expr) {
	s := sidesOf(x)
	switch {
	case s == leftSide && (j.kind == op.Inner || j.kind == op.Right || j.kind == op.Semi):
		j.push[0] = append(j.push[0], x)
	case s == rightSide && j.kind != op.Right && j.kind != op.Full:
		j.push[1] = append(j.push[1], x)
	default:
		j.pair = append(j.pair, x)
	}
}

// placeWhere does so with a condition of WHERE, which an inner join takes for its own: it applies to joined rows, and
// before the join if it is of the source whose rows always leave.
func (j *join) placeWhere(x expr.Expr) {
	s := sidesOf(x)
	switch {
	case j.kind == op.Semi || j.kind == op.Anti, s == leftSide && j.kind == op.Left:
		j.push[0] = append(j.push[0], x)
	case s == rightSide && j.kind == op.Right:
		j.push[1] = append(j.push[1], x)
	default:
		j.after = append(j.after, x)
	}
}

// key plans --key, which must tell all joined rows apart.
func (j *join) key() error {
	b := j.b
	if b.req.Key == nil {
		return nil
	}
	cols, err := b.keyColumns()
	if err != nil {
		return err
	}
	var named [2]map[Pseudo]bool
	for i := range named {
		named[i] = map[Pseudo]bool{}
	}
	for _, c := range cols {
		b.plan.Key = append(b.plan.Key, b.plan.Output[c])
		x := j.node.Select[c]
		j.node.OutKey = append(j.node.OutKey, x)
		if col, ok := x.(*expr.Column); ok && col.Index%sideBase >= pseudoBase {
			side := sideOf(col)
			named[side][j.sides[side].in.Pseudo[col.Index%sideBase-pseudoBase]] = true
		}
	}
	var needed []string
	told := true
	for i := range j.sides {
		if j.visible()&(1<<i) == 0 {
			continue
		}
		partition := PseudoPartition
		if j.sides[i].src.File {
			partition = PseudoTopic // the path; files have no numbers
		}
		needed = append(needed, j.qualify(i, pseudoNames[partition]), j.qualify(i, pseudoNames[PseudoOffset]))
		told = told && named[i][partition] && named[i][PseudoOffset]
	}
	if !told {
		return fmt.Errorf("--key %s: two rows could have the same key, so the result would depend on the order of writing; a join is keyed by the positions of its records (leave --key away, or name %s among the columns)",
			strings.Join(b.req.Key, ","), strings.Join(needed, ", "))
	}
	return nil
}
