package expr

import (
	"strings"

	"ubik/internal/vec"
)

// Expr is a node of a typed, immutable expression tree: *Column, *Literal or *Op.
type Expr interface {
	// Type is the SQL type of the value.
	Type() vec.Type
	// String is the canonical text: the same tree always gives the same text, every operator is parenthesised and
	// every cast is visible, also those the constructors inserted.
	String() string
	// Args are the operands in order, not to be changed. A leaf has none.
	Args() []Expr

	// fails reports whether evaluation can note a fault, for any row.
	fails() bool
	compile() node
}

// Column is a reference to a column of the batch.
type Column struct {
	Index int    // position in Batch.Cols
	Name  string // as it is to be printed
	T     vec.Type
}

func (c *Column) Type() vec.Type { return c.T }
func (c *Column) String() string { return c.Name }
func (c *Column) Args() []Expr   { return nil }
func (c *Column) fails() bool    { return false }
func (c *Column) compile() node  { return columnNode(c.Index) }

// Op is an operator or a function call. Its constructors are the New functions.
type Op struct {
	name    string // "+", "AND", "CAST", "lower"
	args    []Expr
	typ     vec.Type
	form    form
	mayFail bool // the operator itself can fault
	anyFail bool // it or an operand can
	build   func(args []node) node
}

// form says how an Op is printed.
type form uint8

const (
	callForm    form = iota // name(a, b)
	infixForm               // (a name b name c)
	prefixForm              // (name a)
	postfixForm             // (a name)
	castForm                // CAST(a AS type), with the name CAST or TRY_CAST
	caseForm                // CASE WHEN a THEN b … ELSE z END
	inForm                  // (a name (b, c))
	likeForm                // (a name b), (a name b ESCAPE c)
)

func (o *Op) Type() vec.Type { return o.typ }
func (o *Op) Args() []Expr   { return o.args }
func (o *Op) fails() bool    { return o.anyFail }

// Name is the operator's spelling or the function's catalogue name.
func (o *Op) Name() string { return o.name }

func (o *Op) String() string {
	var b strings.Builder
	o.print(&b)
	return b.String()
}

func (o *Op) print(b *strings.Builder) {
	list := func(args []Expr, sep string) {
		for i, a := range args {
			if i > 0 {
				b.WriteString(sep)
			}
			printTo(b, a)
		}
	}
	switch o.form {
	case callForm:
		b.WriteString(o.name)
		b.WriteByte('(')
		list(o.args, ", ")
	case infixForm:
		b.WriteByte('(')
		list(o.args, " "+o.name+" ")
	case prefixForm:
		b.WriteString("(" + o.name + " ")
		list(o.args, "")
	case postfixForm:
		b.WriteByte('(')
		list(o.args, "")
		b.WriteString(" " + o.name)
	case castForm:
		b.WriteString(o.name + "(")
		list(o.args, "")
		b.WriteString(" AS " + o.typ.String())
	case caseForm:
		b.WriteString("CASE")
		n := len(o.args)
		for i := 0; i+1 < n; i += 2 {
			b.WriteString(" WHEN ")
			printTo(b, o.args[i])
			b.WriteString(" THEN ")
			printTo(b, o.args[i+1])
		}
		b.WriteString(" ELSE ")
		printTo(b, o.args[n-1])
		b.WriteString(" END")
		return
	case inForm:
		b.WriteByte('(')
		printTo(b, o.args[0])
		b.WriteString(" " + o.name + " (")
		list(o.args[1:], ", ")
		b.WriteByte(')')
	case likeForm:
		b.WriteByte('(')
		printTo(b, o.args[0])
		b.WriteString(" " + o.name + " ")
		list(o.args[1:], " ESCAPE ")
	}
	b.WriteByte(')')
}

func printTo(b *strings.Builder, e Expr) {
	if o, ok := e.(*Op); ok {
		o.print(b)
		return
	}
	b.WriteString(e.String())
}

func (o *Op) compile() node {
	args := make([]node, len(o.args))
	for i, a := range o.args {
		args[i] = a.compile()
	}
	return o.build(args)
}

// newOp completes an Op: it notes whether it can fault, and replaces it by its value when every operand is a literal.
func newOp(o *Op) (Expr, error) {
	o.anyFail = o.mayFail
	constant := true
	for _, a := range o.args {
		o.anyFail = o.anyFail || a.fails()
		if _, ok := a.(*Literal); !ok {
			constant = false
		}
	}
	if !constant {
		return o, nil
	}
	return fold(o)
}

// Walk calls f for e and, while f returns true, for its operands, parents first and from left to right.
func Walk(e Expr, f func(Expr) bool) {
	if !f(e) {
		return
	}
	for _, a := range e.Args() {
		Walk(a, f)
	}
}

// Rewrite returns e with every node for which f returns another one (of the same type) replaced; the operands of a
// replacement are not visited. It is how a planner renumbers columns. It panics when a type changes.
func Rewrite(e Expr, f func(Expr) Expr) Expr {
	if r := f(e); r != e {
		if !r.Type().Equal(e.Type()) {
			panic("expr: Rewrite of " + e.String() + " changes its type to " + r.Type().String())
		}
		return r
	}
	o, ok := e.(*Op)
	if !ok {
		return e
	}
	var args []Expr
	for i, a := range o.args {
		r := Rewrite(a, f)
		if r != a && args == nil {
			args = append([]Expr(nil), o.args...)
		}
		if args != nil {
			args[i] = r
		}
	}
	if args == nil {
		return e
	}
	c := *o
	c.args = args
	c.anyFail = c.mayFail
	for _, a := range args {
		c.anyFail = c.anyFail || a.fails()
	}
	return &c
}

// Equal reports whether two expressions are the same tree over the same columns.
func Equal(a, b Expr) bool {
	if !a.Type().Equal(b.Type()) {
		return false
	}
	if ca, ok := a.(*Column); ok {
		cb, ok := b.(*Column)
		return ok && ca.Index == cb.Index
	}
	aa, ba := a.Args(), b.Args()
	if len(aa) != len(ba) {
		return false
	}
	if len(aa) == 0 {
		return a.String() == b.String()
	}
	oa, ob := a.(*Op), b.(*Op)
	if oa.name != ob.name || oa.form != ob.form {
		return false
	}
	for i := range aa {
		if !Equal(aa[i], ba[i]) {
			return false
		}
	}
	return true
}
