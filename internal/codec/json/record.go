package jsonrec

import "ubik/internal/jsontext"

// The general parser: recursive along the paths that columns need, flat over everything else. While it reads, it notes
// the slots of the record, from which a shape is learned.

// readRecord reads the record at start and returns what is wrong with it; reason is "" for a row. A flaw is told
// before a value error, since the values of what is not JSON mean little.
func (dec *decoder) readRecord(start int) (field, reason string) {
	dec.number++
	dec.field, dec.reason = "", ""
	dec.slots = dec.slots[:0]
	dec.behind = start
	dec.plain = true
	if start == dec.end {
		return "", "empty"
	}
	p, f := dec.readTop(start)
	if f != jsontext.Sound {
		return "", syntaxReason(f, dec.data[start:dec.end], p-start)
	}
	if dec.reason != "" {
		return dec.field, dec.reason
	}
	for _, n := range dec.leaves {
		if n.seen != dec.number {
			dec.setNull(n)
		}
	}
	if dec.plain {
		dec.shapes.learn(dec)
	}
	return "", ""
}

func (dec *decoder) readTop(start int) (int, jsontext.Flaw) {
	p := jsontext.SkipSpace(dec.data, start, dec.end)
	if p == dec.end {
		return p, jsontext.FlawEmpty
	}
	top := p
	var f jsontext.Flaw
	if dec.data[p] == '{' {
		dec.root.seen = dec.number
		p, f = dec.readObject(dec.root, p+1, 1)
		if f == jsontext.Sound && len(dec.root.cols) > 0 {
			dec.storeRaw(dec.root, top, p)
			dec.plain = false
		}
	} else if p, f = jsontext.SkipValue(dec.data, p, dec.end, 0); f == jsontext.Sound {
		dec.fail("", "the record is "+kindOf(dec.data[top])+", not an object")
	}
	if f != jsontext.Sound {
		return p, f
	}
	if p = jsontext.SkipSpace(dec.data, p, dec.end); p < dec.end {
		return p, jsontext.FlawBehind
	}
	return p, jsontext.Sound
}

// readObject reads the members of the object of node n from behind its opening brace, at a depth of that many levels.
func (dec *decoder) readObject(n *node, p, depth int) (int, jsontext.Flaw) {
	end := dec.end
	p = jsontext.SkipSpace(dec.data, p, end)
	if p < end && dec.data[p] == '}' {
		return p + 1, jsontext.Sound
	}
	for {
		d := dec.data
		q, flags, value, f := jsontext.ScanName(d, p, end)
		if f != jsontext.Sound {
			return value, f
		}
		name := d[p+1 : q]
		if flags&jsontext.Escaped != 0 {
			dec.name = jsontext.AppendUnescaped(dec.name[:0], name)
			name = dec.name
		}
		if c := n.find(name); c == nil {
			p, f = jsontext.SkipValue(d, value, end, depth)
			dec.note(nil, value, p, depth)
		} else {
			if c.seen == dec.number {
				dec.fail(c.field, quoted([]byte(c.name))+" occurs twice")
			}
			c.seen = dec.number
			p, f = dec.readMember(c, value, depth)
		}
		if f != jsontext.Sound {
			return p, f
		}
		d = dec.data
		p = jsontext.SkipSpace(d, p, end)
		if p >= end {
			return end, jsontext.FlawEnds
		}
		if d[p] == '}' {
			return p + 1, jsontext.Sound
		}
		if d[p] != ',' {
			return p, jsontext.FlawMember
		}
		p = jsontext.SkipSpace(d, p+1, end)
		if p < end && d[p] == '}' {
			return p, jsontext.FlawTrailingComma
		}
	}
}

// readMember reads the value at p of node c, a member of an object at that depth.
func (dec *decoder) readMember(c *node, p, depth int) (int, jsontext.Flaw) {
	if len(c.children) == 0 {
		q, f := dec.readValue(c, p, depth)
		dec.note(c, p, q, depth)
		return q, f
	}
	if p >= dec.end {
		return p, jsontext.FlawEnds
	}
	var q int
	var f jsontext.Flaw
	switch dec.data[p] {
	case '{':
		if depth == jsontext.DepthMax {
			return p, jsontext.FlawDepth
		}
		if q, f = dec.readObject(c, p+1, depth+1); f != jsontext.Sound {
			return q, f
		}
		if len(c.cols) > 0 {
			dec.storeRaw(c, p, q)
			dec.plain = false
		}
	case 'n':
		// The word is no slot but part of the shape: only it means that the columns below are NULL.
		if q, f = jsontext.ScanWord(dec.data, p, dec.end, "null"); f == jsontext.Sound {
			dec.setNull(c)
		}
	default:
		if q, f = jsontext.SkipValue(dec.data, p, dec.end, depth); f == jsontext.Sound {
			dec.fail(c.field, Excerpt(dec.data[p:q])+" is "+kindOf(dec.data[p])+", not an object")
		}
	}
	return q, f
}

// note makes the value between p and q a slot.
func (dec *decoder) note(n *node, p, q, depth int) {
	dec.slots = append(dec.slots, slot{dec.behind, p, n, depth})
	dec.behind = q
	if n != nil {
		n.built = dec.number
	}
}

func (dec *decoder) setNull(n *node) {
	for _, i := range n.cols {
		dec.out[i].SetNull(dec.row)
	}
}

// kindOf names the kind of the valid value that begins with c.
func kindOf(c byte) string {
	switch c {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
