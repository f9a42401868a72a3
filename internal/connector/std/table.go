package std

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"ubik/internal/screen"
	"ubik/internal/vec"
)

const (
	gap     = "  "    // between columns
	cellMax = 60      // columns of a cell; what is longer is cut, numbers never are
	rowsMax = 1000    // rows that decide the widths, unless they are large:
	heldMax = 1 << 20 // bytes of their text
	manyMax = 1 << 16 // cells
)

// table lays out rows in aligned columns, as a stream. The first rows are held until their widths are taken for good,
// which settles the table; then the head is written, once: a terminal scrolls back, and a head in the middle would be taken
// for a row. A later value that is wider makes its row longer and moves only what stands behind it.
//
//	held rows ≤ rowsMax, held text ≤ heldMax, held cells ≤ manyMax, and one row; nothing is held between two calls once the table is settled
type table struct {
	fields  []vec.Field
	colours bool
	widths  []int // in columns
	settled bool
	rows    int
	cut     int // values that were cut

	text  []byte // the cells that are held, one behind the other
	cells []cell // row by row; a row that is no object of our form is one cell
	lens  []int  // the cells of each row
}

type cell struct {
	end     int // in text
	columns int
	null    bool
}

func newTable(fields []vec.Field, colours bool) *table {
	t := &table{fields: fields, colours: colours}
	for _, f := range fields {
		t.widths = append(t.widths, screen.Width(screen.AppendPrintable(nil, f.Name)))
	}
	return t
}

// add takes a row: a JSON object whose members are in the order of the fields.
func (t *table) add(row []byte) {
	text, cells, cut := len(t.text), len(t.cells), t.cut
	s := scanner{in: row}
	for s.next() {
		value, null := s.text()
		t.addCell(value, null, len(t.cells)-cells)
	}
	if !s.done() || len(t.cells)-cells != len(t.fields) {
		// Not what our encoder writes; shown rather than hidden.
		t.text = screen.AppendPrintable(t.text[:text], string(row))
		t.cells = append(t.cells[:cells], cell{end: len(t.text)})
		t.lens, t.cut = append(t.lens, 1), cut
		return
	}
	t.lens = append(t.lens, len(t.fields))
	if !t.settled {
		for c := range t.fields {
			t.widths[c] = max(t.widths[c], t.cells[cells+c].columns)
		}
	}
}

func (t *table) addCell(value string, null bool, c int) {
	c1 := cell{null: null}
	if c < len(t.fields) && t.fields[c].Type.IsNumeric() {
		from := len(t.text)
		t.text = screen.AppendPrintable(t.text, value)
		c1.columns = screen.Width(t.text[from:])
	} else {
		var cut bool
		if t.text, c1.columns, cut = screen.AppendCut(t.text, value, cellMax); cut {
			t.cut++
		}
	}
	c1.end = len(t.text)
	t.cells = append(t.cells, c1)
}

// holds reports whether there are rows that were not laid out, full whether these are enough to settle the table.
func (t *table) holds() bool { return len(t.lens) > 0 }
func (t *table) full() bool {
	return len(t.lens) >= rowsMax || len(t.text) >= heldMax || len(t.cells) >= manyMax
}

// appendHeld settles the table and lays out what is held.
func (t *table) appendHeld(dst []byte) []byte {
	dst = t.appendHead(dst)
	from, at := 0, 0
	for _, n := range t.lens {
		for c := range n {
			k := t.cells[at]
			if n == len(t.fields) {
				dst = t.appendCell(dst, t.text[from:k.end], k, c)
			} else {
				dst = append(dst, t.text[from:k.end]...)
			}
			from, at = k.end, at+1
		}
		dst = append(dst, '\n')
	}
	t.rows += len(t.lens)
	t.text, t.cells, t.lens = t.text[:0], t.cells[:0], t.lens[:0]
	return dst
}

// appendHead writes the names and a rule below them, once.
func (t *table) appendHead(dst []byte) []byte {
	if t.settled {
		return dst
	}
	t.settled = true
	for c, f := range t.fields {
		name := screen.AppendPrintable(nil, f.Name)
		dst = t.appendCell(dst, name, cell{columns: screen.Width(name)}, c)
	}
	dst = append(dst, '\n')
	dst = t.appendIn(dst, screen.Dim)
	for c := range t.fields {
		if c > 0 {
			dst = append(dst, gap...)
		}
		dst = append(dst, bytes.Repeat([]byte{'-'}, t.widths[c])...)
	}
	return append(t.appendIn(dst, screen.Plain), '\n')
}

// appendCell writes a cell of column c: numbers to the right, and no spaces at the end of the line.
func (t *table) appendCell(dst, text []byte, k cell, c int) []byte {
	if c > 0 {
		dst = append(dst, gap...)
	}
	pad := max(0, t.widths[c]-k.columns)
	right := t.fields[c].Type.IsNumeric()
	if right {
		dst = appendSpaces(dst, pad)
	}
	if k.null {
		dst = append(t.appendIn(dst, screen.Dim), text...)
		dst = t.appendIn(dst, screen.Plain)
	} else {
		dst = append(dst, text...)
	}
	if !right && c < len(t.fields)-1 {
		dst = appendSpaces(dst, pad)
	}
	return dst
}

// appendIn changes how what follows looks, where there are colours.
func (t *table) appendIn(dst []byte, attribute string) []byte {
	if !t.colours {
		return dst
	}
	return append(dst, attribute...)
}

func appendSpaces(dst []byte, n int) []byte {
	dst = slices.Grow(dst, n)
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}

// appendEnd writes the number of rows, the head if there were none, and what is to be done about values that were cut.
func (t *table) appendEnd(dst []byte) []byte {
	dst = append(t.appendHead(dst), '(')
	dst = appendCount(dst, t.rows, "row")
	if t.cut > 0 {
		dst = append(dst, "; "...)
		dst = appendCount(dst, t.cut, "value")
		dst = fmt.Appendf(dst, " cut to %d columns: write to a file or a pipe to have them whole", cellMax)
	}
	return append(dst, ")\n"...)
}

func appendCount(dst []byte, n int, what string) []byte {
	dst = strconv.AppendInt(dst, int64(n), 10)
	dst = append(append(dst, ' '), what...)
	if n != 1 {
		dst = append(dst, 's')
	}
	return dst
}
