package plan

import (
	"strings"

	"ubik/internal/expr"
	"ubik/internal/op"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

var pseudoNames = []string{"_topic", "_partition", "_offset", "_timestamp", "_key"}

// scope resolves the names of a clause.
type scope struct {
	b     *builder
	rel   *relation
	on    bool // the condition of the join: a semi-join's right side can be named
	inner bool // that of EXISTS: a name without a table is the right side's, if that has it
}

// tables are those that can be named.
func (s *scope) tables() []*table { return s.rel.shown(s.on) }

// shown are the tables of which a row has columns, or with on those that the join's condition can name.
func (r *relation) shown(on bool) []*table {
	if r.join != nil && !on && r.join.visible() == leftSide {
		return r.join.sides[0].shown(false)
	}
	return r.tables
}

// column resolves a dotted name: [table.]column[.field…].
func (s *scope) column(ref *sql.ColumnRef) (expr.Expr, error) {
	if x, ok := s.b.resolved[ref]; ok {
		return x()
	}
	first := ref.Parts[0]
	if len(ref.Parts) > 1 {
		for _, t := range s.tables() {
			if sql.SameName(first.Name, t.alias) && t.has(ref.Parts[1].Name, true) {
				return s.b.named(s.rel, t, ref.Parts[1:], ref)
			}
		}
	}
	found, err := s.b.unqualified(s.rel, ref, s.on, s.inner)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 1:
		return found[0].x, nil
	case len(found) == 0:
		return nil, s.unknown(ref)
	}
	var of, write []string
	for _, f := range found {
		of = append(of, "of "+f.table.text())
		write = append(write, f.table.qualify(first.Name))
	}
	return nil, sql.Errorf(ref, "%s is a column %s", sql.QuoteName(first.Name), listOf(of, "and")).WithHint("write %s", listOf(write, "or"))
}

// found is what a name without a table can stand for.
type found struct {
	x     expr.Expr
	table *table
}

// unqualified resolves a name without a table in every table that has it. Columns that USING made one are one.
func (b *builder) unqualified(r *relation, ref *sql.ColumnRef, on, inner bool) ([]found, error) {
	j := r.join
	if j == nil {
		t := r.tables[0]
		if !t.has(ref.Parts[0].Name, len(ref.Parts) == 1) {
			return nil, nil
		}
		x, err := b.named(r, t, ref.Parts, ref)
		return []found{{x, t}}, err
	}
	if !on && j.visible() == leftSide {
		return b.lifted(r, 0, ref)
	}
	if len(ref.Parts) == 1 && hasName(j.using, ref.Parts[0]) {
		x, err := b.usingColumn(j, ref.Parts[0])
		return []found{{x, r.shown(on)[0]}}, err
	}
	right, err := b.lifted(r, 1, ref)
	if err != nil || inner && len(right) > 0 {
		return right, err
	}
	left, err := b.lifted(r, 0, ref)
	return append(left, right...), err
}

func (b *builder) lifted(r *relation, side int, ref *sql.ColumnRef) ([]found, error) {
	out, err := b.unqualified(r.join.sides[side], ref, false, false)
	if err != nil {
		return nil, err
	}
	for i := range out {
		out[i].x = r.lift(side, out[i].x)
	}
	return out, nil
}

// named resolves the parts of a name behind its table.
func (b *builder) named(r *relation, t *table, parts []sql.Ident, at sql.Node) (expr.Expr, error) {
	if r.join != nil {
		for side, s := range r.join.sides {
			for _, have := range s.tables {
				if have == t {
					x, err := b.named(s, t, parts, at)
					if err != nil {
						return nil, err
					}
					return r.lift(side, x), nil
				}
			}
		}
		panic("plan: a table that the join does not have")
	}
	for i, f := range t.fields {
		if !sql.SameName(f.Name, parts[0].Name) {
			continue
		}
		if t.source != nil {
			return b.path(r, i, parts[1:], at)
		}
		if len(parts) > 1 {
			return b.within(r, i, parts[1:])
		}
		return &expr.Column{Index: i, Name: r.cols[i].name, T: f.Type}, nil
	}
	if k := pseudo(parts[0].Name); k >= 0 && t.source != nil && len(parts) == 1 {
		return b.ofSource(r, nil, Pseudo(k), PseudoType(Pseudo(k))), nil
	}
	return nil, b.noColumn(t, parts[0], false)
}

// path resolves names behind a column of a source, and notes as used where they lead.
func (b *builder) path(r *relation, column int, rest []sql.Ident, at sql.Node) (expr.Expr, error) {
	src := r.tables[0].source
	d, err := descend(src.Schema[column], rest, src)
	if err != nil {
		return nil, err
	}
	switch d.field.Type.Kind {
	case vec.UUID:
		return nil, sql.Errorf(at, "columns of type %s cannot be used yet", d.field.Type).WithHint("declare it VARCHAR: it then holds the JSON text")
	case vec.Null:
		return nil, sql.Errorf(at, "the type of %s is not known", sql.QuoteName(d.field.Name)).WithHint("declare it with --schema")
	}
	return members(b.ofSource(r, append([]string{src.Schema[column].Name}, d.fields...), 0, d.field.Type), d.members)
}

// has reports whether a name is that of a column, or with pseudo also of a pseudo-column.
func (t *table) has(name string, alsoPseudo bool) bool {
	_, ok := t.find(name)
	return ok || alsoPseudo && t.source != nil && pseudo(name) >= 0
}

func (t *table) find(name string) (vec.Field, bool) {
	for _, f := range t.fields {
		if sql.SameName(f.Name, name) {
			return f, true
		}
	}
	return vec.Field{}, false
}

func pseudo(name string) int {
	for i, p := range pseudoNames {
		if sql.SameName(p, name) {
			return i
		}
	}
	return -1
}

// text is the table's name in the query, as SQL writes it.
func (t *table) text() string { return sql.QuoteName(t.alias) }

// qualify writes a column with its table.
func (t *table) qualify(column string) string { return t.text() + "." + sql.QuoteName(column) }

// ref names a column of the table, at the place of id.
func (t *table) ref(id sql.Ident) *sql.ColumnRef {
	return &sql.ColumnRef{Span: id.Span, Parts: []sql.Ident{{Span: id.Span, Name: t.alias, Quoted: true}, {Span: id.Span, Name: id.Name, Quoted: true}}}
}

// declared returns the declared spelling of a column that a name without fields stands for.
func (s *scope) declared(ref *sql.ColumnRef) (string, bool) {
	last := ref.Parts[len(ref.Parts)-1]
	for _, t := range s.tables() {
		if len(ref.Parts) == 1 || len(ref.Parts) == 2 && sql.SameName(ref.Parts[0].Name, t.alias) {
			if f, ok := t.find(last.Name); ok {
				return f.Name, true
			}
		}
	}
	return "", false
}

// usingColumn is a column of USING named without a table: of the side that is always there, in a FULL JOIN of either.
func (b *builder) usingColumn(j *join, id sql.Ident) (expr.Expr, error) {
	both, err := b.usingSides(j, id)
	if err != nil {
		return nil, err
	}
	switch j.kind {
	case op.Full:
		return expr.NewCoalesce(both[0], both[1])
	case op.Right:
		return both[1], nil
	}
	return both[0], nil
}

// usingSides are the two columns that USING makes one.
func (b *builder) usingSides(j *join, id sql.Ident) (both [2]expr.Expr, err error) {
	ref := &sql.ColumnRef{Span: id.Span, Parts: []sql.Ident{id}}
	for i, side := range j.sides {
		x, err := (&scope{b: b, rel: side}).column(ref)
		if err != nil {
			return both, err
		}
		both[i] = j.rel.lift(i, x)
	}
	return both, nil
}

// listOf joins texts as a sentence does: a, b and c.
func listOf(texts []string, word string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " " + word + " " + texts[last]
}

func fieldNames(fields []vec.Field) []string {
	var out []string
	for _, f := range fields {
		out = append(out, f.Name)
	}
	return out
}

// hasColumn reports whether a table of FROM has a column of that name.
func (b *builder) hasColumn(name string) bool {
	for _, t := range b.rel.shown(false) {
		if t.has(name, false) {
			return true
		}
	}
	return false
}
