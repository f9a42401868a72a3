package expr

import (
	"errors"

	"ubik/internal/vec"
)

// NewIn is x IN (list), or with not x NOT IN (list): TRUE when an item equals x, else NULL when x or an item is NULL,
// else FALSE.
func NewIn(x Expr, list []Expr, not bool) (Expr, error) {
	if len(list) == 0 {
		return nil, errors.New("IN has an empty list")
	}
	constant := true
	terms := make([]Expr, len(list))
	for i, e := range list {
		var err error
		if terms[i], err = newCompare("=", x, e); err != nil {
			return nil, err
		}
		// Where a common type would cost decimals, each comparison is made exactly.
		if _, ok := e.(*Literal); !ok || wideDecimals(x.Type(), e.Type()) {
			constant = false
		}
	}
	args := append([]Expr{x}, list...)
	t, err := unify(args)
	if _, literal := x.(*Literal); !constant || literal || err != nil || t.Kind == vec.Null {
		any, err := NewOr(terms...)
		if err != nil || !not {
			return any, err
		}
		return NewNot(any)
	}
	if args, err = coerceAll(args, t); err != nil {
		return nil, err
	}
	name := "IN"
	if not {
		name = "NOT IN"
	}
	items := vec.NewVector(t)
	hasNull := false
	for _, e := range args[1:] {
		hasNull = hasNull || e.(*Literal).IsNull()
	}
	fillItems(items, args[1:])
	return newOp(&Op{name: name, args: args, typ: boolType, form: inForm, build: func(args []node) node {
		return newInNode(args[0], items, hasNull, not)
	}})
}

// fillItems puts the literals that are not NULL into a vector.
func fillItems(items *vec.Vector, list []Expr) {
	n := 0
	items.Resize(len(list))
	for _, e := range list {
		l := e.(*Literal)
		if l.IsNull() {
			continue
		}
		if items.Type.Phys() == vec.PhysBytes {
			items.AppendBytes(n, l.v.Bytes(0))
		} else {
			copyRow(items, n, l.v, 0)
		}
		n++
	}
	items.Resize(n)
}

// inNode looks a value up among literals: in a set when they are words or texts, else by comparing with each.
type inNode struct {
	arg     node
	items   *vec.Vector
	hasNull bool
	not     bool
	words   map[int64]struct{}
	texts   map[string]struct{}
	out     *vec.Vector
	buf     []int32
}

func newInNode(arg node, items *vec.Vector, hasNull, not bool) *inNode {
	n := &inNode{arg: arg, items: items, hasNull: hasNull, not: not, out: vec.NewVector(boolType)}
	switch items.Type.Phys() {
	case vec.PhysI64:
		if items.Len() > 8 {
			n.words = make(map[int64]struct{}, items.Len())
			for _, x := range items.I64 {
				n.words[x] = struct{}{}
			}
		}
	case vec.PhysBytes:
		n.texts = make(map[string]struct{}, items.Len())
		for i := range items.Spans {
			n.texts[string(items.Bytes(i))] = struct{}{}
		}
	}
	return n
}

func (n *inNode) contains(v *vec.Vector, i int32) bool {
	switch n.items.Type.Phys() {
	case vec.PhysI64:
		x := v.I64[i]
		if n.words != nil {
			_, ok := n.words[x]
			return ok
		}
		for _, y := range n.items.I64 {
			if x == y {
				return true
			}
		}
	case vec.PhysBytes:
		_, ok := n.texts[string(v.Bytes(int(i)))]
		return ok
	case vec.PhysF64:
		for _, y := range n.items.F64 {
			if equalWord(v.F64[i], y) {
				return true
			}
		}
	case vec.PhysI128:
		for _, y := range n.items.I128 {
			if v.I128[i] == y {
				return true
			}
		}
	case vec.PhysBool:
		for _, y := range n.items.Bools {
			if v.Bools[i] == y {
				return true
			}
		}
	case vec.PhysIval:
		for _, y := range n.items.Ivals {
			if compareIntervals(v.Ivals[i], y) == 0 {
				return true
			}
		}
	}
	return false
}

func (n *inNode) eval(r *run, sel []int32) *vec.Vector {
	v, out := n.arg.eval(r, sel), n.out
	out.Resize(r.n)
	out.OrNulls(v)
	for _, i := range r.notNullRows(sel, &n.buf, v) {
		found := n.contains(v, i)
		if !found && n.hasNull {
			out.SetNull(int(i))
			continue
		}
		out.Bools[i] = found != n.not
	}
	return out
}

func (n *inNode) filter(r *run, sel, dst []int32) []int32 {
	v := n.arg.eval(r, sel)
	for _, i := range r.notNullRows(sel, &n.buf, v) {
		if found := n.contains(v, i); found != n.not && (found || !n.hasNull) {
			dst = append(dst, i)
		}
	}
	return dst
}
