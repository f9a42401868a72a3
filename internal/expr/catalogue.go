package expr

import (
	"fmt"
	"strings"

	"ubik/internal/vec"
)

// Function is an entry of the catalogue: all forms of one scalar function.
type Function struct {
	Name    string   // in lower case
	Aliases []string // other names of the same function
	Theme   string   // set by Functions: the list the entry stands in
	Doc     string   // one line
	// Either Overloads, or Forms and build for a function whose types depend on each other.
	Overloads []Overload
	Forms     []string // as they are printed, such as "round(DECIMAL [, INTEGER])"
	build     func(args []Expr) (Expr, error)
	// Refused says why the function is known and not offered; then nothing but the name and Doc is set.
	Refused  string
	Examples []Example
}

// Overload is one form of a function: the kinds it takes and what it gives.
type Overload struct {
	Args   []vec.Kind
	Result vec.Kind
	// Kernel fills Out for Rows, none of which has a NULL argument.
	Kernel func(c *Call)
	// Prepare makes the kernel from the arguments instead, and may refuse them; what it keeps is shared by programs.
	Prepare func(args []Expr) (func(c *Call), error)
	Fails   bool // the kernel can note faults
	Nulls   bool // Rows includes rows with NULL arguments, and the kernel sets NULL itself
	More    bool // the last argument may be repeated
}

// Example is a call and the text of its value, "NULL" for NULL. It is valid in DuckDB too and has the same value
// there, but for what Note says.
type Example struct {
	Call string
	Want string
	Note string // why DuckDB differs; "" when it does not
}

// Call is one call of a function's kernel.
type Call struct {
	*run
	Args []*vec.Vector
	Out  *vec.Vector // row i is NULL already where an argument is, unless the overload asked for NULLs
	Rows []int32
}

// end makes the text appended to Out's arena since from the value of row i.
func (c *Call) end(i int32, from int) {
	c.Out.Spans[i] = vec.SpanTo(from, len(c.Out.Arena))
}

// bad notes a fault of row i.
func (c *Call) bad(i int32, msg string) {
	c.Out.SetNull(int(i))
	c.fault(i, msg)
}

type callNode struct {
	args   []node
	kernel func(c *Call)
	nulls  bool
	c      Call
	buf    []int32
}

func (n *callNode) eval(r *run, sel []int32) *vec.Vector {
	c := &n.c
	c.run = r
	c.Out.Resize(r.n)
	c.Out.Arena = c.Out.Arena[:0]
	for k, a := range n.args {
		c.Args[k] = a.eval(r, sel)
	}
	if !n.nulls {
		for _, v := range c.Args {
			c.Out.OrNulls(v)
		}
		sel = r.notNull(sel, &n.buf, c.Args...)
	}
	c.Rows = r.rows(sel)
	n.kernel(c)
	return c.Out
}

// newCallOp is a call of a kernel with arguments that have the types it takes.
func newCallOp(name string, args []Expr, t vec.Type, o *Overload) (Expr, error) {
	kernel := o.Kernel
	if o.Prepare != nil {
		var err error
		if kernel, err = o.Prepare(args); err != nil {
			return nil, err
		}
	}
	if len(args) == 0 {
		args = nil
	}
	return newOp(&Op{name: name, args: args, typ: t, mayFail: o.Fails, build: func(args []node) node {
		n := &callNode{args: args, kernel: kernel, nulls: o.Nulls}
		n.c.Args = make([]*vec.Vector, len(args))
		n.c.Out = vec.NewVector(t)
		return n
	}})
}

// Functions returns the catalogue, theme by theme.
func Functions() []*Function {
	themes := []struct {
		name string
		list []Function
	}{
		{"text", textFunctions()}, {"JSON", jsonFunctions()}, {"patterns", patternFunctions()}, {"numbers", numberFunctions()},
		{"dates", append(dateFunctions(), strptimeFunctions()...)}, {"parts of dates", partFunctions()}, {"conditions", conditionFunctions()},
		{"refused", refusedFunctions()},
	}
	var out []*Function
	for _, t := range themes {
		for i := range t.list {
			t.list[i].Theme = t.name
			out = append(out, &t.list[i])
		}
	}
	return out
}

// findFunction returns the entry of a name in lower case, or nil. The lists are made anew each time: a query calls a
// handful of functions, and no state is shared.
func findFunction(name string) *Function {
	for _, f := range Functions() {
		if f.Name == name {
			return f
		}
		for _, a := range f.Aliases {
			if a == name {
				return f
			}
		}
	}
	return nil
}

// NewCall is a call of a function of the catalogue; names compare without case.
func NewCall(name string, args []Expr) (Expr, error) {
	f := findFunction(strings.ToLower(name))
	if f == nil {
		return nil, fmt.Errorf("no function %q", name)
	}
	if f.Refused != "" {
		return nil, fmt.Errorf("%s is refused: %s", f.Name, f.Refused)
	}
	if f.build != nil {
		return f.build(args)
	}
	return f.resolve(args)
}

// IsFunction reports whether the catalogue has an entry of the name, refused ones included.
func IsFunction(name string) bool { return findFunction(strings.ToLower(name)) != nil }

// resolve takes the overload that needs the least casting, the first of equals.
func (f *Function) resolve(args []Expr) (Expr, error) {
	var best *Overload
	bestCost := -1
	for k := range f.Overloads {
		o := &f.Overloads[k]
		if cost := o.cost(args); cost >= 0 && (best == nil || cost < bestCost) {
			best, bestCost = o, cost
		}
	}
	if best == nil {
		return nil, noForm(f.Name, f.AllForms(), args)
	}
	cast := make([]Expr, len(args))
	for i, a := range args {
		var err error
		if cast[i], err = coerce(a, vec.TypeOf(best.arg(i))); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return newCallOp(f.Name, cast, vec.TypeOf(best.Result), best)
}

func (o *Overload) arg(i int) vec.Kind { return o.Args[min(i, len(o.Args)-1)] }

// cost is the casting that a call of the overload needs, −1 when it cannot be called so.
func (o *Overload) cost(args []Expr) int {
	if len(args) != len(o.Args) && !(o.More && len(args) > len(o.Args)) {
		return -1
	}
	sum := 0
	for i, a := range args {
		c := castCost(a, o.arg(i))
		if c < 0 {
			return -1
		}
		sum += c
	}
	return sum
}

// castCost ranks the casts that a call makes by itself: none, of what is written loosely, to a wider type of the same
// sort, to DOUBLE. Text is never made of another type, nor a number of text.
func castCost(e Expr, to vec.Kind) int {
	t := e.Type()
	l := loose(e)
	switch {
	case t.Kind == to || t.Kind == vec.Null:
		return 0
	case l != nil && t.Kind == vec.Varchar:
		return 50
	case l != nil && t.IsInteger() && vec.TypeOf(to).IsInteger():
		if !l.fitsType(vec.TypeOf(to)) {
			return -1
		}
		return 1
	case t.IsInteger() && vec.TypeOf(to).IsInteger() && to > t.Kind:
		return int(to - t.Kind)
	case t.IsNumeric() && to == vec.Double:
		return 20
	case t.Kind == vec.Date && to == vec.Timestamp:
		return 5
	case t.Kind == vec.Date && to == vec.TimestampTZ:
		return 12
	case t.Kind == vec.Timestamp && to == vec.TimestampTZ:
		return 10
	case t.Kind == vec.TimestampTZ && to == vec.Timestamp:
		return 11
	}
	return -1
}

// noForm says that no overload takes the arguments, and which there are.
func noForm(name string, forms []string, args []Expr) error {
	types := make([]string, len(args))
	hint := ""
	for i, a := range args {
		types[i] = a.Type().String()
		if a.Type().IsJSON() {
			hint = "; of " + types[i] + ": " + jsonHint(a.Type())
		}
	}
	return fmt.Errorf("%s(%s): no such form; forms: %s%s", name, strings.Join(types, ", "), strings.Join(forms, ", "), hint)
}

// AllForms are the function's forms as they are printed. An overload that only adds arguments to the one before it is
// shown in brackets.
func (f *Function) AllForms() []string {
	if f.Forms != nil {
		return f.Forms
	}
	var out []string
	for k := 0; k < len(f.Overloads); k++ {
		o := &f.Overloads[k]
		text := f.Name + "("
		for i, a := range o.Args {
			if i > 0 {
				text += ", "
			}
			text += vec.TypeOf(a).String()
		}
		if o.More {
			text += ", …"
		}
		for k+1 < len(f.Overloads) && extends(f.Overloads[k+1].Args, f.Overloads[k].Args) {
			k++
			text += " [, " + vec.TypeOf(f.Overloads[k].Args[len(f.Overloads[k].Args)-1]).String() + "]"
		}
		out = append(out, text+")")
	}
	return out
}

func extends(long, short []vec.Kind) bool {
	if len(long) != len(short)+1 || len(short) == 0 {
		return false
	}
	for i, k := range short {
		if long[i] != k {
			return false
		}
	}
	return true
}

// literalArg is the text of an argument that must be a literal.
func literalArg(function, what string, e Expr) (string, error) {
	l, ok := e.(*Literal)
	if !ok || l.IsNull() || l.v.Type.Phys() != vec.PhysBytes {
		return "", fmt.Errorf("%s: the %s must be a literal text", function, what)
	}
	return string(l.v.Bytes(0)), nil
}

func errLiteralDigits(name string, t vec.Type) error {
	return fmt.Errorf("%s(%s, n): n must be a literal, since the type of the result depends on it", name, t)
}
