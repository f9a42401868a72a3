package op

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"ubik/internal/vec"
)

// Rows arrive at a steady rate, 1,000 a second on either side, in chunks; within the band there are 100,000 keys. What
// is stored is bounded by what can still leave:
//
//	rows ≤ rate × (band + delay) of the left side + rate × delay of the right one + one chunk of each
//	bytes ≤ 100 for each of them + 3 MiB: empty pages, pages begun, the sorter
//
// The delay is from the cursor to the latest row, so the rows' disorder is in it. The figures are the engine's own, as
// the status line has them, after every chunk and every advance.
func TestStoredRowsAndBytesStayWithinRateTimesBandAndDelay(t *testing.T) {
	const (
		second      = 1_000_000
		perSecond   = 1000
		band, delay = 100, 5 // seconds
		chunk       = 4096
		rowsMost    = perSecond*(band+delay) + perSecond*delay + 2*chunk
		bytesMost   = 100*rowsMost + 3<<20
	)
	for _, kind := range []JoinKind{Inner, Full} {
		r := rand.New(rand.NewPCG(3, 3))
		n := settlements(kind)
		n.Hi = band * second
		o := n.New(Shard{0, 1})
		most := 0
		check := func(first int64) {
			s := o.Stat()
			most = max(most, s.Groups)
			if s.Groups > rowsMost || s.Bytes > bytesMost {
				t.Fatalf("%s, %d rows of each side in: %d rows in %d bytes are stored, more than %d in %d",
					kind, first, s.Groups, s.Bytes, rowsMost, bytesMost)
			}
		}
		emit := func(*Out) bool { check(-1); return true }
		for first := int64(0); first < 3*band*perSecond; first += chunk {
			for side := range 2 {
				if err := o.Apply(side, settlementBatch(r, side, first, chunk), nil); err != nil {
					t.Fatal(err)
				}
				check(first)
			}
			// Right rows are up to 2.5 seconds later than the left ones of their number.
			w := vec.Time((first+chunk)*second/perSecond) + 2.5*second - delay*second
			if _, err := o.Advance(w, emit); err != nil {
				t.Fatal(err)
			}
			check(first)
		}
		if most < 100_000 {
			t.Errorf("%s: no more than %d rows were stored", kind, most)
		}
		if _, err := o.Advance(vec.PosInf, emit); err != nil {
			t.Fatal(err)
		}
		if s := o.Stat(); s.Groups != 0 || s.Bytes > 3<<20 {
			t.Errorf("%s: at the end %+v", kind, s)
		}
	}
}

func TestKeysAreMovedTogetherWhenMostHaveGone(t *testing.T) {
	const second = 1_000_000
	r := rand.New(rand.NewPCG(4, 4))
	n := settlements(Inner)
	n.Hi = 100 * second
	x := startJoin(t, &joinWorld{node: n}, 1)
	o := x.shards[0].(*bandJoin)
	apply := func(side int, first int64, rows int, later vec.Time) {
		b := settlementBatch(r, side, first, rows)
		for i := range b.Time {
			b.Time[i] += later
		}
		if err := o.Apply(side, b, nil); err != nil {
			t.Fatal(err)
		}
	}
	pairs := 0
	advance := func(w vec.Time) {
		if _, err := o.Advance(w, func(out *Out) bool { pairs += out.Cols.N; return true }); err != nil {
			t.Fatal(err)
		}
	}
	for first := int64(0); first < 100_000; first += 5000 {
		apply(0, first, 5000, 0)
	}
	advance(100 * second)
	pages := len(o.keys.pages)
	for w := vec.Time(110 * second); w <= 180*second; w += 10 * second {
		advance(w)
		state := x.save()
		y := startJoin(t, x.w, 1)
		if err := y.shards[0].Load(&vec.Decoder{Buf: state}); err != nil || !bytes.Equal(y.save(), state) {
			t.Fatalf("at %d: a loaded state is another: %v", w, err)
		}
	}
	if now := len(o.keys.pages); now > pages/2 || o.Stat().Bytes > 100*o.Stat().Groups+3<<20 {
		t.Errorf("%d pages of keys of %d are left, and %+v", now, pages, o.Stat())
	}
	apply(1, 95_000, 5000, 85*second)
	advance(vec.PosInf)
	if pairs != 4500 {
		t.Errorf("%d pairs, want 4500", pairs)
	}
}
