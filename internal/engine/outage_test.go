package engine

import (
	"context"
	"testing"
	"time"

	"ubik/internal/fault"
	"ubik/internal/host"
	"ubik/internal/runner"
)

// While the log does not answer, a run goes on for as long as reading has patience; then it stops with a last unit.
func TestALogThatDoesNotAnswerForAWhileDoesNotStopTheRun(t *testing.T) {
	dir := t.TempDir()
	writeLogs(t, dir)
	job := newJob(t, dir, 1)
	clock := host.NewManual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	job.Clock = clock
	r, err := openAll(context.Background(), job)
	if err != nil {
		t.Fatal(err)
	}
	s := newShell(context.Background(), job, r, clock.Now())
	defer s.close()
	stops := func(ev runner.Event) bool {
		s.handle(ev)
		for _, a := range r.Actions() {
			if _, ok := a.(runner.Flush); ok {
				return true
			}
		}
		return false
	}
	outage := listFailed{err: fault.New(fault.Retryable, "no answer", "")}
	listed, err := job.Source.Partitions(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	clock.Advance(listPatience - time.Second)
	if stops(outage) {
		t.Fatal("the run stops at an outage that is still short")
	}
	if stops(runner.Listed{Partitions: listed}) {
		t.Fatal("the run stops at an answer")
	}
	clock.Advance(listPatience - time.Second)
	if stops(outage) {
		t.Fatal("the run stops though there was an answer in between")
	}
	clock.Advance(time.Second)
	if !stops(outage) {
		t.Error("the run goes on though the log has not answered for long")
	}
}
