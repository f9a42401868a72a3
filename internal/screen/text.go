package screen

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"ubik/internal/width"
)

// ellipsis stands for what was cut away. It is one column wide.
const ellipsis = '…'

// AppendPrintable appends text so that it cannot move the cursor, change colours or reverse the line: what is not
// printable is written as an escape.
func AppendPrintable(dst []byte, text string) []byte {
	for _, r := range text {
		dst = appendPrintable(dst, r)
	}
	return dst
}

func appendPrintable(dst []byte, r rune) []byte {
	switch {
	case r >= ' ' && r < 0x7F:
		return append(dst, byte(r))
	case unicode.IsPrint(r):
		return utf8.AppendRune(dst, r)
	case r == '\n':
		return append(dst, `\n`...)
	case r == '\r':
		return append(dst, `\r`...)
	case r == '\t':
		return append(dst, `\t`...)
	case r > 0xFFFF:
		return fmt.Appendf(dst, `\U%08x`, r)
	}
	return fmt.Appendf(dst, `\u%04x`, r)
}

// AppendCut is AppendPrintable for at most max columns. What is longer ends in … as its last column and is reported as
// cut; the work done is bounded by max and not by the text. columns is the width of what was appended.
func AppendCut(dst []byte, text string, max int) (_ []byte, columns int, cut bool) {
	begin := len(dst)
	short, shortColumns := begin, 0 // the longest beginning that leaves room for the ellipsis
	for _, r := range text {
		if from := len(dst); r >= ' ' && r < 0x7F {
			dst = append(dst, byte(r))
			columns++
		} else {
			dst = appendPrintable(dst, r)
			columns += Width(dst[from:])
		}
		if columns > max {
			if max <= 0 {
				return dst[:begin], 0, true
			}
			return utf8.AppendRune(dst[:short], ellipsis), shortColumns + 1, true
		}
		if columns < max {
			short, shortColumns = len(dst), columns
		}
	}
	return dst, columns, false
}

// Width returns the columns that printable text takes.
func Width[T string | []byte](text T) int {
	n := 0
	for _, r := range string(text) {
		n += width.Of(r)
	}
	return n
}
