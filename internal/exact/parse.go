package exact

// exponentMax stands for any exponent at least as large. It is far above the
// length of any text, so that sums with digit counts neither overflow nor come
// near the digits of a decimal by accident.
const exponentMax = 1 << 48

// number is the text of a number taken apart: ±D · 10^(point − len(D)), where D
// are the digits of body from first on, its point left out.
type number struct {
	body  []byte // digits and at most one '.', starting at the first digit that is not 0
	count int    // digits in body
	point int    // digits of body before the decimal point, exponent included; may lie outside 0..count
	neg   bool
}

// scanNumber takes apart: sign? (digits [. digits?] | . digits) ([eE] sign? digits)?
func scanNumber(b []byte) (n number, ok bool) {
	i := 0
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		n.neg = b[i] == '-'
		i++
	}
	begin, first, seen, whole := i, -1, 0, -1
	leading := 0 // zeros before the first other digit
	for ; i < len(b); i++ {
		c := b[i]
		if c-'0' <= 9 {
			seen++
			if first < 0 {
				if c == '0' {
					leading++
				} else {
					first = i
				}
			}
		} else if c == '.' && whole < 0 {
			whole = i - begin
		} else {
			break
		}
	}
	if seen == 0 {
		return n, false
	}
	if whole < 0 {
		whole = seen
	}
	end := i
	exponent := 0
	if i < len(b) {
		if exponent, ok = scanExponent(b[i:]); !ok {
			return n, false
		}
	}
	if first < 0 {
		return n, true // zero: no digits
	}
	n.body = b[first:end]
	n.count = seen - leading
	n.point = whole - leading + exponent
	return n, true
}

// scanExponent reads 'e', sign? and digits to the end of b, saturating at exponentMax.
func scanExponent(b []byte) (int, bool) {
	if b[0]|0x20 != 'e' {
		return 0, false
	}
	i := 1
	neg := false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		neg = b[i] == '-'
		i++
	}
	if i == len(b) {
		return 0, false
	}
	e := 0
	for ; i < len(b); i++ {
		c := b[i] - '0'
		if c > 9 {
			return 0, false
		}
		e = min(e*10+int(c), exponentMax)
	}
	if neg {
		e = -e
	}
	return e, true
}

// scaled returns |n| · 10^scale rounded half away from zero, whether nothing was
// rounded off, and false when it has more than digitsMax digits before rounding
// or does not fit. Only the first 40 digits are multiplied; the others are
// looked at, if at all, for being 0.
func (n *number) scaled(digitsMax, scale int) (v u128, whole, ok bool) {
	keep := n.point + scale // digits of the result
	switch {
	case n.count == 0:
		return u128{}, true, true
	case keep > digitsMax:
		return u128{}, false, false // the first digit is not 0
	case keep < 0:
		return u128{}, false, true
	}
	// Everything from digit number keep on is dropped.
	i, taken := 0, 0
	var over bool
	for ; i < len(n.body) && taken < keep; i++ {
		if c := n.body[i]; c != '.' {
			if v, over = v.mulSmallAdd(10, uint64(c-'0')); over {
				return v, false, false
			}
			taken++
		}
	}
	if taken < keep {
		v, over = v.mul(pow10u128[keep-taken])
		return v, true, !over
	}
	if i < len(n.body) && n.body[i] == '.' {
		i++
	}
	if i < len(n.body) && n.body[i] >= '5' {
		if v, over = v.add(u128{0, 1}); over {
			return v, false, false
		}
	}
	whole = true
	for ; i < len(n.body); i++ {
		if c := n.body[i]; c != '0' && c != '.' {
			whole = false
			break
		}
	}
	return v, whole, true
}

// ParseInt128 reads an integer: a sign ('-' or '+') or none, then digits alone.
// It returns false for other text and for values outside the range.
func ParseInt128(b []byte) (Int128, bool) {
	neg := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg = b[0] == '-'
		b = b[1:]
	}
	if len(b) == 0 {
		return Int128{}, false
	}
	if len(b) < 20 { // at most 19 digits: one word
		var u uint64
		for _, c := range b {
			c -= '0'
			if c > 9 {
				return Int128{}, false
			}
			u = u*10 + uint64(c)
		}
		return u128{0, u}.signed(neg)
	}
	var u u128
	for _, c := range b {
		c -= '0'
		if c > 9 {
			return Int128{}, false
		}
		var over bool
		if u, over = u.mulSmallAdd(10, uint64(c)); over {
			return Int128{}, false
		}
	}
	return u.signed(neg)
}

// ParseDecimal reads a number as a decimal of the given precision (1..38) and
// scale (0..precision): a sign or none, digits with or without a point (at least
// one digit), and an exponent or none. Blanks are not accepted.
//
// The value is taken from the text, whatever its length, and rounded half away
// from zero to scale. It returns false when b is not such text, or when the
// rounded value has more digits than precision.
func ParseDecimal(b []byte, precision, scale int) (Int128, bool) {
	n, ok := scanNumber(b)
	if !ok {
		return Int128{}, false
	}
	m, _, ok := n.scaled(precision, scale)
	if !ok || !m.less(pow10u128[precision]) {
		return Int128{}, false
	}
	return m.signed(n.neg)
}

// ParseNumberInt reads a number as an integer of the whole range of Int128. A
// fraction is rounded half away from zero, as DuckDB casts text to an integer
// type; "1.0" and "1e2" are integers. For the accepted text see ParseDecimal.
func ParseNumberInt(b []byte) (Int128, bool) {
	v, _, ok := ParseNumber(b)
	return v, ok
}

// ParseNumber is ParseNumberInt for callers that treat a fraction apart: whole
// reports whether the number was an integer, so that nothing was rounded.
func ParseNumber(b []byte) (v Int128, whole, ok bool) {
	n, ok := scanNumber(b)
	if !ok {
		return Int128{}, false, false
	}
	m, whole, ok := n.scaled(MaxPrecision+1, 0)
	if !ok {
		return Int128{}, false, false
	}
	v, ok = m.signed(n.neg)
	return v, whole, ok
}
