package checkpoint

import (
	"errors"
	"io/fs"
	"path/filepath"

	"ubik/internal/host"
)

// mode is that of every file made here: the checkpoint holds the user's data.
const mode fs.FileMode = 0o600

// Store is the checkpoint of a running job. It is used by one goroutine.
type Store struct {
	// Keep is how many predecessors stay as path.1 (the newest) to path.Keep. Never read by a Store.
	Keep int
	// Phase, if set, is called by Save after each of the steps "written", "synced", "renamed" and "dirsynced".
	Phase func(step string)

	disk   host.Disk
	path   string // links resolved
	file   *claimed
	saved  bool // file is at path; else it is at path.tmp and nothing is at path
	failed error
	size   int64 // of the file last saved
	enc    encoder
}

// Size is the length in bytes of the file: as the last Save wrote it, or else as it was opened; 0 when there is none.
func (s *Store) Size() int64 { return s.size }

// Open locks the checkpoint at a path and reads its unit, which is nil when there is no file. A path that is a symbolic
// link stands for what it leads to. Errors are *Refused and leave the file as it is.
//
// The unit is durable when Open returns: the run before may have died between renaming it and syncing the directory, and
// a power loss must not take back what this run goes on from.
func Open(disk host.Disk, path string) (*Store, *Unit, error) {
	if path == "" {
		return nil, nil, refuse(BadPath, "the path of the checkpoint is empty")
	}
	if err := folder(disk, path); err != nil {
		return nil, nil, err
	}
	target, err := disk.Resolve(path)
	if err != nil {
		return nil, nil, unreadable(path, err)
	}
	if err := folder(disk, target); err != nil {
		return nil, nil, err
	}
	for range claimTries {
		info, err := disk.Stat(target)
		if errors.Is(err, fs.ErrNotExist) {
			c, err := claimNew(disk, target)
			if err != nil {
				return nil, nil, err
			}
			if c == nil {
				continue
			}
			return &Store{disk: disk, path: target, file: c}, nil, nil
		}
		if err := usable(target, info, err); err != nil {
			return nil, nil, err
		}
		c, err := claimExisting(disk, target)
		if err != nil {
			return nil, nil, err
		}
		if c == nil {
			continue
		}
		u, err := readDurable(disk, c, target)
		if err != nil {
			c.Close()
			return nil, nil, err
		}
		return &Store{disk: disk, path: target, file: c, saved: true, size: u.Bytes}, u, nil
	}
	return nil, nil, &Refused{Path: target, Cause: Locked, What: "it changes too often to be locked", Err: host.ErrLocked}
}

func readDurable(disk host.Disk, f host.File, path string) (*Unit, error) {
	u, err := readUnit(f, path)
	if err != nil {
		return nil, err
	}
	if err := f.Sync(); err != nil {
		return nil, unreadable(path, err)
	}
	if err := disk.SyncDir(filepath.Dir(path)); err != nil {
		return nil, unreadable(path, err)
	}
	return u, nil
}

// Close releases the lock. After it Save fails. A temporary file of a run that saved nothing is removed.
func (s *Store) Close() error {
	if s.file == nil {
		return fs.ErrClosed
	}
	if s.failed == nil {
		s.failed = fs.ErrClosed
	}
	var removed error
	if !s.saved && s.mustBeOwn(temporary(s.path)) == nil {
		// While it is locked: unlocked, it could already be another run's.
		removed = s.removeTemporary()
	}
	err := s.file.Close()
	s.file = nil
	if err == nil {
		err = removed
	}
	return err
}

// removeTemporary removes path.tmp if it is there.
func (s *Store) removeTemporary() error {
	err := s.disk.Remove(temporary(s.path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func temporary(path string) string { return path + ".tmp" }
