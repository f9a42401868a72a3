package sql

import "fmt"

// create reads CREATE TABLE or CREATE VIEW.
func (p *parser) create() Statement {
	start := p.next().pos
	var replace token
	if p.is("OR") {
		replace = p.next()
		p.expectWord("REPLACE")
	}
	temp := p.accept("TEMP") || p.accept("TEMPORARY")
	if p.refuseClause(refusedCreations, "CREATE ") {
		return nil
	}
	t := p.tok()
	switch {
	case p.accept("TABLE"):
		n := p.createTable(start, temp) // which refuses AS, for another reason
		if replace.kind != tokenEnd {
			p.fail(replace, "OR REPLACE is for views", "write CREATE TABLE name (…): a declaration lives for one run")
		}
		return n
	case p.accept("VIEW"):
		return p.createView(start, replace.kind != tokenEnd, temp)
	case p.is("MATERIALIZED"), p.is("RECURSIVE"):
		p.fail(t, "CREATE "+upperWord(p.textOf(t))+" VIEW is not supported", "a view is a query with a name: CREATE VIEW name AS SELECT …")
	default:
		p.unexpectedAmong("TABLE or VIEW", "TABLE", "VIEW", "TEMP", "TEMPORARY", "REPLACE")
	}
	return nil
}

func (p *parser) ifNotExists() bool { return p.acceptAll("IF", "NOT", "EXISTS") }

func (p *parser) createView(start int, replace, temp bool) Statement {
	v := &CreateView{OrReplace: replace, Temp: temp, IfNotExists: p.ifNotExists()}
	v.Name = p.oneName("view")
	if p.is("(") {
		v.Columns = p.columnNames()
	}
	p.expectWord("AS")
	v.Query = p.query()
	v.Span = p.span(start)
	return v
}

func (p *parser) createTable(start int, temp bool) Statement {
	n := &CreateTable{Temp: temp, IfNotExists: p.ifNotExists()}
	n.Name = p.oneName("table")
	declared := p.is("(")
	if declared {
		p.tableElements(n)
	}
	p.refuseClauses()
	if p.accept("WITH") {
		n.Options = p.tableOptions()
		p.refuseClauses()
	} else if !declared {
		p.unexpectedAmong(`"(" or WITH`, "WITH")
	}
	n.Span = p.span(start)
	return n
}

// refuseClauses fails at what other systems have behind the columns.
func (p *parser) refuseClauses() {
	if t := p.tok(); p.isWord(t, "AS") {
		p.fail(t, "CREATE TABLE AS is not supported: a table is a source or a sink and holds no rows",
			"write CREATE VIEW name AS SELECT …, or INSERT INTO name SELECT … for a declared table")
	}
	p.refuse(refusedTableClauses)
}

// tableElements reads (column, PRIMARY KEY …, WATERMARK …, …).
func (p *parser) tableElements(n *CreateTable) {
	p.expect("(")
	seen := map[string]bool{}
	for {
		p.tableElement(n, seen)
		if !p.accept(",") {
			break
		}
	}
	if !p.is(")") {
		p.unexpectedAmong(`"," or ")"`, columnWords...)
	}
	p.next()
}

// tableElement reads one entry. What an entry begins with may also be the name
// of a column: which it is, the next words tell.
func (p *parser) tableElement(n *CreateTable, seen map[string]bool) {
	t, next := p.tok(), p.ahead(1)
	if p.isWord(t, "CONSTRAINT") && p.constraintAhead(2) {
		p.next()
		p.name("a name of the constraint")
		t, next = p.tok(), p.ahead(1)
	}
	switch {
	case p.isWord(t, "WATERMARK") && p.isWord(next, "FOR"):
		p.watermark(n)
	case p.isWord(t, "PRIMARY") && p.isWord(next, "KEY"):
		p.tableKey(n)
	case p.constraintAhead(0), p.isWord(t, "LIKE"):
		if !p.refuse(refusedConstraints) {
			p.refuse(refusedTableClauses)
		}
	case t.kind == tokenWord && p.isWord(next, "FOR") && Nearest(p.textOf(t), []string{"WATERMARK"}) != "":
		p.fail(t, "unexpected "+clip(p.textOf(t)), "did you mean WATERMARK?")
	case t.kind == tokenWord && p.isWord(next, "KEY") && p.isOp(p.ahead(2), "("):
		p.unexpectedAmong("a column name or PRIMARY KEY", "PRIMARY")
	default:
		p.tableColumn(n, seen)
	}
}

// constraintAhead says whether a constraint over columns begins n tokens on:
// PRIMARY KEY (, FOREIGN KEY (, UNIQUE (, CHECK (.
func (p *parser) constraintAhead(n int) bool {
	t, next := p.ahead(n), p.ahead(n+1)
	switch {
	case p.isWord(t, "PRIMARY"), p.isWord(t, "FOREIGN"):
		return p.isWord(next, "KEY") && p.isOp(p.ahead(n+2), "(")
	case p.isWord(t, "UNIQUE"), p.isWord(t, "CHECK"):
		return p.isOp(next, "(")
	}
	return false
}

// tableKey reads PRIMARY KEY (a, b) [NOT ENFORCED].
func (p *parser) tableKey(n *CreateTable) {
	start := p.next().pos
	p.next()
	key := &PrimaryKey{Columns: p.columnNames()}
	p.setKey(n, start, key)
}

// setKey reads what may follow PRIMARY KEY and gives the table the key.
func (p *parser) setKey(n *CreateTable, start int, key *PrimaryKey) {
	if p.is("ENFORCED") {
		p.fail(p.tok(), "a PRIMARY KEY is not ENFORCED: records are not compared with earlier ones", "write NOT ENFORCED, or nothing")
	}
	if p.isAll("NOT", "ENFORCED") {
		p.i += 2
	}
	key.Span = p.span(start)
	if n.PrimaryKey != nil {
		p.failAt(key.Pos, key.End, "a table has one PRIMARY KEY, and this is a second one", "several columns are one key: PRIMARY KEY (a, b)")
	}
	n.PrimaryKey = key
}

// watermark reads WATERMARK FOR column AS column [- INTERVAL].
func (p *parser) watermark(n *CreateTable) {
	w := &Watermark{}
	start := p.next().pos
	p.next()
	w.Column = p.name("a column name")
	p.expectWord("AS")
	if p.err != nil {
		return
	}
	x := p.expr()
	if p.err != nil {
		return
	}
	w.Span = p.span(start)
	p.delay(w, x)
	if n.Watermark != nil {
		p.failAt(w.Pos, w.End, "a table has one WATERMARK, and this is a second one", "")
	}
	n.Watermark = w
}

// delay takes the delay out of the expression of a watermark.
func (p *parser) delay(w *Watermark, x Expr) {
	isColumn := func(x Expr) bool {
		c, ok := x.(*ColumnRef)
		return ok && len(c.Parts) == 1 && SameName(c.Parts[0].Name, w.Column.Name)
	}
	if isColumn(x) {
		return
	}
	b, ok := x.(*Binary)
	if ok && b.Op == OpSub && isColumn(b.L) {
		w.Delay, ok = b.R.(*IntervalLit)
	} else {
		ok = false
	}
	name := QuoteName(w.Column.Name)
	form := fmt.Sprintf("write WATERMARK FOR %s AS %s - INTERVAL '5' SECOND", name, name)
	at := x.At()
	switch {
	case !ok:
		p.failAt(at.Pos, at.End, "a watermark is the column of that name less a constant INTERVAL", form)
	case w.Delay.Months != 0:
		p.failAt(w.Delay.Pos, w.Delay.End, "the delay of a watermark has no months, which differ in length", form)
	case !isDelay(w.Delay):
		p.failAt(w.Delay.Pos, w.Delay.End, "the delay of a watermark is from 0 to 9223372036854775807 microseconds", form)
	}
}
