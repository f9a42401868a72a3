package expr

import (
	"ubik/internal/exact"
	"ubik/internal/vec"
)

// The loops for integers of at most 64 bits are written out for each operator: they are the hot ones, and a call per
// row would cost more than the operation. Where an operand is NULL they compute with what is there; overflow knows.

var intKernels = map[string]func(c *binaryRun){
	"+": intAdd, "-": intSub, "*": intMul, "//": intDiv, "%": intMod,
}

var hugeKernels = map[string]func(c *binaryRun){
	"+": hugeKernel("+", exact.Int128.Add), "-": hugeKernel("-", exact.Int128.Sub), "*": hugeKernel("*", exact.Int128.Mul),
	"//": hugeDiv, "%": hugeMod,
}

func intAdd(c *binaryRun) {
	lo, hi := intRange(c.out.Type.Kind)
	x, y, z := c.a.I64, c.b.I64, c.out.I64
	if c.sel == nil {
		x, y = x[:len(z)], y[:len(z)]
		for i := range z {
			s := x[i] + y[i]
			z[i] = s
			if (x[i]^s)&(y[i]^s) < 0 || s < lo || s > hi {
				c.overflow(int32(i), "+")
			}
		}
		return
	}
	for _, i := range c.sel {
		s := x[i] + y[i]
		z[i] = s
		if (x[i]^s)&(y[i]^s) < 0 || s < lo || s > hi {
			c.overflow(i, "+")
		}
	}
}

func intSub(c *binaryRun) {
	lo, hi := intRange(c.out.Type.Kind)
	x, y, z := c.a.I64, c.b.I64, c.out.I64
	if c.sel == nil {
		x, y = x[:len(z)], y[:len(z)]
		for i := range z {
			s := x[i] - y[i]
			z[i] = s
			if (x[i]^y[i])&(x[i]^s) < 0 || s < lo || s > hi {
				c.overflow(int32(i), "-")
			}
		}
		return
	}
	for _, i := range c.sel {
		s := x[i] - y[i]
		z[i] = s
		if (x[i]^y[i])&(x[i]^s) < 0 || s < lo || s > hi {
			c.overflow(i, "-")
		}
	}
}

func intMul(c *binaryRun) {
	lo, hi := intRange(c.out.Type.Kind)
	x, y, z := c.a.I64, c.b.I64, c.out.I64
	if c.out.Type.Kind != vec.Int64 {
		// The product of two 32-bit integers fits a word.
		for _, i := range c.rows(c.sel) {
			p := x[i] * y[i]
			z[i] = p
			if p < lo || p > hi {
				c.overflow(i, "*")
			}
		}
		return
	}
	for _, i := range c.rows(c.sel) {
		p := exact.MulInt64(x[i], y[i])
		z[i] = p.Int64()
		if !p.IsInt64() {
			c.overflow(i, "*")
		}
	}
}

// intDiv rounds toward zero; a division by zero is NULL.
func intDiv(c *binaryRun) {
	lo, _ := intRange(c.out.Type.Kind)
	x, y, z := c.a.I64, c.b.I64, c.out.I64
	for _, i := range c.rows(c.sel) {
		switch {
		case y[i] == 0:
			c.out.SetNull(int(i))
		case y[i] == -1 && x[i] == lo:
			c.overflow(i, "//")
		default:
			z[i] = x[i] / y[i]
		}
	}
}

// intMod has the sign of the dividend; modulo zero is NULL. Go defines the remainder of the least integer by −1 as 0.
func intMod(c *binaryRun) {
	x, y, z := c.a.I64, c.b.I64, c.out.I64
	for _, i := range c.rows(c.sel) {
		if y[i] == 0 {
			c.out.SetNull(int(i))
			continue
		}
		z[i] = x[i] % y[i]
	}
}

func hugeKernel(op string, f func(a, b exact.Int128) (exact.Int128, bool)) func(c *binaryRun) {
	return func(c *binaryRun) {
		x, y, z := c.a.I128, c.b.I128, c.out.I128
		for _, i := range c.rows(c.sel) {
			var ok bool
			if z[i], ok = f(x[i], y[i]); !ok {
				c.overflow(i, op)
			}
		}
	}
}

func hugeDiv(c *binaryRun) {
	x, y, z := c.a.I128, c.b.I128, c.out.I128
	for _, i := range c.rows(c.sel) {
		switch {
		case y[i].IsZero():
			c.out.SetNull(int(i))
		case y[i] == exact.FromInt64(-1) && x[i] == exact.MinInt128:
			c.overflow(i, "//")
		default:
			z[i], _ = x[i].QuoRem(y[i])
		}
	}
}

func hugeMod(c *binaryRun) {
	x, y, z := c.a.I128, c.b.I128, c.out.I128
	for _, i := range c.rows(c.sel) {
		if y[i].IsZero() {
			c.out.SetNull(int(i))
			continue
		}
		_, z[i] = x[i].QuoRem(y[i])
	}
}
