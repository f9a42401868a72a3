package jsonrec

import (
	"encoding/base64"
	"math"
	"strconv"

	"ubik/internal/codec"
	"ubik/internal/exact"
	"ubik/internal/expr"
	"ubik/internal/jsontext"
	"ubik/internal/vec"
)

// encoder writes rows as objects:
//
//	{"merchant":"a","window":"2026-01-01T00:01:00Z","n":3,"total":12.50}
//
// The members stand in the order of the fields, under their names, also when a name occurs twice. The bytes are part of
// what the program promises: they change only with a new version of the output.
type encoder struct {
	fields []vec.Field
	heads  [][]byte // what stands before each value: brace or comma, name, colon
}

var _ codec.Encoder = (*encoder)(nil)

func newEncoder(fields []vec.Field) *encoder {
	enc := &encoder{fields: fields}
	for i, f := range fields {
		switch {
		case f.Type.Kind != vec.Null && f.Type.Phys() == vec.PhysNone:
			panic("json: a column of type " + f.Type.String() + " cannot be written")
		case i == 0:
			enc.heads = append(enc.heads, []byte{'{'})
		default:
			enc.heads = append(enc.heads, []byte{','})
		}
		enc.heads[i] = append(appendQuoted(enc.heads[i], []byte(f.Name)), ':')
	}
	return enc
}

// AppendRows implements codec.Encoder.
func (enc *encoder) AppendRows(dst []byte, ends []uint32, b *vec.Batch, sel []int32) ([]byte, []uint32) {
	for row := range codec.Rows(b.N, sel) {
		dst = enc.appendRow(dst, b, row)
		ends = append(ends, uint32(len(dst)))
	}
	return dst, ends
}

func (enc *encoder) appendRow(dst []byte, b *vec.Batch, row int) []byte {
	if len(enc.fields) == 0 {
		return append(dst, '{', '}')
	}
	for i := range enc.fields {
		dst = append(dst, enc.heads[i]...)
		dst = AppendValue(dst, &enc.fields[i].Type, b.Cols[i], row)
	}
	return append(dst, '}')
}

// AppendValue appends row of v as a member's value: a number, true, false, null or, in quotes, a text. The type t must
// be one that the encoder writes.
func AppendValue(dst []byte, t *vec.Type, v *vec.Vector, row int) []byte {
	if t.Kind == vec.Null || v.IsNull(row) {
		return append(dst, "null"...)
	}
	switch t.Kind {
	case vec.Bool:
		return strconv.AppendBool(dst, v.Bools[row])
	case vec.Int8, vec.Int16, vec.Int32, vec.Int64:
		return exact.AppendDecimal64(dst, v.I64[row], 0)
	case vec.HugeInt:
		return v.I128[row].AppendDecimal(dst, 0)
	case vec.Decimal:
		if t.Phys() == vec.PhysI64 {
			return exact.AppendDecimal64(dst, v.I64[row], int(t.Scale))
		}
		return v.I128[row].AppendDecimal(dst, int(t.Scale))
	case vec.Double:
		return appendDouble(dst, v.F64[row])
	case vec.Varchar:
		return appendQuoted(dst, v.Bytes(row))
	case vec.JSON, vec.Struct, vec.List, vec.Map:
		return jsontext.AppendCompact(dst, v.Bytes(row))
	case vec.Blob:
		dst = append(dst, '"')
		return append(base64.StdEncoding.AppendEncode(dst, v.Bytes(row)), '"')
	case vec.Timestamp, vec.TimestampTZ:
		return appendTimestamp(dst, v.I64[row])
	case vec.Date:
		dst = append(dst, '"')
		return append(appendDate(dst, v.I64[row]), '"')
	case vec.TimeOfDay:
		return appendTimeOfDay(dst, v.I64[row])
	}
	// INTERVAL: its text needs no escapes.
	dst = append(dst, '"')
	return append(expr.AppendText(dst, v, row), '"')
}

// appendDouble writes f as encoding/json does: the shortest digits that read back as f, with an exponent below 1e-6 and
// from 1e21 on. What JSON has no number for is a string; −0.0 is 0, as in every result.
func appendDouble(dst []byte, f float64) []byte {
	switch {
	case f != f:
		return append(dst, `"NaN"`...)
	case f > math.MaxFloat64:
		return append(dst, `"Infinity"`...)
	case f < -math.MaxFloat64:
		return append(dst, `"-Infinity"`...)
	case f == 0:
		return append(dst, '0')
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-09 becomes e-9
		dst = dst[:n-1]
	}
	return dst
}
