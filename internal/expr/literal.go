package expr

import (
	"errors"
	"strings"

	"ubik/internal/exact"
	"ubik/internal/vec"
)

// Literal is a constant. An integer or a text as written, and NULL, is loose: it takes the type of what it stands
// beside, where its value allows.
type Literal struct {
	v     *vec.Vector // one row
	loose bool
}

func (l *Literal) Type() vec.Type { return l.v.Type }
func (l *Literal) Args() []Expr   { return nil }
func (l *Literal) fails() bool    { return false }
func (l *Literal) compile() node {
	return &literalNode{one: l.v, v: vec.NewVector(l.v.Type)}
}

// IsNull reports whether the literal is NULL.
func (l *Literal) IsNull() bool { return l.v.IsNull(0) }

// Value returns a vector whose row 0 is the literal; not to be changed.
func (l *Literal) Value() *vec.Vector { return l.v }

// String is the literal as SQL writes it, with its type behind it unless the text alone says it.
func (l *Literal) String() string {
	t := l.v.Type
	if l.IsNull() {
		if t.Kind == vec.Null {
			return "NULL"
		}
		return "NULL::" + t.String()
	}
	text := string(AppendText(nil, l.v, 0))
	switch t.Kind {
	case vec.Bool:
		return strings.ToUpper(text)
	case vec.Int32:
		return text
	case vec.Varchar:
		return quoteText(text)
	case vec.Int8, vec.Int16, vec.Int64, vec.HugeInt, vec.Double:
		return text + "::" + t.String()
	case vec.Decimal:
		if strings.HasPrefix(text, "-") {
			return text + "::" + t.String()
		}
		if t.Scale > 0 && len(text)-1 == int(t.Precision) {
			return text // the digits are those of the type
		}
		return text + "::" + t.String()
	}
	return quoteText(text) + "::" + t.String()
}

func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func newLiteral(t vec.Type) *Literal {
	l := &Literal{v: vec.NewVector(t)}
	l.v.Resize(1)
	return l
}

// NewNull is a bare NULL.
func NewNull() *Literal {
	l := NewTypedNull(vec.Type{})
	l.loose = true
	return l
}

// NewTypedNull is NULL of a type.
func NewTypedNull(t vec.Type) *Literal {
	l := newLiteral(t)
	l.v.SetAllNull()
	return l
}

// NewBool is TRUE or FALSE.
func NewBool(b bool) *Literal {
	l := newLiteral(vec.TypeOf(vec.Bool))
	l.v.Bools[0] = b
	return l
}

// NewInteger is an integer as written: an INTEGER, or a BIGINT when it does not fit.
func NewInteger(i int64) *Literal {
	k := vec.Int64
	if int64(int32(i)) == i {
		k = vec.Int32
	}
	l := newLiteral(vec.TypeOf(k))
	l.v.I64[0] = i
	l.loose = true
	return l
}

// NewNumber is a number as written: digits alone are an INTEGER, BIGINT or HUGEINT, the narrowest that holds it; with
// a point a DECIMAL with just these digits; with an exponent, or with more than 38 digits, a DOUBLE. A minus sign
// may stand before it.
func NewNumber(text string) (*Literal, error) {
	if strings.ContainsAny(text, "eE") {
		return newDoubleText(text)
	}
	point := strings.IndexByte(text, '.')
	if point < 0 {
		v, ok := exact.ParseInt128([]byte(text))
		if !ok {
			return newDoubleText(text)
		}
		if v.IsInt64() {
			return NewInteger(v.Int64()), nil
		}
		l := newLiteral(vec.TypeOf(vec.HugeInt))
		l.v.I128[0] = v
		l.loose = true
		return l, nil
	}
	scale := len(text) - point - 1
	precision := max(len(strings.TrimPrefix(text, "-"))-1, 1)
	if precision > exact.MaxPrecision {
		return newDoubleText(text)
	}
	l := newLiteral(vec.DecimalType(precision, scale))
	v, ok := exact.ParseDecimal([]byte(text), precision, scale)
	if !ok {
		return nil, errors.New(quoteText(text) + " is not a number")
	}
	setDecimal(l.v, 0, v)
	return l, nil
}

func newDoubleText(text string) (*Literal, error) {
	f, ok := parseDouble([]byte(text))
	if !ok {
		return nil, errors.New(quoteText(text) + " is not a number")
	}
	return NewDouble(f), nil
}

// NewDouble is a DOUBLE.
func NewDouble(f float64) *Literal {
	l := newLiteral(vec.TypeOf(vec.Double))
	l.v.F64[0] = f
	return l
}

// NewString is a text as written. Beside another type it is read as a value of that type.
func NewString(s string) *Literal {
	l := newLiteral(vec.TypeOf(vec.Varchar))
	l.v.AppendBytes(0, []byte(s))
	l.loose = true
	return l
}

// NewInterval is an INTERVAL.
func NewInterval(i vec.IntervalValue) *Literal {
	l := newLiteral(vec.TypeOf(vec.Interval))
	l.v.Ivals[0] = i
	return l
}

// newValue is a copy of row i of v.
func newValue(v *vec.Vector, i int) *Literal {
	l := newLiteral(v.Type)
	switch {
	case v.IsNull(i) || v.Type.Phys() == vec.PhysNone:
		l.v.SetAllNull()
	case v.Type.Phys() == vec.PhysBytes:
		l.v.AppendBytes(0, v.Bytes(i))
	default:
		copyRow(l.v, 0, v, i)
	}
	return l
}

// fold computes an operator of literals. A fault in it is an error of the query.
func fold(o *Op) (Expr, error) {
	p := Compile(o)
	var errs Errors
	v := p.Eval(&vec.Batch{N: 1}, nil, &errs)
	if len(errs.Faults) > 0 {
		return nil, errors.New(errs.Faults[0].Msg)
	}
	return newValue(v, 0), nil
}

// setDecimal stores a scaled integer as row i of a DECIMAL or integer column, wherever the type keeps it.
func setDecimal(v *vec.Vector, i int, x exact.Int128) {
	if v.Type.Phys() == vec.PhysI64 {
		v.I64[i] = x.Int64()
	} else {
		v.I128[i] = x
	}
}
