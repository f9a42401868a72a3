package op

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/zeebo/xxh3"

	"ubik/internal/vec"
)

// skewedRows are the rows of one side: for each its key and time. Of each key there is a row, on one of both sides, of
// many there are several, and of some a hundred times as many; all of them lie within one band.
type skewedRows struct {
	ids   []int64
	times []vec.Time
}

const (
	boundKeys = 100_000
	boundBand = 100_000_000 // µs
)

func drawSkewed(r *rand.Rand) (sides [2]skewedRows) {
	add := func(side int, id int64) {
		s := &sides[side]
		s.ids, s.times = append(s.ids, id), append(s.times, vec.Time(r.Int64N(boundBand)))
	}
	for _, id := range r.Perm(boundKeys) {
		add(r.IntN(2), int64(id))
		if r.IntN(4) == 0 {
			for range 1 + r.IntN(3) {
				add(r.IntN(2), int64(id))
			}
		}
		if r.IntN(8) == 0 {
			add(r.IntN(2), int64(r.IntN(200)))
		}
	}
	return sides
}

// batch is the rows from..to as settlementBatch makes them, and how many bytes must be stored of them, and of their keys.
func (s *skewedRows) batch(r *rand.Rand, side, from, to int) (b *Batch, size int) {
	n := to - from
	b = &Batch{Part: side, Batch: *vec.NewBatch(vec.TypeOf(vec.Varchar), vec.TypeOf(vec.Varchar), vec.DecimalType(18, 2), vec.TypeOf(vec.Timestamp))}
	b.Resize(n)
	for i := range n {
		key := fmt.Appendf(nil, "auth-%012d", s.ids[from+i])
		b.Cols[0].AppendBytes(i, key)
		b.Cols[1].AppendBytes(i, key)
		amount := r.Int64N(100_000)
		b.Cols[2].I64[i] = amount
		b.Cols[3].I64[i] = int64(s.times[from+i])
		b.Time = append(b.Time, s.times[from+i])
		b.Pos = append(b.Pos, int64(from+i))
		// A row is 20 bytes, its partition and position, the NULLs of its columns, where in the key its id is, its amount
		// with a length, and a length of 0 since its time column is its time.
		size += fours(20 + 1 + sevens(from+i) + 1 + 2 + 1 + (bits.Len64(uint64(2*amount))+7)/8 + 1)
	}
	b.Keys.Build(b.Cols[:1], n, nil)
	for i := range n {
		b.Hash = append(b.Hash, xxh3.Hash(b.Keys.Key(i)))
	}
	return b, size
}

// keySize is how many bytes must be stored of a key: 16, its length, itself; and a slot of 8 in a table of which no more
// than three quarters are used.
func keySize(b *Batch) int { return fours(16+1+len(b.Keys.Key(0))) + 8*4/3 }

func fours(n int) int { return (n + 3) / 4 * 4 }

// sevens is the length of n in groups of seven bits.
func sevens(n int) int { return max(1, (bits.Len(uint(n))+6)/7) }

// heap is the memory in use.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what the first has found
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// Bytes is no less than what must be stored of the rows and keys, and but for scratch memory it is what the collector
// finds: pages begun and kept, the table of the keys and the sorter are in it.
func TestTheBytesOfAJoinAreThoseItHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	sides := drawSkewed(r)
	for _, kind := range []JoinKind{Inner, Left, Right, Full, Semi, Anti} {
		n := settlements(kind)
		n.Lo, n.Hi = -boundBand, boundBand
		before := heap()
		o := n.New(Shard{0, 1})
		least, rows := 0, 0
		for side := range sides {
			s := &sides[side]
			for from := 0; from < len(s.ids); from += 4096 {
				b, size := s.batch(r, side, from, min(from+4096, len(s.ids)))
				if least += size; from == 0 && side == 0 {
					least += boundKeys * keySize(b)
				}
				rows += b.N
				if err := o.Apply(side, b, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		check := func(when string) {
			t.Helper()
			if got, held := o.Stat().Bytes, heap()-before; got < held-held/14 || got > held+held/50 {
				t.Errorf("%s, %s: %d bytes are accounted for, the collector finds %d", kind, when, got, held)
			}
		}
		got := o.Stat()
		if got.Groups != rows || o.(*bandJoin).keys.n != boundKeys {
			t.Fatalf("%s: %+v of %d rows, with %d keys", kind, got, rows, o.(*bandJoin).keys.n)
		}
		if got.Bytes < least || got.Bytes > least+least/20 {
			t.Errorf("%s: %d bytes are accounted for, at least %d are needed", kind, got.Bytes, least)
		}
		check("nothing has settled")
		emit := func(*Out) bool { return true }
		for _, moment := range []struct {
			when string
			w    vec.Time
			half bool
		}{{"half of it has settled", boundBand / 2, false}, {"half of it has gone", boundBand * 3 / 2, true}} {
			if _, err := o.Advance(moment.w, emit); err != nil {
				t.Fatal(err)
			}
			if n := o.Stat().Groups; moment.half != (n < rows*3/5) || n < rows*2/5 {
				t.Fatalf("%s, %s: %d of %d rows are stored", kind, moment.when, n, rows)
			}
			check(moment.when)
		}
		if _, err := o.Advance(vec.PosInf, emit); err != nil {
			t.Fatal(err)
		}
		if s := o.Stat(); s.Groups != 0 || s.Bytes > 2<<20 {
			t.Errorf("%s: at the end %+v", kind, s)
		}
	}
}
