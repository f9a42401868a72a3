package expr

import (
	"fmt"

	"ubik/internal/vec"
)

// NewCast is CAST(e AS t), or with try TRY_CAST, which gives NULL where a cast would fault. A cast to the type e has
// is e itself.
func NewCast(e Expr, t vec.Type, try bool) (Expr, error) {
	from := e.Type()
	if from.Equal(t) {
		if l := loose(e); l != nil {
			return &Literal{v: l.v}, nil // a type that is written counts
		}
		return e, nil
	}
	if l, ok := e.(*Literal); ok && l.IsNull() {
		return NewTypedNull(t), nil
	}
	if !castable(from, t) {
		return nil, fmt.Errorf("cannot cast %s to %s%s", from, t, castHint(from, t))
	}
	name := "CAST"
	if try {
		name = "TRY_CAST"
	}
	kernel := castKernel(from, t)
	return newOp(&Op{name: name, args: []Expr{e}, typ: t, form: castForm, mayFail: !try && !castIsTotal(from, t),
		build: func(args []node) node {
			return &castNode{arg: args[0], try: try, kernel: kernel, out: vec.NewVector(t)}
		}})
}

// castable reports whether values of one type can be cast to another; from and to differ.
func castable(from, to vec.Type) bool {
	f, t := from.Kind, to.Kind
	if f == vec.Null {
		return true
	}
	switch {
	case from.Phys() == vec.PhysNone || to.Phys() == vec.PhysNone:
		return false
	case from.IsJSON():
		return f == vec.JSON && t == vec.Varchar || f != vec.JSON && t == vec.JSON
	case to.IsJSON():
		return f == vec.Varchar && t == vec.JSON
	}
	number := func(t vec.Type) bool { return t.IsNumeric() || t.Kind == vec.Bool }
	switch {
	case number(from) && number(to):
		return true
	case f == vec.Varchar || t == vec.Varchar:
		return true
	}
	switch f {
	case vec.Date:
		return t == vec.Timestamp || t == vec.TimestampTZ
	case vec.Timestamp, vec.TimestampTZ:
		return t == vec.Timestamp || t == vec.TimestampTZ || t == vec.Date || t == vec.TimeOfDay
	}
	return false
}

// castIsTotal reports whether a cast succeeds for every value.
func castIsTotal(from, to vec.Type) bool {
	f, t := from.Kind, to.Kind
	switch {
	case f == vec.Null || t == vec.Varchar || t == vec.Bool && f != vec.Varchar:
		return true
	case f == vec.Bool:
		return t != vec.Decimal || to.Precision > to.Scale
	case from.IsInteger() && to.IsInteger():
		return t >= f
	case from.IsNumeric() && t == vec.Double:
		return true
	case from.IsNumeric() && t == vec.Decimal && f != vec.Double:
		from = asDecimal(from)
		return to.Precision-to.Scale >= from.Precision-from.Scale && to.Scale >= from.Scale && f != vec.HugeInt
	case f == vec.Varchar:
		return false
	}
	return !from.IsNumeric() // between dates and times
}

// castRun is one call of a cast kernel.
type castRun struct {
	*run
	try      bool
	in, out  *vec.Vector
	rows     []int32 // never NULL in in
	dense    bool    // rows is all rows of the batch
	from, to vec.Type
}

// bad notes that row i has no value of the type.
func (c *castRun) bad(i int32, reason string) {
	c.out.SetNull(int(i))
	if !c.try {
		c.fault(i, reason)
	}
}

// outOfRange notes that row i, a value of the source type, is none of the target.
func (c *castRun) outOfRange(i int32) {
	if c.try {
		c.out.SetNull(int(i))
		return
	}
	c.bad(i, string(AppendText(nil, c.in, int(i)))+" is out of range for "+c.to.String())
}

type castNode struct {
	arg    node
	try    bool
	kernel func(c *castRun)
	out    *vec.Vector
	buf    []int32
	c      castRun
}

func (n *castNode) eval(r *run, sel []int32) *vec.Vector {
	in := n.arg.eval(r, sel)
	n.out.Resize(r.n)
	n.out.Arena = n.out.Arena[:0]
	if in.Type.Phys() == vec.PhysNone {
		n.out.SetAllNull()
		return n.out
	}
	n.out.OrNulls(in)
	some := r.notNull(sel, &n.buf, in)
	n.c = castRun{run: r, try: n.try, in: in, out: n.out, rows: r.rows(some), dense: some == nil, from: in.Type, to: n.out.Type}
	n.kernel(&n.c)
	return n.out
}

// castKernel is the loop that casts, for castable types.
func castKernel(from, to vec.Type) func(c *castRun) {
	f, t := from.Kind, to.Kind
	switch {
	case f == vec.Null:
		return nil
	case from.IsJSON():
		return castSameText
	case t == vec.Varchar:
		return castToText
	case f == vec.Varchar:
		return castFromText
	case t == vec.Bool:
		return castToBool
	case f == vec.Bool:
		return castFromBool
	case f == vec.Double:
		return castFromDouble
	case t == vec.Double:
		return castToDouble
	case from.IsNumeric():
		if from.Phys() == vec.PhysI64 && to.Phys() == vec.PhysI64 {
			return castWord
		}
		return castWide
	}
	return castDate(from, to)
}

func castToText(c *castRun) {
	for _, i := range c.rows {
		off := len(c.out.Arena)
		c.out.Arena = AppendText(c.out.Arena, c.in, int(i))
		c.out.Spans[i] = vec.SpanTo(off, len(c.out.Arena))
	}
}

// castSameText is the kernel of casts that keep the text as it is.
func castSameText(c *castRun) {
	for _, i := range c.rows {
		c.out.AppendBytes(int(i), c.in.Bytes(int(i)))
	}
}

func castFromText(c *castRun) {
	for _, i := range c.rows {
		if !storeText(c.out, int(i), c.in.Bytes(int(i))) {
			c.out.SetNull(int(i))
			if !c.try {
				c.fault(i, textReason(c.in.Bytes(int(i)), c.to))
			}
		}
	}
}

// castDate is the kernel between DATE, TIME, TIMESTAMP and TIMESTAMP WITH TIME ZONE.
func castDate(from, to vec.Type) func(c *castRun) {
	switch {
	case from.Kind == vec.Date:
		return func(c *castRun) {
			for _, i := range c.rows {
				c.out.I64[i] = c.in.I64[i] * microsPerDay
			}
		}
	case to.Kind == vec.Date:
		return func(c *castRun) {
			for _, i := range c.rows {
				c.out.I64[i], _ = floorDiv(c.in.I64[i], microsPerDay)
			}
		}
	case to.Kind == vec.TimeOfDay:
		return func(c *castRun) {
			for _, i := range c.rows {
				_, c.out.I64[i] = floorDiv(c.in.I64[i], microsPerDay)
			}
		}
	}
	return func(c *castRun) { copy(c.out.I64, c.in.I64) }
}
