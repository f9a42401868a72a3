// Package engine is the shell around the runner: all goroutines and all clock reads are here.
//
// It performs the runner's actions (reads, tasks, writes, saves) and hands what comes of them back as events. Nothing
// here decides what the output is.
package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"ubik/internal/checkpoint"
	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/host"
	"ubik/internal/runner"
)

// Job is a run: what to run and with what.
type Job struct {
	Runner runner.Config
	Source connector.Source
	Sink   connector.Sink
	Store  *checkpoint.Store // nil: no checkpoint
	Unit   *runner.Unit      // the unit to resume, nil: none
	Fresh  bool              // the sink may hold rows without a checkpoint

	Interval        time.Duration // between checkpoints, or flushes
	StatusEvery     time.Duration // between status lines
	ShutdownTimeout time.Duration // from Stop to the end at the latest
	Stop            <-chan struct{}
	Clock           host.Clock
	Log             *slog.Logger
}

const (
	tickEvery = 100 * time.Millisecond
	listEvery = 2 * time.Second // well under the 5 s within which an added partition must be noticed
)

// Report is what a run was.
type Report struct {
	Status   runner.Status
	Complete bool // every partition was read to its fixed end and every window is out
	Already  bool // it was complete before: nothing was done
	Elapsed  time.Duration
}

// Run runs the job to its end. The context ends it at once, as a kill would; Job.Stop ends it cleanly.
func Run(ctx context.Context, job *Job) (Report, error) {
	began := job.Clock.Now()
	listed, err := job.Source.Partitions(ctx)
	if err != nil {
		return Report{}, err
	}
	r, err := runner.New(job.Runner, listed, job.Unit)
	if err != nil {
		return Report{}, err
	}
	if err := job.Source.Open(ctx, r.Starts()); err != nil {
		return Report{}, err
	}
	resume := connector.Resume{JobID: job.Runner.JobID, Fresh: job.Fresh}
	if u := job.Unit; u != nil {
		resume.JobID, resume.Resumed, resume.State = u.JobID, true, u.Sink
	}
	if err := job.Sink.Open(ctx, resume); err != nil {
		return Report{}, err
	}
	if job.Unit != nil && job.Unit.Complete {
		return Report{Status: r.Status(), Complete: true, Already: true}, nil
	}
	s := newShell(ctx, job, r, began)
	defer s.close()
	err = s.loop()
	return Report{Status: r.Status(), Complete: s.finish.Complete, Elapsed: job.Clock.Now().Sub(began)}, err
}

// loop drives the runner until it finishes.
func (s *shell) loop() error {
	tick := s.job.Clock.NewTimer(tickEvery)
	defer tick.Stop()
	var deadline <-chan time.Time
	stop := s.job.Stop
	for {
		for _, a := range s.r.Actions() {
			s.perform(a)
		}
		if s.finish != nil {
			return s.finish.Err
		}
		select {
		case ev := <-s.events:
			s.handle(ev)
			for more := true; more; { // take what else is there before asking for actions again
				select {
				case ev := <-s.events:
					s.handle(ev)
				default:
					more = false
				}
			}
		case now := <-tick.C():
			tick.Reset(tickEvery)
			s.r.Handle(s.tick(now))
		case <-stop:
			stop = nil
			s.job.Log.Info("stopping: finishing what was read, then a last checkpoint")
			s.r.Handle(runner.Stop{})
			s.stopReads()
			t := s.job.Clock.NewTimer(s.job.ShutdownTimeout)
			defer t.Stop()
			deadline = t.C()
		case <-deadline:
			return fault.New(fault.Retryable, fmt.Sprintf("the run did not end within the shutdown timeout of %v", s.job.ShutdownTimeout),
				"nothing is lost: start the same command again; --shutdown-timeout gives it more time")
		case <-s.ctx.Done():
			return fault.Wrap(fault.Retryable, context.Cause(s.ctx), "nothing is lost: start the same command again", "aborted")
		}
	}
}

func (s *shell) handle(ev runner.Event) {
	switch ev := ev.(type) {
	case runner.Got:
		if ev.Err != nil && errors.Is(ev.Err, context.Canceled) && s.reads.Err() != nil {
			return // the read was called off
		}
	case listFailed:
		s.listing = false
		if fault.ClassOf(ev.err) != fault.Retryable || s.reads.Err() == nil {
			s.r.Handle(runner.Stop{Err: ev.err})
		}
		return
	case runner.Listed:
		s.listing = false
	case runner.Saved:
		s.savedAt = s.job.Clock.Now()
	}
	s.r.Handle(ev)
}

func (s *shell) tick(now time.Time) runner.Tick {
	var t runner.Tick
	if now.Sub(s.lastDue) >= s.job.Interval {
		t.Due, s.lastDue = true, now
	}
	if now.Sub(s.lastList) >= listEvery && !s.listing {
		t.List, s.lastList = true, now
	}
	if s.job.StatusEvery > 0 && now.Sub(s.lastStatus) >= s.job.StatusEvery {
		s.logStatus(now)
	}
	return t
}
