package kafka

import (
	"fmt"
	"testing"

	"ubik/internal/connector"
	"ubik/internal/ubiktest/broker"
	"ubik/internal/ubiktest/rawlog"
)

// A time is sought in the log as it is now, which may have grown since it was listed, or have lost its beginning: where
// reading begins is within what was listed.
func TestATimeIsSoughtWithinWhatWasListed(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := b.NewTopic(t, "listed", 1, nil)
		batches := func(from, to int64) {
			for i := from; i < to; i++ {
				b.Produce(t, topic, []rawlog.Record{{Value: []byte("v"), TimestampMillis: 1_000_000 + 1000*i}})
			}
		}
		batches(0, 10)
		s := newTestSource(t, urlOf(b, topic), connector.Options{})
		listed, err := s.Partitions(testContext(t))
		if err != nil {
			t.Fatal(err)
		}
		batches(10, 20)
		part := listed[0]
		for _, c := range []struct{ earliest, second, want int64 }{
			{0, 1007, 7},
			{0, 1009, 9},
			{0, 1010, 10}, // the end then
			{0, 1015, 10}, // of a record that has come since
			{0, 1019, 10},
			{0, 1020, 10}, // of none
			{4, 1002, 4},
			{4, 1004, 4},
			{4, 1005, 5},
			{4, 1015, 10},
			{10, 1003, 10}, // nothing is left of what was listed
		} {
			part.Earliest = c.earliest
			got, err := s.Seek(testContext(t), at(c.second*1_000_000), []connector.Partition{part})
			if err != nil || len(got) != 1 || got[0] != (connector.Position{Offset: c.want, Epoch: -1}) {
				t.Errorf("%d s, listed from %d to %d: %v, %v; want %d", c.second, part.Earliest, part.End, fmt.Sprint(got), err, c.want)
			}
		}
	})
}
