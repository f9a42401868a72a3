package sql

import (
	"fmt"
	"strings"
)

// The levels of precedence, loosest first. They are DuckDB's; note that IS binds
// less than a comparison, and that a sign binds more than a power: -2 ^ 2 is 4.
//
// DuckDB reads a = j->>'x' as (a = j)->>'x' and j->'x' = a as j->('x' = a), which
// is never meant. Here an arrow may begin an expression or stand in parentheses,
// and is refused wherever the two readings differ: see arrows.
const (
	precArrow = iota + 1 // -> and ->>
	precOr
	precAnd
	precNot
	precIs
	precCompare
	precIn    // IN, BETWEEN, LIKE
	precOther // ||
	precAdd
	precMul
	precPow
	precZone // AT TIME ZONE
	precSign
	precPostfix // x::t, x[i], x.f
	precPrimary
)

var binaryPrec = map[BinaryOp]int{
	OpArrow: precArrow, OpArrowText: precArrow,
	OpDistinct: precIs, OpNotDistinct: precIs,
	OpEq: precCompare, OpNe: precCompare, OpLt: precCompare,
	OpLe: precCompare, OpGt: precCompare, OpGe: precCompare,
	OpConcat: precOther,
	OpAdd:    precAdd, OpSub: precAdd,
	OpMul: precMul, OpDiv: precMul, OpIntDiv: precMul, OpMod: precMul,
	OpPow: precPow,
}

// operatorAt returns the canonical operator of a token and its level, which is
// 0 if the token is no infix operator.
func (p *parser) operatorAt(t token) (BinaryOp, int) {
	if t.kind != tokenOp {
		return "", 0
	}
	op := BinaryOp(p.textOf(t))
	switch op {
	case "==":
		op = OpEq
	case "!=":
		op = OpNe
	case "**":
		op = OpPow
	}
	return op, binaryPrec[op]
}

// infixLevel returns the level of the infix operator that is next, 0 for none.
func (p *parser) infixLevel() int {
	t := p.tok()
	if t.kind == tokenOp {
		_, level := p.operatorAt(t)
		return level
	}
	if t.kind != tokenWord {
		return 0
	}
	switch upperWord(p.textOf(t)) {
	case "OR":
		return precOr
	case "AND":
		return precAnd
	case "IS":
		return precIs
	case "IN", "LIKE", "ILIKE", "BETWEEN":
		return precIn
	case "AT":
		if p.isAll("AT", "TIME", "ZONE") {
			return precZone
		}
	case "NOT":
		switch after := p.ahead(1); {
		case p.isWord(after, "IN"), p.isWord(after, "LIKE"), p.isWord(after, "ILIKE"), p.isWord(after, "BETWEEN"):
			return precIn
		}
	}
	return 0
}

func (p *parser) expr() Expr { return p.exprFrom(precArrow) }

// nested is expr one level deeper.
func (p *parser) nested() Expr {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	return p.expr()
}

func (p *parser) exprs() []Expr {
	list := []Expr{p.expr()}
	for p.accept(",") {
		list = append(list, p.expr())
	}
	return list
}

// exprFrom reads operands and the operators between them that bind at least as
// tightly as the level from. It recurses for right operands only, and only to
// tighter levels.
func (p *parser) exprFrom(from int) Expr {
	first := p.tok()
	start := first.pos
	x := p.prefix(from)
	last := precPrimary
	if from == precArrow && p.infixLevel() == precArrow {
		x, last = p.arrows(first, x), precOther
	}
	for links := 0; ; {
		level := p.infixLevel()
		if level == 0 || level < from {
			return x
		}
		if level == precArrow {
			p.arrowError(p.tok())
			return x
		}
		// What was just read binds less than the operator, so it cannot be its
		// left operand: a IS NULL = b, a < b < c.
		if level > last || level == last && level == precCompare {
			p.bindError(level, last)
			return x
		}
		last = level
		if level != precAnd && level != precOr {
			if links++; links > 1 {
				p.link()
			}
		}
		x = p.infix(start, level, x)
	}
}

// arrows reads x -> y ->> z, where x is the first operand of an expression and
// begins with the token first. Behind ->> the looser operators may follow, as
// in j->>'x' = 'y', which everybody reads alike.
func (p *parser) arrows(first token, x Expr) Expr {
	arrow := p.tok()
	if p.isWord(first, "NOT") || p.isOp(first, "-") || p.isOp(first, "+") {
		p.arrowError(arrow)
	}
	text := false
	for links := 0; p.infixLevel() == precArrow; {
		if links++; links > 1 {
			p.link()
		}
		arrow = p.next()
		op, _ := p.operatorAt(arrow)
		text = op == OpArrowText
		if !p.enter() { // Format may need parentheses
			return nil
		}
		r := p.prefix(precSign)
		p.leave()
		x = &Binary{Span: p.span(first.pos), Op: op, L: x, R: r, OpSpan: Span{arrow.pos, arrow.end}}
	}
	if level := p.infixLevel(); level > precOther || level > 0 && !text {
		p.arrowError(arrow)
	}
	return x
}

func (p *parser) arrowError(arrow token) {
	p.fail(arrow, p.textOf(arrow)+" needs parentheses here", "write (x "+p.textOf(arrow)+" 'name') around the whole access")
}

func (p *parser) bindError(level, last int) {
	t := p.tok()
	if level == last {
		p.fail(t, "comparisons cannot be chained", "write a < b AND b < c, or put one comparison in parentheses")
		return
	}
	p.fail(t, "what stands before "+clip(p.textOf(t))+" needs parentheses", "")
}

// infix reads the operator that is next and what follows it.
func (p *parser) infix(start, level int, x Expr) Expr {
	t := p.tok()
	switch level {
	case precAnd, precOr:
		p.next()
		op := LogicOp(upperWord(p.textOf(t)))
		return p.logic(start, op, x, p.exprFrom(level+1))
	case precIs:
		return p.isTest(start, x)
	case precIn:
		return p.inLikeBetween(start, x)
	case precZone:
		p.acceptAll("AT", "TIME", "ZONE")
		zone := p.exprFrom(precZone + 1)
		return &Call{Span: p.span(start), Name: Ident{Span: Span{t.pos, t.end}, Name: "timezone"}, Args: []Expr{zone, x}}
	}
	op, _ := p.operatorAt(p.next())
	r := p.exprFrom(level + 1)
	return &Binary{Span: p.span(start), Op: op, L: x, R: r, OpSpan: Span{t.pos, t.end}}
}

// logic joins two terms and keeps chains flat, parentheses or not: the order
// of evaluation is the same.
func (p *parser) logic(start int, op LogicOp, l, r Expr) Expr {
	chain, ok := l.(*Logic)
	if !ok || chain.Op != op {
		chain = &Logic{Op: op, Terms: []Expr{l}}
	}
	if right, ok := r.(*Logic); ok && right.Op == op {
		chain.Terms = append(chain.Terms, right.Terms...)
	} else {
		chain.Terms = append(chain.Terms, r)
	}
	chain.Span = p.span(start)
	return chain
}

// isTest reads IS [NOT] and what follows.
func (p *parser) isTest(start int, x Expr) Expr {
	is := p.next()
	not := p.accept("NOT")
	switch {
	case p.accept("NULL"), p.accept("UNKNOWN"):
		return &IsNull{Span: p.span(start), X: x, Not: not}
	case p.accept("TRUE"):
		return &IsBool{Span: p.span(start), X: x, Value: true, Not: not}
	case p.accept("FALSE"):
		return &IsBool{Span: p.span(start), X: x, Value: false, Not: not}
	case p.acceptAll("DISTINCT"):
		p.expect("FROM")
		op, opSpan := OpDistinct, p.span(is.pos)
		if not {
			op = OpNotDistinct
		}
		r := p.exprFrom(precIs + 1)
		return &Binary{Span: p.span(start), Op: op, L: x, R: r, OpSpan: opSpan}
	}
	p.unexpected("NULL, TRUE, FALSE or DISTINCT FROM")
	return x
}

// inLikeBetween reads [NOT] IN, LIKE, ILIKE or BETWEEN and what follows.
func (p *parser) inLikeBetween(start int, x Expr) Expr {
	not := p.accept("NOT")
	word := upperWord(p.textOf(p.next()))
	switch word {
	case "IN":
		n := &In{X: x, Not: not}
		p.inSet(n)
		n.Span = p.span(start)
		return n
	case "BETWEEN":
		if p.symmetric(start) {
			return x
		}
		n := &Between{X: x, Not: not, Low: p.exprFrom(precIn + 1)}
		p.expect("AND")
		n.High = p.exprFrom(precIn + 1)
		n.Span = p.span(start)
		return n
	}
	n := &Like{X: x, Not: not, NoCase: word == "ILIKE", Pattern: p.exprFrom(precIn + 1)}
	if p.accept("ESCAPE") {
		n.Escape = p.exprFrom(precIn + 1)
	}
	n.Span = p.span(start)
	return n
}

// symmetric refuses BETWEEN SYMMETRIC and ASYMMETRIC, where the word is no
// column, and says whether it did. The operand that begins at start is read.
func (p *parser) symmetric(start int) bool {
	word := p.tok()
	if !p.is("SYMMETRIC") && !p.is("ASYMMETRIC") || !p.operandAhead() {
		return false
	}
	name := "BETWEEN " + upperWord(p.textOf(p.next()))
	if p.isWord(word, "ASYMMETRIC") {
		p.fail(word, name+" is not supported: BETWEEN alone is the same", "leave ASYMMETRIC out")
		return true
	}
	x := strings.Fields(p.text[start:word.pos]) // x [NOT] BETWEEN
	operand := func() string {
		from := p.tok().pos
		p.exprFrom(precIn + 1)
		s := p.span(from)
		return clip(p.text[s.Pos:s.End])
	}
	low := operand()
	p.expect("AND")
	high := operand()
	p.fail(word, name+" is not supported", fmt.Sprintf("write %s least(%s, %s) AND greatest(%[2]s, %[3]s)", clip(strings.Join(x, " ")), low, high))
	return true
}

// operandAhead says whether an operand follows the word that is next, which
// then is no operand itself. A sign belongs to what it touches.
func (p *parser) operandAhead() bool {
	t := p.ahead(1)
	switch t.kind {
	case tokenWord:
		word := upperWord(p.textOf(t))
		return !reserved[word] || word == "CASE" || word == "CAST" || word == "NULL"
	case tokenOp:
		sign := p.isOp(t, "-") || p.isOp(t, "+")
		return p.isOp(t, "(") || sign && t.pos > p.tok().end && t.end == p.ahead(2).pos
	}
	return t.kind != tokenEnd
}

func (p *parser) inSet(n *In) {
	if !p.is("(") {
		hint := "the values stand in parentheses: IN (a, b, …)"
		if t := p.tok(); t.kind == tokenWord {
			hint = p.keywordHint(t)
		}
		p.unexpectedWith("( after IN", hint)
		return
	}
	query := p.queryAhead()
	if !p.enter() {
		return
	}
	defer p.leave()
	p.next()
	if query {
		n.Query = p.query()
	} else {
		n.List = p.exprs()
	}
	p.expect(")")
}

// prefix reads NOT x, -x, +x or an operand, where an operator of the level
// from stands before it.
func (p *parser) prefix(from int) Expr {
	t := p.tok()
	switch {
	case p.is("NOT"):
		if from > precNot {
			p.fail(t, "NOT needs parentheses here", "write (NOT …)")
			return nil
		}
		return p.unary(OpNot, func() Expr { return p.exprFrom(precNot) })
	case p.is("-"):
		return p.unary(OpNeg, func() Expr { return p.prefix(precSign) })
	case p.is("+"):
		return p.unary(OpPlus, func() Expr { return p.prefix(precSign) })
	}
	return p.postfix()
}

func (p *parser) unary(op UnaryOp, operand func() Expr) Expr {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	start := p.next().pos
	x := operand()
	return &Unary{Span: p.span(start), Op: op, X: x}
}

// postfix reads an operand and the ::type, [index] and .field after it.
func (p *parser) postfix() Expr {
	start := p.tok().pos
	x, open := p.primary()
	for links := 0; ; {
		var y Expr
		switch {
		case p.accept("::"):
			y, open = &Cast{X: x, Type: p.typeName()}, postfixCast
		case open >= postfixIndex && p.accept("["):
			i := p.nested()
			switch t := p.tok(); {
			case p.isOp(t, ":"):
				p.fail(t, "slices are not supported", "")
			case p.isOp(t, ","):
				p.fail(t, `expected "]", found ","`, "a list is written [a, b, …], without a word before it")
			}
			p.expect("]")
			y, open = &Index{X: x, I: i}, postfixField
		case open >= postfixField && p.accept("."):
			y = &Field{X: x, Name: p.label("a field name")}
		default:
			return x
		}
		if links++; links > 1 {
			p.link()
		}
		setSpan(y, p.span(start))
		x = y
	}
}

// What may follow an operand: a cast always, [i] after all but a cast, .f only
// where it cannot be taken for a part of something else.
const (
	postfixCast = iota
	postfixIndex
	postfixField
)

func setSpan(x Expr, s Span) {
	switch x := x.(type) {
	case *Cast:
		x.Span = s
	case *Index:
		x.Span = s
	case *Field:
		x.Span = s
	}
}
