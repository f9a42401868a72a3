// Package engine is the shell around the runner: the goroutines and clock reads of a run are here, but for those that a
// connector needs to speak with its log.
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
	Unit   *runner.Unit      // the unit to resume, nil: none; its States, which may be large, are given up at the start
	Fresh  bool              // the sink may hold rows without a checkpoint

	// Starts are where the first start begins to read each source of the query, as it was said; nil: nothing was said, and
	// so at the first record there is. A run that resumes begins where the unit says.
	Starts []connector.StartPoint

	Interval        time.Duration // between checkpoints, or flushes
	StatusEvery     time.Duration // between status lines; 0: none
	ShutdownTimeout time.Duration // from Stop to the end at the latest
	Stop            <-chan struct{}
	Check           func(ctx context.Context) error // called before source and sink are opened; may be nil
	Opened          func()                          // called once they are open and the run begins; may be nil
	Show            func(Progress)                  // called about five times a second by one goroutine, instead of status lines; may be nil
	Clock           host.Clock
	Log             *slog.Logger

	// Later is called once, on a goroutine of its own, soon after LaterAt records have been read since the job began, unless
	// they were when the run began; nil: never. Its context ends with the run, which does not wait for it.
	Later   func(ctx context.Context)
	LaterAt uint64
}

const (
	tickEvery = 100 * time.Millisecond // or the interval, if that is less
	listEvery = 2 * time.Second        // well under the 5 s within which an added partition must be noticed
	// listPatience is for how long the log need not answer: as long as sources have patience with reading, which they
	// end by themselves.
	listPatience = 2 * time.Minute
	grace        = time.Second // for the goroutines of a run that failed or was aborted
)

// Report is what a run was.
type Report struct {
	Status   runner.Status
	Complete bool // every partition was read to its fixed end and every window is out
	Already  bool // it was complete before: nothing was done
	Elapsed  time.Duration

	// Abandoned says that the run was cut short: it did not come to its end, clean or with an error, but was aborted or took
	// too long to stop. What its goroutines are in, or what the sink would write when it is closed, may never return. Source, Sink and Store must not be touched any more; the process is to end.
	Abandoned bool
}

// StoppedEarly is what a run says that was asked to stop before it began.
const StoppedEarly = "stopped before anything was read"

// errStopped is the cause of the end of a context that ended by Job.Stop.
var errStopped = errors.New("stopped")

// Run runs the job to its end. The context ends it at once, as a kill would; Job.Stop ends it cleanly.
func Run(ctx context.Context, job *Job) (Report, error) {
	began := job.Clock.Now()
	r, err := open(ctx, job)
	if err != nil {
		if errors.Is(err, errStopped) {
			job.Log.Info(StoppedEarly)
			return Report{}, nil // nothing has begun
		}
		return Report{}, err
	}
	if job.Opened != nil {
		job.Opened()
	}
	if job.Unit != nil && job.Unit.Complete {
		return Report{Status: r.Status(), Complete: true, Already: true}, nil
	}
	s := newShell(ctx, job, r, began)
	s.tellGrown()
	err = s.loop()
	rep := Report{Status: r.Status(), Elapsed: job.Clock.Now().Sub(began)}
	if err == nil {
		rep.Complete = s.finish.Complete
		s.close()
	} else {
		rep.Abandoned = !s.closeWithin(grace) || s.finish == nil
	}
	return rep, err
}

// open makes the runner and opens source and sink. Stop ends it at once, since nothing has been read: the error then
// wraps errStopped.
func open(ctx context.Context, job *Job) (*runner.Runner, error) {
	opening, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() {
		defer fault.Guard()
		select {
		case <-job.Stop:
			end(errStopped)
		case <-opening.Done():
		}
	}()
	r, err := openAll(opening, job)
	switch cause := context.Cause(opening); {
	case err == nil || cause == nil:
	case cause == errStopped: // whatever the end of the context was taken for
		err = cause
	case errors.Is(err, context.Canceled):
		err = fault.Wrap(fault.Retryable, cause, "start the same command again", "aborted")
	}
	return r, err
}

func openAll(ctx context.Context, job *Job) (*runner.Runner, error) {
	if job.Check != nil {
		if err := job.Check(ctx); err != nil {
			return nil, err
		}
	}
	listed, err := job.Source.Partitions(ctx)
	if err != nil {
		return nil, gone(err, job.Unit)
	}
	cfg := job.Runner
	switch {
	case job.Starts == nil:
	case job.Unit != nil:
		job.Log.Info("--start is ignored: the run goes on from the positions in its checkpoint")
	default:
		if cfg.Begin, err = connector.Seek(ctx, job.Source, job.Starts, listed); err != nil {
			return nil, err
		}
	}
	r, err := runner.New(cfg, listed, job.Unit)
	if err != nil {
		return nil, err
	}
	if job.Unit != nil {
		job.Unit.States = nil
	}
	if err := job.Source.Open(ctx, r.Starts()); err != nil {
		return nil, err
	}
	resume := connector.Resume{JobID: job.Runner.JobID, Fresh: job.Fresh}
	if u := job.Unit; u != nil {
		resume.JobID, resume.Resumed, resume.State = u.JobID, true, u.Sink
	}
	return r, job.Sink.Open(ctx, resume)
}

// gone makes an error of a log that does not exist one of a log that has changed, when a unit says that it was read.
func gone(err error, u *runner.Unit) error {
	var absent connector.Absent
	if u == nil || !errors.As(err, &absent) {
		return err
	}
	read, partitions := uint64(0), 0
	for i := range u.Partitions {
		if p := &u.Partitions[i]; p.Topic == absent.Topic {
			read += p.Clocks[0].Ledger.Read
			partitions++
		}
	}
	if partitions == 0 {
		return err
	}
	return &fault.Error{Class: fault.LogChanged, Err: err, Try: "bring it back with its records, or start over with a new checkpoint and an empty sink",
		Msg: fmt.Sprintf("%v; it is gone: the checkpoint has read %d records from %d of its partitions", err, read, partitions)}
}

// loop drives the runner until it finishes.
func (s *shell) loop() error {
	every := max(min(tickEvery, s.job.Interval), time.Millisecond)
	tick := s.job.Clock.NewTimer(every)
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
			tick.Reset(every)
			s.r.Handle(s.tick(now))
		case <-stop:
			stop = nil
			if s.job.Store != nil {
				s.job.Log.Info("stopping: finishing what was read, then a last checkpoint")
			} else {
				s.job.Log.Info("stopping: finishing what was read")
			}
			s.r.Handle(runner.Stop{})
			s.stopReads()
			t := s.job.Clock.NewTimer(s.job.ShutdownTimeout)
			defer t.Stop()
			deadline = t.C()
		case <-deadline:
			return fault.New(fault.Retryable, fmt.Sprintf("the run did not end within the shutdown timeout of %v", s.job.ShutdownTimeout),
				s.again()+"; --shutdown-timeout gives it more time")
		case <-s.ctx.Done():
			return fault.Wrap(fault.Retryable, context.Cause(s.ctx), s.again(), "aborted")
		}
	}
}

// again says what to do after a run that was cut short.
func (s *shell) again() string {
	if s.job.Store != nil {
		return "nothing is lost: the same command goes on from the checkpoint"
	}
	return "without --resume the next run starts from the beginning"
}

func (s *shell) handle(ev runner.Event) {
	switch ev := ev.(type) {
	case runner.Got:
		if ev.Err != nil && errors.Is(ev.Err, context.Canceled) && s.reads.Err() != nil {
			return // the read was called off
		}
	case listFailed:
		s.listing = false
		outage := fault.ClassOf(ev.err) == fault.Retryable
		if !outage || s.reads.Err() == nil && s.job.Clock.Now().Sub(s.listedAt) >= listPatience {
			s.r.Handle(runner.Stop{Err: ev.err})
		}
		return
	case runner.Listed:
		s.listing, s.listedAt = false, s.job.Clock.Now()
	case runner.Saved:
		s.savedAt = s.job.Clock.Now()
	}
	s.r.Handle(ev)
	if _, ok := ev.(runner.Listed); ok {
		s.tellGrown()
	}
}

func (s *shell) tick(now time.Time) runner.Tick {
	var t runner.Tick
	if now.Sub(s.lastDue) >= s.job.Interval {
		t.Due, s.lastDue = true, now
	}
	if now.Sub(s.lastList) >= listEvery && !s.listing {
		t.List, s.lastList = true, now
		s.later()
	}
	switch {
	case s.shown != nil:
		s.show(now)
	case s.job.StatusEvery > 0 && now.Sub(s.lastStatus) >= s.job.StatusEvery:
		s.logStatus(now)
	}
	return t
}
