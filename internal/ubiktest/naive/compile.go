package naive

import (
	"math/big"
	"strings"

	"ubik/internal/sql"
)

// node is an expression with its type. loose is an integer, a text or NULL as written, which takes the type of what it
// stands beside; lit is its value. id is the same for equal expressions over the same columns of the same sources. field is
// what names lead to from a STRUCT that is a column of a source, nil for everything else.
type node struct {
	typ   Type
	loose bool
	lit   any
	id    string
	eval  func(r *row) (any, error)
	field func(names []sql.Ident) (*node, error)
}

// row is what expressions read: a record, two rows joined, or one group at its emission.
type row struct {
	rec  *Record
	part *Partition
	cols map[string]any // by path, filled once the record is decoded

	sides [2]*row // of a joined row, nil: absent

	start, end int64 // of the window
	keys       []any
	results    []any

	arm    int      // of the side of a join that takes it
	time   int64    // when a joined row leaves
	leaves []leaf   // the records that a record's or a joined row is made of, in the order of FROM
	behind []Record // all records that made it, for messages
}

func constant(t Type, v any) *node {
	return &node{typ: t, lit: v, eval: func(*row) (any, error) { return v, nil }}
}

// compiler makes nodes of a syntax tree.
type compiler struct {
	tables []*table
	agg    *grouping // set for the emission of an aggregate
	ids    []string  // of the parts of the expression in hand
}

func (c *compiler) expr(e sql.Expr) (*node, error) {
	outer := c.ids
	c.ids = nil
	n, err := c.node(e)
	if err != nil {
		return nil, err
	}
	if n.id == "" {
		n.id = shape(e) + "(" + strings.Join(c.ids, ",") + ")"
	}
	c.ids = append(outer, n.id)
	return n, nil
}

// shape is what an expression is, without its parts.
func shape(e sql.Expr) string {
	switch e := e.(type) {
	case *sql.Unary:
		return string(e.Op)
	case *sql.Binary:
		return string(e.Op)
	case *sql.Cast:
		return "cast " + sql.Format(e.Type)
	case *sql.Call:
		return sql.FoldName(e.Name.Name)
	}
	return sql.Format(e)
}

func (c *compiler) node(e sql.Expr) (*node, error) {
	if c.agg != nil {
		if n, err := c.agg.emitted(c, e); n != nil || err != nil {
			return n, err
		}
	}
	switch e := e.(type) {
	case *sql.ColumnRef:
		return c.column(e)
	case *sql.Field, *sql.Index:
		if ids := parts(e); ids != nil {
			return c.column(&sql.ColumnRef{Parts: ids})
		}
		return c.part(e)
	case *sql.NullLit:
		n := constant(named("NULL"), nil)
		n.loose = true
		return n, nil
	case *sql.BoolLit:
		return constant(named("BOOLEAN"), e.Value), nil
	case *sql.NumberLit:
		return number(e.Text, e.Kind)
	case *sql.StringLit:
		n := constant(named("VARCHAR"), e.Value)
		n.loose = true
		return n, nil
	case *sql.IntervalLit:
		return constant(named("INTERVAL"), interval{int64(e.Months), int64(e.Days), e.Micros}), nil
	case *sql.Unary:
		return c.unary(e)
	case *sql.Binary:
		return c.binary(e)
	case *sql.Logic:
		return c.logic(e)
	case *sql.IsNull:
		x, err := c.expr(e.X)
		if err != nil {
			return nil, err
		}
		return apply(named("BOOLEAN"), func(v []any) (any, error) { return (v[0] == nil) != e.Not, nil }, x), nil
	case *sql.IsBool:
		x, err := c.boolean(e.X)
		if err != nil {
			return nil, err
		}
		return apply(named("BOOLEAN"), func(v []any) (any, error) { return (v[0] == e.Value) != e.Not, nil }, x), nil
	case *sql.In:
		return c.in(e)
	case *sql.Between:
		low, err := c.compareOf(sql.OpGe, e.X, e.Low)
		if err != nil {
			return nil, err
		}
		high, err := c.compareOf(sql.OpLe, e.X, e.High)
		if err != nil {
			return nil, err
		}
		return negated(chain(sql.OpAnd, []*node{low, high}), e.Not), nil
	case *sql.Like:
		return c.like(e)
	case *sql.Case:
		return c.caseOf(e)
	case *sql.Cast:
		return c.cast(e)
	case *sql.Call:
		return c.call(e)
	}
	return nil, unsupported("%T %s", e, sql.Format(e))
}

func (c *compiler) all(es ...sql.Expr) ([]*node, error) {
	var out []*node
	for _, e := range es {
		n, err := c.expr(e)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// parts are the names of a dotted path written in any way, nil if it is none.
func parts(e sql.Expr) []sql.Ident {
	var of sql.Expr
	var last sql.Ident
	switch e := e.(type) {
	case *sql.ColumnRef:
		return append([]sql.Ident{}, e.Parts...)
	case *sql.Field:
		of, last = e.X, e.Name
	case *sql.Index:
		s, ok := e.I.(*sql.StringLit)
		if !ok {
			return nil
		}
		of, last = e.X, sql.Ident{Name: s.Value}
	default:
		return nil
	}
	if before := parts(of); before != nil {
		return append(before, last)
	}
	return nil
}

// number is a number as written: the narrowest of INTEGER, BIGINT and HUGEINT; with a point a DECIMAL of its digits.
func number(text string, kind sql.NumberKind) (*node, error) {
	asDouble := func() (*node, error) {
		v, ok := parseDouble(text)
		if !ok {
			return nil, unsupported("the number %s", text)
		}
		return constant(named("DOUBLE"), v), nil
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, unsupported("the number %s", text)
	}
	switch kind {
	case sql.IntegerNumber:
		for _, name := range []string{"INTEGER", "BIGINT", "HUGEINT"} {
			if named(name).fits(r.Num()) {
				n := constant(named(name), r.Num())
				n.loose = true
				return n, nil
			}
		}
	case sql.DecimalNumber:
		point := 0
		for text[point] != '.' {
			point++
		}
		if p, s := max(len(text)-1, 1), len(text)-point-1; p <= 38 {
			return constant(decimal(p, s), scaled(r, s)), nil
		}
	}
	return asDouble()
}

// apply is a function of all its arguments' values, NULLs included.
func apply(t Type, f func(v []any) (any, error), args ...*node) *node {
	return &node{typ: t, eval: func(r *row) (any, error) {
		v := make([]any, len(args))
		for i, a := range args {
			var err error
			if v[i], err = a.eval(r); err != nil {
				return nil, err
			}
		}
		return f(v)
	}}
}

// strict is a function that is NULL where an argument is.
func strict(t Type, f func(v []any) (any, error), args ...*node) *node {
	return apply(t, func(v []any) (any, error) {
		for _, x := range v {
			if x == nil {
				return nil, nil
			}
		}
		return f(v)
	}, args...)
}

// to brings a node to a type.
func to(n *node, t Type) *node {
	if n.typ.same(t) {
		return n
	}
	return &node{typ: t, id: "to " + t.String() + "(" + n.id + ")", eval: func(r *row) (any, error) {
		v, err := n.eval(r)
		if err != nil {
			return nil, err
		}
		return cast(v, n.typ, t)
	}}
}

// common is the type that all nodes are brought to. What is loose does not decide it where it fits.
func common(nodes ...*node) (Type, error) {
	t := named("NULL")
	join := func(n *node) error {
		w, ok := wider(t, n.typ)
		if !ok {
			return unsupported("%s beside %s", t, n.typ)
		}
		t = w
		return nil
	}
	for _, n := range nodes {
		if !n.loose {
			if err := join(n); err != nil {
				return t, err
			}
		}
	}
	for _, n := range nodes {
		i, isInt := n.lit.(*big.Int)
		switch {
		case !n.loose || n.typ.Name == "NULL":
		case n.typ.Name == "VARCHAR" && t.Name != "NULL":
		case isInt && t.isInt() && t.fits(i):
		default:
			if err := join(n); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}
