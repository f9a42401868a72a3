package jsonrec

// digitsValue returns the number that the first n digits of w are, n from 1 to 8.
func digitsValue(w uint64, n int) uint64 {
	w = (w ^ 0x3030303030303030) << (64 - 8*uint(n)) // zeros in front
	w = w*10 + w>>8
	const mask = 0x000000ff000000ff
	return (w&mask*(100+1000000<<32) + w>>16&mask*(1+10000<<32)) >> 32
}

// pow10 are the powers of ten that an int64 holds.
var pow10 = [...]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}
