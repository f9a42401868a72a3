package std

import (
	"context"
	"errors"
	"io"
	"syscall"

	"ubik/internal/connector"
	"ubik/internal/fault"
)

// bufferBytes is how much output is gathered before it is written.
const bufferBytes = 64 << 10

// sink writes rows to standard output, each on a line.
type sink struct {
	output
	head []byte
	hook func(phase string)
	buf  []byte
}

func newSink(url string, o *connector.Options) (connector.Sink, error) {
	if err := check(url); err != nil {
		return nil, err
	}
	if o.Terminal {
		return newTableSink(o), nil
	}
	return &sink{output: output{to: o.Stdout}, head: o.Head, hook: o.Fault}, nil
}

// Open has nothing to check: standard output holds nothing that could be continued. A run that resumes writes the rows
// behind its checkpoint again, to another stream: it begins with the head too.
func (s *sink) Open(context.Context, connector.Resume) error {
	s.buf = append(s.buf, s.head...)
	return nil
}

// Write takes rows. They appear in blocks, at the latest at the next Flush.
func (s *sink) Write(_ context.Context, rows *connector.Rows) error {
	if s.err != nil {
		return s.err
	}
	for i := range rows.Len() {
		s.buf = append(append(s.buf, rows.Value(i)...), '\n')
		if len(s.buf) >= bufferBytes {
			if err := s.writeOut(); err != nil {
				return err
			}
		}
		if s.hook != nil {
			s.hook("sink write")
		}
	}
	return nil
}

// Flush writes what is buffered. There is no state to keep.
func (s *sink) Flush(context.Context) ([]byte, error) {
	if s.err != nil {
		return nil, s.err
	}
	return nil, s.writeOut()
}

// Close writes what is buffered.
func (s *sink) Close() error {
	if s.err != nil {
		return nil // told already
	}
	return s.writeOut()
}

func (s *sink) writeOut() error {
	if len(s.buf) == 0 {
		return nil
	}
	b := s.buf
	s.buf = s.buf[:0]
	return s.write(b)
}

// output is standard output with the first failure to write to it.
type output struct {
	to  io.Writer
	err error
}

// write writes. A reader that has gone away is the end of the run, not worth many words: the error wraps
// syscall.EPIPE, by which the caller knows it.
func (o *output) write(b []byte) error {
	_, err := o.to.Write(b)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EPIPE):
		o.err = &fault.Error{Class: fault.Sink, Msg: "standard output was closed by its reader", Err: err}
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		o.err = fault.Wrap(fault.Sink, err, "free space and start the same command again", "disk full while writing standard output")
	default:
		o.err = fault.Wrap(fault.Sink, err, "", "cannot write standard output")
	}
	return o.err
}
