package expr

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"ubik/internal/vec"
)

// Shapes of kernels: each turns a function of one row into a loop. A view is a text that is part of the first
// argument's, so that nothing is copied.

func textToText(f func(dst, s []byte) []byte) func(c *Call) {
	return func(c *Call) {
		for _, i := range c.Rows {
			from := len(c.Out.Arena)
			c.Out.Arena = f(c.Out.Arena, c.Args[0].Bytes(int(i)))
			c.end(i, from)
		}
	}
}

func textToInt(f func(s []byte) int64) func(c *Call) {
	return func(c *Call) {
		for _, i := range c.Rows {
			c.Out.I64[i] = f(c.Args[0].Bytes(int(i)))
		}
	}
}

func textsToInt(f func(s, t []byte) int64) func(c *Call) {
	return func(c *Call) {
		for _, i := range c.Rows {
			c.Out.I64[i] = f(c.Args[0].Bytes(int(i)), c.Args[1].Bytes(int(i)))
		}
	}
}

func textsToBool(f func(s, t []byte) bool) func(c *Call) {
	return func(c *Call) {
		for _, i := range c.Rows {
			c.Out.Bools[i] = f(c.Args[0].Bytes(int(i)), c.Args[1].Bytes(int(i)))
		}
	}
}

// view makes a kernel of a function that gives the half-open byte range of its result in s, for row i.
func view(f func(c *Call, i int32, s []byte) (from, to int)) func(c *Call) {
	return func(c *Call) {
		in := c.Args[0]
		c.Out.Arena = in.Arena
		for _, i := range c.Rows {
			from, to := f(c, i, in.Bytes(int(i)))
			c.Out.Spans[i] = vec.Span{Off: in.Spans[i].Off + uint32(from), Len: uint32(to - from)}
		}
	}
}

func isASCII(s []byte) bool {
	for _, c := range s {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// appendLower appends s in lower case, character by character.
func appendLower(dst, s []byte) []byte {
	for i, c := range s {
		if c >= utf8.RuneSelf {
			return appendMapped(dst, s[i:], lowerRune)
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

func appendUpper(dst, s []byte) []byte {
	for i, c := range s {
		if c >= utf8.RuneSelf {
			return appendMapped(dst, s[i:], upperRune)
		}
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

func appendMapped(dst, s []byte, f func(rune) rune) []byte {
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		dst = utf8.AppendRune(dst, f(r))
		s = s[size:]
	}
	return dst
}

func lowerRune(r rune) rune { return unicode.ToLower(r) }

func upperRune(r rune) rune {
	if r == 'ß' {
		return 'ẞ'
	}
	return unicode.ToUpper(r)
}

// byteOf returns where character n (0 or more) of s begins, len(s) when s has fewer.
func byteOf(s []byte, n int64) int {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		if s[at] < utf8.RuneSelf {
			at++
			continue
		}
		_, size := utf8.DecodeRune(s[at:])
		at += size
	}
	return at
}

// substring is the byte range of the characters that substr gives: start counts from 1, or from the end when
// negative; a negative length goes to the left of it.
func substring(s []byte, start, length int64) (from, to int) {
	size := int64(len(s))
	ascii := isASCII(s)
	if !ascii {
		size = int64(utf8.RuneCount(s))
	}
	const far = 1 << 40 // beyond any text, and far from overflow
	start = max(min(start, far), -far)
	length = max(min(length, far), -far)
	switch {
	case start > 0:
		start--
	case start < 0:
		start += size
	default:
		start = -1
	}
	end := start + length
	if length < 0 {
		start, end = end, start
	}
	start, end = max(start, 0), min(max(end, 0), size)
	if start >= end {
		return 0, 0
	}
	if ascii {
		return int(start), int(end)
	}
	from = byteOf(s, start)
	return from, from + byteOf(s[from:], end-start)
}

// leftPart is the first n characters, or all but the last −n.
func leftPart(s []byte, n int64) (from, to int) {
	if n < 0 {
		n = max(int64(utf8.RuneCount(s))+n, 0)
	}
	return 0, byteOf(s, n)
}

// rightPart is the last n characters, or all but the first −n.
func rightPart(s []byte, n int64) (from, to int) {
	if n < 0 {
		n = -max(n, -int64(len(s)))
		return byteOf(s, n), len(s)
	}
	return byteOf(s, max(int64(utf8.RuneCount(s))-n, 0)), len(s)
}

// trimRange is s without the characters at its ends that are in a set.
func trimRange(s []byte, in func(r rune) bool, left, right bool) (from, to int) {
	to = len(s)
	for left && from < to {
		r, size := utf8.DecodeRune(s[from:to])
		if !in(r) {
			break
		}
		from += size
	}
	for right && from < to {
		r, size := utf8.DecodeLastRune(s[from:to])
		if !in(r) {
			break
		}
		to -= size
	}
	return from, to
}

func trimKernel(left, right bool) func(c *Call) {
	blank := func(r rune) bool { return unicode.Is(unicode.Zs, r) }
	return view(func(c *Call, i int32, s []byte) (int, int) { return trimRange(s, blank, left, right) })
}

func trimSetKernel(left, right bool) func(c *Call) {
	return view(func(c *Call, i int32, s []byte) (int, int) {
		set := c.Args[1].Bytes(int(i))
		return trimRange(s, func(r rune) bool { return bytes.ContainsRune(set, r) }, left, right)
	})
}

// splitPart is the n-th piece of s between separators, from the end when n is negative; empty when there is none. An
// empty separator cuts between characters.
func splitPart(s, sep []byte, n int64) (from, to int) {
	pieces := int64(bytes.Count(s, sep)) + 1
	if len(sep) == 0 {
		pieces = int64(utf8.RuneCount(s))
	}
	if n < 0 {
		n += pieces + 1
	}
	if n < 1 || n > pieces {
		return 0, 0
	}
	if len(sep) == 0 {
		from = byteOf(s, n-1)
		return from, from + byteOf(s[from:], 1)
	}
	for ; n > 1; n-- {
		from += bytes.Index(s[from:], sep) + len(sep)
	}
	if to = bytes.Index(s[from:], sep); to < 0 {
		return from, len(s)
	}
	return from, from + to
}

// position is where t first stands in s, counted in characters from 1; 0 when it does not.
func position(s, t []byte) int64 {
	at := bytes.Index(s, t)
	if at < 0 {
		return 0
	}
	return int64(utf8.RuneCount(s[:at])) + 1
}

// appendReverse appends the characters of s from the last to the first; marks stay behind their base.
func appendReverse(dst, s []byte) []byte {
	for end := len(s); end > 0; {
		at := end
		for at > 0 {
			r, size := utf8.DecodeLastRune(s[:at])
			at -= size
			if !unicode.Is(unicode.M, r) {
				break
			}
		}
		dst = append(dst, s[at:end]...)
		end = at
	}
	return dst
}

func replaceText(c *Call) {
	for _, i := range c.Rows {
		s, old, by := c.Args[0].Bytes(int(i)), c.Args[1].Bytes(int(i)), c.Args[2].Bytes(int(i))
		if more := len(by) - len(old); more > 0 && len(old) > 0 {
			if n := bytes.Count(s, old); n > 0 && n > (maxText-len(s))/more {
				c.bad(i, "replace: the result would be longer than 64 MiB")
				continue
			}
		}
		from := len(c.Out.Arena)
		c.Out.Arena = appendReplaced(c.Out.Arena, s, old, by)
		c.end(i, from)
	}
}

func appendReplaced(dst, s, old, by []byte) []byte {
	if len(old) == 0 {
		return append(dst, s...)
	}
	for {
		at := bytes.Index(s, old)
		if at < 0 {
			return append(dst, s...)
		}
		dst = append(append(dst, s[:at]...), by...)
		s = s[at+len(old):]
	}
}

// maxText is the most bytes that a function makes of one row.
const maxText = 64 << 20

// pad is lpad or rpad: n characters of s, filled with those of fill round and round.
func pad(name string, left bool) func(c *Call) {
	return func(c *Call) {
		for _, i := range c.Rows {
			s, n, fill := c.Args[0].Bytes(int(i)), max(c.Args[1].I64[i], 0), c.Args[2].Bytes(int(i))
			from := len(c.Out.Arena)
			short := n - int64(utf8.RuneCount(s))
			switch {
			case short <= 0:
				c.Out.Arena = append(c.Out.Arena, s[:byteOf(s, n)]...)
			case len(fill) == 0:
				c.bad(i, name+": the text to fill with is empty")
				continue
			case n > maxText/utf8.UTFMax:
				c.bad(i, name+": the result would be longer than 64 MiB")
				continue
			default:
				if !left {
					c.Out.Arena = append(c.Out.Arena, s...)
				}
				chars := int64(utf8.RuneCount(fill))
				for ; short >= chars; short -= chars {
					c.Out.Arena = append(c.Out.Arena, fill...)
				}
				c.Out.Arena = append(c.Out.Arena, fill[:byteOf(fill, short)]...)
				if left {
					c.Out.Arena = append(c.Out.Arena, s...)
				}
			}
			c.end(i, from)
		}
	}
}

func repeatText(c *Call) {
	for _, i := range c.Rows {
		s, n := c.Args[0].Bytes(int(i)), max(c.Args[1].I64[i], 0)
		if len(s) > 0 && n > int64(maxText/len(s)) {
			c.bad(i, "repeat: the result would be longer than 64 MiB")
			continue
		}
		from := len(c.Out.Arena)
		for ; n > 0 && len(s) > 0; n-- {
			c.Out.Arena = append(c.Out.Arena, s...)
		}
		c.end(i, from)
	}
}

// concatTexts joins its arguments and leaves out NULLs.
func concatTexts(c *Call) {
	for _, i := range c.Rows {
		from := len(c.Out.Arena)
		for _, a := range c.Args {
			if !a.IsNull(int(i)) {
				c.Out.Arena = append(c.Out.Arena, a.Bytes(int(i))...)
			}
		}
		c.end(i, from)
	}
}

// concatSeparated joins all arguments but the first with the first between them, and leaves out NULLs.
func concatSeparated(c *Call) {
	for _, i := range c.Rows {
		if c.Args[0].IsNull(int(i)) {
			c.Out.SetNull(int(i))
			continue
		}
		sep := c.Args[0].Bytes(int(i))
		from := len(c.Out.Arena)
		first := true
		for _, a := range c.Args[1:] {
			if a.IsNull(int(i)) {
				continue
			}
			if !first {
				c.Out.Arena = append(c.Out.Arena, sep...)
			}
			first = false
			c.Out.Arena = append(c.Out.Arena, a.Bytes(int(i))...)
		}
		c.end(i, from)
	}
}

// joinTexts is ||.
func joinTexts(c *Call) {
	for _, i := range c.Rows {
		from := len(c.Out.Arena)
		c.Out.Arena = append(c.Out.Arena, c.Args[0].Bytes(int(i))...)
		c.Out.Arena = append(c.Out.Arena, c.Args[1].Bytes(int(i))...)
		c.end(i, from)
	}
}

// newConcat is a || b: of BLOBs a BLOB, else the text of both.
func newConcat(a, b Expr) (Expr, error) {
	t := varcharType
	if a.Type().Kind == vec.Blob && b.Type().Kind == vec.Blob {
		t = a.Type()
	}
	args := []Expr{a, b}
	if err := noJSON("||", args); err != nil {
		return nil, err
	}
	args, err := coerceAll(args, t)
	if err != nil {
		return nil, err
	}
	o, err := newCallOp("||", args, t, &Overload{Kernel: joinTexts})
	if op, ok := o.(*Op); ok {
		op.form = infixForm
	}
	return o, err
}
