// Package codec holds the formats: bytes of records to columns, and rows to bytes.
//
// A format is one value in a list, with a decoder and an encoder. Decoders and encoders belong to one worker: they
// keep scratch memory and, for JSON, the learned shape of the previous record; what they return never depends on it.
package codec

import (
	"iter"

	"ubik/internal/vec"
)

// Column is a column that a decoder must produce: the value at a path of the record, cast to a type.
type Column struct {
	// Path is where the value is in the record, matched byte for byte. JSON: member names from the outside in. CSV and raw:
	// one name, that of the column.
	Path []string
	Type vec.Type // STRUCT, LIST and MAP: the value as a whole, as JSON text
	// Strict: a text that is not of the type's OwnForm is malformed, and so are in JSON a text for a number or a BOOLEAN and
	// a number for a BOOLEAN. For types that were found in some records and not declared.
	Strict bool
}

// Records are the records of one chunk: Spans point into Data. A span of length NullLen is a record without a value
// (a tombstone); one of length HugeLen is a record larger than the permitted size, whose bytes were not kept.
type Records struct {
	Data  []byte
	Spans []vec.Span
}

const (
	NullLen uint32 = 1<<32 - 1
	HugeLen uint32 = 1<<32 - 2
)

// Framing says where the records of a byte stream end. The zero value: at every line feed, which is no part of them.
type Framing struct {
	// Quote is the character between two of which a line feed does not end a record; 0: none. Within quotes Escape makes
	// the character behind it an ordinary one; where it is Quote itself, a doubled one stands for one.
	Quote, Escape byte
	// Delimiter is the character between two fields. With it a quote opens only at the beginning of a field, which is
	// the record's first byte and the one behind a delimiter that is not quoted; any other is text. 0: a quote opens
	// wherever it stands.
	Delimiter byte
	Header    bool // the first record of each file is no record: it names the columns
}

// Malformed says why a record is not a row. Field is the path of the column, or of what stands where a part of it should
// be, its names joined by dots as they are, without quotes ("" for the record as a whole); Reason is a phrase that goes
// behind a colon, such as `"12x" is not a BIGINT`.
type Malformed struct {
	Row    int32
	Field  string
	Reason string
}

// Decoder turns records into columns. out has one vector for each Column, in their order and of their types; Decode
// resizes it to the number of records. Text columns may share the chunk's bytes: the decoder may append to r.Data
// (unescaped text) and sets each text vector's Arena to it. Malformed records are appended to bad in row order,
// each once with the first thing found wrong, and their rows are unspecified in out.
type Decoder interface {
	Decode(r *Records, out *vec.Batch, bad []Malformed) []Malformed
}

// Encoder writes rows. AppendRows appends the rows of b named by sel (nil: all), one behind the other without
// separators, to dst, and the end offset in dst of each row to ends. No offset is checked: the caller gives so few rows
// that dst stays below 4 GiB.
type Encoder interface {
	AppendRows(dst []byte, ends []uint32, b *vec.Batch, sel []int32) ([]byte, []uint32)
}

// Rows are those of n rows that sel names; nil: all. A loop over them is compiled to one without calls.
func Rows(n int, sel []int32) iter.Seq[int] {
	return func(yield func(int) bool) {
		if sel != nil {
			n = len(sel)
		}
		for i := range n {
			row := i
			if sel != nil {
				row = int(sel[i])
			}
			if !yield(row) {
				return
			}
		}
	}
}

// Format is a record format.
type Format struct {
	Name       string
	Doc        string
	NewDecoder func(cols []Column) Decoder
	NewEncoder func(fields []vec.Field) Encoder // the output columns' names and types
}
