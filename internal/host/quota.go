package host

import (
	"io/fs"
	"sync"
	"syscall"
)

// Quota is a disk with room for a number of bytes. A write that does not fit writes what fits and fails with
// syscall.ENOSPC, as real disks do. Only the growth of a file takes room; shortening, removing or replacing a file gives
// its bytes back, at once also when another name or an open file would still hold them on a real disk. Files that were
// there before take no room, but give theirs back. Safe for concurrent use.
type Quota struct {
	Disk
	mu   sync.Mutex
	free int64
}

// NewQuota wraps a disk with room for n more bytes.
func NewQuota(disk Disk, n int64) *Quota { return &Quota{Disk: disk, free: n} }

// Free makes room for n more bytes.
func (d *Quota) Free(n int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.free += n
}

func (d *Quota) Open(name string) (File, error) { return d.wrap(d.Disk.Open(name)) }

func (d *Quota) OpenRW(name string, perm fs.FileMode) (File, error) {
	return d.wrap(d.Disk.OpenRW(name, perm))
}

func (d *Quota) wrap(f File, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return &quotaFile{File: f, disk: d}, nil
}

func (d *Quota) Rename(old, new string) error {
	return d.freeing(new, func() error { return d.Disk.Rename(old, new) })
}

func (d *Quota) Remove(name string) error {
	return d.freeing(name, func() error { return d.Disk.Remove(name) })
}

// freeing makes a call that frees the bytes of the regular file that has the name.
func (d *Quota) freeing(name string, call func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	info, missing := d.Disk.Stat(name)
	if err := call(); err != nil {
		return err
	}
	if missing == nil && info.Regular {
		d.free += info.Size
	}
	return nil
}

type quotaFile struct {
	File
	disk *Quota
}

func (f *quotaFile) Write(p []byte) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	size, err := f.File.Size()
	if err != nil {
		return 0, err
	}
	at, err := f.File.Seek(0, 1)
	if err != nil {
		return 0, err
	}
	fits := max(0, min(int64(len(p)), size+f.disk.free-at))
	n, err := f.File.Write(p[:fits])
	f.disk.free -= max(0, at+int64(n)-size)
	if err == nil && n < len(p) {
		err = pathError("write", f.Name(), syscall.ENOSPC)
	}
	return n, err
}

// Truncate gives room back or, as a longer file is one with a hole, takes it without a check.
func (f *quotaFile) Truncate(n int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	size, unknown := f.File.Size()
	if err := f.File.Truncate(n); err != nil {
		return err
	}
	if unknown == nil {
		f.disk.free += size - n
	}
	return nil
}
