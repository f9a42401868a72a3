package sql

// with reads WITH name [(columns)] AS (query), … if it is next.
func (p *parser) with() *With {
	first := p.tok()
	if !p.accept("WITH") {
		return nil
	}
	if t, after := p.tok(), p.ahead(1); p.isWord(t, "RECURSIVE") && p.isName(after) {
		p.fail(t, "WITH RECURSIVE is not supported: over a stream a recursion has no end", "leave RECURSIVE out if no query names itself")
		return nil
	}
	w := &With{}
	seen := map[string]bool{}
	for {
		w.Tables = append(w.Tables, p.commonTable(seen))
		if !p.accept(",") {
			break
		}
	}
	if p.is("INSERT") {
		p.unexpectedWith("SELECT or FROM", "WITH stands behind INSERT INTO name")
	}
	w.Span = p.span(first.pos)
	return w
}

func (p *parser) commonTable(seen map[string]bool) CommonTable {
	start := p.tok().pos
	t := CommonTable{Name: p.name("a table name")}
	p.once(seen, t.Name, "table")
	if p.is("(") {
		t.Columns = p.columnNames()
	}
	p.expect("AS")
	if !p.acceptAll("NOT", "MATERIALIZED") { // says how, not what
		p.accept("MATERIALIZED")
	}
	p.expect("(")
	t.Query = p.query()
	p.expect(")")
	t.Span = p.span(start)
	return t
}

// setWith puts WITH in front of a query, which may have come in parentheses
// with a WITH of its own.
func (p *parser) setWith(q Query, w *With) {
	if w == nil {
		return
	}
	var tail *Tail
	var span *Span
	switch q := q.(type) {
	case *Select:
		tail, span = &q.Tail, &q.Span
	case *Union:
		tail, span = &q.Tail, &q.Span
	default:
		return // after an error
	}
	if tail.With != nil {
		p.failAt(tail.With.Pos, tail.With.End, "the query in parentheses has a WITH of its own", "write one WITH with the tables of both")
		return
	}
	tail.With = w
	span.Pos = min(span.Pos, w.Pos)
}
