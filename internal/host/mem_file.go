package host

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"syscall"
)

// memFile is one opening of a node.
type memFile struct {
	disk     *Mem
	node     *node
	name     string
	at       int64
	writable bool
	closed   bool
}

func (f *memFile) Name() string { return f.name }

// begin locks the disk and checks that the file is open; the caller unlocks.
func (f *memFile) begin(op string) error {
	f.disk.mu.Lock()
	if f.closed {
		return pathError(op, f.name, fs.ErrClosed)
	}
	return nil
}

func (f *memFile) Read(p []byte) (int, error) {
	err := f.begin("read")
	defer f.disk.mu.Unlock()
	if err != nil {
		return 0, err
	}
	n, err := f.readAt(p, f.at)
	f.at += int64(n)
	if n > 0 {
		return n, nil
	}
	return n, err
}

func (f *memFile) ReadAt(p []byte, off int64) (int, error) {
	err := f.begin("read")
	defer f.disk.mu.Unlock()
	if err != nil {
		return 0, err
	}
	if off < 0 {
		return 0, pathError("readat", f.name, errors.New("negative offset"))
	}
	return f.readAt(p, off)
}

func (f *memFile) readAt(p []byte, off int64) (int, error) {
	if f.node.kind == kindDir {
		return 0, pathError("read", f.name, syscall.EISDIR)
	}
	if len(p) == 0 {
		return 0, nil
	}
	if off >= int64(len(f.node.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.node.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memFile) Write(p []byte) (int, error) {
	err := f.begin("write")
	defer f.disk.mu.Unlock()
	if err != nil {
		return 0, err
	}
	if !f.writable {
		return 0, pathError("write", f.name, syscall.EBADF)
	}
	if len(p) == 0 {
		return 0, nil
	}
	f.node.edit(edit{off: f.at, bytes: slices.Clone(p)})
	f.at += int64(len(p))
	return len(p), nil
}

func (f *memFile) Seek(offset int64, whence int) (int64, error) {
	err := f.begin("seek")
	defer f.disk.mu.Unlock()
	if err != nil {
		return 0, err
	}
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += int64(len(f.node.data))
	default:
		return 0, pathError("seek", f.name, syscall.EINVAL)
	}
	if offset < 0 {
		return 0, pathError("seek", f.name, syscall.EINVAL)
	}
	f.at = offset
	return offset, nil
}

func (f *memFile) Truncate(n int64) error {
	err := f.begin("truncate")
	defer f.disk.mu.Unlock()
	if err != nil {
		return err
	}
	if !f.writable || n < 0 {
		return pathError("truncate", f.name, syscall.EINVAL)
	}
	f.node.edit(edit{off: n})
	return nil
}

func (f *memFile) Sync() error {
	err := f.begin("sync")
	defer f.disk.mu.Unlock()
	if err != nil {
		return err
	}
	if f.node.kind == kindFile {
		f.node.sync()
	}
	return nil
}

func (f *memFile) Size() (int64, error) {
	info, err := f.Stat()
	return info.Size, err
}

func (f *memFile) Stat() (Info, error) {
	err := f.begin("stat")
	defer f.disk.mu.Unlock()
	if err != nil {
		return Info{}, err
	}
	return f.node.info(), nil
}

func (f *memFile) Lock() error {
	err := f.begin("lock")
	defer f.disk.mu.Unlock()
	if err != nil {
		return err
	}
	if f.node.holder != nil && f.node.holder != f {
		return pathError("lock", f.name, ErrLocked)
	}
	f.node.holder = f
	return nil
}

func (f *memFile) Close() error {
	err := f.begin("close")
	defer f.disk.mu.Unlock()
	if err != nil {
		return err
	}
	f.closed = true
	if f.node.holder == f {
		f.node.holder = nil
	}
	return nil
}
