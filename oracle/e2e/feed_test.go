package e2e

import (
	"context"
	"fmt"
	"maps"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"ubik/internal/ubiktest/broker"
	"ubik/internal/ubiktest/rawlog"
)

// batchBytes bounds a batch of the feed before compression; fetchBytes is what the program is told to ask of a partition at a time while it is to
// be killed. Together they make it go through the log in steps small enough to be killed between.
const (
	batchBytes = 8 << 10
	fetchBytes = "4096"
)

// feed fills a topic with records, stage by stage, in their order. A part of each stage is a committed transaction, and there are aborted ones between.
type feed struct {
	t          *testing.T
	b          *broker.Broker
	topic      string
	partitions int
	producer   *kgo.Client
	left       []rawlog.Record // not produced yet
	produced   int
	aborted    int
}

func newFeed(t *testing.T, b *broker.Broker, partitions int, records []rawlog.Record) *feed {
	t.Helper()
	return newFeedOf(t, b, "txns", partitions, records)
}

// newFeedOf makes a topic whose name begins with base.
func newFeedOf(t *testing.T, b *broker.Broker, base string, partitions int, records []rawlog.Record) *feed {
	t.Helper()
	return &feed{t: t, b: b, topic: b.NewTopic(t, base, partitions, nil), partitions: partitions, left: records}
}

// take gives the next n records; that there are not so many is a fault of the test's sizes.
func (f *feed) take(n int) []rawlog.Record {
	f.t.Helper()
	if n > len(f.left) {
		f.t.Fatalf("%d records are asked for and %d are left of %d: the test needs more", n, len(f.left), f.produced+len(f.left))
	}
	taken := f.left[:n]
	f.left = f.left[n:]
	f.produced += n
	return taken
}

// stage produces the next n records: most of them plainly, some in a transaction, with an aborted one before that.
func (f *feed) stage(n int) {
	f.t.Helper()
	inTransaction := n / 8
	f.plain(n - inTransaction)
	f.abort()
	f.b.ProduceCommitted(f.t, f.topic, f.take(inTransaction))
	settled(f.t, f.b, f.topic)
}

// settled waits until everything in a topic can be read. A commit is answered before it is to be seen, and a broker that is killed between the two can lose it.
func settled(t *testing.T, b *broker.Broker, topic string) {
	t.Helper()
	eventually(t, endWait, "a committed transaction is not to be read", func() bool {
		return maps.Equal(b.Ends(t, topic, broker.Committed), b.Ends(t, topic, broker.Uncommitted))
	})
}

// plain produces the next n records outside any transaction, in small batches: a reader that asks for little at a time gets little.
func (f *feed) plain(n int) {
	f.t.Helper()
	if f.producer == nil {
		f.producer = f.b.Client(f.t, kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchMaxBytes(batchBytes), kgo.DefaultProduceTopic(f.topic))
	}
	ctx, cancel := context.WithTimeout(context.Background(), endWait)
	defer cancel()
	var failed atomic.Pointer[error]
	for _, r := range f.take(n) {
		record := &kgo.Record{Partition: r.Partition, Key: r.Key, Value: r.Value, Timestamp: time.UnixMilli(r.TimestampMillis)}
		for _, h := range r.Headers {
			record.Headers = append(record.Headers, kgo.RecordHeader{Key: h.Name, Value: h.Value})
		}
		f.producer.Produce(ctx, record, func(_ *kgo.Record, err error) {
			if err != nil {
				failed.Store(&err)
			}
		})
	}
	err := f.producer.Flush(ctx)
	if bad := failed.Load(); bad != nil {
		err = *bad
	}
	if err != nil {
		f.t.Fatalf("producing to %s: %v", f.topic, err)
	}
}

// abort produces records of a time far ahead and aborts them: were one of them read, whatever comes after it would be late.
func (f *feed) abort() {
	f.t.Helper()
	f.b.ProduceAborted(f.t, f.topic, f.decoys())
}

func (f *feed) decoys() []rawlog.Record {
	var decoys []rawlog.Record
	for i := range 10 * f.partitions {
		decoys = append(decoys, rawlog.Record{
			Partition: int32(i % f.partitions), Key: fmt.Appendf(nil, "aborted-%d", f.aborted), TimestampMillis: time.Now().UnixMilli(),
			Value: []byte(`{"merchant":"aborted","auth_id":"aborted","amount":1,"currency":"EUR","event_time":"2031-01-01T00:00:00Z"}`),
		})
		f.aborted++
	}
	return decoys
}

// openTail produces the next n records in a transaction that stays open: they are in the log, and no reader of committed records can have read them.
func (f *feed) openTail(n int) *broker.Transaction {
	f.t.Helper()
	x := f.b.Begin(f.t, broker.FreshName("tail"))
	x.Produce(f.topic, f.take(n))
	return x
}

// ends gives the readable end of each partition.
func (f *feed) ends() map[int32]int64 { return f.b.Ends(f.t, f.topic, broker.Committed) }
