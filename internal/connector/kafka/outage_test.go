package kafka

import (
	"context"
	"net"
	"reflect"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/ubiktest/broker"
	"ubik/internal/ubiktest/rawlog"
)

func TestAnUnreachableBrokerIsWaitedForVisiblyAndNotForEver(t *testing.T) {
	addr := broker.Nobody(t)
	h := newHeard()
	s := newTestSource(t, "kafka://"+addr+"/t", connector.Options{Logf: h.logf})
	s.link.tune.notice, s.link.tune.patience = time.Millisecond, 400*time.Millisecond
	_, err := s.Partitions(testContext(t))
	wantError(t, err, fault.Retryable,
		"kafka at "+addr+" could not be used for 400ms: unable to dial: dial tcp "+addr+": connect: connection refused",
		"check the address and that the broker runs; then run the same command again")
	h.await(t, "waiting for kafka at "+addr+" …")
}

// Questions that fail one after the other are one outage.
func TestAnOutageIsAsLongAsAllQuestionsThatFailed(t *testing.T) {
	c, b := fake(t, kfake.SeedTopics(1, "t"))
	s := newTestSource(t, urlOf(b, "t"), connector.Options{})
	s.link.tune.patience = 700 * time.Millisecond
	line := &lossy{}
	s.link.tune.dial = line.dial
	starts(t, s, false)
	line.closes(c)
	began, before := time.Now(), time.Duration(0)
	for range 3 {
		_, err := s.Partitions(testContext(t))
		if err == nil {
			t.Fatal("there is an answer")
		}
		text, ok := strings.CutPrefix(err.Error(), "kafka at "+b.Addr+" could not be used for ")
		text, _, _ = strings.Cut(text, ": ")
		d, e := time.ParseDuration(text)
		if !ok || e != nil || d < before || d > time.Since(began)+500*time.Millisecond { // it is rounded
			t.Errorf("%v, after %v and %v", err, before, time.Since(began))
		}
		before = max(d, time.Second)
	}
}

func TestABrokerThatNeverAnswersIsNotWaitedForForEver(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts, nobody answers
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := newTestSource(t, "kafka://"+l.Addr().String()+"/t", connector.Options{})
	s.link.tune.patience = 300 * time.Millisecond
	_, err = s.Partitions(testContext(t))
	wantError(t, err, fault.Retryable, "kafka at "+l.Addr().String()+" could not be used for 300ms: no answer",
		"check the address and that the broker runs; then run the same command again")
}

func TestAnOutageWhileReadingEndsTheRunAfterItsTime(t *testing.T) {
	c, b := fake(t)
	topic := b.NewTopic(t, "lost", 1, nil)
	b.Produce(t, topic, numbered(0, 0, 3))
	h := newHeard()
	s := newTestSource(t, urlOf(b, topic), connector.Options{Logf: h.logf})
	s.link.tune.notice, s.link.tune.outage, s.link.tune.retryFirst, s.link.tune.retryMost = 0, 500*time.Millisecond, time.Millisecond, 10*time.Millisecond
	line := &lossy{}
	s.link.tune.dial = line.dial
	mustOpen(t, s, starts(t, s, false))
	readRows(t, s, 0, 3)
	line.closes(c)
	err := readError(t, s, 0)
	if fault.ClassOf(err) != fault.Retryable || !strings.Contains(err.Error(), "kafka at "+b.Addr+" could not be used for ") {
		t.Errorf("the error is %v, want an outage", err)
	}
	h.await(t, "waiting for kafka at "+b.Addr+" … (")
}

func TestLeaderMovesLoseAndRepeatNothing(t *testing.T) {
	c, b := fake(t, kfake.NumBrokers(3))
	topic := b.NewTopic(t, "moving", 2, nil)
	s := newTestSource(t, urlOf(b, topic), connector.Options{Client: map[string]string{"fetch.wait.max.ms": "20"}})
	s.link.tune.retryFirst = time.Millisecond
	mustOpen(t, s, starts(t, s, false))
	for round := range 12 {
		var want [2][]row
		for p := range int32(2) {
			want[p] = rowsOf(b.Produce(t, topic, numbered(p, 100*round, 100*round+100)))
		}
		if err := c.MoveTopicPartition(topic, int32(round%2), int32(round%3)); err != nil {
			t.Fatal(err)
		}
		for p := range want {
			rows, _ := readRows(t, s, p, 100)
			wantRows(t, rows, want[p])
		}
	}
}

func TestALogThatWasCutAtALeaderChangeIsTold(t *testing.T) {
	c, b := fake(t, kfake.NumBrokers(2))
	topic := b.NewTopic(t, "cut", 1, nil)
	b.Produce(t, topic, numbered(0, 0, 10))
	s := newTestSource(t, urlOf(b, topic), connector.Options{})
	s.link.tune.retryFirst = time.Millisecond
	at := starts(t, s, false)
	mustOpen(t, s, at)
	_, next := readRows(t, s, 0, 10)
	cut := func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		req := kreq.(*kmsg.OffsetForLeaderEpochRequest)
		resp := req.ResponseKind().(*kmsg.OffsetForLeaderEpochResponse)
		rt := kmsg.NewOffsetForLeaderEpochResponseTopic()
		rt.Topic = topic
		rp := kmsg.NewOffsetForLeaderEpochResponseTopicPartition()
		rp.LeaderEpoch, rp.EndOffset = req.Topics[0].Partitions[0].LeaderEpoch, 7
		rt.Partitions = append(rt.Partitions, rp)
		resp.Topics = append(resp.Topics, rt)
		return resp, nil, true
	}
	c.ControlKey(23, cut)
	if err := c.MoveTopicPartition(topic, 0, 1-c.LeaderFor(topic, 0)); err != nil {
		t.Fatal(err)
	}
	msg := "positions 7–9 of " + topic + "/0 were replaced: the leader's history agrees with what was read only up to 7"
	try := "start over with a new checkpoint: records that were read are not in the log any more"
	wantError(t, readError(t, s, 0), fault.LogChanged, msg, try)

	later := newTestSource(t, urlOf(b, topic), connector.Options{})
	at[0].From = next
	wantError(t, later.Open(testContext(t), at), fault.LogChanged, msg, try)
}

// A broker may come back between the first look and the comparison: by then its leader epoch is another.
func TestALeaderThatChangesWhileHistoriesAreComparedIsAskedAgain(t *testing.T) {
	c, b := fake(t, kfake.NumBrokers(2))
	topic := b.NewTopic(t, "moved", 1, nil)
	b.Produce(t, topic, numbered(0, 0, 10))
	s := newTestSource(t, urlOf(b, topic), connector.Options{})
	at := starts(t, s, false)
	mustOpen(t, s, at)
	_, at[0].From = readRows(t, s, 0, 10)
	want := rowsOf(b.Produce(t, topic, numbered(0, 10, 20)))

	leader := c.LeaderFor(topic, 0)
	var moved atomic.Bool
	c.ControlKey(23, func(kmsg.Request) (kmsg.Response, error, bool) {
		if !moved.Swap(true) {
			c.SleepControl(func() {
				if err := c.MoveTopicPartition(topic, 0, 1-leader); err != nil {
					t.Error(err)
				}
			})
		}
		return nil, nil, false
	})
	later := newTestSource(t, urlOf(b, topic), connector.Options{})
	later.link.tune.patience, later.link.tune.retryFirst = 5*time.Second, time.Millisecond
	mustOpen(t, later, at)
	rows, _ := readRows(t, later, 0, 10)
	wantRows(t, rows, want)
}

func TestABrokerRestartLosesAndRepeatsNothingThatIsRead(t *testing.T) {
	b := broker.StartOwn(t)
	topic := b.NewTopic(t, "restart", 1, nil)
	s := newTestSource(t, urlOf(b, topic), connector.Options{})
	mustOpen(t, s, starts(t, s, false))
	for round := range 2 {
		want := rowsOf(b.Produce(t, topic, numbered(0, 1000*round, 1000*round+1000)))
		rows, _ := readRows(t, s, 0, 500)
		b.Kill(t)
		b.Restart(t)
		for len(rows) < len(want) {
			more, _ := readRows(t, s, 0, 1)
			rows = append(rows, more...)
		}
		wantRows(t, rows, want)
	}
}

// A broker that is killed after it has taken rows and before it has said so gets them again. It knows of each producer only
// its last batch by then, and not even that where the newest row's time is a day ago (producer.id.expiration.ms): what it
// does not know stands there twice. Whoever takes the latest of each key sees no difference: the rows are the same, and
// behind the repeated ones all others follow in order.
func TestRowsWrittenAgainToARestartedBrokerAreTheSameInOrder(t *testing.T) {
	b := broker.StartOwn(t)
	for _, c := range []struct {
		name    string
		ago     time.Duration // of the rows' times
		batches int           // that are not acknowledged
		again   bool
	}{
		{"one batch of now", 0, 1, false},
		{"one batch of long ago", 48 * time.Hour, 1, true},
		{"several batches", 0, 3, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			topic := b.NewTopic(t, "again", 1, map[string]string{"cleanup.policy": "compact"})
			k := newTestSink(t, b, topic, connector.Options{})
			line := &lossy{}
			k.link.tune.dial = line.dial
			mustOpenSink(t, k, connector.Resume{})
			var want []rawlog.Record
			put := func() {
				t.Helper()
				from := len(want)
				rows := made(from, from+100)
				for i := range rows.Times {
					rows.Times[i] = time.Now().Add(-c.ago).UnixMilli()
					want = append(want, rawlog.Record{Key: rows.Key(i), Value: rows.Value(i), TimestampMillis: rows.Times[i]})
				}
				if err := k.Write(testContext(t), rows); err != nil {
					t.Fatal(err)
				}
			}
			put()
			mustFlush(t, k)
			line.losing.Store(true)
			for range c.batches {
				put()
				look := time.NewTicker(time.Millisecond)
				defer look.Stop()
				for ctx := testContext(t); b.Ends(t, topic, broker.Committed)[0] < int64(len(want)); {
					select {
					case <-look.C:
					case <-ctx.Done():
						t.Fatalf("the rows up to %d are not in the topic", len(want))
					}
				}
			}
			b.Kill(t)
			line.losing.Store(false)
			put()
			b.Restart(t)
			mustFlush(t, k)

			dump, again := b.Dump(t, topic, broker.Committed), false
			for next, i := 0, 0; i < len(dump); i++ {
				r := dump[i]
				r.Offset = 0
				if next == len(want) || string(r.Key) != string(want[next].Key) {
					if again || next == 100 {
						t.Fatalf("record %d is %v, where row %d is due", i, r, next)
					}
					again, next = true, 100 // where the rows begin that were not acknowledged
				}
				if !reflect.DeepEqual(r, want[next]) {
					t.Fatalf("record %d is %v, want row %d: %v", i, r, next, want[next])
				}
				if next++; i == len(dump)-1 && next < len(want) {
					t.Fatalf("rows from %d on are not there", next)
				}
			}
			if again != c.again {
				t.Errorf("rows written again stand there twice: %v, want %v", again, c.again)
			}
		})
	}
}

// lossy is a line to a broker on which answers can be lost: while they are, who waits for one waits on.
type lossy struct{ losing, gone atomic.Bool }

// closes ends the broker for good: somebody else may soon have its port.
func (l *lossy) closes(c *kfake.Cluster) {
	l.gone.Store(true)
	c.Close()
}

type lossyConn struct {
	net.Conn
	line *lossy
}

func (l *lossy) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if l.gone.Load() {
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	}
	c, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return lossyConn{c, l}, nil
}

func (c lossyConn) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if err != nil || !c.line.losing.Load() {
			return n, err
		}
	}
}

func TestMemoryStaysBoundedWhilePartitionsAreNotRead(t *testing.T) {
	_, b := fake(t)
	topic := b.NewTopic(t, "wide", 40, nil)
	value := []byte(strings.Repeat("x", 10_000))
	want := make([][]row, 40)
	for p := range int32(40) {
		records := numbered(p, 0, 30)
		for i := range records {
			records[i].Value = value
		}
		want[p] = rowsOf(b.Produce(t, topic, records))
	}
	s := newTestSource(t, urlOf(b, topic), connector.Options{Client: map[string]string{"max.partition.fetch.bytes": "20000", "fetch.max.bytes": "50000", "fetch.wait.max.ms": "5"}})
	s.link.tune.budget, s.link.tune.partBudget = 200_000, 50_000
	mustOpen(t, s, starts(t, s, true))
	most := func() {
		t.Helper()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.queued > 200_000+50_000+20_000 {
			t.Fatalf("%d bytes are queued, more than the budget and one answer", s.queued)
		}
	}
	for p := 39; p >= 0; p-- { // what is asked for first is read last
		most()
		rows, _ := readToEnd(t, s, p)
		most()
		wantRows(t, rows, want[p])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queued != 0 {
		t.Errorf("%d bytes are still accounted for at the end", s.queued)
	}
}
