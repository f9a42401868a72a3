package sql

import (
	"strconv"
	"strings"
)

// Format writes a node as canonical text: on one line, keywords in upper case,
// no parentheses but those needed, names quoted only where they must be. The
// text parses to a tree equal to the node.
//
// A node that Parse cannot yield (a Logic of one term, an empty select list)
// gives some text.
func Format(n Node) string {
	f := &formatter{}
	f.node(n)
	return f.String()
}

// formatter collects the text.
type formatter struct {
	strings.Builder
	// guarded is a name to be written in parentheses: see tableArgs.
	guarded *ColumnRef
}

func (f *formatter) put(parts ...string) {
	for _, s := range parts {
		f.WriteString(s)
	}
}

func (f *formatter) node(n Node) {
	switch n := n.(type) {
	case Query:
		f.query(n)
	case *CreateTable:
		f.createTable(n)
	case *CreateView:
		f.createView(n)
	case *Insert:
		f.insert(n)
	case Expr:
		f.expr(n, precArrow)
	case TableExpr:
		f.table(n)
	case *TypeName:
		f.typeName(n)
	case Ident:
		f.ident(n)
	case ColumnDef:
		f.columnDef(n)
	case SelectItem:
		f.selectItem(n)
	case OrderItem:
		f.orderItem(n)
	case When:
		f.when(n)
	case *GroupBy:
		f.groupBy(n)
	case *TableAlias:
		f.alias(n)
	case *With:
		f.with(n)
	case TableColumn:
		f.tableColumn(n)
	case TableOption:
		f.tableOption(n)
	case *PrimaryKey:
		f.primaryKey(n)
	case *Watermark:
		f.watermark(n)
	default:
		panic("sql: Format of an unknown node")
	}
}

// QuoteName writes a name as it must stand in a query: in double quotes unless
// it is a plain word that is not reserved.
func QuoteName(name string) string {
	if n := wordLength(name); n == len(name) && n > 0 && !reserved[upperWord(name)] {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// QuoteString writes text as a string literal.
func QuoteString(text string) string {
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

func (f *formatter) ident(id Ident) { f.put(QuoteName(id.Name)) }

func (f *formatter) names(ids []Ident, between string) {
	for i, id := range ids {
		if i > 0 {
			f.put(between)
		}
		f.ident(id)
	}
}

func (f *formatter) columnDefs(cols []ColumnDef) {
	for i, c := range cols {
		if i > 0 {
			f.put(", ")
		}
		f.columnDef(c)
	}
}

func (f *formatter) columnDef(c ColumnDef) {
	f.ident(c.Name)
	f.put(" ")
	f.typeName(c.Type)
}

func (f *formatter) typeName(t *TypeName) {
	switch t.Name {
	case "LIST":
		f.typeName(t.Elems[0])
		f.put("[]")
		return
	case "MAP":
		f.put("MAP(")
		f.typeName(t.Elems[0])
		f.put(", ")
		f.typeName(t.Elems[1])
		f.put(")")
		return
	case "STRUCT":
		f.put("STRUCT(")
		f.columnDefs(t.Fields)
		f.put(")")
		return
	}
	f.put(t.Name)
	for i, a := range t.Args {
		if i == 0 {
			f.put("(")
		} else {
			f.put(",")
		}
		f.put(strconv.Itoa(a))
	}
	if len(t.Args) > 0 {
		f.put(")")
	}
}
