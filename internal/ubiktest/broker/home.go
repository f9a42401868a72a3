package broker

import (
	"os"
	"path/filepath"
	"syscall"
)

const homePattern = "ubik-kafka-"

// home is the temporary folder of one broker: configuration, data and log. It is locked by this process for as long as it is in use,
// so that a later run can tell the folder of a test binary that was killed from one in use, and remove it.
type home struct {
	dir  string
	held *os.File
}

// newHome makes a home. The caller holds the lock of the cache folder, which keeps another process from sweeping a home not yet locked.
func newHome() (*home, error) {
	sweep()
	dir, err := os.MkdirTemp("", homePattern)
	if err != nil {
		return nil, err
	}
	held, err := os.Create(filepath.Join(dir, "in-use"))
	if err == nil {
		err = syscall.Flock(int(held.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return &home{dir, held}, nil
}

func (h *home) path(name string) string { return filepath.Join(h.dir, name) }

// remove deletes the folder with all that is in it.
func (h *home) remove() {
	os.RemoveAll(h.dir)
	h.held.Close()
}

// sweep removes the homes that nobody holds. What cannot be removed is left: it is another user's.
func sweep() {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), homePattern+"*"))
	for _, dir := range dirs {
		f, err := os.Open(filepath.Join(dir, "in-use"))
		if err != nil {
			continue
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			os.RemoveAll(dir)
		}
		f.Close()
	}
}
