package lines

import (
	"bytes"
	"context"
	"io"

	"github.com/zeebo/xxh3"

	"ubik/internal/codec"
	"ubik/internal/connector"
	"ubik/internal/vec"
)

// Input gives the bytes of one partition.
type Input interface {
	// ReadAt reads up to len(p) > 0 bytes from offset off on and returns how many, at least one unless err is not nil;
	// it waits for the first. io.EOF says that nothing follows for good. Each call continues where one of the calls
	// before ended or, when Options.Keep is not set, where the reader's position is.
	ReadAt(ctx context.Context, p []byte, off int64) (int, error)
}

// Options say how a Reader cuts.
type Options struct {
	MaxRecord int   // the longest record in bytes, 1..1<<30; 0 stands for 64 MiB
	Until     int64 // bytes from this offset on are not read and not there; negative: the input says where it ends
	Wait      bool  // a last line without newline is no record: it may get one later
	Keep      bool  // the input cannot be read twice: what is read beyond a chunk is kept for the next
	Hashed    bool  // positions carry the hash of all bytes before them
	Tail      int   // Reader.Tail keeps so many bytes

	Framing codec.Framing // where records end; its Header: the first record is passed and is not one of a chunk
	// HeaderCheck judges the first record, with Framing.Header, when it is passed; nil: any will do. It borrows the
	// record. Its error is Read's, as a *HeaderError.
	HeaderCheck func(record []byte) error
}

const (
	maxRecordDefault = 64 << 20
	maxRecordMost    = 1 << 30
)

// Reader cuts one partition into chunks. It is used by one goroutine at a time.
type Reader struct {
	Options
	pool *Pool

	off  int64       // everything before is delivered or no record
	hash xxh3.Hasher // of all bytes before off
	end  bool
	want int // bytes worth reading for the next chunk, by the records of the last
	tail []byte

	// With Keep, the bytes from off on that are read already: at first in held, if there is one, else in rest.
	held *block // of a Read that failed
	rest []byte

	header bool  // the header is still to come
	quotes state // at the place up to which the line at hand has been searched

	// A line longer than MaxRecord is passed without being held: skipped bytes of it, from off on, are read and gone,
	// and skipHash is the hash of all bytes before off+skipped.
	skipped  int64
	skipHash *xxh3.Hasher
}

// NewReader returns a Reader at offset 0.
func NewReader(pool *Pool, o Options) *Reader {
	if o.MaxRecord <= 0 {
		o.MaxRecord = maxRecordDefault
	}
	o.MaxRecord = min(o.MaxRecord, maxRecordMost)
	return &Reader{Options: o, pool: pool, want: pool.bytes, header: o.Framing.Header}
}

// Resume moves a Reader that has read nothing to an offset, which begins a record. prefix has hashed all bytes before
// it and tail ends with the last of them. header says that the header is not among them.
func (r *Reader) Resume(off int64, prefix *xxh3.Hasher, tail []byte, header bool) {
	r.off, r.hash, r.header = off, *prefix, header && r.Framing.Header
	r.remember(tail)
}

// Position is where the next chunk begins.
func (r *Reader) Position() connector.Position {
	p := connector.Position{Offset: r.off, Epoch: -1}
	if r.Hashed {
		p.Hash = r.hash.Sum128().Bytes()
	}
	return p
}

// Read returns the next chunk: it has a record, or is the end. Errors are the input's, or a *HeaderError; the reader
// stays where it was and may be read again.
func (r *Reader) Read(ctx context.Context, in Input) (*connector.Chunk, error) {
	b := r.held
	r.held = nil
	if b == nil {
		b = r.pool.get()
		b.fill(r.rest)
		r.rest = r.rest[:0]
	}
	c, err := r.read(ctx, in, b)
	if err != nil {
		if r.Keep {
			r.held = b
		} else {
			r.pool.put(b)
		}
	}
	return c, err
}

func (r *Reader) read(ctx context.Context, in Input, b *block) (*connector.Chunk, error) {
	r.begin(b)
	if r.end {
		return r.deliver(b, 0), nil
	}
	if r.skipped > 0 {
		return r.skip(ctx, in, b)
	}
	// pos is where the first line begins that is not cut yet, scan how far it has been searched for its newline.
	pos, scan, limit := 0, 0, max(r.want, b.have)
	for {
		pos, scan = r.cut(b, pos, scan)
		if r.header && len(b.spans) > 0 {
			if err := r.passHeader(b); err != nil {
				return nil, err
			}
			r.drop(b, pos)
			pos, scan = 0, 0
			continue
		}
		all := scan == b.have // no whole line is left
		if all && r.reached(b.have) {
			return r.finish(b, pos)
		}
		if len(b.spans) > 0 {
			r.aim(pos, all)
			return r.deliver(b, pos), nil
		}
		if pos > 0 {
			r.drop(b, pos)
			scan -= pos
			pos = 0
		}
		if !all {
			continue
		}
		if b.have >= limit {
			more := r.grow(b, limit)
			if more == limit {
				if r.header {
					return nil, &HeaderError{errHuge}
				}
				return r.skip(ctx, in, b)
			}
			limit = more
		}
		n, err := in.ReadAt(ctx, r.room(b, b.have, limit), r.off+int64(b.have))
		if err == io.EOF {
			return r.finish(b, pos)
		}
		if err != nil {
			return nil, err
		}
		b.have += n
	}
}

// begin makes b the block of the chunk that starts at off.
func (r *Reader) begin(b *block) {
	b.spans, b.pos = b.spans[:0], b.pos[:0]
	b.start, b.hashed = r.off, r.Hashed
	r.quotes = outside
	if r.Hashed {
		b.before = r.hash
	}
}

// reached says whether the fixed end is n bytes behind off.
func (r *Reader) reached(n int) bool { return r.Until >= 0 && r.off+r.skipped+int64(n) >= r.Until }

// room is where the next bytes of the input go, behind the first have.
func (r *Reader) room(b *block, have, limit int) []byte {
	limit = min(limit, have+r.pool.bytes) // so that little lies behind a line for which the buffer has grown
	if r.Until >= 0 {
		limit = int(min(int64(limit), r.Until-r.off-r.skipped))
	}
	return b.buf[have:limit]
}

// cut turns whole records from pos on into spans, until the chunk is full. The header comes alone.
func (r *Reader) cut(b *block, pos, scan int) (int, int) {
	buf, most := b.buf[:b.have], r.pool.records
	if r.header {
		most = 1
	}
	for len(b.spans) < most && pos < r.pool.bytes {
		n := -1
		if r.Framing.Quote != 0 {
			n = r.endOf(buf, pos, scan)
		} else if n = bytes.IndexByte(buf[scan:], '\n'); n >= 0 {
			n += scan
		}
		if n < 0 {
			return pos, len(buf)
		}
		r.add(b, pos, n)
		pos = n + 1
		scan = pos
	}
	return pos, scan
}

var mark = []byte("\uFEFF")

// add makes a record of the line buf[from:to], if it is one.
func (r *Reader) add(b *block, from, to int) {
	at := r.off + int64(from)
	if at == 0 && bytes.HasPrefix(b.buf[from:to], mark) {
		from += len(mark)
	}
	if to > from && b.buf[to-1] == '\r' {
		to--
	}
	if to == from {
		return
	}
	span := vec.Span{Off: uint32(from), Len: uint32(to - from)}
	if to-from > r.MaxRecord {
		span = vec.Span{Len: codec.HugeLen}
	}
	b.spans = append(b.spans, span)
	b.pos = append(b.pos, at)
}

// aim fits the next read to the length of the records, so that few bytes are read in vain where a chunk is full by its
// number of records.
func (r *Reader) aim(used int, all bool) {
	if all {
		r.want = min(2*r.want, r.pool.bytes)
	} else {
		r.want = min(used+used/8+1, r.pool.bytes)
	}
}

// drop passes bytes in which there was no record.
func (r *Reader) drop(b *block, n int) {
	r.pass(b.buf[:n])
	b.have = copy(b.buf, b.buf[n:b.have])
	b.start = r.off
	if r.Hashed {
		b.before = r.hash
	}
}

func (r *Reader) pass(p []byte) {
	r.off += int64(len(p))
	if r.Hashed {
		r.hash.Write(p)
	}
	r.remember(p)
}

// most is a number of bytes without a record's end by which the record is certain to be too long: a byte order mark,
// "\r" and one byte more than MaxRecord.
func (r *Reader) most() int { return len(mark) + r.MaxRecord + 2 }

// grow makes room for a line that fills the buffer up to limit. It returns the new limit, or the old one when the line
// is certain to be too long.
func (r *Reader) grow(b *block, limit int) int {
	most := r.most()
	if limit >= most {
		return limit
	}
	more := min(max(2*limit, r.pool.bytes), max(most, r.pool.bytes))
	if more > len(b.buf) {
		buf := make([]byte, more+spare)
		copy(buf, b.buf[:b.have])
		b.buf = buf
	}
	return more
}
