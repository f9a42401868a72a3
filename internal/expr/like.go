package expr

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"ubik/internal/vec"
)

// NewLike is x [NOT] LIKE pattern [ESCAPE escape], or ILIKE with noCase. escape is nil for none, else a literal of
// one character or none. % stands for any text, _ for one character.
func NewLike(x, pattern, escape Expr, not, noCase bool) (Expr, error) {
	name := "LIKE"
	if noCase {
		name = "ILIKE"
	}
	if not {
		name = "NOT " + name
	}
	args := []Expr{x, pattern}
	for i, e := range args {
		if e.Type().Kind != vec.Varchar && (loose(e) == nil || e.Type().Kind != vec.Null) {
			if e.Type().IsJSON() {
				return nil, fmt.Errorf("%s needs VARCHAR, not %s: %s", name, e.Type(), jsonHint(e.Type()))
			}
			return nil, fmt.Errorf("%s needs VARCHAR, not %s", name, e.Type())
		}
		var err error
		if args[i], err = coerce(e, varcharType); err != nil {
			return nil, err
		}
	}
	esc := rune(-1)
	if escape != nil {
		l, ok := escape.(*Literal)
		if !ok || l.v.Type.Kind != vec.Varchar || l.IsNull() || utf8.RuneCount(l.v.Bytes(0)) > 1 {
			return nil, errors.New("ESCAPE needs a text of one character, or the empty text")
		}
		if b := l.v.Bytes(0); len(b) > 0 {
			esc, _ = utf8.DecodeRune(b)
			args = append(args, l)
		}
	}
	return newOp(&Op{name: name, args: args, typ: boolType, form: likeForm, build: func(args []node) node {
		n := &likeNode{x: args[0], pattern: args[1], esc: esc, not: not, noCase: noCase, out: vec.NewVector(boolType)}
		if l := isLiteral(args[1]); l != nil {
			n.fixed = true
			n.use(l.Bytes(0))
		}
		return n
	}})
}

type likeNode struct {
	x, pattern node
	esc        rune // −1: none
	not        bool
	noCase     bool
	fixed      bool // the pattern is a literal
	last       []byte
	m          likeMatcher
	lower      []byte
	lowered    []byte // scratch for the pattern
	out        *vec.Vector
	buf        []int32
}

// use makes m the matcher of a pattern.
func (n *likeNode) use(pattern []byte) {
	n.last = append(n.last[:0], pattern...)
	if n.noCase {
		n.lowered = appendLower(n.lowered[:0], pattern)
		pattern = n.lowered
	}
	n.m = compileLike(pattern, n.esc)
}

func (n *likeNode) eval(r *run, sel []int32) *vec.Vector {
	v := n.x.eval(r, sel)
	out := n.out
	out.Resize(r.n)
	out.OrNulls(v)
	p := v
	if !n.fixed {
		p = n.pattern.eval(r, sel)
		out.OrNulls(p)
	}
	for _, i := range r.notNullRows(sel, &n.buf, v, p) {
		if !n.fixed {
			if b := p.Bytes(int(i)); !bytes.Equal(b, n.last) || n.m.segments == nil {
				n.use(b)
			}
		}
		text := v.Bytes(int(i))
		if n.noCase {
			n.lower = appendLower(n.lower[:0], text)
			text = n.lower
		}
		out.Bools[i] = n.m.match(text) != n.not
	}
	return out
}

// likeMatcher is a pattern cut at its %: the first segment must stand at the start, the last at the end, those between
// in order. Taking the leftmost place for each is right, since it leaves most to the rest.
type likeMatcher struct {
	segments []likeSegment // one more than there are %; never empty
	never    bool          // the pattern ends with its escape character: nothing matches
}

// likeSegment is text with single-character places in it.
type likeSegment struct {
	text []byte
	any  []bool // any[i]: byte i of text stands for one character; nil: none does
}

func compileLike(pattern []byte, esc rune) likeMatcher {
	var m likeMatcher
	var seg likeSegment
	add := func(b []byte, any bool) {
		if any && seg.any == nil {
			seg.any = make([]bool, len(seg.text))
		}
		seg.text = append(seg.text, b...)
		for seg.any != nil && len(seg.any) < len(seg.text) {
			seg.any = append(seg.any, any)
		}
	}
	for i := 0; i < len(pattern); {
		c, size := utf8.DecodeRune(pattern[i:])
		b := pattern[i : i+size]
		i += size
		switch {
		case c == esc && esc >= 0:
			if i == len(pattern) {
				m.never = true
				break
			}
			_, size = utf8.DecodeRune(pattern[i:])
			add(pattern[i:i+size], false)
			i += size
		case c == '%':
			m.segments = append(m.segments, seg)
			seg = likeSegment{}
		default:
			add(b, c == '_')
		}
	}
	m.segments = append(m.segments, seg)
	return m
}

func (m *likeMatcher) match(s []byte) bool {
	if m.never {
		return false
	}
	n := m.segments[0].at(s)
	last := len(m.segments) - 1
	if n < 0 || last == 0 {
		return n == len(s)
	}
	s = s[n:]
	for i := 1; i < last; i++ {
		from, n := m.segments[i].find(s)
		if n < 0 {
			return false
		}
		s = s[from+n:]
	}
	return m.segments[last].ends(s)
}

// at returns how many bytes of s the segment takes at its start, or −1.
func (g *likeSegment) at(s []byte) int {
	if g.any == nil {
		if bytes.HasPrefix(s, g.text) {
			return len(g.text)
		}
		return -1
	}
	n := 0
	for i, c := range g.text {
		switch {
		case n >= len(s):
			return -1
		case g.any[i]:
			_, size := utf8.DecodeRune(s[n:])
			n += size
		case s[n] != c:
			return -1
		default:
			n++
		}
	}
	return n
}

// find returns the leftmost place of the segment in s and its length there, or a length of −1.
func (g *likeSegment) find(s []byte) (from, n int) {
	if g.any == nil {
		from = bytes.Index(s, g.text)
		if from < 0 {
			return 0, -1
		}
		return from, len(g.text)
	}
	for from <= len(s) {
		if n = g.at(s[from:]); n >= 0 {
			return from, n
		}
		if from == len(s) {
			break
		}
		_, size := utf8.DecodeRune(s[from:])
		from += size
	}
	return 0, -1
}

// ends reports whether s ends with the segment.
func (g *likeSegment) ends(s []byte) bool {
	if g.any == nil {
		return bytes.HasSuffix(s, g.text)
	}
	for from := 0; from <= len(s); {
		if g.at(s[from:]) == len(s)-from {
			return true
		}
		if from == len(s) {
			break
		}
		_, size := utf8.DecodeRune(s[from:])
		from += size
	}
	return false
}
