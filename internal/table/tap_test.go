package table

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/iotest"
)

// pieces gives its bytes in pieces of any size, and then an error.
func pieces(rng *rand.Rand, data []byte, end error) io.Reader {
	var parts []io.Reader
	for len(data) > 0 {
		n := min(len(data), 1+rng.IntN(100))
		parts = append(parts, bytes.NewReader(data[:n]))
		data = data[n:]
	}
	return io.MultiReader(append(parts, iotest.ErrReader(end))...)
}

func TestATapLosesNothingAndGivesNothingTwice(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		data := make([]byte, rng.IntN(5000))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		tap := newTap(pieces(rng, data, io.EOF))
		for range rng.IntN(4) {
			n := rng.IntN(len(data) + 1)
			got := make([]byte, n)
			if _, err := io.ReadFull(tap.sample(), got); err != nil || !bytes.Equal(got, data[:n]) {
				t.Fatalf("seed %d: a sample of %d bytes of %d: %v", seed, n, len(data), err)
			}
		}
		late := tap.sample()
		if got, err := io.ReadAll(tap); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("seed %d: the run has %d bytes of %d: %v", seed, len(got), len(data), err)
		}
		if n, err := late.Read(make([]byte, 10)); n != 0 || err != io.EOF {
			t.Fatalf("seed %d: a sample behind the run's beginning has %d bytes: %v", seed, n, err)
		}
	}
}

// A sample that is given up may be reading still: the run has what came before at once, and behind it what that read brings.
func TestATapGivesTheRunWhatAnAbandonedSampleReads(t *testing.T) {
	in, out := io.Pipe()
	tap := newTap(in)
	s := tap.sample()
	var abandoned sync.WaitGroup
	abandoned.Go(func() {
		b := make([]byte, 1)
		s.Read(b)
		s.Read(b) // blocks until the run is under way; whatever it has is nobody's
	})
	out.Write([]byte("a"))
	run := make([]byte, 1)
	if _, err := io.ReadFull(tap, run); err != nil || run[0] != 'a' {
		t.Fatalf("%q %v", run, err)
	}
	go func() {
		out.Write([]byte("bcd"))
		out.Close()
	}()
	if rest, err := io.ReadAll(tap); err != nil || string(rest) != "bcd" {
		t.Fatalf("%q %v", rest, err)
	}
	abandoned.Wait()
}

func TestATapHandsAnErrorToEverybody(t *testing.T) {
	broken := errors.New("broken")
	tap := newTap(pieces(rand.New(rand.NewPCG(1, 1)), []byte("abc"), broken))
	for _, r := range []io.Reader{tap.sample(), tap.sample(), tap} {
		if got, err := io.ReadAll(r); string(got) != "abc" || err != broken {
			t.Errorf("%q %v", got, err)
		}
	}
}
