package jsontext

import (
	"bytes"
	"slices"
)

// Whole looks through values that are used as a whole. The zero Whole is ready; it keeps its memory.
type Whole struct {
	names [][]byte // of the objects that are open, the innermost last
	opens []int    // the places in names where the open objects begin
	text  []byte   // names without their escapes
}

// fewNames is the number of names up to which comparing each with each is the fastest.
const fewNames = 12

// Look reads the valid value between p and q of d. It reports whether there is white space between its tokens, and gives
// a name that occurs twice in one of its objects, escapes resolved; nil when there is none. The name is lent until the
// next call.
func (w *Whole) Look(d []byte, p, q int) (spaced bool, twice []byte) {
	d = d[:q]
	w.names, w.opens, w.text = w.names[:0], w.opens[:0], w.text[:0]
	for p < q {
		switch c := d[p]; {
		case c == '"':
			from := p + 1
			var escaped bool
			p, escaped = behindString(d, p)
			r := p
			for r < q && d[r] <= ' ' {
				r++
			}
			if r < q && d[r] == ':' {
				name := d[from : p-1]
				if escaped {
					// Names resolved before may stay behind in the old memory when this grows.
					start := len(w.text)
					w.text = AppendUnescaped(w.text, name)
					name = w.text[start:]
				}
				w.names = append(w.names, name)
			}
			continue
		case c <= ' ':
			spaced = true
		case c == '{':
			w.opens = append(w.opens, len(w.names))
		case c == '}':
			last := len(w.opens) - 1
			from := w.opens[last]
			if twice = findTwice(w.names[from:]); twice != nil {
				return spaced, twice
			}
			w.names, w.opens = w.names[:from], w.opens[:last]
		}
		p++
	}
	return spaced, nil
}

// findTwice returns a name that occurs twice, nil if there is none. It may reorder the names.
func findTwice(names [][]byte) []byte {
	if len(names) <= fewNames {
		for i, name := range names {
			for _, other := range names[:i] {
				if bytes.Equal(name, other) {
					return name
				}
			}
		}
		return nil
	}
	slices.SortFunc(names, bytes.Compare)
	for i, name := range names[1:] {
		if bytes.Equal(name, names[i]) {
			return name
		}
	}
	return nil
}
