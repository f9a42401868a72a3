package infer

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"ubik/internal/vec"
)

// Schema is what a sample looks like.
type Schema struct {
	Columns []Column // in order of first appearance; of names that differ only in case the first
	Note    string   // about the sample as a whole, "" for nothing
}

// Column is a column of a source.
type Column struct {
	Name  string
	Type  vec.Type // of LIST, its element in Fields; of MAP, key and value. Zero: the column is known by name only
	Seen  int      // records that have it
	Nulls int      // of these, how often it is NULL
	Note  string   // one line: what the type costs, or how to get a better one; "" for nothing
	Loses bool     // and that some values are not read, though the query names them
	Texts []Texts
}

// Texts says how far the texts of a VARCHAR, a column or a field of a STRUCT, are times.
type Texts struct {
	Path  []string
	Times int       // texts that a cast to TIMESTAMP reads
	Odd   string    // the beginning of the first one that it does not read; "": there is none, as all are NULL
	Reads [2]string // the expression that reads them all as times, before and behind the column; "": none is known
}

// Schema returns the schema of the records so far. used tells of a column (a path of one name) and of a field of a STRUCT
// (the names from the outside in) whether it is to be typed: it must be true of everything the query names, of what is
// around it, and of what is in it. What it is false of is known by name only. nil means everything, as SELECT * does.
func (s *Sampler) Schema(used func(path []string) bool) Schema {
	var out Schema
	if s.root.rest != nil {
		out.Note = "more than " + strconv.Itoa(nodesMax) + " names, or names above " + strconv.Itoa(nameMax) +
			" bytes: not all are listed; declare the columns you use with --schema"
	}
	kept, clashes := distinct(s.root.children)
	for _, n := range kept {
		path := []string{n.name}
		col := Column{Name: n.name, Seen: n.seen, Nulls: n.nulls}
		switch d := (&decider{used: used}); {
		case used != nil && !used(path):
		case n.name == "" || !utf8.ValidString(n.name):
			col.Note = "the name cannot be declared"
		default:
			if n.twice {
				d.note(path, twiceNote)
			}
			d.clash(path, clashes[n])
			col.Type = d.typeOf(n, path, false)
			col.Note, col.Loses, col.Texts = d.joined(), d.loses, d.texts
		}
		out.Columns = append(out.Columns, col)
	}
	return out
}

// DDL returns the schema as --schema and CREATE TABLE take it: the typed columns, and in a comment the names of the
// others. With a table it is the whole statement, without one what stands in its parentheses. It is one line unless a name
// has a line break.
func (s Schema) DDL(table string) string {
	var b strings.Builder
	if table != "" {
		b.WriteString("CREATE TABLE " + quoteName(table) + " (")
	}
	typed := 0
	var others []string
	for _, c := range s.Columns {
		if c.Type.Kind == vec.Null {
			others = append(others, c.Name)
			continue
		}
		if typed > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quoteName(c.Name))
		b.WriteByte(' ')
		writeType(&b, c.Type)
		typed++
	}
	if len(others) > 0 {
		if typed > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(commentOn(others))
	}
	if table != "" {
		b.WriteByte(')')
	}
	return b.String()
}

const namesMax = 20 // names in a comment

// commentOn lists the columns that have no type.
func commentOn(names []string) string {
	text := ""
	for i, name := range names[:min(len(names), namesMax)] {
		if i > 0 {
			text += ", "
		}
		text += quoteName(printable(strings.ToValidUTF8(name, string(utf8.RuneError))))
	}
	if more := len(names) - namesMax; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	// Names must neither end the comment nor begin one in it: comments nest.
	text = strings.ReplaceAll(text, "*/", "* /")
	text = strings.ReplaceAll(text, "/*", "/ *")
	return "/* not typed: " + text + " */"
}

// writeType writes a type as DDL has it.
func writeType(b *strings.Builder, t vec.Type) {
	switch t.Kind {
	case vec.Struct:
		b.WriteString("STRUCT(")
		for i, f := range t.Fields {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(quoteName(f.Name))
			b.WriteByte(' ')
			writeType(b, f.Type)
		}
		b.WriteByte(')')
	case vec.List:
		writeType(b, t.Fields[0].Type)
		b.WriteString("[]")
	case vec.Map:
		b.WriteString("MAP(")
		writeType(b, t.Fields[0].Type)
		b.WriteString(", ")
		writeType(b, t.Fields[1].Type)
		b.WriteByte(')')
	default:
		b.WriteString(t.String())
	}
}
