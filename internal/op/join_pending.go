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
	pool    *rowPool
	low     uint64 // times are compared as unsigned words
	buckets [65]rowBucket
}

type rowBucket struct {
	blocks   []uint32
	n        int
	min, max uint64 // unset when n is 0
}

// sliceRows is how many rows are taken at a time; more when they are all of one time.
const sliceRows = 1 << 15

func timeWord(t vec.Time) uint64 { return uint64(t) ^ 1<<63 }

func (p *pendingRows) bucket(word uint64) *rowBucket { return &p.buckets[bits.Len64(word^p.low)] }

// room is the block of the bucket that takes its next row, a row of the time word.
func (b *rowBucket) room(pool *rowPool, word uint64) uint32 {
	if n := len(b.blocks); n == 0 || pool.full(b.blocks[n-1]) {
		b.blocks = append(b.blocks, pool.take())
	}
	if b.n == 0 {
		b.min, b.max = word, word
	}
	b.min, b.max = min(b.min, word), max(b.max, word)
	b.n++
	return b.blocks[len(b.blocks)-1]
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
			blocks := slice.blocks
			*slice = *b
			*b = rowBucket{blocks: blocks[:0]}
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
	blocks := p.buckets[i].blocks
	p.buckets[i] = rowBucket{}
	p.low = low
	for _, id := range blocks {
		for k := range p.pool.blocks[id].n {
			row := id<<blockBits | uint32(k)
			word := timeWord(p.pool.row(row).ts)
			to := slice
			if word >= low {
				to = p.bucket(word)
			}
			p.pool.copyTo(to.room(p.pool, word), row)
		}
		p.pool.give(id)
	}
	if p.buckets[i].blocks == nil {
		p.buckets[i].blocks = blocks[:0]
	}
}

// each calls f for every row.
func (p *pendingRows) each(f func(id uint32)) {
	for i := range p.buckets {
		p.buckets[i].each(p.pool, f)
	}
}

func (b *rowBucket) each(pool *rowPool, f func(id uint32)) {
	for _, id := range b.blocks {
		for k := range pool.blocks[id].n {
			f(id<<blockBits | uint32(k))
		}
	}
}

// clear gives the bucket's blocks back.
func (b *rowBucket) clear(pool *rowPool) {
	for _, id := range b.blocks {
		pool.give(id)
	}
	*b = rowBucket{blocks: b.blocks[:0]}
}

// sortByTime fills the sorter's items with the rows of a bucket in the order of time.
func (s *sorter) sortByTime(pool *rowPool, b *rowBucket) {
	if b.n > math.MaxUint32 {
		panic("op: more than 4 billion rows at one time")
	}
	s.room(b.n)
	i := 0
	b.each(pool, func(id uint32) {
		s.items[i] = item{timeWord(pool.row(id).ts), id}
		i++
	})
	s.radix()
}

// bytes is the memory of the sorter.
func (s *sorter) bytes() int { return (cap(s.items) + cap(s.other)) * 16 }
