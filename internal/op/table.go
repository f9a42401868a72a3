package op

import (
	"bytes"

	"ubik/internal/vec"
)

// table is a set of keys, each with the number of its group, given out from 0 in order of arrival.
//
//	slots     open addressing, linear probing: uint32 tag of the hash | group + 1; 0 is free
//	entries   by group: the hash, and where in the arena its key begins; the next entry's is where it ends
//	arena     the key bytes, one behind the other
//
// No pointer lies in any of them, so the collector never looks inside. A lookup reads one slot, one entry and the key.
type table struct {
	slots   []uint64
	entries []entry // one more than there are groups
	arena   []byte
}

type entry struct {
	hash uint64
	off  uint64
}

const (
	slotsMin  = 16
	rowsAhead = 256 // rows whose slots are fetched before their entries are
	keysAhead = 64  // keys that are fetched before they are saved

	// Of more groups than these, entries and keys are not all in the cache.
	groupsCached = 8192
)

// len is the number of groups.
func (t *table) len() int { return max(len(t.entries)-1, 0) }

// key returns the key bytes of a group, lent.
func (t *table) key(g uint32) []byte {
	from, to := t.entries[g].off, t.entries[g+1].off
	return t.arena[from:to:to]
}

func (t *table) bytes() int { return cap(t.slots)*8 + cap(t.entries)*16 + cap(t.arena) }

// reset removes all keys and keeps the memory. A table far larger than what it held hands out less of it next time,
// so that clearing it does not cost more than filling it.
func (t *table) reset() {
	if len(t.slots) > slotsMin && t.len() < len(t.slots)/32 {
		t.slots = t.slots[:len(t.slots)/2]
	}
	clear(t.slots)
	t.entries, t.arena = t.entries[:0], t.arena[:0]
}

// find stores the group of each row's key in groups, which is as long as rows, adding the keys that are new. Keys and
// hashes are indexed by row.
//
// Two passes over some rows at a time: the first reads the slots, whose loads depend on nothing and are served side by
// side; the second compares keys and adds what is new.
func (t *table) find(keys *vec.KeyBuilder, hash []uint64, rows []int32, groups []uint32) {
	if len(t.slots) == 0 {
		t.resize(slotsMin)
	}
	for len(rows) > 0 {
		n := min(len(rows), rowsAhead)
		t.findSome(keys, hash, rows[:n], groups[:n])
		rows, groups = rows[n:], groups[n:]
	}
}

func (t *table) findSome(keys *vec.KeyBuilder, hash []uint64, rows []int32, groups []uint32) {
	slots := t.slots
	mask := uint64(len(slots) - 1)
	groups = groups[:len(rows)]
	for k, r := range rows {
		h := hash[r]
		i := h & mask
		s := slots[i]
		for s != 0 && s>>32 != h>>32 {
			i = (i + 1) & mask
			s = slots[i]
		}
		groups[k] = uint32(s) // group + 1, or 0
	}
	if t.len() > groupsCached {
		t.touch(groups)
	}
	arena, spans := keys.Arena, keys.Spans
	for k, r := range rows {
		h, s := hash[r], spans[r]
		key := arena[s.Off : s.Off+s.Len]
		if g := groups[k]; g != 0 {
			if e := &t.entries[g-1]; e.hash == h && bytes.Equal(t.arena[e.off:t.entries[g].off], key) {
				groups[k] = g - 1
				continue
			}
		}
		groups[k] = t.add(h, key)
	}
}

// touch brings the entries and keys of groups, numbered from 1 and 0 for none, into the cache: loads that depend on
// nothing but their own entry are served side by side, those between the calls of a comparison hardly so. It is not
// inlined lest the loads be dropped with their result.
//
//go:noinline
func (t *table) touch(groups []uint32) (sum uint64) {
	entries, arena := t.entries, t.arena
	for _, g := range groups {
		if g != 0 {
			if off := entries[g-1].off; off < uint64(len(arena)) {
				sum += uint64(arena[off])
			}
		}
	}
	return sum
}

// add returns the group of a key, a new one when it is not there.
func (t *table) add(h uint64, key []byte) uint32 {
	if 4*(t.len()+1) > 3*len(t.slots) {
		t.resize(max(2*len(t.slots), slotsMin))
	}
	mask := uint64(len(t.slots) - 1)
	i := h & mask
	for t.slots[i] != 0 {
		if s := t.slots[i]; s>>32 == h>>32 {
			if g := uint32(s) - 1; t.entries[g].hash == h && bytes.Equal(t.key(g), key) {
				return g
			}
		}
		i = (i + 1) & mask
	}
	if len(t.entries) == 0 {
		t.entries = append(t.entries, entry{})
	}
	n := uint32(t.len())
	if n == 1<<32-2 {
		panic("op: more than 4 billion groups in one window")
	}
	t.slots[i] = h>>32<<32 | uint64(n+1)
	t.entries[n].hash = h
	t.arena = append(t.arena, key...)
	t.entries = append(t.entries, entry{off: uint64(len(t.arena))})
	return n
}

// resize makes the table n slots large, a power of two.
func (t *table) resize(n int) {
	if cap(t.slots) >= n {
		t.slots = t.slots[:n]
		clear(t.slots)
	} else {
		t.slots = make([]uint64, n)
	}
	mask := uint64(n - 1)
	for g := 0; g < t.len(); g++ {
		h := t.entries[g].hash
		i := h & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = h>>32<<32 | uint64(g+1)
	}
}
