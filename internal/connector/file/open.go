package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ubik/internal/connector"
	"ubik/internal/connector/lines"
	"ubik/internal/fault"
	"ubik/internal/host"
)

const (
	startOver = "start over with a new checkpoint"
	grownOnly = "a file that is read may only grow: put its old content back, or " + startOver
)

// part is one file.
type part struct {
	source  *source
	path    string
	packing packing
	packed  int64 // of a compressed file: its size
	from    int64 // where the run begins to read
	until   int64 // where it ends; -1: the file is followed, connector.EndUnknown: where the content ends

	// Of the goroutine that reads; of a followed file also of the one that inspects it: inspected keeps them apart.
	inspected sync.Mutex
	reader    *lines.Reader
	stream    *stream // of a compressed file, while it is read
	over      bool    // its content has been read to the end
	id        string  // host.Info.ID of the file that is read
	seen      int64   // of a followed file: how far there were bytes at the last look

	unpacked atomic.Int64 // of a compressed file: the bytes of it that are unpacked

	// Guarded by source.mu.
	file host.File // open, or nil
	busy bool      // it is in use
	used uint64    // by the order of use
}

// Open looks at every file, and reads what lies before each From to compare its hash. A start without an end ends at
// the size that the file has now, unless files are followed.
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
	packed, err := s.packingAt(p.path, info)
	if err != nil {
		return nil, err
	}
	if err := s.refusePacked(p.path, packed); err != nil {
		return nil, err
	}
	p.packing = packingOf(packed)
	p.id, p.packed = info.ID, info.Size
	if err := p.setEnd(start, info.Size); err != nil {
		return nil, err
	}
	p.reader = lines.NewReader(s.pool, p.options())
	if p.from == 0 && !s.framing.Header {
		return p, nil
	}
	if err := p.begin(ctx, start.From); err != nil {
		return nil, err
	}
	return p, nil
}

// setEnd works out where the file ends for this run, and that it is long enough for that.
func (p *part) setEnd(start connector.Start, size int64) error {
	unknown := p.until < 0 || p.until == connector.EndUnknown
	switch {
	case p.packing != plain:
		if unknown {
			p.until = connector.EndUnknown
		}
		if now := p.packing.logID(size); start.LogID != "" && start.LogID != now {
			return repacked(p.path, start.LogID, now)
		}
		return nil
	case p.source.follow && unknown:
		p.until = -1
	case unknown:
		p.until = max(size, p.from)
	}
	return p.longEnough(size)
}

func (p *part) options() lines.Options {
	s := p.source
	o := lines.Options{
		MaxRecord: s.maxRecord, Until: p.until, Wait: s.wait, Keep: p.packing != plain, Hashed: true,
		Framing: s.framing, HeaderCheck: s.headerCheck,
	}
	if p.until == connector.EndUnknown {
		o.Until = -1
	}
	if s.follow {
		o.Tail = tailBytes
	}
	return o
}

// begin reads what a run must know of a file before it reads on: whether its beginning is what it was, and its header.
func (p *part) begin(ctx context.Context, from connector.Position) error {
	f, err := p.source.disk.Open(p.path)
	if err != nil {
		return openError(err, p.path)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return openError(err, p.path)
	}
	p.id = info.ID
	passed, err := p.checkHeader(ctx, f)
	if err != nil || p.from == 0 {
		return err
	}
	prefix, tail, err := p.verify(ctx, f, from)
	if err != nil {
		return err
	}
	p.reader.Resume(p.from, prefix, tail, !passed)
	if p.stream != nil && p.stream.ended(f) {
		p.closeStream() // a pattern's files that are done take no memory
		p.over = true
	}
	return nil
}

// longEnough fails when the size of a file is less than what was read already or is to be read.
func (p *part) longEnough(size int64) error {
	if p.packing != plain {
		return nil
	}
	if size < p.from {
		return shorter(p.path, size, p.from, "already read")
	}
	if size < p.until {
		return shorter(p.path, size, p.until, "it had at the start")
	}
	return nil
}

func gone(path string) error { return fault.New(fault.LogChanged, path+" is gone", grownOnly) }

func changed(path string, n int64) error {
	return fault.New(fault.LogChanged, fmt.Sprintf("%s: its first %d bytes changed since they were read", path, n), grownOnly)
}

func repacked(path, was, now string) error {
	if now == "" {
		now = "not compressed"
	}
	return fault.New(fault.LogChanged, fmt.Sprintf("%s changed: at the start it was %s, now it is %s", path, was, now),
		"a compressed file must stay as it is: put it back, or "+startOver)
}

func shorter(path string, size, than int64, which string) error {
	return fault.New(fault.LogChanged, fmt.Sprintf("%s is shorter (%d bytes) than the %d bytes %s", path, size, than, which), grownOnly)
}
