package checkpoint

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"syscall"

	"ubik/internal/host"
)

// Read reads the unit at a path without locking it, also while a run uses it: a saved file never changes, it is only
// replaced. Errors are *Refused.
func Read(disk host.Disk, path string) (*Unit, error) {
	info, err := disk.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Refused{Path: path, Cause: BadPath, What: "there is no such file"}
	}
	if err := usable(path, info, err); err != nil {
		return nil, err
	}
	f, err := disk.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	u, err := readUnit(f, path)
	if closed := f.Close(); err == nil && closed != nil {
		err = unreadable(path, closed)
	}
	if err != nil {
		return nil, err
	}
	return u, nil
}

// readUnit reads an open file from its start. It looks at the header before it takes memory for the rest, so that a
// large foreign file costs nothing.
func readUnit(f host.File, path string) (*Unit, error) {
	size, err := f.Size()
	if err != nil {
		return nil, unreadable(path, err)
	}
	head := make([]byte, min(size, headerLengthMax))
	if _, err := io.ReadFull(f, head); err != nil {
		return nil, unreadable(path, err)
	}
	format, err := inspect(head, uint64(size))
	if err != nil {
		return nil, in(path, err)
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(f, b[copy(b, head):]); err != nil {
		return nil, unreadable(path, err)
	}
	u, err := format.decode(b)
	if err != nil {
		return nil, in(path, err)
	}
	u.Bytes = size
	return u, nil
}

// usable refuses what Stat found at a path unless it is a regular file: a device must not be replaced, and opening a
// pipe would wait for a writer.
func usable(path string, info host.Info, err error) error {
	switch {
	case err != nil:
		return unreadable(path, err)
	case info.IsDir:
		return &Refused{Path: path, Cause: BadPath, What: "it is a directory"}
	case !info.Regular:
		return &Refused{Path: path, Cause: BadPath, What: "it is not a regular file"}
	}
	return nil
}

// folder refuses a path whose directory is none.
func folder(disk host.Disk, path string) error {
	dir := filepath.Dir(path)
	info, err := disk.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return &Refused{Path: path, Cause: BadPath, What: "the folder " + dir + " does not exist"}
	case err != nil:
		return unreadable(path, err)
	case !info.IsDir:
		return &Refused{Path: path, Cause: BadPath, What: dir + " is not a folder"}
	}
	return nil
}

func unreadable(path string, err error) error {
	return &Refused{Path: path, Cause: Unreadable, What: "it cannot be used", Err: err}
}
