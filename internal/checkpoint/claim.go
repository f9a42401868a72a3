package checkpoint

import (
	"errors"
	"io/fs"

	"ubik/internal/host"
)

// One run at a time, without a lock file beside the checkpoint: the lock is on the checkpoint itself.
//
// A lock belongs to an inode, and each Save puts another inode at the path, so:
//
//   - A run owns the path when it holds the lock of the inode there. Save locks the next inode before renaming it
//     there; the path never shows an unlocked file while the run lives.
//   - Whoever locks what it found at the path looks again whether the path still names it. If not, a Save came between
//     and the locked inode is a dead one: try again, and meet the lock of the new one.
//   - Before the first unit there is nothing at the path. Then the run owns it that holds the lock of the inode at
//     path.tmp, again looked at after locking, and then again whether the path is still free: two runs can both
//     have found it free, and the first have saved since.
//   - path.tmp is never truncated: until it is locked and looked at, it might be the inode that another run is renaming
//     to the path. A leftover one is removed under its lock and made anew, with our mode and owner.
//   - A run that owns the path makes itself a new path.tmp for each Save. Another run that found the path free long ago
//     may hold the lock of one for a moment, until it looks again; it is removed and made anew.
//
// Locks die with their process, so after a kill -9 a leftover path.tmp is free to be taken.

// claimTries bounds how often a claim that lost a race is tried again.
const claimTries = 10

// claimed is a locked file and its identity.
type claimed struct {
	host.File
	id string
}

// claimExisting locks the file at the path. It returns no file and no error when there is none or a Save came between.
func claimExisting(disk host.Disk, path string) (*claimed, error) {
	f, err := disk.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	return claim(disk, f, path, path)
}

// claimNew makes and locks the file at path.tmp, for a path at which there is none. It returns no file and no error when
// another run came between, or a leftover file is now out of the way.
func claimNew(disk host.Disk, path string) (*claimed, error) {
	tmp := temporary(path)
	if at, err := disk.Resolve(tmp); err != nil {
		return nil, unreadable(path, err)
	} else if at != tmp {
		return nil, &Refused{Path: path, Cause: BadPath, What: tmp + " is a symbolic link: remove it"}
	}
	_, err := disk.Stat(tmp)
	leftover := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unreadable(path, err)
	}
	f, err := disk.OpenRW(tmp, mode)
	if err != nil {
		return nil, unreadable(path, err)
	}
	c, err := claim(disk, f, tmp, path)
	if c == nil || err != nil {
		return nil, err
	}
	if err := mustBeFree(disk, path); err != nil {
		c.Close()
		if errors.Is(err, errTaken) {
			return nil, nil
		}
		return nil, unreadable(path, err)
	}
	if !leftover {
		return c, nil
	}
	err = disk.Remove(tmp)
	if closed := c.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	return nil, nil
}

// claim locks f, opened as name, and looks whether name still leads to it. It closes f unless it returns it.
func claim(disk host.Disk, f host.File, name, path string) (*claimed, error) {
	c, err := tryClaim(disk, f, name)
	switch {
	case c != nil:
		return c, nil
	case err == nil:
		err = f.Close()
	default:
		f.Close() // the error before it says more
	}
	if errors.Is(err, host.ErrLocked) {
		return nil, &Refused{Path: path, Cause: Locked, What: "another run uses it", Err: host.ErrLocked}
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	return nil, nil
}

func tryClaim(disk host.Disk, f host.File, name string) (*claimed, error) {
	if err := f.Lock(); err != nil {
		return nil, err
	}
	own, err := f.Stat()
	if err != nil {
		return nil, err
	}
	there, err := disk.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && there.ID != own.ID {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &claimed{f, own.ID}, nil
}

// errTaken says that a file is at a path that was free.
var errTaken = errors.New("another file has appeared there")

func mustBeFree(disk host.Disk, path string) error {
	switch _, err := disk.Stat(path); {
	case err == nil:
		return errTaken
	case errors.Is(err, fs.ErrNotExist):
		return nil
	default:
		return err
	}
}
