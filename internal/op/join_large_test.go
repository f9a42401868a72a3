package op

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ubik/internal/vec"
)

// wideBatch is n left rows from number first on, each with a text of so many bytes; row i has the key i and the time at(i).
func wideBatch(first, n, size int, at func(i int) vec.Time) *Batch {
	var keys []string
	for i := range n {
		keys = append(keys, fmt.Sprint(first+i))
	}
	b := textBatch(keys)
	v := vec.NewVector(vec.TypeOf(vec.Varchar))
	v.Resize(n)
	for i := range n {
		v.AppendBytes(i, []byte(strings.Repeat("x", size)))
		b.Time, b.Pos = append(b.Time, at(first+i)), append(b.Pos, int64(first+i))
	}
	b.Cols = append(b.Cols, v)
	return b
}

// wideJoin is a join of such rows, of which all are kept, with room for so many pages.
func wideJoin(pages int) *bandJoin {
	text := []vec.Type{vec.TypeOf(vec.Varchar)}
	n := &BandJoin{Kind: Left, Keys: 1, Columns: [2][]vec.Type{text, text}, Hi: 1 << 40}
	n.Select = joinColumns(n.Columns)
	o := n.New(Shard{0, 1}).(*bandJoin)
	o.store.most = pages
	return o
}

// fill applies rows of 1,000 bytes until they are refused, and returns how many were taken.
func fill(t *testing.T, o *bandJoin, at func(i int) vec.Time) (rows int) {
	t.Helper()
	for ; ; rows += 128 {
		err := o.Apply(0, wideBatch(rows, 128, 1000, at), nil)
		if err == nil {
			continue
		}
		want := LimitError{"a band join stores more than 16 GiB in the share of one worker", "give more --workers, or make the band or --delay shorter"}
		if told, ok := err.(*LimitError); !ok || *told != want {
			t.Fatal(err)
		}
		return rows
	}
}

const pagesFew = 2048

// The end of what addresses reach is an error of the next Apply, which comes when little room is left, but some is.
func TestMoreThanAddressesReachIsRefused(t *testing.T) {
	o := wideJoin(pagesFew)
	rows := fill(t, o, func(i int) vec.Time { return vec.Time(i) })
	if used := o.store.inUse(); rows*1000 < pagesFew*pageBytes*8/10 || used > pagesFew-pagesFew/128 {
		t.Errorf("%d rows are taken in, in %d pages of %d", rows, used, pagesFew)
	}
	if o.store.limit() != pagesFew || new(pageStore).limit() != pagesMost || pagesMost != 16<<30/pageBytes-1 {
		t.Errorf("the limits are %d and %d", o.store.limit(), new(pageStore).limit())
	}
}

// To settle rows takes a copy of them for a while, of all that have one time even.
func TestRowsThatThereIsNoRoomToSettleAreAnError(t *testing.T) {
	for _, half := range []bool{false, true} {
		o := wideJoin(pagesFew)
		rows := 0
		if half {
			for ; o.store.inUse() < pagesFew*2/5; rows += 128 {
				if err := o.Apply(0, wideBatch(rows, 128, 1000, func(int) vec.Time { return 7 }), nil); err != nil {
					t.Fatal(err)
				}
			}
		} else {
			rows = fill(t, o, func(int) vec.Time { return 7 })
		}
		done, err := o.Advance(8, func(*Out) bool { return false })
		if half && (!done || err != nil) || !half && !errors.Is(err, errTooLarge) {
			t.Errorf("%d rows in %d pages of %d: done is %v, %v", rows, o.store.inUse(), pagesFew, done, err)
		}
	}
}

// A state that was stored by several workers may be too large for one.
func TestAStateThatOneWorkerCannotHoldIsNotLoaded(t *testing.T) {
	o := wideJoin(pagesFew)
	fill(t, o, func(i int) vec.Time { return vec.Time(i) })
	var e vec.Encoder
	o.Save(&e)
	for _, pages := range []int{pagesFew / 2, pagesFew * 2} {
		err := wideJoin(pages).Load(&vec.Decoder{Buf: e.Buf})
		if pages < pagesFew && !errors.Is(err, errTooLarge) || pages > pagesFew && err != nil {
			t.Errorf("with %d pages: %v", pages, err)
		}
	}
}

// Rows without a trace, those of INNER and SEMI that are over, go within an advance, however long it is, and not at its end only.
func TestRowsThatAreOverGoWithinALongAdvance(t *testing.T) {
	const (
		second = 1_000_000
		rows   = 60_000 // of each side, 1,000 a second
		band   = 2      // seconds
	)
	for kind := Inner; kind <= Anti; kind++ {
		r := rand.New(rand.NewPCG(6, 6))
		n := settlements(kind)
		n.Lo, n.Hi = -band*second, band*second
		o := n.New(Shard{0, 1}).(*bandJoin)
		for first := int64(0); first < rows; first += 4000 {
			for side := range 2 {
				if err := o.Apply(side, settlementBatch(r, side, first, 4000), nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		before, calls := o.Stat(), 0
		_, err := o.Advance(vec.PosInf, func(*Out) bool {
			calls++
			settled := [2]int{}
			for side := range o.rings {
				o.rings[side].each(func(uint32, joinRow) bool { settled[side]++; return true })
			}
			// What has settled is within the band, or has not been looked at for some moments: a row is due within a second
			// either way of the moment, of which there are about two in a millisecond.
			if most := 1000*(band+2) + 100 + emitRows; settled[0] > most || settled[1] > most {
				t.Fatalf("%s: %d rows have settled in the middle of the advance, more than %d", kind, settled, most)
			}
			if now := o.Stat(); now.Bytes > before.Bytes+3<<20 {
				t.Fatalf("%s: %d bytes are held, %d when the advance began", kind, now.Bytes, before.Bytes)
			}
			return true
		})
		if err != nil || o.Stat().Groups != 0 || calls < rows/20/emitRows {
			t.Errorf("%s: %v; %d calls, %+v at the end", kind, err, calls, o.Stat())
		}
	}
}
