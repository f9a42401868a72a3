package sql

import "fmt"

// columnWords are the words that may stand behind a column.
var columnWords = []string{"PRIMARY", "METADATA", "NOT", "NULL", "CHECK", "UNIQUE", "DEFAULT", "COMMENT", "REFERENCES"}

// tableColumn reads one column of a CREATE TABLE.
func (p *parser) tableColumn(n *CreateTable, seen map[string]bool) {
	start := p.tok().pos
	c := TableColumn{Name: p.name("a column name")}
	if p.err != nil {
		return
	}
	p.once(seen, c.Name, "column")
	if p.accept("AS") {
		c.Computed = p.expr()
	} else {
		if t := p.tok(); t.kind != tokenWord && t.kind != tokenQuoted {
			p.unexpected(fmt.Sprintf("a type or AS after column %s", clip(c.Name.Name)))
			return
		}
		c.Type = p.typeName()
	}
	c.Span = p.span(start)
	p.columnClauses(n, &c)
	n.Columns = append(n.Columns, c)
}

// columnClauses reads what may follow the type of a column, or the expression
// of a computed one.
func (p *parser) columnClauses(n *CreateTable, c *TableColumn) {
	for p.err == nil {
		t := p.tok()
		switch {
		case p.isWord(t, "CONSTRAINT") && p.isName(p.ahead(1)):
			p.i += 2
			if !p.is("PRIMARY") && !p.refuse(refusedConstraints) {
				p.unexpectedAmong("PRIMARY KEY after the name of the constraint", "PRIMARY")
			}
		case p.isWord(t, "PRIMARY"):
			p.next()
			p.expectWord("KEY")
			p.setKey(n, t.pos, &PrimaryKey{Columns: []Ident{c.Name}})
		case c.Type != nil && c.Metadata == nil && p.isWord(t, "METADATA"):
			p.metadata(c)
		case p.accept("NULL"): // is what every column may be
		case c.Type != nil && p.isWord(t, "AS"):
			p.fail(t, "a computed column has no type", fmt.Sprintf("write %s AS CAST(expression AS %s)", QuoteName(clip(c.Name.Name)), Format(c.Type)))
		case p.refuse(refusedConstraints):
		default:
			return
		}
	}
}

// metadata reads METADATA [FROM 'key'] [VIRTUAL].
func (p *parser) metadata(c *TableColumn) {
	m := &Metadata{}
	start := p.next().pos
	if p.accept("FROM") {
		t := p.tok()
		if t.kind != tokenString || t.end-t.pos == 2 {
			p.unexpectedWith("a name in quotes after FROM", "write METADATA FROM 'timestamp'")
			return
		}
		m.Key = unquote(p.textOf(p.next()))
	}
	m.Virtual = p.accept("VIRTUAL")
	m.Span = p.span(start)
	c.Metadata = m
	c.Span.End = m.End
}

// tableOptions reads (key = value, …).
func (p *parser) tableOptions() []TableOption {
	p.expect("(")
	var list []TableOption
	seen := map[string]bool{}
	for {
		o := p.tableOption()
		if p.err != nil {
			return nil
		}
		p.once(seen, Ident{Span: o.KeySpan, Name: o.Key}, "option")
		list = append(list, o)
		if !p.accept(",") {
			break
		}
	}
	if !p.is(")") {
		p.unexpected(`"," or ")"`)
	}
	p.next()
	return list
}

func (p *parser) tableOption() TableOption {
	start := p.tok().pos
	o := TableOption{Key: p.optionKey(), KeySpan: p.span(start)}
	if p.err != nil {
		return o
	}
	if !p.accept("=") {
		hint := "a name with other characters is quoted: 'ignore-parse-errors' = true"
		if t := p.tok(); t.kind != tokenOp || p.is(",") || p.is(")") {
			hint = "options are written 'key' = 'value'"
		}
		p.unexpectedWith(fmt.Sprintf(`"=" after option %s`, clip(o.Key)), hint)
		return o
	}
	o.Value = p.optionValue(o.Key)
	o.Span = p.span(start)
	return o
}

// optionKey reads 'a.b' or a.b.
func (p *parser) optionKey() string {
	t := p.tok()
	switch {
	case t.kind == tokenString && t.end-t.pos > 2:
		return unquote(p.textOf(p.next()))
	case t.kind != tokenWord && t.kind != tokenQuoted:
		p.unexpectedWith("the name of an option", "options are written 'key' = 'value'")
		return ""
	}
	key := p.optionName()
	for p.accept(".") {
		key += "." + p.optionName()
	}
	return key
}

func (p *parser) optionName() string {
	id := p.label("a name after the dot")
	if id.Quoted {
		return id.Name
	}
	return FoldName(id.Name)
}

func (p *parser) optionValue(key string) Expr {
	t := p.tok()
	span := Span{t.pos, t.end}
	signed := (p.is("-") || p.is("+")) && p.ahead(1).kind == tokenNumber
	switch {
	case t.kind == tokenString:
		p.next()
		return &StringLit{span, unquote(p.textOf(t))}
	case t.kind == tokenNumber:
		return p.number(p.next())
	case signed:
		p.next()
		x := p.number(p.next())
		return &Unary{Span: p.span(t.pos), Op: UnaryOp(p.textOf(t)), X: x}
	case p.accept("TRUE"):
		return &BoolLit{span, true}
	case p.accept("FALSE"):
		return &BoolLit{span, false}
	}
	hint := ""
	if t.kind == tokenWord || t.kind == tokenQuoted {
		hint = fmt.Sprintf("text is quoted: %s", QuoteString(clip(p.ident(t).Name)))
	}
	p.unexpectedWith(fmt.Sprintf("a string, a number, TRUE or FALSE for option %s", clip(key)), hint)
	return nil
}
