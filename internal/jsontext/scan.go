package jsontext

import (
	"unicode/utf8"
)

// DepthMax is the number of levels a text may have; its own object or array is the first.
const DepthMax = 512

// TextFlags tells what a string holds besides plain ASCII.
type TextFlags uint8

const (
	Escaped TextFlags = 1 << iota // escapes, which are sound
	Wide                          // bytes above 127, which are valid UTF-8
)

// The scanners read d from p on and must not go beyond end, though d may be longer: what lies behind end may be
// loaded, never judged. They return the offset behind what they read, or the offset of the flaw.

// ScanString reads a string from behind its opening quote and returns the offset of the closing one.
func ScanString(d []byte, p, end int) (int, TextFlags, Flaw) {
	start := p
	var flags TextFlags
	last := min(end, len(d)-7)
	for {
		if flags&Wide == 0 {
			for p < last {
				if m := PlainMarks(Load8(d, p)); m != 0 {
					p += FirstMark(m)
					break
				}
				p += 8
			}
		} else { // UTF-8 has to be checked anyway
			for p < last {
				if m := TextMarks(Load8(d, p)); m != 0 {
					p += FirstMark(m)
					break
				}
				p += 8
			}
		}
		if p >= end {
			return end, flags, FlawInString
		}
		switch c := d[p]; {
		case c == '"':
			if flags&Wide != 0 && !utf8.Valid(d[start:p]) {
				return FirstInvalid(d, start), flags, FlawUTF8
			}
			return p, flags, Sound
		case c == '\\':
			flags |= Escaped
			n, f := scanEscape(d[p:end])
			if f != Sound {
				return p, flags, f
			}
			p += n
		case c < ' ':
			return p, flags, FlawControl
		case c >= utf8.RuneSelf:
			flags |= Wide
			p++
		default:
			p++
		}
	}
}

// FirstInvalid returns the offset of the first byte from p on that is not UTF-8; there is one.
func FirstInvalid(d []byte, p int) int {
	for {
		r, n := utf8.DecodeRune(d[p:])
		if r == utf8.RuneError && n <= 1 {
			return p
		}
		p += n
	}
}

// scanEscape checks the escape that b begins with and returns its length; a surrogate pair is one escape.
func scanEscape(b []byte) (int, Flaw) {
	if len(b) < 2 {
		return 0, FlawInString
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, Sound
	case 'u':
		r, ok := hex4(b[2:])
		switch {
		case !ok:
			return 0, FlawEscape
		case r < 0xD800 || r > 0xDFFF:
			return 6, Sound
		case r < 0xDC00 && len(b) >= 12 && b[6] == '\\' && b[7] == 'u':
			if low, ok := hex4(b[8:]); ok && low >= 0xDC00 && low <= 0xDFFF {
				return 12, Sound
			}
		}
		return 0, FlawSurrogate
	}
	return 0, FlawEscape
}

// hex4 reads four hexadecimal digits.
func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// AppendUnescaped appends the text of a scanned string.
func AppendUnescaped(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			j := i + 1
			for j < len(s) && s[j] != '\\' {
				j++
			}
			dst = append(dst, s[i:j]...)
			i = j
			continue
		}
		c := s[i+1]
		i += 2
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r, _ := hex4(s[i:])
			i += 4
			if r >= 0xD800 && r <= 0xDFFF {
				low, _ := hex4(s[i+2:])
				r = (r-0xD800)<<10 + (low - 0xDC00) + 0x10000
				i += 6
			}
			dst = utf8.AppendRune(dst, r)
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// ScanNumber reads a number whose first byte is a digit or '-'.
func ScanNumber(d []byte, p, end int) (int, Flaw) {
	d = d[:end]
	if d[p] == '-' {
		p++
	}
	if p >= end || d[p]-'0' > 9 {
		return p, FlawDigit
	}
	if d[p] == '0' {
		p++
		if p < end && d[p]-'0' <= 9 {
			return p - 1, FlawLeadingZero
		}
	} else {
		p = SkipDigits(d, p)
	}
	if p < end && d[p] == '.' {
		q := SkipDigits(d, p+1)
		if q == p+1 {
			return q, FlawDigit
		}
		p = q
	}
	if p < end && d[p]|0x20 == 'e' {
		p++
		if p < end && (d[p] == '+' || d[p] == '-') {
			p++
		}
		q := SkipDigits(d, p)
		if q == p {
			return q, FlawDigit
		}
		p = q
	}
	return p, Sound
}

// SkipDigits returns the offset of the first byte from p on that is no digit.
func SkipDigits(d []byte, p int) int {
	for p+8 <= len(d) {
		n := DigitRun(Load8(d, p))
		p += n
		if n < 8 {
			return p
		}
	}
	for p < len(d) && d[p]-'0' <= 9 {
		p++
	}
	return p
}

// SkipSpace returns the offset of the first byte from p on that is not white space, end if there is none.
func SkipSpace(d []byte, p, end int) int {
	if p < end && d[p] > ' ' {
		return p
	}
	for p < end && (d[p] == ' ' || d[p] == '\n' || d[p] == '\r' || d[p] == '\t') {
		p++
	}
	return p
}

// ScanWord reads the rest of true, false or null.
func ScanWord(d []byte, p, end int, word string) (int, Flaw) {
	if end-p < len(word) || string(d[p:p+len(word)]) != word {
		return p, FlawValue
	}
	return p + len(word), Sound
}
