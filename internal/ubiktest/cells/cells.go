// Package cells is what the tests of all formats need of columns: cells with random values of each type, and the values of
// decoded cells as text.
//
//	rows := cells.Decode(dec, cols, cells.Chunk(`{"a":"x","n":12}`, `{"n":"y"}`))
//	// [["\"x\"" "12"] ["! n: \"y\" is not a BIGINT"]]
package cells

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"ubik/internal/codec"
	"ubik/internal/exact"
	"ubik/internal/vec"
)

// Chunk puts records one behind the other, a newline after each, as a chunk read from a file has them.
func Chunk[T string | []byte](recs ...T) *codec.Records {
	r := &codec.Records{}
	for _, rec := range recs {
		r.Spans = append(r.Spans, vec.Span{Off: uint32(len(r.Data)), Len: uint32(len(rec))})
		r.Data = append(append(r.Data, rec...), '\n')
	}
	return r
}

// Batch has an empty vector for each column.
func Batch(cols []codec.Column) *vec.Batch {
	types := make([]vec.Type, len(cols))
	for i, c := range cols {
		types[i] = c.Type
	}
	return vec.NewBatch(types...)
}

// Decode returns each record's cells as Text, or behind an exclamation mark what is wrong with the record as its one cell.
func Decode(dec codec.Decoder, cols []codec.Column, r *codec.Records) [][]string {
	out := Batch(cols)
	bad := dec.Decode(r, out, nil)
	rows := make([][]string, len(r.Spans))
	for i := range rows {
		if len(bad) > 0 && bad[0].Row == int32(i) {
			rows[i] = []string{Malformed(bad[0])}
			bad = bad[1:]
			continue
		}
		for _, v := range out.Cols {
			rows[i] = append(rows[i], Text(v, i))
		}
	}
	if len(bad) > 0 {
		panic("malformed records are not in row order")
	}
	return rows
}

// Malformed is what is wrong with a record: "! field: reason", or "!: reason" for the record as a whole.
func Malformed(m codec.Malformed) string {
	return strings.TrimRight("! "+m.Field, " ") + ": " + m.Reason
}

// Text is the value of a cell as it is stored: bytes in quotes, a DECIMAL without its point, a time in its unit, NULL.
// Doubles have as many digits as tell them apart.
func Text(v *vec.Vector, i int) string {
	if v.IsNull(i) {
		return "NULL"
	}
	switch v.Type.Phys() {
	case vec.PhysBool:
		return strconv.FormatBool(v.Bools[i])
	case vec.PhysI64:
		return strconv.FormatInt(v.I64[i], 10)
	case vec.PhysI128:
		return v.I128[i].String()
	case vec.PhysF64:
		return Double(v.F64[i])
	case vec.PhysBytes:
		return strconv.Quote(string(v.Bytes(i)))
	}
	return fmt.Sprint(v.Ivals[i])
}

// Double is the Text of a DOUBLE.
func Double(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// SetRandom sets a cell to a value of its type, but not to NULL. Texts have whatever formats quote, escape or cut off.
func SetRandom(rng *rand.Rand, v *vec.Vector, i int) {
	wide := exact.Int128{Hi: int64(rng.Uint64()), Lo: rng.Uint64()}
	small := int64(rng.Uint64()) >> rng.IntN(64)
	switch t := v.Type; t.Kind {
	case vec.Bool:
		v.Bools[i] = rng.IntN(2) == 0
	case vec.Int8:
		v.I64[i] = int64(int8(small))
	case vec.Int16:
		v.I64[i] = int64(int16(small))
	case vec.Int32:
		v.I64[i] = int64(int32(small))
	case vec.Int64:
		v.I64[i] = small
	case vec.HugeInt:
		v.I128[i] = wide
	case vec.Decimal:
		_, wide = wide.QuoRem(exact.Pow10(1 + rng.IntN(int(t.Precision))))
		if t.Phys() == vec.PhysI64 {
			v.I64[i] = wide.Int64()
		} else {
			v.I128[i] = wide
		}
	case vec.Double:
		v.F64[i] = []float64{math.Float64frombits(rng.Uint64()), rng.NormFloat64(), math.Round(rng.NormFloat64()*1e6) / 100,
			math.Inf(1), math.Inf(-1), math.NaN(), 0}[rng.IntN(7)]
	case vec.Varchar:
		text := []rune("plain,;\"''\\ käse\n\r\n\t-0011\x00\x7f\u2028😀")
		rng.Shuffle(len(text), func(i, k int) { text[i], text[k] = text[k], text[i] })
		v.AppendBytes(i, []byte(string(text[:rng.IntN(len(text)+1)])))
	case vec.Timestamp, vec.TimestampTZ:
		us := int64(vec.MinTime) + rng.Int64N(int64(vec.MaxTime-vec.MinTime))
		v.I64[i] = us - us%[]int64{1, 1000, 1000000}[rng.IntN(3)]
	case vec.Date:
		v.I64[i] = rng.Int64N(2_900_000) - 700_000
	case vec.TimeOfDay: // 24:00:00 included
		us := rng.Int64N(int64(vec.Day) + 1)
		v.I64[i] = us - us%[]int64{1, 1000, 1000000}[rng.IntN(3)]
	case vec.Interval:
		v.Ivals[i] = vec.IntervalValue{Months: int32(rng.IntN(100) - 50), Days: int32(rng.IntN(100) - 50), Micros: rng.Int64N(1e12) - 5e11}
	case vec.Blob:
		b := make([]byte, rng.IntN(30))
		for k := range b {
			b[k] = byte(rng.Uint64())
		}
		v.AppendBytes(i, b)
	case vec.List:
		v.AppendBytes(i, []byte([]string{`[]`, `[1,2.50,"x y"]`, `[{"a":null}]`}[rng.IntN(3)]))
	case vec.Map, vec.Struct:
		v.AppendBytes(i, []byte([]string{`{}`, `{"a":1,"b":"\u0061 \" }"}`, `{"a":{"a":[]}}`}[rng.IntN(3)]))
	case vec.JSON:
		v.AppendBytes(i, []byte([]string{`{"a":[1,2.50,"x y"]}`, `"text"`, `17`, `[]`, `true`}[rng.IntN(5)]))
	}
}
