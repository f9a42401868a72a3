package naive

import (
	"fmt"
	"strings"

	"ubik/internal/sql"
)

// arm is rows with names: those of its base for which all conditions hold.
type arm struct {
	base   base
	where  []*node
	tables []*table // what FROM names
	out    []column // the select list of a query

	labels map[*reference]string // by what name a joined row's key has the record of a reference
}

// base makes rows: a reference, a join or an aggregate.
type base interface {
	// feed gives the rows that have left by the end of the log to t, and returns the watermark behind which none will come.
	feed(e *evaluation, a *arm, t *taker) (int64, error)
}

// builder makes arms of a syntax tree.
type builder struct {
	Query
	sources []*source
	refs    []*reference // in the order of the text
	joins   []*join
	unnamed int // queries without a name in the FROM in hand
}

func newBuilder(q Query) (*builder, error) {
	b := &builder{Query: q}
	for _, s := range q.Sources {
		cols, err := schema(s.Schema)
		if err != nil {
			return nil, err
		}
		b.sources = append(b.sources, &source{Source: s, index: len(b.sources), schema: cols})
	}
	return b, nil
}

// query makes the arms of a query, whose select lists have the same names and types.
func (b *builder) query(q sql.Query) ([]*arm, error) {
	u, ok := q.(*sql.Union)
	if !ok {
		return b.selection(q.(*sql.Select))
	}
	if !u.All || len(u.OrderBy) > 0 || u.Limit != nil || u.Offset != nil {
		return nil, unsupported("%s", sql.Format(u))
	}
	var arms []*arm
	for _, in := range u.Inputs {
		more, err := b.query(in)
		if err != nil {
			return nil, err
		}
		arms = append(arms, more...)
	}
	for i := range arms[0].out {
		var nodes []*node
		for _, a := range arms {
			if len(a.out) != len(arms[0].out) {
				return nil, unsupported("a UNION ALL of %d and %d columns", len(arms[0].out), len(a.out))
			}
			nodes = append(nodes, a.out[i].node)
		}
		t, err := common(nodes...)
		if err != nil {
			return nil, err
		}
		for _, a := range arms {
			a.out[i].name, a.out[i].node = arms[0].out[i].name, to(a.out[i].node, t)
		}
	}
	return arms, nil
}

// from makes the arms of what FROM holds.
func (b *builder) from(t sql.TableExpr) ([]*arm, error) {
	switch t := t.(type) {
	case *sql.TableName:
		for _, s := range b.sources {
			if len(t.Parts) == 1 && sql.SameName(t.Parts[0].Name, s.Name) {
				ref := &reference{source: s, index: len(b.refs)}
				b.refs = append(b.refs, ref)
				if s.Time != "" {
					n, err := ref.table("", nil).column([]sql.Ident{{Name: s.Time}})
					if err != nil {
						return nil, err
					}
					ref.clock = to(n, timestamp)
				}
				name, renamed := alias(t.Alias, t.Parts[0].Name)
				return []*arm{{base: ref, tables: []*table{ref.table(name, renamed)}, labels: map[*reference]string{ref: name}}}, nil
			}
		}
	case *sql.SubqueryTable:
		outside := b.unnamed
		arms, err := b.query(t.Query)
		if err != nil {
			return nil, err
		}
		b.unnamed = outside
		name, renamed := alias(t.Alias, "unnamed_subquery")
		if t.Alias == nil {
			if b.unnamed++; b.unnamed > 1 {
				name += fmt.Sprint(b.unnamed)
			}
		}
		for i, a := range arms {
			label := name
			if len(arms) > 1 {
				label = fmt.Sprintf("%s.%d", name, i+1)
			}
			_, alone := a.base.(*reference)
			inside := a.labels
			a.labels = map[*reference]string{}
			for ref, old := range inside {
				if a.labels[ref] = label; !alone {
					a.labels[ref] = label + "." + old
				}
			}
			a.tables, a.out = []*table{queryTable(name, renamed, a.out)}, nil
		}
		return arms, nil
	case *sql.Join:
		left, err := b.from(t.Left)
		if err != nil {
			return nil, err
		}
		right, err := b.from(t.Right)
		if err != nil {
			return nil, err
		}
		return b.join(t.Kind, left, right, conjuncts(t.On), t.Using)
	}
	return nil, unsupported("this FROM")
}

func alias(a *sql.TableAlias, name string) (string, []sql.Ident) {
	if a == nil {
		return name, nil
	}
	return a.Name.Name, a.Columns
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

// selection makes the arms of a SELECT. WHERE without its EXISTS comes first, then these in their order.
func (b *builder) selection(sel *sql.Select) ([]*arm, error) {
	if sel.Distinct || len(sel.OrderBy) > 0 || sel.Limit != nil || sel.Offset != nil {
		return nil, unsupported("%s", sql.Format(sel))
	}
	b.unnamed = 0
	arms, err := b.from(sel.From)
	if err != nil {
		return nil, err
	}
	var exists []sql.Expr
	terms := conjuncts(sel.Where)
	idle := map[sql.Expr]bool{}
	for i, e := range terms {
		idle[e] = i >= decided(terms)
		if _, _, ok := existence(e); ok {
			exists = append(exists, e)
			continue
		}
		for _, a := range arms {
			n, err := b.condition(&compiler{tables: a.tables}, e)
			if err != nil {
				return nil, err
			}
			if !idle[e] {
				a.filter(n)
			}
		}
	}
	for _, e := range exists {
		kind, ex, _ := existence(e)
		if arms, err = b.exists(kind, ex, arms, idle[e]); err != nil {
			return nil, err
		}
	}
	b.settle()
	items := itemsOf(sel, &compiler{tables: arms[0].tables})
	groups := sel.GroupBy != nil || sel.Having != nil
	for _, it := range items {
		groups = groups || hasAggregate(it.expr)
	}
	if groups {
		return b.aggregate(sel, items, arms)
	}
	for _, a := range arms {
		if a.out, err = b.columns(&compiler{tables: a.tables}, items); err != nil {
			return nil, err
		}
	}
	return arms, nil
}

// itemsOf is the select list, with * written out and names for all.
func itemsOf(sel *sql.Select, c *compiler) []item {
	var items []item
	for i := range sel.Items {
		it := &sel.Items[i]
		if star, ok := it.Expr.(*sql.Star); ok {
			items = append(items, c.star(star)...)
			continue
		}
		name := c.nameOf(it.Expr)
		if it.Alias != nil {
			name = it.Alias.Name
		}
		items = append(items, item{it.Expr, name})
	}
	return items
}

// star writes * out: the columns of all tables, those of USING once.
func (c *compiler) star(star *sql.Star) []item {
	var items []item
	given := map[*table]map[string]bool{} // of USING: what is written
	for i, t := range c.tables {
		if t.hides > 0 {
			given[t] = map[string]bool{}
			continue
		}
		if len(star.Table) > 0 && !sql.SameName(star.Table[0].Name, t.name) {
			continue
		}
		for _, name := range t.columns {
			ref := &sql.ColumnRef{Parts: []sql.Ident{{Name: name}}}
			bare, again := t.name == "", false
			for j, over := range c.tables[:i] {
				if len(star.Table) == 0 && i <= j+over.hides && over.has(name) {
					bare, again = true, again || given[over][sql.FoldName(name)]
					given[over][sql.FoldName(name)] = true
				}
			}
			if !bare {
				ref.Parts = append([]sql.Ident{{Name: t.name}}, ref.Parts...)
			}
			if !again {
				items = append(items, item{ref, name})
			}
		}
	}
	return items
}

// columns compiles a select list. What of the joins below a column needs they are told when it is used.
func (b *builder) columns(c *compiler, items []item) ([]column, error) {
	var out []column
	for _, it := range items {
		n, err := c.expr(it.expr)
		if err != nil {
			return nil, err
		}
		var named [][2][]*node // by join
		for _, j := range b.joins {
			named = append(named, j.named)
			j.named = [2][]*node{}
		}
		out = append(out, column{it.name, n, func() {
			for i, sides := range named {
				for side, nodes := range sides {
					b.joins[i].named[side] = append(b.joins[i].named[side], nodes...)
				}
			}
		}})
	}
	return out, nil
}

// condition compiles a term of ON or WHERE, so that each join knows which of its sides the term names.
func (b *builder) condition(c *compiler, e sql.Expr) (*node, error) {
	b.settle()
	return c.boolean(e)
}

// settle closes what was compiled last.
func (b *builder) settle() {
	for _, j := range b.joins {
		for side := range j.own {
			j.own[side] = append(j.own[side], j.named[side]...)
			j.named[side] = nil
		}
	}
}

// filter adds a condition on the rows of an arm, just compiled. Where a join makes them and a row that the condition
// removes leaves no other trace than its own, it goes to the side that it names alone.
func (a *arm) filter(n *node) {
	if j, ok := a.base.(*join); ok {
		if j.empty {
			return
		}
		inner := j.kind == sql.InnerJoin || j.kind == sql.CrossJoin
		half := j.kind == sql.SemiJoin || j.kind == sql.AntiJoin
		if j.push(n, [2]bool{inner || half || j.kind == sql.LeftJoin, inner || j.kind == sql.RightJoin}) {
			return
		}
	}
	a.where = append(a.where, n)
}

// object is one JSON object of names and values.
func object(names []string, values []string) string {
	var members []string
	for i := range names {
		members = append(members, quote(names[i])+":"+values[i])
	}
	return "{" + strings.Join(members, ",") + "}"
}
