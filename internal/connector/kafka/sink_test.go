package kafka

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/ubiktest/broker"
	"ubik/internal/ubiktest/rawlog"
)

func newTestSink(tb testing.TB, b *broker.Broker, topic string, o connector.Options) *sink {
	tb.Helper()
	k, err := Kind.NewSink(urlOf(b, topic), &o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := k.Close(); err != nil {
			tb.Error(err)
		}
	})
	return k.(*sink)
}

func mustOpenSink(tb testing.TB, k *sink, r connector.Resume) {
	tb.Helper()
	if err := k.Open(testContext(tb), r); err != nil {
		tb.Fatal(err)
	}
}

// made gives rows from…to: key, value and time follow from the number.
func made(from, to int) *connector.Rows {
	r := &connector.Rows{First: uint64(from) + 1}
	for i := from; i < to; i++ {
		r.Keys = fmt.Appendf(r.Keys, `{"k":%d}`, i)
		r.KeyEnds = append(r.KeyEnds, uint32(len(r.Keys)))
		r.Values = fmt.Appendf(r.Values, `{"v":%d}`, i)
		r.ValueEnds = append(r.ValueEnds, uint32(len(r.Values)))
		r.Times = append(r.Times, 1_700_000_000_000+int64(i))
	}
	return r
}

func write(tb testing.TB, k *sink, from, to int) {
	tb.Helper()
	if err := k.Write(testContext(tb), made(from, to)); err != nil {
		tb.Fatal(err)
	}
}

func mustFlush(tb testing.TB, k *sink) []byte {
	tb.Helper()
	state, err := k.Flush(testContext(tb))
	if err != nil {
		tb.Fatal(err)
	}
	return state
}

// wantWritten compares the topic with the rows 0…n, each there once.
func wantWritten(tb testing.TB, b *broker.Broker, topic string, n int) {
	tb.Helper()
	seen := make(map[string]rawlog.Record)
	dump := b.Dump(tb, topic, broker.Committed)
	for _, r := range dump {
		seen[string(r.Key)] = r
	}
	if len(dump) != n || len(seen) != n {
		tb.Fatalf("%d records of %d keys are in the topic, want %d", len(dump), len(seen), n)
	}
	for i := range n {
		r := seen[fmt.Sprintf(`{"k":%d}`, i)]
		if string(r.Value) != fmt.Sprintf(`{"v":%d}`, i) || r.TimestampMillis != 1_700_000_000_000+int64(i) || len(r.Headers) != 0 {
			tb.Fatalf("row %d is %v", i, r)
		}
	}
}

func TestAnAbsentTopicIsCreatedCompacted(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := broker.FreshName("created")
		b.RemoveTopic(t, topic)
		k := newTestSink(t, b, topic+"?partitions=3", connector.Options{})
		mustOpenSink(t, k, connector.Resume{})
		write(t, k, 0, 500)
		mustFlush(t, k)
		wantWritten(t, b, topic, 500)
		c, err := b.Admin(t).DescribeTopicConfigs(testContext(t), topic)
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]string)
		for _, e := range c[0].Configs {
			got[e.Key] = e.MaybeValue()
		}
		if got["cleanup.policy"] != "compact" || got["message.timestamp.type"] != "CreateTime" || got["message.timestamp.after.max.ms"] != "9223372036854775807" {
			t.Errorf("the topic's configuration is %v", got)
		}
		if n := len(b.Ends(t, topic, broker.Committed)); n != 3 {
			t.Errorf("the topic has %d partitions, want 3", n)
		}
	})
}

func TestRowsFarFromTheBrokersClockKeepTheirTimes(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := broker.FreshName("times")
		b.RemoveTopic(t, topic)
		h := newHeard()
		k := newTestSink(t, b, topic+"?partitions=1", connector.Options{Logf: h.logf})
		mustOpenSink(t, k, connector.Resume{})
		day := func(year int) int64 { return time.Date(year, 12, 31, 0, 0, 0, 0, time.UTC).UnixMilli() }
		rows := made(0, 6)
		rows.Times = []int64{day(2200), 0, day(1700), -2, day(9999), day(1)}
		if err := k.Write(testContext(t), rows); err != nil {
			t.Fatal(err)
		}
		mustFlush(t, k)
		want := append(rows.Times[:4:4], lastMs, firstMs)
		for i, r := range b.Dump(t, topic, broker.Committed) {
			if r.TimestampMillis != want[i] {
				t.Errorf("row %d has the time %d, want %d", i, r.TimestampMillis, want[i])
			}
		}
		if want := "topic " + topic + ": a row's timestamp 9999-12-31T00:00:00Z lies outside 1677-09-21 to 2262-04-11 and is moved to the edge"; h.text() != want {
			t.Errorf("logged %q, want %q", h.text(), want)
		}
	})
}

func TestTheStateIsTheTopicsIdentity(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := broker.FreshName("state")
		b.RemoveTopic(t, topic)
		first := newTestSink(t, b, topic+"?partitions=4", connector.Options{})
		mustOpenSink(t, first, connector.Resume{})
		state := mustFlush(t, first)
		write(t, first, 0, 10)
		again := mustFlush(t, first)
		if string(again[:stateHead]) != string(state[:stateHead]) || len(state) != stateHead+4*8 {
			t.Errorf("the state is %x, then %x", state, again)
		}
		id, ends, err := parseState(again)
		for i, end := range b.Ends(t, topic, broker.Committed) {
			if ends[i] != end {
				t.Errorf("partition %d ends at %d, by the state at %d", i, end, ends[i])
			}
		}
		if id != first.id || err != nil {
			t.Errorf("the state has the topic %v, %v", id, err)
		}

		lost := newTestSink(t, b, topic, connector.Options{})
		err = lost.Open(testContext(t), connector.Resume{})
		if fault.ClassOf(err) != fault.Sink || !strings.HasPrefix(err.Error(), "topic "+topic+" already holds records ("+topic+"/") ||
			!strings.HasSuffix(err.Error(), ", and there is no checkpoint that says they are this job's") {
			t.Errorf("the error is %v, want that records are there", err)
		}
		mustOpenSink(t, newTestSink(t, b, topic, connector.Options{}), connector.Resume{Fresh: true})
		mustOpenSink(t, newTestSink(t, b, topic, connector.Options{}), connector.Resume{Resumed: true})
		mustOpenSink(t, newTestSink(t, b, topic, connector.Options{}), connector.Resume{Resumed: true, State: state})

		if _, err := b.Admin(t).CreatePartitions(testContext(t), 4, topic); err != nil {
			t.Fatal(err)
		}
		resumed := connector.Resume{Resumed: true, State: state}
		wantError(t, newTestSink(t, b, topic, connector.Options{}).Open(testContext(t), resumed), fault.Sink,
			"topic "+topic+" has 8 partitions, the checkpoint knows 4: keys would move", "start over with a new checkpoint and another topic")
		recreate(t, b, topic)
		wantError(t, newTestSink(t, b, topic, connector.Options{}).Open(testContext(t), resumed), fault.Sink,
			"topic "+topic+" was deleted and created again since the checkpoint: the rows written before are gone", "start over with a new checkpoint and another topic")
		gone := broker.FreshName("gone")
		wantError(t, newTestSink(t, b, gone, connector.Options{}).Open(testContext(t), resumed), fault.Sink,
			"topic "+gone+" was deleted since the checkpoint", "restore the topic, or start over with a new checkpoint")
		resumed.State = []byte("?")
		wantError(t, newTestSink(t, b, topic, connector.Options{}).Open(testContext(t), resumed), fault.Checkpoint,
			"the checkpoint's state of the Kafka sink cannot be read", "resume with the version of the program that wrote it")
	})
}

// Transactions that were rolled back leave positions, and no records.
func TestATopicOfNothingButAbortedTransactionsIsEmpty(t *testing.T) {
	b := broker.Shared(t)
	topic := b.NewTopic(t, "aborted", 2, map[string]string{"cleanup.policy": "compact"})
	b.ProduceAborted(t, topic, append(numbered(0, 0, 10), numbered(1, 0, 10)...))
	settle(t, b, topic)
	k := newTestSink(t, b, topic, connector.Options{})
	mustOpenSink(t, k, connector.Resume{})
	write(t, k, 0, 10)
	mustFlush(t, k)
	wantWritten(t, b, topic, 10)

	refused := func(topic string) {
		t.Helper()
		err := newTestSink(t, b, topic, connector.Options{}).Open(testContext(t), connector.Resume{})
		if fault.ClassOf(err) != fault.Sink || !strings.HasPrefix(err.Error(), "topic "+topic+" already holds records ("+topic+"/1: positions 0 to ") {
			t.Errorf("the error is %v", err)
		}
	}
	topic = b.NewTopic(t, "open", 2, map[string]string{"cleanup.policy": "compact"})
	x := b.Begin(t, topic)
	x.Produce(topic, numbered(1, 0, 3))
	refused(topic)
	x.Abort()
	settle(t, b, topic)
	mustOpenSink(t, newTestSink(t, b, topic, connector.Options{}), connector.Resume{})
	b.ProduceCommitted(t, topic, numbered(1, 3, 4))
	refused(topic)
}

func TestATopicWithTheBrokersTimestampsIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := b.NewTopic(t, "logtime", 1, map[string]string{"message.timestamp.type": "LogAppendTime", "cleanup.policy": "compact"})
		wantError(t, newTestSink(t, b, topic, connector.Options{}).Open(testContext(t), connector.Resume{}), fault.Sink,
			"topic "+topic+" has message.timestamp.type=LogAppendTime: a row written again after a crash would get another timestamp",
			"set message.timestamp.type=CreateTime on the topic, or name another")
	})
}

func TestATopicThatIsNotCompactedIsWarnedOf(t *testing.T) {
	_, b := fake(t)
	topic := b.NewTopic(t, "kept", 1, nil)
	h := newHeard()
	mustOpenSink(t, newTestSink(t, b, topic, connector.Options{Logf: h.logf}), connector.Resume{})
	if want := "topic " + topic + " is not compacted (cleanup.policy=delete): a row written again after a crash stays twice; readers must take the last of each key"; h.text() != want {
		t.Errorf("logged %q, want %q", h.text(), want)
	}
}

func TestARowLargerThanTheTopicTakesIsTold(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := b.NewTopic(t, "small", 1, map[string]string{"cleanup.policy": "compact", "max.message.bytes": "5000"})
		k := newTestSink(t, b, topic, connector.Options{Client: map[string]string{"compression.type": "none"}})
		mustOpenSink(t, k, connector.Resume{})
		value := strings.Repeat("x", 6000)
		rows := &connector.Rows{Keys: []byte("k"), KeyEnds: []uint32{1}, Values: []byte(value), ValueEnds: []uint32{6000}, Times: []int64{1}}
		msg := "a row of 6001 bytes is larger than topic " + topic + " takes (max.message.bytes=5000)"
		if err := k.Write(testContext(t), rows); err != nil {
			wantError(t, err, fault.Sink, msg, "raise max.message.bytes of the topic")
		}
		_, err := k.Flush(testContext(t))
		wantError(t, err, fault.Sink, msg, "raise max.message.bytes of the topic")
		if again := k.Write(testContext(t), made(0, 1)); again != err {
			t.Errorf("the next Write says %v, want the same error", again)
		}
	})
}

func TestALargeRowIsWrittenWhereTheTopicTakesIt(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := b.NewTopic(t, "large", 1, map[string]string{"cleanup.policy": "compact", "max.message.bytes": "30000000"})
		k := newTestSink(t, b, topic, connector.Options{Client: map[string]string{"compression.type": "none"}})
		mustOpenSink(t, k, connector.Resume{})
		value := strings.Repeat("x", 20<<20)
		rows := &connector.Rows{Keys: []byte("k"), KeyEnds: []uint32{1}, Values: []byte(value), ValueEnds: []uint32{20 << 20}, Times: []int64{1}}
		if err := k.Write(testContext(t), rows); err != nil {
			t.Fatal(err)
		}
		mustFlush(t, k)
		s := newTestSource(t, urlOf(b, topic)+"?compacted=yes", connector.Options{})
		mustOpen(t, s, starts(t, s, true))
		got, _ := readToEnd(t, s, 0)
		if len(got) != 1 || got[0].value != value {
			t.Errorf("%d records are read back", len(got))
		}
	})
}

func TestATimestampThatTheBrokerRefusesIsTold(t *testing.T) {
	b := broker.Shared(t)
	topic := b.NewTopic(t, "clock", 1, map[string]string{"cleanup.policy": "compact", "message.timestamp.after.max.ms": "1000"})
	k := newTestSink(t, b, topic, connector.Options{})
	mustOpenSink(t, k, connector.Resume{})
	rows := made(0, 1)
	rows.Times[0] = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	if err := k.Write(testContext(t), rows); err != nil {
		t.Fatal(err)
	}
	_, err := k.Flush(testContext(t))
	wantError(t, err, fault.Sink,
		"topic "+topic+" refuses a row's timestamp 2200-01-01T00:00:00Z: it is too far from the broker's clock (message.timestamp.after.max.ms, message.timestamp.before.max.ms)",
		"set message.timestamp.after.max.ms and message.timestamp.before.max.ms of the topic to 9223372036854775807")
}

func TestRefusalsAndOutagesOfTheBrokerAreToldApart(t *testing.T) {
	cases := map[*kerr.Error]struct {
		class fault.Class
		text  string
	}{
		kerr.TopicAuthorizationFailed: {fault.Sink, "is not permitted to this user"},
		kerr.InvalidTimestamp:         {fault.Sink, "refuses a row's timestamp"},
		kerr.MessageTooLarge:          {fault.Sink, "is larger than topic"},
		kerr.PolicyViolation:          {fault.Sink, "refuses a row"},
		kerr.InvalidRecord:            {fault.Sink, "refuses a row"},
	}
	for e, want := range cases {
		t.Run(e.Message, func(t *testing.T) {
			c, b := fake(t)
			topic := b.NewTopic(t, "refused", 1, map[string]string{"cleanup.policy": "compact"})
			k := newTestSink(t, b, topic, connector.Options{})
			mustOpenSink(t, k, connector.Resume{})
			c.ControlKey(0, func(kreq kmsg.Request) (kmsg.Response, error, bool) {
				c.KeepControl()
				req := kreq.(*kmsg.ProduceRequest)
				resp := req.ResponseKind().(*kmsg.ProduceResponse)
				for _, rt := range req.Topics {
					pt := kmsg.NewProduceResponseTopic()
					pt.Topic, pt.TopicID = rt.Topic, rt.TopicID
					for _, rp := range rt.Partitions {
						pp := kmsg.NewProduceResponseTopicPartition()
						pp.Partition, pp.ErrorCode = rp.Partition, e.Code
						pt.Partitions = append(pt.Partitions, pp)
					}
					resp.Topics = append(resp.Topics, pt)
				}
				return resp, nil, true
			})
			write(t, k, 0, 1)
			_, err := k.Flush(testContext(t))
			if fault.ClassOf(err) != want.class || !strings.Contains(err.Error(), want.text) {
				t.Errorf("the error is %v: %v, want %v: …%s…", fault.ClassOf(err), err, want.class, want.text)
			}
		})
	}
}

func TestASilentBrokerEndsTheRunAfterTheDeliveryTimeout(t *testing.T) {
	c, b := fake(t)
	topic := b.NewTopic(t, "silent", 1, map[string]string{"cleanup.policy": "compact"})
	h := newHeard()
	k := newTestSink(t, b, topic, connector.Options{Logf: h.logf, Client: map[string]string{"delivery.timeout.ms": "1000"}})
	k.link.tune.notice = 50 * time.Millisecond
	line := &lossy{}
	k.link.tune.dial = line.dial
	mustOpenSink(t, k, connector.Resume{})
	write(t, k, 0, 1)
	mustFlush(t, k)
	line.closes(c)
	write(t, k, 1, 3)
	_, err := k.Flush(testContext(t))
	text, told := strings.CutPrefix(fmt.Sprint(err), "kafka at "+b.Addr+" has not acknowledged rows of topic "+topic+" for ")
	text, _, _ = strings.Cut(text, " (")
	if silence, e := time.ParseDuration(text); fault.ClassOf(err) != fault.Retryable || !told || e != nil || silence < time.Second {
		t.Errorf("the error is %v, want that nothing is acknowledged", err)
	}
	h.await(t, "waiting for kafka at "+b.Addr+" to acknowledge 2 rows of topic "+topic+" …")
}

func TestFlushEndsWithItsContext(t *testing.T) {
	c, b := fake(t)
	topic := b.NewTopic(t, "patient", 1, map[string]string{"cleanup.policy": "compact"})
	k := newTestSink(t, b, topic, connector.Options{})
	mustOpenSink(t, k, connector.Resume{})
	c.Close()
	write(t, k, 0, 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := k.Flush(ctx); err != context.Canceled {
		t.Errorf("the error is %v, want that of the context", err)
	}
}

func TestTheHookIsCalledForEachRow(t *testing.T) {
	_, b := fake(t)
	topic := b.NewTopic(t, "hook", 1, map[string]string{"cleanup.policy": "compact"})
	var calls []string
	k := newTestSink(t, b, topic, connector.Options{Fault: func(phase string) { calls = append(calls, phase) }})
	mustOpenSink(t, k, connector.Resume{})
	write(t, k, 0, 3)
	if got := strings.Join(calls, ","); got != "sink write,sink write,sink write" {
		t.Errorf("the hook heard %q", got)
	}
}

// The hashes are those that the Java client's tests pin.
func TestKeysGoToThePartitionsOfTheJavaClient(t *testing.T) {
	_, b := fake(t)
	topic := b.NewTopic(t, "murmur", 1000, map[string]string{"cleanup.policy": "compact"})
	k := newTestSink(t, b, topic, connector.Options{})
	mustOpenSink(t, k, connector.Resume{})
	want := map[string]int32{ // murmur2 as a signed number; the partition is its low 31 bits, modulo
		"21": -973932308, "foobar": -790332482, "a-little-bit-long-string": -985981536, "a-little-bit-longer-string": -1486304829,
		"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971, "abc": 479470107,
	}
	rows := &connector.Rows{}
	for _, key := range sortedKeys(want) {
		rows.Keys = append(rows.Keys, key...)
		rows.KeyEnds = append(rows.KeyEnds, uint32(len(rows.Keys)))
		rows.ValueEnds = append(rows.ValueEnds, 0)
		rows.Times = append(rows.Times, 1)
	}
	if err := k.Write(testContext(t), rows); err != nil {
		t.Fatal(err)
	}
	mustFlush(t, k)
	cl := b.Client(t, kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	ctx := testContext(t)
	for seen := 0; seen < len(want); {
		fs := cl.PollFetches(ctx)
		if err := fs.Err(); err != nil {
			t.Fatal(err)
		}
		fs.EachRecord(func(r *kgo.Record) {
			seen++
			if p := (want[string(r.Key)] & 0x7fffffff) % 1000; r.Partition != p {
				t.Errorf("key %q is in partition %d, want %d", r.Key, r.Partition, p)
			}
			if r.Value == nil {
				t.Errorf("the empty value of %q became a tombstone", r.Key)
			}
		})
	}
}

func TestWriteBlocksOnlyWhileTheBufferIsFull(t *testing.T) {
	_, b := fake(t)
	topic := b.NewTopic(t, "buffer", 1, map[string]string{"cleanup.policy": "compact"})
	k := newTestSink(t, b, topic, connector.Options{Client: map[string]string{"compression.type": "none"}})
	mustOpenSink(t, k, connector.Resume{})
	value := strings.Repeat("x", 500_000)
	rows := &connector.Rows{}
	for range 100 { // 50 MB, more than the buffer holds
		rows.KeyEnds = append(rows.KeyEnds, 0)
		rows.Values = append(rows.Values, value...)
		rows.ValueEnds = append(rows.ValueEnds, uint32(len(rows.Values)))
		rows.Times = append(rows.Times, 1)
	}
	if err := k.Write(testContext(t), rows); err != nil {
		t.Fatal(err)
	}
	mustFlush(t, k)
	if k.buffered.Load() != 0 {
		t.Errorf("%d bytes are still accounted for", k.buffered.Load())
	}
	ends, err := b.Admin(t).ListEndOffsets(testContext(t), topic)
	if err != nil {
		t.Fatal(err)
	}
	if o, _ := ends.Lookup(topic, 0); o.Offset != 100 {
		t.Errorf("%d rows are in the topic, want 100", o.Offset)
	}
}
