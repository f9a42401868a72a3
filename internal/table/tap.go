package table

import (
	"io"
	"sync"
)

// tap is standard input whose beginning can be read several times: by samples, each from the first byte on, and at last by
// the run, from the first byte on too.
//
// A sample may end while a read of it goes on, which nothing can interrupt. What that read brings is kept like everything
// else, and comes to the run: no byte is lost, and none comes twice. Until then the run has what came before.
type tap struct {
	in io.Reader

	mu      sync.Mutex
	filled  sync.Cond // of mu: reading has ended
	kept    []byte    // what was read and the run has not passed
	err     error     // of in
	reading bool      // in is being read, for kept
	taken   bool      // the run reads: samples are over
}

const tapBytes = 64 << 10

func newTap(in io.Reader) *tap {
	t := &tap{in: in}
	t.filled.L = &t.mu
	return t
}

// fill reads in once, or waits until somebody else has. mu is held, but not while in is read.
func (t *tap) fill() {
	if t.reading {
		t.filled.Wait()
		return
	}
	t.reading = true
	t.mu.Unlock()
	b := make([]byte, tapBytes)
	n, err := t.in.Read(b)
	t.mu.Lock()
	t.reading = false
	t.kept, t.err = append(t.kept, b[:n]...), err
	t.filled.Broadcast()
}

// Read is for the run, for one goroutine.
func (t *tap) Read(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken = true
	for {
		switch {
		case len(t.kept) > 0:
			n := copy(b, t.kept)
			if t.kept = t.kept[n:]; len(t.kept) == 0 {
				t.kept = nil
			}
			return n, nil
		case t.err != nil:
			return 0, t.err
		case !t.reading: // and nobody begins to
			return t.in.Read(b)
		}
		t.fill()
	}
}

// sample is the input for one sample, for one goroutine.
func (t *tap) sample() io.Reader { return &tapSample{t: t} }

type tapSample struct {
	t  *tap
	at int // in kept
}

func (s *tapSample) Read(b []byte) (int, error) {
	t := s.t
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		switch {
		case t.taken:
			return 0, io.EOF // nobody waits for it
		case s.at < len(t.kept):
			n := copy(b, t.kept[s.at:])
			s.at += n
			return n, nil
		case t.err != nil:
			return 0, t.err
		}
		t.fill()
	}
}
