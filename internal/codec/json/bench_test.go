package jsonrec

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ubik/internal/codec"
	"ubik/internal/ubiktest/cells"
	"ubik/internal/vec"
)

// flatRecord is a transaction of 239 bytes, of which the headline query uses three members.
func flatRecord(rng *rand.Rand) []byte {
	rec := fmt.Appendf(nil, `{"txn_id":"%016x","account":"acc-%06d","merchant":"merchant-%04d","category":"groceries","amount":%d.%02d,"currency":"EUR","event_time":"2026-01-01T%02d:%02d:%02d.%03dZ","note":"`,
		rng.Uint64(), rng.IntN(1e6), rng.IntN(5000), rng.IntN(900), rng.IntN(100), rng.IntN(2), rng.IntN(60), rng.IntN(60), rng.IntN(1000))
	for len(rec) < 237 {
		rec = append(rec, 'a'+byte(rng.IntN(26)))
	}
	return append(rec, `"}`...)
}

func nestedRecord(rng *rand.Rand) []byte {
	return fmt.Appendf(nil, `{"id":%d,"payload":{"before":null,"after":{"merchant":"merchant-%04d","amount":%d.%02d,"tags":["a","b","c\n"],"event_time":"2026-01-01T%02d:%02d:%02dZ"},"source":{"db":"shop","table":"txns","ts":%d,"pos":{"file":"bin.000012","row":%d}}},"op":"c","score":%g}`,
		rng.IntN(1e9), rng.IntN(5000), rng.IntN(900), rng.IntN(100), rng.IntN(24), rng.IntN(60), rng.IntN(60), 1767225600000+rng.Int64N(1e9), rng.IntN(100), rng.Float64())
}

func headline(path ...string) []codec.Column {
	at := func(name string) []string { return append(append([]string{}, path...), name) }
	return []codec.Column{
		{Path: at("merchant"), Type: vec.TypeOf(vec.Varchar)},
		{Path: at("amount"), Type: vec.DecimalType(18, 2)},
		{Path: at("event_time"), Type: vec.TypeOf(vec.Timestamp)},
	}
}

func benchmarkDecode(b *testing.B, cols []codec.Column, shaped bool, record func(*rand.Rand) []byte) {
	const n = 4096
	rng := rand.New(rand.NewPCG(1, 2))
	recs := make([][]byte, n)
	for i := range recs {
		recs[i] = record(rng)
	}
	chunk := cells.Chunk(recs...)
	chunk.Data = append(chunk.Data, make([]byte, wordSlack)...)
	dec := newDecoder(cols)
	out := cells.Batch(cols)
	size := len(chunk.Data)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		chunk.Data = chunk.Data[:size]
		if shaped {
			if bad := dec.Decode(chunk, out, nil); bad != nil {
				b.Fatal(bad)
			}
			continue
		}
		out.Resize(n)
		dec.data, dec.out = chunk.Data, out.Cols
		for row, s := range chunk.Spans {
			dec.row, dec.end = row, int(s.Off+s.Len)
			if _, reason := dec.readRecord(int(s.Off)); reason != "" {
				b.Fatal(reason)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/record")
}

func BenchmarkDecodeFlat(b *testing.B) { benchmarkDecode(b, headline(), true, flatRecord) }

// The general parser alone, as for records whose shapes are never seen twice.
func BenchmarkDecodeFlatGeneral(b *testing.B) { benchmarkDecode(b, headline(), false, flatRecord) }

func BenchmarkDecodeNested(b *testing.B) {
	benchmarkDecode(b, headline("payload", "after"), true, nestedRecord)
}

func BenchmarkDecodeNestedGeneral(b *testing.B) {
	benchmarkDecode(b, headline("payload", "after"), false, nestedRecord)
}

// An object of about 250 bytes used as a whole.
func BenchmarkDecodeWhole(b *testing.B) {
	benchmarkDecode(b, []codec.Column{{Path: []string{"payload"}, Type: vec.TypeOf(vec.JSON)}}, true, nestedRecord)
}

func BenchmarkEncode(b *testing.B) {
	const n = 1024
	fields := []vec.Field{{Name: "merchant", Type: vec.TypeOf(vec.Varchar)}, {Name: "window", Type: vec.TypeOf(vec.Timestamp)},
		{Name: "n", Type: vec.TypeOf(vec.Int64)}, {Name: "total", Type: vec.DecimalType(38, 2)}}
	batch := vec.NewBatch(fields[0].Type, fields[1].Type, fields[2].Type, fields[3].Type)
	batch.Resize(n)
	for i := range n {
		batch.Cols[0].AppendBytes(i, fmt.Appendf(nil, "merchant-%04d", i))
		batch.Cols[1].I64[i] = 1767225600000000 + int64(i/100)*60000000
		batch.Cols[2].I64[i] = int64(i)
		batch.Cols[3].I128[i].Lo = uint64(i) * 12345
	}
	enc := newEncoder(fields)
	var dst []byte
	var ends []uint32
	b.ReportAllocs()
	for b.Loop() {
		dst, ends = enc.AppendRows(dst[:0], ends[:0], batch, nil)
	}
	b.SetBytes(int64(len(dst)))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
}
