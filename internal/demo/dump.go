package demo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// contents is everything in a topic, and what compaction would leave of it.
type contents struct {
	records   []*kgo.Record
	compacted map[string]*kgo.Record
}

// dump reads a topic from its start to its present end.
func dump(ctx context.Context, broker, topic string) (*contents, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		return nil, err
	}
	defer client.Close()
	ends, err := kadm.NewClient(client).ListEndOffsets(ctx, topic)
	if err != nil {
		return nil, err
	}
	left := int64(0)
	ends.Each(func(o kadm.ListedOffset) { left += o.Offset })
	c := &contents{compacted: map[string]*kgo.Record{}}
	for int64(len(c.records)) < left {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return nil, err
		}
		c.records = append(c.records, fetches.Records()...)
	}
	for _, r := range c.records {
		c.compacted[string(r.Key)] = r
	}
	return c, nil
}

// written is how many records are in a topic; none where it does not exist yet.
func written(ctx context.Context, broker, topic string) (int64, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(broker))
	if err != nil {
		return 0, err
	}
	defer client.Close()
	ends, err := kadm.NewClient(client).ListEndOffsets(ctx, topic)
	if err != nil {
		return 0, err
	}
	n := int64(0)
	ends.Each(func(o kadm.ListedOffset) {
		switch {
		case o.Err == nil:
			n += o.Offset
		case !errors.Is(o.Err, kerr.UnknownTopicOrPartition):
			err = o.Err
		}
	})
	return n, err
}

// rewritten counts the records whose key had been written before, and fails when one differs from the first.
func (c *contents) rewritten() (int, error) {
	first := map[string]*kgo.Record{}
	n := 0
	for _, r := range c.records {
		f, seen := first[string(r.Key)]
		if !seen {
			first[string(r.Key)] = r
			continue
		}
		if !same(f, r) {
			return 0, fmt.Errorf("%s was written twice with different content: %s and %s", r.Key, f.Value, r.Value)
		}
		n++
	}
	return n, nil
}

func same(a, b *kgo.Record) bool {
	return string(a.Value) == string(b.Value) && a.Timestamp.Equal(b.Timestamp) && len(a.Headers) == len(b.Headers)
}

// differs names the first key, in order, that is not the same in both.
func (c *contents) differs(d *contents) string {
	keys := slices.Sorted(maps.Keys(c.compacted))
	for k := range d.compacted {
		if c.compacted[k] == nil {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		a, b := c.compacted[k], d.compacted[k]
		switch {
		case a == nil:
			return fmt.Sprintf("only the uninterrupted run has %s", k)
		case b == nil:
			return fmt.Sprintf("only the killed run has %s", k)
		case !same(a, b):
			return fmt.Sprintf("%s is %s and %s", k, a.Value, b.Value)
		}
	}
	return ""
}
