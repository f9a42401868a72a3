package expr

import (
	"math"

	"ubik/internal/exact"
	"ubik/internal/vec"
)

// rounding is how a number is brought to fewer decimals.
type rounding uint8

const (
	halfAway   rounding = iota // round
	towardZero                 // trunc
	downward                   // floor
	upward                     // ceil
)

// float brings x to an integer.
func (m rounding) float(x float64) float64 {
	switch m {
	case halfAway:
		return math.Round(x)
	case towardZero:
		return math.Trunc(x)
	case downward:
		return math.Floor(x)
	}
	return math.Ceil(x)
}

// quotient is x / p for p = 10^n, n ≥ 1, brought to an integer.
func (m rounding) quotient(x, p exact.Int128) exact.Int128 {
	q, r := x.QuoRem(p)
	if r.IsZero() {
		return q
	}
	step := int64(0)
	switch m {
	case halfAway:
		a, _ := r.Abs()
		if rest, _ := p.Sub(a); !a.Less(rest) {
			step = int64(r.Sign())
		}
	case downward:
		step = min(int64(r.Sign()), 0)
	case upward:
		step = max(int64(r.Sign()), 0)
	}
	return q.WrapAdd(exact.FromInt64(step))
}

// toDigits is a kernel for DECIMALs and integers: it drops drop digits from the end and puts back zeros for back of
// them, drop ≥ back ≥ 0.
func (m rounding) toDigits(drop, back int) func(c *Call) {
	none := drop > exact.MaxPrecision // more than a number has
	p := exact.Pow10(min(drop, exact.MaxPrecision))
	zeros := exact.Pow10(min(back, exact.MaxPrecision))
	return func(c *Call) {
		for _, i := range c.Rows {
			if none {
				setDecimal(c.Out, int(i), exact.Int128{})
				continue
			}
			q, ok := m.quotient(exactValue(c.Args[0], i), p).Mul(zeros)
			if c.Out.Type.Phys() == vec.PhysI64 {
				lo, hi := castLimits(c.Out.Type)
				ok = ok && q.IsInt64() && q.Int64() >= lo && q.Int64() <= hi
			} else if c.Out.Type.Kind == vec.Decimal {
				ok = ok && exact.FitsDecimal(q, int(c.Out.Type.Precision))
			}
			if !ok {
				c.bad(i, "overflow: "+string(AppendText(nil, c.Args[0], int(i)))+" rounded is out of range for "+c.Out.Type.String())
				continue
			}
			setDecimal(c.Out, int(i), q)
		}
	}
}

// doubleDigits rounds DOUBLEs to the decimals in the second argument, as DuckDB does: a power of ten and back.
func (m rounding) doubleDigits(c *Call) {
	for _, i := range c.Rows {
		x, n := c.Args[0].F64[i], c.Args[1].I64[i]
		var y float64
		if n < 0 {
			p := math.Pow(10, -float64(n))
			y = m.float(x/p) * p
			if math.IsInf(p, 0) || y != y || math.IsInf(y, 0) {
				y = 0
				if m == towardZero {
					y = x
				}
			}
		} else {
			p := math.Pow(10, float64(n))
			y = m.float(float64(x*p)) / p
			if y != y || math.IsInf(y, 0) {
				y = x
			}
		}
		c.Out.F64[i] = y
	}
}

// build types round, trunc, floor and ceil of x, and of x and a number of decimals. whole says what becomes of an
// integer: itself, or for floor and ceil a DOUBLE.
func (m rounding) build(name string, forms []string) func(args []Expr) (Expr, error) {
	return func(args []Expr) (Expr, error) {
		mayHaveDigits := m == halfAway || m == towardZero
		if len(args) == 0 || len(args) > 2 || len(args) == 2 && !mayHaveDigits {
			return nil, noForm(name, forms, args)
		}
		x, t := args[0], args[0].Type()
		if t.Kind == vec.Null {
			t = doubleType
		}
		if !t.IsNumeric() || len(args) == 2 && castCost(args[1], vec.Int64) < 0 {
			return nil, noForm(name, forms, args)
		}
		if t.IsInteger() && !mayHaveDigits {
			t = doubleType
		}
		x, err := coerce(x, t)
		if err != nil {
			return nil, err
		}
		if t.Kind == vec.Double && len(args) == 2 {
			n, err := coerce(args[1], bigintType)
			if err != nil {
				return nil, err
			}
			return newCallOp(name, []Expr{x, n}, t, &Overload{Kernel: m.doubleDigits})
		}
		if t.Kind == vec.Double {
			return newCallOp(name, []Expr{x}, t, &Overload{Kernel: doubles(m.float)})
		}
		digits := 0
		if len(args) == 2 {
			l, ok := args[1].(*Literal)
			if !ok {
				return nil, errLiteralDigits(name, t)
			}
			if l.IsNull() {
				return NewTypedNull(t), nil
			}
			n := exactValue(l.v, 0).Int64()
			digits = int(max(min(n, 100), -100))
		}
		scale := int(t.Scale)
		drop := scale - digits
		if drop <= 0 {
			return x, nil
		}
		result := t
		if t.Kind == vec.Decimal {
			result = vec.DecimalType(int(t.Precision), max(digits, 0))
		}
		o := Overload{Kernel: m.toDigits(drop, max(-digits, 0)), Fails: digits < 0}
		printed := []Expr{x}
		if len(args) == 2 {
			printed = append(printed, args[1])
		}
		return newCallOp(name, printed, result, &o)
	}
}

// sameType builds a function of one number whose result has its type.
func sameType(name string, kernel func(t vec.Type) func(c *Call)) func(args []Expr) (Expr, error) {
	form := name + "(NUMBER)"
	return counted(form, 1, 1, func(args []Expr) (Expr, error) {
		t := args[0].Type()
		if t.Kind == vec.Null {
			t = doubleType
		}
		if !t.IsNumeric() {
			return nil, noForm(name, []string{form}, args)
		}
		x, err := coerce(args[0], t)
		if err != nil {
			return nil, err
		}
		return newCallOp(name, []Expr{x}, t, &Overload{Kernel: kernel(t), Fails: t.IsInteger()})
	})
}

func absolute(t vec.Type) func(c *Call) {
	if t.Kind == vec.Double {
		return doubles(math.Abs)
	}
	return func(c *Call) {
		lo, _ := intRange(t.Kind)
		for _, i := range c.Rows {
			if t.Phys() == vec.PhysI128 {
				a, ok := c.Args[0].I128[i].Abs()
				c.Out.I128[i] = a
				if !ok {
					c.bad(i, "overflow: abs("+c.Args[0].I128[i].String()+") is out of range for "+t.String())
				}
				continue
			}
			x := c.Args[0].I64[i]
			if x < 0 {
				if t.IsInteger() && x == lo {
					c.bad(i, "overflow: abs("+string(AppendText(nil, c.Args[0], int(i)))+") is out of range for "+t.String())
					continue
				}
				x = -x
			}
			c.Out.I64[i] = x
		}
	}
}

// signOf gives −1, 0 or 1 as a TINYINT; 0 for NaN.
func signOf(c *Call) {
	for _, i := range c.Rows {
		s := 0
		if a := c.Args[0]; a.Type.Phys() == vec.PhysF64 {
			s = mark(a.F64[i] > 0) - mark(a.F64[i] < 0)
		} else {
			s = exactValue(a, i).Sign()
		}
		c.Out.I64[i] = int64(s)
	}
}

func buildSign(args []Expr) (Expr, error) {
	t := args[0].Type()
	if t.Kind == vec.Null {
		return NewTypedNull(vec.TypeOf(vec.Int8)), nil
	}
	if !t.IsNumeric() {
		return nil, noForm("sign", []string{"sign(NUMBER)"}, args)
	}
	return newCallOp("sign", args, vec.TypeOf(vec.Int8), &Overload{Kernel: signOf})
}

func roundingFunctions() []Function {
	digits := func(name string) []string {
		return []string{name + "(INTEGER [, INTEGER])", name + "(DECIMAL [, INTEGER])", name + "(DOUBLE [, INTEGER])"}
	}
	whole := func(name string) []string { return []string{name + "(DECIMAL)", name + "(DOUBLE)"} }
	return []Function{
		{
			Name: "abs", Doc: "The number without its sign.", Forms: []string{"abs(NUMBER)"}, build: sameType("abs", absolute),
			Examples: []Example{{"abs(-5)", "5", ""}, {"abs(-1.50)", "1.50", ""}, {"abs('-inf'::DOUBLE)", "inf", ""}, {"abs(0)", "0", ""}, {"abs(NULL)", "NULL", ""}},
		},
		{
			Name: "sign", Doc: "-1, 0 or 1 as the number is negative, zero or positive.", Forms: []string{"sign(NUMBER)"},
			build:    counted("sign(NUMBER)", 1, 1, buildSign),
			Examples: []Example{{"sign(-1.5)", "-1", ""}, {"sign(0)", "0", ""}, {"sign(9.0::DOUBLE)", "1", ""}, {"sign(NULL::INTEGER)", "NULL", ""}},
		},
		{
			Name: "round", Doc: "Rounded half away from zero, to a number of decimals (0 if not given; negative: before the point).",
			Forms: digits("round"), build: halfAway.build("round", digits("round")),
			Examples: []Example{{"round(2.5)", "3", ""}, {"round(-2.5::DOUBLE)", "-3.0", ""}, {"round(1.235, 2)", "1.24", ""}, {"round(-1.235, 2)", "-1.24", ""}, {"round(1.234::DOUBLE, 2)", "1.23", ""},
				{"round(155, -1)", "160", ""}, {"round(155.5, -1)", "160", ""}, {"round(1.5, 5)", "1.5", ""}, {"round(7)", "7", ""}, {"round(1234.5::DOUBLE, -2)", "1200.0", ""}, {"round(NULL::DOUBLE)", "NULL", ""}},
		},
		{
			Name: "trunc", Doc: "Cut to a number of decimals (0 if not given).",
			Forms: digits("trunc"), build: towardZero.build("trunc", digits("trunc")),
			Examples: []Example{{"trunc(1.57)", "1", ""}, {"trunc(-1.57::DOUBLE)", "-1.0", ""}, {"trunc(1.57, 1)", "1.5", ""}, {"trunc(5)", "5", ""}, {"trunc(NULL::DOUBLE)", "NULL", ""}},
		},
		{
			Name: "floor", Doc: "The greatest whole number that is not greater.", Forms: whole("floor"), build: downward.build("floor", whole("floor")),
			Examples: []Example{{"floor(1.5)", "1", ""}, {"floor(-1.5)", "-2", ""}, {"floor(1.5::DOUBLE)", "1.0", ""}, {"floor(7)", "7.0", ""}, {"floor(NULL::DOUBLE)", "NULL", ""}},
		},
		{
			Name: "ceil", Aliases: []string{"ceiling"}, Doc: "The least whole number that is not less.", Forms: whole("ceil"), build: upward.build("ceil", whole("ceil")),
			Examples: []Example{{"ceil(1.5)", "2", ""}, {"ceil(-1.5)", "-1", ""}, {"ceil(9.5)", "10", ""}, {"ceil(-0.5::DOUBLE)", "-0.0", ""}, {"ceil(7)", "7.0", ""}, {"ceil(NULL::DOUBLE)", "NULL", ""}},
		},
	}
}
