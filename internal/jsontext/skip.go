package jsontext

// SkipScalar validates a value that is not an object or array; p is before end.
func SkipScalar(d []byte, p, end int) (int, Flaw) {
	switch c := d[p]; c {
	case '"':
		q, _, f := ScanString(d, p+1, end)
		if f != Sound {
			return q, f
		}
		return q + 1, Sound
	case 't':
		return ScanWord(d, p, end, "true")
	case 'f':
		return ScanWord(d, p, end, "false")
	case 'n':
		return ScanWord(d, p, end, "null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return ScanNumber(d, p, end)
	}
	return p, FlawValue
}

// SkipValue validates the value at p, which lies within depth levels, and returns the offset behind it. Open objects
// and arrays are bits of a fixed stack, so a deep record costs no memory.
func SkipValue(d []byte, p, end, depth int) (int, Flaw) {
	if p >= end {
		return end, FlawEnds
	}
	if c := d[p]; c != '{' && c != '[' {
		return SkipScalar(d, p, end)
	}
	var objects [(DepthMax + 64) / 64]uint64 // bit level: that level is an object
	level := depth
	var f Flaw
value:
	p = SkipSpace(d, p, end)
	if p >= end {
		return end, FlawEnds
	}
	switch d[p] {
	case '{':
		if level == DepthMax {
			return p, FlawDepth
		}
		level++
		objects[level>>6] |= 1 << (level & 63)
		p = SkipSpace(d, p+1, end)
		if p < end && d[p] == '}' {
			p++
			goto close
		}
		goto name
	case '[':
		if level == DepthMax {
			return p, FlawDepth
		}
		level++
		objects[level>>6] &^= 1 << (level & 63)
		p = SkipSpace(d, p+1, end)
		if p < end && d[p] == ']' {
			p++
			goto close
		}
		goto value
	}
	if p, f = SkipScalar(d, p, end); f != Sound {
		return p, f
	}
behind: // behind a value within a level
	p = SkipSpace(d, p, end)
	if p >= end {
		return end, FlawEnds
	}
	if objects[level>>6]&(1<<(level&63)) != 0 {
		switch d[p] {
		case ',':
			p = SkipSpace(d, p+1, end)
			if p < end && d[p] == '}' {
				return p, FlawTrailingComma
			}
			goto name
		case '}':
			p++
			goto close
		}
		return p, FlawMember
	}
	switch d[p] {
	case ',':
		p = SkipSpace(d, p+1, end)
		if p < end && d[p] == ']' {
			return p, FlawTrailingComma
		}
		goto value
	case ']':
		p++
		goto close
	}
	return p, FlawElement
name:
	if _, _, p, f = ScanName(d, p, end); f != Sound {
		return p, f
	}
	goto value
close:
	level--
	if level == depth {
		return p, Sound
	}
	goto behind
}

// ScanName reads a member's name at p and the colon. It returns the offset of the name's closing quote, its flags, and
// the offset of the value.
func ScanName(d []byte, p, end int) (q int, flags TextFlags, value int, f Flaw) {
	if p >= end {
		return 0, 0, end, FlawEnds
	}
	if d[p] != '"' {
		return 0, 0, p, FlawName
	}
	q, flags, f = ScanString(d, p+1, end)
	if f != Sound {
		return q, flags, q, f
	}
	p = SkipSpace(d, q+1, end)
	if p >= end {
		return q, flags, end, FlawEnds
	}
	if d[p] != ':' {
		return q, flags, p, FlawColon
	}
	return q, flags, SkipSpace(d, p+1, end), Sound
}
