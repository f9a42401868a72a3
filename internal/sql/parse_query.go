package sql

import "fmt"

// query reads a SELECT, a FROM, or several joined by UNION, and what follows
// the whole.
func (p *parser) query() Query {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	start := p.tok().pos
	with := p.with()
	q := p.queryTerm()
	for p.is("UNION") {
		p.next()
		all := p.accept("ALL")
		if !all {
			p.accept("DISTINCT")
		}
		if p.isAll("BY", "NAME") {
			p.failAt(p.tok().pos, p.ahead(1).end, "UNION BY NAME is not supported", "name the columns of both queries in the same order")
		}
		right := p.queryTerm()
		q = p.union(start, all, q, right)
	}
	p.tail(q)
	p.setWith(q, with)
	return q
}

// union joins two queries and keeps a run of one operator flat. A run under
// another operator makes the tree deeper.
func (p *parser) union(start int, all bool, left, right Query) Query {
	same := func(q Query) bool {
		u, ok := q.(*Union)
		if ok && (u.All != all || !u.Tail.empty()) {
			p.link()
			return false
		}
		return ok
	}
	u := &Union{All: all}
	if same(left) {
		u = left.(*Union)
	} else {
		u.Inputs = append(u.Inputs, left)
	}
	if same(right) {
		u.Inputs = append(u.Inputs, right.(*Union).Inputs...)
	} else {
		u.Inputs = append(u.Inputs, right)
	}
	u.Span = p.span(start)
	return u
}

func (t *Tail) empty() bool { return t.With == nil && !t.ordered() }

// ordered says whether something follows the query.
func (t *Tail) ordered() bool { return len(t.OrderBy) > 0 || t.Limit != nil || t.Offset != nil }

// queryTerm reads one input of a UNION.
func (p *parser) queryTerm() Query {
	switch {
	case p.is("("):
		p.next()
		q := p.query()
		p.expect(")")
		return q
	case p.is("SELECT"), p.is("FROM"):
		return p.selectCore()
	case p.tok().kind == tokenEnd && p.i == 0:
		p.fail(p.tok(), "the query is empty", "")
	default:
		hint := ""
		if p.i == 0 && (p.is("CREATE") || p.is("INSERT")) {
			hint = "give one query alone"
		} else if p.is("WITH") {
			hint = "WITH stands in front of the whole query, or with its own in parentheses"
		} else if near := Nearest(p.textOf(p.tok()), []string{"SELECT", "FROM", "WITH"}); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		p.unexpectedWith("SELECT or FROM", hint)
	}
	return nil
}

func (p *parser) selectCore() Query {
	s := &Select{}
	start := p.tok().pos
	fromFirst := p.is("FROM")
	if fromFirst {
		from := p.next()
		s.Items = []SelectItem{{Span: Span{from.pos, from.end}, Expr: &Star{Span: Span{from.pos, from.end}}}}
		s.From = p.tableList()
	}
	if p.accept("SELECT") {
		if !p.accept("ALL") { // which before a parenthesis is refused elsewhere
			p.refuseClause(refusedOperands, "")
			s.Distinct = p.accept("DISTINCT")
		}
		s.Items = p.selectItems()
	}
	if into := p.tok(); p.is("INTO") && p.alias != p.i-1 { // else it may be a statement INSERT without a semicolon before it
		p.fail(into, "SELECT … INTO is not supported", "write INSERT INTO name SELECT …")
	}
	if !fromFirst && p.accept("FROM") {
		s.From = p.tableList()
	}
	if p.accept("WHERE") {
		s.Where = p.expr()
	}
	if p.is("GROUP") {
		s.GroupBy = p.groupBy()
	}
	if p.accept("HAVING") {
		s.Having = p.expr()
	}
	s.Span = p.span(start)
	return s
}

func (p *parser) selectItems() []SelectItem {
	items := []SelectItem{p.selectItem()}
	for p.accept(",") {
		items = append(items, p.selectItem())
	}
	return items
}

func (p *parser) selectItem() SelectItem {
	start := p.tok().pos
	if star := p.star(); star != nil {
		p.refuseClause(refusedModifiers, "* ")
		return SelectItem{Span: star.Span, Expr: star}
	}
	if t := p.tok(); p.isWord(t, "FROM") {
		hint := "write what to select: SELECT * FROM …"
		if p.isOp(p.tokens[p.i-1], ",") {
			hint = "leave out the comma before FROM"
		}
		p.fail(t, "expected an expression, found FROM", hint)
	}
	item := SelectItem{Expr: p.expr()}
	item.Alias = p.columnAlias()
	item.Span = p.span(start)
	return item
}

// star reads * or a.b.* if it is next.
func (p *parser) star() *Star {
	n := 0
	for (p.ahead(n).kind == tokenWord || p.ahead(n).kind == tokenQuoted) && p.isOp(p.ahead(n+1), ".") {
		n += 2
	}
	if !p.isOp(p.ahead(n), "*") || n > 0 && !p.isName(p.tok()) {
		return nil
	}
	start := p.tok().pos
	s := &Star{}
	for ; n > 0; n -= 2 {
		s.Table = append(s.Table, p.label("a table name"))
		p.next()
	}
	p.next()
	s.Span = p.span(start)
	return s
}

// columnAlias reads AS x or x.
func (p *parser) columnAlias() *Ident {
	if p.accept("AS") {
		id := p.label("a name after AS")
		return &id
	}
	return p.bareAlias()
}

// bareAlias reads an alias without AS if one is next.
func (p *parser) bareAlias() *Ident {
	if p.refuseClause(refusedClauses, "") {
		return nil
	}
	t := p.tok()
	if !p.isName(t) || t.kind == tokenWord && notBareAlias[upperWord(p.textOf(t))] {
		return nil
	}
	if t.kind == tokenWord {
		p.alias = p.i
	}
	id := p.ident(p.next())
	return &id
}

func (p *parser) groupBy() *GroupBy {
	start := p.next().pos
	p.expect("BY")
	g := &GroupBy{}
	if p.isOp(p.tok(), "(") && p.isOp(p.ahead(1), ")") {
		p.failAt(p.tok().pos, p.ahead(1).end, "a GROUP BY of nothing is not supported", "leave GROUP BY out: the aggregates of all rows are one group")
	}
	if p.accept("ALL") {
		g.All = true
	} else {
		g.Items = p.exprs()
	}
	g.Span = p.span(start)
	return g
}

// tail reads ORDER BY, LIMIT and OFFSET into q.
func (p *parser) tail(q Query) {
	first := p.tok()
	if !p.is("ORDER") && !p.is("LIMIT") && !p.is("OFFSET") {
		return
	}
	t := Tail{OrderBy: p.orderBy()}
	for {
		switch {
		case t.Limit == nil && p.accept("LIMIT"):
			t.Limit = p.expr()
			continue
		case t.Offset == nil && p.accept("OFFSET"):
			t.Offset = p.expr()
			continue
		}
		break
	}
	switch q := q.(type) {
	case *Select:
		p.setTail(&q.Tail, &q.Span, t, first)
	case *Union:
		p.setTail(&q.Tail, &q.Span, t, first)
	}
}

func (p *parser) setTail(to *Tail, span *Span, t Tail, first token) {
	if to.ordered() {
		p.fail(first, "the query in parentheses already has ORDER BY or LIMIT", "use it as a subquery: SELECT * FROM (…) ORDER BY …")
		return
	}
	to.OrderBy, to.Limit, to.Offset = t.OrderBy, t.Limit, t.Offset
	span.End = max(span.End, p.span(span.Pos).End)
}

// orderBy reads ORDER BY … if it is next.
func (p *parser) orderBy() []OrderItem {
	if !p.accept("ORDER") {
		return nil
	}
	p.expect("BY")
	items := []OrderItem{p.orderItem()}
	for p.accept(",") {
		items = append(items, p.orderItem())
	}
	return items
}

func (p *parser) orderItem() OrderItem {
	start := p.tok().pos
	item := OrderItem{Expr: p.expr()}
	if !p.accept("ASC") {
		item.Desc = p.accept("DESC")
	}
	switch {
	case p.acceptAll("NULLS", "FIRST"):
		item.Nulls = NullsFirst
	case p.acceptAll("NULLS", "LAST"):
		item.Nulls = NullsLast
	}
	item.Span = p.span(start)
	return item
}
