package scripts

import (
	"fmt"
	"strings"

	"ubik/internal/sql"
	"ubik/oracle/duck"
)

// pseudo are the columns that come with a record.
var pseudo = []string{"_topic", "_partition", "_offset", "_timestamp", "_key"}

// translator writes expressions of the program's dialect as DuckDB's: every operation in parentheses, every name in
// quotes and from the table r. Equal expressions give equal texts, qualified or not.
type translator struct {
	schema []sql.ColumnDef
	alias  string // of the source in the query

	renamed [][2]string // columns that FROM gives other names: new and old

	paths [][]string // the fields that were named, each once

	// grouped replaces, in what is emitted, the texts of group keys and windows; nil before.
	grouped map[string]string
	aggs    bool                  // aggregates are allowed
	windows bool                  // so are windows, which stay calls of their names
	double  func(arg string) bool // whether an argument of an aggregate is a DOUBLE, which DuckDB adds inexactly
	err     error                 // the first thing that has no translation
}

func (t *translator) fail(n sql.Node, why string) string {
	if t.err == nil {
		t.err = fmt.Errorf("%s: %s", sql.Format(n), why)
	}
	return "NULL"
}

func (t *translator) all(list []sql.Expr) string {
	var out []string
	for _, x := range list {
		out = append(out, t.expr(x))
	}
	return strings.Join(out, ", ")
}

func not(is bool) string {
	if is {
		return "NOT "
	}
	return ""
}

// expr translates an expression. What is a group key or a bound of the window, as it is written, becomes its column.
func (t *translator) expr(x sql.Expr) string {
	if t.grouped != nil {
		if key, ok := t.grouped[t.plain(x)]; ok {
			return key
		}
	}
	return t.node(x)
}

// plain is the text of an expression in which nothing is replaced, with windows as calls of their names; "" if there is none.
func (t *translator) plain(x sql.Expr) string {
	p := translator{schema: t.schema, alias: t.alias, renamed: t.renamed, windows: true}
	if text := p.expr(x); p.err == nil {
		return text
	}
	return ""
}

func (t *translator) node(x sql.Expr) string {
	switch x := x.(type) {
	case *sql.ColumnRef:
		return t.column(x)
	case *sql.Field:
		if _, ok := names(x); ok {
			return t.column(x)
		}
		return "(" + t.expr(x.X) + member(x.Name.Name) + ")"
	case *sql.Index:
		if _, ok := names(x); ok {
			return t.column(x)
		}
		if s, ok := x.I.(*sql.StringLit); ok {
			return "(" + t.expr(x.X) + member(s.Value) + ")"
		}
		return fmt.Sprintf("(%s -> %s)", t.expr(x.X), t.expr(x.I))
	case *sql.NullLit:
		return "NULL"
	case *sql.BoolLit:
		return strings.ToUpper(fmt.Sprint(x.Value))
	case *sql.NumberLit:
		return x.Text
	case *sql.StringLit:
		return duck.Literal(x.Value)
	case *sql.IntervalLit:
		return interval(x)
	case *sql.Unary:
		return fmt.Sprintf("(%s %s)", x.Op, t.expr(x.X))
	case *sql.Binary:
		return fmt.Sprintf("(%s %s %s)", t.expr(x.L), x.Op, t.expr(x.R))
	case *sql.Logic:
		return t.logic(x.Op, x.Terms)
	case *sql.IsNull:
		return fmt.Sprintf("(%s IS %sNULL)", t.expr(x.X), not(x.Not))
	case *sql.IsBool:
		return fmt.Sprintf("(%s IS %s%t)", t.expr(x.X), not(x.Not), x.Value)
	case *sql.In:
		return fmt.Sprintf("(%s %sIN (%s))", t.expr(x.X), not(x.Not), t.all(x.List))
	case *sql.Between:
		return fmt.Sprintf("(%s %sBETWEEN %s AND %s)", t.expr(x.X), not(x.Not), t.expr(x.Low), t.expr(x.High))
	case *sql.Like:
		return t.like(x)
	case *sql.Case:
		return t.caseOf(x)
	case *sql.Cast:
		name := "CAST"
		if x.Try {
			name = "TRY_CAST"
		}
		return fmt.Sprintf("%s(%s AS %s)", name, t.expr(x.X), sql.Format(x.Type))
	case *sql.Call:
		return t.call(x)
	}
	return t.fail(x, "no translation")
}

// logic evaluates from left to right and stops at what decides. DuckDB's own AND and OR compute all terms.
func (t *translator) logic(op sql.LogicOp, terms []sql.Expr) string {
	first := t.expr(terms[0])
	if len(terms) == 1 {
		return first
	}
	decides := op == sql.OpOr
	return fmt.Sprintf("CASE WHEN (%s) IS %t THEN %t ELSE (%s %s %s) END", first, decides, decides, first, op, t.logic(op, terms[1:]))
}

func interval(x *sql.IntervalLit) string {
	return fmt.Sprintf("INTERVAL '%d months %d days %d microseconds'", x.Months, x.Days, x.Micros)
}

func (t *translator) like(x *sql.Like) string {
	op := "LIKE"
	if x.NoCase {
		op = "ILIKE"
	}
	escape := ""
	if x.Escape != nil {
		escape = " ESCAPE " + t.expr(x.Escape)
	}
	return fmt.Sprintf("(%s %s%s %s%s)", t.expr(x.X), not(x.Not), op, t.expr(x.Pattern), escape)
}

func (t *translator) caseOf(x *sql.Case) string {
	var b strings.Builder
	b.WriteString("CASE")
	if x.Operand != nil {
		b.WriteString(" " + t.expr(x.Operand))
	}
	for _, w := range x.Whens {
		fmt.Fprintf(&b, " WHEN %s THEN %s", t.expr(w.Cond), t.expr(w.Then))
	}
	if x.Else != nil {
		b.WriteString(" ELSE " + t.expr(x.Else))
	}
	return b.String() + " END"
}

// syntax are calls that DuckDB has as syntax only.
var syntax = map[string]string{"position": "strpos", "extract": "date_part"}

func (t *translator) call(x *sql.Call) string {
	name := sql.FoldName(x.Name.Name)
	if isWindow(name) && !t.windows {
		return t.fail(x, "a window that is not the one of GROUP BY")
	}
	if isAggregate(name) {
		return t.aggregate(name, x)
	}
	if s, ok := syntax[name]; ok {
		name = s
	}
	if x.Star || x.Distinct || x.Filter != nil || len(x.OrderBy) > 0 {
		return t.fail(x, "no translation")
	}
	return name + "(" + t.all(x.Args) + ")"
}

func isAggregate(name string) bool {
	switch name {
	case "count", "sum", "min", "max", "avg":
		return true
	}
	return false
}

// aggregate translates a call over the used rows, where no key is replaced. Sums of DOUBLE are made by exact functions.
func (t *translator) aggregate(name string, x *sql.Call) string {
	if !t.aggs || x.Distinct || len(x.OrderBy) > 0 {
		return t.fail(x, "an aggregate that has no translation")
	}
	inner := *t
	inner.grouped, inner.aggs = nil, false
	arg, filter := "*", ""
	if !x.Star {
		arg = inner.all(x.Args)
	}
	if x.Filter != nil {
		filter = " FILTER (WHERE " + inner.expr(x.Filter) + ")"
	}
	t.paths = inner.paths
	if inner.err != nil {
		t.err = inner.err
	}
	if (name == "sum" || name == "avg") && t.double != nil && t.double(arg) {
		return fmt.Sprintf("exact_%s(list(%s)%s)", name, arg, filter)
	}
	return name + "(" + arg + ")" + filter
}

// column translates a name of a column or of a field of one, and notes it.
func (t *translator) column(x sql.Expr) string {
	parts, ok := names(x)
	if !ok {
		return t.fail(x, "no translation")
	}
	if len(parts) > 1 && sql.SameName(parts[0], t.alias) && (t.find(parts[1]) != nil || isPseudo(parts[1]) != "") {
		parts = parts[1:]
	}
	def := t.find(parts[0])
	if def == nil {
		if p := isPseudo(parts[0]); p != "" && len(parts) == 1 {
			return `"r"."` + p + `"`
		}
		return t.fail(x, "no such column")
	}
	path := []string{def.Name.Name}
	members := ""
	for i, p := range parts[1:] {
		if def.Type.Name == "JSON" {
			for _, p := range parts[1+i:] {
				members += member(p)
			}
			break
		}
		if def = find(def.Type.Fields, p); def == nil {
			return t.fail(x, "no such field")
		}
		path = append(path, def.Name.Name)
	}
	known := false
	for _, have := range t.paths {
		known = known || strings.Join(have, "\x00") == strings.Join(path, "\x00")
	}
	if !known {
		t.paths = append(t.paths, path)
	}
	if isJSON(def.Type) {
		return "(" + `"r".` + jsonColumn(path) + members + ")"
	}
	out := `"r"`
	for _, p := range path {
		out += "." + duck.Quote(p)
	}
	return out
}

// member takes a member out of what stands before.
func member(name string) string {
	return " -> " + duck.Literal("/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
}

// rename gives the first columns other names.
func (t *translator) rename(columns []sql.Ident) {
	for i, c := range columns {
		t.renamed = append(t.renamed, [2]string{c.Name, t.schema[i].Name.Name})
	}
}

// shown is the name that a column of the schema has in the query.
func (t *translator) shown(name string) string {
	for _, r := range t.renamed {
		if r[1] == name {
			return r[0]
		}
	}
	return name
}

// find is the column that a name of the query stands for.
func (t *translator) find(name string) *sql.ColumnDef {
	for i := range t.schema {
		if sql.SameName(t.shown(t.schema[i].Name.Name), name) {
			return &t.schema[i]
		}
	}
	return nil
}

// names are the parts of a dotted name, also of a['b'] and (a).b.
func names(x sql.Expr) ([]string, bool) {
	switch x := x.(type) {
	case *sql.ColumnRef:
		var out []string
		for _, p := range x.Parts {
			out = append(out, p.Name)
		}
		return out, true
	case *sql.Field:
		before, ok := names(x.X)
		return append(before, x.Name.Name), ok
	case *sql.Index:
		before, ok := names(x.X)
		s, isText := x.I.(*sql.StringLit)
		if !ok || !isText {
			return nil, false
		}
		return append(before, s.Value), true
	}
	return nil, false
}

func find(defs []sql.ColumnDef, name string) *sql.ColumnDef {
	for i := range defs {
		if sql.SameName(defs[i].Name.Name, name) {
			return &defs[i]
		}
	}
	return nil
}

func isPseudo(name string) string {
	for _, p := range pseudo {
		if sql.SameName(p, name) {
			return p
		}
	}
	return ""
}
