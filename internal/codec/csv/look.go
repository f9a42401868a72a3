package csvrec

import (
	"bytes"
	"unicode/utf8"

	"ubik/internal/expr"
)

// look is what a text looks like to somebody who has to tell a header from a record. It is wider than what casts take:
// 1.234,56 € is a number and 31.12.2026 a time, which no column's name is.
type look uint8

const (
	lookEmpty look = iota
	lookText
	lookNumber
	lookTime
	lookBool
)

func (f *Field) looks() look {
	if f.Null {
		return lookEmpty
	}
	return looks(f.Text)
}

func looks(text []byte) look {
	text = bytes.TrimSpace(text)
	switch {
	case len(text) == 0:
		return lookEmpty
	case len(text) > 64:
		return lookText
	case looksNumber(text):
		return lookNumber
	case looksTime(text):
		return lookTime
	case bytes.EqualFold(text, []byte("true")) || bytes.EqualFold(text, []byte("false")):
		return lookBool
	}
	return lookText
}

// looksNumber takes a sign, digits with points, commas, apostrophes or blanks between them, an exponent, and a currency
// or percent sign on either side.
func looksNumber(text []byte) bool {
	text = trimUnit(text)
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		text = trimUnit(text[1:])
	}
	digits := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c-'0' <= 9:
			digits++
		case c == '.' || c == ',':
		case (c == ' ' || c == '\'') && digits > 0 && i+1 < len(text):
		case bytes.HasPrefix(text[i:], []byte("\u00a0")) && digits > 0:
			i++
		case (c == 'e' || c == 'E') && digits > 0:
			return isExponent(text[i+1:])
		default:
			return false
		}
	}
	return digits > 0
}

func isExponent(text []byte) bool {
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		text = text[1:]
	}
	for _, c := range text {
		if c-'0' > 9 {
			return false
		}
	}
	return len(text) > 0
}

// trimUnit removes a currency or percent sign in front or behind, with the blanks beside it.
func trimUnit(text []byte) []byte {
	if n := len(text); n == 0 || text[0]-'0' <= 9 && text[n-1]-'0' <= 9 {
		return text
	}
	for _, unit := range []string{"$", "€", "£", "%", "EUR", "USD"} {
		if rest, ok := bytes.CutPrefix(text, []byte(unit)); ok {
			text = bytes.TrimSpace(rest)
		}
		if rest, ok := bytes.CutSuffix(text, []byte(unit)); ok {
			text = bytes.TrimSpace(rest)
		}
	}
	return text
}

// looksTime takes what casts to TIMESTAMP, DATE and TIME take, and three numbers parted by two points, slashes or
// hyphens, with nothing behind them or a time of day.
func looksTime(text []byte) bool {
	if text[0]-'0' > 9 {
		return false
	}
	if _, ok := expr.ParseTimestamp(text); ok {
		return true
	}
	if bytes.IndexByte(text, ':') > 0 {
		if _, ok := expr.ParseTime(text); ok {
			return true
		}
	}
	rest, sign := text, byte(0)
	for part := range 3 {
		n := 0
		for n < len(rest) && rest[n]-'0' <= 9 {
			n++
		}
		if n == 0 || n > 4 {
			return false
		}
		rest = rest[n:]
		switch {
		case part == 2:
			rest = bytes.TrimLeft(rest, " ,T")
			return len(rest) == 0 || rest[0]-'0' <= 9 && bytes.IndexByte(rest, ':') > 0 && utf8.Valid(rest)
		case len(rest) == 0 || rest[0] != '.' && rest[0] != '/' && rest[0] != '-' || part == 1 && rest[0] != sign:
			return false
		}
		sign = rest[0]
		rest = rest[1:]
	}
	return false
}
