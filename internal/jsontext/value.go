package jsontext

// Valid reports whether a text is one JSON value of any kind, white space around it allowed.
func Valid(text []byte) bool {
	p, f := SkipValue(text, SkipSpace(text, 0, len(text)), len(text), 0)
	return f == Sound && SkipSpace(text, p, len(text)) == len(text)
}

// AppendCompact appends a valid JSON text without the white space between its tokens, so that it stays on one line.
func AppendCompact(dst, text []byte) []byte {
	done := 0
	for p := 0; p < len(text); {
		switch c := text[p]; {
		case c == '"':
			p, _ = behindString(text, p)
		case c <= ' ':
			dst = append(dst, text[done:p]...)
			p++
			done = p
		default:
			p++
		}
	}
	return append(dst, text[done:]...)
}

// The functions below read valid JSON and check nothing.

// behindString returns the offset behind the string whose opening quote is at p, and whether it has escapes.
func behindString(d []byte, p int) (int, bool) {
	p++
	for escaped := false; ; {
		if p+8 <= len(d) {
			m := TextMarks(Load8(d, p))
			if m == 0 {
				p += 8
				continue
			}
			p += FirstMark(m)
		}
		switch d[p] {
		case '"':
			return p + 1, escaped
		case '\\':
			escaped = true
			p += 2
		default:
			p++
		}
	}
}

// behindValue returns the offset behind the value at p.
func behindValue(d []byte, p int) int {
	level := 0
	for p < len(d) {
		switch d[p] {
		case '"':
			p, _ = behindString(d, p)
			if level == 0 {
				return p
			}
			continue
		case '{', '[':
			level++
		case '}', ']':
			if level == 0 {
				return p // behind a number or word
			}
			if level--; level == 0 {
				return p + 1
			}
		case ',', ' ', '\n', '\r', '\t':
			if level == 0 {
				return p
			}
		}
		p++
	}
	return p
}

// space returns the offset of the first byte from p on that is not white space; there is one.
func space(d []byte, p int) int {
	for d[p] <= ' ' {
		p++
	}
	return p
}
