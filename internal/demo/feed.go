package demo

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	batches = 100                   // that the records flow in by
	pace    = 60 * time.Millisecond // between two of them
)

// feed produces the scenario's records, in every run the same.
type feed struct {
	*Scenario
	client *kgo.Client
	state  uint64    // of random
	made   int       // records
	at     time.Time // of the last batch
}

func (s *Scenario) newFeed(broker string) (*feed, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		return nil, err
	}
	return &feed{Scenario: s, client: client, state: 1}, nil
}

// random is a linear congruential generator with Knuth's constants.
func (f *feed) random(n uint64) int64 {
	f.state = f.state*6364136223846793005 + 1442695040888963407
	return int64(f.state >> 33 % n)
}

// due tells whether it is time for a batch when a checkpoint has come to so many records. The feed is never far ahead, as the
// query must be killed on its way, however slow it is.
func (f *feed) due(read uint64, now time.Time) bool {
	return f.made < f.records && uint64(f.made) <= read+uint64(f.records/10) && now.Sub(f.at) >= pace
}

// batch produces the next records.
func (f *feed) batch(ctx context.Context, now time.Time) error {
	f.at = now
	var failed error
	for range min(f.records/batches, f.records-f.made) {
		source, partition, value, at := f.record(f.made, f.random)
		f.made++
		r := &kgo.Record{Topic: f.sources[source].topic, Partition: partition, Value: value, Timestamp: at}
		f.client.Produce(ctx, r, func(_ *kgo.Record, err error) {
			if err != nil && failed == nil {
				failed = err
			}
		})
	}
	if err := f.client.Flush(ctx); err != nil {
		return err
	}
	return failed
}

// rest produces all that is left.
func (f *feed) rest(ctx context.Context) error {
	for f.made < f.records {
		if err := f.batch(ctx, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}
