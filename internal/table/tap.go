package table

import (
	"io"
	"sync"
)

// tap is standard input whose beginning can be read several times: by samples, each from the first byte on, and at last by
// the run, from the first byte on too.
//
// A sample may end while a read of it goes on, which nothing can interrupt. What that read brings is kept like everything
// else, and the run waits for it: no byte is lost, and none comes twice.
type tap struct {
	in io.Reader

	mu    sync.Mutex // held while in is read
	kept  []byte     // what was read and the run has not passed
	err   error      // of in
	taken bool       // the run reads: samples are over
}

// Read is for the run, for one goroutine.
func (t *tap) Read(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken = true
	if len(t.kept) > 0 {
		n := copy(b, t.kept)
		if t.kept = t.kept[n:]; len(t.kept) == 0 {
			t.kept = nil
		}
		return n, nil
	}
	if t.err != nil {
		return 0, t.err
	}
	return t.in.Read(b)
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
	switch {
	case t.taken:
		return 0, io.EOF // nobody waits for it
	case s.at == len(t.kept) && t.err != nil:
		return 0, t.err
	case s.at == len(t.kept):
		n, err := t.in.Read(b)
		t.kept, t.err = append(t.kept, b[:n]...), err
		if n == 0 {
			return 0, err
		}
	}
	n := copy(b, t.kept[s.at:])
	s.at += n
	return n, nil
}
