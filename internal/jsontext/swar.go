package jsontext

import (
	"encoding/binary"
	"math/bits"
)

// Eight bytes at a time: a mark is the top bit of a byte of the word. In each mark word here the lowest mark is true;
// a mark above it may be a borrow's doing, so only the lowest one is ever used.

const (
	ones     = 0x0101010101010101
	tops     = 0x8080808080808080
	spaces   = ones * ' '
	quotes   = ones * '"'
	slashes  = ones * '\\'
	zeros    = ones * '0'
	aboveTen = ones * 0x76 // x + 0x76 has its top bit set for 10 ≤ x < 128
)

// Load8 returns the eight bytes from p on as a word, the first one lowest.
func Load8(d []byte, p int) uint64 { return binary.LittleEndian.Uint64(d[p:]) }

// TextMarks marks the quotes, backslashes and control characters of w.
func TextMarks(w uint64) uint64 {
	q := w ^ quotes
	s := w ^ slashes
	return ((q-ones)&^q | (s-ones)&^s | (w-spaces)&^w) & tops
}

// PlainMarks is TextMarks that marks the bytes above 127 too, which saves the steps that keep them out.
func PlainMarks(w uint64) uint64 {
	return ((w ^ quotes - ones) | (w ^ slashes - ones) | (w - spaces) | w) & tops
}

// FirstMark returns the number of bytes below the lowest mark, 8 without a mark.
func FirstMark(m uint64) int { return bits.TrailingZeros64(m) >> 3 }

// DigitRun returns the number of digits that w begins with, 0 to 8.
func DigitRun(w uint64) int {
	x := w ^ zeros
	return FirstMark((x | (x + aboveTen)) & tops)
}
