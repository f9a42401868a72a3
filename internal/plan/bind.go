package plan

import (
	"ubik/internal/agg"
	"ubik/internal/expr"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// binder turns syntax into typed expressions. before, if set, is asked first for every node: it may take the node
// over (the group keys and aggregates of an emission) or refuse it.
type binder struct {
	scope  *scope
	clause string // where the expression stands, for messages
	before func(e sql.Expr) (x expr.Expr, taken bool, err error)
	from   map[expr.Expr]sql.Expr // if not nil: where in the text each expression comes from
}

func (b *binder) bind(e sql.Expr) (expr.Expr, error) {
	if b.before != nil {
		if x, taken, err := b.before(e); taken || err != nil {
			return x, err
		}
	}
	x, err := b.node(e)
	if err != nil {
		if _, placed := err.(*sql.Error); !placed {
			err = sql.Errorf(e, "%s", err)
		}
		return nil, err
	}
	if _, has := b.from[x]; !has && b.from != nil {
		b.from[x] = e
	}
	return x, nil
}

func (b *binder) all(es []sql.Expr) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(es))
	for i, e := range es {
		x, err := b.bind(e)
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}

func (b *binder) node(e sql.Expr) (expr.Expr, error) {
	switch e := e.(type) {
	case *sql.ColumnRef:
		return b.scope.column(e)
	case *sql.Field, *sql.Index:
		return b.field(e)
	case *sql.NullLit:
		return expr.NewNull(), nil
	case *sql.BoolLit:
		return expr.NewBool(e.Value), nil
	case *sql.NumberLit:
		return expr.NewNumber(e.Text)
	case *sql.StringLit:
		return expr.NewString(e.Value), nil
	case *sql.IntervalLit:
		return expr.NewInterval(vec.IntervalValue{Months: e.Months, Days: e.Days, Micros: e.Micros}), nil
	case *sql.Unary:
		x, err := b.bind(e.X)
		if err != nil {
			return nil, err
		}
		if e.Op == sql.OpNot {
			return expr.NewNot(x)
		}
		return expr.NewUnary(string(e.Op), x)
	case *sql.Binary:
		return b.binary(e)
	case *sql.Logic:
		terms, err := b.all(e.Terms)
		if err != nil {
			return nil, err
		}
		if e.Op == sql.OpAnd {
			return expr.NewAnd(terms...)
		}
		return expr.NewOr(terms...)
	case *sql.IsNull:
		x, err := b.bind(e.X)
		if err != nil {
			return nil, err
		}
		return expr.NewIsNull(x, e.Not)
	case *sql.IsBool:
		x, err := b.bind(e.X)
		if err != nil {
			return nil, err
		}
		return expr.NewIsBool(x, e.Value, e.Not)
	case *sql.In:
		if e.Query != nil {
			word := "EXISTS"
			if e.Not {
				word = "NOT EXISTS"
			}
			return nil, sql.Errorf(e, "IN (SELECT …) is not supported yet").
				WithHint("write %s %s", word, sql.ExistsForm)
		}
		xs, err := b.all(append([]sql.Expr{e.X}, e.List...))
		if err != nil {
			return nil, err
		}
		return expr.NewIn(xs[0], xs[1:], e.Not)
	case *sql.Between:
		xs, err := b.all([]sql.Expr{e.X, e.Low, e.High})
		if err != nil {
			return nil, err
		}
		return expr.NewBetween(xs[0], xs[1], xs[2], e.Not)
	case *sql.Like:
		return b.like(e)
	case *sql.Case:
		return b.caseOf(e)
	case *sql.Cast:
		x, err := b.bind(e.X)
		if err != nil {
			return nil, err
		}
		t, err := TypeOf(e.Type)
		if err != nil {
			return nil, err
		}
		return expr.NewCast(x, t, e.Try)
	case *sql.Call:
		return b.call(e)
	case *sql.Star:
		return nil, sql.Errorf(e, "* stands only in a select list, alone").WithHint("to count records write count(*)")
	case *sql.Exists:
		return nil, sql.Errorf(e, "EXISTS cannot stand here").WithHint("EXISTS and NOT EXISTS are conditions of WHERE, alone or joined to others by AND")
	case *sql.Subquery:
		return nil, sql.Errorf(e, "subqueries are not supported yet").WithHint("join its rows: JOIN (SELECT …) AS x ON …; or run its query first, and write the value")
	}
	return nil, sql.Errorf(e, "this expression is not supported yet")
}

func (b *binder) binary(e *sql.Binary) (expr.Expr, error) {
	l, err := b.bind(e.L)
	if err != nil {
		return nil, err
	}
	r, err := b.bind(e.R)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case sql.OpDistinct, sql.OpNotDistinct:
		return expr.NewIsDistinct(l, r, e.Op == sql.OpNotDistinct)
	}
	return expr.NewBinary(string(e.Op), l, r)
}

func (b *binder) like(e *sql.Like) (expr.Expr, error) {
	es := []sql.Expr{e.X, e.Pattern}
	if e.Escape != nil {
		es = append(es, e.Escape)
	}
	xs, err := b.all(es)
	if err != nil {
		return nil, err
	}
	var escape expr.Expr
	if e.Escape != nil {
		escape = xs[2]
	}
	return expr.NewLike(xs[0], xs[1], escape, e.Not, e.NoCase)
}

func (b *binder) caseOf(e *sql.Case) (expr.Expr, error) {
	var operand, otherwise expr.Expr
	var err error
	if e.Operand != nil {
		if operand, err = b.bind(e.Operand); err != nil {
			return nil, err
		}
	}
	var whens []expr.When
	for _, w := range e.Whens {
		xs, err := b.all([]sql.Expr{w.Cond, w.Then})
		if err != nil {
			return nil, err
		}
		whens = append(whens, expr.When{Cond: xs[0], Then: xs[1]})
	}
	if e.Else != nil {
		if otherwise, err = b.bind(e.Else); err != nil {
			return nil, err
		}
	}
	return expr.NewCase(operand, whens, otherwise)
}

func (b *binder) call(e *sql.Call) (expr.Expr, error) {
	if isWindow(e) {
		return nil, sql.Errorf(e, "%s is a window: it stands in GROUP BY, and in the select list as it is written there", e.Name.Name)
	}
	if base, _, ok := boundOf(e); ok {
		return nil, boundOutside(e, base)
	}
	if isAggregate(e) {
		return nil, sql.Errorf(e, "an aggregate cannot stand in %s", b.clause)
	}
	switch {
	case e.Star:
		return nil, sql.Errorf(e, "%s(*) is not a function", e.Name.Name)
	case e.Distinct:
		return nil, sql.Errorf(e, "DISTINCT belongs into an aggregate, which %s is not", e.Name.Name)
	case e.Filter != nil:
		return nil, sql.Errorf(e.Filter, "FILTER belongs to an aggregate, which %s is not", e.Name.Name)
	case len(e.OrderBy) > 0:
		return nil, sql.Errorf(e, "ORDER BY belongs into an aggregate, which %s is not", e.Name.Name)
	}
	if !expr.IsFunction(e.Name.Name) {
		return nil, unknownFunction(e.Name)
	}
	args, err := b.all(e.Args)
	if err != nil {
		return nil, err
	}
	return expr.NewCall(e.Name.Name, args)
}

// unknownFunction names the nearest of what can be called: functions, aggregates and windows.
func unknownFunction(id sql.Ident) error {
	var names []string
	for _, f := range expr.Functions() {
		if f.Refused == "" {
			names = append(append(names, f.Name), f.Aliases...)
		}
	}
	for _, f := range agg.Functions {
		names = append(names, f.Name)
	}
	for _, w := range windows {
		names = append(names, w.name)
	}
	err := sql.Errorf(id, "there is no function %s", sql.QuoteName(id.Name))
	if near := sql.Nearest(id.Name, names); near != "" {
		return err.WithHint("did you mean %s?", near)
	}
	return err.WithHint("docs/SQL.md lists the functions")
}
