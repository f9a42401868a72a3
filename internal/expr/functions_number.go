package expr

import (
	"math"

	"ubik/internal/vec"
)

// doubles makes a kernel of a function of one DOUBLE.
func doubles(f func(x float64) float64) func(c *Call) {
	return func(c *Call) {
		for _, i := range c.Rows {
			c.Out.F64[i] = f(c.Args[0].F64[i])
		}
	}
}

// doublesChecked is doubles for a function that is not defined everywhere: why says what is wrong with x, or "".
func doublesChecked(name string, why func(x float64) string, f func(x float64) float64) func(c *Call) {
	return func(c *Call) {
		for _, i := range c.Rows {
			x := c.Args[0].F64[i]
			if reason := why(x); reason != "" {
				c.bad(i, name+"("+string(appendDouble(nil, x))+"): "+reason)
				continue
			}
			c.Out.F64[i] = f(x)
		}
	}
}

func notNegative(x float64) string {
	if x < 0 {
		return "a negative number has none"
	}
	return ""
}

func positive(x float64) string {
	if x <= 0 {
		return "there is none of zero and of negative numbers"
	}
	return ""
}

func withinOne(x float64) string {
	if x < -1 || x > 1 {
		return "it is defined from -1 to 1"
	}
	return ""
}

func finiteAngle(x float64) string {
	if math.IsInf(x, 0) {
		return "an angle is finite"
	}
	return ""
}

func doubleFunction(name, doc string, kernel func(c *Call), fails bool, examples ...Example) Function {
	return Function{
		Name: name, Doc: doc, Examples: append(examples, Example{name + "(NULL)", "NULL", ""}),
		Overloads: []Overload{{Args: kinds(vec.Double), Result: vec.Double, Kernel: kernel, Fails: fails}},
	}
}

// test makes the overloads of a function that asks something of a DOUBLE, and of dates what all of ours answer.
func test(f func(x float64) bool, ofDates bool) []Overload {
	constant := func(c *Call) {
		for _, i := range c.Rows {
			c.Out.Bools[i] = ofDates
		}
	}
	return []Overload{
		{Args: kinds(vec.Double), Result: vec.Bool, Kernel: func(c *Call) {
			for _, i := range c.Rows {
				c.Out.Bools[i] = f(c.Args[0].F64[i])
			}
		}},
		{Args: kinds(vec.Date), Result: vec.Bool, Kernel: constant},
		{Args: kinds(vec.Timestamp), Result: vec.Bool, Kernel: constant},
		{Args: kinds(vec.TimestampTZ), Result: vec.Bool, Kernel: constant},
	}
}

// logarithm is log(base, x).
func logarithm(c *Call) {
	for _, i := range c.Rows {
		base, x := c.Args[0].F64[i], c.Args[1].F64[i]
		reason := positive(x)
		if reason == "" {
			reason = positive(base)
		}
		if reason == "" && base == 1 {
			reason = "1 is no base"
		}
		if reason != "" {
			c.bad(i, "log("+string(appendDouble(nil, base))+", "+string(appendDouble(nil, x))+"): "+reason)
			continue
		}
		c.Out.F64[i] = log10(x) / log10(base)
	}
}

func numberFunctions() []Function {
	operator := func(form, op string) func(args []Expr) (Expr, error) {
		return counted(form, 2, 2, func(args []Expr) (Expr, error) { return NewBinary(op, args[0], args[1]) })
	}
	return append(roundingFunctions(),
		Function{
			Name: "mod", Doc: "The remainder of a division, with the sign of the dividend; NULL for a divisor of 0. The same as %.",
			Forms: []string{"mod(NUMBER, NUMBER)"}, build: operator("mod(NUMBER, NUMBER)", "%"),
			Examples: []Example{{"mod(7, 3)", "1", ""}, {"mod(-7, 3)", "-1", ""}, {"mod(7.5, 2)", "1.5", ""}, {"mod(7, 0)", "NULL", ""}, {"mod(NULL, 1)", "NULL", ""}},
		},
		Function{
			Name: "pow", Aliases: []string{"power"}, Doc: "The first number to the power of the second. The same as ^.",
			Forms: []string{"pow(NUMBER, NUMBER)"}, build: operator("pow(NUMBER, NUMBER)", "^"),
			Examples: []Example{{"pow(2, 3)", "8.0", ""}, {"pow(2, -1)", "0.5", ""}, {"pow(-2, 3)", "-8.0", ""}, {"pow(0, 0)", "1.0", ""}, {"pow(NULL, 1)", "NULL", ""}},
		},
		doubleFunction("sqrt", "The square root.", doublesChecked("sqrt", notNegative, math.Sqrt), true,
			Example{"sqrt(4)", "2.0", ""}, Example{"sqrt(2)", "1.4142135623730951", ""}, Example{"sqrt(0)", "0.0", ""}),
		doubleFunction("cbrt", "The cube root.", doubles(cbrt), false,
			Example{"cbrt(8)", "2.0", ""}, Example{"cbrt(-8)", "-2.0", ""}, Example{"cbrt(0)", "0.0", ""}),
		doubleFunction("exp", "e to a power.", doubles(exp), false,
			Example{"exp(0)", "1.0", ""}, Example{"exp(1)", "2.718281828459045", ""}, Example{"exp(-1000)", "0.0", ""}, Example{"exp(1000)", "inf", ""}),
		doubleFunction("ln", "The natural logarithm.", doublesChecked("ln", positive, ln), true,
			Example{"ln(1)", "0.0", ""}, Example{"ln(2)", "0.6931471805599453", ""}, Example{"ln(0.5)", "-0.6931471805599453", ""}),
		doubleFunction("log2", "The logarithm to base 2.", doublesChecked("log2", positive, log2), true,
			Example{"log2(8)", "3.0", ""}, Example{"log2(1)", "0.0", ""}, Example{"log2(0.5)", "-1.0", ""}),
		Function{
			Name: "log", Aliases: []string{"log10"}, Doc: "The logarithm to base 10, or with two arguments to the base in the first.",
			Overloads: []Overload{
				{Args: kinds(vec.Double), Result: vec.Double, Kernel: doublesChecked("log", positive, log10), Fails: true},
				{Args: kinds(vec.Double, vec.Double), Result: vec.Double, Kernel: logarithm, Fails: true},
			},
			Examples: []Example{{"log(100)", "2.0", ""}, {"log(2, 8)", "3.0", ""}, {"log10(1)", "0.0", ""}, {"log(0.1)", "-1.0", ""}, {"log(NULL)", "NULL", ""}},
		},
		doubleFunction("sin", "The sine of an angle in radians.", doublesChecked("sin", finiteAngle, sin), true,
			Example{"sin(0)", "0.0", ""}, Example{"sin(1)", "0.8414709848078965", ""}, Example{"sin(-1)", "-0.8414709848078965", ""}),
		doubleFunction("cos", "The cosine of an angle in radians.", doublesChecked("cos", finiteAngle, cos), true,
			Example{"cos(0)", "1.0", ""}, Example{"cos(1)", "0.5403023058681398", ""}, Example{"cos(-1)", "0.5403023058681398", ""}),
		doubleFunction("tan", "The tangent of an angle in radians.", doublesChecked("tan", finiteAngle, tan), true,
			Example{"tan(0)", "0.0", ""}, Example{"tan(0.5)", "0.5463024898437905", ""}, Example{"tan(-0.5)", "-0.5463024898437905", ""}),
		doubleFunction("asin", "The angle of a sine.", doublesChecked("asin", withinOne, asin), true,
			Example{"asin(0)", "0.0", ""}, Example{"asin(1)", "1.5707963267948966", ""}, Example{"asin(-1)", "-1.5707963267948966", ""}),
		doubleFunction("acos", "The angle of a cosine.", doublesChecked("acos", withinOne, acos), true,
			Example{"acos(1)", "0.0", ""}, Example{"acos(0)", "1.5707963267948966", ""}, Example{"acos(-1)", "3.141592653589793", ""}),
		doubleFunction("atan", "The angle of a tangent.", doubles(atan), false,
			Example{"atan(0)", "0.0", ""}, Example{"atan(1)", "0.7853981633974483", ""}, Example{"atan(-1)", "-0.7853981633974483", ""}),
		Function{
			Name: "atan2", Doc: "The angle of a point: its y, its x.",
			Overloads: []Overload{{Args: kinds(vec.Double, vec.Double), Result: vec.Double, Kernel: func(c *Call) {
				for _, i := range c.Rows {
					c.Out.F64[i] = atan2(c.Args[0].F64[i], c.Args[1].F64[i])
				}
			}}},
			Examples: []Example{{"atan2(0, 1)", "0.0", ""}, {"atan2(1, 1)", "0.7853981633974483", ""}, {"atan2(-1, 0)", "-1.5707963267948966", ""}, {"atan2(NULL, 1)", "NULL", ""}},
		},
		Function{
			Name: "pi", Doc: "The number pi.",
			Overloads: []Overload{{Result: vec.Double, Kernel: func(c *Call) {
				for _, i := range c.Rows {
					c.Out.F64[i] = math.Pi
				}
			}}},
			Examples: []Example{{"pi()", "3.141592653589793", ""}, {"-pi()", "-3.141592653589793", ""}, {"round(pi(), 2)", "3.14", ""}},
		},
		doubleFunction("degrees", "Radians as degrees.", doubles(func(x float64) float64 { return x * (180 / math.Pi) }), false,
			Example{"degrees(0)", "0.0", ""}, Example{"degrees(pi())", "180.0", ""}, Example{"degrees(-1)", "-57.29577951308232", ""}),
		doubleFunction("radians", "Degrees as radians.", doubles(func(x float64) float64 { return x * (math.Pi / 180) }), false,
			Example{"radians(0)", "0.0", ""}, Example{"radians(180)", "3.141592653589793", ""}, Example{"radians(-90)", "-1.5707963267948966", ""}),
		Function{
			Name: "isnan", Doc: "Whether a number is NaN.", Overloads: test(func(x float64) bool { return x != x }, false)[:1],
			Examples: []Example{{"isnan('nan'::DOUBLE)", "true", ""}, {"isnan(-1.5)", "false", ""}, {"isnan('inf'::DOUBLE)", "false", ""}, {"isnan(NULL::DOUBLE)", "NULL", ""}},
		},
		Function{
			Name: "isinf", Doc: "Whether a number is infinite. A date is not.", Overloads: test(func(x float64) bool { return math.IsInf(x, 0) }, false),
			Examples: []Example{{"isinf('-inf'::DOUBLE)", "true", ""}, {"isinf(-1.5)", "false", ""}, {"isinf('nan'::DOUBLE)", "false", ""}, {"isinf(DATE '2020-01-01')", "false", ""}, {"isinf(NULL::DOUBLE)", "NULL", ""}},
		},
		Function{
			Name: "isfinite", Doc: "Whether a number is neither NaN nor infinite. A date is finite.",
			Overloads: test(func(x float64) bool { return x-x == 0 }, true),
			Examples:  []Example{{"isfinite(-1.5)", "true", ""}, {"isfinite('inf'::DOUBLE)", "false", ""}, {"isfinite('nan'::DOUBLE)", "false", ""}, {"isfinite(DATE '2020-01-01')", "true", ""}, {"isfinite(NULL::DOUBLE)", "NULL", ""}},
		},
	)
}
