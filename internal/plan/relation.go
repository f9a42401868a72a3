package plan

import (
	"ubik/internal/codec"
	"ubik/internal/expr"
	"ubik/internal/op"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// relation is what FROM or a subquery yields. An expression over it reads its columns, by their index in cols.
//
//	FROM (SELECT k, n + 1 AS m FROM a UNION ALL SELECT k, m FROM b JOIN c ON …) x
//
// has one table, x, two columns and two arms: the first has the base a and the columns k and n + 1 over it, the second
// has the join as its base.
type relation struct {
	tables []*table // that can be named, in the order of the text
	hidden []hidden // that a semi-join took away, for messages
	cols   []column // all of a derived table, else those named so far
	arms   []*arm   // at least one
	join   *join    // of which it is the rows; nil: of one table
}

// table is a name in FROM, with the columns that it stands for.
type table struct {
	alias   string
	name    string   // that of the source or the named query; "": a subquery
	source  *Source  // nil: a derived table
	at      sql.Span // where FROM names the source; zero: it is none, or its columns are named anew
	unnamed bool     // a derived table to which FROM gives no name
	fields  []vec.Field
}

// hidden is a table of which a semi-join gives no rows.
type hidden struct {
	table *table
	rest  string // of what it gives rows
}

// column is a column of a relation.
type column struct {
	name string // as expressions print it
	typ  vec.Type
	side int // over a join: of which side,
	of   int // and which column of that
}

// arm is a part of a UNION ALL: its base, one of ref and op, and what of it are its rows.
type arm struct {
	ref    *reference
	op     *operator
	cols   []expr.Expr // for each column of the relation, over the base's columns
	where  []expr.Expr // conditions, in the order in which SQL has them apply, over the base's columns
	direct bool        // cols is the select list of the operator's own SELECT
}

// reference is a mention of a source in the text.
type reference struct {
	source int // index in Plan.Sources
	alias  string
	union  string // see Input
}

// operator is a stage in the making: a join or an aggregate.
type operator struct {
	join *join
	agg  *grouping
}

// inputs are the relations that an operator reads.
func (o *operator) inputs() []*relation {
	if o.join != nil {
		return o.join.sides[:]
	}
	return []*relation{o.agg.b.rel}
}

// references calls f for every reference under the arm, in the order of the text.
func (a *arm) references(f func(r *reference)) {
	if a.ref != nil {
		f(a.ref)
		return
	}
	for _, in := range a.op.inputs() {
		for _, under := range in.arms {
			under.references(f)
		}
	}
}

// over turns an expression over the relation into one over the arm's base.
func (a *arm) over(e expr.Expr) expr.Expr {
	return rewrite(e, func(c *expr.Column) expr.Expr { return a.cols[c.Index] })
}

// bounded reports whether every source under the relation is read to an end.
func (p *planner) bounded(r *relation) bool {
	all := true
	for _, a := range r.arms {
		a.references(func(r *reference) { all = all && p.plan.Sources[r.source].Bounded })
	}
	return all
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
func rewrite(e expr.Expr, f func(c *expr.Column) expr.Expr) expr.Expr {
	if e == nil {
		return nil
	}
	return expr.Rewrite(e, func(x expr.Expr) expr.Expr {
		switch x := x.(type) {
		case *expr.Column:
			return f(x)
		case *expr.Op:
			if x.Name() == "AND" || x.Name() == "OR" {
				return rewriteLogic(x, f)
			}
		}
		return x
	})
}

// rewriteLogic makes a chain of AND or OR anew, since how it is computed depends on whether its terms can fail.
func rewriteLogic(x *expr.Op, f func(c *expr.Column) expr.Expr) expr.Expr {
	changed := false
	terms := make([]expr.Expr, len(x.Args()))
	for i, t := range x.Args() {
		terms[i] = rewrite(t, f)
		changed = changed || terms[i] != t
	}
	if !changed {
		return x
	}
	make := expr.NewAnd
	if x.Name() == "OR" {
		make = expr.NewOr
	}
	e, err := make(terms...)
	if err != nil {
		panic("plan: " + err.Error()) // the terms are BOOLEAN as before
	}
	return e
}

// allOf is the conjunction of conditions, nil for none.
func allOf(conds []expr.Expr) expr.Expr {
	if len(conds) == 0 {
		return nil
	}
	e, err := expr.NewAnd(conds...)
	if err != nil {
		panic("plan: " + err.Error()) // they are BOOLEAN
	}
	return e
}

// pseudoBase is where the indexes of pseudo-columns begin until the number of decoded columns is known.
const pseudoBase = 1 << 20

// ofReference is the relation of a source that FROM names.
func (p *planner) ofReference(f *sql.TableName, src *Source, t *table) (*relation, error) {
	at := -1
	for i := range p.plan.Sources {
		if sql.SameName(p.plan.Sources[i].Name, src.Name) {
			at = i
		}
	}
	if at < 0 {
		at = len(p.plan.Sources)
		p.plan.Sources = append(p.plan.Sources, Reading{Source: *src})
		if err := p.clock(f, at); err != nil {
			return nil, err
		}
	}
	return &relation{tables: []*table{t}, arms: []*arm{{ref: &reference{source: at, alias: t.alias}}}}, nil
}

// ofSource is a column of the source: decoded, with its path, or a pseudo-column.
func (b *builder) ofSource(r *relation, path []string, pseudo Pseudo, t vec.Type) expr.Expr {
	src := &b.p.plan.Sources[r.arms[0].ref.source]
	var name string
	var at int
	if path != nil {
		name, at = dotted(path), src.decoded(path, t)
	} else {
		name, at = pseudoNames[pseudo], pseudoBase+src.beside(pseudo)
	}
	for i, have := range r.arms[0].cols {
		if have.(*expr.Column).Index == at {
			return &expr.Column{Index: i, Name: name, T: t}
		}
	}
	r.cols = append(r.cols, column{name: name, typ: t})
	r.arms[0].cols = append(r.arms[0].cols, &expr.Column{Index: at, Name: name, T: t})
	return &expr.Column{Index: len(r.cols) - 1, Name: name, T: t}
}

// decoded returns the index of a column that is decoded, one more if it was not.
func (r *Reading) decoded(path []string, t vec.Type) int {
	for i, c := range r.Columns {
		if equalPath(c.Path, path) {
			return i
		}
	}
	r.Columns = append(r.Columns, codec.Column{Path: path, Type: t, Strict: r.Inferred})
	return len(r.Columns) - 1
}

func (r *Reading) beside(p Pseudo) int {
	for i, q := range r.Pseudo {
		if p == q {
			return i
		}
	}
	r.Pseudo = append(r.Pseudo, p)
	return len(r.Pseudo) - 1
}

func equalPath(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// lift turns an expression over a side of a join into one over the join.
func (r *relation) lift(side int, e expr.Expr) expr.Expr {
	from := r.join.sides[side]
	return rewrite(e, func(c *expr.Column) expr.Expr {
		for i, have := range r.cols {
			if have.side == side && have.of == c.Index {
				return &expr.Column{Index: i, Name: have.name, T: c.T}
			}
		}
		name := from.cols[c.Index].name
		if from.join == nil {
			name = sql.QuoteName(from.tables[0].alias) + "." + name
		}
		r.cols = append(r.cols, column{name: name, typ: c.T, side: side, of: c.Index})
		up := &expr.Column{Index: len(r.cols) - 1, Name: name, T: c.T}
		r.arms[0].cols = append(r.arms[0].cols, up)
		return up
	})
}

// own turns an expression that reads one side of the join into one over that side.
func (j *join) own(side int, e expr.Expr) expr.Expr {
	return rewrite(e, func(c *expr.Column) expr.Expr {
		of := j.rel.cols[c.Index].of
		return &expr.Column{Index: of, Name: j.sides[side].cols[of].name, T: c.T}
	})
}

// sides says which sides of a join an expression reads.
type sides uint8

const (
	leftSide sides = 1 << iota
	rightSide
	bothSides = leftSide | rightSide
)

func (j *join) sidesOf(e expr.Expr) sides {
	var s sides
	each(e, func(c *expr.Column) { s |= 1 << j.rel.cols[c.Index].side })
	return s
}

// visible are the sides whose columns a joined row has.
func (j *join) visible() sides {
	if j.kind == op.Semi || j.kind == op.Anti {
		return leftSide
	}
	return bothSides
}
