package expr

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"ubik/internal/vec"
)

// reader reads what examples are made of: calls, literals, casts with ::, infix operators without precedence inside
// parentheses, and names of columns.
type reader struct {
	s    string
	cols []vec.Field
}

func (r *reader) blanks() { r.s = strings.TrimLeft(r.s, " ") }

func (r *reader) eat(t string) bool {
	r.blanks()
	if strings.HasPrefix(r.s, t) {
		r.s = r.s[len(t):]
		return true
	}
	return false
}

func (r *reader) word() string {
	r.blanks()
	n := 0
	for n < len(r.s) && (r.s[n] == '_' || r.s[n]|0x20 >= 'a' && r.s[n]|0x20 <= 'z' || n > 0 && r.s[n] >= '0' && r.s[n] <= '9') {
		n++
	}
	w := r.s[:n]
	r.s = r.s[n:]
	return w
}

func (r *reader) text() string {
	var out []byte
	r.s = r.s[1:]
	for {
		if r.s[0] == '\'' {
			if len(r.s) > 1 && r.s[1] == '\'' {
				r.s = r.s[1:]
			} else {
				r.s = r.s[1:]
				return string(out)
			}
		}
		out = append(out, r.s[0])
		r.s = r.s[1:]
	}
}

func (r *reader) typeName() vec.Type {
	name := strings.ToUpper(r.word())
	if name == "DECIMAL" {
		p, s := 18, 3
		if r.eat("(") {
			p = r.number()
			r.eat(",")
			s = r.number()
			r.eat(")")
		}
		return vec.DecimalType(p, s)
	}
	if name == "TIMESTAMP" && r.eat("WITH TIME ZONE") {
		return vec.TypeOf(vec.TimestampTZ)
	}
	for k := vec.Null; k <= vec.JSON; k++ {
		if vec.TypeOf(k).String() == name {
			return vec.TypeOf(k)
		}
	}
	panic("no type " + name)
}

func (r *reader) number() int {
	r.blanks()
	n := 0
	for n < len(r.s) && r.s[n] >= '0' && r.s[n] <= '9' {
		n++
	}
	v, _ := strconv.Atoi(r.s[:n])
	r.s = r.s[n:]
	return v
}

func (r *reader) expr() (Expr, error) {
	e, err := r.primary()
	for err == nil && r.eat("::") {
		e, err = NewCast(e, r.typeName(), false)
	}
	return e, err
}

func (r *reader) primary() (Expr, error) {
	r.blanks()
	switch c := r.s[0]; {
	case c == '\'':
		return NewString(r.text()), nil
	case c == '-':
		r.s = r.s[1:]
		e, err := r.expr()
		if err != nil {
			return nil, err
		}
		return NewUnary("-", e)
	case c >= '0' && c <= '9' || c == '.':
		n := 0
		for n < len(r.s) && strings.ContainsRune("0123456789.e", rune(r.s[n])) {
			n++
		}
		t := r.s[:n]
		r.s = r.s[n:]
		l, err := NewNumber(t)
		return l, err
	case c == '(':
		r.s = r.s[1:]
		e, err := r.expr()
		for err == nil && !r.eat(")") {
			op := ""
			for _, o := range []string{"->>", "->", "//", "||", "<>", "<=", ">=", "+", "-", "*", "/", "%", "^", "<", ">", "=", "AND", "OR", "LIKE", "ILIKE"} {
				if r.eat(o) {
					op = o
					break
				}
			}
			var b Expr
			if b, err = r.expr(); err != nil {
				return nil, err
			}
			switch op {
			case "AND":
				e, err = NewAnd(e, b)
			case "OR":
				e, err = NewOr(e, b)
			case "LIKE", "ILIKE":
				e, err = NewLike(e, b, nil, false, op == "ILIKE")
			default:
				e, err = NewBinary(op, e, b)
			}
		}
		return e, err
	}
	w := r.word()
	switch strings.ToUpper(w) {
	case "NULL":
		return NewNull(), nil
	case "TRUE", "FALSE":
		return NewBool(strings.EqualFold(w, "true")), nil
	}
	if r.eat("(") {
		var args []Expr
		for !r.eat(")") {
			a, err := r.expr()
			if err != nil {
				return nil, err
			}
			args = append(args, a)
			r.eat(",")
		}
		return NewCall(w, args)
	}
	r.blanks()
	if len(r.s) > 0 && r.s[0] == '\'' {
		t := (&reader{s: w}).typeName()
		return NewCast(NewString(r.text()), t, false)
	}
	for i, f := range r.cols {
		if f.Name == w {
			return &Column{i, w, f.Type}, nil
		}
	}
	return nil, fmt.Errorf("no column %q", w)
}

// read is the expression of a text over columns.
func read(text string, cols ...vec.Field) (Expr, error) {
	r := reader{s: text, cols: cols}
	e, err := r.expr()
	if err == nil && strings.TrimSpace(r.s) != "" {
		return nil, fmt.Errorf("left over: %s", r.s)
	}
	return e, err
}

func mustRead(t testing.TB, text string, cols ...vec.Field) Expr {
	t.Helper()
	e, err := read(text, cols...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return e
}

// valueText is row i as an example writes it.
func valueText(v *vec.Vector, i int) string {
	if v.IsNull(i) {
		return "NULL"
	}
	return string(AppendText(nil, v, i))
}

// valueOf is the value of an expression without columns, or its error.
func valueOf(text string) string {
	e, err := read(text)
	if err != nil {
		return "error: " + err.Error()
	}
	l, ok := e.(*Literal)
	if !ok {
		return "not constant: " + e.String()
	}
	return valueText(l.Value(), 0)
}
