package file

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/host"
)

// packing is how a file that can be read is compressed, as its first bytes tell: its name may lie.
type packing string

const (
	plain packing = ""
	gz    packing = "gzip"
	zst   packing = "zstd"
)

const magicBytes = connector.MagicBytes

// looked is what the first bytes of a file were when it was this file.
type looked struct {
	id      string
	size    int64
	packing *connector.Packing
}

// packingAt looks at the first bytes of a file, or remembers them. nil: it is text.
func (s *source) packingAt(path string, info host.Info) (*connector.Packing, error) {
	s.mu.Lock()
	l, ok := s.looked[path]
	s.mu.Unlock()
	if ok && l.id == info.ID && l.size <= info.Size {
		return l.packing, nil
	}
	f, err := s.disk.Open(path)
	if err != nil {
		return nil, openError(err, path)
	}
	defer f.Close()
	var head [connector.ArchiveBytes]byte
	n, err := f.ReadAt(head[:magicBytes], 0)
	if err != nil && err != io.EOF {
		return nil, readError(err, path)
	}
	l = looked{id: info.ID, size: info.Size, packing: connector.PackingOf(head[:n])}
	if l.packing != nil && packingOf(l.packing) == plain {
		m, err := f.ReadAt(head[:], 0) // of a file that is refused, more
		if err != nil && err != io.EOF {
			return nil, readError(err, path)
		}
		if more := connector.PackingOf(head[:m]); more != nil {
			l.packing = more
		}
	}
	if n == magicBytes {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.looked[path] = l
	}
	return l.packing, nil
}

// packingOf is the packing of a file that is not refused.
func packingOf(p *connector.Packing) packing {
	if p != nil && (p.Name == string(gz) || p.Name == string(zst)) {
		return packing(p.Name)
	}
	return plain
}

// refusePacked fails for what is no text, or compressed and cannot be read, at all or by this run.
func (s *source) refusePacked(path string, p *connector.Packing) error {
	base := filepath.Base(path)
	switch {
	case p == nil:
	case p.Document != "":
		return fault.New(fault.Usage, path+" is "+p.Document+", which is not supported", p.Try)
	case packingOf(p) == plain:
		return fault.New(fault.Usage, path+" is compressed with "+p.Name+", which is not supported",
			"decompress it first, or read standard input: "+p.Cat+" "+path+" | ubik --from - …")
	case s.follow:
		return fault.New(fault.Usage, path+" is compressed with "+p.Name+" and cannot be followed: nobody appends to such a file line by line",
			"give a pattern that leaves "+base+" out, or read it without --follow")
	case s.wait:
		return fault.New(fault.Usage, path+" is compressed with "+p.Name+" and cannot be kept open: what is appended to such a file cannot be told from damage",
			"give a pattern that leaves "+base+" out, or read it without --keep-open")
	}
	return nil
}

// logID is the identity of a compressed file: with the bytes it has at the first start its end is fixed, though nobody
// knows the uncompressed position of it.
func (p packing) logID(size int64) string {
	if p == plain {
		return ""
	}
	return string(p) + " of " + strconv.FormatInt(size, 10) + " bytes"
}

// windowMax is the most memory that a zstd file may ask for, as the command zstd has it.
const windowMax = 128 << 20

// packedBytes is how much of a compressed file is read at once.
const packedBytes = 64 << 10

// stream unpacks one file from its beginning on, each byte once. Whoever reads it says from which open file: that may
// be closed between two calls.
type stream struct {
	path    string
	packing packing
	size    int64 // of the file; bytes behind are not there

	file host.File // lent for a call
	off  int64     // bytes of the file that are read
	lost error     // that the file could not be read

	in   *bufio.Reader
	out  io.Reader
	gzip *gzip.Reader // of gzip: the member at hand
	zstd *zstd.Decoder
	pos  int64  // bytes of the content that are unpacked
	next []byte // the last of them, as far as they are not given yet
	err  error  // what comes behind them; io.EOF at the end
}

func newStream(path string, p packing, size int64) *stream {
	return &stream{path: path, packing: p, size: size}
}

// packedReader is the stream's compressed side.
type packedReader struct{ s *stream }

func (r packedReader) Read(b []byte) (int, error) {
	s := r.s
	b = b[:min(int64(len(b)), s.size-s.off)]
	if len(b) == 0 {
		return 0, io.EOF
	}
	n, err := s.file.ReadAt(b, s.off)
	s.off += int64(n)
	if n > 0 {
		return n, nil
	}
	if err == io.EOF {
		s.lost = shorter(s.path, s.off, s.size, "it had at the start")
	} else {
		s.lost = readError(err, s.path)
	}
	return 0, s.lost
}

// read gives the next bytes of the content, or why there are none; io.EOF is their end.
func (s *stream) read(f host.File, b []byte) (int, error) {
	if len(s.next) > 0 {
		n := copy(b, s.next)
		s.next = s.next[n:]
		return n, nil
	}
	s.file = f
	for s.err == nil {
		if s.out == nil {
			if s.err = s.begin(); s.err != nil {
				break
			}
		}
		n, err := s.out.Read(b)
		s.pos += int64(n)
		if s.err = err; err == io.EOF && s.gzip != nil {
			s.err = s.nextMember()
		}
		if n > 0 {
			return n, nil
		}
	}
	return 0, s.failure()
}

// ended reports whether the content ends here. It looks one byte ahead.
func (s *stream) ended(f host.File) bool {
	var one [1]byte
	n, err := s.read(f, one[:])
	s.next = one[:n]
	return err == io.EOF
}

func (s *stream) begin() error {
	in := bufio.NewReaderSize(packedReader{s}, packedBytes)
	if s.packing == gz {
		out, err := gzip.NewReader(in)
		if err == nil {
			out.Multistream(false)
			s.in, s.out, s.gzip = in, out, out
		}
		return err
	}
	// One block at a time: no goroutines of its own.
	out, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(windowMax))
	if err == nil {
		s.out, s.zstd = out, out
	}
	return err
}

// errBehind says that something is behind the end of the compressed data.
var errBehind = errors.New("something else is behind its end")

// nextMember goes on behind a member of a gzip file: to the next one, or to the end, io.EOF. Zeros at the end, which fill
// the last block of a tape, are passed over, as gzip does. Anything else is not: it may be the rest of what belongs here.
func (s *stream) nextMember() error {
	next, err := s.in.Peek(2)
	switch {
	case len(next) == 0:
		return err
	case next[0] == 0:
		return s.passZeros()
	case next[0] != 0x1f || len(next) == 2 && next[1] != 0x8b:
		return errBehind
	}
	if err := s.gzip.Reset(s.in); err != nil {
		return err
	}
	s.gzip.Multistream(false)
	return nil
}

func (s *stream) passZeros() error {
	for {
		c, err := s.in.ReadByte()
		if err != nil {
			return err
		}
		if c != 0 {
			return errBehind
		}
	}
}

// failure is the stream's end as the reader of its content sees it.
func (s *stream) failure() error {
	const again = "get the whole file again and start over, or read what is whole by itself"
	switch {
	case s.lost != nil:
		return s.lost
	case s.err == io.EOF && s.out != nil:
		return io.EOF
	case errors.Is(s.err, errBehind), errors.Is(s.err, zstd.ErrMagicMismatch):
		return fault.New(fault.Data, fmt.Sprintf("%s goes on behind the end of its %s data with something else, behind position %d (uncompressed)", s.path, s.packing, s.pos),
			"get the whole file again and start over; if what is behind is of no use, take what is before: "+s.cat()+" "+s.path+" | ubik --from - …")
	case errors.Is(s.err, io.EOF), errors.Is(s.err, io.ErrUnexpectedEOF):
		return fault.New(fault.Data, fmt.Sprintf("%s is cut short: its %s data ends too early, behind position %d (uncompressed)", s.path, s.packing, s.pos), again)
	case errors.Is(s.err, zstd.ErrWindowSizeExceeded):
		return fault.New(fault.Data, fmt.Sprintf("%s needs more than %d MiB of memory to be unpacked", s.path, windowMax>>20),
			"compress it without a longer window, or read standard input: zstd -dc --memory=2048MB "+s.path+" | ubik --from - …")
	}
	return fault.Wrap(fault.Data, s.err, again, "%s is damaged: its %s data cannot be unpacked behind position %d (uncompressed)", s.path, s.packing, s.pos)
}

// cat is the command that writes what the file holds.
func (s *stream) cat() string {
	if s.packing == gz {
		return "gzip -dc"
	}
	return "zstd -dc"
}

// close gives the decoder's memory back.
func (s *stream) close() {
	if s.zstd != nil {
		s.zstd.Close()
		s.zstd = nil
	}
	if s.err == nil {
		s.err = errClosed
	}
}

var errClosed = errors.New("it is closed")

// streamInput is a stream as the input of a reader that reads each byte once.
type streamInput struct {
	*stream
	file host.File
}

func (in streamInput) ReadAt(ctx context.Context, b []byte, _ int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return in.read(in.file, b)
}
