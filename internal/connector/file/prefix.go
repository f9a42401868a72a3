package file

import (
	"context"
	"io"

	"github.com/zeebo/xxh3"

	"ubik/internal/connector"
	"ubik/internal/connector/lines"
	"ubik/internal/fault"
	"ubik/internal/host"
)

// plainInput is an open file as it stands.
type plainInput struct {
	path string
	file host.File
}

func (in plainInput) ReadAt(ctx context.Context, b []byte, off int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	n, err := in.file.ReadAt(b, off)
	switch {
	case n > 0:
		return n, nil
	case err == io.EOF:
		return 0, io.EOF
	}
	return 0, readError(err, in.path)
}

// verify hashes the bytes before a position and compares. It returns the state of the hash and the last of the bytes. Of
// a compressed file the stream stands at the position then.
func (p *part) verify(ctx context.Context, f host.File, at connector.Position) (_ *xxh3.Hasher, _ []byte, err error) {
	defer func() {
		if err != nil {
			p.closeStream()
		}
	}()
	var in lines.Input = plainInput{p.path, f}
	if p.packing != plain {
		p.closeStream()
		p.stream = newStream(p.path, p.packing, p.packed)
		in = streamInput{p.stream, f}
	}
	var last tail
	h, buf := xxh3.New(), make([]byte, min(at.Offset, 1<<20))
	for off := int64(0); off < at.Offset; {
		n, err := in.ReadAt(ctx, buf[:min(int64(len(buf)), at.Offset-off)], off)
		if err == io.EOF {
			return nil, nil, shorter(p.path, off, at.Offset, "already read")
		}
		if fault.ClassOf(err) == fault.Data { // what was whole is so no more
			return nil, nil, changed(p.path, at.Offset)
		}
		if err != nil {
			return nil, nil, err
		}
		h.Write(buf[:n])
		last.add(buf[:n])
		off += int64(n)
	}
	if h.Sum128().Bytes() != at.Hash {
		return nil, nil, changed(p.path, at.Offset)
	}
	return h, last.bytes, nil
}
