package infer

import (
	"unicode/utf8"

	jsonrec "ubik/internal/codec/json"
)

// A Sampler collects what the first records of a source look like. Records are given partition by partition, each in
// order; the result depends on the records alone, not on how they are cut into chunks. A Sampler keeps none of the bytes
// it is given, and is for one goroutine.
type Sampler struct {
	root      *node
	nodes     int    // that were made
	objects   uint64 // counts objects; a node compares it with its mark
	malformed int
	reader    jsonrec.Reader
}

// NewJSON returns a Sampler of JSON records, for Add.
func NewJSON() *Sampler { return &Sampler{root: &node{}} }

// NewCSV returns a Sampler of CSV records whose fields have these names, for AddFields.
func NewCSV(names []string) *Sampler {
	s := &Sampler{root: &node{}}
	for i, name := range names {
		s.root.add(name, i)
	}
	return s
}

// Add adds a JSON record. A malformed one is counted and has no other effect.
func (s *Sampler) Add(record []byte) {
	if s.reader.Reset(record) != "" {
		s.malformed++
		return
	}
	s.reader.Next()
	s.object(s.root, 1)
}

// AddFields adds a CSV record: the text of each field, without quotes, and whether it is NULL (nil: none is). A record
// with another number of fields than there are names, or with a text that is not UTF-8, is malformed.
func (s *Sampler) AddFields(texts [][]byte, null []bool) {
	ok := len(texts) == len(s.root.children)
	for _, text := range texts {
		ok = ok && utf8.Valid(text)
	}
	if !ok {
		s.malformed++
		return
	}
	s.root.objects++
	for i, text := range texts {
		c := s.root.children[i]
		c.seen++
		if i < len(null) && null[i] {
			c.nulls++
		} else {
			c.addField(text)
		}
	}
}

// Records returns how many records were given: good ones, which the schema is made from, and malformed ones.
func (s *Sampler) Records() (good, malformed int) { return s.root.objects, s.malformed }

// object reads an object from behind its opening brace into n. Objects and lists around it, and itself, are level.
func (s *Sampler) object(n *node, level int) {
	n.objects++
	s.objects++
	number := s.objects
	hint := 0
	for {
		tok, name := s.reader.Next()
		if tok == jsonrec.TokenObjectEnd {
			return
		}
		n.members++
		c := n.child(name, &hint)
		if c == nil {
			if s.nodes >= nodesMax || len(name) > nameMax {
				if n.rest == nil {
					n.rest = &node{}
				}
				s.value(n.rest, levelsMax)
				continue
			}
			s.nodes++
			c = n.add(string(name), s.nodes)
			hint = len(n.children)
		}
		if c.object == number {
			c.twice = true
		} else {
			c.object = number
			c.seen++
		}
		tok, text := s.reader.Next()
		s.token(c, level, tok, text)
	}
}

// value reads the value ahead into n, within level levels.
func (s *Sampler) value(n *node, level int) {
	tok, text := s.reader.Next()
	s.token(n, level, tok, text)
}

// token reads the value that a token begins.
func (s *Sampler) token(n *node, level int, tok jsonrec.Token, text []byte) {
	switch tok {
	case jsonrec.TokenObject:
		if level < levelsMax {
			s.object(n, level+1)
			return
		}
		n.objects++
		n.opaque++
		s.reader.Skip()
	case jsonrec.TokenList:
		n.lists++
		if level < levelsMax {
			s.list(n, level+1)
			return
		}
		n.opaque++
		s.reader.Skip()
	case jsonrec.TokenString:
		n.addString(text)
	case jsonrec.TokenNumber:
		n.addNumber(text)
	case jsonrec.TokenTrue, jsonrec.TokenFalse:
		n.bools++
		n.not = stylesAll
	case jsonrec.TokenNull:
		n.nulls++
	default:
		panic("infer: a record that was found valid is not")
	}
}

// list reads a list from behind its opening bracket.
func (s *Sampler) list(n *node, level int) {
	for {
		tok, text := s.reader.Next()
		if tok == jsonrec.TokenListEnd {
			return
		}
		if n.elem == nil {
			if s.nodes >= nodesMax {
				n.opaque++ // what is left of the list is opaque too
				s.token(&node{}, levelsMax, tok, text)
				continue
			}
			s.nodes++
			n.elem = &node{}
		}
		s.token(n.elem, level, tok, text)
	}
}
