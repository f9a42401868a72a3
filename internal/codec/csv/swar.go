package csvrec

import (
	"encoding/binary"
	"math/bits"
)

// Eight bytes at a time: a mark is the top bit of a byte of the word.

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
	lows = 0x7f7f7f7f7f7f7f7f

	returns = ones * '\r'
	feeds   = ones * '\n'
)

func load8(d []byte, p int) uint64 { return binary.LittleEndian.Uint64(d[p:]) }

// exactMarks marks the bytes of x that are zero, and no others.
func exactMarks(x uint64) uint64 { return ^((x&lows + lows) | x) & tops }

// firstMark returns the number of bytes below the lowest mark, 8 without a mark.
func firstMark(m uint64) int { return bits.TrailingZeros64(m) >> 3 }

// syntax is a dialect made ready for scanning. Without quotes the word of quotes is that of delimiters, which are
// looked for first.
type syntax struct {
	delimiter, quote, escape byte
	quotes                   bool // there are some
	delimiterWord, quoteWord uint64
}

func newSyntax(d Dialect) syntax {
	s := syntax{delimiter: d.Delimiter, quote: d.Quote, escape: d.Escape, quotes: d.Quote != 0}
	s.delimiterWord = ones * uint64(d.Delimiter)
	s.quoteWord = s.delimiterWord
	if s.quotes {
		s.quoteWord = ones * uint64(d.Quote)
	}
	return s
}

// specialMarks marks delimiters, quotes and line ends of w. The lowest mark is true; one above it may be a borrow's
// doing.
func (s *syntax) specialMarks(w uint64) uint64 {
	a, b, c, d := w^s.delimiterWord, w^s.quoteWord, w^returns, w^feeds
	return ((a-ones)&^a | (b-ones)&^b | (c-ones)&^c | (d-ones)&^d) & tops
}

// special returns the offset of the first delimiter, quote or line end of d from p on, end if there is none. Bytes
// behind end may be loaded.
func (s *syntax) special(d []byte, p, end int) int {
	for last := min(end, len(d)-7); p < last; p += 8 {
		if m := s.specialMarks(load8(d, p)); m != 0 {
			return min(p+firstMark(m), end)
		}
	}
	for ; p < end; p++ {
		if c := d[p]; c == s.delimiter || c == '\r' || c == '\n' || s.quotes && c == s.quote {
			return p
		}
	}
	return end
}
