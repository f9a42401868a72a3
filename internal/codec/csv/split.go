package csvrec

import "bytes"

// splitPlain finds the fields of a record without quotes, of which ends gets the offsets behind the fields, as many as
// fit. It returns their number, and whether there are bytes above 127.
func (s *syntax) splitPlain(d []byte, p, end int, ends []uint32) (n int, wide bool) {
	word := s.delimiterWord
	var seen uint64
	for ; p+8 <= end; p += 8 {
		w := load8(d, p)
		seen |= w
		for m := exactMarks(w ^ word); m != 0; m &= m - 1 {
			if n < len(ends) {
				ends[n] = uint32(p + firstMark(m))
			}
			n++
		}
	}
	if p < end {
		var w uint64
		if p+8 <= len(d) {
			w = load8(d, p)
		} else {
			for i, c := range d[p:end] {
				w |= uint64(c) << (8 * i)
			}
		}
		inside := uint64(1)<<(8*(end-p)) - 1
		seen |= w & inside
		for m := exactMarks(w^word) & inside; m != 0; m &= m - 1 {
			if n < len(ends) {
				ends[n] = uint32(p + firstMark(m))
			}
			n++
		}
	}
	if n < len(ends) {
		ends[n] = uint32(end)
	}
	return n + 1, seen&tops != 0
}

// split is splitPlain for any record. For a flaw it returns the number of fields before the one that has it, and the
// flaw's offset.
func (s *syntax) split(d []byte, p, end int, ends []uint32) (n, at int, f flaw) {
	for {
		p, f = s.field(d, p, end)
		if f != sound {
			return n, p, f
		}
		if n < len(ends) {
			ends[n] = uint32(p)
		}
		n++
		if p == end {
			return n, p, sound
		}
		p++
	}
}

// field reads the field at p and returns the offset behind it, which is that of a delimiter or the record's end, or
// the offset of a flaw.
func (s *syntax) field(d []byte, p, end int) (int, flaw) {
	if s.quotes && p < end && d[p] == s.quote {
		q, f := s.closing(d, p+1, end)
		if f != sound {
			return q, f
		}
		if q++; q < end && d[q] != s.delimiter {
			return q, flawBehind
		}
		return q, sound
	}
	p = s.special(d, p, end)
	if p == end || d[p] == s.delimiter {
		return p, sound
	}
	if d[p] == '\r' || d[p] == '\n' {
		return p, flawBreak
	}
	return p, flawQuote
}

// closing returns the offset of the quote that closes the field whose text begins at p.
func (s *syntax) closing(d []byte, p, end int) (int, flaw) {
	if s.escape == s.quote {
		for {
			n := bytes.IndexByte(d[p:end], s.quote)
			if n < 0 {
				return end, flawOpen
			}
			p += n
			if p+1 >= end || d[p+1] != s.quote {
				return p, sound
			}
			p += 2
		}
	}
	for ; p < end; p++ {
		switch d[p] {
		case s.quote:
			return p, sound
		case s.escape:
			if p++; p < end && d[p] != s.quote && d[p] != s.escape {
				return p - 1, flawEscape
			}
		}
	}
	return end, flawOpen
}

// appendUnescaped appends the text that a quoted field holds, whose first escape is at text[at].
func (s *syntax) appendUnescaped(dst, text []byte, at int) []byte {
	for at >= 0 {
		dst = append(dst, text[:at]...)
		dst = append(dst, text[at+1]) // the flawless have something behind an escape
		text = text[at+2:]
		at = bytes.IndexByte(text, s.escape)
	}
	return append(dst, text...)
}

// trimEnd returns the end of a record without the line end that stands there, if any.
func trimEnd(d []byte, start, end int) int {
	if end > start && d[end-1] == '\n' {
		end--
		if end > start && d[end-1] == '\r' {
			end--
		}
	}
	return end
}
