package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"ubik/internal/connector"
	"ubik/internal/connector/lines"
	"ubik/internal/fault"
	"ubik/internal/host"
)

const grownOnly = "a file that is read may only grow: put its old content back, or start over with a new checkpoint"

// part is one file.
type part struct {
	source *source
	path   string
	from   int64 // where the run begins to read
	until  int64 // where it ends
	reader *lines.Reader
	id     string // host.Info.ID of the file that is read

	// Guarded by source.mu.
	file host.File // open, or nil
	busy bool      // a Read is in it
	used uint64    // by the order of use
}

// Open looks at every file, and reads what lies before each From to compare its hash. A start without an end ends at
// the size that the file has now.
func (s *source) Open(ctx context.Context, at []connector.Start) error {
	var parts []*part
	for _, start := range at {
		p, err := s.newPart(ctx, start)
		if err != nil {
			return err
		}
		parts = append(parts, p)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts = parts
	s.byPath = slices.Clone(parts)
	slices.SortFunc(s.byPath, func(a, b *part) int { return strings.Compare(a.path, b.path) })
	return nil
}

func (s *source) newPart(ctx context.Context, start connector.Start) (*part, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := &part{source: s, path: start.Topic, from: start.From.Offset, until: start.Until}
	info, err := s.disk.Stat(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, gone(p.path)
	}
	if err != nil {
		return nil, openError(err, p.path)
	}
	if err := readable(p.path, info); err != nil {
		return nil, err
	}
	if p.until < 0 || p.until == connector.EndUnknown {
		p.until = max(info.Size, p.from)
	}
	if err := p.longEnough(info.Size); err != nil {
		return nil, err
	}
	p.id = info.ID
	p.reader = lines.NewReader(s.pool, lines.Options{MaxRecord: s.maxRecord, Until: p.until, Wait: s.wait, Hashed: true})
	if p.from == 0 {
		return p, nil
	}
	f, err := s.disk.Open(p.path)
	if err != nil {
		return nil, openError(err, p.path)
	}
	defer f.Close()
	prefix, err := p.verify(ctx, f, start.From)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err != nil {
		return nil, openError(err, p.path)
	}
	p.id = info.ID
	p.reader.Resume(p.from, prefix)
	return p, nil
}

// longEnough fails when a size is less than what was read already or is to be read.
func (p *part) longEnough(size int64) error {
	if size < p.from {
		return shorter(p.path, size, p.from, "already read")
	}
	if size < p.until {
		return shorter(p.path, size, p.until, "it had at the start")
	}
	return nil
}

// verify hashes the bytes before a position and compares. It returns the state of the hash.
func (p *part) verify(ctx context.Context, f host.File, at connector.Position) (*xxh3.Hasher, error) {
	h, buf := xxh3.New(), make([]byte, min(at.Offset, 1<<20))
	for off := int64(0); off < at.Offset; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := f.ReadAt(buf[:min(int64(len(buf)), at.Offset-off)], off)
		h.Write(buf[:n])
		off += int64(n)
		if n > 0 {
			continue
		}
		if err == io.EOF {
			return nil, shorter(p.path, off, at.Offset, "already read")
		}
		return nil, readError(err, p.path)
	}
	if h.Sum128().Bytes() != at.Hash {
		return nil, fault.New(fault.LogChanged, fmt.Sprintf("%s: its first %d bytes changed since they were read", p.path, at.Offset), grownOnly)
	}
	return h, nil
}

func gone(path string) error { return fault.New(fault.LogChanged, path+" is gone", grownOnly) }

func shorter(path string, size, than int64, which string) error {
	return fault.New(fault.LogChanged, fmt.Sprintf("%s is shorter (%d bytes) than the %d bytes %s", path, size, than, which), grownOnly)
}
