package op

import (
	"bytes"
	"cmp"
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
//	    uvarint  number of rows; then each, by (time, partition index, position) or (time, place):
//	      i64      time
//	      …        of a side with places: uvarint length and the bytes of the place; else
//	        uvarint  partition index
//	        uvarint  position
//	      bool     it has matched
//	      bytes    uvarint length and its columns, see rowLayout
//
// Only the rows that can still be part of an output row are in it.

// joinSaving is the scratch memory of Save.
type joinSaving struct {
	order   []uint32 // keys
	ends    []uint32 // by place in order: where its rows end in rows
	rows    []uint32
	body    vec.Encoder
	columns []byte
	saved   int // bytes, last time
}

// Save appends the state of the key groups that have stored rows.
func (j *bandJoin) Save(e *vec.Encoder) {
	if j.active {
		panic("op: a state saved in the middle of an advance")
	}
	groups := j.listStored()
	e.Buf = slices.Grow(e.Buf, j.saved+j.saved/16)
	before := len(e.Buf)
	from := 0
	for group, n := range groups {
		if n == 0 {
			continue
		}
		to := from + n
		j.body.Buf = j.body.Buf[:0]
		j.body.I64(int64(j.w))
		j.body.Uvarint(uint64(n))
		for at := from; at < to; at++ {
			if (at-from)%keysAhead == 0 {
				j.store.touch(j.order[at:min(at+keysAhead, to)])
				last := j.ends[min(at+keysAhead, to)-1]
				j.store.touch(j.rows[j.begin(at):min(last, j.begin(at)+4*keysAhead)])
			}
			j.saveKey(&j.body, at)
		}
		e.Uvarint(uint64(group))
		e.Bytes(j.body.Buf)
		from = to
	}
	j.saved = len(e.Buf) - before
	j.order, j.ends, j.rows, j.body.Buf = nil, nil, nil, nil // as large as the state: not kept from one time to the next
}

// listStored fills order, and rows key by key in that order, and returns the number of keys of each key group.
func (j *bandJoin) listStored() (groups [KeyGroups]int) {
	s := &j.joinSaving
	s.order, groups = j.keys.sorted(&j.sorter)
	s.ends = make([]uint32, len(s.order))
	sum := uint32(0)
	for i, addr := range s.order {
		key := j.keys.at(addr)
		s.ends[i] = sum
		sum += key.rows()
		key.setHash(uint32(i)) // for a while its place in order
	}
	s.rows = make([]uint32, j.stored[0]+j.stored[1])
	j.eachStored(func(id uint32, r joinRow) {
		end := &s.ends[j.keys.at(r.key()).hash()]
		s.rows[*end] = id
		*end++
	})
	j.keys.restoreHashes()
	return groups
}

// eachStored calls f for every stored row.
func (j *bandJoin) eachStored(f func(id uint32, r joinRow)) {
	g := func(id uint32, r joinRow) bool { f(id, r); return true }
	for side := range j.rings {
		j.rings[side].each(g)
	}
	j.pending.each(g)
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
			x, y := j.store.row(a), j.store.row(b)
			if x.side() != y.side() {
				return x.side() - y.side()
			}
			return compareStored(x, y)
		})
	}
	key := j.keys.at(j.order[at])
	e.Bytes(key.text())
	e.Bool(key.null())
	lefts := 0
	for lefts < len(rows) && j.store.row(rows[lefts]).side() == 0 {
		lefts++
	}
	for side, some := range [2][]uint32{rows[:lefts], rows[lefts:]} {
		e.Uvarint(uint64(len(some)))
		for _, id := range some {
			r := j.store.row(id)
			e.I64(int64(r.ts()))
			if r.placed() {
				place, _ := r.place()
				e.Bytes(place)
			} else {
				o, _ := r.record()
				e.Uvarint(uint64(o.Part))
				e.Uvarint(uint64(o.Pos))
			}
			e.Bool(r.matched())
			j.columns = j.layout[side].freeze(j.columns[:0], r.columns(), r.ts(), key)
			e.Bytes(j.columns)
		}
	}
}

// compareStored is the order of one key's and side's rows in the state.
func compareStored(a, b joinRow) int {
	return cmp.Or(cmp.Compare(a.ts(), b.ts()), comparePlaces(a, b))
}

// Load reads a saved state. It believes nothing: bytes that Save cannot have written give an error.
func (j *bandJoin) Load(d *vec.Decoder) error {
	last := -1
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
			j.loadGroup(&body, last)
			if err := body.Done(); err != nil {
				return err
			}
		}
	}
	if d.Err != nil {
		return d.Err
	}
	for until := vec.NegInf; until < j.w; {
		until = j.pending.take(j.w, &j.slice)
		if !j.store.holds(len(j.slice.pages)) {
			return errTooLarge
		}
		j.sorter.sortByTime(&j.store, &j.slice)
		for _, it := range j.sorter.items {
			j.settle(it.group)
			j.fresh[0], j.fresh[1] = j.fresh[0][:0], j.fresh[1][:0]
		}
		j.slice.clear(&j.store)
	}
	j.sorter.items = j.sorter.items[:0]
	j.sorter.trim(2 * sliceRows)
	return nil
}

func (j *bandJoin) loadGroup(d *vec.Decoder, group int) {
	count := d.Count(5)
	if count == 0 {
		d.Refuse()
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
		if int(h>>56) != group || !inOrder || !j.validKey(key, null) {
			d.Refuse()
			return
		}
		hashBefore, keyBefore = h, key
		n := 0
		for side := range j.rings {
			rows := d.Count(12)
			if null && rows > 0 && !j.keeps[side] {
				d.Refuse()
				return
			}
			n += rows
			j.loadRows(d, side, rows, h, key, null)
		}
		if n == 0 {
			d.Refuse()
		}
	}
}

// validKey reports whether the bytes are those of a key of the node's types, with a NULL in it or not, if they are known.
func (j *bandJoin) validKey(key []byte, null bool) bool {
	if j.node.KeyTypes == nil {
		return true
	}
	valid, hasNull := validKey(key, j.keyCheck, &j.columns)
	return valid && hasNull == null
}

// partsEnd is behind the partition indexes whose place does not begin like that of an absent record.
const partsEnd = 1<<31 - 1<<24

// validPlace reports whether b is the place of a row: of records some of which are absent, but not all.
func validPlace(b []byte) bool {
	present := false
	for len(b) > 0 {
		if b[0] == 0xFF {
			b = b[1:]
			continue
		}
		// Neither the partition index nor the position is negative.
		if len(b) < 12 || b[0] < 0x80 || b[4] < 0x80 {
			return false
		}
		present, b = true, b[12:]
	}
	return present
}

// loadRows reads the rows of one key and side, as if all of them were pending.
func (j *bandJoin) loadRows(d *vec.Decoder, side, count int, h uint64, key []byte, null bool) {
	var before, row joinRow
	for i := 0; i < count && d.Err == nil; i++ {
		if j.store.short() {
			d.Err = errTooLarge
			return
		}
		ts := vec.Time(d.I64())
		addr := j.keys.add(h, key)
		row = startRow(row, side, ts, addr)
		known := false
		if j.node.Placed[side] {
			place := d.Bytes()
			known = validPlace(place)
			row = row.withPlace(place)
		} else {
			part, pos := d.Uvarint(), d.Uvarint()
			known = part < partsEnd && pos <= math.MaxInt64
			row = row.withRecord(Origin{int32(part), int64(pos)})
		}
		matched, columns := d.Bool(), d.Bytes()
		if d.Err != nil {
			return
		}
		if !ts.InRange() || !known || j.due(side, ts) < j.w || matched && (ts >= j.w || null || !j.tracks[side]) ||
			!j.layout[side].valid(columns, j.check[side]) {
			d.Refuse()
			return
		}
		row = endRow(j.layout[side].pack(row, j.check[side].Cols, 0, ts, key))
		if i > 0 && compareStored(before, row) >= 0 {
			d.Refuse()
			return
		}
		if matched {
			row.setMatched()
		}
		if null {
			j.keys.at(addr).setNull()
		}
		j.pending.put(row)
		j.stored[side]++
		before, row = row, before
	}
}
