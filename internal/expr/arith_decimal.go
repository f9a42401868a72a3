package expr

import (
	"math"

	"ubik/internal/exact"
	"ubik/internal/vec"
)

var decimalKernels = map[string]func(c *binaryRun){
	"+": decimalAdd, "-": decimalSub, "%": decimalMod,
}

// decimalAdd adds DECIMALs that have the result's scale and at most its precision, so that a sum of one word cannot
// wrap.
func decimalAdd(c *binaryRun) {
	if c.out.Type.Phys() == vec.PhysI128 {
		decimalWide(c, "+", exact.Int128.Add)
		return
	}
	_, most := castLimits(c.out.Type)
	x, y, z := c.a.I64, c.b.I64, c.out.I64
	if c.sel == nil {
		x, y = x[:len(z)], y[:len(z)]
		for i := range z {
			s := x[i] + y[i]
			z[i] = s
			if s < -most || s > most {
				c.overflow(int32(i), "+")
			}
		}
		return
	}
	for _, i := range c.sel {
		s := x[i] + y[i]
		z[i] = s
		if s < -most || s > most {
			c.overflow(i, "+")
		}
	}
}

func decimalSub(c *binaryRun) {
	if c.out.Type.Phys() == vec.PhysI128 {
		decimalWide(c, "-", exact.Int128.Sub)
		return
	}
	_, most := castLimits(c.out.Type)
	x, y, z := c.a.I64, c.b.I64, c.out.I64
	for _, i := range c.rows(c.sel) {
		s := x[i] - y[i]
		z[i] = s
		if s < -most || s > most {
			c.overflow(i, "-")
		}
	}
}

// decimalMul multiplies; both factors are stored alike.
func decimalMul(c *binaryRun) {
	word := c.a.Type.Phys() == vec.PhysI64
	if c.out.Type.Phys() == vec.PhysI128 {
		if !word {
			decimalWide(c, "*", exact.Int128.Mul)
			return
		}
		// At most 18 digits times 18: the product always fits.
		x, y, z := c.a.I64, c.b.I64, c.out.I128
		for _, i := range c.rows(c.sel) {
			z[i] = exact.MulInt64(x[i], y[i])
		}
		return
	}
	_, most := castLimits(c.out.Type)
	x, y, z := c.a.I64, c.b.I64, c.out.I64
	for _, i := range c.rows(c.sel) {
		p := exact.MulInt64(x[i], y[i])
		z[i] = p.Int64()
		if !p.IsInt64() || z[i] < -most || z[i] > most {
			c.overflow(i, "*")
		}
	}
}

func decimalWide(c *binaryRun, op string, f func(a, b exact.Int128) (exact.Int128, bool)) {
	x, y, z := c.a.I128, c.b.I128, c.out.I128
	precision := int(c.out.Type.Precision)
	for _, i := range c.rows(c.sel) {
		var ok bool
		if z[i], ok = f(x[i], y[i]); !ok || !exact.FitsDecimal(z[i], precision) {
			c.overflow(i, op)
		}
	}
}

func decimalMod(c *binaryRun) {
	if c.out.Type.Phys() == vec.PhysI64 {
		intMod(c)
	} else {
		hugeMod(c)
	}
}

// doubleKernels are those of DOUBLE, where // divides as / does, as in DuckDB, except by zero.
var doubleKernels = map[string]func(c *binaryRun){
	"+": doubleAdd, "-": doubleSub, "*": doubleMul, "/": doubleDiv, "//": doubleDivOrNull,
	"%": func(c *binaryRun) {
		for _, i := range c.rows(c.sel) {
			c.out.F64[i] = math.Mod(c.a.F64[i], c.b.F64[i])
		}
	},
	"^": func(c *binaryRun) {
		for _, i := range c.rows(c.sel) {
			c.out.F64[i] = pow(c.a.F64[i], c.b.F64[i])
		}
	},
}

// Products are rounded by the conversion, so that no compiler may fuse them with a sum on any processor.

func doubleAdd(c *binaryRun) {
	x, y, z := c.a.F64, c.b.F64, c.out.F64
	for _, i := range c.rows(c.sel) {
		z[i] = x[i] + y[i]
	}
}

func doubleSub(c *binaryRun) {
	x, y, z := c.a.F64, c.b.F64, c.out.F64
	for _, i := range c.rows(c.sel) {
		z[i] = x[i] - y[i]
	}
}

func doubleMul(c *binaryRun) {
	x, y, z := c.a.F64, c.b.F64, c.out.F64
	for _, i := range c.rows(c.sel) {
		z[i] = float64(x[i] * y[i])
	}
}

func doubleDiv(c *binaryRun) {
	x, y, z := c.a.F64, c.b.F64, c.out.F64
	for _, i := range c.rows(c.sel) {
		z[i] = x[i] / y[i]
	}
}

func doubleDivOrNull(c *binaryRun) {
	doubleDiv(c)
	for _, i := range c.rows(c.sel) {
		if c.b.F64[i] == 0 {
			c.out.SetNull(int(i))
		}
	}
}
