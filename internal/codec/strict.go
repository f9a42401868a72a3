package codec

import (
	"bytes"

	"ubik/internal/vec"
)

// OwnForm reports whether a text looks like a value of the type without anything being lost by the cast: 2.5 does not as a
// BIGINT, 007 not as a number, a day with a time not as a DATE, 31/12/25 not as a day of the year 31. Whether it can be cast is
// not judged.
func OwnForm(t vec.Type, text []byte) bool {
	text = bytes.TrimSpace(text)
	switch {
	case t.Kind == vec.Bool:
		return bytes.EqualFold(text, []byte("true")) || bytes.EqualFold(text, []byte("false"))
	case t.Kind == vec.Date:
		return bytes.IndexByte(text, ':') < 0 && hasYear(text)
	case t.Kind == vec.Timestamp:
		return hasYear(text)
	case t.IsInteger():
		digits := bytes.TrimPrefix(text, []byte("-"))
		for _, c := range digits {
			if c < '0' || c > '9' {
				return false
			}
		}
		return !padded(digits)
	case t.Kind == vec.Double:
		return !padded(bytes.TrimPrefix(text, []byte("-")))
	}
	return true
}

// hasYear reports whether the year that a date begins with has all its digits.
func hasYear(text []byte) bool {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n >= 4
}

// padded reports whether a number begins with a zero or a plus that it does not need, as identifiers do.
func padded(digits []byte) bool {
	return len(digits) > 1 && (digits[0] == '+' || digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9')
}
