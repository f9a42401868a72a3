package kafka

import (
	"sync"
	"time"
)

// waiter is who waits for a broker, each for answers of its own.
type waiter int

const (
	asking waiter = iota
	reading
	writing
	waiters
)

// waiting is who has told that it waits. Together that is one outage: from when the first of them began to wait until
// all of them have an answer.
type waiting struct {
	mu    sync.Mutex
	told  [waiters]bool
	since time.Time
}

// waits tells that w has waited since some time.
func (l *link) waits(w waiter, since time.Time, format string, args ...any) {
	l.waiting.mu.Lock()
	defer l.waiting.mu.Unlock()
	if l.waiting.told == [waiters]bool{} || since.Before(l.waiting.since) {
		l.waiting.since = since
	}
	l.waiting.told[w] = true
	l.logf(format, args...)
}

// waitsNoMore tells that the broker answers again, if w was the last that waited for it.
func (l *link) waitsNoMore(w waiter) {
	l.waiting.mu.Lock()
	defer l.waiting.mu.Unlock()
	if !l.waiting.told[w] {
		return
	}
	l.waiting.told[w] = false
	if l.waiting.told == [waiters]bool{} {
		l.logf("kafka at %s answers again (after %v)", l.address(), time.Since(l.waiting.since).Round(time.Second))
	}
}
