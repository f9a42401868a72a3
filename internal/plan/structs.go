package plan

import (
	"strings"

	"ubik/internal/expr"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// Names within a column: fields of a STRUCT, each of which is decoded alone, and members of JSON, which are taken out of its
// text. A STRUCT, LIST or MAP used as a whole is its JSON text.

// asText says how to make a VARCHAR of a value that is JSON text.
func asText(t vec.Type) string {
	if t.Kind == vec.JSON {
		return "cast it to VARCHAR"
	}
	return "cast it to JSON, and that to VARCHAR"
}

// partOf writes an example of a part of such a value that is no such value.
func partOf(e sql.Expr, t vec.Type) string {
	if ref, ok := e.(*sql.ColumnRef); ok && t.Kind == vec.Struct {
		for _, f := range t.Fields {
			if !f.Type.IsJSON() {
				return sql.Format(ref) + "." + sql.QuoteName(f.Name)
			}
		}
	}
	if t.Kind == vec.JSON {
		return sql.Format(e) + "->>'name'"
	}
	return sql.Format(e) + "::JSON->>'name'"
}

// descent is where a dotted name leads to from a column.
type descent struct {
	field   vec.Field   // the last STRUCT field
	fields  []string    // on the way, without the column
	members []sql.Ident // of the JSON that field is
}

// descend follows names into a column. src is its source, nil for one of a derived table.
func descend(column vec.Field, rest []sql.Ident, src *Source) (descent, error) {
	d := descent{field: column}
	path := sql.QuoteName(column.Name)
	for k, id := range rest {
		f := d.field
		if f.Type.Kind == vec.JSON {
			d.members = rest[k:]
			return d, nil
		}
		if f.Type.Kind != vec.Struct {
			e := sql.Errorf(id, "%s is %s and has no fields", sql.QuoteName(f.Name), f.Type)
			if f.Type.IsJSON() {
				e = e.WithHint("write %s::JSON->>%s", path, sql.QuoteString(id.Name))
			}
			return d, e
		}
		var next *vec.Field
		for i := range f.Type.Fields {
			if sql.SameName(f.Type.Fields[i].Name, id.Name) {
				next = &f.Type.Fields[i]
				break
			}
		}
		if next == nil {
			return d, noField(id, f, path, src)
		}
		d.field = *next
		d.fields = append(d.fields, next.Name)
		path += "." + sql.QuoteName(next.Name)
	}
	return d, nil
}

// noField is the error of a name that is no field of a STRUCT.
func noField(id sql.Ident, f vec.Field, path string, src *Source) error {
	fields := fieldNames(f.Type.Fields)
	e, later := sql.Errorf(id, "%s has no field %s", sql.QuoteName(f.Name), sql.QuoteName(id.Name)), ""
	if src != nil && src.Inferred {
		e = sql.Errorf(id, "%s.%s was not seen in the first records of %s", path, sql.QuoteName(id.Name), sql.QuoteName(src.Name))
		later = comesLater
	}
	if near := sql.Nearest(id.Name, fields); near != "" {
		return e.WithHint("did you mean %s?%s", sql.QuoteName(near), after(" ", later))
	}
	return e.WithHint("its fields are: %s%s", sql.Listed(fields), after("; ", later))
}

// within resolves names behind a column of a derived table.
func (b *builder) within(r *relation, column int, rest []sql.Ident) (expr.Expr, error) {
	f := r.tables[0].fields[column]
	d, err := descend(f, rest, nil)
	if err != nil {
		return nil, err
	}
	var x expr.Expr = &expr.Column{Index: column, Name: r.cols[column].name, T: f.Type}
	if d.fields != nil {
		var ok bool
		if x, ok = b.fieldOf(r, column, d.fields, d.field.Type); !ok {
			return nil, sql.Errorf(rest[0], "the STRUCT %s is computed, so its fields cannot be named", sql.QuoteName(f.Name)).
				WithHint("name the field where the STRUCT is a column of a source")
		}
	}
	return members(x, d.members)
}

// fieldOf is a field of a STRUCT that is a column of the relation: another column, taken from where the STRUCT comes from.
// It is not there when that is no source.
func (b *builder) fieldOf(r *relation, at int, fields []string, t vec.Type) (expr.Expr, bool) {
	if r.join != nil {
		c := r.cols[at]
		x, ok := b.fieldOf(r.join.sides[c.side], c.of, fields, t)
		if !ok {
			return nil, false
		}
		return r.lift(c.side, x), true
	}
	exprs := make([]expr.Expr, len(r.arms))
	for i, a := range r.arms {
		c, ok := a.cols[at].(*expr.Column)
		if !ok {
			return nil, false
		}
		if a.ref == nil {
			if a.op.join == nil {
				return nil, false
			}
			if exprs[i], ok = b.fieldOf(a.op.join.rel, c.Index, fields, t); !ok {
				return nil, false
			}
			continue
		}
		src := &b.p.plan.Sources[a.ref.source]
		path := append(append([]string{}, src.Columns[c.Index].Path...), fields...)
		exprs[i] = &expr.Column{Index: src.decoded(path, t), Name: dotted(path), T: t}
	}
	name := r.cols[at].name + "." + dotted(fields)
	for k := range r.cols {
		same := true
		for i, a := range r.arms {
			same = same && expr.Equal(a.cols[k], exprs[i])
		}
		if same {
			return &expr.Column{Index: k, Name: r.cols[k].name, T: t}, true
		}
	}
	r.cols = append(r.cols, column{name: name, typ: t})
	for i, a := range r.arms {
		a.cols = append(a.cols, exprs[i])
	}
	return &expr.Column{Index: len(r.cols) - 1, Name: name, T: t}, true
}

// dotted writes a path with points.
func dotted(path []string) string {
	var shown []string
	for _, p := range path {
		shown = append(shown, sql.QuoteName(p))
	}
	return strings.Join(shown, ".")
}

// members takes members out of JSON, one within the other.
func members(x expr.Expr, ids []sql.Ident) (expr.Expr, error) {
	for _, id := range ids {
		var err error
		if x, err = expr.NewBinary("->", x, expr.NewString(memberPath(id.Name))); err != nil {
			return nil, sql.Errorf(id, "%s", err)
		}
	}
	return x, nil
}

// memberPath writes a name so that the path is that member, whatever characters the name has.
func memberPath(name string) string {
	if name != "" && !strings.ContainsAny(name, `"\`) && name[0] != '$' && name[0] != '/' {
		return name
	}
	return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// fieldName is the dotted name that x.name and x['name'] are, where x is a name; else nil.
func fieldName(e sql.Expr) *sql.ColumnRef {
	var parts []sql.Ident
	for x := e; ; {
		switch n := x.(type) {
		case *sql.Field:
			parts = append([]sql.Ident{n.Name}, parts...)
			x = n.X
		case *sql.Index:
			s, ok := n.I.(*sql.StringLit)
			if !ok {
				return nil
			}
			parts = append([]sql.Ident{{Span: s.Span, Name: s.Value, Quoted: true}}, parts...)
			x = n.X
		case *sql.ColumnRef:
			return &sql.ColumnRef{Span: e.At(), Parts: append(append([]sql.Ident{}, n.Parts...), parts...)}
		default:
			return nil
		}
	}
}

// field resolves x.name, x['name'] and x[i].
func (b *binder) field(e sql.Expr) (expr.Expr, error) {
	if ref := fieldName(e); ref != nil {
		return b.bind(ref)
	}
	var of sql.Expr
	var index sql.Expr
	switch e := e.(type) {
	case *sql.Field:
		of, index = e.X, &sql.StringLit{Span: e.Name.Span, Value: memberPath(e.Name.Name)}
	case *sql.Index:
		of, index = e.X, e.I
		if s, ok := e.I.(*sql.StringLit); ok {
			index = &sql.StringLit{Span: s.Span, Value: memberPath(s.Value)}
		}
	}
	x, err := b.bind(of)
	if err != nil {
		return nil, err
	}
	switch {
	case x.Type().Kind == vec.JSON:
		i, err := b.bind(index)
		if err != nil {
			return nil, err
		}
		return expr.NewBinary("->", x, i)
	case x.Type().Kind == vec.List:
		return nil, sql.Errorf(e, "elements of a LIST are not supported yet").WithHint("take them of its JSON, where 0 is the first: %s::JSON->0", sql.Format(of))
	}
	if _, ok := e.(*sql.Index); ok {
		return nil, sql.Errorf(e, "lists are not supported yet")
	}
	return nil, sql.Errorf(e, "only a column has fields")
}
