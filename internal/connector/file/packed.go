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

	"ubik/internal/fault"
	"ubik/internal/host"
)

// packing is how a file is compressed, as its first bytes tell: its name may lie.
type packing string

const (
	plain packing = ""
	gz    packing = "gzip"
	zst   packing = "zstd"
)

// magics are the beginnings of compressed files. The bytes of none begin a text of one of our formats.
var magics = []struct {
	prefix  string
	packing packing
	cat     string // what writes the content to standard output, where we cannot unpack it
}{
	{"\x1f\x8b\x08", gz, ""},
	{"\x28\xb5\x2f\xfd", zst, ""},
	{"BZh?1AY&SY", "bzip2", "bzcat"},
	{"\xfd7zXZ\x00", "xz", "xzcat"},
	{"\x04\x22\x4d\x18", "lz4", "lz4cat"},
	{"PK\x03\x04", "zip", "unzip -p"},
}

const magicBytes = 10 // the longest of the magics, in which ? stands for any byte

// packingOf returns the packing of a file that begins with head, and the command that unpacks what we do not.
func packingOf(head []byte) (packing, string) {
	for _, m := range magics {
		same := len(head) >= len(m.prefix)
		for i := 0; same && i < len(m.prefix); i++ {
			same = m.prefix[i] == head[i] || m.prefix[i] == '?'
		}
		if same {
			return m.packing, m.cat
		}
	}
	if len(head) >= 4 && head[0]&0xf0 == 0x50 && string(head[1:4]) == "\x2a\x4d\x18" {
		return zst, "" // a frame that is passed over, before others
	}
	return plain, ""
}

// looked is what the first bytes of a file were when it was this file.
type looked struct {
	id      string
	size    int64
	packing packing
	cat     string
}

// packingAt looks at the first bytes of a file, or remembers them.
func (s *source) packingAt(path string, info host.Info) (packing, string, error) {
	s.mu.Lock()
	l, ok := s.looked[path]
	s.mu.Unlock()
	if ok && l.id == info.ID && l.size <= info.Size {
		return l.packing, l.cat, nil
	}
	f, err := s.disk.Open(path)
	if err != nil {
		return plain, "", openError(err, path)
	}
	defer f.Close()
	var head [magicBytes]byte
	n, err := f.ReadAt(head[:], 0)
	if err != nil && err != io.EOF {
		return plain, "", readError(err, path)
	}
	l = looked{id: info.ID, size: info.Size}
	l.packing, l.cat = packingOf(head[:n])
	if n == len(head) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.looked[path] = l
	}
	return l.packing, l.cat, nil
}

// refusePacked fails for a compressed file that cannot be read, at all or by this run.
func (s *source) refusePacked(path string, packed packing, cat string) error {
	base := filepath.Base(path)
	switch {
	case cat != "":
		return fault.New(fault.Usage, path+" is compressed with "+string(packed)+", which is not supported",
			"decompress it first, or read standard input: "+cat+" "+path+" | ubik --from - …")
	case packed != plain && s.follow:
		return fault.New(fault.Usage, path+" is compressed with "+string(packed)+" and cannot be followed: nobody appends to such a file line by line",
			"give a pattern that leaves "+base+" out, or read it without --follow")
	case packed != plain && s.wait:
		return fault.New(fault.Usage, path+" is compressed with "+string(packed)+" and cannot be kept open: what is appended to such a file cannot be told from damage",
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

	out  io.Reader
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
		s.err = err
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
			s.out = out
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

// failure is the stream's end as the reader of its content sees it.
func (s *stream) failure() error {
	const again = "get the whole file again and start over, or read what is whole by itself"
	switch {
	case s.lost != nil:
		return s.lost
	case s.err == io.EOF && s.out != nil:
		return io.EOF
	case errors.Is(s.err, io.EOF), errors.Is(s.err, io.ErrUnexpectedEOF):
		return fault.New(fault.Data, fmt.Sprintf("%s is cut short: its %s data ends too early, behind position %d (uncompressed)", s.path, s.packing, s.pos), again)
	case errors.Is(s.err, zstd.ErrWindowSizeExceeded):
		return fault.New(fault.Data, fmt.Sprintf("%s needs more than %d MiB of memory to be unpacked", s.path, windowMax>>20),
			"compress it without a longer window, or read standard input: zstd -dc --memory=2048MB "+s.path+" | ubik --from - …")
	}
	return fault.Wrap(fault.Data, s.err, again, "%s is damaged: its %s data cannot be unpacked behind position %d (uncompressed)", s.path, s.packing, s.pos)
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
