package expr

import (
	"fmt"

	"ubik/internal/vec"
)

// boolean brings an operand of a logical operator to BOOLEAN; NULL and a text as written are read as one.
func boolean(where string, e Expr) (Expr, error) {
	if e.Type().Kind != vec.Bool && (loose(e) == nil || e.Type().IsInteger()) {
		return nil, fmt.Errorf("%s needs BOOLEAN, not %s", where, e.Type())
	}
	return coerce(e, boolType)
}

// NewAnd is a chain of AND. It stops at the first term that is FALSE; NULL does not stop it. A chain of one is its
// term, one of none is TRUE.
func NewAnd(terms ...Expr) (Expr, error) { return newLogic("AND", false, terms) }

// NewOr is a chain of OR. It stops at the first term that is TRUE; a chain of none is FALSE.
func NewOr(terms ...Expr) (Expr, error) { return newLogic("OR", true, terms) }

func newLogic(name string, decisive bool, terms []Expr) (Expr, error) {
	if len(terms) == 0 {
		return NewBool(!decisive), nil
	}
	args := make([]Expr, len(terms))
	for i, t := range terms {
		var err error
		if args[i], err = boolean(name, t); err != nil {
			return nil, err
		}
	}
	if len(args) == 1 {
		return args[0], nil
	}
	// A filter may skip the rows where a term is NULL only if the terms after it cannot fault there.
	quiet := true
	for _, t := range args[1:] {
		quiet = quiet && !t.fails()
	}
	return newOp(&Op{name: name, args: args, typ: boolType, form: infixForm, build: func(args []node) node {
		n := logicNode{terms: args, decisive: decisive, out: vec.NewVector(boolType)}
		if quiet && !decisive {
			return &quietAnd{n}
		}
		return &n
	}})
}

// logicNode is AND (decisive: false) or OR (decisive: true).
type logicNode struct {
	terms    []node
	decisive bool
	out      *vec.Vector
	buf      []int32
}

func (n *logicNode) eval(r *run, sel []int32) *vec.Vector {
	out := n.out
	out.Resize(r.n)
	open := append(n.buf[:0], r.rows(sel)...)
	n.buf = open
	for _, t := range n.terms {
		if len(open) == 0 {
			break
		}
		v := t.eval(r, open)
		k := 0
		for _, i := range open {
			switch {
			case v.IsNull(int(i)):
				out.SetNull(int(i))
			case v.Bools[i] == n.decisive:
				out.Bools[i] = n.decisive
				out.ClearNull(int(i))
				continue
			}
			open[k] = i
			k++
		}
		open = open[:k]
	}
	for _, i := range open {
		out.Bools[i] = !n.decisive
	}
	return out
}

// quietAnd is an AND whose terms cannot fault, so that a filter may drop a row at the first term that is not TRUE.
type quietAnd struct{ logicNode }

func (n *quietAnd) filter(r *run, sel, dst []int32) []int32 {
	old := len(dst)
	dst = filter(r, n.terms[0], sel, dst)
	for _, t := range n.terms[1:] {
		if len(dst) == old {
			break
		}
		dst = filter(r, t, dst[old:], dst[:old])
	}
	return dst
}

// unaryNode computes a BOOLEAN from one operand, NULL included.
type unaryNode struct {
	arg  node
	fill func(in, out *vec.Vector, rows []int32)
	out  *vec.Vector
}

func (n *unaryNode) eval(r *run, sel []int32) *vec.Vector {
	in := n.arg.eval(r, sel)
	n.out.Resize(r.n)
	n.fill(in, n.out, r.rows(sel))
	return n.out
}

func newBoolUnary(name string, form form, a Expr, fill func(in, out *vec.Vector, rows []int32)) (Expr, error) {
	return newOp(&Op{name: name, args: []Expr{a}, typ: boolType, form: form, build: func(args []node) node {
		return &unaryNode{arg: args[0], fill: fill, out: vec.NewVector(boolType)}
	}})
}

// NewNot is NOT a.
func NewNot(a Expr) (Expr, error) {
	a, err := boolean("NOT", a)
	if err != nil {
		return nil, err
	}
	return newBoolUnary("NOT", prefixForm, a, func(in, out *vec.Vector, rows []int32) {
		out.OrNulls(in)
		for _, i := range rows {
			out.Bools[i] = !in.Bools[i]
		}
	})
}

// NewIsNull is a IS NULL, or with not a IS NOT NULL.
func NewIsNull(a Expr, not bool) (Expr, error) {
	name := "IS NULL"
	if not {
		name = "IS NOT NULL"
	}
	return newBoolUnary(name, postfixForm, a, func(in, out *vec.Vector, rows []int32) {
		for _, i := range rows {
			out.Bools[i] = in.IsNull(int(i)) != not
		}
	})
}

// NewIsBool is a IS value, or with not a IS NOT value, where value is TRUE or FALSE: never NULL.
func NewIsBool(a Expr, value, not bool) (Expr, error) {
	name := "IS "
	if not {
		name += "NOT "
	}
	if value {
		name += "TRUE"
	} else {
		name += "FALSE"
	}
	a, err := boolean(name, a)
	if err != nil {
		return nil, err
	}
	return newBoolUnary(name, postfixForm, a, func(in, out *vec.Vector, rows []int32) {
		for _, i := range rows {
			out.Bools[i] = (!in.IsNull(int(i)) && in.Bools[i] == value) != not
		}
	})
}
