package sql

import "strings"

// level returns the precedence of an expression as formatter writes it.
func level(x Expr) int {
	switch x := x.(type) {
	case *Logic:
		if x.Op == OpOr {
			return precOr
		}
		return precAnd
	case *Unary:
		if x.Op == OpNot {
			return precNot
		}
		return precSign
	case *Binary:
		return binaryPrec[x.Op]
	case *IsNull, *IsBool:
		return precIs
	case *In, *Between, *Like:
		return precIn
	case *Cast:
		if !x.Try {
			return precPostfix
		}
	}
	return precPrimary
}

// expr writes x, in parentheses if it binds less than the level from.
func (f *formatter) expr(x Expr, from int) {
	if level(x) < from {
		f.put("(")
		defer f.put(")")
	}
	switch x := x.(type) {
	case *ColumnRef:
		if x == f.guarded {
			f.put("(")
			defer f.put(")")
		}
		f.names(x.Parts, ".")
	case *Star:
		for _, part := range x.Table {
			f.ident(part)
			f.put(".")
		}
		f.put("*")
	case *NullLit:
		f.put("NULL")
	case *BoolLit:
		f.put(strings.ToUpper(boolWord(x.Value)))
	case *NumberLit:
		f.put(x.Text)
	case *StringLit:
		f.put(QuoteString(x.Value))
	case *ListLit:
		f.put("[")
		f.exprs(x.Items)
		f.put("]")
	case *StructLit:
		f.put("{")
		for i, key := range x.Keys {
			if i > 0 {
				f.put(", ")
			}
			f.put(QuoteString(key), ": ")
			f.expr(x.Values[i], precArrow)
		}
		f.put("}")
	case *NamedArg:
		f.ident(x.Name)
		f.put(" = ")
		f.expr(x.Value, precArrow)
	case *IntervalLit:
		f.put("INTERVAL ", QuoteString(intervalWordsOf(x)))
	case *Unary:
		f.unary(x)
	case *Binary:
		f.binary(x)
	case *Logic:
		for i, t := range x.Terms {
			if i > 0 {
				f.put(" ", string(x.Op), " ")
			}
			f.expr(t, level(x)+1)
		}
	case *IsNull:
		f.expr(x.X, precIs)
		f.put(" IS ", notWord(x.Not), "NULL")
	case *IsBool:
		f.expr(x.X, precIs)
		f.put(" IS ", notWord(x.Not), strings.ToUpper(boolWord(x.Value)))
	case *In:
		f.in(x)
	case *Between:
		f.expr(x.X, precIn)
		f.put(" ", notWord(x.Not), "BETWEEN ")
		f.expr(x.Low, precIn+1)
		f.put(" AND ")
		f.expr(x.High, precIn+1)
	case *Like:
		f.like(x)
	case *Case:
		f.caseExpr(x)
	case *Cast:
		f.cast(x)
	case *Call:
		f.call(x)
	case *Field:
		f.base(x.X, postfixField)
		f.put(".")
		f.ident(x.Name)
	case *Index:
		f.base(x.X, postfixIndex)
		f.put("[")
		f.expr(x.I, precArrow)
		f.put("]")
	case *Subquery:
		f.subquery(x.Query)
	case *Exists:
		f.put("EXISTS ")
		f.subquery(x.Query)
	}
}

func boolWord(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

func notWord(not bool) string {
	if not {
		return "NOT "
	}
	return ""
}

func (f *formatter) exprs(list []Expr) {
	for i, x := range list {
		if i > 0 {
			f.put(", ")
		}
		f.expr(x, precArrow)
	}
}

func (f *formatter) unary(x *Unary) {
	f.put(string(x.Op))
	if x.Op == OpNot {
		f.put(" ")
		f.expr(x.X, precNot)
		return
	}
	// Two minus signs side by side would begin a comment.
	if u, ok := x.X.(*Unary); ok && u.Op != OpNot {
		f.put(" ")
	}
	f.expr(x.X, precSign)
}

func (f *formatter) binary(x *Binary) {
	right := binaryPrec[x.Op] + 1
	if right == precArrow+1 {
		right = precSign
	}
	f.expr(x.L, leftLevel(x))
	f.put(" ", string(x.Op), " ")
	f.expr(x.R, right)
}

// leftLevel is the level below which the left operand needs parentheses.
func leftLevel(x *Binary) int {
	switch prec := binaryPrec[x.Op]; prec {
	case precCompare:
		return prec + 1 // comparisons do not chain
	case precArrow:
		if l, ok := x.L.(*Binary); !ok || binaryPrec[l.Op] != precArrow {
			return precPostfix
		}
		return prec
	default:
		return prec
	}
}

func (f *formatter) in(x *In) {
	f.expr(x.X, precIn)
	f.put(" ", notWord(x.Not), "IN ")
	if x.Query != nil {
		f.subquery(x.Query)
		return
	}
	f.put("(")
	f.exprs(x.List)
	f.put(")")
}

func (f *formatter) like(x *Like) {
	f.expr(x.X, precIn)
	f.put(" ", notWord(x.Not))
	if x.NoCase {
		f.put("ILIKE ")
	} else {
		f.put("LIKE ")
	}
	f.expr(x.Pattern, precIn+1)
	if x.Escape != nil {
		f.put(" ESCAPE ")
		f.expr(x.Escape, precIn+1)
	}
}

func (f *formatter) caseExpr(x *Case) {
	f.put("CASE ")
	if x.Operand != nil {
		f.expr(x.Operand, precArrow)
		f.put(" ")
	}
	for _, w := range x.Whens {
		f.when(w)
		f.put(" ")
	}
	if x.Else != nil {
		f.put("ELSE ")
		f.expr(x.Else, precArrow)
		f.put(" ")
	}
	f.put("END")
}

func (f *formatter) when(w When) {
	f.put("WHEN ")
	f.expr(w.Cond, precArrow)
	f.put(" THEN ")
	f.expr(w.Then, precArrow)
}

// cast writes x::type: unlike CAST(x AS type), a chain of it does not nest.
func (f *formatter) cast(x *Cast) {
	if x.Try {
		f.put("TRY_CAST(")
		f.expr(x.X, precArrow)
		f.put(" AS ")
		f.typeName(x.Type)
		f.put(")")
		return
	}
	f.expr(x.X, precPostfix)
	f.put("::")
	f.typeName(x.Type)
}

// base writes what stands before [i] or .f: see the constants postfixIndex and
// postfixField for what needs no parentheses.
func (f *formatter) base(x Expr, open int) {
	bare := false
	switch x.(type) {
	case *Call, *Index, *Field, *Subquery:
		bare = true
	case *ColumnRef, *NullLit, *BoolLit, *NumberLit, *StringLit, *ListLit, *Case, *Exists:
		bare = open == postfixIndex
	case *Cast:
		bare = open == postfixIndex && level(x) == precPrimary
	}
	if bare {
		f.expr(x, precPrimary-1)
		return
	}
	f.put("(")
	f.expr(x, precArrow)
	f.put(")")
}

// callWords are names that in front of a parenthesis mean something else
// unless quoted.
var callWords = wordSet("ANY", "COLUMNS", "CONVERT", "CUBE", "EXISTS", "INTERVAL", "LATERAL", "ROLLUP", "ROW", "SOME", "TRY_CAST", "VALUES")

func (f *formatter) call(c *Call) { f.callOf(c, false) }

func (f *formatter) callOf(c *Call, table bool) {
	if callWords[upperWord(c.Name.Name)] {
		f.put(`"`, c.Name.Name, `"`)
	} else {
		f.ident(c.Name)
	}
	f.put("(")
	switch {
	case c.Star:
		f.put("*")
	case c.Distinct:
		f.put("DISTINCT ")
	}
	if table {
		f.tableArgs(c.Args)
	} else if SameName(c.Name.Name, "position") && len(c.Args) > 0 && !c.Distinct {
		// See parser.position: an IN here must be in parentheses.
		f.expr(c.Args[0], precIn+1)
		for _, x := range c.Args[1:] {
			f.put(", ")
			f.expr(x, precArrow)
		}
	} else {
		f.exprs(c.Args)
	}
	f.orderBy(c.OrderBy)
	f.put(")")
	f.clause(" FILTER (WHERE ", c.Filter)
	if c.Filter != nil {
		f.put(")")
	}
}

// tableArgs writes the arguments of a table function. One without a name that
// begins with name = would be read as one with a name, so this name gets
// parentheses.
func (f *formatter) tableArgs(args []Expr) {
	for i, x := range args {
		if i > 0 {
			f.put(", ")
		}
		f.guarded = comparedName(x)
		f.expr(x, precArrow)
	}
}

// comparedName returns the name that x, written, begins with, if it has one
// part and = follows it, and nil otherwise.
func comparedName(x Expr) *ColumnRef {
	for {
		var least int
		switch y := x.(type) {
		case *Logic:
			x, least = y.Terms[0], level(y)+1
		case *IsNull:
			x, least = y.X, precIs
		case *IsBool:
			x, least = y.X, precIs
		case *Binary:
			if name, ok := y.L.(*ColumnRef); ok && y.Op == OpEq && len(name.Parts) == 1 {
				return name
			}
			x, least = y.L, leftLevel(y)
		}
		if level(x) < least || least == 0 {
			return nil
		}
	}
}
