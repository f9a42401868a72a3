package plan

import (
	"fmt"
	"strings"

	"ubik/internal/codec"
	"ubik/internal/expr"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// scope resolves column names of one source and notes which of its columns the query uses.
type scope struct {
	src   *Source
	alias string
	in    *Input
	items []item // the select list once it is known, for advice
}

// pseudoBase is where the indexes of pseudo-columns begin until the number of decoded columns is known.
const pseudoBase = 1 << 20

var pseudoNames = []string{"_topic", "_partition", "_offset", "_timestamp", "_key"}

// column resolves a dotted name: [table.]column[.field…].
func (s *scope) column(ref *sql.ColumnRef) (expr.Expr, error) {
	parts := ref.Parts
	if len(parts) > 1 && sql.SameName(parts[0].Name, s.alias) {
		if _, ok := s.find(parts[1].Name); ok || s.pseudo(parts[1].Name) >= 0 {
			parts = parts[1:]
		}
	}
	if f, ok := s.find(parts[0].Name); ok {
		return s.path(f, parts[1:], ref)
	}
	if len(parts) == 1 {
		if k := s.pseudo(parts[0].Name); k >= 0 {
			return s.usePseudo(Pseudo(k)), nil
		}
	}
	if len(parts) > 1 && sql.SameName(parts[0].Name, s.alias) {
		return nil, s.unknown(parts[1])
	}
	return nil, s.unknown(parts[0])
}

func (s *scope) find(name string) (vec.Field, bool) {
	for _, f := range s.src.Schema {
		if sql.SameName(f.Name, name) {
			return f, true
		}
	}
	return vec.Field{}, false
}

// declared returns the declared spelling of a column that a name without fields stands for.
func (s *scope) declared(ref *sql.ColumnRef) (string, bool) {
	f, ok := s.find(ref.Parts[len(ref.Parts)-1].Name)
	return f.Name, ok && (len(ref.Parts) == 1 || len(ref.Parts) == 2 && sql.SameName(ref.Parts[0].Name, s.alias))
}

func (s *scope) pseudo(name string) int {
	for i, p := range pseudoNames {
		if sql.SameName(p, name) {
			return i
		}
	}
	return -1
}

func (s *scope) unknown(id sql.Ident) error {
	var names []string
	for _, f := range s.src.Schema {
		names = append(names, f.Name)
	}
	e := sql.Errorf(id, "%s has no column %s", sql.QuoteName(s.src.Name), sql.QuoteName(id.Name))
	if x, ok := s.output(id); ok {
		return e.WithHint("a name of the select list can be used in GROUP BY alone; write what it stands for: %s", sql.Format(x))
	}
	if near := sql.Nearest(id.Name, append(names, pseudoNames...)); near != "" {
		return e.WithHint("did you mean %s?", sql.QuoteName(near))
	}
	return e.WithHint("its columns are: %s", listed(names))
}

// listedMost is how many names a hint lists.
const listedMost = 20

func listed(names []string) string {
	var shown []string
	for _, n := range names[:min(len(names), listedMost)] {
		shown = append(shown, sql.QuoteName(n))
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// output returns the entry of the select list that has a name, unless the name stands in it.
func (s *scope) output(id sql.Ident) (sql.Expr, bool) {
	for _, it := range s.items {
		at := it.expr.At()
		if sql.SameName(it.name, id.Name) && (id.Pos < at.Pos || id.End > at.End) {
			return it.expr, true
		}
	}
	return nil, false
}

// path follows fields into a STRUCT and notes the leaf as used.
func (s *scope) path(f vec.Field, rest []sql.Ident, at sql.Node) (expr.Expr, error) {
	names := []string{f.Name}
	for _, id := range rest {
		if f.Type.Kind != vec.Struct {
			return nil, sql.Errorf(id, "%s is %s and has no fields", sql.QuoteName(f.Name), f.Type)
		}
		var next *vec.Field
		var fields []string
		for i := range f.Type.Fields {
			if sql.SameName(f.Type.Fields[i].Name, id.Name) {
				next = &f.Type.Fields[i]
			}
			fields = append(fields, f.Type.Fields[i].Name)
		}
		if next == nil {
			e := sql.Errorf(id, "%s has no field %s", sql.QuoteName(f.Name), sql.QuoteName(id.Name))
			if near := sql.Nearest(id.Name, fields); near != "" {
				return nil, e.WithHint("did you mean %s?", sql.QuoteName(near))
			}
			return nil, e.WithHint("its fields are: %s", listed(fields))
		}
		f = *next
		names = append(names, f.Name)
	}
	switch f.Type.Kind {
	case vec.Struct:
		return nil, sql.Errorf(at, "%s is a STRUCT, which cannot be used as a whole yet", sql.QuoteName(f.Name)).
			WithHint("name one of its fields: %s.%s", sql.Format(at), sql.QuoteName(f.Type.Fields[0].Name))
	case vec.List, vec.Map, vec.UUID, vec.Blob, vec.JSON:
		return nil, sql.Errorf(at, "columns of type %s cannot be used yet", f.Type).WithHint("declare it VARCHAR: it then holds the JSON text")
	}
	return s.use(names, f.Type), nil
}

func (s *scope) use(path []string, t vec.Type) expr.Expr {
	var shown []string
	for _, p := range path {
		shown = append(shown, sql.QuoteName(p))
	}
	name := strings.Join(shown, ".")
	for i, c := range s.in.Columns {
		if equalPath(c.Path, path) {
			return &expr.Column{Index: i, Name: name, T: c.Type}
		}
	}
	s.in.Columns = append(s.in.Columns, codec.Column{Path: path, Type: t})
	return &expr.Column{Index: len(s.in.Columns) - 1, Name: name, T: t}
}

func (s *scope) usePseudo(p Pseudo) expr.Expr {
	col := func(i int) expr.Expr {
		return &expr.Column{Index: pseudoBase + i, Name: pseudoNames[p], T: PseudoType(p)}
	}
	for i, q := range s.in.Pseudo {
		if p == q {
			return col(i)
		}
	}
	s.in.Pseudo = append(s.in.Pseudo, p)
	return col(len(s.in.Pseudo) - 1)
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
