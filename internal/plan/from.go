package plan

import (
	"fmt"
	"strings"

	"ubik/internal/op"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// from finds what the SELECT reads: FROM, and the tables that EXISTS asks for.
func (b *builder) from() error {
	var err error
	if b.rel, err = b.relation(b.sel.From); err != nil {
		return err
	}
	for _, c := range b.p.conjuncts(b.sel.Where) {
		if exists(c) == nil {
			continue
		}
		if b.rel, err = b.semiJoin(b.rel, c); err != nil {
			return err
		}
	}
	return b.p.refuseUnused(b.sel.From)
}

// where applies the conditions of WHERE, and those of all joins of FROM.
func (b *builder) where() error {
	var conds []sql.Expr
	for _, c := range b.p.conjuncts(b.sel.Where) {
		if exists(c) == nil {
			conds = append(conds, c)
		}
	}
	if b.rel.join != nil {
		return b.rel.join.conditions(conds)
	}
	for _, c := range conds {
		x, err := b.condition(c, "WHERE")
		if err != nil {
			return err
		}
		if b.p.idle[c] {
			continue
		}
		for _, a := range b.rel.arms {
			a.restrict(a.over(x))
		}
	}
	return nil
}

// relation resolves an entry of FROM.
func (b *builder) relation(t sql.TableExpr) (*relation, error) {
	switch t := t.(type) {
	case nil:
		return nil, sql.Errorf(b.sel, "the query has no FROM").WithHint("name the source: FROM %s", b.p.sourceNames())
	case *sql.TableName:
		return b.source(t)
	case *sql.SubqueryTable:
		return b.derived(t)
	case *sql.Join:
		return b.joined(t)
	case *sql.FilePath:
		return nil, sql.Errorf(t, "a path in FROM is not supported yet").WithHint("give the file with --from and name it in FROM")
	case *sql.TableFunc:
		return nil, sql.Errorf(t, "table functions are not supported yet").WithHint("a window goes into GROUP BY: GROUP BY TUMBLE(ts, INTERVAL 1 MINUTE)")
	}
	return nil, sql.Errorf(t, "this form of FROM is not supported yet")
}

// source finds what FROM names: a query, or a source.
func (b *builder) source(f *sql.TableName) (*relation, error) {
	if len(f.Parts) > 1 {
		names := make([]string, len(b.p.req.Sources))
		for i, s := range b.p.req.Sources {
			names[i] = s.Name
		}
		return nil, f.Dotted(names)
	}
	if err := b.p.mention(f); err != nil {
		return nil, err
	}
	name := f.Parts[0].Name
	if n := b.at.names.find(name); n != nil {
		return b.ofNamed(n, f)
	}
	for i := range b.p.req.Sources {
		s := &b.p.req.Sources[i]
		if !sql.SameName(s.Name, name) {
			continue
		}
		t := &table{alias: name, name: s.Name, source: s, fields: s.Schema}
		if f.Alias == nil || f.Alias.Columns == nil {
			t.at = f.Parts[0].Span
		}
		if err := t.rename(f.Alias); err != nil {
			return nil, err
		}
		return b.p.ofReference(f, s, t)
	}
	return nil, b.unknownTable(f)
}

// rename gives a table the names that FROM gives it: AS t, AS t(a, b).
func (t *table) rename(as *sql.TableAlias) error {
	if as == nil {
		return nil
	}
	t.alias = as.Name.Name
	if len(as.Columns) > len(t.fields) {
		return sql.Errorf(as.Columns[len(t.fields)], "%s has %s, here %d are named", t.text(), counted(len(t.fields), "column"), len(as.Columns))
	}
	fields := append([]vec.Field{}, t.fields...)
	for i, id := range as.Columns {
		fields[i].Name = id.Name
		for _, f := range fields[:i] {
			if sql.SameName(f.Name, id.Name) {
				return sql.Errorf(id, "two columns of %s are named %s", t.text(), sql.QuoteName(id.Name))
			}
		}
	}
	if as.Columns != nil {
		for i, f := range fields[len(as.Columns):] {
			for k, id := range as.Columns {
				if sql.SameName(f.Name, id.Name) {
					return sql.Errorf(as.Columns[k], "two columns of %s are named %s", t.text(), sql.QuoteName(id.Name)).
						WithHint("name column %d, too", len(as.Columns)+i+1)
				}
			}
		}
	}
	t.fields = fields
	return nil
}

// counted is a number of things: 1 column, 2 columns.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// derived is a subquery in FROM.
func (b *builder) derived(f *sql.SubqueryTable) (*relation, error) {
	if err := b.p.mention(f); err != nil {
		return nil, err
	}
	q, err := b.p.query(f.Query, b.at, renamed(f.Alias))
	if err != nil {
		return nil, err
	}
	return q.relation(&table{alias: unnamedTable, unnamed: f.Alias == nil}, f.Alias)
}

// renamed is how many columns get names from FROM.
func renamed(as *sql.TableAlias) int {
	if as == nil {
		return 0
	}
	return len(as.Columns)
}

// relation makes the rows of a query those of a table, which has the names given to it one after the other.
func (q *rows) relation(t *table, names ...*sql.TableAlias) (*relation, error) {
	q.writable()
	t.fields = q.fields
	for _, as := range names {
		if err := t.rename(as); err != nil {
			return nil, err
		}
	}
	r := &relation{tables: []*table{t}, arms: q.arms}
	for _, c := range t.fields {
		r.cols = append(r.cols, column{name: sql.QuoteName(c.Name), typ: c.Type})
	}
	for _, a := range r.arms {
		a.direct = false
	}
	return r, nil
}

var joinKinds = map[sql.JoinKind]op.JoinKind{
	sql.InnerJoin: op.Inner, sql.CrossJoin: op.Inner, sql.LeftJoin: op.Left, sql.RightJoin: op.Right,
	sql.FullJoin: op.Full, sql.SemiJoin: op.Semi, sql.AntiJoin: op.Anti,
}

// joined is a join in FROM. Its conditions are applied later, with those of WHERE.
func (b *builder) joined(f *sql.Join) (*relation, error) {
	left, err := b.relation(f.Left)
	if err != nil {
		return nil, err
	}
	right, err := b.relation(f.Right)
	if err != nil {
		return nil, err
	}
	j := &join{kind: joinKinds[f.Kind], using: f.Using, at: f, clause: "ON"}
	switch {
	case f.On != nil:
		j.on = b.p.conjuncts(f.On)
	case f.Using != nil && j.kind != op.Inner:
		j.clause = "JOIN … ON, in place of USING"
	default:
		j.clause = "WHERE"
		j.open = b.sel.Where == nil
	}
	return b.join(j, left, right, f.Left, f.Right)
}

// join makes the relation of a join.
func (b *builder) join(j *join, left, right *relation, at ...sql.Node) (*relation, error) {
	j.b = b
	j.sides = [2]*relation{left, right}
	r := &relation{join: j, arms: []*arm{{op: &operator{join: j}}}}
	j.rel = r
	for i, s := range j.sides {
		for _, a := range s.arms {
			if a.op != nil && a.op.agg != nil {
				return nil, sql.Errorf(at[i], "a join of an aggregate's rows is not supported yet").
					WithHint("write the aggregate's rows to a topic and join that with a second query")
			}
		}
	}
	j.number()
	for _, l := range left.shown(false) {
		for _, t := range right.shown(false) {
			if sql.SameName(l.alias, t.alias) {
				what := "(…)"
				if t.name != "" {
					what = sql.QuoteName(t.name)
				}
				return nil, sql.Errorf(j.at, "two sources are named %s in this query", l.text()).WithHint("give one of them another name: %s AS b", what)
			}
		}
	}
	for _, s := range j.sides {
		s.nameInputs()
		r.tables = append(r.tables, s.shown(false)...)
		r.hidden = append(r.hidden, s.hidden...)
	}
	if j.visible() == leftSide {
		for _, t := range right.shown(false) {
			r.hidden = append(r.hidden, hidden{t, left.text()})
		}
	}
	return r, nil
}

// number gives the subqueries of a join that have no name different ones.
func (j *join) number() {
	n := 0
	for _, s := range j.sides {
		for _, t := range s.shown(false) {
			if !t.unnamed {
				continue
			}
			if n++; n > 1 {
				t.alias = fmt.Sprintf("%s%d", unnamedTable, n)
			}
		}
	}
}

// unnamedTable is the name of a subquery in FROM that has none.
const unnamedTable = "unnamed_subquery"

// nameInputs gives the references under a derived table, a side of a join, the names by which its columns can be told.
func (r *relation) nameInputs() {
	if r.join != nil || r.tables[0].source != nil {
		return
	}
	for i, a := range r.arms {
		name := r.tables[0].alias
		if len(r.arms) > 1 {
			name = fmt.Sprintf("%s.%d", name, i+1)
		}
		a.references(func(ref *reference) {
			switch {
			case len(r.arms) > 1:
				ref.union = r.tables[0].alias
			case ref.union != "":
				ref.union = name + "." + ref.union
			}
			if a.ref != nil {
				ref.alias = name
			} else {
				ref.alias = name + "." + ref.alias
			}
		})
	}
}

// text names the relation in messages: its table, or its tables in parentheses.
func (r *relation) text() string {
	var names []string
	for _, t := range r.shown(false) {
		names = append(names, t.text())
	}
	if len(names) == 1 {
		return names[0]
	}
	return "(" + strings.Join(names, ", ") + ")"
}
