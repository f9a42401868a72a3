package lines

import (
	"bytes"
	"context"
	"io"

	"ubik/internal/codec"
	"ubik/internal/connector"
	"ubik/internal/vec"
)

// skip passes a line that is too long, of which the block holds the beginning when it starts, and delivers it alone. It
// ends at the next line feed, in quotes or not. An interrupted skip goes on at the next call; off stays at the line's
// beginning until its end is found.
func (r *Reader) skip(ctx context.Context, in Input, b *block) (*connector.Chunk, error) {
	if r.skipped == 0 {
		h := r.hash
		r.skipHash = &h
		r.swallow(b.buf[:b.have])
	}
	b.have = 0
	for {
		n, err := 0, io.EOF
		if !r.reached(0) {
			n, err = in.ReadAt(ctx, r.room(b, 0, r.pool.bytes), r.off+r.skipped)
		}
		if err == io.EOF {
			r.end = true
			if r.Wait {
				return r.chunk(b, 0), nil
			}
			return r.huge(b, 0), nil
		}
		if err != nil {
			return nil, err
		}
		if i := bytes.IndexByte(b.buf[:n], '\n'); i >= 0 {
			r.swallow(b.buf[:i+1])
			r.end = i+1 == n && r.reached(0)
			b.have = n
			return r.huge(b, i+1), nil
		}
		r.swallow(b.buf[:n])
	}
}

func (r *Reader) swallow(p []byte) {
	r.skipped += int64(len(p))
	if r.Hashed {
		r.skipHash.Write(p)
	}
	r.remember(p)
}

// huge delivers the skipped line, whose last n bytes are in the block.
func (r *Reader) huge(b *block, n int) *connector.Chunk {
	b.spans = append(b.spans, vec.Span{Len: codec.HugeLen})
	b.pos = append(b.pos, r.off)
	r.off += r.skipped
	r.hash = *r.skipHash
	r.skipped, r.skipHash = 0, nil
	return r.chunk(b, n)
}
