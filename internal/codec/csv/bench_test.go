package csvrec

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ubik/internal/codec"
	"ubik/internal/ubiktest/cells"
	"ubik/internal/vec"
)

var transactionNames = []string{"txn_id", "account", "merchant", "category", "amount", "currency", "event_time", "note"}

// transaction is a record of about 140 bytes, of which the headline query uses three fields.
func transaction(rng *rand.Rand, quote bool) []byte {
	note := "paid by card, contactless"
	if quote {
		note = `"` + note + `"`
	} else {
		note = "paid by card; contactless"
	}
	return fmt.Appendf(nil, `%016x,acc-%06d,merchant-%04d,groceries,%d.%02d,EUR,2026-01-01T%02d:%02d:%02d.%03dZ,%s`,
		rng.Uint64(), rng.IntN(1e6), rng.IntN(5000), rng.IntN(900), rng.IntN(100), rng.IntN(2), rng.IntN(60), rng.IntN(60), rng.IntN(1000), note)
}

var headline = []codec.Column{
	{Path: []string{"merchant"}, Type: vec.TypeOf(vec.Varchar)},
	{Path: []string{"amount"}, Type: vec.DecimalType(18, 2)},
	{Path: []string{"event_time"}, Type: vec.TypeOf(vec.Timestamp)},
}

func transactions(n int, quote bool) *codec.Records {
	rng := rand.New(rand.NewPCG(1, 2))
	recs := make([][]byte, n)
	for i := range recs {
		recs[i] = transaction(rng, quote)
	}
	return cells.Chunk(recs...)
}

func benchmarkDecode(b *testing.B, quote bool) {
	const n = 4096
	chunk := transactions(n, quote)
	dec := newDecoder(Default(transactionNames), headline)
	out := cells.Batch(headline)
	b.SetBytes(int64(len(chunk.Data)))
	b.ReportAllocs()
	for b.Loop() {
		if bad := dec.Decode(chunk, out, nil); bad != nil {
			b.Fatal(bad)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/record")
}

func BenchmarkDecode(b *testing.B)       { benchmarkDecode(b, false) }
func BenchmarkDecodeQuoted(b *testing.B) { benchmarkDecode(b, true) }

func BenchmarkEncode(b *testing.B) {
	const n = 1024
	fields := []vec.Field{{Name: "merchant", Type: vec.TypeOf(vec.Varchar)}, {Name: "window", Type: vec.TypeOf(vec.Timestamp)},
		{Name: "n", Type: vec.TypeOf(vec.Int64)}, {Name: "total", Type: vec.DecimalType(38, 2)}}
	batch := aggregates(n, fields)
	enc := newEncoder(Default(nil), fields)
	var dst []byte
	var ends []uint32
	b.ReportAllocs()
	for b.Loop() {
		dst, ends = enc.AppendRows(dst[:0], ends[:0], batch, nil)
	}
	b.SetBytes(int64(len(dst)))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
}

func aggregates(n int, fields []vec.Field) *vec.Batch {
	batch := vec.NewBatch(fields[0].Type, fields[1].Type, fields[2].Type, fields[3].Type)
	batch.Resize(n)
	for i := range n {
		batch.Cols[0].AppendBytes(i, fmt.Appendf(nil, "merchant-%04d", i))
		batch.Cols[1].I64[i] = 1767225600000000 + int64(i/100)*60000000
		batch.Cols[2].I64[i] = int64(i)
		batch.Cols[3].I128[i].Lo = uint64(i) * 12345
	}
	return batch
}

func TestRecordsAndRowsAllocateNothing(t *testing.T) {
	for _, quote := range []bool{false, true} {
		chunk := transactions(200, quote)
		dec := newDecoder(Default(transactionNames), headline)
		out := cells.Batch(headline)
		if n := testing.AllocsPerRun(20, func() { dec.Decode(chunk, out, nil) }); n > 0 {
			t.Errorf("decoding 200 records, quoted %v: %v allocations", quote, n)
		}
	}
	fields := []vec.Field{{Name: "merchant", Type: vec.TypeOf(vec.Varchar)}, {Name: "window", Type: vec.TypeOf(vec.Timestamp)},
		{Name: "n", Type: vec.TypeOf(vec.Int64)}, {Name: "total", Type: vec.DecimalType(38, 2)}}
	batch := aggregates(200, fields)
	enc := newEncoder(Default(nil), fields)
	dst, ends := enc.AppendRows(nil, nil, batch, nil)
	if n := testing.AllocsPerRun(20, func() { enc.AppendRows(dst[:0], ends[:0], batch, nil) }); n > 0 {
		t.Errorf("encoding 200 rows: %v allocations", n)
	}
}
