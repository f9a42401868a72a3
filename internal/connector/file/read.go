package file

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/host"
)

// openMax is how many files a source has open at most. A pattern may match more than a process may open at once; a file
// is opened when its turn comes, and the one longest not used gives way. So many parts are in use at most.
const openMax = 100

// handles are the open files of a source, guarded by its mutex but for turns.
type handles struct {
	turns  chan struct{} // one for each part in use; whoever has one waits for the disk alone
	open   []*part
	uses   uint64
	closed bool
}

// Read returns the next chunk of a file.
func (s *source) Read(ctx context.Context, i int) (*connector.Chunk, error) {
	p := s.parts[i]
	var c *connector.Chunk
	var err error
	if p.until < 0 {
		c, err = p.follow(ctx)
	} else {
		if err := s.use(ctx, p); err != nil {
			return nil, err
		}
		c, err = p.reader.Read(ctx, p)
		s.rest(p)
		if err != nil || c.End {
			p.drop()
		}
	}
	if err == nil && c.End && p.stream != nil {
		p.closeStream()
		p.over = true
	}
	return c, p.headerFault(err)
}

// use waits for its turn and marks a part as in use, whose file must not be closed then.
func (s *source) use(ctx context.Context, p *part) error {
	select {
	case s.turns <- struct{}{}:
	default:
		select {
		case s.turns <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.mark(p, true)
	return nil
}

// rest ends the use of a part; of one that is not in use it does nothing.
func (s *source) rest(p *part) {
	if p.busy { // only who uses it writes that
		s.mark(p, false)
		<-s.turns
	}
}

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
	if p.packing != plain {
		return p.unpack(ctx, b)
	}
	n, err := p.file.ReadAt(b, off)
	switch {
	case n > 0:
		return n, nil
	case err != io.EOF:
		return 0, readError(err, p.path)
	case p.until < 0:
		p.seen = off
		return 0, errNoMore
	}
	size, err := p.file.Size()
	if err != nil {
		return 0, readError(err, p.path)
	}
	return 0, shorter(p.path, size, p.until, "it had at the start")
}

// unpack gives the next bytes of a compressed file's content.
func (p *part) unpack(ctx context.Context, b []byte) (int, error) {
	if p.over {
		return 0, io.EOF
	}
	if p.stream == nil {
		// Nothing is read beyond the position, or the stream would be there.
		if _, _, err := p.verify(ctx, p.file, p.reader.Position()); err != nil {
			return 0, err
		}
	}
	n, err := p.stream.read(p.file, b)
	p.unpacked.Store(p.stream.off)
	return n, err
}

// Stored tells how much of a compressed file has been unpacked.
func (s *source) Stored(i int) (read, size int64) {
	p := s.parts[i]
	if p.packing == plain {
		return 0, 0
	}
	return p.unpacked.Load(), p.packed
}

func (p *part) closeStream() {
	if p.stream != nil {
		p.stream.close()
		p.stream = nil
	}
}

// openFile opens the file, and reads again what was read of it should the name lead to another file by now.
func (p *part) openFile(ctx context.Context) error {
	s := p.source
	f, err := s.disk.Open(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		if p.until < 0 {
			return p.removed()
		}
		return gone(p.path)
	}
	if err != nil {
		return openError(err, p.path)
	}
	if err := p.adopt(ctx, f); err != nil {
		f.Close()
		if p.until < 0 && fault.ClassOf(err) == fault.LogChanged {
			return p.renamed("its name led to another file")
		}
		return err
	}
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

// adopt makes f the file that is read, when it is the one it was or begins as that did.
func (p *part) adopt(ctx context.Context, f host.File) error {
	info, err := f.Stat()
	if err != nil {
		return readError(err, p.path)
	}
	if p.packing != plain {
		if now := p.packing.logID(info.Size); info.Size != p.packed {
			return repacked(p.path, p.packing.logID(p.packed), now)
		}
		if info.ID != p.id && p.stream != nil { // what is unpacked already is of the other one
			return fault.New(fault.LogChanged, p.path+" was replaced by another file while it was read", grownOnly)
		}
	} else if at := p.reader.Position(); info.ID != p.id && at.Offset > 0 {
		if _, _, err := p.verify(ctx, f, at); err != nil {
			return err
		}
	}
	p.id = info.ID
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
