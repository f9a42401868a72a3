package exact

import (
	"math/rand"
	"testing"
)

func BenchmarkParseDecimal64(b *testing.B) {
	for _, s := range []string{"7.5", "12345.67", "-1234567.89", "0.123456789012", "12345678901234.5678e0"} {
		b.Run(s, func(b *testing.B) {
			text := []byte(s)
			for b.Loop() {
				ParseDecimal64(text, 18, 2)
			}
		})
	}
}

func BenchmarkAppendDecimal64(b *testing.B) {
	var buf [64]byte
	for b.Loop() {
		AppendDecimal64(buf[:0], 1234567, 2)
	}
}

// Random signs and sizes: the groups fit the cache in the first, not in the second.
func BenchmarkFloatSumsAddRows(b *testing.B) {
	for name, n := range map[string]int{"1k groups": 1000, "1M groups": 1_000_000} {
		b.Run(name, func(b *testing.B) {
			r := rand.New(rand.NewSource(seed))
			groups := make([]uint32, 1<<16)
			xs := make([]float64, len(groups))
			for i := range xs {
				groups[i] = uint32(r.Intn(n))
				xs[i] = float64(r.Intn(2e6)-1e6) / 100
			}
			var f FloatSums
			f.Grow(n)
			rows := 0
			for b.Loop() {
				f.AddRows(groups, xs)
				rows += len(xs)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/row")
		})
	}
}

func BenchmarkFloatSumsWide(b *testing.B) {
	var f FloatSums
	f.Grow(1)
	f.Add(0, 1e-300)
	f.Add(0, 1e300)
	for b.Loop() {
		f.Add(0, 1.5)
	}
}

func BenchmarkFloatSumsMean(b *testing.B) {
	var f FloatSums
	f.Grow(1)
	f.Add(0, 0.1)
	f.Add(0, 1e6)
	for b.Loop() {
		f.Mean(0, 7)
	}
}

func BenchmarkFloatSumsAppendState(b *testing.B) {
	var f FloatSums
	f.Grow(1)
	f.Add(0, 0.1)
	f.Add(0, 1e6)
	var buf [64]byte
	for b.Loop() {
		f.AppendState(buf[:0], 0)
	}
}
