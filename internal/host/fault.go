package host

import (
	"errors"
	"io/fs"
	"slices"
	"sync"
)

// ErrCrashed is returned by every call on a disk whose process is gone.
var ErrCrashed = errors.New("the process has crashed")

// Op names a method of Disk or File.
type Op string

const (
	OpOpen     Op = "open"
	OpOpenRW   Op = "openrw"
	OpRename   Op = "rename"
	OpLink     Op = "link"
	OpRemove   Op = "remove"
	OpSyncDir  Op = "syncdir"
	OpStat     Op = "stat"
	OpResolve  Op = "resolve"
	OpGlob     Op = "glob"
	OpRead     Op = "read"
	OpReadAt   Op = "readat"
	OpSeek     Op = "seek"
	OpWrite    Op = "write"
	OpSize     Op = "size"
	OpFileStat Op = "filestat"
	OpTruncate Op = "truncate"
	OpSync     Op = "sync"
	OpLock     Op = "lock"
	OpClose    Op = "close"
)

// Call is one call made on a disk; of a rename or link, Name is the old name and To the new one.
type Call struct {
	Op   Op
	Name string
	To   string
}

// Plan chooses a call and its fate. The zero Plan lets every call pass.
type Plan struct {
	At    int    // the call, counted from 1 among those of Ops since the plan was set; 0 is none
	Ops   []Op   // the operations that count; empty is all
	Err   error  // what the call returns, wrapped with operation and name; nil is ErrCrashed
	After bool   // the call has its effect and then fails
	Crash bool   // every call of any operation after the chosen one fails with ErrCrashed, without effect
	Hook  func() // if set, is called instead, before the chosen call has its effect and result as usual
}

// Fault is a disk that records its calls and lets a chosen one fail. Safe for concurrent use.
type Fault struct {
	disk Disk

	mu      sync.Mutex
	calls   []Call
	plan    Plan
	counted int
	crashed bool
}

// NewFault wraps a disk.
func NewFault(disk Disk) *Fault { return &Fault{disk: disk} }

// Set starts a plan, in place of the one before, with nothing counted, recorded or crashed.
func (d *Fault) Set(plan Plan) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.plan, d.calls, d.counted, d.crashed = plan, nil, 0, false
}

// Calls returns the calls since the start or the last Set, in order, those that failed included, but none after a crash.
func (d *Fault) Calls() []Call {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.calls)
}

// do makes one call, or not.
func (d *Fault) do(c Call, call func() error) error {
	err, after, hook := d.decide(c)
	if hook != nil {
		hook()
	}
	if err == nil {
		return call()
	}
	if after {
		call() // its own error, if any, gives way to the chosen one
	}
	return pathError(string(c.Op), c.Name, err)
}

func (d *Fault) decide(c Call) (err error, after bool, hook func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.crashed {
		return ErrCrashed, false, nil
	}
	d.calls = append(d.calls, c)
	if len(d.plan.Ops) > 0 && !slices.Contains(d.plan.Ops, c.Op) {
		return nil, false, nil
	}
	d.counted++
	switch {
	case d.counted != d.plan.At:
		return nil, false, nil
	case d.plan.Hook != nil:
		return nil, false, d.plan.Hook
	}
	d.crashed = d.plan.Crash
	if d.plan.Err == nil {
		return ErrCrashed, d.plan.After, nil
	}
	return d.plan.Err, d.plan.After, nil
}

func (d *Fault) Open(name string) (f File, err error) {
	err = d.do(Call{Op: OpOpen, Name: name}, func() (err error) { f, err = d.disk.Open(name); return err })
	return d.opened(f, err)
}

func (d *Fault) OpenRW(name string, perm fs.FileMode) (f File, err error) {
	err = d.do(Call{Op: OpOpenRW, Name: name}, func() (err error) { f, err = d.disk.OpenRW(name, perm); return err })
	return d.opened(f, err)
}

func (d *Fault) opened(f File, err error) (File, error) {
	if err != nil {
		if f != nil {
			f.Close() // opened, and then made to fail
		}
		return nil, err
	}
	return &faultFile{disk: d, file: f}, nil
}

func (d *Fault) Rename(old, new string) error {
	return d.do(Call{Op: OpRename, Name: old, To: new}, func() error { return d.disk.Rename(old, new) })
}

func (d *Fault) Link(old, new string) error {
	return d.do(Call{Op: OpLink, Name: old, To: new}, func() error { return d.disk.Link(old, new) })
}

func (d *Fault) Remove(name string) error {
	return d.do(Call{Op: OpRemove, Name: name}, func() error { return d.disk.Remove(name) })
}

func (d *Fault) SyncDir(dir string) error {
	return d.do(Call{Op: OpSyncDir, Name: dir}, func() error { return d.disk.SyncDir(dir) })
}

func (d *Fault) Stat(name string) (info Info, err error) {
	err = d.do(Call{Op: OpStat, Name: name}, func() (err error) { info, err = d.disk.Stat(name); return err })
	return info, err
}

func (d *Fault) Resolve(name string) (at string, err error) {
	err = d.do(Call{Op: OpResolve, Name: name}, func() (err error) { at, err = d.disk.Resolve(name); return err })
	return at, err
}

func (d *Fault) Glob(pattern string) (names []string, err error) {
	err = d.do(Call{Op: OpGlob, Name: pattern}, func() (err error) { names, err = d.disk.Glob(pattern); return err })
	return names, err
}
