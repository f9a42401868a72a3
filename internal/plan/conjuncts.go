package plan

import "ubik/internal/sql"

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
