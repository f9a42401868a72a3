package sql

import "strings"

// call reads name(…) and the clauses after it. Its spellings with words
// between the arguments become plain calls, as the comment of Expr lists.
func (p *parser) call() *Call { return p.callOf(false) }

// callOf is call; of a table function the arguments may have names and no
// words stand between them.
func (p *parser) callOf(table bool) *Call {
	if !p.enter() {
		return &Call{}
	}
	defer p.leave()
	start := p.tok().pos
	c := &Call{Name: p.name("a function name")}
	p.expect("(")
	switch {
	case c.Name.Quoted, table:
		p.arguments(c, table)
	case SameName(c.Name.Name, "extract") && p.isWord(p.ahead(1), "FROM"):
		p.extract(c)
	case SameName(c.Name.Name, "position") && !p.is(")") && !p.is("*") && !p.is("DISTINCT"):
		p.position(c)
	case SameName(c.Name.Name, "trim") && (p.is("BOTH") || p.is("LEADING") || p.is("TRAILING")):
		p.trimSide(c)
	default:
		p.arguments(c, false)
	}
	p.expect(")")
	p.filter(c)
	c.Span = p.span(start)
	return c
}

func (p *parser) arguments(c *Call, table bool) {
	switch {
	case p.is(")"):
		return
	case p.is("*") && p.isOp(p.ahead(1), ")"):
		p.next()
		c.Star = true
		return
	case p.accept("DISTINCT"):
		c.Distinct = true
	default:
		p.accept("ALL")
	}
	var named map[string]bool // the names given so far, in a table function
	if table {
		named = map[string]bool{}
	}
	p.argument(c, named)
	if !c.Name.Quoted && !table {
		switch {
		case SameName(c.Name.Name, "trim") && p.accept("FROM"):
			c.Args = []Expr{p.expr(), c.Args[0]}
			return
		case SameName(c.Name.Name, "substring") && (p.is("FROM") || p.is("FOR")):
			p.substring(c)
			return
		}
	}
	for p.accept(",") {
		p.argument(c, named)
	}
	c.OrderBy = p.orderBy()
}

// argument reads one argument, which in a table function may be name = value,
// name := value or name => value; named is nil outside of one.
func (p *parser) argument(c *Call, named map[string]bool) {
	name, op := p.tok(), p.ahead(1)
	word := name.kind == tokenWord || name.kind == tokenQuoted
	switch {
	case word && (p.isOp(op, ":=") || p.isOp(op, "=>")):
		if named == nil {
			p.fail(op, "named arguments are for table functions, as in FROM read_csv('path', header = true)", "write the values in order, without names")
			return
		}
	case named != nil && p.isName(name) && (p.isOp(op, "=") || p.isOp(op, "==")):
	default:
		if run := pathAt(p.text, name.pos); named != nil && LooksLikePath(run) &&
			(strings.Contains(run, anyDepth) || strings.Contains(run, "://") || name.kind == tokenOp && strings.ContainsAny(run[:min(1, len(run))], "./")) {
			p.failPath(name.pos, run)
			return
		}
		if quoted := name.kind == tokenString && p.isOp(op, "="); len(named) > 0 && !quoted { // which who knows the function can say more of
			p.fail(name, "an argument without a name stands behind one with a name", "write those without a name first")
		}
		c.Args = append(c.Args, p.expr())
		return
	}
	a := &NamedArg{Name: p.ident(p.next())}
	p.once(named, a.Name, "argument")
	p.next()
	a.Value = p.structOrExpr()
	a.Span = p.span(name.pos)
	c.Args = append(c.Args, a)
}

// structOrExpr reads the value of an argument with a name.
func (p *parser) structOrExpr() Expr {
	if !p.is("{") {
		return p.expr()
	}
	if !p.enter() {
		return nil
	}
	defer p.leave()
	s := &StructLit{}
	start := p.next().pos
	for !p.is("}") && p.err == nil {
		if len(s.Keys) > 0 {
			p.expect(",")
		}
		if key := p.tok(); key.kind == tokenString {
			s.Keys = append(s.Keys, unquote(p.textOf(p.next())))
		} else {
			s.Keys = append(s.Keys, p.label("a name").Name)
		}
		p.expect(":")
		s.Values = append(s.Values, p.structOrExpr())
	}
	p.expect("}")
	s.Span = p.span(start)
	return s
}

// extract reads field FROM x.
func (p *parser) extract(c *Call) {
	field := p.next()
	span := Span{field.pos, field.end}
	f := &StringLit{Span: span, Value: FoldName(p.textOf(field))}
	switch field.kind {
	case tokenWord:
	case tokenString, tokenQuoted:
		f.Value = unquote(p.textOf(field))
	default:
		p.fail(field, "expected a part of a date or time, found "+clip(p.textOf(field)), "write EXTRACT(hour FROM x)")
	}
	p.expect("FROM")
	c.Name.Name = "date_part"
	c.Args = []Expr{f, p.expr()}
}

// position reads part IN whole, or arguments separated by commas. The first
// one cannot hold an IN outside parentheses.
func (p *parser) position(c *Call) {
	p.accept("ALL")
	c.Args = []Expr{p.exprFrom(precIn + 1)}
	if p.accept("IN") {
		c.Args = []Expr{p.expr(), c.Args[0]}
		return
	}
	for p.accept(",") {
		c.Args = append(c.Args, p.expr())
	}
	c.OrderBy = p.orderBy()
}

// trimSide reads BOTH, LEADING or TRAILING, the characters if given, FROM x.
func (p *parser) trimSide(c *Call) {
	switch upperWord(p.textOf(p.next())) {
	case "LEADING":
		c.Name.Name = "ltrim"
	case "TRAILING":
		c.Name.Name = "rtrim"
	}
	var chars Expr
	if !p.is("FROM") {
		chars = p.expr()
	}
	p.expect("FROM")
	c.Args = []Expr{p.expr()}
	if chars != nil {
		c.Args = append(c.Args, chars)
	}
}

// substring reads FROM a [FOR b], FOR b [FROM a].
func (p *parser) substring(c *Call) {
	var from, length Expr
	at := p.tok()
	for {
		switch {
		case from == nil && p.accept("FROM"):
			from = p.expr()
			continue
		case length == nil && p.accept("FOR"):
			length = p.expr()
			continue
		}
		break
	}
	if from == nil {
		from = &NumberLit{Span: Span{at.pos, at.pos}, Text: "1"}
	}
	c.Args = append(c.Args, from)
	if length != nil {
		c.Args = append(c.Args, length)
	}
}

// filter reads FILTER (WHERE …), and refuses OVER.
func (p *parser) filter(c *Call) {
	if p.isWord(p.tok(), "FILTER") && p.isOp(p.ahead(1), "(") {
		p.next()
		p.next()
		p.expect("WHERE")
		c.Filter = p.expr()
		p.expect(")")
	}
	if t := p.tok(); p.isWord(t, "OVER") && p.follows(p.ahead(1), "( _") {
		p.fail(t, "window functions with OVER are not supported", byTime)
	}
}
