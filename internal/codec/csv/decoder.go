package csvrec

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"ubik/internal/codec"
	"ubik/internal/jsontext"
	"ubik/internal/vec"
)

// decoder reads records into columns. It is the codec.Decoder of the format.
type decoder struct {
	syntax
	null  string
	names []string
	cols  []column // in the order of the record's fields
	texts []int    // the columns that point into the chunk
	ends  []uint32 // the offsets behind the fields of the record in hand, one for each name
	text  []byte   // unescaped text on its way to a cast

	// The chunk in hand.
	data []byte // grows by unescaped text
	out  []*vec.Vector
}

// column is a column to build.
type column struct {
	field int // of the record
	out   int // of the batch
	typ   vec.Type
	lo,
	hi int64 // integer types up to BIGINT: their range
	strict bool
}

// newDecoder returns a decoder for columns that Check has passed. It panics on others.
func newDecoder(d Dialect, cols []codec.Column) *decoder {
	if err := Check(d, cols); err != nil {
		panic("csv: " + err.Error())
	}
	dec := &decoder{syntax: newSyntax(d), null: d.Null, names: d.Names, ends: make([]uint32, len(d.Names))}
	at := fieldsByName(d.Names)
	for i, c := range cols {
		made := column{field: at[c.Path[0]], out: i, typ: c.Type, strict: c.Strict}
		switch c.Type.Kind {
		case vec.Int8:
			made.lo, made.hi = -1<<7, 1<<7-1
		case vec.Int16:
			made.lo, made.hi = -1<<15, 1<<15-1
		case vec.Int32:
			made.lo, made.hi = -1<<31, 1<<31-1
		case vec.Int64:
			made.lo, made.hi = -1<<63, 1<<63-1
		}
		dec.cols = append(dec.cols, made)
		if c.Type.Phys() == vec.PhysBytes {
			dec.texts = append(dec.texts, i)
		}
	}
	slices.SortStableFunc(dec.cols, func(a, b column) int { return a.field - b.field })
	return dec
}

// Decode implements codec.Decoder.
func (dec *decoder) Decode(r *codec.Records, out *vec.Batch, bad []codec.Malformed) []codec.Malformed {
	out.Resize(len(r.Spans))
	dec.data, dec.out = r.Data, out.Cols
	for row, span := range r.Spans {
		var field, reason string
		switch span.Len {
		case codec.HugeLen:
			if reason = "larger than --max-record permits"; dec.quotes {
				reason += "; a quote at the beginning of a field that is not closed makes a record of the lines behind it"
			}
		case codec.NullLen:
			reason = "no value (tombstone)"
		default:
			field, reason = dec.read(row, int(span.Off), int(span.Off)+int(span.Len))
		}
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

// read reads the record and returns what is wrong with it; reason is "" for a row. Quoting is told first, then the
// number of fields, then the encoding, then the first field that is no value of its column.
func (dec *decoder) read(row, start, end int) (field, reason string) {
	d := dec.data
	end = trimEnd(d, start, end)
	if start == end {
		return "", "empty"
	}
	rec := d[start:end]
	var n, at int
	wide := true
	f := sound
	if dec.quotes && bytes.IndexByte(rec, dec.quote) >= 0 {
		n, at, f = dec.split(d, start, end, dec.ends)
	} else if at = firstBreak(rec); at >= 0 {
		n, at, f = bytes.Count(rec[:at], []byte{dec.delimiter}), start+at, flawBreak
	} else {
		n, wide = dec.splitPlain(d, start, end, dec.ends)
	}
	switch {
	case f != sound:
		return dec.fieldName(n), flawReason(f, rec, at-start) + dec.spanned(rec)
	case n != len(dec.names):
		return "", countReason(n, len(dec.names)) + dec.spanned(rec)
	case wide && !utf8.Valid(rec):
		return dec.badText(start, end)
	}
	for i := range dec.cols {
		c := &dec.cols[i]
		from := start
		if c.field > 0 {
			from = int(dec.ends[c.field-1]) + 1
		}
		if reason := dec.store(c, row, from, int(dec.ends[c.field])); reason != "" {
			return dec.names[c.field], reason
		}
	}
	return "", ""
}

// spanned says of a malformed record of several lines how far it goes, and where the quotes open within which the first
// line end is: that quote may have been meant for text.
func (dec *decoder) spanned(rec []byte) string {
	feeds := bytes.Count(rec, []byte{'\n'})
	if feeds == 0 || !dec.quotes {
		return ""
	}
	for p := 0; p < len(rec); {
		q, f := dec.field(rec, p, len(rec))
		if q > p && rec[p] == dec.quote && bytes.IndexByte(rec[p:q], '\n') >= 0 {
			return fmt.Sprintf("; the record has %d lines, by a quote that opens at byte %d", feeds+1, p)
		}
		if f != sound {
			break
		}
		p = q + 1
	}
	return ""
}

// firstBreak returns the offset of the first line end, −1 without one.
func firstBreak(rec []byte) int {
	feed := bytes.IndexByte(rec, '\n')
	if feed >= 0 {
		rec = rec[:feed]
	}
	if ret := bytes.IndexByte(rec, '\r'); ret >= 0 {
		return ret
	}
	return feed
}

// badText finds the field of the first byte that is not UTF-8.
func (dec *decoder) badText(start, end int) (field, reason string) {
	at := jsontext.FirstInvalid(dec.data[:end], start)
	n := 0
	for at > int(dec.ends[n]) {
		n++
	}
	return dec.names[n], flawReason(flawUTF8, dec.data[start:end], at-start) + "; text in another encoding must be converted first, as with iconv -f LATIN1 -t UTF-8"
}

// fieldName is the name of a field, "" of one that should not be there.
func (dec *decoder) fieldName(n int) string {
	if n < len(dec.names) {
		return dec.names[n]
	}
	return ""
}
