package host

import (
	"errors"
	"io"
	"io/fs"
)

// ErrLocked says that another open file holds the lock.
var ErrLocked = errors.New("locked by another process")

// AnyDepth is the name in a pattern that stands for any number of directories.
const AnyDepth = "**"

// Disk is a file system. Names are paths in the form of the host; symbolic links are followed but by Remove, Rename and
// Link, which act on the link itself. Errors carry operation and name and wrap the system's error, so that
// errors.Is(err, syscall.ENOSPC) and errors.Is(err, fs.ErrNotExist) hold. Safe for concurrent use.
type Disk interface {
	// Open opens an existing file for reading. A directory may be opened; reading it fails.
	Open(name string) (File, error)
	// OpenRW opens a file for reading and writing at position 0 and creates it, empty, with the mode perm (less the
	// umask) if it is absent. It never truncates.
	OpenRW(name string, perm fs.FileMode) (File, error)
	// Rename gives a file another name, in one step replacing the file that has it. Durable after SyncDir.
	Rename(old, new string) error
	// Link gives a file a second name, which must be free. Durable after SyncDir.
	Link(old, new string) error
	// Remove removes a name: a file, a link or an empty directory. Durable after SyncDir.
	Remove(name string) error
	// SyncDir makes the names in a directory durable as they are now.
	SyncDir(dir string) error
	// Stat describes the file that a name leads to.
	Stat(name string) (Info, error)
	// Resolve follows the symbolic links at the end of a path and returns the name they lead to, which need not exist;
	// a name that is no link, or is absent, is returned as it is.
	Resolve(name string) (string, error)
	// Glob returns the names that match a pattern of path.Match, sorted. It fails when it cannot look into a directory.
	// A name ** in the pattern (see AnyDepth) is any number of directories, none included: those that are no links and
	// whose names do not begin with a dot. The last in the pattern, it is every such name below, of a file too; a
	// pattern that ends in **/ gives the directories themselves.
	Glob(pattern string) ([]string, error)
}

// File is one open file. It is used by one goroutine at a time, but for ReadAt. After Close every call fails with
// fs.ErrClosed.
type File interface {
	io.Reader
	io.ReaderAt
	io.Seeker
	io.Closer
	// Write writes at the position and moves it. With an error the first n bytes may have been written.
	io.Writer
	// Name returns the name the file was opened by.
	Name() string
	// Size returns the present length in bytes.
	Size() (int64, error)
	// Stat describes the open file itself, whatever its name now leads to.
	Stat() (Info, error)
	// Truncate sets the length: bytes beyond it are dropped, missing ones are zero. The position does not move.
	Truncate(n int64) error
	// Sync makes the bytes and the length durable. After an error it must not be called again.
	Sync() error
	// Lock takes the exclusive lock of the file (of the file, not of its name: it stays through a Rename) or fails at
	// once with ErrLocked when another File, of this process or another, holds it. Close and the death of the process
	// release it. It is advisory: it keeps out only those who ask for it.
	Lock() error
}

// Info describes a file.
type Info struct {
	Size    int64 // in bytes; of a directory without meaning
	IsDir   bool
	Regular bool   // neither a directory nor a device, pipe or socket
	ID      string // the file's identity on this host: two names, or a name and a File, with one ID are one file
}
