package broker

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"ubik/internal/ubiktest/rawlog"
)

// Isolation says which records a reader sees.
type Isolation int8

const (
	Committed   Isolation = iota // records outside transactions and of committed ones, up to the first transaction still open
	Uncommitted                  // all, those of open and of aborted transactions too
)

func (i Isolation) level() (int8, kgo.IsolationLevel) {
	if i == Committed {
		return 1, kgo.ReadCommitted()
	}
	return 0, kgo.ReadUncommitted()
}

// fetchBytes is how much of a partition one request asks for.
const fetchBytes = 16 << 20

// Dump reads every partition of a topic from its start to the end it has now, ordered by partition and offset.
//
// It asks the broker with requests of its own making rather than with a consumer: it keeps no session, and it knows that a partition was read to its
// end by the position it reached, also where that end lies in aborted records, in control records or in a gap.
func (b *Broker) Dump(tb testing.TB, topic string, isolation Isolation) []rawlog.Record {
	tb.Helper()
	records, err := b.dump(tb, topic, isolation)
	if err != nil {
		tb.Fatalf("dumping the topic %s: %v", topic, err)
	}
	return records
}

func (b *Broker) dump(tb testing.TB, topic string, isolation Isolation) ([]rawlog.Record, error) {
	tb.Helper()
	starts, ends := b.Starts(tb, topic), b.Ends(tb, topic, isolation)
	client, err := b.newClient()
	if err != nil {
		return nil, err
	}
	defer client.Close()
	ctx, cancel := callContext()
	defer cancel()
	detail, err := ledTopic(ctx, client, topic)
	if err != nil {
		return nil, err
	}
	partitions := make([]int32, 0, len(ends))
	for p := range ends {
		partitions = append(partitions, p)
	}
	sort.Slice(partitions, func(i, j int) bool { return partitions[i] < partitions[j] })
	var records []rawlog.Record
	for _, p := range partitions {
		f := fetcher{client, topic, detail.ID, p, detail.Partitions[p].Leader, isolation}
		for at := starts[p]; at < ends[p]; {
			var part []rawlog.Record
			if part, at, err = f.fetch(ctx, at, ends[p]); err != nil {
				return nil, fmt.Errorf("partition %d: %w", p, err)
			}
			records = append(records, part...)
		}
	}
	return records, nil
}

// ledTopic asks for the metadata of a topic until each of its partitions has a leader, which after a restart of the broker takes a moment.
func ledTopic(ctx context.Context, client *kgo.Client, topic string) (kadm.TopicDetail, error) {
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		metadata, err := kadm.NewClient(client).Metadata(ctx, topic)
		if err != nil {
			return kadm.TopicDetail{}, err
		}
		detail := metadata.Topics[topic]
		if detail.Err == nil && !slices.ContainsFunc(detail.Partitions.Sorted(), func(p kadm.PartitionDetail) bool { return p.Leader < 0 }) {
			return detail, nil
		}
		select {
		case <-ctx.Done():
			return detail, fmt.Errorf("not every partition has a leader within %v (%v)", callWait, detail.Err)
		case <-again.C:
		}
	}
}

// fetcher reads one partition from its leader.
type fetcher struct {
	client    *kgo.Client
	topic     string
	topicID   kadm.TopicID
	partition int32
	leader    int32
	isolation Isolation
}

// fetch asks once for the records from an offset on, and gives those below end with the offset to go on at.
func (f fetcher) fetch(ctx context.Context, at, end int64) ([]rawlog.Record, int64, error) {
	level, isolation := f.isolation.level()
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis, req.MinBytes, req.MaxBytes = 0, 1, fetchBytes
	req.IsolationLevel = level
	req.SessionEpoch = -1
	partition := kmsg.NewFetchRequestTopicPartition()
	partition.Partition, partition.FetchOffset, partition.PartitionMaxBytes = f.partition, at, fetchBytes
	topic := kmsg.NewFetchRequestTopic()
	topic.Topic, topic.TopicID = f.topic, f.topicID
	topic.Partitions = append(topic.Partitions, partition)
	req.Topics = append(req.Topics, topic)

	answer, err := req.RequestWith(ctx, f.client.Broker(int(f.leader)))
	if err != nil {
		return nil, at, err
	}
	if len(answer.Topics) != 1 || len(answer.Topics[0].Partitions) != 1 {
		return nil, at, fmt.Errorf("the answer to a fetch at offset %d holds no partition (error code %d)", at, answer.ErrorCode)
	}
	raw := &answer.Topics[0].Partitions[0]
	opts := kgo.ProcessFetchPartitionOpts{Offset: at, IsolationLevel: isolation, Topic: f.topic, Partition: f.partition}
	got, next := kgo.ProcessFetchPartition(opts, raw, kgo.DefaultDecompressor(), nil)
	if got.Err != nil {
		return nil, at, fmt.Errorf("fetch at offset %d: %w", at, got.Err)
	}
	if next <= at {
		if len(raw.RecordBatches) > 0 {
			return nil, at, fmt.Errorf("fetch at offset %d: %d bytes without a whole batch", at, len(raw.RecordBatches))
		}
		// A broker answers with a batch wherever one is left below the end: the rest is a gap that compaction left.
		return nil, end, nil
	}
	var records []rawlog.Record
	for _, r := range got.Records {
		if r.Offset >= end {
			break
		}
		record := rawlog.Record{
			Partition: f.partition, Offset: r.Offset, Key: r.Key, Value: r.Value, TimestampMillis: r.Timestamp.UnixMilli(),
		}
		for _, h := range r.Headers {
			record.Headers = append(record.Headers, rawlog.Header{Name: h.Key, Value: h.Value})
		}
		records = append(records, record)
	}
	return records, next, nil
}
