package sql

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A path in FROM without its quotes is a table name as far as it goes, and then
// anything: a division, a comment, a number. It is known by what a reader sees:
// it runs to the next blank.

// pathAt returns the run that begins at a place of a text.
func pathAt(text string, at int) string {
	end := at
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if unicode.IsSpace(r) || strings.ContainsRune(`,;()'"`, r) {
			break
		}
		end += size
	}
	return text[at:end]
}

// fileEndings are those of the files that are read, and of some that are not.
var fileEndings = map[string]bool{
	".csv": true, ".tsv": true, ".tab": true, ".json": true, ".jsonl": true, ".ndjson": true, ".log": true, ".txt": true,
	".gz": true, ".gzip": true, ".zst": true, ".zstd": true, ".parquet": true,
}

// LooksLikePath reports whether what stands in place of a table's name is the
// path of a file, or a URL.
func LooksLikePath(run string) bool {
	return strings.ContainsAny(run, `/\`) || strings.HasPrefix(run, ".") || strings.HasPrefix(run, "~") || run == "-" ||
		fileEndings[FoldName(path.Ext(run))]
}

const unquotedPath = "a path is written in single quotes"

// pathError says that a run is a path, or a name, that lacks its quotes.
func pathError(at int, run string) *Error {
	e := &Error{Pos: at, End: at + len(run), Msg: unquotedPath, Hint: "write " + QuoteString(run), Path: run}
	switch {
	case strings.HasPrefix(run, "~"):
		home := "/home/"
		if rest := run[1:]; rest == "" || rest[0] == '/' {
			home += "…"
		}
		e.Hint = "write the home directory out, which only a shell reads ~ as: " + QuoteString(home+run[1:])
	case !LooksLikePath(run):
		e.Path = ""
		e.Msg = clip(run) + " is no plain name"
		e.Hint = "a name with other signs stands in double quotes: " + QuoteName(run) + "; a path in single ones: " + QuoteString(run)
	}
	return e
}

// Dotted is the error of a table name of several parts, which may be a path;
// tables are the names that there are.
func (n *TableName) Dotted(tables []string) *Error {
	parts := make([]string, len(n.Parts))
	for i, part := range n.Parts {
		parts[i] = part.Name
	}
	text, last := strings.Join(parts, "."), n.Parts[len(n.Parts)-1]
	at := n.Parts[0].Pos
	if LooksLikePath(text) {
		e := pathError(at, text)
		e.End = last.End
		return e
	}
	e := &Error{Pos: at, End: last.End, Msg: "a table name has one part"}
	for _, t := range tables {
		if SameName(t, last.Name) {
			return e.WithHint("write FROM %s", QuoteName(t))
		}
	}
	return e.WithHint("a name that holds dots stands in double quotes: %s; a path in single ones: %s", QuoteName(text), QuoteString(text))
}

// refusePath fails if what is next in FROM lacks its quotes, and says whether
// it did. Names that are parted by dots are left to the planner.
func (p *parser) refusePath() bool {
	t := p.tok()
	if t.kind == tokenQuoted || t.kind == tokenString || t.kind == tokenEnd {
		return false
	}
	run := pathAt(p.text, t.pos)
	if comment := strings.Index(run, "/*"); comment >= 0 && !strings.Contains(run[comment+2:], "*/") {
		run = run[:comment] // it holds a blank
	}
	name := t.kind == tokenWord && p.isName(t)
	i := p.i + 1
	for ; p.tokens[i].pos == p.tokens[i-1].end && p.tokens[i].end <= t.pos+len(run) && p.tokens[i].kind != tokenEnd; i++ {
		if word := p.tokens[i]; !p.isOp(word, ".") && !(word.kind == tokenWord && p.isOp(p.tokens[i-1], ".")) {
			name = false
		}
	}
	switch {
	case run == "":
		return false
	case name && p.patternAt(i, t.pos+len(run)):
	case name, t.kind == tokenWord && (i == p.i+1 || strings.HasSuffix(run, ".*")), t.kind == tokenOp && !LooksLikePath(run):
		return false
	}
	p.failPath(t.pos, run)
	return true
}

// failPath fails for a path that lacks its quotes.
func (p *parser) failPath(at int, run string) {
	if e := pathError(at, run); p.err == nil {
		p.failAt(e.Pos, e.End, e.Msg, e.Hint)
		p.err = e
	}
}

// anyDepth is what stands for directories of any depth in a path, and is a comment where the path lacks its quotes.
const anyDepth = "/**/"

// patternAt reports whether anyDepth stands right before a token, and what
// follows, which ends at a place of the text, is neither an alias nor a clause.
func (p *parser) patternAt(i, end int) bool {
	t := p.tokens[i]
	if p.text[p.tokens[i-1].end:t.pos] != anyDepth || t.pos >= end {
		return false
	}
	if t.kind != tokenWord || fileEndings[FoldName(path.Ext(p.text[t.pos:end]))] {
		return true
	}
	behind := p.tokens[min(i+1, len(p.tokens)-1)]
	return behind.pos == t.end && behind.pos < end
}

// inPath returns an error of the lexer, or what is to be said instead if it
// lies in a path that lacks its quotes. tokens are those before it.
func inPath(text string, tokens []token, err *Error) *Error {
	is := func(i int, word string) bool {
		return i >= 0 && tokens[i].kind == tokenWord && SameName(text[tokens[i].pos:tokens[i].end], word)
	}
	// The run begins behind the last blank before the error.
	at := err.Pos
	first := len(tokens)
	for first > 0 && strings.TrimSuffix(text[min(tokens[first-1].end, at):at], anyDepth) == "" && !(tokens[first-1].kind == tokenOp && text[at-1] == '(') {
		first--
		at = tokens[first].pos
	}
	call := first >= 3 && text[at-1] == '(' && (is(first-3, "FROM") || is(first-3, "JOIN"))
	if !call && !is(first-1, "FROM") && !is(first-1, "JOIN") {
		return err
	}
	run := pathAt(text, at)
	comment := strings.HasSuffix(run, "/*") && err.Pos == at+len(run)-2 && !strings.Contains(run, "://") && !strings.HasPrefix(run, "~")
	switch {
	case comment:
		err.Hint += "; a path stands in single quotes: " + QuoteString(run)
	case call && !LooksLikePath(run):
	case err.Pos+1 <= at+len(run) && (LooksLikePath(run) || strings.ContainsAny(run, "-:")):
		return pathError(at, run)
	}
	return err
}
