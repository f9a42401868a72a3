package jsonrec

import (
	"strconv"
	"unicode"
	"unicode/utf8"

	"ubik/internal/jsontext"
)

// excerptMax is the number of bytes of an excerpt; a cut one is closed by three dots, which count.
const excerptMax = 40

// syntaxReason words a flaw met at offset at of a record: the offset, the phrase, and what stands there.
func syntaxReason(f jsontext.Flaw, rec []byte, at int) string {
	b := append([]byte("byte "), strconv.Itoa(at)...)
	b = append(append(b, ": "...), f.String()...)
	if at >= len(rec) {
		if f != jsontext.FlawEnds && f != jsontext.FlawInString && f != jsontext.FlawEmpty {
			b = append(b, ", but the record ends"...)
		}
		return string(b)
	}
	b = append(b, ", at "...)
	return string(appendExcerpt(b, rec[at:]))
}

// appendExcerpt appends the beginning of text in at most excerptMax bytes, all of them printable: control characters
// and bytes that are not UTF-8 as \xNN.
func appendExcerpt(dst, text []byte) []byte {
	start, fits := len(dst), len(dst) // fits: where the three dots still fit
	for p := 0; p < len(text); {
		r, n := utf8.DecodeRune(text[p:])
		if r == utf8.RuneError && n == 1 || !unicode.IsPrint(r) {
			for _, c := range text[p : p+n] {
				const hex = "0123456789abcdef"
				dst = append(dst, '\\', 'x', hex[c>>4], hex[c&15])
			}
		} else {
			dst = append(dst, text[p:p+n]...)
		}
		if len(dst)-start > excerptMax {
			return append(dst[:fits], "..."...)
		}
		if len(dst)-start <= excerptMax-3 {
			fits = len(dst)
		}
		p += n
	}
	return dst
}

// Excerpt is the beginning of a text in at most 40 printable bytes, as errors show it.
func Excerpt(text []byte) string { return string(appendExcerpt(nil, text)) }
