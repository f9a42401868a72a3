package sql

// tableList reads what FROM names: tables joined by JOIN or commas.
func (p *parser) tableList() TableExpr {
	start := p.tok().pos
	t := p.tableJoin()
	for joins := 0; p.accept(","); joins++ {
		if joins > 0 {
			p.link()
		}
		right := p.tableJoin()
		t = &Join{Span: p.span(start), Kind: CrossJoin, Left: t, Right: right}
	}
	return t
}

// tableJoin reads a table and the JOINs after it, left to right.
func (p *parser) tableJoin() TableExpr {
	start := p.tok().pos
	t := p.tablePrimary()
	for joins := 0; ; joins++ {
		kind, ok := p.joinKind()
		if !ok {
			return t
		}
		if joins > 0 {
			p.link()
		}
		j := &Join{Kind: kind, Left: t, Right: p.tablePrimary()}
		switch {
		case kind == CrossJoin:
		case p.accept("ON"):
			j.On = p.expr()
		case p.accept("USING"):
			j.Using = p.names("a column name")
		default:
			p.unexpected("ON or USING")
		}
		j.Span = p.span(start)
		t = j
	}
}

// joinKind reads the words up to JOIN if a join is next.
func (p *parser) joinKind() (JoinKind, bool) {
	if p.refuseClause(refusedClauses, "") {
		return InnerJoin, false
	}
	for _, k := range []struct {
		word  string
		kind  JoinKind
		outer bool // OUTER may follow
	}{
		{"INNER", InnerJoin, false},
		{"LEFT", LeftJoin, true},
		{"RIGHT", RightJoin, true},
		{"FULL", FullJoin, true},
		{"SEMI", SemiJoin, false},
		{"ANTI", AntiJoin, false},
		{"CROSS", CrossJoin, false},
	} {
		if p.accept(k.word) {
			if k.outer {
				p.accept("OUTER")
			}
			p.expect("JOIN")
			return k.kind, true
		}
	}
	for _, word := range []string{"NATURAL", "ASOF", "POSITIONAL"} {
		if p.is(word) {
			p.fail(p.tok(), word+" JOIN is not supported", "write the condition: JOIN … ON …")
		}
	}
	return InnerJoin, p.accept("JOIN")
}

func (p *parser) tablePrimary() TableExpr {
	if p.refuseClause(refusedTables, "") || p.refusePath() {
		return nil
	}
	t := p.tok()
	switch {
	case p.is("("):
		return p.tableParen()
	case t.kind == tokenString:
		p.next()
		f := &FilePath{Path: unquote(p.textOf(t))}
		f.Alias = p.tableAlias()
		f.Span = p.span(t.pos)
		return f
	case t.kind == tokenWord && p.isName(t) && p.isOp(p.ahead(1), "("),
		t.kind == tokenQuoted && p.isOp(p.ahead(1), "("):
		f := &TableFunc{Call: p.callOf(true)}
		f.Alias = p.tableAlias()
		f.Span = p.span(t.pos)
		return f
	}
	n := &TableName{Parts: []Ident{p.name("a table name")}}
	for p.accept(".") {
		n.Parts = append(n.Parts, p.label("a name after the dot"))
	}
	n.Alias = p.tableAlias()
	n.Span = p.span(t.pos)
	return n
}

// tableParen reads a subquery or a join in parentheses.
func (p *parser) tableParen() TableExpr {
	start := p.tok().pos
	if !p.queryAhead() {
		if !p.enter() {
			return nil
		}
		defer p.leave()
		p.next()
		t := p.tableList()
		p.expect(")")
		return t
	}
	p.next()
	s := &SubqueryTable{Query: p.query()}
	p.expect(")")
	s.Alias = p.tableAlias()
	s.Span = p.span(start)
	return s
}

// queryAhead says whether the parenthesis that is next encloses a query. It
// does if SELECT, FROM or WITH follows; behind more parentheses it does if each of
// the inner ones ends where only a query goes on.
func (p *parser) queryAhead() bool {
	outer, inner := p.i, p.i
	for p.isOp(p.tokens[inner], "(") {
		inner++
	}
	if first := p.tokens[inner]; !p.isWord(first, "SELECT") && !p.isWord(first, "FROM") && !p.isWord(first, "WITH") {
		return false
	}
	for inner--; inner > outer; inner-- {
		after := p.tokens[inner].match + 1
		if after == 1 {
			return true // never closed; the query's own error is the better one
		}
		switch t := p.tokens[after]; {
		case p.isOp(t, ")"):
		case p.isWord(t, "UNION"), p.isWord(t, "EXCEPT"), p.isWord(t, "INTERSECT"),
			p.isWord(t, "ORDER"), p.isWord(t, "LIMIT"), p.isWord(t, "OFFSET"):
			return true
		default:
			return false
		}
	}
	return true
}

// tableAlias reads AS t, t or t(a, b).
func (p *parser) tableAlias() *TableAlias {
	start := p.tok().pos
	var name *Ident
	if p.accept("AS") {
		id := p.label("a name after AS")
		name = &id
	} else if name = p.bareAlias(); name == nil {
		return nil
	}
	a := &TableAlias{Name: *name}
	if p.is("(") {
		a.Columns = p.names("a column name")
	}
	a.Span = p.span(start)
	return a
}
