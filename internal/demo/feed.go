package demo

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// feed produces the scenario's records over a few seconds, in every run the same.
func (s *Scenario) feed(ctx context.Context, broker string) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		return err
	}
	defer client.Close()
	state := uint64(1)
	random := func(n uint64) int64 { // a linear congruential generator, Knuth's constants
		state = state*6364136223846793005 + 1442695040888963407
		return int64(state >> 33 % n)
	}
	const batches = 100
	batch := s.records / batches
	var failed error
	for i := range s.records {
		source, partition, value, at := s.record(i, random)
		r := &kgo.Record{Topic: s.sources[source].topic, Partition: partition, Value: value, Timestamp: at}
		client.Produce(ctx, r, func(_ *kgo.Record, err error) {
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
