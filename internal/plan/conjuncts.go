package plan

import (
	"ubik/internal/expr"
	"ubik/internal/sql"
)

// conjuncts takes the condition of a clause apart into those that must all be TRUE. Those behind one that is TRUE for no row
// are idle.
func (p *planner) conjuncts(e sql.Expr) []sql.Expr {
	all := conjuncts(e, false)
	for i, c := range all {
		if never(c) {
			p.rest(all[i+1:])
			break
		}
	}
	return all
}

// rest makes conditions idle.
func (p *planner) rest(conds []sql.Expr) {
	if p.idle == nil {
		p.idle = map[sql.Expr]bool{}
	}
	for _, c := range conds {
		p.idle[c] = true
	}
}

// never reports whether a condition is a constant that is not TRUE. One that is wrong is not.
func never(cond sql.Expr) bool {
	constant := true
	sql.WalkExprs(cond, func(e sql.Expr) bool {
		switch e.(type) {
		case *sql.ColumnRef, *sql.Field, *sql.Index:
			constant = false
		}
		return constant
	})
	if !constant {
		return false
	}
	x, err := (&binder{}).condition(cond)
	l, ok := x.(*expr.Literal)
	return err == nil && ok && (l.IsNull() || !l.Value().Bools[0])
}

// conjuncts takes a condition apart into those that must all be TRUE. With not they are those of its negation: NOT goes
// inwards, past AND, OR and comparisons.
func conjuncts(e sql.Expr, not bool) []sql.Expr {
	switch e := e.(type) {
	case nil:
		return nil
	case *sql.Logic:
		if (e.Op == sql.OpAnd) == not {
			break
		}
		var out []sql.Expr
		for _, t := range e.Terms {
			out = append(out, conjuncts(t, not)...)
		}
		return out
	case *sql.Unary:
		if e.Op == sql.OpNot {
			return conjuncts(e.X, !not)
		}
	case *sql.Binary:
		if opposite, ok := opposites[e.Op]; ok && not {
			c := *e
			c.Op = opposite
			return []sql.Expr{&c}
		}
	case *sql.Between:
		if not {
			c := *e
			c.Not = !e.Not
			return []sql.Expr{&c}
		}
	}
	if not {
		return []sql.Expr{&sql.Unary{Span: e.(sql.Node).At(), Op: sql.OpNot, X: e}}
	}
	return []sql.Expr{e}
}

// opposites are the comparisons that are TRUE where others are FALSE, and NULL where they are.
var opposites = map[sql.BinaryOp]sql.BinaryOp{
	sql.OpEq: sql.OpNe, sql.OpNe: sql.OpEq, sql.OpLt: sql.OpGe, sql.OpGe: sql.OpLt, sql.OpGt: sql.OpLe, sql.OpLe: sql.OpGt,
	sql.OpDistinct: sql.OpNotDistinct, sql.OpNotDistinct: sql.OpDistinct,
}
