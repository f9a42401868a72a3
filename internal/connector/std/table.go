package std

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"ubik/internal/vec"
)

// gap is what stands between columns.
const gap = "  "

// table lays out rows in aligned columns. Widths fit the first block and only grow; no row is held.
type table struct {
	fields []vec.Field
	widths []int // in characters
	rows   int
	headed bool

	text []byte // the cells of a block, one behind the other
	ends []int  // the end of each cell in text, row by row; a row that is no object of our form is one cell
	lens []int  // the cells of each row
}

func newTable(fields []vec.Field) *table {
	return &table{fields: fields, widths: make([]int, len(fields))}
}

// appendBlock lays out a block: JSON objects, each with a newline behind it.
func (t *table) appendBlock(dst, block []byte) []byte {
	t.text, t.ends, t.lens = t.text[:0], t.ends[:0], t.lens[:0]
	for len(block) > 0 {
		n := bytes.IndexByte(block, '\n')
		t.addRow(block[:n])
		block = block[n+1:]
	}
	dst = t.appendHead(dst)
	from, cell := 0, 0
	for _, n := range t.lens {
		for c := range n {
			to := t.ends[cell]
			if n == len(t.fields) {
				dst = t.appendCell(dst, t.text[from:to], c)
			} else {
				dst = append(dst, t.text[from:to]...)
			}
			from, cell = to, cell+1
		}
		dst = append(dst, '\n')
	}
	t.rows += len(t.lens)
	return dst
}

// addRow takes the values of one object by their order, which is that of the fields.
func (t *table) addRow(row []byte) {
	text, ends := len(t.text), len(t.ends)
	s := scanner{in: row}
	for s.next() {
		t.text = s.appendText(t.text)
		t.ends = append(t.ends, len(t.text))
	}
	if !s.done() || len(t.ends)-ends != len(t.fields) {
		// Not what our encoder writes; shown rather than hidden.
		t.text = appendPrintable(t.text[:text], string(row))
		t.ends = append(t.ends[:ends], len(t.text))
		t.lens = append(t.lens, 1)
		return
	}
	t.lens = append(t.lens, len(t.fields))
	for c := range t.fields {
		from := text
		if c > 0 {
			from = t.ends[ends+c-1]
		}
		t.widths[c] = max(t.widths[c], utf8.RuneCount(t.text[from:t.ends[ends+c]]))
	}
}

// appendHead writes the names and a rule below them, once.
func (t *table) appendHead(dst []byte) []byte {
	if t.headed {
		return dst
	}
	t.headed = true
	for c, f := range t.fields {
		t.widths[c] = max(t.widths[c], utf8.RuneCount(appendPrintable(nil, f.Name)))
	}
	for c, f := range t.fields {
		dst = t.appendCell(dst, appendPrintable(nil, f.Name), c)
	}
	dst = append(dst, '\n')
	for c := range t.fields {
		if c > 0 {
			dst = append(dst, gap...)
		}
		dst = append(dst, bytes.Repeat([]byte{'-'}, t.widths[c])...)
	}
	return append(dst, '\n')
}

// appendCell writes a cell of column c: numbers to the right, and no spaces at the end of the line.
func (t *table) appendCell(dst, text []byte, c int) []byte {
	if c > 0 {
		dst = append(dst, gap...)
	}
	pad := max(0, t.widths[c]-utf8.RuneCount(text))
	right := t.fields[c].Type.IsNumeric()
	if right {
		dst = appendSpaces(dst, pad)
	}
	dst = append(dst, text...)
	if !right && c < len(t.fields)-1 {
		dst = appendSpaces(dst, pad)
	}
	return dst
}

func appendSpaces(dst []byte, n int) []byte {
	dst = slices.Grow(dst, n)
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}

// appendEnd writes the number of rows, and the head if there were none.
func (t *table) appendEnd(dst []byte) []byte {
	dst = append(t.appendHead(dst), '(')
	dst = strconv.AppendInt(dst, int64(t.rows), 10)
	if t.rows == 1 {
		return append(dst, " row)\n"...)
	}
	return append(dst, " rows)\n"...)
}
