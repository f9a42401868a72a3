package host

import (
	"slices"
	"sync"
	"time"
)

// Clock tells the time to the engine's shell. Nothing that decides the output reads it. Safe for concurrent use.
type Clock interface {
	// Now returns the present time.
	Now() time.Time
	// NewTimer returns a timer that sends the time once on C after d; at once when d ≤ 0.
	NewTimer(d time.Duration) Timer
}

// Timer is one pending alarm. A ticker is a timer that is Reset at each firing.
type Timer interface {
	C() <-chan time.Time
	// Stop forgets the alarm and says whether it was pending. Nothing is received from C after it.
	Stop() bool
	// Reset sets the alarm anew, d from now. Nothing of the alarm before is received from C after it.
	Reset(d time.Duration)
}

// Wall is the clock of this machine.
var Wall Clock = wallClock{}

type wallClock struct{}

func (wallClock) Now() time.Time                 { return time.Now() }
func (wallClock) NewTimer(d time.Duration) Timer { return wallTimer{time.NewTimer(d)} }

type wallTimer struct{ t *time.Timer }

func (t wallTimer) C() <-chan time.Time   { return t.t.C }
func (t wallTimer) Stop() bool            { return t.t.Stop() }
func (t wallTimer) Reset(d time.Duration) { t.t.Reset(d) }

// Manual is a clock that stands still until Advance moves it.
type Manual struct {
	mu      sync.Mutex
	now     time.Time
	pending []*manualTimer // in the order they were set
}

// NewManual returns a clock that stands at start.
func NewManual(start time.Time) *Manual { return &Manual{now: start} }

func (m *Manual) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

func (m *Manual) NewTimer(d time.Duration) Timer {
	t := &manualTimer{clock: m, c: make(chan time.Time, 1)}
	t.Reset(d)
	return t
}

// Advance moves the time by d ≥ 0 and fires what falls due on the way, the earliest first; of equals, the first set.
// Each receives the time it was due at.
func (m *Manual) Advance(d time.Duration) {
	if d < 0 {
		panic("host: Manual.Advance moves time back")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = m.now.Add(d)
	m.fire()
}

// fire sends to the timers that are due. The channels have room for the one value a timer sends.
func (m *Manual) fire() {
	slices.SortStableFunc(m.pending, func(a, b *manualTimer) int { return a.due.Compare(b.due) })
	for len(m.pending) > 0 && !m.pending[0].due.After(m.now) {
		t := m.pending[0]
		m.pending = m.pending[1:]
		t.c <- t.due
	}
}

type manualTimer struct {
	clock *Manual
	c     chan time.Time
	due   time.Time
}

func (t *manualTimer) C() <-chan time.Time { return t.c }

func (t *manualTimer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	return t.stop()
}

func (t *manualTimer) Reset(d time.Duration) {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	t.stop()
	t.due = t.clock.now.Add(max(d, 0))
	t.clock.pending = append(t.clock.pending, t)
	t.clock.fire()
}

func (t *manualTimer) stop() bool {
	select {
	case <-t.c:
	default:
	}
	i := slices.Index(t.clock.pending, t)
	if i < 0 {
		return false
	}
	t.clock.pending = slices.Delete(t.clock.pending, i, i+1)
	return true
}
