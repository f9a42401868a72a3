package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/host"
)

// Open creates the file, or cuts it back to what the checkpoint knows. It changes nothing when it refuses.
func (s *sink) Open(_ context.Context, r connector.Resume) error {
	var state *State
	if r.Resumed && r.State != nil {
		st, err := ParseState(r.State)
		if err != nil {
			return fault.Wrap(fault.Checkpoint, err, "start over with a new checkpoint", "the state of the sink %s in the checkpoint", s.path)
		}
		state = &st
	}
	if err := s.open(state); err != nil {
		return err
	}
	err := s.prepare(r, state)
	if err != nil {
		s.file.Close()
		s.file = nil
		s.err = err
	}
	return err
}

// open opens and locks the file. It creates it, unless the checkpoint knows it.
func (s *sink) open(state *State) error {
	info, err := s.disk.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if state != nil {
			return s.refuse(state, fmt.Sprintf("%s is gone; the checkpoint knows %d bytes of it", s.path, state.Length))
		}
	case err != nil:
		return s.openError(err)
	case info.IsDir:
		return fault.New(fault.Sink, s.path+" is a directory", "name a file in it, such as "+filepath.Join(s.path, "out.jsonl"))
	case !info.Regular:
		return fault.New(fault.Sink, s.path+" is a device, a pipe or a socket, which cannot be cut back",
			"name a file, or write to standard output: --to -")
	case s.isCheckpoint(info):
		return sameAsCheckpoint(s.path)
	}
	f, err := s.disk.OpenRW(s.path, 0o644)
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Usage, "there is no directory for "+s.path, "create "+filepath.Dir(s.path)+" first, or name another file")
	}
	if err != nil {
		return s.openError(err)
	}
	err = f.Lock()
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		f.Close()
		if errors.Is(err, host.ErrLocked) {
			return fault.New(fault.Sink, s.path+" is being written by another run", "stop that run, or name another file")
		}
		return s.openError(err)
	}
	if info, err = f.Stat(); err != nil {
		f.Close()
		return s.openError(err)
	}
	s.file, s.id = f, info.ID
	return nil
}

func (s *sink) isCheckpoint(info host.Info) bool {
	if s.checkpoint == "" || info.ID == "" {
		return false
	}
	other, err := s.disk.Stat(s.checkpoint)
	return err == nil && other.ID == info.ID
}

// prepare checks the open file and makes it as long as it must be.
func (s *sink) prepare(r connector.Resume, state *State) error {
	size, err := s.file.Size()
	if err != nil {
		return s.openError(err)
	}
	if !r.Resumed && size > 0 && !r.Fresh {
		return fault.New(fault.Sink, fmt.Sprintf("%s already holds %d bytes and there is no checkpoint to continue from", s.path, size),
			"name another file, use the checkpoint that belongs to it, or empty it with --fresh")
	}
	if state != nil {
		if err := s.verify(*state, size); err != nil {
			return err
		}
		s.length = state.Length
	}
	if size > s.length {
		if err := s.file.Truncate(s.length); err != nil {
			return s.fail(err)
		}
	}
	// Before new bytes follow, so that a power loss does not bring old ones back among them. Also when nothing had to be
	// cut: the process that did may have died before its cut was durable.
	if r.Resumed || size > s.length {
		if err := s.file.Sync(); err != nil {
			return s.fail(err)
		}
	}
	if _, err := s.file.Seek(s.length, io.SeekStart); err != nil {
		return s.fail(err)
	}
	if state == nil { // the head is as durable as the first rows: once they are, so is it
		s.buf = append(s.buf, s.head...)
	}
	return nil
}

// verify compares the file with the state, and keeps the last bytes before the state's length.
func (s *sink) verify(state State, size int64) error {
	if size < state.Length {
		return s.refuse(&state, fmt.Sprintf("%s is shorter (%d bytes) than the %d bytes that the checkpoint knows", s.path, size, state.Length))
	}
	b := make([]byte, min(state.Length, tailBytes))
	if _, err := io.ReadFull(io.NewSectionReader(s.file, state.Length-int64(len(b)), int64(len(b))), b); err != nil {
		return s.openError(err)
	}
	if xxh3.Hash(b) != state.Tail {
		return s.refuse(&state, fmt.Sprintf("%s holds other content before byte %d than the checkpoint knows", s.path, state.Length))
	}
	s.tail.add(b)
	return s.verifyHead(state)
}

// verifyHead fails when the file that the state knows does not begin with the head.
func (s *sink) verifyHead(state State) error {
	b := make([]byte, min(state.Length, int64(len(s.head))))
	if _, err := s.file.ReadAt(b, 0); err != nil && len(b) > 0 {
		return s.openError(err)
	}
	if !bytes.Equal(b, s.head) {
		return s.refuse(&state, s.path+" does not begin as this run would begin it, with "+shownHead(s.head))
	}
	return nil
}

// shownHead is a head as messages show it: the beginning of its first line.
func shownHead(head []byte) string {
	const most = 60
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	text := []rune(strings.ToValidUTF8(strings.TrimSuffix(string(line), "\r"), "\uFFFD"))
	if len(text) > most {
		return strconv.Quote(string(text[:most])) + "…"
	}
	return strconv.Quote(string(text))
}

func (s *sink) refuse(state *State, msg string) error {
	try := "put the file back as it was, or start over with a new checkpoint and another file"
	if state.Path != s.path {
		try = "the checkpoint belongs to " + state.Path + ": name that file, or move its content here"
	}
	return fault.New(fault.Sink, msg, try)
}

func (s *sink) openError(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return openError(err, s.path)
	}
	return fault.Wrap(fault.Sink, cause(err), "", "cannot open %s", s.path)
}
