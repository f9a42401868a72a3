package naive

import (
	"slices"

	"ubik/internal/sql"
)

// definition is a query that WITH or CREATE VIEW gives a name, written out to one over sources alone. Behind it come those
// that stand before it.
type definition struct {
	before  *definition
	name    string
	columns []sql.Ident
	written sql.Query
}

// statement reads a query, or the script of CREATE VIEW … and a query, and puts in place of every name the query that it
// stands for, as a subquery of that name.
func statement(text string) (sql.Query, error) {
	list, err := sql.ParseScript(text)
	if err != nil {
		return nil, err
	}
	var views *definition
	for i, s := range list {
		switch s := s.(type) {
		case *sql.CreateView:
			if s.IfNotExists && views.find(s.Name.Name) != nil {
				continue
			}
			if views, err = views.define(s.Name, s.Columns, s.Query); err != nil {
				return nil, err
			}
			continue
		case sql.Query:
			if i == len(list)-1 {
				return views.query(s)
			}
		}
		return nil, unsupported("%s", sql.Format(s))
	}
	return nil, unsupported("no query")
}

func (d *definition) find(name string) *definition {
	for ; d != nil; d = d.before {
		if sql.SameName(d.name, name) {
			return d
		}
	}
	return nil
}

// define adds a definition, which knows those that there are.
func (d *definition) define(name sql.Ident, columns []sql.Ident, q sql.Query) (*definition, error) {
	out, err := d.query(q)
	return &definition{d, name.Name, columns, out}, err
}

// query writes a query out. It shares with the one it is made of what holds no names of tables.
func (d *definition) query(q sql.Query) (sql.Query, error) {
	var err error
	switch q := q.(type) {
	case *sql.Union:
		out := *q
		if d, err = d.with(&out.Tail); err != nil {
			return nil, err
		}
		out.Inputs = slices.Clone(q.Inputs)
		for i, in := range q.Inputs {
			if out.Inputs[i], err = d.query(in); err != nil {
				return nil, err
			}
		}
		return &out, nil
	case *sql.Select:
		out := *q
		if d, err = d.with(&out.Tail); err != nil {
			return nil, err
		}
		if out.From, err = d.from(q.From); err != nil {
			return nil, err
		}
		out.Where, err = d.condition(q.Where)
		return &out, err
	}
	return nil, unsupported("a query of another kind")
}

// with takes WITH away from a query, and returns what is defined behind it.
func (d *definition) with(tail *sql.Tail) (*definition, error) {
	if tail.With == nil {
		return d, nil
	}
	var err error
	for _, t := range tail.With.Tables {
		if d, err = d.define(t.Name, t.Columns, t.Query); err != nil {
			return nil, err
		}
	}
	tail.With = nil
	return d, nil
}

// from writes out what FROM holds.
func (d *definition) from(t sql.TableExpr) (sql.TableExpr, error) {
	var err error
	switch t := t.(type) {
	case *sql.TableName:
		if len(t.Parts) == 1 {
			if found := d.find(t.Parts[0].Name); found != nil {
				return found.as(t), nil
			}
		}
	case *sql.SubqueryTable:
		out := *t
		out.Query, err = d.query(t.Query)
		return &out, err
	case *sql.Join:
		out := *t
		if out.Left, err = d.from(t.Left); err != nil {
			return nil, err
		}
		out.Right, err = d.from(t.Right)
		return &out, err
	}
	return t, nil
}

// as is the subquery that a mention stands for. The columns have the names that the definition gives them, and from the
// first on those that the mention does.
func (d *definition) as(t *sql.TableName) *sql.SubqueryTable {
	name, columns := sql.Ident{Name: d.name}, d.columns
	if t.Alias != nil {
		name = t.Alias.Name
		columns = slices.Concat(t.Alias.Columns, d.columns[min(len(d.columns), len(t.Alias.Columns)):])
	}
	return &sql.SubqueryTable{Span: t.Span, Query: d.written, Alias: &sql.TableAlias{Name: name, Columns: columns}}
}

// condition writes out the EXISTS that are terms of a WHERE.
func (d *definition) condition(e sql.Expr) (sql.Expr, error) {
	var err error
	switch e := e.(type) {
	case *sql.Logic:
		out := *e
		out.Terms = slices.Clone(e.Terms)
		for i, x := range e.Terms {
			if out.Terms[i], err = d.condition(x); err != nil {
				return nil, err
			}
		}
		return &out, nil
	case *sql.Unary:
		out := *e
		out.X, err = d.condition(e.X)
		return &out, err
	case *sql.Exists:
		out := *e
		out.Query, err = d.query(e.Query)
		return &out, err
	}
	return e, nil
}
