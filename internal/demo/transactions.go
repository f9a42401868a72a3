package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// feed produces n transactions over a few seconds. The same n gives the same records: times ascend by 20 ms with a
// disorder of up to 3 s, and one in 5,000 comes a minute late.
func feed(ctx context.Context, broker string, n int) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.DefaultProduceTopic(topic), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		return err
	}
	defer client.Close()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	state := uint64(1)
	random := func(n uint64) int64 { // a linear congruential generator, Knuth's constants
		state = state*6364136223846793005 + 1442695040888963407
		return int64(state >> 33 % n)
	}
	const batch = 4000
	var failed error
	for i := 0; i < n; i++ {
		at := start.Add(time.Duration(i)*20*time.Millisecond - time.Duration(random(3000))*time.Millisecond)
		if i%5000 == 4999 {
			at = at.Add(-time.Minute)
		}
		cents := random(100_000)
		value := fmt.Appendf(nil, `{"id":%d,"merchant":"m%02d","amount":%d.%02d,"currency":"EUR","event_time":"%s"}`,
			i, min(random(60), random(60)), cents/100, cents%100, at.Format("2006-01-02T15:04:05.000Z"))
		client.Produce(ctx, &kgo.Record{Partition: int32(random(partitions)), Value: value, Timestamp: at}, func(_ *kgo.Record, err error) {
			if err != nil && failed == nil {
				failed = err
			}
		})
		if i%batch == batch-1 {
			if err := client.Flush(ctx); err != nil {
				return err
			}
			select { // paced, so that the query can be killed on its way
			case <-time.After(60 * time.Millisecond):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	if err := client.Flush(ctx); err != nil {
		return err
	}
	return failed
}
