package file

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"

	"ubik/internal/connector"
)

// openMax is how many files a source keeps open. A pattern may match more than a process may open at once; a file is
// opened when its turn comes, and the one longest not used gives way.
const openMax = 100

// handles are the open files of a source, guarded by its mutex.
type handles struct {
	open   []*part
	uses   uint64
	closed bool
}

// Read returns the next chunk of a file.
func (s *source) Read(ctx context.Context, i int) (*connector.Chunk, error) {
	p := s.parts[i]
	s.mark(p, true)
	c, err := p.reader.Read(ctx, p)
	s.mark(p, false)
	if err != nil || c.End {
		p.drop()
	}
	return c, err
}

// mark says whether a Read is in a part, whose file must not be closed then.
func (s *source) mark(p *part, busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.busy = busy
	s.uses++
	p.used = s.uses
}

// ReadAt is what the part's reader reads by; never called for bytes from until on.
func (p *part) ReadAt(ctx context.Context, b []byte, off int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if p.file == nil {
		if err := p.openFile(ctx); err != nil {
			return 0, err
		}
	}
	n, err := p.file.ReadAt(b, off)
	if n > 0 {
		return n, nil
	}
	if err == io.EOF {
		size, err := p.file.Size()
		if err != nil {
			return 0, readError(err, p.path)
		}
		return 0, shorter(p.path, size, p.until, "it had at the start")
	}
	return 0, readError(err, p.path)
}

// openFile opens the file, and reads again what was read of it should the name lead to another file by now.
func (p *part) openFile(ctx context.Context) error {
	s := p.source
	f, err := s.disk.Open(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		return gone(p.path)
	}
	if err != nil {
		return openError(err, p.path)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return readError(err, p.path)
	}
	if at := p.reader.Position(); info.ID != p.id && at.Offset > 0 {
		if _, err := p.verify(ctx, f, at); err != nil {
			f.Close()
			return err
		}
	}
	p.id = info.ID

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		f.Close()
		return readError(fs.ErrClosed, p.path)
	}
	s.makeRoom()
	p.file = f
	s.open = append(s.open, p)
	return nil
}

// makeRoom closes the file longest not used when there are too many. The caller holds the mutex.
func (s *source) makeRoom() {
	if len(s.open) < openMax {
		return
	}
	oldest := -1
	for i, p := range s.open {
		if !p.busy && (oldest < 0 || p.used < s.open[oldest].used) {
			oldest = i
		}
	}
	if oldest >= 0 {
		s.open[oldest].file.Close() // it was only read: nothing can be lost
		s.open[oldest].file = nil
		s.open = slices.Delete(s.open, oldest, oldest+1)
	}
}

// drop closes the part's file, if it is open.
func (p *part) drop() {
	s := p.source
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.file == nil {
		return
	}
	p.file.Close() // it was only read: nothing can be lost
	p.file = nil
	s.open = slices.DeleteFunc(s.open, func(q *part) bool { return q == p })
}
