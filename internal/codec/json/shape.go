package jsonrec

import (
	"bytes"
	"encoding/binary"

	"ubik/internal/vec"
)

// What is learned. A record is its slots (the values that are read or skipped whole) and the bytes between them:
//
//	{"id":  17  ,"who":{"name":  "Ann"  ,"city":  "Bern"  }}
//	\____/      \_____________/         \_______/         \/
//
// Between two slots stand whole tokens only, and a slot's value ends where it must, whatever follows: so a record with
// the same bytes between valid values is valid, and its values belong to the same columns at the same depths. Nothing
// but those bytes is learned; the values are validated each time.
//
// The shapes seen form a tree: an edge is a piece of bytes and the slot behind it, or the end of the record. Records
// that differ only from some member on share the edges before it, so optional members cost a second comparison.

// op says how the slot behind an edge is read.
type op uint8

const (
	opSkip    op = iota // validate only
	opAny               // as the general parser does
	opText              // VARCHAR
	opInt               // TINYINT to BIGINT
	opDecimal           // DECIMAL of at most 18 digits
	opTime              // TIMESTAMP and TIMESTAMP WITH TIME ZONE
	opEnd               // the record ends
)

func opFor(t vec.Type) op {
	switch t.Kind {
	case vec.Varchar:
		return opText
	case vec.Int8, vec.Int16, vec.Int32, vec.Int64:
		return opInt
	case vec.Decimal:
		if t.Phys() == vec.PhysI64 {
			return opDecimal
		}
	case vec.Timestamp, vec.TimestampTZ:
		return opTime
	}
	return opAny
}

// wordSlack is how far behind a record the comparison of an edge's first bytes may load.
const wordSlack = 16

// edge is a piece of bytes that records have between two slots, and what comes behind it.
type edge struct {
	w0, w1 uint64 // the first 16 bytes, zero behind the end
	m0, m1 uint64 // their masks
	rest   span   // what is longer, in shapes.bytes
	size   int    // bytes in all
	op     op
	col    int32 // opText to opTime: the column
	next   int32 // the first edge behind the slot
	alt    int32 // another edge in the same place, −1 for none
	depth  int   // the levels around the slot
	node   *node // opAny to opTime
	nulls  span  // opEnd: the columns that such a record does not have, in shapes.nulls
}

// slot is a value of the record being read and the bytes before it.
type slot struct {
	from, to int // the bytes between the slot before and this one
	node     *node
	depth    int
}

type span struct{ from, to int32 }

const (
	edgesMax  = 512 // of a tree
	altsMax   = 8   // edges in one place
	missesMax = 64  // records that found no room before the tree is dropped and learned anew
	pauseMax  = 512 // records that are not learned from after a tree that was of little use
)

// shapes is the tree.
type shapes struct {
	edges []edge
	bytes []byte
	nulls []int
	first int32 // −1: nothing learned

	// When to forget. None of it has an effect on what is returned.
	learned int // records learned from since the tree was begun
	hits    int // records read by it
	misses  int // records that found no room
	pause   int // records still to be left alone
}

// reset drops the tree.
func (s *shapes) reset() {
	*s = shapes{edges: s.edges[:0], bytes: s.bytes[:0], nulls: s.nulls[:0], first: -1}
}

// restart drops a tree that is full. When hardly a record had a shape seen before, learning is work in vain for a while.
func (s *shapes) restart() {
	useless := s.hits < 4*s.learned
	s.reset()
	if useless {
		s.pause = pauseMax
	}
}

// learn adds the shape of the record that the general parser has just read.
func (s *shapes) learn(dec *decoder) {
	if s.pause > 0 {
		s.pause--
		return
	}
	if len(s.edges)+len(dec.slots)+1 > edgesMax {
		s.restart()
		return
	}
	s.learned++
	at := int32(-1) // the edge before
	for i := range dec.slots {
		sl := &dec.slots[i]
		var ok bool
		if at, ok = s.step(at, dec.data[sl.from:sl.to], sl.node, sl.depth, false); !ok {
			s.miss()
			return
		}
	}
	before := len(s.edges)
	at, ok := s.step(at, dec.data[dec.behind:dec.end], nil, 0, true)
	if !ok {
		s.miss()
		return
	}
	if len(s.edges) > before {
		e := &s.edges[at]
		e.nulls.from = int32(len(s.nulls))
		for _, n := range dec.leaves {
			if n.built != dec.number {
				s.nulls = append(s.nulls, n.cols...)
			}
		}
		e.nulls.to = int32(len(s.nulls))
	}
}

func (s *shapes) miss() {
	if s.misses++; s.misses > missesMax {
		s.restart()
	}
}

// step finds or adds the edge of the bytes behind the edge at (−1: at the beginning). It returns false when there are
// too many edges in the place.
func (s *shapes) step(at int32, piece []byte, n *node, depth int, end bool) (int32, bool) {
	link := &s.first
	if at >= 0 {
		link = &s.edges[at].next
	}
	for count := 0; *link >= 0; count++ {
		if count == altsMax {
			return 0, false
		}
		e := &s.edges[*link]
		if s.is(e, piece, end) {
			return *link, true
		}
		link = &e.alt
	}
	// Set the link first: the append may move the edges that it lies in.
	made := int32(len(s.edges))
	*link = made
	s.edges = append(s.edges, s.newEdge(piece, n, depth, end))
	return made, true
}

func (s *shapes) newEdge(piece []byte, n *node, depth int, end bool) edge {
	e := edge{size: len(piece), next: -1, alt: -1, depth: depth, node: n}
	var head, mask [16]byte
	for i := range mask[:copy(head[:], piece)] {
		mask[i] = 0xFF
	}
	e.w0, e.w1 = binary.LittleEndian.Uint64(head[:]), binary.LittleEndian.Uint64(head[8:])
	e.m0, e.m1 = binary.LittleEndian.Uint64(mask[:]), binary.LittleEndian.Uint64(mask[8:])
	if len(piece) > 16 {
		e.rest.from = int32(len(s.bytes))
		s.bytes = append(s.bytes, piece[16:]...)
		e.rest.to = int32(len(s.bytes))
	}
	switch {
	case end:
		e.op = opEnd
	case n != nil:
		e.op = n.op
		e.col = int32(n.cols[0])
	}
	return e
}

// is reports whether the edge stands for the piece.
func (s *shapes) is(e *edge, piece []byte, end bool) bool {
	if e.size != len(piece) || (e.op == opEnd) != end {
		return false
	}
	var head [16]byte
	copy(head[:], piece)
	return e.w0 == binary.LittleEndian.Uint64(head[:]) && e.w1 == binary.LittleEndian.Uint64(head[8:]) &&
		(len(piece) <= 16 || bytes.Equal(s.bytes[e.rest.from:e.rest.to], piece[16:]))
}
