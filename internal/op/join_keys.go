package op

import (
	"bytes"
	"slices"

	"github.com/zeebo/xxh3"

	"ubik/internal/vec"
)

// joinKeys is the keys of the stored rows, of both sides. A key is there as long as it has rows.
//
//	slots  open addressing, linear probing: low half of the hash | cell + 1; 0 is free. Probing begins at the half's
//	       share of the table, so that a table is copied into a larger one, of any length, from front to back, without a
//	       look at the keys.
//	pages  the cells; those of keys that have gone are taken again by keys as long
type joinKeys struct {
	store *pageStore
	slots []uint64
	n     int      // keys
	pages []uint32 // but those of large cells
	gaps  []uint32 // by granules: a cell without a key, in which the next one is named as last left row; noCell
	used  int      // bytes of pages that keys lie in
}

const (
	half         = 1<<32 - 1
	keySlotsMost = 1 << 32

	// Key cells are moved together when less than half of more pages than these is in use.
	pagesTidied = 64
)

// bytes is the memory of the slots; the cells are the store's.
func (k *joinKeys) bytes() int { return cap(k.slots) * 8 }

func (k *joinKeys) at(addr uint32) joinKey { return k.store.cell(addr) }

// home is where probing for a hash begins.
func (k *joinKeys) home(half uint64) int { return int(half * uint64(len(k.slots)) >> 32) }

// find stores the cell of each row's key in cells, as long as rows, counting a row to each. Keys and hashes are indexed
// by row. Slots are read for some rows at a time before any cell is, so that the loads are served side by side.
func (k *joinKeys) find(keys *vec.KeyBuilder, hash []uint64, rows []int32, cells []uint32) {
	if len(k.slots) == 0 {
		k.resize(slotsMin)
	}
	for len(rows) > 0 {
		n := min(len(rows), rowsAhead)
		k.findSome(keys, hash, rows[:n], cells[:n])
		rows, cells = rows[n:], cells[n:]
	}
}

func (k *joinKeys) findSome(keys *vec.KeyBuilder, hash []uint64, rows []int32, cells []uint32) {
	slots := k.slots
	for i, r := range rows {
		h := hash[r] & half
		at := k.home(h)
		s := slots[at]
		for s != 0 && s>>32 != h {
			if at++; at == len(slots) {
				at = 0
			}
			s = slots[at]
		}
		cells[i] = uint32(s) // cell + 1, or 0
	}
	if k.n > groupsCached {
		k.touchFound(cells)
	}
	for i, r := range rows {
		h, text := hash[r], keys.Key(int(r))
		if found := cells[i]; found != 0 {
			if key := k.at(found - 1); bytes.Equal(key.text(), text) {
				key.setRows(key.rows() + 1)
				cells[i] = found - 1
				continue
			}
		}
		cells[i] = k.add(h, text)
	}
}

// touchFound is pageStore.touch for cells + 1, or 0 for none.
//
//go:noinline
func (k *joinKeys) touchFound(cells []uint32) (sum uint32) {
	for _, c := range cells {
		if c != 0 {
			sum += touched(k.at(c - 1))
		}
	}
	return sum
}

// touchSlots brings the slots of keys into the cache.
//
//go:noinline
func (k *joinKeys) touchSlots(cells []uint32) (sum uint64) {
	for _, c := range cells {
		sum += k.slots[k.home(uint64(k.at(c).hash()))]
	}
	return sum
}

// add returns the cell of a key, a new one when it is not there, and counts a row to it.
func (k *joinKeys) add(h uint64, text []byte) uint32 {
	if 4*(k.n+1) > 3*len(k.slots) {
		if len(k.slots) == keySlotsMost {
			panic("op: more than 3 billion keys in one shard")
		}
		k.resize(min(max(len(k.slots)+len(k.slots)/4, slotsMin), keySlotsMost))
	}
	h &= half
	i := k.home(h)
	for k.slots[i] != 0 {
		if s := k.slots[i]; s>>32 == h {
			addr := uint32(s) - 1
			if key := k.at(addr); bytes.Equal(key.text(), text) {
				key.setRows(key.rows() + 1)
				return addr
			}
		}
		if i++; i == len(k.slots) {
			i = 0
		}
	}
	addr := k.make(uint32(h), text)
	k.slots[i] = h<<32 | uint64(addr+1)
	k.n++
	return addr
}

// slot is where the slot of a key is.
func (k *joinKeys) slot(addr uint32) int {
	i := k.home(uint64(k.at(addr).hash()))
	for uint32(k.slots[i]) != addr+1 {
		if i++; i == len(k.slots) {
			i = 0
		}
	}
	return i
}

// release takes a row from a key, and the key away with its last. What the key's cell holds can be read until the store
// recycles, or another key is added.
func (k *joinKeys) release(addr uint32) {
	key := k.at(addr)
	rows := key.rows() - 1
	key.setRows(rows)
	if rows > 0 {
		return
	}
	i := k.slot(addr)
	// Those behind that would not be found past a free slot move up.
	n := len(k.slots)
	for at := i; ; {
		if at++; at == n {
			at = 0
		}
		s := k.slots[at]
		if s == 0 {
			break
		}
		if behind(at, k.home(s>>32), n) >= behind(at, i, n) {
			k.slots[i] = s
			i = at
		}
	}
	k.slots[i] = 0
	k.n--
	k.drop(addr)
	if n > 1024 && 4*k.n < n {
		k.resize(k.n + k.n*2/3 + slotsMin)
	}
}

// behind is how far place a of n is behind place b, round the end.
func behind(a, b, n int) int {
	if a < b {
		a += n
	}
	return a - b
}

// resize makes the table n slots large, for fewer keys than that.
func (k *joinKeys) resize(n int) {
	old := k.slots
	k.slots = make([]uint64, n)
	for _, s := range old {
		if s == 0 {
			continue
		}
		i := k.home(s >> 32)
		for k.slots[i] != 0 {
			if i++; i == n {
				i = 0
			}
		}
		k.slots[i] = s
	}
}

// sorted returns all keys by (hash, key bytes), and how many each key group has. The sorter is left empty.
func (k *joinKeys) sorted(s *sorter) (order []uint32, groups [KeyGroups]int) {
	found := make([]uint32, 0, k.n)
	for _, slot := range k.slots {
		if slot != 0 {
			found = append(found, uint32(slot)-1)
		}
	}
	groupOf := make([]uint8, k.n)
	k.hashes(found, func(i int, h uint64) {
		groupOf[i] = uint8(h >> 56)
		groups[h>>56]++
	})
	var ends [KeyGroups]int
	sum := 0
	for g, n := range groups {
		ends[g] = sum
		sum += n
	}
	order = make([]uint32, k.n)
	for i, addr := range found {
		end := &ends[groupOf[i]]
		order[*end] = addr
		*end++
	}
	from := 0
	for _, to := range ends {
		if from < to {
			k.sort(s, order[from:to])
		}
		from = to
	}
	s.items = s.items[:0]
	return order, groups
}

// hashes calls f with the hashes of keys, which their cells do not have as a whole.
func (k *joinKeys) hashes(keys []uint32, f func(i int, h uint64)) {
	for i, addr := range keys {
		if i%keysAhead == 0 {
			k.store.touch(keys[i:min(i+keysAhead, len(keys))])
		}
		f(i, xxh3.Hash(k.at(addr).text()))
	}
}

// sort sorts keys of one key group.
func (k *joinKeys) sort(s *sorter, keys []uint32) {
	s.room(len(keys))
	k.hashes(keys, func(i int, h uint64) { s.items[i] = item{h, keys[i]} })
	s.radix()
	for from, n := 0, len(keys); from < n; {
		to := from + 1
		for to < n && s.items[to].word == s.items[from].word {
			to++
		}
		if to-from > 1 {
			slices.SortFunc(s.items[from:to], func(a, b item) int { return bytes.Compare(k.at(a.group).text(), k.at(b.group).text()) })
		}
		from = to
	}
	for i := range keys {
		keys[i] = s.items[i].group
	}
}

// restoreHashes sets the hashes of all keys to what they were.
func (k *joinKeys) restoreHashes() {
	for _, slot := range k.slots {
		if slot != 0 {
			k.at(uint32(slot) - 1).setHash(uint32(slot >> 32))
		}
	}
}
