package jsonrec

import (
	"ubik/internal/codec"
	"ubik/internal/jsontext"
	"ubik/internal/vec"
)

// decoder reads records into columns. It is the codec.Decoder of the format.
type decoder struct {
	cols   []column
	root   *node
	leaves []*node // the nodes at which columns end
	texts  []int   // the columns that point into the chunk

	// The chunk in hand.
	data []byte // grows by unescaped text
	out  []*vec.Vector

	// The record in hand.
	row    int
	number uint64 // counts the records that the general parser reads; a node compares it with its marks
	end    int    // the offset in data behind the record
	field  string // the first value error: the column, and
	reason string // what is wrong; "" for none

	shapes  shapes
	slots   []slot // the values of the record in hand, in order
	behind  int    // the offset behind the last slot
	plain   bool   // the record can be described by slots alone
	minutes minuteCache
	name    []byte // an unescaped name
	text    []byte // unescaped text on its way to a cast
	whole   jsontext.Whole
}

func newDecoder(cols []codec.Column) *decoder {
	dec := &decoder{}
	dec.cols, dec.root = newColumns(cols)
	var walk func(n *node)
	walk = func(n *node) {
		if len(n.cols) > 0 {
			dec.leaves = append(dec.leaves, n)
		}
		for _, c := range n.children {
			walk(c)
		}
	}
	walk(dec.root)
	for i, c := range cols {
		if c.Type.Phys() == vec.PhysBytes {
			dec.texts = append(dec.texts, i)
		}
	}
	dec.shapes.reset()
	return dec
}

// Decode implements codec.Decoder.
func (dec *decoder) Decode(r *codec.Records, out *vec.Batch, bad []codec.Malformed) []codec.Malformed {
	out.Resize(len(r.Spans))
	dec.data, dec.out = r.Data, out.Cols
	for row, span := range r.Spans {
		if span.Len >= codec.HugeLen {
			reason := "larger than --max-record permits"
			if span.Len == codec.NullLen {
				reason = "no value (tombstone)"
			}
			bad = append(bad, codec.Malformed{Row: int32(row), Reason: reason})
			continue
		}
		dec.row = row
		dec.end = int(span.Off) + int(span.Len)
		// A known shape is read by words of eight bytes, which may reach beyond the record but not beyond the chunk.
		if dec.end+wordSlack <= len(dec.data) && dec.shapes.first >= 0 {
			size := len(dec.data)
			if dec.readShaped(int(span.Off)) {
				continue
			}
			// Undo it, so that the general parser starts as if nothing had been tried.
			dec.data = dec.data[:size]
			for _, v := range dec.out {
				v.ClearNull(row)
			}
		}
		field, reason := dec.readRecord(int(span.Off))
		if reason != "" {
			bad = append(bad, codec.Malformed{Row: int32(row), Field: field, Reason: reason})
		}
	}
	r.Data = dec.data
	for _, i := range dec.texts {
		out.Cols[i].Arena = r.Data
	}
	dec.data, dec.out = nil, nil
	return bad
}

// fail notes a value error of column c, unless there is one already.
func (dec *decoder) fail(field, reason string) {
	if dec.reason == "" {
		dec.field, dec.reason = field, reason
	}
}
