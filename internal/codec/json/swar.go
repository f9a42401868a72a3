package jsonrec

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

func load8(d []byte, p int) uint64 { return binary.LittleEndian.Uint64(d[p:]) }

// textMarks marks the quotes, backslashes and control characters of w.
func textMarks(w uint64) uint64 {
	q := w ^ quotes
	s := w ^ slashes
	return ((q-ones)&^q | (s-ones)&^s | (w-spaces)&^w) & tops
}

// plainMarks is textMarks that marks the bytes above 127 too, which saves the steps that keep them out.
func plainMarks(w uint64) uint64 {
	return ((w ^ quotes - ones) | (w ^ slashes - ones) | (w - spaces) | w) & tops
}

// firstMark returns the number of bytes below the lowest mark, 8 without a mark.
func firstMark(m uint64) int { return bits.TrailingZeros64(m) >> 3 }

// digitRun returns the number of digits that w begins with, 0 to 8.
func digitRun(w uint64) int {
	x := w ^ zeros
	return firstMark((x | (x + aboveTen)) & tops)
}

// digitsValue returns the number that the first n digits of w are, n from 1 to 8.
func digitsValue(w uint64, n int) uint64 {
	w = (w ^ zeros) << (64 - 8*uint(n)) // zeros in front
	w = w*10 + w>>8
	const mask = 0x000000ff000000ff
	return (w&mask*(100+1000000<<32) + w>>16&mask*(1+10000<<32)) >> 32
}

var pow10 = [...]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}
