// Package rawrec is the raw record format: a record is one value, its bytes as they are. It is for logs that no other
// format reads, whose parts a query takes out itself:
//
//	SELECT regexp_extract(_value, 'status=(\d+)', 1) AS status, count(*) AS n FROM access GROUP BY status
//
// The one column is _value, a VARCHAR, of which a record that is not UTF-8 is malformed, or a BLOB, of which none is.
// Writing gives the text of the one output column as it is. It reads back as the same row only where the sink keeps
// records apart: in a file a line end in a text ends the record.
package rawrec

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"ubik/internal/codec"
	jsonrec "ubik/internal/codec/json"
	"ubik/internal/jsontext"
	"ubik/internal/vec"
)

// Column is the name of the only column.
const Column = "_value"

// Format is the raw format. What its decoder and encoder are made for must have passed Check and CheckOutput. Each may
// be used by one goroutine at a time.
var Format = codec.Format{
	Name:       "raw",
	Doc:        "the record's bytes as they are: one column, _value, a VARCHAR (UTF-8) or a BLOB",
	NewDecoder: newDecoder,
	NewEncoder: newEncoder,
}

// Check returns why a raw record cannot be read into the columns.
func Check(cols []codec.Column) error {
	for _, c := range cols {
		if len(c.Path) != 1 || c.Path[0] != Column {
			return fmt.Errorf("%s: a raw record has one column, %s; take parts of it as with regexp_extract(%s, …)", strings.Join(c.Path, "."), Column, Column)
		}
		if !isText(c.Type.Kind) {
			return fmt.Errorf("%s: a raw record is VARCHAR or BLOB, not %s; cast it in the query", Column, c.Type)
		}
	}
	return nil
}

// CheckOutput returns why rows of the fields cannot be written raw.
func CheckOutput(fields []vec.Field) error {
	if len(fields) != 1 {
		return errors.New("raw output takes one column, the query has " + strconv.Itoa(len(fields)) + "; select one text, as with concat(…)")
	}
	if !isText(fields[0].Type.Kind) {
		return fmt.Errorf("%s: raw output takes a VARCHAR or BLOB, not %s; cast it to VARCHAR", fields[0].Name, fields[0].Type)
	}
	return nil
}

func isText(k vec.Kind) bool { return k == vec.Varchar || k == vec.Blob }

type decoder []bool // of each column: its text must be UTF-8

func newDecoder(cols []codec.Column) codec.Decoder {
	if err := Check(cols); err != nil {
		panic("raw: " + err.Error())
	}
	dec := make(decoder, len(cols))
	for i, c := range cols {
		dec[i] = c.Type.Kind == vec.Varchar
	}
	return dec
}

// Decode implements codec.Decoder.
func (dec decoder) Decode(r *codec.Records, out *vec.Batch, bad []codec.Malformed) []codec.Malformed {
	out.Resize(len(r.Spans))
	checked := false
	for i, text := range dec {
		out.Cols[i].Arena = r.Data
		copy(out.Cols[i].Spans, r.Spans)
		checked = checked || text
	}
	for row, span := range r.Spans {
		field, reason := "", ""
		switch {
		case span.Len == codec.HugeLen:
			reason = "larger than --max-record permits"
		case span.Len == codec.NullLen:
			reason = "no value (tombstone)"
		case span.Len == 0:
			reason = "empty"
		case checked:
			if rec := r.Data[span.Off : span.Off+span.Len]; !utf8.Valid(rec) {
				field, reason = Column, invalid(rec)
			}
		}
		if reason != "" {
			bad = append(bad, codec.Malformed{Row: int32(row), Field: field, Reason: reason})
		}
	}
	return bad
}

// invalid words the first byte that is not UTF-8; there is one.
func invalid(rec []byte) string {
	at := jsontext.FirstInvalid(rec, 0)
	return "byte " + strconv.Itoa(at) + ": invalid UTF-8, at " + jsonrec.Excerpt(rec[at:]) + "; declare " + Column + " BLOB to read any bytes"
}

type encoder struct{}

func newEncoder(fields []vec.Field) codec.Encoder {
	if err := CheckOutput(fields); err != nil {
		panic("raw: " + err.Error())
	}
	return encoder{}
}

// AppendRows implements codec.Encoder. NULL is written as nothing.
func (encoder) AppendRows(dst []byte, ends []uint32, b *vec.Batch, sel []int32) ([]byte, []uint32) {
	v := b.Cols[0]
	for row := range codec.Rows(b.N, sel) {
		if !v.IsNull(row) {
			dst = append(dst, v.Bytes(row)...)
		}
		ends = append(ends, uint32(len(dst)))
	}
	return dst, ends
}
