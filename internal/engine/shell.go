package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"ubik/internal/checkpoint"
	"ubik/internal/fault"
	"ubik/internal/runner"
)

// shell holds the goroutines of a run: one for each shard's worth of tasks, one for the sink, one for the checkpoint,
// and one for each open Read. They end when the context does; close waits for them.
type shell struct {
	job  *Job
	r    *runner.Runner
	ctx  context.Context
	end  context.CancelFunc
	all  sync.WaitGroup
	done chan struct{} // closed at the end: nobody takes events any more

	reads     context.Context // of the open Reads; ends at Stop
	stopReads context.CancelFunc

	events chan runner.Event
	tasks  chan *runner.Task
	sink   chan runner.Action // Write and Flush, in order
	saves  chan *runner.Unit

	finish  *runner.Finish
	listing bool
	called  bool // Later was, or need not be

	began      time.Time
	lastDue    time.Time
	lastList   time.Time
	listedAt   time.Time // the log answered last
	lastStatus time.Time
	lastRead   uint64
	savedAt    time.Time
	savedSize  atomic.Int64
	grown      map[int]bool // by partition: tellGrown has told
	shown      *showing     // nil: nothing is shown
}

// listFailed says that the log did not answer.
type listFailed struct {
	runner.Listed
	err error
}

// queueLen is more than the runner ever has open of writes and flushes, so that handing them over never blocks; of tasks the
// runner knows the number.
const queueLen = 4096

func newShell(ctx context.Context, job *Job, r *runner.Runner, began time.Time) *shell {
	s := &shell{
		job: job, r: r, done: make(chan struct{}), began: began, lastDue: began, lastList: began, listedAt: job.Clock.Now(), lastStatus: began, savedAt: began,
		grown: map[int]bool{}, events: make(chan runner.Event, queueLen), tasks: make(chan *runner.Task, job.Runner.TasksMost()),
		sink: make(chan runner.Action, queueLen), saves: make(chan *runner.Unit, 1),
	}
	s.ctx, s.end = context.WithCancel(ctx)
	s.reads, s.stopReads = context.WithCancel(s.ctx)
	for range job.Runner.Shards {
		s.spawn(s.work)
	}
	s.spawn(s.write)
	if job.Store != nil {
		s.savedSize.Store(job.Store.Size())
		s.spawn(s.save)
	}
	s.lastRead = r.Status().Read
	s.called = job.Later == nil || s.lastRead >= job.LaterAt
	if job.Show != nil {
		s.shown = newShowing(job, r, job.Clock.Now())
		s.spawn(s.showAll)
	}
	return s
}

// later calls Job.Later when it is due.
func (s *shell) later() {
	if !s.called && s.r.Status().Read >= s.job.LaterAt {
		s.called = true
		go func() {
			defer fault.Guard()
			s.job.Later(s.ctx)
		}()
	}
}

func (s *shell) spawn(f func()) {
	s.all.Add(1)
	go func() {
		defer s.all.Done()
		defer fault.Guard()
		f()
	}()
}

func (s *shell) close() {
	close(s.done)
	s.end()
	s.all.Wait()
}

// closeWithin is close for a run that failed or was aborted. It reports whether all goroutines have ended in time: one
// may be in a write to a pipe that nobody reads.
func (s *shell) closeWithin(d time.Duration) bool {
	ended := make(chan struct{})
	go func() {
		defer fault.Guard()
		s.close()
		close(ended)
	}()
	t := s.job.Clock.NewTimer(d)
	defer t.Stop()
	select {
	case <-ended:
		return true
	case <-t.C():
		return false
	}
}

// send hands an event over, unless the run is over.
func (s *shell) send(ev runner.Event) {
	select {
	case s.events <- ev:
	case <-s.done:
	}
}

func (s *shell) perform(a runner.Action) {
	switch a := a.(type) {
	case *runner.Task:
		s.tasks <- a
	case runner.Write, runner.Flush:
		s.sink <- a
	case runner.Save:
		s.saves <- a.Unit
	case runner.Read:
		s.spawn(func() {
			c, err := s.job.Source.Read(s.reads, a.Part)
			s.send(runner.Got{Part: a.Part, Chunk: c, Err: err})
		})
	case runner.List:
		s.listing = true
		s.spawn(func() {
			ps, err := s.job.Source.Partitions(s.ctx)
			if err != nil {
				s.send(listFailed{err: err})
				return
			}
			s.send(runner.Listed{Partitions: ps})
		})
	case runner.Finish:
		s.finish = &a
	}
}

// work runs tasks.
func (s *shell) work() {
	for {
		select {
		case t := <-s.tasks:
			t.Run()
			s.send(runner.Done{Task: t})
		case <-s.done:
			return
		}
	}
}

// write hands rows to the sink, in order.
func (s *shell) write() {
	for {
		select {
		case a := <-s.sink:
			switch a := a.(type) {
			case runner.Write:
				err := s.job.Sink.Write(s.ctx, a.Rows)
				s.send(runner.Written{Rows: a.Rows, Err: err})
			case runner.Flush:
				state, err := s.job.Sink.Flush(s.ctx)
				s.send(runner.Flushed{State: state, Err: err})
			}
		case <-s.done:
			return
		}
	}
}

// save makes units durable.
func (s *shell) save() {
	for {
		select {
		case u := <-s.saves:
			s.send(runner.Saved{Err: s.saveUnit(u.Sections())})
		case <-s.done:
			return
		}
	}
}

func (s *shell) saveUnit(f *checkpoint.Unit) error {
	if err := s.job.Store.Save(f); err != nil {
		return &fault.Error{Class: fault.Checkpoint, Msg: err.Error(), Err: err} // says what the file holds now, and what to try
	}
	s.savedSize.Store(s.job.Store.Size())
	return nil
}
