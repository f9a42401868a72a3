package lines

import (
	"ubik/internal/codec"
	"ubik/internal/connector"
)

// finish delivers the last chunk: behind pos there is only a line without newline, or nothing.
func (r *Reader) finish(b *block, pos int) (*connector.Chunk, error) {
	if !r.Wait && pos < b.have {
		r.add(b, pos, b.have)
		if r.header && len(b.spans) > 0 {
			if err := r.passHeader(b); err != nil {
				return nil, err
			}
		}
		pos = b.have
	}
	if r.header && b.have-pos >= r.most() {
		return nil, &HeaderError{errHuge} // as where memory ends before the input does
	}
	r.end = true
	return r.deliver(b, pos), nil
}

// deliver makes a chunk of the first n bytes of the block and passes them.
func (r *Reader) deliver(b *block, n int) *connector.Chunk {
	r.pass(b.buf[:n])
	return r.chunk(b, n)
}

// chunk makes the chunk of block b, of whose bytes the first n belong to it and are passed already.
func (r *Reader) chunk(b *block, n int) *connector.Chunk {
	if r.Keep && n < b.have && !r.end {
		r.rest = append(r.rest[:0], b.buf[n:b.have]...)
	}
	b.chunk = connector.Chunk{
		Records: codec.Records{Data: b.buf[:n], Spans: b.spans},
		Pos:     b.pos,
		Next:    r.Position(),
		End:     r.end,
		At:      b.at,
		Recycle: b.recycle,
	}
	return &b.chunk
}
