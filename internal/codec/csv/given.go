package csvrec

import (
	"bytes"
	"strings"
)

// Given is what is said of a dialect: Sniff finds the rest among the dialects that are so. The zero Given says nothing.
type Given struct {
	Delimiter *byte
	Quote     *byte // of 0: there are no quotes
	Escape    *byte // nil, with a Quote: that one doubled, or a backslash
	Header    *bool
	Null      *string  // the text for NULL
	Columns   []string // declared ones: a first record that has all their names is a header, unless Header says otherwise
}

// candidates are the dialects that are tried, without header and names, in the order in which they win. There is at least
// one; where what is given cannot be told apart it fails Check.
func (g Given) candidates(sample []byte) []Dialect {
	var out []Dialect
	for _, q := range g.quotings() {
		if q.Quote != 0 && len(out) > 0 && (bytes.IndexByte(sample, q.Quote) < 0 || g.Escape == nil && q.Escape != q.Quote && bytes.IndexByte(sample, q.Escape) < 0) {
			continue // as good as another that is tried
		}
		for _, c := range g.delimiters() {
			if q.Quote == 0 || c != q.Quote && c != q.Escape {
				q.Delimiter, q.Null = c, g.null()
				out = append(out, q)
			}
		}
	}
	if out == nil {
		d := g.quotings()[0]
		d.Delimiter, d.Null = g.delimiters()[0], g.null()
		out = append(out, d)
	}
	return out
}

// quotings are dialects that say how fields are quoted, and nothing else.
func (g Given) quotings() []Dialect {
	if g.Quote != nil && *g.Quote == 0 {
		return []Dialect{{}}
	}
	quotes := []byte{'"', '\''}
	if g.Quote != nil {
		quotes = []byte{*g.Quote}
	}
	var out []Dialect
	for _, q := range quotes {
		switch {
		case g.Escape != nil:
			out = append(out, Dialect{Quote: q, Escape: *g.Escape})
		case q == '\\':
			out = append(out, Dialect{Quote: q, Escape: q})
		default:
			out = append(out, Dialect{Quote: q, Escape: q}, Dialect{Quote: q, Escape: '\\'})
		}
	}
	if g.Quote == nil && g.Escape == nil {
		out = append(out, Dialect{}) // no quotes at all
	}
	return out
}

func (g Given) delimiters() []byte {
	if g.Delimiter != nil {
		return []byte{*g.Delimiter}
	}
	out := make([]byte, 0, len(delimiters))
	for _, c := range []byte(delimiters) {
		if strings.IndexByte(g.null(), c) < 0 && (g.Quote == nil || c != *g.Quote) && (g.Escape == nil || c != *g.Escape) {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return []byte(delimiters)
	}
	return out
}

// Default is the dialect of RFC 4180 as far as nothing else is given, without a header unless that is given.
func (g Given) Default() Dialect {
	d := g.candidates(nil)[0]
	d.Header = g.Header != nil && *g.Header
	return d
}

// Over lays what is given over a dialect. A quote that is another one is escaped by itself, unless an escape is given.
func (g Given) Over(d *Dialect) {
	if g.Delimiter != nil {
		d.Delimiter = *g.Delimiter
	}
	if g.Quote != nil && d.Quote != *g.Quote {
		d.Quote, d.Escape = *g.Quote, *g.Quote
	}
	if g.Escape != nil {
		d.Escape = *g.Escape
	}
	if g.Header != nil {
		d.Header = *g.Header
	}
	if g.Null != nil {
		d.Null = *g.Null
	}
}

func (g Given) null() string {
	if g.Null == nil {
		return ""
	}
	return *g.Null
}

// named reports whether the names of a first record are those of the declared columns, in any order and among others.
func (g Given) named(names []string) bool {
	has := make(map[string]bool, len(names))
	for _, name := range names {
		has[name] = true
	}
	for _, c := range g.Columns {
		if !has[c] {
			return false
		}
	}
	return len(g.Columns) > 0
}
