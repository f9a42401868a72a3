package expr

import (
	"fmt"

	"ubik/internal/exact"
	"ubik/internal/vec"
)

// NewUnary is -a, +a or NOT a.
func NewUnary(op string, a Expr) (Expr, error) {
	switch op {
	case "NOT":
		return NewNot(a)
	case "+":
		if a.Type().IsNumeric() || a.Type().Kind == vec.Null {
			return a, nil
		}
	case "-":
		return newNegation(a)
	}
	return nil, fmt.Errorf("%s %s: no such operation", op, a.Type())
}

// NewBinary is an operator with two operands: + - * / // % ^ || -> ->> = <> < <= > >=, IS DISTINCT FROM or IS NOT
// DISTINCT FROM.
func NewBinary(op string, a, b Expr) (Expr, error) {
	switch op {
	case "=", "<>", "<", "<=", ">", ">=":
		return newCompare(op, a, b)
	case "IS DISTINCT FROM", "IS NOT DISTINCT FROM":
		return NewIsDistinct(a, b, op == "IS NOT DISTINCT FROM")
	case "||":
		return newConcat(a, b)
	case "->":
		return newExtract("json_extract", jsonType, []Expr{a, b})
	case "->>":
		return newExtract("json_extract_string", varcharType, []Expr{a, b})
	case "+", "-", "*", "/", "//", "%", "^":
		return newArith(op, a, b)
	}
	return nil, fmt.Errorf("no operator %q", op)
}

// binaryRun is one call of a kernel with two operands.
type binaryRun struct {
	*run
	a, b, out *vec.Vector // out is NULL already where an operand is
	sel       []int32     // nil: all rows
}

// overflow notes a fault of row i unless an operand is NULL, in which case the loop computed with leftovers.
func (c *binaryRun) overflow(i int32, op string) {
	if c.out.IsNull(int(i)) {
		return
	}
	x := string(AppendText(nil, c.a, int(i)))
	y := string(AppendText(nil, c.b, int(i)))
	c.out.SetNull(int(i))
	c.fault(i, "overflow: "+x+" "+op+" "+y+" is out of range for "+c.out.Type.String())
}

type binaryNode struct {
	a, b   node
	kernel func(c *binaryRun)
	out    *vec.Vector
	c      binaryRun
}

func (n *binaryNode) eval(r *run, sel []int32) *vec.Vector {
	va, vb := n.a.eval(r, sel), n.b.eval(r, sel)
	n.out.Resize(r.n)
	n.out.OrNulls(va)
	n.out.OrNulls(vb)
	n.c = binaryRun{run: r, a: va, b: vb, out: n.out, sel: sel}
	n.kernel(&n.c)
	return n.out
}

// newBinaryOp is an infix operator of operands that have the types its kernel takes.
func newBinaryOp(op string, a, b Expr, t vec.Type, mayFail bool, kernel func(c *binaryRun)) (Expr, error) {
	return newOp(&Op{name: op, args: []Expr{a, b}, typ: t, form: infixForm, mayFail: mayFail, build: func(args []node) node {
		return &binaryNode{a: args[0], b: args[1], kernel: kernel, out: vec.NewVector(t)}
	}})
}

func noOperation(op string, a, b vec.Type) error {
	return fmt.Errorf("%s %s %s: no such operation; cast one of them", a, op, b)
}

func newArith(op string, a, b Expr) (Expr, error) {
	ta, tb := a.Type(), b.Type()
	if la, lb := loose(a), loose(b); (la != nil && ta.Kind == vec.Varchar) != (lb != nil && tb.Kind == vec.Varchar) {
		// A text as written is read as what it stands beside, as DuckDB does.
		var err error
		if ta.Kind == vec.Varchar {
			a, err = coerce(a, textOperand(ta, tb))
		} else {
			b, err = coerce(b, textOperand(tb, ta))
		}
		if err != nil {
			return nil, err
		}
		ta, tb = a.Type(), b.Type()
	}
	if ta.Kind == vec.Null && tb.Kind == vec.Null {
		ta, tb = bigintType, bigintType
	} else if ta.Kind == vec.Null {
		ta = nullOperand(op, tb)
	} else if tb.Kind == vec.Null {
		tb = nullOperand(op, ta)
	}
	if !ta.IsNumeric() || !tb.IsNumeric() {
		return newTimeArith(op, a, b, ta, tb)
	}
	exactResult := op != "/" && op != "^" && ta.Kind != vec.Double && tb.Kind != vec.Double
	switch {
	case exactResult && ta.IsInteger() && tb.IsInteger():
		return newIntArith(op, a, b)
	case exactResult && op != "//" && !(op == "%" && wideDecimals(ta, tb)):
		return newDecimalArith(op, a, b, asDecimal(ta), asDecimal(tb))
	}
	args, err := coerceAll([]Expr{a, b}, doubleType)
	if err == nil && exactResult && op == "%" {
		args[1], err = NewNullIf(args[1], NewDouble(0)) // of DECIMALs by zero: NULL
	}
	if err != nil {
		return nil, err
	}
	return newBinaryOp(op, args[0], args[1], doubleType, false, doubleKernels[op])
}

// nullOperand is the type of a bare NULL beside another operand: the same, but an INTERVAL beside dates and times and a
// number beside an INTERVAL that is scaled.
func nullOperand(op string, other vec.Type) vec.Type {
	switch {
	case other.Kind == vec.Interval && (op == "*" || op == "/"):
		return bigintType
	case other.IsNumeric():
		return other
	}
	return intervalType
}

// textOperand is the type that a text takes beside another operand of an arithmetic operator, its own for none.
func textOperand(text, other vec.Type) vec.Type {
	switch other.Kind {
	case vec.Decimal, vec.Double:
		return doubleType
	case vec.Int8, vec.Int16, vec.Int32, vec.Int64, vec.HugeInt, vec.Date, vec.Timestamp, vec.TimestampTZ:
		return other
	}
	return text
}

func newIntArith(op string, a, b Expr) (Expr, error) {
	args := []Expr{a, b}
	t, err := unify(args)
	if err != nil {
		return nil, err
	}
	if t.Kind == vec.Null {
		t = bigintType
	}
	if args, err = coerceAll(args, t); err != nil {
		return nil, err
	}
	kernel := intKernels[op]
	if t.Kind == vec.HugeInt {
		kernel = hugeKernels[op]
	}
	return newBinaryOp(op, args[0], args[1], t, op != "%", kernel)
}

// newDecimalArith types + - * % of two DECIMALs as DuckDB does: the result of a sum has one digit more, that of a
// product the digits of both; operands that fit one word give a result of one word and those of two words one of
// 38 digits, with a test for overflow.
func newDecimalArith(op string, a, b Expr, ta, tb vec.Type) (Expr, error) {
	pa, sa, pb, sb := int(ta.Precision), int(ta.Scale), int(tb.Precision), int(tb.Scale)
	if op == "*" {
		p, s := pa+pb, sa+sb
		if s > exact.MaxPrecision {
			return nil, fmt.Errorf("%s * %s needs %d decimals, more than a DECIMAL has: cast one of them to fewer or to DOUBLE", ta, tb, s)
		}
		if p > 18 && pa <= 18 && pb <= 18 && s < 18 {
			p = 18
		}
		t := vec.DecimalType(min(p, exact.MaxPrecision), s)
		// The factors keep their scales; for one loop for all, both are of one word or both of two.
		wide := max(pa, pb)
		x, err := coerce(a, vec.DecimalType(wordsOf(pa, wide), sa))
		if err != nil {
			return nil, err
		}
		y, err := coerce(b, vec.DecimalType(wordsOf(pb, wide), sb))
		if err != nil {
			return nil, err
		}
		return newBinaryOp(op, x, y, t, true, decimalMul)
	}
	s := max(sa, sb)
	p := max(pa-sa, pb-sb) + s
	if op != "%" {
		p++
		if p > 18 && pa <= 18 && pb <= 18 {
			p = 18
		}
	}
	t := vec.DecimalType(min(p, exact.MaxPrecision), s)
	args, err := coerceAll([]Expr{a, b}, t)
	if err != nil {
		return nil, err
	}
	return newBinaryOp(op, args[0], args[1], t, op != "%", decimalKernels[op])
}

// wordsOf is the precision of a factor beside one of precision wide: its own, or 19 when the loop is on two words.
func wordsOf(p, wide int) int {
	if wide > 18 {
		return max(p, 19)
	}
	return p
}

// newNegation is -a.
func newNegation(a Expr) (Expr, error) {
	t := a.Type()
	if t.Kind == vec.Null {
		t = bigintType
	}
	if !t.IsNumeric() && t.Kind != vec.Interval {
		return nil, fmt.Errorf("- %s: no such operation", t)
	}
	if l := loose(a); l != nil && !l.IsNull() {
		// -9223372036854775808 is a BIGINT though 9223372036854775808 is none; -2147483648 is no INTEGER, as in DuckDB.
		x, ok := exactValue(l.v, 0).Neg()
		if !ok {
			return nil, fmt.Errorf("- %s is out of range for HUGEINT", l)
		}
		n, err := NewNumber(x.String())
		if err == nil && t.Kind == vec.Int64 && n.Type().Kind == vec.Int32 {
			n.v = newLiteral(bigintType).v
			n.v.I64[0] = x.Int64()
		}
		return n, err
	}
	x, err := coerce(a, t)
	if err != nil {
		return nil, err
	}
	return newOp(&Op{name: "-", args: []Expr{x}, typ: t, form: prefixForm, mayFail: t.IsInteger() || t.Kind == vec.Interval,
		build: func(args []node) node { return &negNode{arg: args[0], out: vec.NewVector(t)} }})
}

type negNode struct {
	arg node
	out *vec.Vector
	buf []int32
}

func (n *negNode) eval(r *run, sel []int32) *vec.Vector {
	in, out := n.arg.eval(r, sel), n.out
	out.Resize(r.n)
	out.OrNulls(in)
	t := out.Type
	lo, _ := intRange(t.Kind)
	for _, i := range r.notNullRows(sel, &n.buf, in) {
		ok := true
		switch t.Phys() {
		case vec.PhysI64:
			out.I64[i] = -in.I64[i]
			ok = t.Kind == vec.Decimal || in.I64[i] != lo
		case vec.PhysI128:
			out.I128[i], ok = in.I128[i].Neg()
		case vec.PhysF64:
			out.F64[i] = -in.F64[i]
		case vec.PhysIval:
			out.Ivals[i], ok = negInterval(in.Ivals[i])
		}
		if !ok {
			out.SetNull(int(i))
			r.fault(i, "overflow: - "+string(AppendText(nil, in, int(i)))+" is out of range for "+t.String())
		}
	}
	return out
}
