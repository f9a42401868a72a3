package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"ubik/internal/codec"
	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/ubiktest/broker"
	"ubik/internal/ubiktest/rawlog"
)

func TestMain(m *testing.M) { broker.Main(m) }

// limit bounds every wait of a test; nothing that works comes near it.
const limit = 60 * time.Second

func testContext(tb testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	tb.Cleanup(cancel)
	return ctx
}

// fake gives an in-process cluster, and the same helpers for it that a real broker has.
func fake(tb testing.TB, opts ...kfake.Opt) (*kfake.Cluster, *broker.Broker) {
	tb.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.Close)
	return c, &broker.Broker{Addr: c.ListenAddrs()[0]}
}

// onBoth runs a test on the in-process cluster and on a real broker.
func onBoth(t *testing.T, f func(t *testing.T, b *broker.Broker)) {
	t.Run("kfake", func(t *testing.T) {
		_, b := fake(t)
		f(t, b)
	})
	t.Run("kafka", func(t *testing.T) { f(t, broker.Shared(t)) })
}

// heard collects what is logged.
type heard struct {
	mu    sync.Mutex
	lines []string
	more  chan struct{}
}

func newHeard() *heard { return &heard{more: make(chan struct{}, 1)} }

func (h *heard) logf(format string, args ...any) {
	h.mu.Lock()
	h.lines = append(h.lines, fmt.Sprintf(format, args...))
	h.mu.Unlock()
	signal(h.more)
}

func (h *heard) text() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.lines, "\n")
}

// await returns when a line with that text has been logged.
func (h *heard) await(t *testing.T, text string) {
	t.Helper()
	timeout := time.After(limit)
	for !strings.Contains(h.text(), text) {
		select {
		case <-h.more:
		case <-timeout:
			t.Fatalf("%q is not logged, only:\n%s", text, h.text())
		}
	}
}

func urlOf(b *broker.Broker, topic string) string { return "kafka://" + b.Addr + "/" + topic }

// newTestSource gives a source that is closed at the end, and whose goroutines must end by it.
func newTestSource(tb testing.TB, address string, o connector.Options) *source {
	tb.Helper()
	s, err := Kind.NewSource(address, &o)
	if err != nil {
		tb.Fatal(err)
	}
	open.Add(1)
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
		if open.Add(-1) == 0 {
			noGoroutines(tb)
		}
	})
	return s.(*source)
}

// open counts the sources of the running test.
var open atomic.Int32

// noGoroutines fails when a goroutine of this package is left: Close waits for them.
func noGoroutines(tb testing.TB) {
	tb.Helper()
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for _, own := range []string{"(*fetcher).run", "(*source).refresher", "(*link).patient"} {
		if strings.Contains(string(stacks), own) {
			tb.Errorf("goroutine %s is still there after Close", own)
		}
	}
}

// starts asks for the partitions, to be read from their beginning to their present end or without one.
func starts(tb testing.TB, s *source, bounded bool) []connector.Start {
	tb.Helper()
	parts, err := s.Partitions(testContext(tb))
	if err != nil {
		tb.Fatal(err)
	}
	at := make([]connector.Start, len(parts))
	for i, p := range parts {
		at[i] = connector.Start{Partition: p, From: connector.Position{Offset: p.Earliest, Epoch: -1}, Until: -1}
		if bounded {
			at[i].Until = p.End
		}
	}
	return at
}

func mustOpen(tb testing.TB, s *source, at []connector.Start) {
	tb.Helper()
	if err := s.Open(testContext(tb), at); err != nil {
		tb.Fatal(err)
	}
}

// row is a record as a chunk gives it.
type row struct {
	pos   int64
	value string
}

func value(c *connector.Chunk, i int) string {
	switch sp := c.Spans[i]; sp.Len {
	case codec.NullLen:
		return "null"
	case codec.HugeLen:
		return "huge"
	default:
		return string(c.Data[sp.Off : sp.Off+sp.Len])
	}
}

// readToEnd reads a bounded part and returns its records and the position behind.
func readToEnd(tb testing.TB, s *source, p int) ([]row, connector.Position) {
	tb.Helper()
	ctx := testContext(tb)
	var rows []row
	for {
		c, err := s.Read(ctx, p)
		if err != nil {
			tb.Fatalf("reading part %d after %d records: %v", p, len(rows), err)
		}
		rows = appendRows(rows, c)
		next, end := c.Next, c.End
		c.Release()
		if end {
			return rows, next
		}
	}
}

func appendRows(rows []row, c *connector.Chunk) []row {
	for i, pos := range c.Pos {
		rows = append(rows, row{pos, value(c, i)})
	}
	return rows
}

// readRows reads until n records are there.
func readRows(tb testing.TB, s *source, p, n int) ([]row, connector.Position) {
	tb.Helper()
	ctx := testContext(tb)
	var rows []row
	var next connector.Position
	for len(rows) < n {
		c, err := s.Read(ctx, p)
		if err != nil {
			tb.Fatalf("reading part %d after %d records: %v", p, len(rows), err)
		}
		rows = appendRows(rows, c)
		next = c.Next
		c.Release()
	}
	return rows, next
}

// readError reads until an error comes.
func readError(tb testing.TB, s *source, p int) error {
	tb.Helper()
	ctx := testContext(tb)
	for {
		c, err := s.Read(ctx, p)
		if err != nil {
			return err
		}
		c.Release()
	}
}

func numbered(partition int32, from, to int) []rawlog.Record {
	var out []rawlog.Record
	for i := from; i < to; i++ {
		out = append(out, rawlog.Record{Partition: partition, Key: fmt.Appendf(nil, "k%d", i), Value: fmt.Appendf(nil, "v%d", i), TimestampMillis: 1_700_000_000_000 + int64(i)})
	}
	return out
}

func rowsOf(records []rawlog.Record) []row {
	var out []row
	for _, r := range records {
		out = append(out, row{r.Offset, string(r.Value)})
	}
	return out
}

func wantRows(tb testing.TB, got, want []row) {
	tb.Helper()
	if len(got) != len(want) {
		tb.Fatalf("%d records are read, want %d: %v", len(got), len(want), shorten(got))
	}
	for i := range got {
		if got[i] != want[i] {
			tb.Fatalf("record %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func shorten(rows []row) []row { return rows[:min(20, len(rows))] }

// wantError pins class, message and advice of an error.
func wantError(tb testing.TB, err error, class fault.Class, msg, try string) {
	tb.Helper()
	var f *fault.Error
	if !errors.As(err, &f) {
		tb.Fatalf("the error is %v, want a fault: %s", err, msg)
	}
	if f.Class != class || f.Msg != msg || f.Try != try {
		tb.Fatalf("the error is\n%v: %s\n%s\nwant\n%v: %s\n%s", f.Class, f.Msg, f.Try, class, msg, try)
	}
}

// settle waits until the markers of all ended transactions are in the topic: a broker writes them after it has answered.
func settle(tb testing.TB, b *broker.Broker, topic string) {
	tb.Helper()
	ctx := testContext(tb)
	for !maps.Equal(b.Ends(tb, topic, broker.Committed), b.Ends(tb, topic, broker.Uncommitted)) {
		if ctx.Err() != nil {
			tb.Fatal("transactions stay open")
		}
	}
}

// answerProduce has the cluster answer the next rows that are written, which are of one partition, without taking them.
func answerProduce(c *kfake.Cluster, say func(*kmsg.ProduceResponseTopicPartition)) {
	c.ControlKey(0, func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		req := kreq.(*kmsg.ProduceRequest)
		resp := req.ResponseKind().(*kmsg.ProduceResponse)
		pt := kmsg.NewProduceResponseTopic()
		pt.Topic, pt.TopicID = req.Topics[0].Topic, req.Topics[0].TopicID
		pp := kmsg.NewProduceResponseTopicPartition()
		say(&pp)
		pt.Partitions = append(pt.Partitions, pp)
		resp.Topics = append(resp.Topics, pt)
		return resp, nil, true
	})
}
