package sql

import (
	"fmt"
	"sort"
	"strconv"
)

// typeAliases maps every spelling of a type to its canonical name.
var typeAliases = map[string]string{
	"BOOLEAN": "BOOLEAN", "BOOL": "BOOLEAN", "LOGICAL": "BOOLEAN",
	"TINYINT": "TINYINT", "INT1": "TINYINT",
	"SMALLINT": "SMALLINT", "INT2": "SMALLINT", "SHORT": "SMALLINT",
	"INTEGER": "INTEGER", "INT": "INTEGER", "INT4": "INTEGER", "SIGNED": "INTEGER",
	"BIGINT": "BIGINT", "INT8": "BIGINT", "LONG": "BIGINT",
	"HUGEINT": "HUGEINT", "INT128": "HUGEINT",
	"DECIMAL": "DECIMAL", "NUMERIC": "DECIMAL", "DEC": "DECIMAL",
	"DOUBLE": "DOUBLE", "FLOAT8": "DOUBLE",
	"REAL": "REAL", "FLOAT": "REAL", "FLOAT4": "REAL",
	"VARCHAR": "VARCHAR", "TEXT": "VARCHAR", "STRING": "VARCHAR", "CHAR": "VARCHAR", "BPCHAR": "VARCHAR",
	"TIMESTAMP": "TIMESTAMP", "DATETIME": "TIMESTAMP",
	"TIMESTAMPTZ": "TIMESTAMP WITH TIME ZONE",
	"DATE":        "DATE", "TIME": "TIME", "INTERVAL": "INTERVAL",
	"BLOB": "BLOB", "BYTEA": "BLOB", "BINARY": "BLOB", "VARBINARY": "BLOB",
	"UUID": "UUID", "JSON": "JSON",
	"STRUCT": "STRUCT", "ROW": "STRUCT", "MAP": "MAP",
}

// typeWords are the spellings of typeAliases in order.
var typeWords = func() []string {
	words := make([]string, 0, len(typeAliases))
	for w := range typeAliases {
		words = append(words, w)
	}
	sort.Strings(words)
	return words
}()

const (
	decimalDigitsMax     = 38
	decimalDigitsDefault = 18
	decimalScaleDefault  = 3
)

// typeName reads a type.
func (p *parser) typeName() *TypeName {
	if !p.enter() {
		return &TypeName{}
	}
	defer p.leave()
	start := p.tok().pos
	t := p.typeBase()
	for links := 0; p.isOp(p.tok(), "["); {
		if !p.isOp(p.ahead(1), "]") {
			p.fail(p.ahead(1), "arrays of a fixed size are not supported", "a list is written type[]")
			return t
		}
		p.i += 2
		if links++; links > 1 {
			p.link()
		}
		t.Span = p.span(start)
		t = &TypeName{Name: "LIST", Elems: []*TypeName{t}}
	}
	t.Span = p.span(start)
	return t
}

func (p *parser) typeBase() *TypeName {
	word := p.tok()
	if word.kind != tokenWord && word.kind != tokenQuoted || word.kind == tokenWord && reserved[upperWord(p.textOf(word))] {
		p.unexpected("a type")
		return &TypeName{}
	}
	spelling := p.ident(p.next()).Name
	name, ok := typeAliases[upperWord(spelling)]
	if !ok {
		p.fail(word, fmt.Sprintf("unknown type %s", clip(spelling)), typeHint(spelling))
		return &TypeName{}
	}
	t := &TypeName{Name: name}
	switch name {
	case "DECIMAL":
		p.decimal(t, word)
	case "VARCHAR":
		if p.is("(") { // the length is checked and, as in DuckDB, ignored
			p.integers(word, "VARCHAR", 1)
		}
	case "DOUBLE":
		p.accept("PRECISION")
	case "TIMESTAMP", "TIME":
		if p.is("(") {
			p.fail(p.tok(), name+" takes no precision: it always has microseconds", "write "+name)
		}
		p.zone(t, word)
	case "STRUCT":
		p.expect("(")
		t.Fields = p.columnDefs("field")
		p.expect(")")
	case "MAP":
		p.expect("(")
		key := p.typeName()
		p.expect(",")
		t.Elems = []*TypeName{key, p.typeName()}
		p.expect(")")
	}
	return t
}

// foreignTypes are types of other systems by what they are written here.
var foreignTypes = map[string]string{
	"ARRAY":         "a list is written type[]",
	"BYTES":         "write BLOB",
	"TIMESTAMP_LTZ": "write TIMESTAMP WITH TIME ZONE",
	"NUMBER":        "write DECIMAL(digits,decimals), or DOUBLE",
}

func typeHint(spelling string) string {
	if hint := foreignTypes[upperWord(spelling)]; hint != "" {
		return hint
	}
	if near := Nearest(spelling, typeWords); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return ""
}

func (p *parser) decimal(t *TypeName, word token) {
	t.Args = []int{decimalDigitsDefault, decimalScaleDefault}
	if !p.is("(") {
		return
	}
	args := p.integers(word, "DECIMAL", 2)
	t.Args = []int{args[0], 0}
	if len(args) == 2 {
		t.Args[1] = args[1]
	}
	switch span := p.span(word.pos); {
	case t.Args[0] < 1 || t.Args[0] > decimalDigitsMax:
		p.failAt(span.Pos, span.End, fmt.Sprintf("DECIMAL has 1 to %d digits", decimalDigitsMax), "")
	case t.Args[1] > t.Args[0]:
		p.failAt(span.Pos, span.End, "DECIMAL cannot have more decimals than digits", "the first number counts all digits, the second those after the point")
	}
}

// integers reads 1 to most small unsigned integers in parentheses. On failure
// it still returns one.
func (p *parser) integers(word token, name string, most int) []int {
	p.expect("(")
	var list []int
	for {
		t := p.tok()
		n, err := strconv.Atoi(p.textOf(t))
		if t.kind != tokenNumber || err != nil {
			p.unexpected("a whole number")
			return []int{1}
		}
		p.next()
		list = append(list, n)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	if len(list) > most {
		span := p.span(word.pos)
		p.failAt(span.Pos, span.End, fmt.Sprintf("%s takes at most %d numbers, not %d", name, most, len(list)), "")
	}
	return list
}

// zone reads WITH TIME ZONE or WITHOUT TIME ZONE.
func (p *parser) zone(t *TypeName, word token) {
	switch {
	case p.acceptAll("WITHOUT", "TIME", "ZONE"):
	case p.acceptAll("WITH", "TIME", "ZONE"):
		if t.Name == "TIME" {
			span := p.span(word.pos)
			p.failAt(span.Pos, span.End, "TIME WITH TIME ZONE is not supported", "use TIME, or TIMESTAMP WITH TIME ZONE")
		}
		t.Name = "TIMESTAMP WITH TIME ZONE"
	}
}

// ParseSchema reads the columns of a source: name type, separated by commas.
// Names are unique without regard to case. The error, if any, is an *Error.
func ParseSchema(text string) ([]ColumnDef, error) {
	var cols []ColumnDef
	err := parse(text, "end of schema", func(p *parser) { cols = p.columnDefs("column") })
	if err != nil {
		return nil, err
	}
	return cols, nil
}

// columnDefs reads name type, …; what is column or field.
func (p *parser) columnDefs(what string) []ColumnDef {
	var cols []ColumnDef
	seen := map[string]bool{}
	for {
		start := p.tok().pos
		c := ColumnDef{Name: p.name("a " + what + " name")}
		if p.err != nil {
			return nil
		}
		if t := p.tok(); t.kind != tokenWord && t.kind != tokenQuoted {
			p.unexpected(fmt.Sprintf("a type after %s %s", what, clip(c.Name.Name)))
		}
		c.Type = p.typeName()
		c.Span = p.span(start)
		p.once(seen, c.Name, what)
		cols = append(cols, c)
		if !p.accept(",") {
			return cols
		}
	}
}
