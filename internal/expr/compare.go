package expr

import (
	"fmt"

	"ubik/internal/vec"
)

// compareOp is a comparison: its base and whether the answer is turned round. a > b is not (a <= b), which is right
// since the order is total: NaN is equal to itself and greater than every number.
type compareOp struct {
	base uint8 // cmpEq, cmpLt or cmpLe
	not  bool
}

const (
	cmpEq uint8 = iota
	cmpLt
	cmpLe
)

var compareOps = map[string]compareOp{
	"=": {cmpEq, false}, "<>": {cmpEq, true},
	"<": {cmpLt, false}, ">=": {cmpLt, true},
	"<=": {cmpLe, false}, ">": {cmpLe, true},
}

// holds is the answer for operands that compare as c: −1, 0 or 1.
func (o compareOp) holds(c int) bool {
	var h bool
	switch o.base {
	case cmpEq:
		h = c == 0
	case cmpLt:
		h = c < 0
	default:
		h = c <= 0
	}
	return h != o.not
}

// compareTypes brings two operands of a comparison to one type. Two DECIMALs may differ: they are compared exactly
// as they are, where a common type would need more than 38 digits.
func compareTypes(a, b Expr) (Expr, Expr, error) {
	la, lb := loose(a), loose(b)
	ta, tb := a.Type(), b.Type()
	for _, t := range []vec.Type{ta, tb} {
		if t.IsJSON() {
			return nil, nil, fmt.Errorf("%s is not compared: %s", t, jsonHint(t))
		}
	}
	if la == nil && lb == nil && (ta.Kind == vec.Varchar) != (tb.Kind == vec.Varchar) && ta.Kind != vec.Null && tb.Kind != vec.Null {
		return nil, nil, fmt.Errorf("cannot compare %s with %s: cast one of them", ta, tb)
	}
	if la != nil && la.v.Type.IsInteger() && tb.Kind == vec.Varchar || lb != nil && lb.v.Type.IsInteger() && ta.Kind == vec.Varchar {
		if (la == nil) != (lb == nil) {
			return nil, nil, fmt.Errorf("cannot compare %s with %s: cast one of them", ta, tb)
		}
	}
	if wideDecimals(ta, tb) {
		return a, b, nil
	}
	args := []Expr{a, b}
	t, err := unify(args)
	if err != nil || t.Phys() == vec.PhysNone && t.Kind != vec.Null {
		return nil, nil, fmt.Errorf("cannot compare %s with %s", ta, tb)
	}
	if args, err = coerceAll(args, t); err != nil {
		return nil, nil, err
	}
	return args[0], args[1], nil
}

// wideDecimals reports whether two types are exact numbers whose common DECIMAL would have more than 38 digits.
func wideDecimals(a, b vec.Type) bool {
	exactNumber := func(t vec.Type) bool { return t.IsInteger() || t.Kind == vec.Decimal }
	if !exactNumber(a) || !exactNumber(b) || a.IsInteger() && b.IsInteger() {
		return false
	}
	a, b = asDecimal(a), asDecimal(b)
	return max(a.Precision-a.Scale, b.Precision-b.Scale)+max(a.Scale, b.Scale) > 38
}

func newCompare(op string, a, b Expr) (Expr, error) {
	a, b, err := compareTypes(a, b)
	if err != nil {
		return nil, err
	}
	return newOp(&Op{name: op, args: []Expr{a, b}, typ: boolType, form: infixForm, build: func(args []node) node {
		return newCompareNode(compareOps[op], a.Type(), b.Type(), args[0], args[1])
	}})
}

// NewBetween is x BETWEEN low AND high, or with not its negation: the two comparisons.
func NewBetween(x, low, high Expr, not bool) (Expr, error) {
	lo, err := newCompare(">=", x, low)
	if err != nil {
		return nil, err
	}
	hi, err := newCompare("<=", x, high)
	if err != nil {
		return nil, err
	}
	both, err := NewAnd(lo, hi)
	if err != nil || !not {
		return both, err
	}
	return NewNot(both)
}

// NewIsDistinct is a IS DISTINCT FROM b, or with not a IS NOT DISTINCT FROM b: a comparison to which NULL is a value.
func NewIsDistinct(a, b Expr, not bool) (Expr, error) {
	a, b, err := compareTypes(a, b)
	if err != nil {
		return nil, err
	}
	name := "IS DISTINCT FROM"
	if not {
		name = "IS NOT DISTINCT FROM"
	}
	return newOp(&Op{name: name, args: []Expr{a, b}, typ: boolType, form: infixForm, build: func(args []node) node {
		eq := newCompareNode(compareOp{base: cmpEq}, a.Type(), b.Type(), args[0], args[1])
		return &distinctNode{eq: eq, not: not, out: vec.NewVector(boolType)}
	}})
}

type distinctNode struct {
	eq  *compareNode
	not bool
	out *vec.Vector
}

func (d *distinctNode) eval(r *run, sel []int32) *vec.Vector {
	eq := d.eq.eval(r, sel)
	x, y := d.eq.va, d.eq.vb
	d.out.Resize(r.n)
	for _, i := range r.rows(sel) {
		var same bool
		if eq.IsNull(int(i)) {
			same = x.IsNull(int(i)) && y.IsNull(int(i))
		} else {
			same = eq.Bools[i]
		}
		d.out.Bools[i] = same == d.not
	}
	return d.out
}
