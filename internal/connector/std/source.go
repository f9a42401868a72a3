package std

import (
	"context"
	"errors"
	"io"
	"sync"

	"ubik/internal/connector"
	"ubik/internal/connector/lines"
	"ubik/internal/fault"
)

// topic is the name of the only partition.
const topic = "stdin"

// source reads standard input. A read of it cannot be interrupted, so a goroutine does it, and Read waits for its
// pieces and for the context.
type source struct {
	in      io.Reader
	reader  *lines.Reader
	stop    chan struct{}
	stopped sync.Once
	started bool
	pieces  chan piece
	empty   chan []byte // buffers on their way back to the goroutine

	now  piece // the piece being used up; rest is what is left of it
	rest []byte

	head []byte // the first bytes, until they tell that they are text
	text bool   // they have told
}

// piece is the result of one read.
type piece struct {
	buf []byte // whole, to be given back
	n   int
	err error
}

const pieceBytes = 64 << 10

// newSource ignores KeepOpen and Follow: nothing can follow the end of standard input, so its last line is complete.
func newSource(url string, o *connector.Options) (connector.Source, error) {
	if err := check(url); err != nil {
		return nil, err
	}
	return &source{
		in: o.Stdin,
		reader: lines.NewReader(lines.NewPool(), lines.Options{
			MaxRecord: o.MaxRecord, Until: -1, Keep: true, Framing: o.Framing, HeaderCheck: o.HeaderCheck,
		}),
		stop:   make(chan struct{}),
		pieces: make(chan piece, 2),
		empty:  make(chan []byte, 2),
	}, nil
}

// Partitions lists the one partition; its end is connector.EndUnknown.
func (s *source) Partitions(context.Context) ([]connector.Partition, error) {
	return []connector.Partition{{
		PartitionID: connector.PartitionID{Topic: topic, Index: connector.NoIndex},
		End:         connector.EndUnknown,
		Epoch:       -1,
	}}, nil
}

// Seek knows no place but the beginning.
func (s *source) Seek(_ context.Context, start connector.StartPoint, listed []connector.Partition) ([]connector.Position, error) {
	if start.At != connector.StartEarliest {
		return nil, fault.New(fault.Usage, "--start "+start.String()+": standard input is read from its beginning", "leave --start away, or filter in the query")
	}
	return connector.Earliest(listed), nil
}

// Open refuses to start anywhere but at the beginning.
func (s *source) Open(_ context.Context, at []connector.Start) error {
	for _, start := range at {
		if start.From.Offset != 0 {
			return fault.New(fault.Usage, "standard input cannot be read again from a position", "read a file or a topic to resume a run")
		}
	}
	return nil
}

// Read returns the lines that are there, or waits for one. When ctx ends it returns at once with ctx's error; the
// goroutine ends at the next byte of standard input or at its end.
func (s *source) Read(ctx context.Context, _ int) (*connector.Chunk, error) {
	if !s.started {
		s.started = true
		s.empty <- make([]byte, pieceBytes)
		s.empty <- make([]byte, pieceBytes)
		go s.pump()
	}
	c, err := s.reader.Read(ctx, s)
	var header *lines.HeaderError
	if errors.As(err, &header) {
		try := ""
		var told *fault.Error
		if errors.As(header.Err, &told) {
			try = told.Try
		}
		return nil, fault.Wrap(fault.Data, header.Err, try, "the first record of standard input is not the expected header")
	}
	return c, err
}

// pump reads until the end, an error, or Close.
func (s *source) pump() {
	defer fault.Guard()
	for {
		var p piece
		select {
		case p.buf = <-s.empty:
		case <-s.stop:
			return
		}
		p.n, p.err = s.in.Read(p.buf)
		select {
		case s.pieces <- p:
		case <-s.stop:
			return
		}
		if p.err != nil {
			return
		}
	}
}

// ReadAt is what the reader reads by, always at the offset where the call before ended.
func (s *source) ReadAt(ctx context.Context, b []byte, _ int64) (int, error) {
	for len(s.rest) == 0 {
		if s.now.err == io.EOF {
			return 0, io.EOF
		}
		if s.now.err != nil {
			return 0, fault.Wrap(fault.Internal, s.now.err, "", "cannot read standard input")
		}
		if s.now.buf != nil {
			s.empty <- s.now.buf
			s.now.buf = nil
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		select {
		case s.now = <-s.pieces:
			s.rest = s.now.buf[:s.now.n]
			if err := s.refusePacked(); err != nil {
				return 0, err
			}
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-s.stop:
			return 0, fault.Wrap(fault.Internal, errClosed, "", "cannot read standard input")
		}
	}
	n := copy(b, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// refusePacked fails when the first bytes are those of a compressed stream or a document. A zip is asked for more of them,
// since it may be either; no other input waits.
func (s *source) refusePacked() error {
	if s.text {
		return nil
	}
	s.head = append(s.head, s.rest[:min(len(s.rest), connector.ArchiveBytes-len(s.head))]...)
	switch p := connector.PackingOf(s.head); {
	case p == nil:
		if s.text = len(s.head) >= connector.MagicBytes; s.text {
			s.head = nil
		}
	case p.Name == "zip" && len(s.head) < connector.ArchiveBytes && s.now.err == nil:
		s.rest = nil // it is refused in any case
	case p.Document != "":
		return fault.New(fault.Usage, "standard input is "+p.Document+", which is not supported", p.Try)
	default:
		return fault.New(fault.Usage, "standard input is compressed with "+p.Name, "decompress it on the way: "+p.Cat+" FILE | ubik --from - …")
	}
	return nil
}

var errClosed = errors.New("it is closed")

// Close stops the goroutine, as soon as a read that it is in returns.
func (s *source) Close() error {
	s.stopped.Do(func() { close(s.stop) })
	return nil
}
