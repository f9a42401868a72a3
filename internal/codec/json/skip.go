package jsonrec

// skipScalar validates a value that is not an object or array; p is before end.
func skipScalar(d []byte, p, end int) (int, flaw) {
	switch c := d[p]; c {
	case '"':
		q, _, f := scanString(d, p+1, end)
		if f != sound {
			return q, f
		}
		return q + 1, sound
	case 't':
		return scanWord(d, p, end, "true")
	case 'f':
		return scanWord(d, p, end, "false")
	case 'n':
		return scanWord(d, p, end, "null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return scanNumber(d, p, end)
	}
	return p, flawValue
}

// skipValue validates the value at p, which lies within depth levels, and returns the offset behind it. Open objects
// and arrays are bits of a fixed stack, so a deep record costs no memory.
func skipValue(d []byte, p, end, depth int) (int, flaw) {
	if p >= end {
		return end, flawEnds
	}
	if c := d[p]; c != '{' && c != '[' {
		return skipScalar(d, p, end)
	}
	var objects [(depthMax + 64) / 64]uint64 // bit level: that level is an object
	level := depth
	var f flaw
value:
	p = skipSpace(d, p, end)
	if p >= end {
		return end, flawEnds
	}
	switch d[p] {
	case '{':
		if level == depthMax {
			return p, flawDepth
		}
		level++
		objects[level>>6] |= 1 << (level & 63)
		p = skipSpace(d, p+1, end)
		if p < end && d[p] == '}' {
			p++
			goto close
		}
		goto name
	case '[':
		if level == depthMax {
			return p, flawDepth
		}
		level++
		objects[level>>6] &^= 1 << (level & 63)
		p = skipSpace(d, p+1, end)
		if p < end && d[p] == ']' {
			p++
			goto close
		}
		goto value
	}
	if p, f = skipScalar(d, p, end); f != sound {
		return p, f
	}
behind: // behind a value within a level
	p = skipSpace(d, p, end)
	if p >= end {
		return end, flawEnds
	}
	if objects[level>>6]&(1<<(level&63)) != 0 {
		switch d[p] {
		case ',':
			p = skipSpace(d, p+1, end)
			if p < end && d[p] == '}' {
				return p, flawTrailingComma
			}
			goto name
		case '}':
			p++
			goto close
		}
		return p, flawMember
	}
	switch d[p] {
	case ',':
		p = skipSpace(d, p+1, end)
		if p < end && d[p] == ']' {
			return p, flawTrailingComma
		}
		goto value
	case ']':
		p++
		goto close
	}
	return p, flawElement
name:
	if _, _, p, f = scanName(d, p, end); f != sound {
		return p, f
	}
	goto value
close:
	level--
	if level == depth {
		return p, sound
	}
	goto behind
}

// scanName reads a member's name at p and the colon. It returns the offset of the name's closing quote, its flags, and
// the offset of the value.
func scanName(d []byte, p, end int) (q int, flags textFlags, value int, f flaw) {
	if p >= end {
		return 0, 0, end, flawEnds
	}
	if d[p] != '"' {
		return 0, 0, p, flawName
	}
	q, flags, f = scanString(d, p+1, end)
	if f != sound {
		return q, flags, q, f
	}
	p = skipSpace(d, q+1, end)
	if p >= end {
		return q, flags, end, flawEnds
	}
	if d[p] != ':' {
		return q, flags, p, flawColon
	}
	return q, flags, skipSpace(d, p+1, end), sound
}
