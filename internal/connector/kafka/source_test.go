package kafka

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/ubiktest/broker"
	"ubik/internal/ubiktest/rawlog"
)

func TestAllPartitionsAreReadToTheirEnds(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := b.NewTopic(t, "all.of-it_1", 3, nil)
		want := make([][]row, 3)
		for p := range int32(2) { // the third stays empty
			want[p] = rowsOf(b.Produce(t, topic, numbered(p, 0, 9000+int(p))))
		}
		s := newTestSource(t, urlOf(b, topic), connector.Options{})
		at := starts(t, s, true)
		mustOpen(t, s, at)
		for p := range want {
			rows, next := readToEnd(t, s, p)
			wantRows(t, rows, want[p])
			if next.Offset != at[p].Until {
				t.Errorf("part %d ends at %d, want %d", p, next.Offset, at[p].Until)
			}
		}
	})
}

func TestChunksCarryKeysTimesNullsAndHugeRecords(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := b.NewTopic(t, "content", 1, nil)
		b.Produce(t, topic, []rawlog.Record{
			{Key: []byte("a"), Value: []byte("x\x00y"), TimestampMillis: 1234},
			{Key: nil, Value: []byte{}, TimestampMillis: 0, Headers: []rawlog.Header{{Name: "h", Value: []byte("v")}}},
			{Key: []byte{}, Value: nil, TimestampMillis: 5},
			{Key: []byte("b"), Value: []byte(strings.Repeat("z", 11)), TimestampMillis: 6},
		})
		s := newTestSource(t, urlOf(b, topic), connector.Options{WantKeys: true, MaxRecord: 10})
		mustOpen(t, s, starts(t, s, true))
		c, err := s.Read(testContext(t), 0)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range c.Pos {
			key := "null"
			if k := c.Keys[i]; k.Len < 1<<30 {
				key = fmt.Sprintf("%q", c.Data[k.Off:k.Off+k.Len])
			}
			got = append(got, fmt.Sprintf("%d %s=%q %d", c.Pos[i], key, value(c, i), c.LogTime[i]))
		}
		want := `0 "a"="x\x00y" 1234000|1 null="" 0|2 ""="null" 5000|3 "b"="huge" 6000`
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("the chunk is\n%s\nwant\n%s", s, want)
		}
		if !c.End || c.Next.Offset != 4 {
			t.Errorf("End %v, Next %v, want the end at 4", c.End, c.Next)
		}
	})
}

func TestReopenedAtAnyPositionTheSameRecordsFollow(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := b.NewTopic(t, "again", 1, nil)
		records := b.Produce(t, topic, numbered(0, 0, 50))
		b.ProduceAborted(t, topic, numbered(0, 50, 60))
		records = append(records, b.ProduceCommitted(t, topic, numbered(0, 60, 90))...)
		settle(t, b, topic)
		want := rowsOf(records)
		for from := int64(0); from <= 92; from += 7 {
			s := newTestSource(t, urlOf(b, topic), connector.Options{})
			at := starts(t, s, true)
			at[0].From = connector.Position{Offset: from, Epoch: at[0].Epoch}
			mustOpen(t, s, at)
			rows, next := readToEnd(t, s, 0)
			skip := 0
			for skip < len(want) && want[skip].pos < from {
				skip++
			}
			wantRows(t, rows, want[skip:])
			if next.Offset != at[0].Until {
				t.Errorf("from %d the end is at %d, want %d", from, next.Offset, at[0].Until)
			}
		}
	})
}

func TestTheEndIsReachedBehindAnAbortedTransaction(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := b.NewTopic(t, "aborted", 1, nil)
		want := rowsOf(b.Produce(t, topic, numbered(0, 0, 3)))
		b.ProduceAborted(t, topic, numbered(0, 3, 2000))
		settle(t, b, topic)
		s := newTestSource(t, urlOf(b, topic), connector.Options{})
		at := starts(t, s, true)
		if at[0].Until != 2001 {
			t.Fatalf("the end is %d, want 2001: 2,000 records and a marker", at[0].Until)
		}
		mustOpen(t, s, at)
		rows, next := readToEnd(t, s, 0)
		wantRows(t, rows, want)
		if next.Offset != 2001 {
			t.Errorf("the part ends at %d, want 2001", next.Offset)
		}
	})
}

func TestAnOpenTransactionIsTheEndAndIsReported(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := b.NewTopic(t, "open", 1, nil)
		want := rowsOf(b.Produce(t, topic, numbered(0, 0, 3)))
		x := b.Begin(t, broker.FreshName("held"))
		inside := x.Produce(topic, numbered(0, 3, 5))
		behind := b.Produce(t, topic, numbered(0, 5, 7))

		bounded := newTestSource(t, urlOf(b, topic), connector.Options{})
		at := starts(t, bounded, true)
		if at[0].Until != 3 {
			t.Fatalf("the end is %d, want 3: where the open transaction begins", at[0].Until)
		}
		mustOpen(t, bounded, at)
		rows, _ := readToEnd(t, bounded, 0)
		wantRows(t, rows, want)

		h := newHeard()
		s := newTestSource(t, urlOf(b, topic), connector.Options{Logf: h.logf, Client: map[string]string{"fetch.wait.max.ms": "5"}})
		s.link.tune.stallEvery = 0
		at = starts(t, s, false)
		mustOpen(t, s, at)
		rows, _ = readRows(t, s, 0, 3)
		wantRows(t, rows, want)
		h.await(t, fmt.Sprintf("%s/0: an open transaction of a producer holds reading at position 3; the log goes on to 7", topic))
		x.Commit()
		rows, _ = readRows(t, s, 0, 4)
		wantRows(t, rows, rowsOf(append(inside, behind...)))
	})
}

func TestARecordIsHandedOverAsSoonAsItIsThere(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := b.NewTopic(t, "trickle", 2, nil)
		s := newTestSource(t, urlOf(b, topic), connector.Options{})
		mustOpen(t, s, starts(t, s, false))
		for i := range 5 {
			want := rowsOf(b.Produce(t, topic, numbered(1, i, i+1)))
			rows, next := readRows(t, s, 1, 1)
			wantRows(t, rows, want)
			if next.Offset != int64(i+1) {
				t.Errorf("Next is %d, want %d", next.Offset, i+1)
			}
		}
	})
}

func TestReadEndsWithItsContext(t *testing.T) {
	_, b := fake(t)
	topic := b.NewTopic(t, "quiet", 1, nil)
	s := newTestSource(t, urlOf(b, topic), connector.Options{})
	mustOpen(t, s, starts(t, s, false))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Read(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, want that of the context", err)
	}
}

func TestATopicCreatedAgainIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := b.NewTopic(t, "recreated", 1, nil)
		b.Produce(t, topic, numbered(0, 0, 10))
		running := newTestSource(t, urlOf(b, topic), connector.Options{Client: map[string]string{"fetch.wait.max.ms": "5"}})
		at := starts(t, running, false)
		mustOpen(t, running, at)
		readRows(t, running, 0, 10)

		recreate(t, b, topic)
		b.Produce(t, topic, numbered(0, 0, 20))
		msg := "topic " + topic + " was deleted and created again: its positions mean other records than those read"
		try := "start over with a new checkpoint, or name the topic that has the old records"
		wantError(t, readError(t, running, 0), fault.LogChanged, msg, try)
		_, err := running.Partitions(testContext(t))
		wantError(t, err, fault.LogChanged, msg, try)

		later := newTestSource(t, urlOf(b, topic), connector.Options{})
		at[0].From.Offset = 5
		wantError(t, later.Open(testContext(t), at), fault.LogChanged, msg, try)
	})
}

func recreate(t *testing.T, b *broker.Broker, topic string) {
	t.Helper()
	ctx, admin := testContext(t), b.Admin(t)
	old, err := admin.ListTopics(ctx, topic)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := admin.DeleteTopic(ctx, topic); err != nil {
		t.Fatal(err)
	}
	for ctx.Err() == nil { // a real broker takes a moment to forget the name
		if _, err := admin.CreateTopic(ctx, 1, 1, nil, topic); err == nil {
			break
		}
	}
	for ctx.Err() == nil { // and another until all of it knows the new one
		// Until then it may still answer with the old one.
		if topics, err := admin.ListTopics(ctx, topic); err == nil && topics.Has(topic) && topics[topic].ID != old[topic].ID {
			return
		}
	}
	t.Fatal("the topic cannot be created again")
}

func TestADeletedTopicIsTold(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := b.NewTopic(t, "deleted", 1, nil)
		b.Produce(t, topic, numbered(0, 0, 10))
		s := newTestSource(t, urlOf(b, topic), connector.Options{Client: map[string]string{"fetch.wait.max.ms": "5"}})
		s.link.tune.retryMost = 10 * time.Millisecond
		mustOpen(t, s, starts(t, s, false))
		readRows(t, s, 0, 10)
		if _, err := b.Admin(t).DeleteTopic(testContext(t), topic); err != nil {
			t.Fatal(err)
		}
		wantError(t, readError(t, s, 0), fault.LogChanged, "topic "+topic+" was deleted", "start over with a new checkpoint, once the topic is there again")
	})
}

func deleteBefore(t *testing.T, b *broker.Broker, topic string, offset int64) {
	t.Helper()
	var o kadm.Offsets
	o.AddOffset(topic, 0, offset, -1)
	r, err := b.Admin(t).DeleteRecords(testContext(t), o)
	if err == nil {
		err = r.Error()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestRecordsThatAreGoneAreToldWithTheirRange(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := b.NewTopic(t, "expired", 1, nil)
		b.Produce(t, topic, numbered(0, 0, 120))
		s := newTestSource(t, urlOf(b, topic), connector.Options{})
		at := starts(t, s, true)
		deleteBefore(t, b, topic, 100)
		wantError(t, s.Open(testContext(t), at), fault.LogChanged,
			"positions 0–99 of "+topic+"/0 are gone: the log now begins at 100",
			"start over with a new checkpoint; to keep what was counted, raise retention.ms of the topic and restore its records")

		beyond := newTestSource(t, urlOf(b, topic), connector.Options{})
		at[0].From.Offset, at[0].Until = 130, -1
		wantError(t, beyond.Open(testContext(t), at), fault.LogChanged,
			topic+"/0 ends at 120, before the recorded position 130",
			"start over with a new checkpoint: records that were read are not in the log any more")
		at[0].From.Offset, at[0].Until = 110, 130
		wantError(t, beyond.Open(testContext(t), at), fault.LogChanged,
			topic+"/0 ends at 120, before the recorded end 130 of the run",
			"start over with a new checkpoint: records of the run are not in the log any more")
		at[0].Index = 7
		wantError(t, beyond.Open(testContext(t), at), fault.LogChanged,
			topic+"/7 is not there any more: the topic now has 1 partitions", "start over with a new checkpoint")
	})
}

func TestRecordsThatGoWhileAPartitionIsNotReadAreTold(t *testing.T) {
	_, b := fake(t)
	topic := b.NewTopic(t, "expiring", 1, nil)
	value := []byte(strings.Repeat("x", 10_000))
	var records []rawlog.Record
	for range 500 {
		records = append(records, rawlog.Record{Value: value})
	}
	b.Produce(t, topic, records)
	s := newTestSource(t, urlOf(b, topic), connector.Options{Client: map[string]string{"max.partition.fetch.bytes": "100000"}})
	s.link.tune.partBudget = 100_000
	mustOpen(t, s, starts(t, s, false))
	readRows(t, s, 0, 1)
	deleteBefore(t, b, topic, 400)
	_, err := s.Partitions(testContext(t))
	if fault.ClassOf(err) != fault.LogChanged || !strings.Contains(err.Error(), "are gone: the log now begins at 400") {
		t.Errorf("the error is %v, want that positions are gone", err)
	}
	if again := readError(t, s, 0); again != err {
		t.Errorf("reading then says %v, want %v", again, err)
	}
}

func TestACompactedTopicIsRefusedUnlessAccepted(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := b.NewTopic(t, "compacted", 1, map[string]string{"cleanup.policy": "compact,delete"})
		s := newTestSource(t, urlOf(b, topic), connector.Options{})
		_, err := s.Partitions(testContext(t))
		wantError(t, err, fault.Usage,
			"topic "+topic+" is compacted (cleanup.policy=compact,delete): older records of a key vanish at any time, so reading it again gives another result",
			"to read it all the same, write kafka://"+b.Addr+"/"+topic+"?compacted=yes")
		accepted := newTestSource(t, urlOf(b, topic)+"?compacted=yes", connector.Options{})
		if _, err := accepted.Partitions(testContext(t)); err != nil {
			t.Error(err)
		}
	})
}

func TestAnAbsentTopicIsToldWithTheNearestNames(t *testing.T) {
	_, b := fake(t, kfake.SeedTopics(1, "payments", "txns-v1", "txns", "unrelated"))
	s := newTestSource(t, urlOf(b, "txn"), connector.Options{})
	_, err := s.Partitions(testContext(t))
	wantError(t, err, fault.Usage, "kafka at "+b.Addr+" has no topic txn", "did you mean txns, txns-v1?")
	far := newTestSource(t, urlOf(b, "zzzzz"), connector.Options{})
	_, err = far.Partitions(testContext(t))
	wantError(t, err, fault.Usage, "kafka at "+b.Addr+" has no topic zzzzz", "create it, or name one that exists")
}

func TestIdentityIsTheClusterAndTheTopic(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := b.NewTopic(t, "me", 1, nil)
		var source connector.Identified = newTestSource(t, urlOf(b, topic), connector.Options{})
		k, err := Kind.NewSink(urlOf(b, topic), &connector.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer k.Close()
		one, err := source.Identity(testContext(t))
		if err != nil {
			t.Fatal(err)
		}
		two, err := k.(connector.Identified).Identity(testContext(t))
		if err != nil || one != two || !strings.HasSuffix(one, " "+topic) {
			t.Errorf("the identities are %q and %q (%v), want equal ones", one, two, err)
		}
	})
}
