package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// Cause says in one stable word why a checkpoint is refused.
type Cause string

const (
	// Locked: another run uses the file. errors.Is(err, host.ErrLocked) holds too.
	Locked Cause = "locked"
	// BadPath: the path can hold no checkpoint (a directory, a device, no such folder).
	BadPath Cause = "bad-path"
	// Unreadable: the system does not let us read or lock the file; Err has its error.
	Unreadable Cause = "unreadable"
	// Foreign: the file is something else.
	Foreign Cause = "foreign"
	// Newer: a newer Ubik wrote it.
	Newer Cause = "newer"
	// Truncated: its end is missing.
	Truncated Cause = "truncated"
	// Trailing: there are bytes after its end.
	Trailing Cause = "trailing"
	// Damaged: a checksum does not match, or its parts contradict each other.
	Damaged Cause = "damaged"
)

// Refused says that a checkpoint cannot be used and was left as it is. Packages that read sections return it as well.
type Refused struct {
	Path  string // empty when the bytes came from no file
	Cause Cause
	What  string // the fault
	Err   error  // of the system, or nil
}

func (r *Refused) Error() string {
	text := r.What
	if r.Err != nil && r.Cause != Locked { // which What has said
		text += ": " + r.Err.Error()
	}
	if r.Path == "" {
		return text
	}
	return "checkpoint " + r.Path + ": " + text + "; " + r.try()
}

func (r *Refused) Unwrap() error { return r.Err }

func (r *Refused) try() string {
	switch r.Cause {
	case Locked:
		return "stop the other run, or give this one a file of its own"
	case BadPath:
		return "name a file in a folder that exists"
	case Unreadable:
		switch {
		case errors.Is(r.Err, fs.ErrPermission):
			return "check the owner and mode of the file and its folder"
		case isFull(r.Err):
			return "free some space and start again"
		}
		return "check the path and the disk"
	case Foreign:
		return "name another file; this one is left as it is"
	case Newer:
		return "use that Ubik; the file is left as it is"
	default:
		return "put back an intact copy of it; the file is left as it is"
	}
}

func refuse(cause Cause, format string, args ...any) *Refused {
	return &Refused{Cause: cause, What: fmt.Sprintf(format, args...)}
}

// in returns the refusal err with the path it is about.
func in(path string, err error) error {
	var r *Refused
	if errors.As(err, &r) && r.Path == "" {
		named := *r
		named.Path = path
		return &named
	}
	return err
}

// SaveError says that a Save failed, and what the path holds now.
type SaveError struct {
	Path    string
	Number  uint64 // of the unit that was to be saved
	Renamed bool   // the unit has its name, but a power loss may give the one before it back
	Err     error
}

func (e *SaveError) Error() string {
	state := "was not saved and the file is as it was"
	if e.Renamed {
		state = "was saved but may not outlast a power loss"
	}
	try := "look at the disk and start again"
	if isFull(e.Err) {
		try = "free some space and start again"
	}
	return fmt.Sprintf("checkpoint %s: unit %d %s: %v; %s", e.Path, e.Number, state, e.Err, try)
}

func (e *SaveError) Unwrap() error { return e.Err }

func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
