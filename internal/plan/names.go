package plan

import (
	"strings"

	"ubik/internal/sql"
)

// outputName is the name of an output column without an alias, as DuckDB gives it: a column by its declared spelling,
// a field by its last name, everything else by its text with every operation in parentheses. It departs where DuckDB
// shows its inside: a literal TRUE, EXTRACT, an INTERVAL and a LIKE with ESCAPE are named as sql.Format writes them.
func (b *builder) outputName(e sql.Expr) string {
	switch e := e.(type) {
	case *sql.ColumnRef:
		name, ok := (&scope{b: b, rel: b.rel}).declared(e)
		if !ok {
			name = e.Parts[len(e.Parts)-1].Name
		}
		return name
	case *sql.Field:
		return e.Name.Name
	case *sql.Call:
		if isWindow(e) {
			return "window"
		}
	}
	return nameText(e)
}

// distinctNames refuses two output columns of one name, which could not be read back.
func (b *builder) distinctNames() error {
	named := b.items[min(b.free, len(b.items)):]
	for i, it := range named {
		for _, before := range named[:i] {
			if sql.SameName(before.name, it.name) {
				e := sql.Errorf(it.at, "two output columns are named %s", sql.QuoteName(it.name))
				if _, star := it.at.(*sql.Star); star {
					return e.WithHint("name the columns in place of *, one of these with AS")
				}
				return e.WithHint("give one of them another name with AS")
			}
		}
	}
	return nil
}

// nameText is an expression as DuckDB names it.
func nameText(e sql.Expr) string {
	switch e := e.(type) {
	case *sql.Unary:
		if e.Op == sql.OpNot {
			return "(NOT " + nameText(e.X) + ")"
		}
		if _, number := e.X.(*sql.NumberLit); number {
			return string(e.Op) + nameText(e.X)
		}
		return string(e.Op) + "(" + nameText(e.X) + ")"
	case *sql.Binary:
		op := string(e.Op)
		if e.Op == sql.OpNe {
			op = "!="
		}
		return "(" + nameText(e.L) + " " + op + " " + nameText(e.R) + ")"
	case *sql.Logic:
		return "(" + nameList(e.Terms, " "+string(e.Op)+" ") + ")"
	case *sql.IsNull:
		if e.Not {
			return "(" + nameText(e.X) + " IS NOT NULL)"
		}
		return "(" + nameText(e.X) + " IS NULL)"
	case *sql.In:
		if e.Query != nil {
			break
		}
		word := " IN ("
		if e.Not {
			word = " NOT IN ("
		}
		return "(" + nameText(e.X) + word + nameList(e.List, ", ") + "))"
	case *sql.Between:
		text := "(" + nameText(e.X) + " BETWEEN " + nameText(e.Low) + " AND " + nameText(e.High) + ")"
		if e.Not {
			return "(NOT " + text + ")"
		}
		return text
	case *sql.Like:
		if e.Escape != nil {
			break
		}
		op := "~~"
		if e.Not {
			op = "!" + op
		}
		if e.NoCase {
			op += "*"
		}
		return "(" + nameText(e.X) + " " + op + " " + nameText(e.Pattern) + ")"
	case *sql.Case:
		return caseName(e)
	case *sql.Cast:
		word := "CAST("
		if e.Try {
			word = "TRY_CAST("
		}
		return word + nameText(e.X) + " AS " + strings.ReplaceAll(sql.Format(e.Type), ",", ", ") + ")"
	case *sql.Call:
		return callName(e)
	}
	return sql.Format(e)
}

func nameList(list []sql.Expr, sep string) string {
	var texts []string
	for _, x := range list {
		texts = append(texts, nameText(x))
	}
	return strings.Join(texts, sep)
}

// caseName writes a CASE with an operand as the comparisons it stands for.
func caseName(e *sql.Case) string {
	text := "CASE "
	for _, w := range e.Whens {
		cond := nameText(w.Cond)
		if e.Operand != nil {
			cond = "(" + nameText(e.Operand) + " = " + cond + ")"
		}
		text += " WHEN (" + cond + ") THEN (" + nameText(w.Then) + ")"
	}
	if e.Else == nil {
		return text + " ELSE NULL END"
	}
	return text + " ELSE " + nameText(e.Else) + " END"
}

func callName(e *sql.Call) string {
	name := sql.FoldName(e.Name.Name)
	text := name + "(" + nameList(e.Args, ", ") + ")"
	switch {
	case e.Star:
		text = name + "_star()"
	case name == "coalesce", name == "ifnull":
		text = "COALESCE(" + nameList(e.Args, ", ") + ")"
	case e.Distinct:
		text = name + "(DISTINCT " + nameList(e.Args, ", ") + ")"
	}
	if e.Filter != nil {
		text += " FILTER (WHERE " + nameText(e.Filter) + ")"
	}
	return text
}
