package csvrec

import (
	"context"
	"io"
	"math/rand/v2"
	"testing"

	"ubik/internal/connector/lines"
)

// whole is a file as a reader of lines reads it.
type whole []byte

func (w whole) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	if off >= int64(len(w)) {
		return 0, io.EOF
	}
	return copy(p, w[off:]), nil
}

func TestASampleIsFramedAsFilesAreRead(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	alphabet := []string{",", ",", "\"", "\"", "\n", "\r\n", "a", "bcdefgh", "\"a\"", "\",\"", "\\", "\\\"", ";", " "}
	for round := range 5000 {
		d := Dialect{Delimiter: ",;"[rng.IntN(2)], Quote: '"', Escape: "\"\\"[rng.IntN(2)]}
		if rng.IntN(8) == 0 {
			d.Quote, d.Escape = 0, 0
		}
		data := randomText(rng, alphabet)
		if rng.IntN(4) == 0 {
			data = append([]byte(mark), data...)
		}
		want := framed(d, data)
		r := lines.NewReader(lines.NewPool(), lines.Options{Until: -1, Framing: d.Framing()})
		for end := false; !end; {
			c, err := r.Read(context.Background(), whole(data))
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range c.Spans {
				if got := c.Data[s.Off : s.Off+s.Len]; len(want) == 0 || string(got) != string(want[0]) {
					t.Fatalf("seed %d round %d: %q with %s: %q, the sample has %q", seed, round, data, d, got, want)
				}
				want = want[1:]
			}
			end = c.End
			c.Release()
		}
		if len(want) > 0 {
			t.Fatalf("seed %d round %d: %q with %s: the sample has %q besides", seed, round, data, d, want)
		}
	}
}
