package plan

import (
	"ubik/internal/expr"
	"ubik/internal/sql"
)

// Messages about a source whose schema is what its first records look like: what is missing there may come later, and a type
// may be another.

// comesLater is for a name that the sample of a source does not have.
const comesLater = "if it comes later, declare it with --schema"

// after is a text with what is between it and the one before, or nothing.
func after(sep, text string) string {
	if text == "" {
		return ""
	}
	return sep + text
}

// declaration declares a time at a path, in STRUCTs.
func declaration(path []string) string {
	if len(path) == 1 {
		return sql.QuoteName(path[0]) + " TIMESTAMP"
	}
	return sql.QuoteName(path[0]) + " STRUCT(" + declaration(path[1:]) + ", …)"
}

// sourceOf is the source of which an expression over a relation is a decoded column, and the path of that; nil: it is none,
// or one of several sources.
func (p *planner) sourceOf(r *relation, e expr.Expr) (*Source, []string) {
	c, ok := e.(*expr.Column)
	switch {
	case !ok:
		return nil, nil
	case r.join != nil:
		of := r.cols[c.Index]
		return p.sourceOf(r.join.sides[of.side], &expr.Column{Index: of.of})
	case len(r.arms) > 1:
		return nil, nil
	}
	a := r.arms[0]
	switch {
	case a.ref != nil:
		src := &p.plan.Sources[a.ref.source]
		if c, ok := a.cols[c.Index].(*expr.Column); ok && c.Index < pseudoBase {
			return &src.Source, src.Columns[c.Index].Path
		}
	case a.op.join != nil:
		return p.sourceOf(a.op.join.rel, a.cols[c.Index])
	}
	return nil, nil
}
