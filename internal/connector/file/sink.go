package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/host"
)

const bufferBytes = 256 << 10

// sink writes rows to one file.
//
// Always: the file's bytes before length, then buf, are the head and the rows taken so far; tail has the last bytes before
// length.
type sink struct {
	disk       host.Disk
	path       string
	checkpoint string
	head       []byte // what the file begins with
	hook       func(phase string)
	most       int // bytes gathered before they are written

	file   host.File
	length int64
	tail   tail
	buf    []byte
	synced bool   // the bytes before length are durable
	named  bool   // the file's name is durable
	id     string // host.Info.ID of the open file
	err    error  // the first failure: what the file holds is uncertain from then on
}

func newSink(url string, o *connector.Options) (connector.Sink, error) {
	path, err := parse(url)
	if err != nil {
		return nil, err
	}
	if isPattern(path) {
		return nil, fault.New(fault.Usage, "a sink is one file, and "+path+" is a pattern", "name one file without *, ? and [")
	}
	if err := refuseCompressed(path); err != nil {
		return nil, err
	}
	if o.Checkpoint != "" && filepath.Clean(o.Checkpoint) == path {
		return nil, sameAsCheckpoint(path)
	}
	return &sink{disk: o.Disk, path: path, checkpoint: o.Checkpoint, head: o.Head, hook: o.Fault, most: bufferBytes}, nil
}

func sameAsCheckpoint(path string) error {
	return fault.New(fault.Usage, path+" is both the output and the checkpoint", "give the output another name")
}

// Write takes rows, each as its value and a newline; keys, lanes and times have no place in the file.
func (s *sink) Write(_ context.Context, rows *connector.Rows) error {
	if s.err != nil {
		return s.err
	}
	for i := range rows.Len() {
		s.buf = append(append(s.buf, rows.Value(i)...), '\n')
		if len(s.buf) >= s.most {
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

// Flush makes the rows durable and returns a State.
func (s *sink) Flush(context.Context) ([]byte, error) {
	if s.err != nil {
		return nil, s.err
	}
	if err := s.writeOut(); err != nil {
		return nil, err
	}
	if !s.synced {
		if err := s.file.Sync(); err != nil {
			return nil, s.fail(err)
		}
		s.synced = true
	}
	// The name may be as young as this process, or as one that died before it came here.
	if !s.named {
		at, err := s.disk.Resolve(s.path)
		if err != nil {
			return nil, s.fail(err)
		}
		if err := s.disk.SyncDir(filepath.Dir(at)); err != nil {
			return nil, s.fail(err)
		}
		s.named = true
	}
	if err := s.intact(); err != nil {
		return nil, err
	}
	return State{Path: s.path, Length: s.length, Tail: s.tail.hash()}.Append(nil), nil
}

// intact fails when the path no longer leads to the rows and nothing but the rows: somebody removed, replaced or changed
// the file, and a checkpoint must not say that they are there.
func (s *sink) intact() error {
	info, err := s.disk.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s.lost("was removed while this run wrote it")
	case err != nil:
		return s.fail(err)
	case info.ID != s.id:
		return s.lost("was replaced while this run wrote it")
	case info.Size != s.length:
		return s.lost(s.changed(info.Size))
	}
	return nil
}

func (s *sink) changed(size int64) string {
	return fmt.Sprintf("was changed by others while this run wrote it: it has %d bytes, the rows so far %d", size, s.length)
}

// lost makes the sink unusable, as fail does.
func (s *sink) lost(what string) error {
	try := "put it back as the checkpoint knows it, or start over with a new checkpoint and another file"
	if s.checkpoint == "" {
		try = "start again with --fresh"
	}
	s.err = fault.New(fault.Sink, s.path+" "+what, try)
	return s.err
}

// Close closes the file. Rows that are not flushed may be lost.
func (s *sink) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	if err != nil && s.err == nil {
		return s.fail(err)
	}
	return nil
}

func (s *sink) writeOut() error {
	if len(s.buf) == 0 {
		return nil
	}
	// A file that was cut would get a hole, and bytes that were appended would be written over.
	switch size, err := s.file.Size(); {
	case err != nil:
		return s.fail(err)
	case size != s.length:
		return s.lost(s.changed(size))
	}
	s.synced = false
	if _, err := s.file.Write(s.buf); err != nil {
		return s.fail(err)
	}
	s.length += int64(len(s.buf))
	s.tail.add(s.buf)
	if cap(s.buf) > 4*s.most {
		s.buf = nil // it grew for one large row
	}
	s.buf = s.buf[:0]
	return nil
}

// fail makes the sink unusable: after a failed write or sync nobody knows what the file holds, and a sync that is tried
// again may succeed without the bytes. The next run cuts the file back.
func (s *sink) fail(err error) error {
	again := "start the same command again"
	if s.checkpoint == "" {
		again = "start again with --fresh"
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		s.err = fault.Wrap(fault.Sink, cause(err), "free space and "+again, "disk full while writing %s", s.path)
	} else {
		s.err = fault.Wrap(fault.Sink, cause(err), "look at the disk and "+again, "cannot write %s", s.path)
	}
	return s.err
}
