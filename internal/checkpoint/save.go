package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"

	"ubik/internal/host"
)

// Save replaces the checkpoint by a unit. When it returns nil, the unit is durable. The order is that of every safe
// replacement: write path.tmp, sync it, rename it to path, sync the directory.
//
// After an error (a *SaveError, but for a closed Store or section names that are not allowed) the path holds the unit
// before or, if Renamed, this one; whole in any case. The Store is then unusable and every Save returns the same error:
// nothing is tried again, as a system that failed to write once may say of lost bytes that they are written. The lock is
// held until Close.
func (s *Store) Save(u *Unit) error {
	if s.failed != nil {
		return s.failed
	}
	pieces, err := s.enc.encode(u)
	if err != nil {
		return fmt.Errorf("checkpoint %s: unit %d: %w", s.path, u.Number, err)
	}
	size := int64(0)
	for _, p := range pieces {
		size += int64(len(p))
	}
	renamed, err := s.replace(pieces)
	s.enc.release()
	if err != nil {
		s.failed = &SaveError{Path: s.path, Number: u.Number, Renamed: renamed, Err: err}
		return s.failed
	}
	s.size = size
	return nil
}

func (s *Store) replace(pieces [][]byte) (renamed bool, err error) {
	next, err := s.next()
	if err != nil {
		return false, err
	}
	if err := s.write(next, pieces); err != nil {
		// What is half written is of no use, and may be what fills the disk.
		s.removeTemporary()
		if next != s.file {
			next.Close()
		}
		return false, err
	}
	before := s.file
	if next != before {
		s.file = next // holds the lock of what is at the path now
	}
	first := !s.saved
	s.saved = true
	s.phase("renamed")
	if err := s.disk.SyncDir(filepath.Dir(s.path)); err != nil {
		if !first {
			before.Close()
		}
		return true, err
	}
	s.phase("dirsynced")
	if first {
		return true, nil
	}
	return true, before.Close()
}

// next returns the locked file at path.tmp, empty as it is newly made.
func (s *Store) next() (*claimed, error) {
	if !s.saved {
		// Claimed by Open. Someone may have put a file at the path since, who does not ask for locks.
		if err := mustBeFree(s.disk, s.path); err != nil {
			return nil, err
		}
		if err := s.mustBeOwn(temporary(s.path)); err != nil {
			return nil, err
		}
		return s.file, nil
	}
	if err := s.mustBeOwn(s.path); err != nil {
		return nil, err
	}
	for range claimTries {
		if err := s.removeTemporary(); err != nil {
			return nil, err
		}
		f, err := s.disk.OpenRW(temporary(s.path), mode)
		if err != nil {
			return nil, err
		}
		c, err := tryClaim(s.disk, f, temporary(s.path))
		if c != nil {
			return c, nil
		}
		f.Close()
		if err != nil && !errors.Is(err, host.ErrLocked) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("another run keeps taking %s", temporary(s.path))
}

// mustBeOwn checks that a name still leads to the file that this run holds the lock of.
func (s *Store) mustBeOwn(name string) error {
	there, err := s.disk.Stat(name)
	if err == nil && there.ID == s.file.id {
		return nil
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s was replaced or removed while this run used it", name)
	}
	return err
}

// write fills the temporary file and gives it the name of the checkpoint.
func (s *Store) write(f *claimed, pieces [][]byte) error {
	for _, p := range pieces {
		if _, err := f.Write(p); err != nil {
			return err
		}
	}
	s.phase("written")
	if err := f.Sync(); err != nil {
		return err
	}
	s.phase("synced")
	if err := s.keep(); err != nil {
		return err
	}
	return s.disk.Rename(temporary(s.path), s.path)
}

// keep gives the present file a second name, path.1, after moving its predecessors on. The path itself is not touched.
// The names become durable with that of the new unit. A run that died after this leaves path and path.1 one file; then
// it is done already.
func (s *Store) keep() error {
	if s.Keep == 0 || !s.saved {
		return nil
	}
	there, err := s.disk.Stat(s.kept(1))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s.disk.Link(s.path, s.kept(1))
	case err != nil:
		return err
	case there.ID == s.file.id:
		return nil
	}
	// Each takes the place of the next older one; the oldest is replaced. The gap stays at the newest end, so a run that
	// died half-way has lost the oldest only.
	last := 1
	for last < s.Keep {
		_, err := s.disk.Stat(s.kept(last + 1))
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
		last++
	}
	for i := min(last, s.Keep-1); i >= 1; i-- {
		if err := s.disk.Rename(s.kept(i), s.kept(i+1)); err != nil {
			return err
		}
	}
	// Still there when only one is kept, or when a power loss left path.1 and path.2 one file, which Rename lets be.
	if err := s.disk.Remove(s.kept(1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return s.disk.Link(s.path, s.kept(1))
}

// kept names the i-th predecessor.
func (s *Store) kept(i int) string { return s.path + "." + strconv.Itoa(i) }

func (s *Store) phase(step string) {
	if s.Phase != nil {
		s.Phase(step)
	}
}
