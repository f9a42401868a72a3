package op

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zeebo/xxh3"

	"ubik/internal/expr"
	"ubik/internal/vec"
)

// settlements is the join of authorisations and their settlements within ten minutes, by id; each side's columns are
// id VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP.
func settlements(kind JoinKind) *BandJoin {
	types := []vec.Type{vec.TypeOf(vec.Varchar), vec.DecimalType(18, 2), vec.TypeOf(vec.Timestamp)}
	n := &BandJoin{Kind: kind, Keys: 1, Columns: [2][]vec.Type{types, types}, Lo: 0, Hi: 600_000_000}
	cols := joinColumns(n.Columns)
	n.Select = []expr.Expr{cols[0], cols[1], cols[4], cols[2]}
	if kind == Semi || kind == Anti {
		n.Select = cols[:3]
	}
	return n
}

// settlementBatch is n rows of a side from number first on, a thousand a second; a right row comes two seconds after
// the left one of its number, of which each tenth has none.
func settlementBatch(r *rand.Rand, side int, first int64, n int) *Batch {
	b := &Batch{Part: side, Batch: *vec.NewBatch(vec.TypeOf(vec.Varchar), vec.TypeOf(vec.Varchar), vec.DecimalType(18, 2), vec.TypeOf(vec.Timestamp))}
	b.Resize(n)
	for i := range n {
		id := first + int64(i)
		if side == 1 && id%10 == 0 {
			id = -id
		}
		key := fmt.Appendf(nil, "auth-%012d", id)
		b.Cols[0].AppendBytes(i, key)
		b.Cols[1].AppendBytes(i, key)
		b.Cols[2].I64[i] = r.Int64N(100_000)
		t := (first+int64(i))*1000 + r.Int64N(500_000) + int64(side)*2_000_000
		b.Cols[3].I64[i] = t
		b.Time = append(b.Time, vec.Time(t))
		b.Pos = append(b.Pos, first+int64(i))
	}
	b.Keys.Build(b.Cols[:1], n, nil)
	for i := range n {
		b.Hash = append(b.Hash, xxh3.Hash(b.Keys.Key(i)))
	}
	return b
}

func BenchmarkJoin(b *testing.B) {
	const rows, chunk = 1 << 20, 4096
	r := rand.New(rand.NewPCG(1, 1))
	var batches [2][]*Batch
	for first := int64(0); first < rows; first += chunk {
		for side := range batches {
			batches[side] = append(batches[side], settlementBatch(r, side, first, chunk))
		}
	}
	for _, often := range []bool{true, false} {
		name := "advancing each chunk"
		if !often {
			name = "advancing at the end"
		}
		b.Run(name, func(b *testing.B) {
			bytes, stored, out := 0, 0, 0
			for b.Loop() {
				out = 0
				o := settlements(Inner).New(Shard{0, 1})
				emit := func(x *Out) bool { out += x.Cols.N; return true }
				for i := range batches[0] {
					for side := range batches {
						_ = o.Apply(side, batches[side][i], nil)
					}
					if often {
						_, _ = o.Advance(vec.Time(i*chunk*1000), emit)
					}
				}
				s := o.Stat()
				stored, bytes = s.Groups, s.Bytes
				_, _ = o.Advance(vec.PosInf, emit)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(2*rows), "ns/row")
			b.ReportMetric(float64(bytes)/float64(stored), "B/stored")
			b.ReportMetric(float64(out), "pairs")
		})
	}
}

func BenchmarkJoinSave(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	o := settlements(Inner).New(Shard{0, 1})
	for first := int64(0); first < 500_000; first += 5000 {
		for side := range 2 {
			_ = o.Apply(side, settlementBatch(r, side, first, 5000), nil)
		}
	}
	_, _ = o.Advance(400_000_000, func(*Out) bool { return true })
	var e vec.Encoder
	for b.Loop() {
		e.Buf = e.Buf[:0]
		o.Save(&e)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(o.Stat().Groups), "ns/stored")
	b.ReportMetric(float64(len(e.Buf))/float64(o.Stat().Groups), "B/stored")
}
