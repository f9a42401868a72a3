package op

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zeebo/xxh3"

	"ubik/internal/vec"
)

// benchBatches is rows of random merchants in batches of 4,096, all of one minute.
func benchBatches(groups, rows int) []*Batch {
	r := rand.New(rand.NewPCG(1, 1))
	var bs []*Batch
	for len(bs)*4096 < rows {
		keys := make([]string, 4096)
		for i := range keys {
			keys[i] = fmt.Sprintf("m%07d", r.IntN(groups))
		}
		bs = append(bs, headlineBatch(keys, 1))
	}
	return bs
}

func BenchmarkApply(b *testing.B) {
	for _, groups := range []int{10_000, 1_000_000} {
		b.Run(fmt.Sprintf("groups=%d", groups), func(b *testing.B) {
			bs := benchBatches(groups, 2*groups)
			o := headline(b).New(Shard{0, 1})
			for _, x := range bs {
				_ = o.Apply(0, x, nil)
			}
			i := 0
			b.ResetTimer()
			for b.Loop() {
				_ = o.Apply(0, bs[i%len(bs)], nil)
				i++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(i)/4096, "ns/row")
		})
	}
}

func BenchmarkSave(b *testing.B) {
	const groups = 2_000_000
	o := headline(b).New(Shard{0, 1}).(*aggregate)
	p := o.paneOf(paneID{})
	for i := range groups {
		key := fmt.Appendf(nil, "\x01m%07d", i)
		p.table.add(xxh3.Hash(key), key)
	}
	p.grow()
	o.recount(p)
	var e vec.Encoder
	for _, name := range []string{"sorting", "sorted"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if name == "sorting" {
					p.order = p.order[:0]
				}
				e.Buf = e.Buf[:0]
				o.Save(&e)
			}
		})
	}
}
