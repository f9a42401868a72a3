package host

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// OS is the disk of this machine.
var OS Disk = osDisk{}

type osDisk struct{}

func (osDisk) Open(name string) (File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (osDisk) OpenRW(name string, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, perm)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (osDisk) Rename(old, new string) error { return os.Rename(old, new) }
func (osDisk) Link(old, new string) error   { return os.Link(old, new) }
func (osDisk) Remove(name string) error     { return os.Remove(name) }

func (osDisk) SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if closed := d.Close(); err == nil {
		err = closed
	}
	return err
}

func (osDisk) Stat(name string) (Info, error) {
	fi, err := os.Stat(name)
	if err != nil {
		return Info{}, err
	}
	return osInfo(fi), nil
}

// linksMax is the length of a chain of links beyond which it is taken for a circle, as in Linux.
const linksMax = 40

func (osDisk) Resolve(name string) (string, error) {
	at := name
	for range linksMax {
		fi, err := os.Lstat(at)
		if os.IsNotExist(err) {
			return at, nil
		}
		if err != nil {
			return "", err
		}
		if fi.Mode()&fs.ModeSymlink == 0 {
			return at, nil
		}
		target, err := os.Readlink(at)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) {
			// Not cleaned: "link/../x" is beside what link leads to, not beside link.
			target = filepath.Dir(at) + string(filepath.Separator) + target
		}
		at = target
	}
	return "", &fs.PathError{Op: "resolve", Path: name, Err: syscall.ELOOP}
}

func (osDisk) Glob(pattern string) ([]string, error) { return glob(pattern) }

type osFile struct{ *os.File }

func (f osFile) Size() (int64, error) {
	fi, err := f.File.Stat()
	if err != nil {
		return 0, err
	}
	return fi.Size(), nil
}

func (f osFile) Stat() (Info, error) {
	fi, err := f.File.Stat()
	if err != nil {
		return Info{}, err
	}
	return osInfo(fi), nil
}

func (f osFile) Lock() error {
	raw, err := f.SyscallConn()
	if err != nil {
		return &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	var locked error
	if err := raw.Control(func(fd uintptr) { locked = flock(fd) }); err != nil {
		// Control knows the file only as closed, in an error of the poller's own.
		return &fs.PathError{Op: "lock", Path: f.Name(), Err: fs.ErrClosed}
	}
	if locked != nil {
		return &fs.PathError{Op: "lock", Path: f.Name(), Err: locked}
	}
	return nil
}

func osInfo(fi fs.FileInfo) Info {
	return Info{Size: fi.Size(), IsDir: fi.IsDir(), Regular: fi.Mode().IsRegular(), ID: identity(fi)}
}
