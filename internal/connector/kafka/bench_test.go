package kafka

import (
	"strings"
	"sync"
	"testing"

	"ubik/internal/connector"
	"ubik/internal/ubiktest/rawlog"
)

// BenchmarkRead reads 200-byte records of 4 partitions from the in-process cluster, whose own work is in the time.
func BenchmarkRead(b *testing.B) {
	const partitions, each = 4, 100_000
	_, k := fake(b)
	topic := k.NewTopic(b, "bench", partitions, nil)
	value := []byte(strings.Repeat("0123456789", 20))
	for p := range int32(partitions) {
		records := make([]rawlog.Record, each)
		for i := range records {
			records[i] = rawlog.Record{Partition: p, Value: value, TimestampMillis: 1}
		}
		k.Produce(b, topic, records)
	}
	b.ReportAllocs()
	for b.Loop() {
		s := openForBench(b, urlOf(k, topic))
		ctx := testContext(b)
		var wg sync.WaitGroup
		for p := range partitions {
			wg.Go(func() {
				n := 0
				for end := false; !end; {
					c, err := s.Read(ctx, p)
					if err != nil {
						b.Error(err)
						return
					}
					n, end = n+len(c.Pos), c.End
					c.Release()
				}
				if n != each {
					b.Errorf("%d records of partition %d are read, want %d", n, p, each)
				}
			})
		}
		wg.Wait()
		s.Close()
	}
	b.ReportMetric(float64(partitions*each*b.N)/b.Elapsed().Seconds(), "records/s")
}

func openForBench(b *testing.B, url string) *source {
	s, err := Kind.NewSource(url, &connector.Options{})
	if err != nil {
		b.Fatal(err)
	}
	mustOpen(b, s.(*source), starts(b, s.(*source), true))
	return s.(*source)
}
