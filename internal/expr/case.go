package expr

import (
	"errors"
	"fmt"

	"ubik/internal/vec"
)

// When is an arm of a CASE.
type When struct{ Cond, Then Expr }

// NewCase is CASE [operand] WHEN cond THEN value … ELSE otherwise END. operand is nil for a searched CASE, whose
// conditions are BOOLEAN; with an operand a condition is what it must equal. otherwise nil is NULL. Arms are tried in
// order; what is behind the first that holds is not computed for the row.
func NewCase(operand Expr, whens []When, otherwise Expr) (Expr, error) {
	if len(whens) == 0 {
		return nil, errors.New("CASE has no WHEN")
	}
	if otherwise == nil {
		otherwise = NewNull()
	}
	values := make([]Expr, 0, len(whens)+1)
	args := make([]Expr, 0, 2*len(whens)+1)
	for _, w := range whens {
		var cond Expr
		var err error
		if operand != nil {
			cond, err = newCompare("=", operand, w.Cond)
		} else {
			cond, err = boolean("WHEN", w.Cond)
		}
		if err != nil {
			return nil, err
		}
		values = append(values, w.Then)
		args = append(args, cond, nil)
	}
	values = append(values, otherwise)
	t, err := unify(values)
	if err != nil {
		return nil, fmt.Errorf("the values of CASE: %w", err)
	}
	if values, err = coerceAll(values, t); err != nil {
		return nil, err
	}
	for i := range whens {
		args[2*i+1] = values[i]
	}
	args = append(args, values[len(whens)])
	return newOp(&Op{name: "CASE", args: args, typ: t, form: caseForm, build: func(args []node) node {
		return &caseNode{args: args, out: vec.NewVector(t)}
	}})
}

type caseNode struct {
	args []node
	out  *vec.Vector
	open []int32
	hit  []int32
}

func (n *caseNode) eval(r *run, sel []int32) *vec.Vector {
	out := n.out
	out.Resize(r.n)
	out.Arena = out.Arena[:0]
	open := append(n.open[:0], r.rows(sel)...)
	n.open = open
	last := len(n.args) - 1
	for k := 0; k < last && len(open) > 0; k += 2 {
		n.hit = filter(r, n.args[k], open, n.hit[:0])
		if len(n.hit) > 0 {
			copyRows(out, n.args[k+1].eval(r, n.hit), n.hit)
			open = without(open, n.hit, open[:0])
		}
	}
	if len(open) > 0 {
		copyRows(out, n.args[last].eval(r, open), open)
	}
	return out
}

// copyRows copies rows of a vector of the same type, NULLs and text included.
func copyRows(v, u *vec.Vector, rows []int32) {
	nulls := u.HasNulls()
	if u.Type.Phys() == vec.PhysNone {
		for _, i := range rows {
			v.SetNull(int(i))
		}
		return
	}
	text := v.Type.Phys() == vec.PhysBytes
	for _, i := range rows {
		switch {
		case nulls && u.IsNull(int(i)):
			v.SetNull(int(i))
		case text:
			v.AppendBytes(int(i), u.Bytes(int(i)))
		default:
			copyRow(v, int(i), u, int(i))
		}
	}
}

// NewCoalesce is the first of its arguments that is not NULL; those behind it are not computed for the row.
func NewCoalesce(args ...Expr) (Expr, error) {
	if len(args) == 0 {
		return nil, errors.New("coalesce needs an argument")
	}
	t, err := unify(args)
	if err != nil {
		return nil, fmt.Errorf("the values of coalesce: %w", err)
	}
	if args, err = coerceAll(args, t); err != nil {
		return nil, err
	}
	if len(args) == 1 {
		return args[0], nil
	}
	return newOp(&Op{name: "coalesce", args: args, typ: t, build: func(args []node) node {
		return &coalesceNode{args: args, out: vec.NewVector(t)}
	}})
}

type coalesceNode struct {
	args []node
	out  *vec.Vector
	open []int32
}

func (n *coalesceNode) eval(r *run, sel []int32) *vec.Vector {
	out := n.out
	out.Resize(r.n)
	out.Arena = out.Arena[:0]
	open := append(n.open[:0], r.rows(sel)...)
	n.open = open
	for _, a := range n.args {
		if len(open) == 0 {
			return out
		}
		v := a.eval(r, open)
		k := 0
		for _, i := range open {
			switch {
			case v.IsNull(int(i)):
				open[k] = i
				k++
			case v.Type.Phys() == vec.PhysBytes:
				out.AppendBytes(int(i), v.Bytes(int(i)))
			default:
				copyRow(out, int(i), v, int(i))
			}
		}
		open = open[:k]
	}
	for _, i := range open {
		out.SetNull(int(i))
	}
	return out
}

// NewNullIf is NULL where a = b, else a.
func NewNullIf(a, b Expr) (Expr, error) {
	same, err := newCompare("=", a, b)
	if err != nil {
		return nil, err
	}
	return NewCase(nil, []When{{Cond: same, Then: NewTypedNull(a.Type())}}, a)
}
