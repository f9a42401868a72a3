package plan

import (
	"math/big"

	"ubik/internal/expr"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// term is a part of a form that differs from row to row.
type term struct {
	x    expr.Expr
	at   sql.Expr
	n    int  // how often it is added
	time bool // a TIMESTAMP, TIMESTAMP WITH TIME ZONE or DATE; else an INTERVAL or a number of days
}

// form is an expression of times as a sum: of terms, and of a constant in µs and months.
type form struct {
	terms  []term
	micros *big.Int
	months int64
}

// plus returns f + n·g.
func (f *form) plus(n int, g *form) *form {
	s := &form{
		terms:  append([]term{}, f.terms...),
		micros: new(big.Int).Add(f.micros, new(big.Int).Mul(big.NewInt(int64(n)), g.micros)),
		months: f.months + int64(n)*g.months,
	}
	for _, t := range g.terms {
		s.add(term{t.x, t.at, n * t.n, t.time})
	}
	return s
}

func (f *form) add(t term) {
	for i := range f.terms {
		if expr.Equal(f.terms[i].x, t.x) {
			f.terms[i].n += t.n
			if f.terms[i].n == 0 {
				f.terms = append(f.terms[:i], f.terms[i+1:]...)
			}
			return
		}
	}
	f.terms = append(f.terms, t)
}

func constantForm(days, micros, months int64) *form {
	sum := new(big.Int).Mul(big.NewInt(days), big.NewInt(int64(vec.Day)))
	return &form{micros: sum.Add(sum, big.NewInt(micros)), months: months}
}

func isInstant(t vec.Type) bool {
	return t.Kind == vec.Timestamp || t.Kind == vec.TimestampTZ || t.Kind == vec.Date
}

// form takes an expression apart into a sum. It has none unless it is a time, an INTERVAL or a whole number; whole
// numbers count days, as SQL adds them to a DATE.
func (b *binder) form(e sql.Expr) (*form, bool, error) {
	x, err := b.bind(e)
	if err != nil {
		return nil, false, err
	}
	t := x.Type()
	if !isInstant(t) && t.Kind != vec.Interval && (!t.IsInteger() || t.Kind == vec.HugeInt) {
		return nil, false, nil
	}
	if l, ok := x.(*expr.Literal); ok {
		return literalForm(l)
	}
	switch e := e.(type) {
	case *sql.Unary:
		if f, ok, err := b.form(e.X); err != nil || ok && e.Op != sql.OpNot {
			if ok && e.Op == sql.OpNeg {
				f = (&form{micros: new(big.Int)}).plus(-1, f)
			}
			return f, ok, err
		}
	case *sql.Binary:
		if e.Op == sql.OpAdd || e.Op == sql.OpSub {
			l, lok, err := b.form(e.L)
			if err != nil {
				return nil, false, err
			}
			r, rok, err := b.form(e.R)
			if err != nil {
				return nil, false, err
			}
			if lok && rok {
				return l.plus(map[sql.BinaryOp]int{sql.OpAdd: 1, sql.OpSub: -1}[e.Op], r), true, nil
			}
		}
	case *sql.Cast:
		// Of the casts between times only those to DATE change the instant.
		if inner, err := b.bind(e.X); err == nil && isInstant(inner.Type()) && (t.Kind != vec.Date || inner.Type().Kind == vec.Date) {
			return b.form(e.X)
		}
	}
	return &form{terms: []term{{x, e, 1, isInstant(t)}}, micros: new(big.Int)}, true, nil
}

func literalForm(l *expr.Literal) (*form, bool, error) {
	if l.IsNull() {
		return nil, false, nil
	}
	v := l.Value()
	switch v.Type.Kind {
	case vec.Interval:
		i := v.Ivals[0]
		return constantForm(int64(i.Days), i.Micros, int64(i.Months)), true, nil
	case vec.Timestamp, vec.TimestampTZ:
		return constantForm(0, v.I64[0], 0), true, nil
	}
	return constantForm(v.I64[0], 0, 0), true, nil // DATE, or days
}
