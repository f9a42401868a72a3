package expr

import (
	"fmt"

	"ubik/internal/exact"
	"ubik/internal/vec"
)

var (
	boolType      = vec.TypeOf(vec.Bool)
	intType       = vec.TypeOf(vec.Int32)
	bigintType    = vec.TypeOf(vec.Int64)
	hugeintType   = vec.TypeOf(vec.HugeInt)
	doubleType    = vec.TypeOf(vec.Double)
	varcharType   = vec.TypeOf(vec.Varchar)
	jsonType      = vec.TypeOf(vec.JSON)
	timestampType = vec.TypeOf(vec.Timestamp)
	dateType      = vec.TypeOf(vec.Date)
	intervalType  = vec.TypeOf(vec.Interval)
)

// intDigits is the precision of the DECIMAL that holds every value of an integer kind.
func intDigits(k vec.Kind) int {
	switch k {
	case vec.Int8:
		return 3
	case vec.Int16:
		return 5
	case vec.Int32:
		return 10
	case vec.Int64:
		return 19
	}
	return exact.MaxPrecision
}

// asDecimal is the DECIMAL type that an integer or DECIMAL type goes to beside a DECIMAL.
func asDecimal(t vec.Type) vec.Type {
	if t.Kind == vec.Decimal {
		return t
	}
	return vec.DecimalType(intDigits(t.Kind), 0)
}

// intRange is the range of an integer kind of at most 64 bits.
func intRange(k vec.Kind) (lo, hi int64) {
	switch k {
	case vec.Int8:
		return -1 << 7, 1<<7 - 1
	case vec.Int16:
		return -1 << 15, 1<<15 - 1
	case vec.Int32:
		return -1 << 31, 1<<31 - 1
	}
	return -1 << 63, 1<<63 - 1
}

// maxType is the type that values of both types can be brought to, and false when there is none. Text
// has none with other types: it is cast where that is written.
func maxType(a, b vec.Type) (vec.Type, bool) {
	if a.Equal(b) || b.Kind == vec.Null {
		return a, true
	}
	if a.Kind == vec.Null {
		return b, true
	}
	if a.Kind > b.Kind {
		a, b = b, a // a is the narrower kind
	}
	switch {
	case a.Kind == vec.Bool && b.IsInteger():
		return b, true
	case a.IsInteger() && b.IsInteger():
		return b, true
	case a.IsNumeric() && b.Kind == vec.Double:
		return b, true
	case a.IsNumeric() && b.Kind == vec.Decimal:
		if a.Kind == vec.HugeInt {
			return vec.DecimalType(exact.MaxPrecision, int(b.Scale)), true
		}
		x, y := asDecimal(a), asDecimal(b)
		// Beyond 38 digits it is decimals that go, as in DuckDB.
		whole := max(x.Precision-x.Scale, y.Precision-y.Scale)
		scale := min(max(x.Scale, y.Scale), exact.MaxPrecision-whole)
		return vec.DecimalType(int(whole+scale), int(scale)), true
	case a.Kind == vec.Timestamp && b.Kind == vec.TimestampTZ:
		return b, true
	case b.Kind == vec.Date && (a.Kind == vec.Timestamp || a.Kind == vec.TimestampTZ):
		return a, true
	}
	return vec.Type{}, false
}

// loose returns e as a literal that takes the type of what it stands beside, or nil.
func loose(e Expr) *Literal {
	if l, ok := e.(*Literal); ok && l.loose {
		return l
	}
	return nil
}

// fitsType reports whether a loose integer is a value of an integer type.
func (l *Literal) fitsType(t vec.Type) bool {
	if t.Kind == vec.HugeInt {
		return true
	}
	if l.v.Type.Kind == vec.HugeInt || !t.IsInteger() {
		return false
	}
	lo, hi := intRange(t.Kind)
	return l.v.I64[0] >= lo && l.v.I64[0] <= hi
}

// unify is the type that all operands of a comparison, a CASE or a COALESCE are brought to: that of the operands
// with a type of their own, widened by integers as written only when those do not fit. A text as written is read as
// that type.
func unify(args []Expr) (vec.Type, error) {
	var t vec.Type
	var from Expr
	join := func(e Expr) error {
		m, ok := maxType(t, e.Type())
		if !ok {
			return fmt.Errorf("%s and %s have no type in common: cast one of them", t, e.Type())
		}
		t, from = m, e
		return nil
	}
	for _, e := range args {
		if loose(e) == nil {
			if err := join(e); err != nil {
				return t, err
			}
		}
	}
	typed := from != nil
	for _, e := range args {
		l := loose(e)
		if l == nil || l.v.Type.Kind == vec.Varchar || l.v.Type.Kind == vec.Null || typed && t.IsInteger() && l.fitsType(t) {
			continue
		}
		if err := join(e); err != nil {
			return t, err
		}
	}
	if from == nil {
		for _, e := range args {
			if e.Type().Kind != vec.Null {
				return e.Type(), nil
			}
		}
	}
	return t, nil
}

// CommonType is the type that a column takes which gets its values from both a and b, as in a UNION.
func CommonType(a, b Expr) (vec.Type, error) { return unify([]Expr{a, b}) }

// coerce brings e to a type, by a cast where that is needed.
func coerce(e Expr, t vec.Type) (Expr, error) {
	if e.Type().Equal(t) {
		return e, nil
	}
	return NewCast(e, t, false)
}

func coerceAll(args []Expr, t vec.Type) ([]Expr, error) {
	out := make([]Expr, len(args))
	for i, a := range args {
		var err error
		if out[i], err = coerce(a, t); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// withArticle is a type's name behind "is not".
func withArticle(t vec.Type) string {
	s := t.String()
	switch s[0] {
	case 'I', 'U':
		return "an " + s
	case 'J':
		return s // JSON
	}
	return "a " + s
}
