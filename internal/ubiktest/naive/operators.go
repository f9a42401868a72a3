package naive

import (
	"math"
	"math/big"

	"ubik/internal/sql"
)

func (c *compiler) unary(e *sql.Unary) (*node, error) {
	x, err := c.expr(e.X)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case sql.OpNot:
		b, err := c.boolean(e.X)
		return negated(b, true), err
	case sql.OpPlus:
		return x, nil
	}
	if v, ok := x.lit.(*big.Int); ok && x.loose {
		return number(new(big.Int).Neg(v).String(), sql.IntegerNumber)
	}
	t := x.typ
	return strict(t, func(v []any) (any, error) {
		switch a := v[0].(type) {
		case float64:
			return -a, nil
		case interval:
			return interval{-a.months, -a.days, -a.micros}, nil
		case *big.Int:
			return checked(new(big.Int).Neg(a), t)
		}
		return nil, unsupported("- %s", t)
	}, x), nil
}

// checked is a result of exact arithmetic if it is a value of the type.
func checked(v *big.Int, t Type) (any, error) {
	if !t.fits(v) {
		return nil, fault("overflow: %s does not fit %s", digits(v, t.S), t)
	}
	return v, nil
}

func (c *compiler) binary(e *sql.Binary) (*node, error) {
	switch e.Op {
	case sql.OpEq, sql.OpNe, sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe:
		return c.compareOf(e.Op, e.L, e.R)
	case sql.OpDistinct, sql.OpNotDistinct:
		eq, err := c.compareOf(sql.OpEq, e.L, e.R)
		if err != nil {
			return nil, err
		}
		xs, err := c.all(e.L, e.R)
		if err != nil {
			return nil, err
		}
		return apply(named("BOOLEAN"), func(v []any) (any, error) {
			same := v[0] == true || v[1] == nil && v[2] == nil
			return same == (e.Op == sql.OpNotDistinct), nil
		}, eq, xs[0], xs[1]), nil
	}
	xs, err := c.all(e.L, e.R)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case sql.OpArrow, sql.OpArrowText:
		return extract(e.Op == sql.OpArrowText, xs)
	case sql.OpConcat:
		return strict(named("VARCHAR"), func(v []any) (any, error) { return v[0].(string) + v[1].(string), nil },
			to(xs[0], named("VARCHAR")), to(xs[1], named("VARCHAR"))), nil
	}
	return arithmetic(e.Op, xs[0], xs[1])
}

func arithmetic(op sql.BinaryOp, a, b *node) (*node, error) {
	for _, x := range []**node{&a, &b} {
		if (*x).typ.Name != "NULL" {
			continue
		}
		other := a
		if x == &a {
			other = b
		}
		t := other.typ
		if t.Name == "NULL" {
			t = named("BIGINT")
		}
		*x = constant(t, nil)
	}
	ta, tb := a.typ, b.typ
	switch {
	case !ta.isNumeric() || !tb.isNumeric():
		return timeArithmetic(op, a, b)
	case op == sql.OpDiv || op == sql.OpPow || ta.Name == "DOUBLE" || tb.Name == "DOUBLE",
		op == sql.OpIntDiv && !(ta.isInt() && tb.isInt()):
		return strict(named("DOUBLE"), func(v []any) (any, error) { return floats(op, v[0].(float64), v[1].(float64)), nil },
			to(a, named("DOUBLE")), to(b, named("DOUBLE"))), nil
	case ta.isInt() && tb.isInt():
		t, err := common(a, b)
		if err != nil {
			return nil, err
		}
		return strict(t, func(v []any) (any, error) { return exactly(op, v[0].(*big.Int), v[1].(*big.Int), t) }, to(a, t), to(b, t)), nil
	}
	return decimals(op, a, b)
}

func floats(op sql.BinaryOp, a, b float64) any {
	switch op {
	case sql.OpAdd:
		return a + b
	case sql.OpSub:
		return a - b
	case sql.OpMul:
		return a * b
	case sql.OpIntDiv:
		if b == 0 {
			return nil
		}
		return a / b
	case sql.OpDiv:
		return a / b
	case sql.OpMod:
		return math.Mod(a, b)
	}
	return math.Pow(a, b)
}

func exactly(op sql.BinaryOp, a, b *big.Int, t Type) (any, error) {
	x := new(big.Int)
	switch op {
	case sql.OpAdd:
		x.Add(a, b)
	case sql.OpSub:
		x.Sub(a, b)
	case sql.OpMul:
		x.Mul(a, b)
	case sql.OpIntDiv, sql.OpMod:
		if b.Sign() == 0 {
			return nil, nil
		}
		if op == sql.OpIntDiv {
			x.Quo(a, b)
		} else {
			x.Rem(a, b)
		}
	}
	return checked(x, t)
}

// decimals types + - * % of DECIMALs as DuckDB does: a sum has one digit more, a product the digits of both, but where
// the operands fit 64 bits so does the result.
func decimals(op sql.BinaryOp, a, b *node) (*node, error) {
	ta, tb := a.typ.asDecimal(), b.typ.asDecimal()
	fit := func(p, s int) Type {
		if p > 18 && ta.P <= 18 && tb.P <= 18 && s < 18 {
			p = 18
		}
		return decimal(min(p, 38), s)
	}
	if op == sql.OpMul {
		t := fit(ta.P+tb.P, ta.S+tb.S)
		if t.S > 38 {
			return nil, unsupported("%s * %s", ta, tb)
		}
		return strict(t, func(v []any) (any, error) { return exactly(op, v[0].(*big.Int), v[1].(*big.Int), t) }, to(a, ta), to(b, tb)), nil
	}
	s := max(ta.S, tb.S)
	p := max(ta.P-ta.S, tb.P-tb.S) + s
	t := decimal(min(p, 38), s)
	switch {
	case op != sql.OpMod:
		t = fit(p+1, s)
	case p > 38: // as in DuckDB
		return strict(double, func(v []any) (any, error) {
			if v[1].(float64) == 0 {
				return nil, nil
			}
			return math.Mod(v[0].(float64), v[1].(float64)), nil
		}, to(a, double), to(b, double)), nil
	}
	return strict(t, func(v []any) (any, error) { return exactly(op, v[0].(*big.Int), v[1].(*big.Int), t) }, to(a, t), to(b, t)), nil
}

func (c *compiler) compareOf(op sql.BinaryOp, l, r sql.Expr) (*node, error) {
	xs, err := c.all(l, r)
	if err != nil {
		return nil, err
	}
	return comparison(op, xs[0], xs[1])
}

func comparison(op sql.BinaryOp, a, b *node) (*node, error) {
	holds := func(c int) bool {
		switch op {
		case sql.OpEq:
			return c == 0
		case sql.OpNe:
			return c != 0
		case sql.OpLt:
			return c < 0
		case sql.OpLe:
			return c <= 0
		case sql.OpGt:
			return c > 0
		}
		return c >= 0
	}
	ta, tb := a.typ, b.typ
	if ta.isExact() && tb.isExact() {
		return strict(named("BOOLEAN"), func(v []any) (any, error) {
			return holds(ratio(v[0].(*big.Int), ta.S).Cmp(ratio(v[1].(*big.Int), tb.S))), nil
		}, a, b), nil
	}
	t, err := common(a, b)
	if err != nil {
		return nil, err
	}
	if t.isJSON() {
		return nil, unsupported("comparing %s", t)
	}
	return strict(named("BOOLEAN"), func(v []any) (any, error) { return holds(compare(v[0], v[1], t)), nil }, to(a, t), to(b, t)), nil
}

func (c *compiler) boolean(e sql.Expr) (*node, error) {
	n, err := c.expr(e)
	if err != nil {
		return nil, err
	}
	if n.typ.Name != "BOOLEAN" && n.typ.Name != "NULL" && !(n.loose && n.typ.Name == "VARCHAR") {
		return nil, unsupported("%s as a BOOLEAN", n.typ)
	}
	return to(n, named("BOOLEAN")), nil
}

func negated(n *node, not bool) *node {
	if !not || n == nil {
		return n
	}
	return strict(named("BOOLEAN"), func(v []any) (any, error) { return !v[0].(bool), nil }, n)
}

func (c *compiler) logic(e *sql.Logic) (*node, error) {
	var terms []*node
	for _, x := range e.Terms {
		n, err := c.boolean(x)
		if err != nil {
			return nil, err
		}
		terms = append(terms, n)
	}
	return chain(e.Op, terms), nil
}

// chain is AND or OR of terms, from left to right, up to the one that decides.
func chain(op sql.LogicOp, terms []*node) *node {
	decisive := op == sql.OpOr
	return &node{typ: named("BOOLEAN"), eval: func(r *row) (any, error) {
		null := false
		for _, t := range terms {
			switch v, err := t.eval(r); {
			case err != nil:
				return nil, err
			case v == nil:
				null = true
			case v == decisive:
				return decisive, nil
			}
		}
		if null {
			return nil, nil
		}
		return !decisive, nil
	}}
}

func (c *compiler) in(e *sql.In) (*node, error) {
	var terms []*node
	for _, x := range e.List {
		n, err := c.compareOf(sql.OpEq, e.X, x)
		if err != nil {
			return nil, err
		}
		terms = append(terms, n)
	}
	return negated(chain(sql.OpOr, terms), e.Not), nil
}

func (c *compiler) cast(e *sql.Cast) (*node, error) {
	x, err := c.expr(e.X)
	if err != nil {
		return nil, err
	}
	t, err := typeOf(e.Type)
	if err != nil {
		return nil, err
	}
	if !e.Try {
		return to(x, t), nil
	}
	inner := &node{typ: x.typ}
	return &node{typ: t, eval: func(r *row) (any, error) {
		v, err := x.eval(r)
		if err != nil {
			return nil, err
		}
		inner.eval = func(*row) (any, error) { return v, nil }
		out, err := to(inner, t).eval(r)
		if _, bad := err.(valueError); bad {
			return nil, nil
		}
		return out, err
	}}, nil
}

func (c *compiler) caseOf(e *sql.Case) (*node, error) {
	var conds, values []*node
	for _, w := range e.Whens {
		var cond *node
		var err error
		if e.Operand != nil {
			cond, err = c.compareOf(sql.OpEq, e.Operand, w.Cond)
		} else {
			cond, err = c.boolean(w.Cond)
		}
		if err != nil {
			return nil, err
		}
		v, err := c.expr(w.Then)
		if err != nil {
			return nil, err
		}
		conds, values = append(conds, cond), append(values, v)
	}
	otherwise := constant(named("NULL"), nil)
	if e.Else != nil {
		var err error
		if otherwise, err = c.expr(e.Else); err != nil {
			return nil, err
		}
	}
	return choose(conds, append(values, otherwise))
}

// choose is the value of the first condition that holds, else the last value.
func choose(conds, values []*node) (*node, error) {
	t, err := common(values...)
	if err != nil {
		return nil, err
	}
	return &node{typ: t, eval: func(r *row) (any, error) {
		for i, cond := range conds {
			switch v, err := cond.eval(r); {
			case err != nil:
				return nil, err
			case v == true:
				return to(values[i], t).eval(r)
			}
		}
		return to(values[len(conds)], t).eval(r)
	}}, nil
}
