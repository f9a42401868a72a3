package plan

import (
	"ubik/internal/expr"
	"ubik/internal/op"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// names resolves column names for a binder.
type names interface {
	column(ref *sql.ColumnRef) (expr.Expr, error)
}

// sideBase is added to the indexes of the right source's columns until the columns of the joined row are known.
const sideBase = 1 << 24

// sides says which sources of a join an expression reads.
type sides uint8

const (
	leftSide sides = 1 << iota
	rightSide
	bothSides = leftSide | rightSide
)

func sideOf(c *expr.Column) int { return c.Index / sideBase }

func sidesOf(e expr.Expr) sides {
	var s sides
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Column); ok {
			s |= 1 << sideOf(c)
		}
		return true
	})
	return s
}

// joinNames resolves names where both sources of a join can be named, or where a semi-join leaves only the left one.
type joinNames struct {
	j     *join
	see   sides
	inner bool // inside EXISTS: a name without a table is the right source's, if that has it
}

func (n joinNames) column(ref *sql.ColumnRef) (expr.Expr, error) {
	if side, ok := n.qualified(ref); ok {
		return n.of(side, ref)
	}
	first := ref.Parts[0]
	if len(ref.Parts) == 1 && n.see == bothSides && n.j.isUsing(first) {
		return n.j.usingColumn(first)
	}
	var in sides
	for i := range n.j.sides {
		if n.see&(1<<i) != 0 && n.has(i, ref) {
			in |= 1 << i
		}
	}
	switch {
	case in == rightSide || in == bothSides && n.inner:
		return n.of(1, ref)
	case in == leftSide:
		return n.of(0, ref)
	case in == bothSides:
		l, r := n.j.qualify(0, first.Name), n.j.qualify(1, first.Name)
		return nil, sql.Errorf(ref, "%s is a column of %s and of %s", sql.QuoteName(first.Name), n.j.alias(0), n.j.alias(1)).WithHint("write %s or %s", l, r)
	}
	return nil, n.unknown(ref)
}

// qualified finds the source that a name begins with.
func (n joinNames) qualified(ref *sql.ColumnRef) (side int, ok bool) {
	if len(ref.Parts) < 2 {
		return 0, false
	}
	for i := range n.j.sides {
		s := &n.j.sides[i]
		if n.see&(1<<i) != 0 && sql.SameName(ref.Parts[0].Name, s.alias) {
			if _, found := s.find(ref.Parts[1].Name); found || s.pseudo(ref.Parts[1].Name) >= 0 {
				return i, true
			}
		}
	}
	return 0, false
}

func (n joinNames) has(side int, ref *sql.ColumnRef) bool {
	s := &n.j.sides[side]
	_, ok := s.find(ref.Parts[0].Name)
	return ok || len(ref.Parts) == 1 && s.pseudo(ref.Parts[0].Name) >= 0
}

// of resolves a name of one source.
func (n joinNames) of(side int, ref *sql.ColumnRef) (expr.Expr, error) {
	x, err := n.j.sides[side].column(ref)
	if err != nil || side == 0 {
		return x, err
	}
	c := *x.(*expr.Column)
	c.Index += sideBase
	return &c, nil
}

func (n joinNames) unknown(ref *sql.ColumnRef) error {
	first := ref.Parts[0]
	var all []string
	for i := range n.j.sides {
		s := &n.j.sides[i]
		visible := n.see&(1<<i) != 0
		if len(ref.Parts) > 1 && sql.SameName(first.Name, s.alias) {
			if visible {
				return s.unknown(ref.Parts[1])
			}
			return n.j.hidden(ref, i)
		}
		if len(ref.Parts) > 1 && sql.SameName(first.Name, s.src.Name) {
			return sql.Errorf(first, "%s is named %s in this query", sql.QuoteName(s.src.Name), n.j.alias(i)).WithHint("write %s", n.j.qualify(i, ref.Parts[1].Name))
		}
		if visible {
			for _, f := range s.src.Schema {
				all = append(all, f.Name)
			}
		}
	}
	if n.see == leftSide {
		return n.j.sides[0].unknown(first)
	}
	e := sql.Errorf(first, "neither %s nor %s has a column %s", n.j.alias(0), n.j.alias(1), sql.QuoteName(first.Name))
	if x, ok := n.j.sides[0].output(first); ok {
		return e.WithHint("it names an output column, which a condition cannot use; write what it stands for: %s", sql.Format(x))
	}
	if near := sql.Nearest(first.Name, append(all, pseudoNames...)); near != "" {
		side := 0
		if _, ok := n.j.sides[0].find(near); !ok {
			side = 1
		}
		return e.WithHint("did you mean %s?", n.j.qualify(side, near))
	}
	return e.WithHint("the columns of %s are: %s; those of %s: %s", n.j.alias(0), listed(fieldNames(n.j.sides[0].src.Schema)),
		n.j.alias(1), listed(fieldNames(n.j.sides[1].src.Schema)))
}

// hidden is the error of naming a source of which a semi-join gives no rows.
func (j *join) hidden(at sql.Node, side int) error {
	return sql.Errorf(at, "the columns of %s cannot be named here: this join gives rows of %s alone", j.alias(side), j.alias(1-side)).
		WithHint("use JOIN for columns of both")
}

func fieldNames(fields []vec.Field) []string {
	var out []string
	for _, f := range fields {
		out = append(out, f.Name)
	}
	return out
}

// alias is the name of a source in the query, as SQL writes it.
func (j *join) alias(side int) string { return sql.QuoteName(j.sides[side].alias) }

// qualify writes a column with its source.
func (j *join) qualify(side int, column string) string {
	return j.alias(side) + "." + sql.QuoteName(column)
}

func (j *join) isUsing(id sql.Ident) bool {
	for _, u := range j.using {
		if sql.SameName(u.Name, id.Name) {
			return true
		}
	}
	return false
}

// usingColumn is a column of USING named without a source: of the side that is always there, in a FULL JOIN of either.
func (j *join) usingColumn(id sql.Ident) (expr.Expr, error) {
	var both [2]expr.Expr
	for i := range both {
		x, err := joinNames{j: j, see: bothSides}.of(i, j.ref(i, id))
		if err != nil {
			return nil, err
		}
		both[i] = x
	}
	switch j.kind {
	case op.Full:
		return expr.NewCoalesce(both[0], both[1])
	case op.Right:
		return both[1], nil
	}
	return both[0], nil
}

// ref names a column of one source, at the place of id.
func (j *join) ref(side int, id sql.Ident) *sql.ColumnRef {
	table := sql.Ident{Span: id.Span, Name: j.sides[side].alias, Quoted: true}
	return &sql.ColumnRef{Span: id.Span, Parts: []sql.Ident{table, {Span: id.Span, Name: id.Name, Quoted: true}}}
}
