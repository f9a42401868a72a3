package broker

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"ubik/internal/ubiktest/rawlog"
)

// Produce appends records to the partitions they name, with the timestamps they carry, in the order given, outside any transaction.
// It returns when all are acknowledged, and gives the records with their offsets.
func (b *Broker) Produce(tb testing.TB, topic string, records []rawlog.Record) []rawlog.Record {
	tb.Helper()
	return produce(tb, b.Client(tb, producerOptions()...), topic, records)
}

func producerOptions() []kgo.Opt {
	return []kgo.Opt{kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(5 * time.Millisecond)}
}

func produce(tb testing.TB, client *kgo.Client, topic string, records []rawlog.Record) []rawlog.Record {
	tb.Helper()
	ctx, cancel := callContext()
	defer cancel()
	sent := make([]kgo.Record, len(records))
	failed := make(chan error, 1)
	for i, r := range records {
		sent[i] = kgo.Record{
			Topic: topic, Partition: r.Partition, Key: r.Key, Value: r.Value, Timestamp: time.UnixMilli(r.TimestampMillis),
		}
		for _, h := range r.Headers {
			sent[i].Headers = append(sent[i].Headers, kgo.RecordHeader{Key: h.Name, Value: h.Value})
		}
		client.Produce(ctx, &sent[i], func(_ *kgo.Record, err error) {
			if err != nil {
				select {
				case failed <- err:
				default:
				}
			}
		})
	}
	err := client.Flush(ctx)
	select {
	case err = <-failed:
	default:
	}
	if err != nil {
		tb.Fatalf("producing %d records to the topic %s: %v", len(records), topic, err)
	}
	produced := append([]rawlog.Record(nil), records...)
	for i := range produced {
		produced[i].Offset = sent[i].Offset
	}
	return produced
}

// Transaction is an open transaction of a producer. Readers of committed records see nothing of it, nor anything behind it in
// its partitions, until it is committed or aborted. One that is still open at the end of the test is left to the broker's timeout.
type Transaction struct {
	tb     testing.TB
	client *kgo.Client
}

// Begin opens a transaction under a transactional id. Another one of the same id, if open, is thereby aborted.
func (b *Broker) Begin(tb testing.TB, transactionalID string) *Transaction {
	tb.Helper()
	client := b.Client(tb, append(producerOptions(), kgo.TransactionalID(transactionalID), kgo.TransactionTimeout(callWait))...)
	if err := client.BeginTransaction(); err != nil {
		tb.Fatalf("beginning a transaction of %s: %v", transactionalID, err)
	}
	return &Transaction{tb, client}
}

// Produce appends records as [Broker.Produce] does, within the transaction.
func (x *Transaction) Produce(topic string, records []rawlog.Record) []rawlog.Record {
	x.tb.Helper()
	return produce(x.tb, x.client, topic, records)
}

// Commit ends the transaction; its records become visible.
func (x *Transaction) Commit() {
	x.tb.Helper()
	x.end(kgo.TryCommit)
}

// Abort ends the transaction; its records keep their offsets and are never visible to readers of committed records.
func (x *Transaction) Abort() {
	x.tb.Helper()
	x.end(kgo.TryAbort)
}

func (x *Transaction) end(how kgo.TransactionEndTry) {
	x.tb.Helper()
	ctx, cancel := callContext()
	defer cancel()
	if err := x.client.EndTransaction(ctx, how); err != nil {
		x.tb.Fatalf("ending a transaction: %v", err)
	}
	x.client.Close()
}

// ProduceAborted appends records in a transaction of its own and aborts it.
func (b *Broker) ProduceAborted(tb testing.TB, topic string, records []rawlog.Record) {
	tb.Helper()
	x := b.Begin(tb, FreshName("aborting"))
	x.Produce(topic, records)
	x.Abort()
}

// ProduceCommitted appends records in a transaction of its own and commits it. It gives the records with their offsets.
func (b *Broker) ProduceCommitted(tb testing.TB, topic string, records []rawlog.Record) []rawlog.Record {
	tb.Helper()
	x := b.Begin(tb, FreshName("committing"))
	produced := x.Produce(topic, records)
	x.Commit()
	return produced
}
