package sql

import (
	"fmt"
	"strings"
)

// primary reads an operand, and says what may follow it.
func (p *parser) primary() (Expr, int) {
	t := p.tok()
	span := Span{t.pos, t.end}
	switch t.kind {
	case tokenString:
		p.next()
		return &StringLit{span, unquote(p.textOf(t))}, postfixIndex
	case tokenNumber:
		p.next()
		return p.number(t), postfixIndex
	case tokenOp:
		if p.is("(") {
			return p.paren(), postfixField
		}
		if p.is("[") {
			return p.list(), postfixIndex
		}
	case tokenQuoted:
		return p.reference()
	case tokenWord:
		if p.refuseClause(refusedOperands, "") {
			return nil, 0
		}
		if x, open := p.keyword(t); x != nil {
			return x, open
		}
		if p.err == nil && p.isName(t) {
			return p.reference()
		}
	}
	if colon := p.tok(); p.isOp(colon, ":") && p.ahead(1).pos == colon.end {
		p.fail(colon, `unexpected character ':'`, "parameters are not supported: write the value")
	}
	p.unexpected("an expression")
	return nil, 0
}

func (p *parser) number(t token) Expr {
	n := &NumberLit{Span: Span{t.pos, t.end}, Text: strings.ReplaceAll(p.textOf(t), "_", "")}
	switch {
	case strings.ContainsAny(n.Text, "eE"):
		n.Kind = DoubleNumber
	case strings.Contains(n.Text, "."):
		n.Kind = DecimalNumber
	}
	return n
}

func (p *parser) paren() Expr {
	start := p.tok().pos
	if p.queryAhead() {
		p.next()
		q := p.query()
		p.expect(")")
		return &Subquery{p.span(start), q}
	}
	p.next()
	x := p.nested()
	if t := p.tok(); p.isOp(t, ",") {
		p.fail(t, "a row of values in parentheses is not supported", "compare the values one by one, with AND")
	}
	p.expect(")")
	return x
}

// list reads [a, b, …].
func (p *parser) list() Expr {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	l := &ListLit{}
	start := p.next().pos
	if !p.is("]") {
		l.Items = p.exprs()
	}
	p.expect("]")
	l.Span = p.span(start)
	return l
}

// keyword reads an operand that begins with a keyword. It returns nil if the
// word is none, or is a name here.
func (p *parser) keyword(t token) (Expr, int) {
	after := p.ahead(1)
	word := upperWord(p.textOf(t))
	span := Span{t.pos, t.end}
	switch word {
	case "NULL":
		p.next()
		return &NullLit{span}, postfixIndex
	case "TRUE", "FALSE":
		p.next()
		return &BoolLit{span, word == "TRUE"}, postfixIndex
	case "CASE":
		return p.caseExpr(), postfixIndex
	case "CAST":
		return p.cast(false), postfixIndex
	case "TRY_CAST":
		if p.isOp(after, "(") {
			return p.cast(true), postfixIndex
		}
	case "EXISTS":
		if p.isOp(after, "(") {
			p.next()
			if !p.queryAhead() {
				p.fail(p.ahead(1), "EXISTS needs a query in parentheses", "")
				return nil, 0
			}
			p.next()
			q := p.query()
			p.expect(")")
			return &Exists{p.span(t.pos), q}, postfixIndex
		}
	case "INTERVAL":
		if x := p.interval(); x != nil {
			return x, postfixCast
		}
	default:
		return p.typedLiteral(word), postfixCast
	}
	return nil, 0
}

// typedLiteral reads DATE 'text' and its like, or returns nil.
func (p *parser) typedLiteral(word string) Expr {
	if _, ok := typeAliases[word]; !ok {
		return nil
	}
	zoned := (word == "TIMESTAMP" || word == "TIME") && p.isWord(p.ahead(1), "WITH") && p.ahead(4).kind == tokenString
	if p.ahead(1).kind != tokenString && !zoned {
		return nil
	}
	start := p.tok().pos
	typ := p.typeName()
	s := p.next()
	x := &StringLit{Span{s.pos, s.end}, unquote(p.textOf(s))}
	return &Cast{Span: p.span(start), X: x, Type: typ}
}

func (p *parser) caseExpr() Expr {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	c := &Case{}
	start := p.next().pos
	if !p.is("WHEN") {
		c.Operand = p.expr()
	}
	if !p.is("WHEN") {
		p.unexpected("WHEN")
	}
	for p.is("WHEN") {
		w := When{}
		from := p.next().pos
		w.Cond = p.expr()
		p.expect("THEN")
		w.Then = p.expr()
		w.Span = p.span(from)
		c.Whens = append(c.Whens, w)
	}
	if p.accept("ELSE") {
		c.Else = p.expr()
	}
	if !p.accept("END") {
		p.unexpected("END")
	}
	c.Span = p.span(start)
	return c
}

func (p *parser) cast(try bool) Expr {
	start := p.next().pos
	p.expect("(")
	c := &Cast{Try: try, X: p.nested()}
	p.expect("AS")
	c.Type = p.typeName()
	p.expect(")")
	c.Span = p.span(start)
	return c
}

// reference reads a dotted name or a call.
func (p *parser) reference() (Expr, int) {
	if p.isOp(p.ahead(1), "(") {
		return p.call(), postfixField
	}
	start := p.tok().pos
	c := &ColumnRef{Parts: []Ident{p.name("a name")}}
	for p.accept(".") {
		if t := p.tok(); p.isOp(t, "*") {
			p.fail(t, "a star is only allowed as an entry of a select list and in count(*)", "")
		}
		c.Parts = append(c.Parts, p.label("a name after the dot"))
	}
	if t := p.tok(); p.isOp(t, "(") {
		p.fail(t, fmt.Sprintf("%s is not a function: function names have no dots", clip(p.text[start:t.pos])), "")
	}
	c.Span = p.span(start)
	return c, postfixIndex
}
