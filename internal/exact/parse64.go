package exact

import (
	"encoding/binary"
	"math/bits"
)

const (
	bytes0x01 = 0x0101010101010101
	bytes0x06 = 0x0606060606060606
	bytes0x0F = 0x0f0f0f0f0f0f0f0f
	bytes0x33 = 0x3333333333333333
	bytes0x80 = 0x8080808080808080
	bytes0xF0 = 0xf0f0f0f0f0f0f0f0
	zeroes8   = 0x3030303030303030 // "00000000"
	points8   = 0x2e2e2e2e2e2e2e2e // "........"
)

// ParseDecimal64 is ParseDecimal for a precision of at most 18. Text of up to 16
// bytes without an exponent, which nearly all is, takes a path of a few
// nanoseconds that handles eight bytes at a time.
func ParseDecimal64(b []byte, precision, scale int) (int64, bool) {
	text := b
	neg := false
	if len(b) > 0 && b[0] == '-' {
		neg = true
		b = b[1:]
	}
	var v uint64
	point := 0 // 1 + digits after the point, 0 without one
	switch n := len(b); {
	case n <= 8:
		var w uint64
		if n >= 4 {
			w = load4to8(b)
		} else if n >= 1 {
			w = load1to3(b)
		}
		var ok bool
		w, point = dropPoint(w)
		if v, ok = joinDigits(w); !ok || n < 2 && (n == 0 || point != 0) {
			return parseDecimal64Any(text, precision, scale)
		}
	case n <= 16:
		high, low := uint64(0), binary.LittleEndian.Uint64(b[n-8:])
		if b = b[:n-8]; len(b) >= 4 {
			high = load4to8(b)
		} else {
			high = load1to3(b)
		}
		var highOK, lowOK bool
		lowUnit := uint64(1e8)
		if low, point = dropPoint(low); point != 0 {
			lowUnit = 1e7
		} else if high, point = dropPoint(high); point != 0 {
			point += 8
		}
		high, highOK = joinDigits(high)
		low, lowOK = joinDigits(low)
		if !highOK || !lowOK {
			return parseDecimal64Any(text, precision, scale)
		}
		v = high*lowUnit + low
	default:
		return parseDecimal64Any(text, precision, scale)
	}
	fraction := max(point-1, 0)
	switch d := scale - fraction; {
	case d > 0:
		// v has at most 16 digits, the power at most 18: their product may need two words.
		hi, lo := bits.Mul64(v, pow10u64[d])
		if hi != 0 {
			return 0, false
		}
		v = lo
	case d < 0:
		p := pow10u64[-d]
		q := v / p
		if v-q*p >= p/2 {
			q++
		}
		v = q
	}
	if v >= pow10u64[precision] {
		return 0, false
	}
	if neg {
		return -int64(v), true
	}
	return int64(v), true
}

// parseDecimal64Any handles every text.
func parseDecimal64Any(b []byte, precision, scale int) (int64, bool) {
	v, ok := ParseDecimal(b, precision, scale)
	return int64(v.Lo), ok
}

// load4to8 returns the 4 to 8 bytes of b, the last one topmost, with '0' below
// them: the little-endian word of b padded to the left with zeros.
func load4to8(b []byte) uint64 {
	// Two overlapping halves; the shift drops what both hold.
	head := uint64(binary.LittleEndian.Uint32(b))
	tail := uint64(binary.LittleEndian.Uint32(b[len(b)-4:]))
	free := uint(64-8*len(b)) & 63
	return tail<<32 | head<<free&0xffffffff | zeroes8&(1<<free-1)
}

// load1to3 is load4to8 for 1 to 3 bytes, some of which it reads twice.
func load1to3(b []byte) uint64 {
	n := len(b)
	free := uint(64-8*n) & 63
	middle := uint64(b[n>>1]) << ((free + uint(n>>1*8)) & 63)
	return uint64(b[0])<<free | middle | uint64(b[n-1])<<56 | zeroes8&(1<<free-1)
}

// dropPoint takes the first '.' out of eight bytes and moves those before it up,
// with '0' below them. point is 0 without one, else 1 + the number of bytes after it.
func dropPoint(w uint64) (rest uint64, point int) {
	x := w ^ points8
	m := (x - bytes0x01) &^ x & bytes0x80 // the lowest mark is a true one
	if m == 0 {
		return w, 0
	}
	at := uint(bits.TrailingZeros64(m)) & 56
	before := w & (1<<at - 1)
	after := w >> at >> 8 << 8 << at
	return after | before<<8 | '0', 8 - int(at>>3)
}

// joinDigits reads eight bytes as a number; ok is false when one is no digit.
func joinDigits(w uint64) (v uint64, ok bool) {
	// A digit is 0x30..0x39: its high half is 3, also after adding 6.
	ok = w&bytes0xF0|(w+bytes0x06)&bytes0xF0>>4 == bytes0x33
	w &= bytes0x0F
	// Neighbours join: 8 digits to 4 pairs, 2 quads, 1 number.
	w = w*10 + w>>8
	const mask = 0x000000ff000000ff
	const even = 100 + 1000000<<32
	const odd = 1 + 10000<<32
	return (w&mask*even + w>>16&mask*odd) >> 32, ok
}
