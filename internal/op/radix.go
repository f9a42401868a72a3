package op

import (
	"bytes"
	"cmp"
	"slices"
)

// item is a group with a word to sort it by.
type item struct {
	word  uint64
	group uint32
}

// sorter orders the groups of a table. It keeps its memory.
type sorter struct {
	items, other []item
}

const radixFrom = 256 // of fewer items a comparison sort is as fast

func (s *sorter) room(n int) {
	if cap(s.items) < n {
		s.items, s.other = make([]item, n, n+n/4), make([]item, n, n+n/4)
	}
	s.items, s.other = s.items[:n], s.other[:n]
}

// trim lets memory go that is for more than n items.
func (s *sorter) trim(n int) {
	if cap(s.items) > n {
		*s = sorter{}
	}
}

// byKey appends the groups of t to dst in the order of their key bytes.
func (s *sorter) byKey(t *table, dst []uint32) []uint32 {
	n := t.len()
	if n == 0 {
		return dst
	}
	// All keys begin alike as a rule; what tells them apart is behind that.
	head := t.key(0)
	for g := 1; g < n && len(head) > 0; g++ {
		k := t.key(uint32(g))
		if !bytes.HasPrefix(k, head) {
			head = head[:common(head, k)]
		}
	}
	s.room(n)
	for g := range s.items {
		s.items[g] = item{word(t.key(uint32(g))[len(head):]), uint32(g)}
	}
	s.radix()
	// Keys with the same word differ behind it, or in length.
	items := s.items
	for from := 0; from < n; {
		to := from + 1
		for to < n && items[to].word == items[from].word {
			to++
		}
		if to-from > 1 {
			slices.SortFunc(items[from:to], func(a, b item) int { return bytes.Compare(t.key(a.group), t.key(b.group)) })
		}
		from = to
	}
	return appendGroups(dst, items)
}

// keyRun says that the groups of an order up to but not including to, from where the run before ends, are of one key
// group.
type keyRun struct {
	group uint8
	to    uint32
}

// byHash appends the groups of t to dst in the order of (hash, key bytes), and the runs of that order to runs.
func (s *sorter) byHash(t *table, dst []uint32, runs []keyRun) ([]uint32, []keyRun) {
	s.sortByHash(t)
	for i := range s.items {
		if group := uint8(s.items[i].word >> 56); i == 0 || group != runs[len(runs)-1].group {
			runs = append(runs, keyRun{group: group})
		}
		runs[len(runs)-1].to = uint32(i + 1)
	}
	return appendGroups(dst, s.items), runs
}

func (s *sorter) sortByHash(t *table) {
	n := t.len()
	s.room(n)
	// First by the top byte, which cuts a large table into pieces that the cache holds; each by the next three bytes.
	if n < radixFrom {
		for g := range s.items {
			s.items[g] = item{t.entries[g].hash, uint32(g)}
		}
		s.sortHashed(t, s.items)
		return
	}
	var at [257]uint32
	for g := 0; g < n; g++ {
		at[t.entries[g].hash>>56+1]++
	}
	for b := 1; b < len(at); b++ {
		at[b] += at[b-1]
	}
	ends := at
	for g := 0; g < n; g++ {
		h := t.entries[g].hash
		k := &ends[h>>56]
		s.items[*k] = item{h, uint32(g)}
		*k++
	}
	for b := 0; b < 256; b++ {
		part, other := s.items[at[b]:at[b+1]], s.other[at[b]:at[b+1]]
		if len(part) >= radixFrom {
			pass(part, other, 32)
			pass(other, part, 40)
			pass(part, other, 48)
			copy(part, other)
		}
		s.sortHashed(t, part)
	}
}

// sortHashed puts items in the order of (hash, key bytes), fast when they are nearly so.
func (s *sorter) sortHashed(t *table, items []item) {
	less := func(a, b item) int {
		if c := cmp.Compare(a.word, b.word); c != 0 {
			return c
		}
		return bytes.Compare(t.key(a.group), t.key(b.group))
	}
	if len(items) < radixFrom {
		slices.SortFunc(items, less)
		return
	}
	for i := 1; i < len(items); i++ {
		for k := i; k > 0 && items[k].word <= items[k-1].word && less(items[k], items[k-1]) < 0; k-- {
			items[k], items[k-1] = items[k-1], items[k]
		}
	}
}

// radix sorts the items by word; equal ones keep their order.
func (s *sorter) radix() {
	if len(s.items) < radixFrom {
		slices.SortStableFunc(s.items, func(a, b item) int { return cmp.Compare(a.word, b.word) })
		return
	}
	var differ uint64
	for _, it := range s.items {
		differ |= it.word ^ s.items[0].word
	}
	for shift := uint(0); shift < 64; shift += 8 {
		if differ>>shift&0xff != 0 {
			pass(s.items, s.other, shift)
			s.items, s.other = s.other, s.items
		}
	}
}

// pass copies from to to, ordered by the byte of the word that begins at bit shift; equal ones keep their order.
func pass(from, to []item, shift uint) {
	var at [256]uint32
	for i := range from {
		at[byte(from[i].word>>shift)]++
	}
	sum := uint32(0)
	for b := range at {
		at[b], sum = sum, sum+at[b]
	}
	for _, it := range from {
		k := &at[byte(it.word>>shift)]
		to[*k] = it
		*k++
	}
}

func appendGroups(dst []uint32, items []item) []uint32 {
	dst = slices.Grow(dst, len(items))
	for i := range items {
		dst = append(dst, items[i].group)
	}
	return dst
}

// common is the length of the longest common beginning.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	for i := 0; i < n; i++ {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// word is the first eight bytes, zeros where there are fewer: in the order of bytes.Compare but for ties.
func word(b []byte) uint64 {
	if len(b) >= 8 {
		return uint64(b[7]) | uint64(b[6])<<8 | uint64(b[5])<<16 | uint64(b[4])<<24 |
			uint64(b[3])<<32 | uint64(b[2])<<40 | uint64(b[1])<<48 | uint64(b[0])<<56
	}
	var w uint64
	for i, c := range b {
		w |= uint64(c) << (56 - 8*i)
	}
	return w
}
