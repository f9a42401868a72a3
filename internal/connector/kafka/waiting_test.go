package kafka

import (
	"context"
	"errors"
	"net"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"ubik/internal/connector"
)

// cuttable is a line to brokers that can be cut, and mended.
type cuttable struct {
	mu    sync.Mutex
	cut   bool
	conns []net.Conn
}

func (c *cuttable) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut {
		conn.Close()
		return nil, errors.New("the line is cut")
	}
	c.conns = append(c.conns, conn)
	return conn, nil
}

func (c *cuttable) set(cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = cut
	for _, conn := range c.conns {
		conn.Close()
	}
	c.conns = nil
}

func (h *heard) forget() {
	h.mu.Lock()
	h.lines = nil
	h.mu.Unlock()
}

var secondsForm = regexp.MustCompile(`\(after [0-9hms]+\)`)

// again is what was logged of the end of outages.
func (h *heard) again() []string {
	var lines []string
	for line := range strings.Lines(h.text()) {
		if strings.Contains(line, "again") {
			lines = append(lines, secondsForm.ReplaceAllString(strings.TrimSpace(line), "(after …)"))
		}
	}
	return lines
}

func wantAgain(t *testing.T, h *heard, want ...string) {
	t.Helper()
	if got := strings.Join(h.again(), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("it is logged\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func TestTheEndOfAnOutageIsToldToWhoReads(t *testing.T) {
	_, b := fake(t)
	topic := b.NewTopic(t, "back", 3, nil)
	for p := range int32(3) {
		b.Produce(t, topic, numbered(p, 0, 3))
	}
	h, line := newHeard(), &cuttable{}
	s := newTestSource(t, urlOf(b, topic), connector.Options{Logf: h.logf, Client: map[string]string{"fetch.wait.max.ms": "5"}})
	s.link.tune.dial, s.link.tune.retryFirst, s.link.tune.retryMost = line.dial, time.Millisecond, 10*time.Millisecond
	s.link.tune.notice, s.link.tune.stallEvery = 0, time.Hour // told at once, and once
	mustOpen(t, s, starts(t, s, false))
	for p := range 3 {
		readRows(t, s, p, 3)
	}
	h.forget() // that questions were waited for
	again := "kafka at " + b.Addr + " answers again (after …)"

	// Nothing new is written: that there are answers is enough.
	line.set(true)
	h.await(t, "waiting for kafka at "+b.Addr+" … (")
	line.set(false)
	h.await(t, " answers again ")
	wantAgain(t, h, again)
	b.Produce(t, topic, numbered(1, 3, 6))
	readRows(t, s, 1, 3)
	wantAgain(t, h, again)
}

func TestTheEndOfAnOutageIsToldToWhoAsks(t *testing.T) {
	_, b := fake(t)
	topic := b.NewTopic(t, "asked", 1, nil)
	h, line := newHeard(), &cuttable{}
	s := newTestSource(t, urlOf(b, topic), connector.Options{Logf: h.logf})
	s.link.tune.dial, s.link.tune.retryFirst, s.link.tune.retryMost = line.dial, time.Millisecond, 10*time.Millisecond
	s.link.tune.notice = time.Hour
	line.set(true)
	asked := make(chan error, 1)
	ask := func() {
		_, err := s.Partitions(testContext(t))
		asked <- err
	}
	s.link.tune.patience = 50 * time.Millisecond
	if ask(); <-asked == nil {
		t.Fatal("a cut line answers")
	}
	s.link.tune.notice = 0
	if ask(); <-asked == nil {
		t.Fatal("a cut line answers")
	}
	// Told by the question before, answered by this one.
	h.await(t, "waiting for kafka at "+b.Addr+" …")
	s.link.tune.notice, s.link.tune.patience = time.Hour, limit
	wantAgain(t, h)
	line.set(false)
	if ask(); <-asked != nil {
		t.Fatal("a line that is mended does not answer")
	}
	wantAgain(t, h, "kafka at "+b.Addr+" answers again (after …)")

	// What is not told has no end that is.
	if ask(); <-asked != nil {
		t.Fatal("there is no answer")
	}
	wantAgain(t, h, "kafka at "+b.Addr+" answers again (after …)")
}

func TestTheEndOfAnOutageIsToldToWhoWrites(t *testing.T) {
	_, b := fake(t)
	topic := b.NewTopic(t, "written", 1, map[string]string{"cleanup.policy": "compact"})
	h, line := newHeard(), &cuttable{}
	k := newTestSink(t, b, topic, connector.Options{Logf: h.logf})
	k.link.tune.dial, k.link.tune.notice, k.link.tune.stallEvery = line.dial, time.Hour, time.Hour
	mustOpenSink(t, k, connector.Resume{})
	write(t, k, 0, 1)
	mustFlush(t, k)
	wantAgain(t, h)
	k.link.tune.notice = time.Millisecond
	line.set(true)
	write(t, k, 1, 3)
	flushed := make(chan error, 1)
	go func() {
		_, err := k.Flush(testContext(t))
		flushed <- err
	}()
	h.await(t, "waiting for kafka at "+b.Addr+" to acknowledge 2 rows of topic "+topic+" …")
	line.set(false)
	if err := <-flushed; err != nil {
		t.Fatal(err)
	}
	wantAgain(t, h, "kafka at "+b.Addr+" answers again (after …)")
	write(t, k, 3, 4)
	mustFlush(t, k)
}

// Whoever waits, it is one outage, and its end is told once.
func TestAnOutageEndsWhenNobodyWaitsAnyMore(t *testing.T) {
	h := newHeard()
	l := &link{target: target{brokers: []string{"a:1", "b:2"}}, logf: h.logf}
	now := time.Now()
	l.waitsNoMore(asking)
	l.waits(reading, now.Add(-12*time.Second), "waits to read")
	l.waits(asking, now.Add(-3*time.Second), "waits for an answer")
	l.waits(reading, now.Add(-12*time.Second), "waits to read")
	l.waitsNoMore(reading)
	l.waitsNoMore(reading)
	l.waitsNoMore(writing)
	wantAgain(t, h)
	l.waitsNoMore(asking)
	l.waitsNoMore(asking)
	wantAgain(t, h, "kafka at a:1,b:2 answers again (after …)")
	l.waits(writing, now.Add(-time.Hour), "waits to write")
	if !l.waiting.since.Equal(now.Add(-time.Hour)) {
		t.Errorf("an outage begins at %v", l.waiting.since)
	}
	l.waitsNoMore(writing)
	wantAgain(t, h, "kafka at a:1,b:2 answers again (after …)", "kafka at a:1,b:2 answers again (after …)")
}
