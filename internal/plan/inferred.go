package plan

import (
	"fmt"
	"slices"
	"strings"

	"ubik/internal/expr"
	"ubik/internal/sql"
	"ubik/internal/vec"
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

// textHint is how texts at a path of an inferred source, in the query e, are read as times.
func (s *Source) textHint(path []string, e sql.Expr) string {
	text, name := sql.Format(e), dotted(path)
	where := "in the first records of " + sql.QuoteName(s.Name)
	pass := "cast it, " + castText(e) + ", and pass over what is none, counted, with --on-error skip"
	at := slices.IndexFunc(s.Texts, func(t TextTimes) bool { return slices.EqualFunc(t.Path, path, sql.SameName) })
	if at < 0 {
		return fmt.Sprintf("not every %s %s is a time that a cast reads: give its format, strptime(%s, format), or %s", name, where, text, pass)
	}
	switch t := s.Texts[at]; {
	case t.Reads[0] != "":
		return fmt.Sprintf("write %s in its place, which reads every %s %s", t.Reads[0]+text+t.Reads[1], name, where)
	case t.Some:
		return fmt.Sprintf("not every %s %s is a time, such as \"%s\": %s", name, where, t.Odd, pass)
	case t.Odd == "":
		return fmt.Sprintf("every %s %s is NULL: declare what it is, --schema '%s'", name, where, s.declared(path))
	default:
		return fmt.Sprintf("no %s %s is a time that a cast reads, such as \"%s\": give its format, strptime(%s, format)", name, where, t.Odd, text)
	}
}

// seen is a column of the Schema, of the type that it is known to have though the query does not use it.
func (s *Source) seen(column int) vec.Field {
	f := s.Schema[column]
	if f.Type.Kind == vec.Null {
		for _, g := range s.Seen {
			if g.Name == f.Name {
				return g
			}
		}
	}
	return f
}

// declared are the columns that the query uses as --schema takes them, with a TIMESTAMP at a path.
func (s *Source) declared(path []string) string {
	var out []string
	for _, f := range withTime(s.Schema, path) {
		if f.Type.Kind != vec.Null {
			out = append(out, sql.QuoteName(f.Name)+" "+f.Type.String())
		}
	}
	return strings.ReplaceAll(strings.Join(out, ", "), "'", `'\''`)
}

// withTime are fields with a TIMESTAMP at a path.
func withTime(fields []vec.Field, path []string) []vec.Field {
	fields = slices.Clone(fields)
	for i := range fields {
		switch f := &fields[i]; {
		case !sql.SameName(f.Name, path[0]):
		case len(path) == 1:
			f.Type = vec.TypeOf(vec.Timestamp)
		default:
			f.Type.Fields = withTime(f.Type.Fields, path[1:])
		}
	}
	return fields
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
