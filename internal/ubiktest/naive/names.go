package naive

import (
	"fmt"
	"strings"

	"ubik/internal/sql"
)

// nameOf is the name of an output column without an alias.
func (c *compiler) nameOf(e sql.Expr) string {
	switch e := e.(type) {
	case *sql.ColumnRef:
		last := e.Parts[len(e.Parts)-1].Name
		if t, names, err := c.find(e); err == nil && len(names) == 1 {
			for _, declared := range t.columns {
				if sql.SameName(declared, last) {
					return declared
				}
			}
		}
		return last
	case *sql.Field:
		return e.Name.Name
	case *sql.Call:
		if _, ok := isWindow(e); ok {
			return "window"
		}
	}
	return written(e)
}

// written is an expression with every operation in parentheses.
func written(e sql.Expr) string {
	list := func(es []sql.Expr, sep string) string {
		var texts []string
		for _, x := range es {
			texts = append(texts, written(x))
		}
		return strings.Join(texts, sep)
	}
	not := func(yes bool, text string) string {
		if yes {
			return text
		}
		return ""
	}
	switch e := e.(type) {
	case *sql.Unary:
		if _, number := e.X.(*sql.NumberLit); number {
			return fmt.Sprintf("%s%s", e.Op, written(e.X))
		}
		if e.Op == sql.OpNot {
			return fmt.Sprintf("(NOT %s)", written(e.X))
		}
		return fmt.Sprintf("%s(%s)", e.Op, written(e.X))
	case *sql.Binary:
		return fmt.Sprintf("(%s %s %s)", written(e.L), strings.Replace(string(e.Op), "<>", "!=", 1), written(e.R))
	case *sql.Logic:
		return fmt.Sprintf("(%s)", list(e.Terms, fmt.Sprintf(" %s ", e.Op)))
	case *sql.IsNull:
		return fmt.Sprintf("(%s IS %sNULL)", written(e.X), not(e.Not, "NOT "))
	case *sql.In:
		return fmt.Sprintf("(%s %sIN (%s))", written(e.X), not(e.Not, "NOT "), list(e.List, ", "))
	case *sql.Between:
		return fmt.Sprintf("%s(%s BETWEEN %s AND %s)%s", not(e.Not, "(NOT "), written(e.X), written(e.Low), written(e.High), not(e.Not, ")"))
	case *sql.Like:
		if e.Escape == nil {
			return fmt.Sprintf("(%s %s~~%s %s)", written(e.X), not(e.Not, "!"), not(e.NoCase, "*"), written(e.Pattern))
		}
	case *sql.Cast:
		return fmt.Sprintf("%sCAST(%s AS %s)", not(e.Try, "TRY_"), written(e.X), strings.ReplaceAll(sql.Format(e.Type), ",", ", "))
	case *sql.Case:
		s := "CASE "
		for _, w := range e.Whens {
			cond := written(w.Cond)
			if e.Operand != nil {
				cond = fmt.Sprintf("(%s = %s)", written(e.Operand), cond)
			}
			s += fmt.Sprintf(" WHEN (%s) THEN (%s)", cond, written(w.Then))
		}
		if e.Else == nil {
			return s + " ELSE NULL END"
		}
		return fmt.Sprintf("%s ELSE %s END", s, written(e.Else))
	case *sql.Call:
		name := sql.FoldName(e.Name.Name)
		s := fmt.Sprintf("%s(%s)", name, list(e.Args, ", "))
		if e.Star {
			s = name + "_star()"
		}
		if name == "coalesce" || name == "ifnull" {
			s = fmt.Sprintf("COALESCE(%s)", list(e.Args, ", "))
		}
		if e.Filter != nil {
			s += fmt.Sprintf(" FILTER (WHERE %s)", written(e.Filter))
		}
		return s
	}
	return sql.Format(e)
}
