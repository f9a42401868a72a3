package plan

import (
	"math/big"

	"ubik/internal/expr"
	"ubik/internal/vec"
)

// term is a part of a form that differs from row to row.
type term struct {
	x    expr.Expr
	n    int  // how often it is added
	time bool // a TIMESTAMP, TIMESTAMP WITH TIME ZONE or DATE; else an INTERVAL or a number of days
}

// form is an expression of times as a sum: of terms, and of a constant in µs and months. It is taken from the expression
// and not from its text, so that it is the same for +, date_add and whatever else comes to a sum.
//
// A term that is added as often as it is taken away stays, with n = 0: where it is NULL so is the sum. That there were
// months stays, too: a month more and a month less is not always the same day.
type form struct {
	terms    []term
	micros   *big.Int
	months   int64
	calendar bool // there are or were months
}

// plus returns f + n·g.
func (f *form) plus(n int, g *form) *form {
	s := &form{
		terms:  append([]term{}, f.terms...),
		micros: new(big.Int).Add(f.micros, new(big.Int).Mul(big.NewInt(int64(n)), g.micros)),
		months: f.months + int64(n)*g.months,

		calendar: f.calendar || g.calendar,
	}
	for _, t := range g.terms {
		s.add(term{t.x, n * t.n, t.time})
	}
	return s
}

func (f *form) add(t term) {
	for i := range f.terms {
		if expr.Equal(f.terms[i].x, t.x) {
			f.terms[i].n += t.n
			return
		}
	}
	f.terms = append(f.terms, t)
}

func constantForm(days, micros, months int64) *form {
	sum := new(big.Int).Mul(big.NewInt(days), big.NewInt(int64(vec.Day)))
	return &form{micros: sum.Add(sum, big.NewInt(micros)), months: months, calendar: months != 0}
}

func isInstant(t vec.Type) bool {
	return t.Kind == vec.Timestamp || t.Kind == vec.TimestampTZ || t.Kind == vec.Date
}

// isDays reports whether a type is one of whole numbers, which count days, as SQL adds them to a DATE.
func isDays(t vec.Type) bool { return t.IsInteger() && t.Kind != vec.HugeInt }

// formOf takes an expression apart into a sum, nil if it has none: it is no time, no INTERVAL and no whole number, or is
// always NULL.
func formOf(x expr.Expr) *form {
	t := x.Type()
	if !isInstant(t) && t.Kind != vec.Interval && !isDays(t) {
		return nil
	}
	if l, ok := x.(*expr.Literal); ok {
		return literalForm(l)
	}
	if o, ok := x.(*expr.Op); ok {
		if f := sumForm(o); f != nil {
			return f
		}
	}
	return &form{terms: []term{{x, 1, isInstant(t)}}, micros: new(big.Int)}
}

// sumForm is the form of an operator that adds, or that leaves its operand as it is.
func sumForm(o *expr.Op) *form {
	args := o.Args()
	switch o.Name() {
	case "-", "+":
		sign := map[string]int{"-": -1, "+": 1}[o.Name()]
		if len(args) == 1 {
			if f := formOf(args[0]); f != nil {
				return (&form{micros: new(big.Int)}).plus(sign, f)
			}
			return nil
		}
		l, r := formOf(args[0]), formOf(args[1])
		if time, ok := args[1].(*expr.Literal); ok && args[1].Type().Kind == vec.TimeOfDay {
			r = literalForm(time) // beside a DATE: a TIME has no sum with anything else
		}
		if l != nil && r != nil {
			return l.plus(sign, r)
		}
	case "CAST", "TRY_CAST":
		from, to := args[0].Type(), o.Type()
		// Of the casts between times only those to DATE change the instant, of those between whole numbers only those that
		// may fail.
		if isInstant(from) && isInstant(to) && (to.Kind != vec.Date || from.Kind == vec.Date) || isDays(from) && isDays(to) && from.Kind < to.Kind {
			return formOf(args[0])
		}
	}
	return nil
}

func literalForm(l *expr.Literal) *form {
	if l.IsNull() {
		return nil
	}
	v := l.Value()
	switch v.Type.Kind {
	case vec.Interval:
		i := v.Ivals[0]
		return constantForm(int64(i.Days), i.Micros, int64(i.Months))
	case vec.Timestamp, vec.TimestampTZ, vec.TimeOfDay:
		return constantForm(0, v.I64[0], 0)
	}
	return constantForm(v.I64[0], 0, 0) // DATE, or days
}
