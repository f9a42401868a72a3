package host_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"ubik/internal/host"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func TestAManualClockFiresWhatFallsDue(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	c := host.NewManual(start)
	fired := func(t host.Timer) bool {
		select {
		case <-t.C():
			return true
		default:
			return false
		}
	}
	second, third, now := c.NewTimer(2*time.Second), c.NewTimer(3*time.Second), c.NewTimer(0)
	if !fired(now) || fired(second) {
		t.Fatal("only a timer of 0 fires at once")
	}
	c.Advance(2 * time.Second)
	if !c.Now().Equal(start.Add(2 * time.Second)) {
		t.Fatal(c.Now())
	}
	if at := <-second.C(); !at.Equal(start.Add(2*time.Second)) || fired(third) {
		t.Fatal("the timer of 2 s and no other is due", at)
	}
	if !third.Stop() || third.Stop() || second.Stop() {
		t.Fatal("only the pending timer is stopped, once")
	}
	c.Advance(time.Hour)
	if fired(third) {
		t.Fatal("a stopped timer fired")
	}
	third.Reset(time.Second)
	c.Advance(time.Second)
	third.Reset(time.Second)
	if fired(third) {
		t.Fatal("a firing outlived Reset")
	}
	c.Advance(time.Second)
	if !fired(third) {
		t.Fatal("a timer that was reset did not fire")
	}
}

func TestTheWallClockGoes(t *testing.T) {
	before := host.Wall.Now()
	timer := host.Wall.NewTimer(time.Millisecond)
	if at := <-timer.C(); at.Before(before) {
		t.Fatal(at, before)
	}
	timer.Reset(time.Hour)
	if !timer.Stop() {
		t.Fatal("the timer was not pending")
	}
}
