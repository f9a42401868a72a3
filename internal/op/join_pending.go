package op

import (
	"math"
	"math/bits"

	"ubik/internal/vec"
)

// pendingRows is the rows that the cursor has not passed, in a radix heap: none is earlier than low, and bucket b has
// those whose time differs from low in bit b − 1 and in none above. So every row of a bucket is earlier than those of
// the next. Taking rows in the order of time deals out a bucket anew, into lower ones, only when it has to be cut.
type pendingRows struct {
	store   *pageStore
	low     uint64 // times are compared as unsigned words
	buckets [65]rowBucket
}

type rowBucket struct {
	pages    []uint32
	n        int
	min, max uint64 // unset when n is 0
}

// sliceRows is how many rows are taken at a time; more when they are all of one time.
const sliceRows = 1 << 15

func timeWord(t vec.Time) uint64 { return uint64(t) ^ 1<<63 }

func (p *pendingRows) bucket(word uint64) *rowBucket { return &p.buckets[bits.Len64(word^p.low)] }

// put stores a copy of a row.
func (p *pendingRows) put(r joinRow) {
	word := timeWord(r.ts())
	p.bucket(word).put(p.store, r, word)
}

// put stores a copy of a row of the time word.
func (b *rowBucket) put(store *pageStore, r joinRow, word uint64) {
	size := r.size()
	_, cell := store.room(&b.pages, size)
	copy(cell, r[:size])
	if b.n == 0 {
		b.min, b.max = word, word
	}
	b.min, b.max = min(b.min, word), max(b.max, word)
	b.n++
}

// take moves the earliest rows to slice, an empty bucket, and returns the time before which now no row is pending, at
// most end. When that is end, all rows earlier than end have been taken.
func (p *pendingRows) take(end vec.Time, slice *rowBucket) vec.Time {
	limit := timeWord(end)
	for i := 0; i < len(p.buckets); {
		b := &p.buckets[i]
		switch {
		case b.n == 0:
			i++
			continue
		case b.min >= limit:
			return end
		case b.max < limit && (b.n <= sliceRows || b.min == b.max):
			pages := slice.pages
			*slice = *b
			*b = rowBucket{pages: pages[:0]}
			return vec.Time((slice.max + 1) ^ 1<<63)
		case b.n <= sliceRows:
			p.deal(i, limit, slice)
			return end
		}
		p.deal(i, b.min, slice)
		i = 0
	}
	return end
}

// deal empties bucket i, the lowest with rows: those earlier than low, a time within the bucket's, go to slice, the
// others to the buckets that belong to the new low.
func (p *pendingRows) deal(i int, low uint64, slice *rowBucket) {
	pages := p.buckets[i].pages
	p.buckets[i] = rowBucket{}
	p.low = low
	for _, id := range pages {
		p.store.rows(id, 0, func(_ uint32, r joinRow) bool {
			word := timeWord(r.ts())
			to := slice
			if word >= low {
				to = p.bucket(word)
			}
			to.put(p.store, r, word)
			return true
		})
		p.store.give(id)
	}
	if p.buckets[i].pages == nil {
		p.buckets[i].pages = pages[:0]
	}
}

// each calls f for every row.
func (p *pendingRows) each(f func(addr uint32, r joinRow) bool) {
	for i := range p.buckets {
		p.buckets[i].each(p.store, f)
	}
}

func (b *rowBucket) each(store *pageStore, f func(addr uint32, r joinRow) bool) {
	for _, id := range b.pages {
		store.rows(id, 0, f)
	}
}

// clear gives the bucket's pages back.
func (b *rowBucket) clear(store *pageStore) {
	store.giveAll(&b.pages)
	*b = rowBucket{pages: b.pages}
}

// sortByTime fills the sorter's items with the rows of a bucket in the order of time.
func (s *sorter) sortByTime(store *pageStore, b *rowBucket) {
	if b.n > math.MaxUint32 {
		panic("op: more than 4 billion rows at one time")
	}
	s.room(b.n)
	i := 0
	b.each(store, func(addr uint32, r joinRow) bool {
		s.items[i] = item{timeWord(r.ts()), addr}
		i++
		return true
	})
	s.radix()
}

// bytes is the memory of the sorter.
func (s *sorter) bytes() int { return (cap(s.items) + cap(s.other)) * 16 }
