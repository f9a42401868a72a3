package agg

import (
	"encoding/binary"
	"math/bits"

	"ubik/internal/exact"
	"ubik/internal/vec"
)

// The saved form of an exact sum, frozen:
//
//	uvarint n      how many values; nothing follows for 0
//	byte l         1..24
//	l bytes        the sum in two's complement, little-endian, in as few bytes as hold it
//
// words is such a sum of up to 192 bits, the low word first.
type words [3]uint64

func wordsOf(v exact.Int128) words {
	return words{v.Lo, uint64(v.Hi), uint64(v.Hi >> 63)}
}

// int128 returns the sum, and false when it needs more bits.
func (w *words) int128() (exact.Int128, bool) {
	return exact.Int128{Hi: int64(w[1]), Lo: w[0]}, w[2] == uint64(int64(w[1])>>63)
}

// size is how many bytes hold the sum, its sign included.
func (w *words) size() int {
	sign := uint64(int64(w[2]) >> 63)
	for i := 2; i >= 0; i-- {
		if m := w[i] ^ sign; m != 0 {
			return (64*i+bits.Len64(m))/8 + 1
		}
	}
	return 1
}

func putSum(e *vec.Encoder, n int64, w words) {
	e.Uvarint(uint64(n))
	if n == 0 {
		return
	}
	size := w.size()
	at := len(e.Buf) + 1
	e.Byte(byte(size))
	for i := 0; i*8 < size; i++ {
		e.U64(w[i])
	}
	e.Buf = e.Buf[:at+size]
}

// getSum reads what putSum wrote. bound is the number of bits of the magnitude of one value: a sum that n values
// cannot have is refused, so that no later addition can overflow.
func getSum(d *vec.Decoder, bound uint) (int64, words) {
	var w words
	n := canonicalUvarint(d)
	if n == 0 || d.Err != nil {
		return 0, w
	}
	size := int(d.Byte())
	if size < 1 || size > 24 || n > 1<<62 {
		d.Refuse()
		return 0, w
	}
	var b [24]byte
	d.Copy(b[:size])
	if b[size-1]>>7 == 1 {
		for i := size; i < len(b); i++ {
			b[i] = 0xff
		}
	}
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	if w.size() != size || !w.within(n, bound) {
		d.Refuse()
		return 0, words{}
	}
	return int64(n), w
}

// within reports whether |w| ≤ n · 2^bound, for a bound of 63 or 127.
func (w words) within(n uint64, bound uint) bool {
	if int64(w[2]) < 0 {
		var c uint64
		for i := range w {
			w[i], c = bits.Sub64(0, w[i], c)
		}
	}
	var most words
	at := bound / 64
	most[at] = n << 63
	most[at+1] = n >> 1
	for i := 2; i >= 0; i-- {
		if w[i] != most[i] {
			return w[i] < most[i]
		}
	}
	return true
}

// canonicalUvarint reads a uvarint and refuses one that is written longer than need be.
func canonicalUvarint(d *vec.Decoder) uint64 {
	before := len(d.Buf)
	v := d.Uvarint()
	if used := before - len(d.Buf); d.Err == nil && used > 1 && v>>(7*(used-1)) == 0 {
		d.Refuse()
		return 0
	}
	return v
}

// grow makes s n long and the new part zero.
func grow[T any](s []T, n int) []T {
	old := len(s)
	if n <= old {
		return s
	}
	if cap(s) < n {
		t := make([]T, n, max(n, 2*cap(s)))
		copy(t, s)
		return t
	}
	s = s[:n]
	clear(s[old:])
	return s
}
