package op

import (
	"bytes"
	"math"
	"slices"

	"github.com/zeebo/xxh3"

	"ubik/internal/vec"
)

// The state of a key group, frozen:
//
//	i64      the cursor last advanced to; the same in every key group
//	uvarint  number of keys, at least 1; then each, by (hash, key bytes):
//	  bytes    uvarint length and the key bytes
//	  bool     some column of the key is NULL
//	  …        of the left rows, then of the right ones; at least 1 of both together:
//	    uvarint  number of rows; then each, by (time, partition index, position):
//	      i64      time
//	      uvarint  partition index
//	      uvarint  position
//	      bool     it has matched
//	      bytes    uvarint length and its columns, see rowLayout
//
// Only the rows that can still be part of an output row are in it.

// joinSaving is the scratch memory of Save.
type joinSaving struct {
	order []uint32 // keys
	rank  []uint32 // by key: its place in order
	ends  []uint32 // by place in order: where its rows end in rows
	rows  []uint32
	body  vec.Encoder
	saved int // bytes, last time
}

// Save appends the state of the key groups that have stored rows.
func (j *bandJoin) Save(e *vec.Encoder) {
	if j.active {
		panic("op: a state saved in the middle of an advance")
	}
	j.listStored()
	e.Buf = slices.Grow(e.Buf, j.saved+j.saved/16)
	before := len(e.Buf)
	for from := 0; from < len(j.order); {
		group := j.keys.entries[j.order[from]].hash >> 56
		to := from + 1
		for to < len(j.order) && j.keys.entries[j.order[to]].hash>>56 == group {
			to++
		}
		j.body.Buf = j.body.Buf[:0]
		j.body.I64(int64(j.w))
		j.body.Uvarint(uint64(to - from))
		for at := from; at < to; at++ {
			if (at-from)%keysAhead == 0 {
				last := j.ends[min(at+keysAhead, to)-1]
				j.pool.touch(j.rows[j.begin(at):min(last, j.begin(at)+4*keysAhead)])
			}
			j.saveKey(&j.body, at)
		}
		e.Uvarint(group)
		e.Bytes(j.body.Buf)
		from = to
	}
	j.saved = len(e.Buf) - before
}

// listStored fills order, and rows key by key in that order.
func (j *bandJoin) listStored() {
	s := &j.joinSaving
	s.order = j.keys.sorted(&j.sorter, s.order[:0])
	s.rank = slices.Grow(s.rank[:0], len(j.keys.entries))[:len(j.keys.entries)]
	s.ends = slices.Grow(s.ends[:0], len(s.order))[:len(s.order)]
	sum := uint32(0)
	for i, key := range s.order {
		s.rank[key], s.ends[i] = uint32(i), sum
		sum += j.keys.entries[key].rows
	}
	s.rows = slices.Grow(s.rows[:0], j.stored)[:j.stored]
	put := func(id uint32) {
		end := &s.ends[s.rank[j.pool.row(id).key]]
		s.rows[*end] = id
		*end++
	}
	for side := range j.rings {
		j.rings[side].each(func(id uint32) bool { put(id); return true })
	}
	j.pending.each(put)
}

// begin is where the rows of the key at a place in order begin.
func (j *bandJoin) begin(at int) uint32 {
	if at == 0 {
		return 0
	}
	return j.ends[at-1]
}

// saveKey appends the key that is at a place in order.
func (j *bandJoin) saveKey(e *vec.Encoder, at int) {
	rows := j.rows[j.begin(at):j.ends[at]]
	if len(rows) > 1 {
		slices.SortFunc(rows, func(a, b uint32) int {
			x, y := j.pool.row(a), j.pool.row(b)
			if x.side() != y.side() {
				return x.side() - y.side()
			}
			return compareStored(x, y)
		})
	}
	e.Bytes(j.keys.key(j.order[at]))
	e.Bool(j.keys.entries[j.order[at]].null)
	lefts := 0
	for lefts < len(rows) && j.pool.row(rows[lefts]).side() == 0 {
		lefts++
	}
	for _, some := range [][]uint32{rows[:lefts], rows[lefts:]} {
		e.Uvarint(uint64(len(some)))
		for _, id := range some {
			r := j.pool.row(id)
			e.I64(int64(r.ts))
			e.Uvarint(uint64(r.part))
			e.Uvarint(uint64(r.pos))
			e.Bool(r.matched())
			e.Bytes(j.pool.payload(id))
		}
	}
}

// compareStored is the order of one key's and side's rows in the state.
func compareStored(a, b *joinRow) int {
	if a.ts != b.ts {
		if a.ts < b.ts {
			return -1
		}
		return 1
	}
	return comparePlaces(a, b)
}

// Load reads a saved state. It believes nothing: bytes that Save cannot have written give an error.
func (j *bandJoin) Load(d *vec.Decoder) error {
	last := -1
	var settled rowBucket
	for len(d.Buf) > 0 && d.Err == nil {
		group := d.Uvarint()
		body := vec.Decoder{Buf: d.Bytes()}
		if d.Err != nil {
			break
		}
		if group >= KeyGroups || int(group) <= last {
			return vec.ErrState
		}
		w := vec.Time(body.I64())
		if body.Err != nil || last >= 0 && w != j.w || w == vec.PosInf {
			return vec.ErrState
		}
		j.w, last = w, int(group)
		if j.shard.Owns(last) {
			j.loadGroup(&body, last, &settled)
			if err := body.Done(); err != nil {
				return err
			}
		}
	}
	if d.Err != nil {
		return d.Err
	}
	j.sorter.sortByTime(&j.pool, &settled)
	for _, it := range j.sorter.items {
		j.settle(it.group)
		j.fresh[0], j.fresh[1] = j.fresh[0][:0], j.fresh[1][:0]
	}
	j.sorter.items = j.sorter.items[:0]
	settled.clear(&j.pool)
	return nil
}

func (j *bandJoin) loadGroup(d *vec.Decoder, group int, settled *rowBucket) {
	count := d.Count(5)
	if count == 0 {
		refuse(d)
	}
	var hashBefore uint64
	var keyBefore []byte
	for i := 0; i < count && d.Err == nil; i++ {
		key := d.Bytes()
		null := d.Bool()
		if d.Err != nil {
			return
		}
		h := xxh3.Hash(key)
		inOrder := i == 0 || hashBefore < h || hashBefore == h && bytes.Compare(keyBefore, key) < 0
		if int(h>>56) != group || !inOrder {
			refuse(d)
			return
		}
		hashBefore, keyBefore = h, key
		n := 0
		for side := range j.rings {
			rows := d.Count(12)
			if null && rows > 0 && !j.keeps[side] {
				refuse(d)
				return
			}
			n += rows
			j.loadRows(d, side, rows, h, key, null, settled)
		}
		if n == 0 {
			refuse(d)
		}
	}
}

// loadRows reads the rows of one key and side. Settled ones go to a bucket, to be ordered when all are there.
func (j *bandJoin) loadRows(d *vec.Decoder, side, count int, h uint64, key []byte, null bool, settled *rowBucket) {
	var before joinRow
	for i := 0; i < count && d.Err == nil; i++ {
		r := joinRow{ts: vec.Time(d.I64()), next: noRow, meta: uint32(side)}
		part, pos, matched := d.Uvarint(), d.Uvarint(), d.Bool()
		columns := d.Bytes()
		if d.Err != nil {
			return
		}
		r.part, r.pos = int32(part), int64(pos)
		isSettled := r.ts < j.w
		if !r.ts.InRange() || part > math.MaxInt32 || pos > math.MaxInt64 || j.due(side, r.ts) < j.w ||
			matched && (!isSettled || null || !j.tracks[side]) || i > 0 && compareStored(&before, &r) >= 0 ||
			!j.layout[side].valid(columns, j.check[side]) {
			refuse(d)
			return
		}
		before = r
		if matched {
			r.setMatched()
		}
		r.key = j.keys.add(h, key)
		j.keys.entries[r.key].null = null
		word := timeWord(r.ts)
		to := settled
		if !isSettled {
			to = j.pending.bucket(word)
		}
		_, b := j.pool.open(to.room(&j.pool, word), r)
		b.arena = append(b.arena, columns...)
		j.pool.close(b)
		j.stored++
	}
}
