package op

import (
	"bytes"
	"slices"

	"ubik/internal/vec"
)

// joinKeys is the keys of the stored rows, of both sides. A key is there as long as it has rows; its number is given
// out anew afterwards.
//
//	slots    open addressing, linear probing: low half of the hash | number + 1; 0 is free. The place at which probing
//	         begins is a part of that half, so slots can be moved without a look at their entries.
//	entries  by number
//	arena    the key bytes, with gaps where keys have gone
type joinKeys struct {
	slots   []uint64
	entries []joinKey
	unused  []uint32 // numbers
	arena   []byte
	gaps    int // bytes of arena
}

type joinKey struct {
	hash        uint64
	off         uint64
	len         uint32
	rows        uint32    // 0: the number is unused
	first, last [2]uint32 // settled rows of each side, in the order of time; noRow
	run         uint32    // while a moment is open: 1 + its run in moment.runs; 0: none
	null        bool      // some column is NULL: it matches nothing
}

const (
	gapsMin       = 64 << 10 // fewer bytes of gaps are left alone
	joinKeyBytes  = 56
	slotsKeptBusy = 16 // slots for each key before the table is made smaller
	half          = 1<<32 - 1
	keySlotsMost  = 1 << 32
)

func (k *joinKeys) len() int { return len(k.entries) - len(k.unused) }

func (k *joinKeys) bytes() int {
	return cap(k.slots)*8 + cap(k.entries)*joinKeyBytes + cap(k.unused)*4 + cap(k.arena)
}

// key returns the bytes of a key, lent.
func (k *joinKeys) key(id uint32) []byte {
	e := &k.entries[id]
	return k.arena[e.off : e.off+uint64(e.len) : e.off+uint64(e.len)]
}

// find stores the number of each row's key in ids, as long as rows, counting a row to each. Keys and hashes are indexed
// by row. Slots are read for some rows at a time before any entry is, so that the loads are served side by side.
func (k *joinKeys) find(keys *vec.KeyBuilder, hash []uint64, rows []int32, ids []uint32) {
	if len(k.slots) == 0 {
		k.resize(slotsMin)
	}
	for len(rows) > 0 {
		n := min(len(rows), rowsAhead)
		k.findSome(keys, hash, rows[:n], ids[:n])
		rows, ids = rows[n:], ids[n:]
	}
}

func (k *joinKeys) findSome(keys *vec.KeyBuilder, hash []uint64, rows []int32, ids []uint32) {
	slots := k.slots
	mask := uint64(len(slots) - 1)
	for i, r := range rows {
		h := hash[r]
		at := h & mask
		s := slots[at]
		for s != 0 && s>>32 != h&half {
			at = (at + 1) & mask
			s = slots[at]
		}
		ids[i] = uint32(s) // number + 1, or 0
	}
	if k.len() > groupsCached {
		k.touch(ids)
	}
	for i, r := range rows {
		h, key := hash[r], keys.Key(int(r))
		if id := ids[i]; id != 0 {
			if e := &k.entries[id-1]; e.hash == h && bytes.Equal(k.key(id-1), key) {
				e.rows++
				ids[i] = id - 1
				continue
			}
		}
		ids[i] = k.add(h, key)
	}
}

// touch brings the entries and bytes of keys, numbered from 1 and 0 for none, into the cache. It is not inlined lest the
// loads be dropped with their result.
//
//go:noinline
func (k *joinKeys) touch(ids []uint32) (sum uint64) {
	for _, id := range ids {
		if id != 0 {
			if off := k.entries[id-1].off; off < uint64(len(k.arena)) {
				sum += uint64(k.arena[off])
			}
		}
	}
	return sum
}

// touchSlots does so for the entries of keys, numbered from 0, and where their slots are.
//
//go:noinline
func (k *joinKeys) touchSlots(ids []uint32) (sum uint64) {
	mask := uint64(len(k.slots) - 1)
	for _, id := range ids {
		sum += k.slots[k.entries[id].hash&mask]
	}
	return sum
}

// add returns the number of a key, a new one when it is not there, and counts a row to it.
func (k *joinKeys) add(h uint64, key []byte) uint32 {
	if 4*(k.len()+1) > 3*len(k.slots) {
		if len(k.slots) == keySlotsMost {
			panic("op: more than 3 billion keys in one shard")
		}
		k.resize(max(2*len(k.slots), slotsMin))
	}
	mask := uint64(len(k.slots) - 1)
	i := h & mask
	for k.slots[i] != 0 {
		if s := k.slots[i]; s>>32 == h&half {
			id := uint32(s) - 1
			if e := &k.entries[id]; e.hash == h && bytes.Equal(k.key(id), key) {
				e.rows++
				return id
			}
		}
		i = (i + 1) & mask
	}
	var id uint32
	if n := len(k.unused); n > 0 {
		id, k.unused = k.unused[n-1], k.unused[:n-1]
	} else {
		id = uint32(len(k.entries))
		k.entries = append(k.entries, joinKey{})
	}
	k.slots[i] = h<<32 | uint64(id+1)
	none := [2]uint32{noRow, noRow}
	k.entries[id] = joinKey{hash: h, off: uint64(len(k.arena)), len: uint32(len(key)), rows: 1, first: none, last: none}
	k.arena = append(k.arena, key...)
	return id
}

// release takes a row from a key, and the key away with its last.
func (k *joinKeys) release(id uint32) {
	e := &k.entries[id]
	e.rows--
	if e.rows > 0 {
		return
	}
	mask := uint64(len(k.slots) - 1)
	i := e.hash & mask
	for uint32(k.slots[i]) != id+1 {
		i = (i + 1) & mask
	}
	// Those behind that would not be found past a free slot move up.
	for at := (i + 1) & mask; k.slots[at] != 0; at = (at + 1) & mask {
		home := k.slots[at] >> 32 & mask
		if (at-home)&mask >= (at-i)&mask {
			k.slots[i] = k.slots[at]
			i = at
		}
	}
	k.slots[i] = 0
	k.gaps += int(e.len)
	k.unused = append(k.unused, id)
	switch n := k.len(); {
	case n == 0:
		k.entries, k.unused, k.arena, k.gaps = k.entries[:0], k.unused[:0], k.arena[:0], 0
		if len(k.slots) > 1024 {
			*k = joinKeys{}
			k.resize(slotsMin)
		}
		return
	case len(k.slots) > 1024 && n*slotsKeptBusy < len(k.slots):
		k.resize(len(k.slots) / 4)
	}
	if k.gaps > gapsMin && k.gaps > len(k.arena)/2 {
		k.closeGaps()
	}
}

func (k *joinKeys) closeGaps() {
	arena := make([]byte, 0, len(k.arena)-k.gaps+(len(k.arena)-k.gaps)/4)
	for id := range k.entries {
		if e := &k.entries[id]; e.rows > 0 {
			off := uint64(len(arena))
			arena = append(arena, k.key(uint32(id))...)
			e.off = off
		}
	}
	k.arena, k.gaps = arena, 0
}

// resize makes the table n slots large, a power of two.
func (k *joinKeys) resize(n int) {
	old := k.slots
	k.slots = make([]uint64, n)
	mask := uint64(n - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		i := s >> 32 & mask
		for k.slots[i] != 0 {
			i = (i + 1) & mask
		}
		k.slots[i] = s
	}
}

// sorted appends all keys to dst by (hash, key bytes). The sorter is left empty.
func (k *joinKeys) sorted(s *sorter, dst []uint32) []uint32 {
	s.room(k.len())
	n := 0
	for id := range k.entries {
		if e := &k.entries[id]; e.rows > 0 {
			s.items[n] = item{e.hash, uint32(id)}
			n++
		}
	}
	s.radix()
	for from := 0; from < n; {
		to := from + 1
		for to < n && s.items[to].word == s.items[from].word {
			to++
		}
		if to-from > 1 {
			slices.SortFunc(s.items[from:to], func(a, b item) int { return bytes.Compare(k.key(a.group), k.key(b.group)) })
		}
		from = to
	}
	dst = appendGroups(dst, s.items)
	s.items = s.items[:0]
	return dst
}
