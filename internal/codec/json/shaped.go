package jsonrec

import (
	"ubik/internal/jsontext"
	"ubik/internal/vec"
)

// readShaped reads the record at p if it has a known shape and nothing is wrong with its values. On false, which is
// never a verdict, the row is half built and the general parser must read the record.
//
// The steps here take the usual spelling of a value and hand any other to the general parser's own functions, so there
// is one place for each rule.
func (dec *decoder) readShaped(p int) bool {
	s := &dec.shapes
	d, end, row := dec.data, dec.end, dec.row
	dec.reason = ""
	for i := s.first; i >= 0; {
		e := &s.edges[i]
		if p+wordSlack > len(d) {
			return false
		}
		if (jsontext.Load8(d, p)^e.w0)&e.m0|(jsontext.Load8(d, p+8)^e.w1)&e.m1 != 0 || e.size > 16 && !s.restAt(e, d, p) {
			i = e.alt
			continue
		}
		p += e.size
		if p+wordSlack > len(d) { // also for the first word of the value
			return false
		}
		q := -1
		switch e.op {
		case opSkip:
			if d[p] == '"' {
				q = plainText(d, p+1, end) + 1
			} else {
				q = plainNumber(d, p)
			}
		case opText:
			if d[p] == '"' {
				if q = plainText(d, p+1, end); q >= 0 {
					dec.out[e.col].Spans[row] = vec.Span{Off: uint32(p + 1), Len: uint32(q - p - 1)}
				}
				q++
			}
		case opInt:
			var x int64
			if x, q = plainInt(d, p); q > 0 {
				if c := &dec.cols[e.col]; x < c.min || x > c.max {
					return false
				}
				dec.out[e.col].I64[row] = x
			}
		case opDecimal:
			t := &dec.cols[e.col].typ
			var x int64
			if x, q = plainDecimal(d, p, int(t.Precision), int(t.Scale)); q > 0 {
				dec.out[e.col].I64[row] = x
			}
		case opTime:
			if d[p] == '"' {
				if q = plainText(d, p+1, end); q >= 0 {
					t, ok := dec.minutes.parse(d[p+1 : q])
					if !ok {
						q = -1
					}
					dec.out[e.col].I64[row] = t
				}
				q++
			}
		case opEnd:
			return dec.endShaped(e, p)
		}
		if q <= 0 {
			var f jsontext.Flaw
			if e.node == nil {
				q, f = jsontext.SkipValue(d, p, end, e.depth)
			} else if q, f = dec.readValue(e.node, p, e.depth); dec.reason != "" {
				return false
			}
			if f != jsontext.Sound {
				return false
			}
			d = dec.data
		}
		p = q
		i = e.next
	}
	return false
}

func (dec *decoder) endShaped(e *edge, p int) bool {
	if p != dec.end {
		return false
	}
	s := &dec.shapes
	s.hits++
	for _, i := range s.nulls[e.nulls.from:e.nulls.to] {
		dec.out[i].SetNull(dec.row)
	}
	return true
}

// restAt reports whether the bytes of a long edge behind its first 16 stand at their place.
func (s *shapes) restAt(e *edge, d []byte, p int) bool {
	return len(d)-p >= e.size && string(d[p+16:p+e.size]) == string(s.bytes[e.rest.from:e.rest.to])
}

// plainText returns the offset of the quote that closes the string whose text begins at p, or −1 if the string has
// anything but printable ASCII without backslashes in it, or does not end in time.
func plainText(d []byte, p, end int) int {
	for p < end && p+8 <= len(d) {
		w := jsontext.Load8(d, p)
		if m := jsontext.PlainMarks(w); m != 0 {
			p += jsontext.FirstMark(m)
			if d[p] == '"' && p < end {
				return p
			}
			return -1
		}
		p += 8
	}
	return -1
}

// The plain numbers have no exponent and no leading zero; plainInt at most 15 digits, plainDecimal at most seven on
// either side of the point. They return the offset behind the number, or −1. None of them cares for the end of the
// record: a number that runs beyond it makes the record miss its end. d has at least wordSlack bytes from p on.

func plainNumber(d []byte, p int) int {
	if d[p] == '-' {
		p++
	}
	w := jsontext.Load8(d, p)
	n := jsontext.DigitRun(w)
	if n == 0 || n > 1 && byte(w) == '0' {
		return -1
	}
	p += n
	if n == 8 {
		p = jsontext.SkipDigits(d, p)
	}
	if p+9 > len(d) {
		return -1
	}
	c := d[p]
	if c == '.' {
		n = jsontext.DigitRun(jsontext.Load8(d, p+1))
		if n == 0 {
			return -1
		}
		p += n + 1
		if n == 8 {
			p = jsontext.SkipDigits(d, p)
		}
		if p >= len(d) {
			return -1
		}
		c = d[p]
	}
	if c == '.' || c|0x20 == 'e' {
		return -1
	}
	return p
}

func plainInt(d []byte, p int) (int64, int) {
	neg := d[p] == '-'
	if neg {
		p++
	}
	w := jsontext.Load8(d, p)
	n := jsontext.DigitRun(w)
	if n == 0 || n > 1 && byte(w) == '0' {
		return 0, -1
	}
	x := int64(digitsValue(w, n))
	p += n
	if n == 8 {
		if p+8 > len(d) {
			return 0, -1
		}
		w = jsontext.Load8(d, p)
		if n = jsontext.DigitRun(w); n == 8 {
			return 0, -1
		}
		if n > 0 {
			x = x*pow10[n] + int64(digitsValue(w, n))
			p += n
		}
	}
	if c := d[p]; c == '.' || c|0x20 == 'e' {
		return 0, -1
	}
	if neg {
		x = -x
	}
	return x, p
}

func plainDecimal(d []byte, p, precision, scale int) (int64, int) {
	neg := d[p] == '-'
	if neg {
		p++
	}
	w := jsontext.Load8(d, p)
	n := jsontext.DigitRun(w)
	if n == 0 || n == 8 || n > precision-scale || n > 1 && byte(w) == '0' {
		return 0, -1
	}
	x := int64(digitsValue(w, n))
	p += n
	c := d[p]
	if c == '.' {
		if p+9 > len(d) {
			return 0, -1
		}
		w = jsontext.Load8(d, p+1)
		n = jsontext.DigitRun(w)
		if n == 0 || n == 8 || n > scale {
			return 0, -1
		}
		x = x*pow10[n] + int64(digitsValue(w, n))
		p += n + 1
		c = d[p]
		scale -= n
	}
	if c == '.' || c|0x20 == 'e' {
		return 0, -1
	}
	x *= pow10[scale]
	if neg {
		x = -x
	}
	return x, p
}
