package jsonrec

import "ubik/internal/jsontext"

// appendQuoted writes text in quotes. Only quotes, backslashes and control characters are escaped, the latter by their
// short form where there is one.
func appendQuoted(dst, text []byte) []byte {
	dst = append(dst, '"')
	done, p := 0, 0
	for p < len(text) {
		if p+8 <= len(text) {
			m := jsontext.TextMarks(jsontext.Load8(text, p))
			if m == 0 {
				p += 8
				continue
			}
			p += jsontext.FirstMark(m)
		} else if c := text[p]; c >= ' ' && c != '"' && c != '\\' {
			p++
			continue
		}
		dst = append(dst, text[done:p]...)
		dst = appendEscape(dst, text[p])
		p++
		done = p
	}
	dst = append(dst, text[done:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '\b':
		c = 'b'
	case '\f':
		c = 'f'
	case '\n':
		c = 'n'
	case '\r':
		c = 'r'
	case '\t':
		c = 't'
	case '"', '\\':
	default:
		return append(dst, '\\', 'u', '0', '0', '0'+c>>4, "0123456789abcdef"[c&15])
	}
	return append(dst, '\\', c)
}
