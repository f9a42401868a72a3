//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package host

import (
	"errors"
	"io/fs"
)

// Windows and the rest build, read and write, but cannot lock: whoever needs a lock is refused with
// errors.ErrUnsupported rather than run without one. (Windows would also need another way to replace a file that is
// open, and to make names durable.)
func flock(uintptr) error { return errors.ErrUnsupported }

// identity is unknown here: no two files are said to be one.
func identity(fs.FileInfo) string { return "" }
