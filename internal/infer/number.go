package infer

import "strings"

// number is what the text of a number looks like.
type number struct {
	plus  bool // a leading plus
	zero  bool // a zero before another digit
	point bool
	power bool // an exponent
	whole int  // digits before the point
	scale int  // digits behind it
}

// scanNumber takes a text apart that a cast to DOUBLE accepts and that consists of digits: blanks around, a sign,
// digits with or without a point, an exponent. It returns false for all other text.
func scanNumber(text []byte) (n number, ok bool) {
	b := trimBlanks(text)
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		n.plus = b[0] == '+'
		b = b[1:]
	}
	n.whole = digits(b)
	n.zero = n.whole > 1 && b[0] == '0'
	b = b[n.whole:]
	if len(b) > 0 && b[0] == '.' {
		n.point = true
		n.scale = digits(b[1:])
		b = b[1+n.scale:]
	}
	if n.whole+n.scale == 0 {
		return n, false
	}
	if len(b) > 0 && b[0]|0x20 == 'e' {
		n.power = true
		b = b[1:]
		if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
			b = b[1:]
		}
		d := digits(b)
		if d == 0 {
			return n, false
		}
		b = b[d:]
	}
	return n, len(b) == 0
}

// digits returns how many digits b begins with.
func digits(b []byte) int {
	n := 0
	for n < len(b) && b[n]-'0' <= 9 {
		n++
	}
	return n
}

// isSpecial reports whether a text is NaN or an infinity, as a cast to DOUBLE reads them.
func isSpecial(text []byte) bool {
	b := trimBlanks(text)
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	if len(b) > len("infinity") {
		return false
	}
	switch strings.ToLower(string(b)) {
	case "nan", "inf", "infinity":
		return true
	}
	return false
}

// trimBlanks removes the blanks that a cast allows around a number.
func trimBlanks(b []byte) []byte {
	blank := func(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
	for len(b) > 0 && blank(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && blank(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}
