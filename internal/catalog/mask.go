package catalog

import (
	"regexp"
	"slices"
	"strings"

	"ubik/internal/plan"
	"ubik/internal/sql"
)

// masker hides the values of options in a script: all but those of the options that are known to be no secret. What is
// neither a known option nor such a value, and stands where options are given, is hidden too: it may be a value that lost
// its quotes.
type masker struct {
	text string
	out  []byte
	list []piece // without comments
	all  []piece
}

// place says what stands somewhere in a script.
type place byte

const (
	inQuery   place = iota
	inTable         // in a CREATE TABLE, outside its options
	inOptions       // of WITH (…)
	inCall          // in the arguments of a reader
)

// mask hides in a text that begins at a place.
func mask(text string, out []byte, begin place) {
	m := &masker{text: text, out: out, all: piecesOf(text)}
	for _, p := range m.all {
		if p.kind != pieceComment {
			m.list = append(m.list, p)
		}
	}
	m.script(begin)
}

func (m *masker) script(begin place) {
	at, depth := begin, 0
	outer := begin // what goes on behind the parenthesis of options or arguments
	comments := 0  // those before this are done
	for i := 0; i < len(m.list); {
		p := m.list[i]
		for ; comments < len(m.all) && m.all[comments].from < p.from; comments++ {
			m.comment(m.all[comments], at)
		}
		begins := begin == inQuery && m.beginsStatement(i) && (at == inQuery || i > 0 && m.is(i-1, ";"))
		switch {
		case begins && m.createsTable(i):
			at, depth = inTable, 0
		case begins:
			at, depth = inQuery, 0
		}
		if next := m.opens(i); next != inQuery && at != inOptions && at != inCall {
			m.alone(i, at)
			outer, at, depth = at, next, 1
			i += 2
			continue
		}
		if end := m.pair(i, at); end > i {
			i = end
			continue
		}
		switch {
		case m.is(i, "("):
			depth++
		case m.is(i, ")"):
			if depth--; depth <= 0 && (at == inOptions || at == inCall) {
				if end := m.goesOn(i); at == inOptions && end > i+1 {
					m.hide(p.to, m.list[end-1].to)
					i = end - 1
				}
				at, depth = outer, 0
			}
		}
		m.alone(i, at)
		i++
	}
	for ; comments < len(m.all); comments++ {
		m.comment(m.all[comments], at)
	}
}

// goesOn returns where what touches the parenthesis behind options ends, which may be one of a value: at a semicolon.
func (m *masker) goesOn(i int) int {
	next := i + 1
	for m.is(next, ")") && m.list[next].from == m.list[next-1].to {
		next++
	}
	if m.endsValue(next) || m.list[next].from != m.list[next-1].to || sql.IsReserved(m.textOf(next)) {
		return i + 1
	}
	for next < len(m.list) && !m.is(next, ";") {
		next++
	}
	return next
}

// comment hides in a comment as in what stands around it.
func (m *masker) comment(p piece, at place) {
	if p.kind != pieceComment {
		return
	}
	if at != inQuery {
		at = inTable
		if p.from > 0 && !strings.ContainsRune(" \t\r\n,;", rune(m.text[p.from-1])) {
			stars(m.out[p.from:p.to]) // its sign may be one of a value that lost its quotes
			return
		}
	}
	from, to := p.from+2, p.to // its signs are not looked at
	if text := m.text[from:to]; m.text[p.from] == '/' && strings.HasSuffix(text, "*/") {
		to -= 2
	}
	mask(m.text[from:to], m.out[from:to], at)
}

// beginsStatement reports whether a piece may be the first of a statement.
func (m *masker) beginsStatement(i int) bool {
	if i > 0 && !m.is(i-1, ";") {
		return false
	}
	return m.isWord(i, "CREATE", "INSERT", "SELECT", "FROM", "WITH") || m.is(i, "(")
}

func (m *masker) createsTable(i int) bool {
	if !m.isWord(i, "CREATE") {
		return false
	}
	for i++; m.isWord(i, "OR", "REPLACE", "TEMP", "TEMPORARY", "MATERIALIZED", "RECURSIVE"); i++ {
	}
	return !m.isWord(i, "VIEW")
}

// optionForm is a name of an option that is not in quotes, as far as one can be told from a secret.
var optionForm = regexp.MustCompile(`^[A-Za-z0-9_.-]*$`)

// opens says what begins with the parenthesis behind a piece; inQuery: nothing that is looked at.
func (m *masker) opens(i int) place {
	if !m.is(i+1, "(") {
		return inQuery
	}
	switch p := m.list[i]; {
	case m.isWord(i, "WITH", "OPTIONS"):
		return inOptions
	case p.kind != pieceWord && p.kind != pieceName:
		return inQuery
	}
	name := strings.Trim(m.textOf(i), `"`)
	if readerNamed(name) != nil || strings.HasPrefix(sql.FoldName(name), "read_") {
		return inCall
	}
	isWindow := slices.ContainsFunc(plan.WindowFunctions(), func(w plan.WindowFunction) bool { return sql.SameName(w.Name, name) })
	if m.isWord(i-1, "FROM", "JOIN") && !isWindow {
		return inCall
	}
	return inQuery
}

// pair hides the value of the option whose name begins at a piece, and returns where it ends; i: there is none.
func (m *masker) pair(i int, at place) int {
	last := i // of the name
	for last+1 < len(m.list) && m.isKey(last) && m.isKey(last+1) && m.list[last].to == m.list[last+1].from && m.list[last].kind != pieceString && m.list[last+1].kind != pieceString {
		last++ // "sasl"."password"
	}
	value := last + 1
	for value < len(m.list) && m.is(value, "=", "=>", ":=", "==", ":") {
		value++
	}
	if !m.isKey(i) || at == inQuery && m.list[i].kind != pieceString || m.list[i].kind == pieceWord && !optionForm.MatchString(m.textOf(i)) {
		return i
	}
	name := strings.ReplaceAll(m.text[m.list[i].from:m.list[last].to], `"`, "")
	if m.list[i].kind == pieceString {
		name = strings.Trim(name, "'")
	}
	plain, known := optionIsPlain(name, at)
	if value == last+1 {
		// A sign that is forgotten is forgiven where nothing can be hidden by it.
		if at != inOptions || !plain || value >= len(m.list) || m.list[value].kind != pieceString || !m.endsValue(value+1) {
			return i
		}
	}
	if at == inQuery && (value >= len(m.list) || m.list[value].kind == pieceWord || m.list[value].kind == pieceName) {
		return i // a comparison
	}
	end := m.valueEnd(value, known, at)
	if plain && m.isOneValue(value, end) {
		return end
	}
	to := len(m.text)
	switch {
	case value < end:
		to = m.list[end-1].to
	case end < len(m.list):
		to = m.list[end].from
	}
	m.hide(m.list[value-1].to, to)
	return end
}

// valueEnd is the piece behind a value. That of an option that is known ends also where the next one begins: a comma is
// missing there.
func (m *masker) valueEnd(i int, known bool, at place) int {
	depth := 0
	for from := i; i < len(m.list); i++ {
		switch {
		case m.is(i, "(", "[", "{"):
			depth++
		case depth > 0 && m.is(i, ")", "]", "}"):
			depth--
		case depth == 0 && m.endsValue(i), m.is(i, ";"):
			return i
		case i > from && known && m.is(i+1, "=") && m.beginsOption(i, i == from+1, at):
			return i
		case i > from && at == inQuery:
			return i
		}
	}
	return i
}

// beginsOption reports whether a piece is the name of an option: of one that is known, or in quotes behind a value.
func (m *masker) beginsOption(i int, behindValue bool, at place) bool {
	if _, known := optionIsPlain(strings.Trim(m.textOf(i), "'"), at); known {
		return true
	}
	return behindValue && m.list[i].kind == pieceString
}

func (m *masker) endsValue(i int) bool { return i >= len(m.list) || m.is(i, ",", ")", ";") }

// isOneValue reports whether pieces are a string, a word, a list of them, or a struct of them.
func (m *masker) isOneValue(from, to int) bool {
	if to-from >= 2 && m.is(from, "{") && m.is(to-1, "}") {
		for i := from + 1; i < to-1; i += 4 { // key : value ,
			if !m.isKey(i) || !m.is(i+1, ":") || !m.isKey(i+2) || i+3 < to-1 && !m.is(i+3, ",") {
				return false
			}
		}
		return true
	}
	if to-from >= 2 && m.is(from, "[") && m.is(to-1, "]") {
		for i := from + 1; i < to-1; i++ {
			if i%2 != (from+1)%2 && !m.is(i, ",") || i%2 == (from+1)%2 && !m.isKey(i) {
				return false
			}
		}
		return true
	}
	return to-from == 1 && m.isKey(from)
}

// alone hides a piece that is not part of a pair, where it may be a value.
func (m *masker) alone(i int, at place) {
	p := m.list[i]
	touches := i > 0 && m.list[i-1].kind == pieceString && m.list[i-1].to == p.from ||
		i+1 < len(m.list) && (m.list[i+1].kind == pieceString || m.list[i+1].kind == pieceOpen) && m.list[i+1].from == p.to
	isText := p.kind == pieceString || p.kind == pieceOpen
	if isText && (m.isWord(i-1, "INTERVAL") || at == inTable && m.isWord(i-1, "FROM")) {
		return
	}
	if _, known := optionIsPlain(strings.Trim(m.textOf(i), "'"), at); known && at == inOptions {
		return
	}
	hide := false
	switch at {
	case inTable:
		hide = isText || p.kind == pieceWord && touches
	case inOptions:
		hide = isText || p.kind == pieceWord || p.kind == pieceName
	case inCall:
		hide = p.kind == pieceOpen || p.kind == pieceWord && touches
	}
	if hide {
		m.hide(p.from, p.to)
	}
}

// hide puts stars over the pieces of a part of the text, but for quotes around a string and line ends.
func (m *masker) hide(first, last int) {
	for _, p := range m.all {
		if p.from < first || p.to > last {
			continue
		}
		from, to := p.from, p.to
		switch p.kind {
		case pieceString, pieceName:
			from, to = from+1, to-1
		case pieceOpen:
			from++
		}
		stars(m.out[from:to])
	}
}

func stars(b []byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = '*'
		}
	}
}

// isKey reports whether a piece may be a name, or a value of one piece.
func (m *masker) isKey(i int) bool {
	if i < 0 || i >= len(m.list) {
		return false
	}
	k := m.list[i].kind
	return k == pieceWord || k == pieceName || k == pieceString
}

func (m *masker) textOf(i int) string { return m.text[m.list[i].from:m.list[i].to] }

// is reports whether a piece is one of these signs.
func (m *masker) is(i int, signs ...string) bool {
	return i >= 0 && i < len(m.list) && m.list[i].kind == pieceSign && slices.Contains(signs, m.textOf(i))
}

// isWord reports whether a piece is one of these words, which are in capitals.
func (m *masker) isWord(i int, words ...string) bool {
	return i >= 0 && i < len(m.list) && m.list[i].kind == pieceWord && slices.Contains(words, strings.ToUpper(m.textOf(i)))
}

// optionIsPlain reports whether the value of an option may be shown, and whether there is such an option at all.
func optionIsPlain(name string, at place) (plain, known bool) {
	name = strings.ToLower(name)
	if secret, ok := argumentSecrets[name]; ok {
		return !secret, true
	}
	if at == inCall {
		return false, false
	}
	secret, known := optionSecrets[strings.TrimPrefix(name, "properties.")]
	return known && !secret, known
}

// optionSecrets and argumentSecrets have the options that are known by their names, and which of them are secrets.
var (
	optionSecrets   = secretsOf(Options())
	argumentSecrets = secretsOf(Arguments())
)

func secretsOf(list []Option) map[string]bool {
	out := map[string]bool{}
	for _, o := range list {
		if !strings.HasSuffix(o.Name, "*") {
			out[o.Name] = o.Secret
		}
	}
	return out
}
