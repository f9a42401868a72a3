//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package host

import (
	"io/fs"
	"strconv"
	"syscall"
)

// flock locks the open file description. Go opens files close-on-exec, so that no child process keeps the lock after
// its parent's death.
func flock(fd uintptr) error {
	for {
		switch err := syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB); err {
		case nil:
			return nil
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return ErrLocked
		default:
			return err
		}
	}
}

// identity is device and inode. An inode may be given to another file once nothing holds the first, so identities are
// compared while the file is open.
func identity(fi fs.FileInfo) string {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return strconv.FormatUint(uint64(st.Dev), 10) + ":" + strconv.FormatUint(uint64(st.Ino), 10)
}
