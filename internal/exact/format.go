package exact

import (
	"math/bits"
	"slices"
)

// pairs holds "00" to "99": two digits a division instead of one.
const pairs = "00010203040506070809" +
	"10111213141516171819" +
	"20212223242526272829" +
	"30313233343536373839" +
	"40414243444546474849" +
	"50515253545556575859" +
	"60616263646566676869" +
	"70717273747576777879" +
	"80818283848586878889" +
	"90919293949596979899"

// String returns a as a decimal integer.
func (a Int128) String() string {
	var buf [40]byte
	return string(a.AppendDecimal(buf[:0], 0))
}

// AppendDecimal appends a / 10^scale with exactly scale decimals ("-0.05"), and
// without a point when scale is 0. It never writes an exponent or "-0".
func (a Int128) AppendDecimal(dst []byte, scale int) []byte {
	m := a.magnitude()
	if m.hi == 0 {
		return appendDigits(dst, a.Hi < 0, m.lo, scale)
	}
	// Up to 39 digits: the low 19, and at most 20 above them (2^127 / 10^19 < 2^64).
	q, low := m.quoRemSmall(1e19)
	var buf [40]byte
	all := appendDigits(buf[:0], false, q.lo, 0)
	n := len(all)
	all = all[:n+19]
	putDigits(all[n:], low)
	if a.Hi < 0 {
		dst = append(dst, '-')
	}
	if scale <= 0 {
		return append(dst, all...)
	}
	if whole := len(all) - scale; whole > 0 {
		dst = append(dst, all[:whole]...)
		dst = append(dst, '.')
		return append(dst, all[whole:]...)
	}
	dst = append(dst, '0', '.')
	for i := len(all); i < scale; i++ {
		dst = append(dst, '0')
	}
	return append(dst, all...)
}

// AppendDecimal64 is AppendDecimal for an int64.
func AppendDecimal64(dst []byte, v int64, scale int) []byte {
	u := uint64(v)
	if v < 0 {
		u = -u
	}
	return appendDigits(dst, v < 0, u, scale)
}

// appendDigits appends ±u / 10^scale in its place: the length is known before the
// first digit is, so nothing is moved afterwards.
func appendDigits(dst []byte, neg bool, u uint64, scale int) []byte {
	n := digits64(u)
	if scale > 0 {
		n = max(n, scale+1) + 1
	}
	if neg {
		n++
	}
	start := len(dst)
	dst = slices.Grow(dst, n)[:start+n]
	out := dst[start:]
	if neg {
		out[0] = '-'
		out = out[1:]
	}
	if scale > 0 {
		point := len(out) - scale - 1
		u = putDigits(out[point+1:], u)
		out[point] = '.'
		out = out[:point]
	}
	putDigits(out, u)
	return dst
}

// putDigits fills b with the low len(b) digits of u, with leading zeros, and
// returns what is left of u.
func putDigits(b []byte, u uint64) uint64 {
	i := len(b)
	for i >= 2 {
		q := u / 100
		r := (u - q*100) * 2
		b[i-1] = pairs[r+1]
		b[i-2] = pairs[r]
		u = q
		i -= 2
	}
	if i == 1 {
		q := u / 10
		b[0] = byte('0' + u - q*10)
		u = q
	}
	return u
}

// digits64 returns the number of decimal digits of u, 1 for 0.
func digits64(u uint64) int {
	// 1233/4096 is just above log10(2): the estimate is right or one too small.
	n := bits.Len64(u|1) * 1233 >> 12
	if u >= pow10u64[n] {
		n++
	}
	return max(n, 1)
}
