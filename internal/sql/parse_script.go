package sql

import "fmt"

// ParseScript reads statements, each but the last ended by a semicolon. Empty
// ones are skipped, so a text of comments gives none. Names that two of them
// declare are not compared. The error, if any, is an *Error; its place is one
// in the whole text.
func ParseScript(text string) ([]Statement, error) {
	var list []Statement
	err := parse(text, "end of script", func(p *parser) {
		for {
			for p.accept(";") {
			}
			if p.tok().kind == tokenEnd {
				return
			}
			list = append(list, p.statement())
			p.chain = 0
			if !p.is(";") && p.tok().kind != tokenEnd {
				p.unseparated()
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// scriptWords are the words a statement begins with.
var scriptWords = []string{"SELECT", "FROM", "WITH", "CREATE", "INSERT"}

func (p *parser) statement() Statement {
	p.refuseStatement()
	switch {
	case p.is("CREATE"):
		return p.create()
	case p.is("INSERT"):
		return p.insert()
	case p.is("SELECT"), p.is("FROM"), p.is("WITH"), p.is("("):
		return p.query()
	}
	p.unexpectedAmong("CREATE TABLE, CREATE VIEW, INSERT INTO or SELECT", scriptWords...)
	return nil
}

// unseparated fails where a statement goes on after its end. The word of the
// next statement may have been taken for an alias.
func (p *parser) unseparated() {
	const expected, hint = `";" or end of script`, "statements are separated by semicolons"
	if p.alias >= 0 && p.alias == p.i-1 && beginsStatement(p.textOf(p.tokens[p.alias])) {
		p.i = p.alias
	}
	if t := p.tok(); t.kind == tokenWord && beginsStatement(p.textOf(t)) {
		p.unexpectedWith(expected, hint)
		return
	}
	p.unexpected(expected)
}

func beginsStatement(word string) bool {
	word = upperWord(word)
	for _, w := range scriptWords {
		if w == word {
			return true
		}
	}
	return findRefusal(refusedStatements, word) != nil
}

// unexpectedAmong is unexpected where one of few words could be meant.
func (p *parser) unexpectedAmong(expected string, words ...string) {
	hint := ""
	if t := p.tok(); t.kind == tokenWord {
		if near := Nearest(p.textOf(t), words); near != "" && !SameName(near, p.textOf(t)) {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
	}
	p.unexpectedWith(expected, hint)
}

// expectWord is expect for a word, with the word itself as what is meant.
func (p *parser) expectWord(word string) {
	if !p.accept(word) {
		p.unexpectedAmong(word, word)
	}
}

// insert reads INSERT INTO name [(columns)] query.
func (p *parser) insert() Statement {
	n := &Insert{}
	start := p.next().pos
	if p.is("OR") || p.is("OVERWRITE") {
		p.fail(p.tok(), "only INSERT INTO is supported", "rows of a table with PRIMARY KEY replace those of their key")
	}
	p.expectWord("INTO")
	n.Name = p.oneName("table")
	if p.is("(") && !p.queryAhead() {
		n.Columns = p.columnNames()
	}
	if p.is("VALUES") || p.is("DEFAULT") {
		p.fail(p.tok(), "only the rows of a query can be inserted", "write INSERT INTO name SELECT …")
	}
	n.Query = p.query()
	n.Span = p.span(start)
	return n
}

// oneName takes the name of what a statement declares or fills.
func (p *parser) oneName(what string) Ident {
	if t := p.tok(); t.kind == tokenString {
		p.unexpectedWith("a "+what+" name", "a file or topic gets its name with CREATE TABLE name (…) WITH (…)")
	}
	start := p.tok().pos
	id := p.name("a " + what + " name")
	if p.is(".") {
		for p.accept(".") {
			p.label("a name after the dot")
		}
		span := p.span(start)
		p.failAt(span.Pos, span.End, "a "+what+" name has one part", "quote it if it holds dots: "+QuoteName(clip(p.text[span.Pos:span.End])))
	}
	return id
}
