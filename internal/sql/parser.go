package sql

import (
	"fmt"
	"unicode/utf8"
)

const (
	// maxDepth bounds how deep parentheses, calls, subqueries and prefix
	// operators nest.
	maxDepth = 200
	// maxChain bounds how many operators of all chains of a statement make the
	// tree deeper: a + b + c has one beyond the first. Chains of AND, OR and
	// UNION are flat and not counted.
	maxChain = 10_000
)

// Parse reads one query. A semicolon may end it; nothing else may follow.
// The error, if any, is an *Error.
func Parse(text string) (Statement, error) {
	var q Query
	err := parse(text, "end of query", func(p *parser) {
		p.refuseStatement()
		q = p.query()
		if p.accept(";") && p.tok().kind == tokenWord {
			p.fail(p.tok(), "a second statement begins here", "give one query alone")
		}
	})
	if err != nil {
		return nil, err
	}
	return q, nil
}

// ParseExpr reads one expression and nothing else, for tests. The error, if any,
// is an *Error.
func ParseExpr(text string) (Expr, error) {
	var x Expr
	err := parse(text, "end of expression", func(p *parser) { x = p.expr() })
	if err != nil {
		return nil, err
	}
	return x, nil
}

// parse runs one rule of the grammar over the whole text; end names what must
// come after it.
func parse(text, end string, rule func(*parser)) error {
	tokens, lexErr := lex(text)
	if lexErr != nil {
		return inPath(text, tokens, lexErr)
	}
	p := &parser{text: text, tokens: tokens, end: end, alias: -1}
	rule(p)
	if p.err == nil && p.tok().kind != tokenEnd {
		p.unexpected(end)
	}
	if p.err != nil {
		return p.err
	}
	return nil
}

// parser holds the tokens and the place in them.
//
// The first error is kept in err and moves the place to the end, where no rule
// matches: rules need not look at err, and what they return after it is never
// seen.
type parser struct {
	text   string
	tokens []token
	i      int
	end    string // how messages call the end of the text
	err    *Error
	depth  int
	chain  int
	alias  int // index of the last word taken as an alias without AS, -1 for none
}

func (p *parser) tok() token { return p.tokens[p.i] }

// ahead returns the token n places on, the last one if there are fewer.
func (p *parser) ahead(n int) token {
	return p.tokens[min(p.i+n, len(p.tokens)-1)]
}

func (p *parser) next() token {
	t := p.tokens[p.i]
	if t.kind != tokenEnd {
		p.i++
	}
	return t
}

func (p *parser) textOf(t token) string { return p.text[t.pos:t.end] }

// span is from the byte start to the end of the last token taken.
func (p *parser) span(start int) Span {
	end := start
	if p.i > 0 {
		end = max(start, p.tokens[p.i-1].end)
	}
	return Span{start, end}
}

// isWord says whether t is the unquoted word, given in upper case.
func (p *parser) isWord(t token, word string) bool {
	return t.kind == tokenWord && SameName(p.textOf(t), word)
}

func (p *parser) isOp(t token, op string) bool {
	return t.kind == tokenOp && p.textOf(t) == op
}

// is says whether the next token is the word or operator.
func (p *parser) is(what string) bool {
	t := p.tok()
	if t.kind == tokenOp {
		return p.textOf(t) == what
	}
	return p.isWord(t, what)
}

// isAll says whether the next tokens are these words.
func (p *parser) isAll(words ...string) bool {
	for n, w := range words {
		if !p.isWord(p.ahead(n), w) {
			return false
		}
	}
	return true
}

// accept takes the word or operator if it is next.
func (p *parser) accept(what string) bool {
	if !p.is(what) {
		return false
	}
	p.next()
	return true
}

// acceptAll takes these words if all of them are next.
func (p *parser) acceptAll(words ...string) bool {
	if !p.isAll(words...) {
		return false
	}
	p.i += len(words)
	return true
}

// expect takes the word or operator, or fails.
func (p *parser) expect(what string) {
	if !p.accept(what) {
		if wordLength(what) == 0 {
			what = `"` + what + `"`
		}
		p.unexpected(what)
	}
}

// enter and leave bracket what nests. enter reports whether there is room.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > maxDepth {
		t := p.tok()
		p.failAt(t.pos, t.end, fmt.Sprintf("nested more than %d levels deep", maxDepth), "")
	}
	return p.err == nil
}

func (p *parser) leave() { p.depth-- }

// link counts an operator that puts what came before one level deeper.
func (p *parser) link() {
	p.chain++
	if p.chain > maxChain {
		t := p.tok()
		p.failAt(t.pos, t.end, fmt.Sprintf("more than %d operators in chains", maxChain),
			"AND, OR, IN lists and CASE arms may be of any length")
	}
}

// failAt records the first error and ends the parse.
func (p *parser) failAt(pos, end int, msg, hint string) {
	if p.err == nil {
		p.err = &Error{Pos: pos, End: end, Msg: msg, Hint: hint}
	}
	p.i = len(p.tokens) - 1
}

// fail is failAt for the span of a token.
func (p *parser) fail(t token, msg, hint string) { p.failAt(t.pos, t.end, msg, hint) }

// unexpected fails at the next token, which is not what was expected. A word
// that is nearly a keyword is hinted at: the one found, or the one before it,
// if that was taken for an alias, as GRUOP is in FROM t GRUOP BY x.
func (p *parser) unexpected(expected string) {
	if p.refuseClause(refusedClauses, "") {
		return
	}
	if p.alias >= 0 && p.alias == p.i-1 {
		word := p.tokens[p.alias]
		if hint := p.keywordHint(word); hint != "" {
			p.fail(word, "unexpected "+clip(p.textOf(word)), hint)
			return
		}
	}
	p.unexpectedWith(expected, p.keywordHint(p.tok()))
}

// unexpectedWith is unexpected with a hint of the caller's.
func (p *parser) unexpectedWith(expected, hint string) {
	if p.refuseClause(refusedClauses, "") {
		return
	}
	t := p.tok()
	if p.isOp(t, "{") || p.isOp(t, "}") {
		hint = ""
		if p.isOp(t, "{") {
			hint = "struct literals are not supported: the columns of a file are declared with CREATE TABLE"
		}
		p.fail(t, fmt.Sprintf("unexpected character '%s'", p.textOf(t)), hint)
		return
	}
	found := p.end
	switch t.kind {
	case tokenEnd:
	case tokenOp:
		found = `"` + p.textOf(t) + `"`
	default:
		found = clip(p.textOf(t))
	}
	p.fail(t, fmt.Sprintf("expected %s, found %s", expected, found), hint)
}

func (p *parser) keywordHint(t token) string {
	if t.kind != tokenWord {
		return ""
	}
	word := upperWord(p.textOf(t))
	if reserved[word] {
		return ""
	}
	// In short words one letter makes another word; two swapped do not.
	if near := Nearest(word, clauseWords); near != "" && near != word && (len(word) > 3 || len(word) == len(near)) {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return ""
}

// clip shortens a piece of text for a message and keeps it on one line.
func clip(s string) string {
	const most = 40
	out := make([]rune, 0, most+1)
	for _, r := range s {
		if len(out) == most {
			out = append(out, '…')
			break
		}
		if r < ' ' || r == utf8.RuneError {
			r = ' '
		}
		out = append(out, r)
	}
	return string(out)
}

// isName says whether t can be a name: quoted, or a word not reserved.
func (p *parser) isName(t token) bool {
	return t.kind == tokenQuoted || t.kind == tokenWord && !reserved[upperWord(p.textOf(t))]
}

// name takes a name; what says which one the message should ask for.
func (p *parser) name(what string) Ident {
	t := p.tok()
	if p.isName(t) {
		return p.ident(p.next())
	}
	if t.kind == tokenWord {
		p.unexpectedWith(what, fmt.Sprintf("%s is a reserved word: as a name it is written %q", upperWord(p.textOf(t)), p.textOf(t)))
	}
	p.unexpected(what)
	return Ident{}
}

// label takes a name where every word may stand: after AS and after a dot.
func (p *parser) label(what string) Ident {
	if t := p.tok(); t.kind == tokenWord {
		return p.ident(p.next())
	}
	return p.name(what)
}

func (p *parser) ident(t token) Ident {
	id := Ident{Span: Span{t.pos, t.end}, Name: p.textOf(t)}
	if t.kind == tokenQuoted {
		id.Name, id.Quoted = unquote(id.Name), true
	}
	return id
}

// once fails at a name that is among those seen, and adds it to them; what is
// what it names.
func (p *parser) once(seen map[string]bool, id Ident, what string) {
	key := FoldName(id.Name)
	if seen[key] {
		p.failAt(id.Pos, id.End, fmt.Sprintf("%s %s is given twice", what, clip(id.Name)), "names are compared without regard to case")
	}
	seen[key] = true
}

// columnNames is names of columns, no two of which may be the same.
func (p *parser) columnNames() []Ident {
	list := p.names("a column name")
	seen := map[string]bool{}
	for _, id := range list {
		p.once(seen, id, "column")
	}
	return list
}

// names takes (a, b, …).
func (p *parser) names(what string) []Ident {
	p.expect("(")
	list := []Ident{p.name(what)}
	for p.accept(",") {
		list = append(list, p.name(what))
	}
	p.expect(")")
	return list
}
