package std

import (
	"context"
	"sync"
	"time"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/host"
)

// quiet is for how long no row comes before the widths are taken from the rows there are.
const quiet = 200 * time.Millisecond

// tableSink shows rows on a terminal as a table. The first rows wait until there are enough of them, or a Flush, or until it
// is quiet; from then on each Write shows what it brings.
type tableSink struct {
	hook  func(phase string)
	clock host.Clock // nil: quiet is not noticed

	mu    sync.Mutex // of all below: Write and Flush against the goroutine that waits for quiet
	table *table
	timer host.Timer // set while rows are held, nil before; the goroutine is there as long as the table is not settled
	ended chan struct{}
	output
	buf []byte
}

func newTableSink(o *connector.Options) *tableSink {
	return &tableSink{hook: o.Fault, clock: o.Clock, table: newTable(o.Fields, o.Colours), output: output{to: o.Stdout}}
}

// Open has nothing to check, as that of sink.
func (s *tableSink) Open(context.Context, connector.Resume) error { return nil }

func (s *tableSink) Write(_ context.Context, rows *connector.Rows) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	for i := range rows.Len() {
		s.table.add(rows.Value(i))
		if s.table.full() || s.table.settled && len(s.table.text) >= bufferBytes {
			if err := s.writeOut(); err != nil {
				return err
			}
		}
		if s.hook != nil {
			s.hook("sink write")
		}
	}
	if s.table.settled {
		return s.writeOut()
	}
	s.waitForQuiet()
	return nil
}

// Flush shows what is held. There is no state to keep.
func (s *tableSink) Flush(context.Context) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	return nil, s.writeOut()
}

// Close shows what is held and the number of rows. A second Close does nothing.
func (s *tableSink) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endWait()
	if s.err != nil || s.table == nil {
		return nil // told already
	}
	if err := s.writeOut(); err != nil {
		return err
	}
	end := s.table.appendEnd(nil)
	s.table = nil
	return s.write(end)
}

// writeOut shows what is held; s.mu is locked.
func (s *tableSink) writeOut() error {
	if s.table == nil || !s.table.holds() {
		return nil
	}
	s.endWait()
	s.buf = s.table.appendHeld(s.buf[:0])
	return s.write(s.buf)
}

// waitForQuiet sets the alarm anew; s.mu is locked.
func (s *tableSink) waitForQuiet() {
	switch {
	case s.clock == nil || !s.table.holds():
	case s.timer != nil:
		s.timer.Reset(quiet)
	default:
		s.timer, s.ended = s.clock.NewTimer(quiet), make(chan struct{})
		go s.showWhenQuiet(s.timer, s.ended)
	}
}

func (s *tableSink) showWhenQuiet(timer host.Timer, ended <-chan struct{}) {
	defer fault.Guard()
	select {
	case <-timer.C():
	case <-ended:
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.writeOut() // the next call tells of a failure
	}
}

// endWait lets the goroutine end; s.mu is locked.
func (s *tableSink) endWait() {
	if s.timer != nil {
		s.timer.Stop()
		close(s.ended)
		s.timer = nil
	}
}
