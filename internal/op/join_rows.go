package op

import (
	"encoding/binary"

	"ubik/internal/vec"
)

// joinRow is a stored row, from its first byte to the end of its page:
//
//	 0  8  its time
//	 8  4  the cell of its key
//	12  4  settled: the next later row of the key and side; of the latest, the earliest
//	16  4  granules << 2 | matched << 1 | side
//	20     uvarint partition index, uvarint position
//	…      the columns, packed: see rowLayout
//
// Words are little-endian.
type joinRow []byte

const (
	fixedBytes = 20
	noRow      = noCell
)

func (r joinRow) ts() vec.Time  { return vec.Time(binary.LittleEndian.Uint64(r)) }
func (r joinRow) key() uint32   { return binary.LittleEndian.Uint32(r[8:]) }
func (r joinRow) next() uint32  { return binary.LittleEndian.Uint32(r[12:]) }
func (r joinRow) meta() uint32  { return binary.LittleEndian.Uint32(r[16:]) }
func (r joinRow) size() int     { return int(r.meta()>>2) * granule }
func (r joinRow) side() int     { return int(r[16] & 1) }
func (r joinRow) matched() bool { return r[16]&2 != 0 }

func (r joinRow) setKey(key uint32)   { binary.LittleEndian.PutUint32(r[8:], key) }
func (r joinRow) setNext(next uint32) { binary.LittleEndian.PutUint32(r[12:], next) }
func (r joinRow) setMatched()         { r[16] |= 2 }

// origin is the row's record.
func (r joinRow) origin() Origin {
	o, _ := r.place()
	return o
}

// columns are the packed columns and what lies behind them.
func (r joinRow) columns() []byte {
	_, b := r.place()
	return b
}

func (r joinRow) place() (Origin, []byte) {
	b := r[fixedBytes:]
	part, n := uint64(b[0]), 1
	if part >= 0x80 {
		part, n = binary.Uvarint(b)
	}
	pos, k := binary.Uvarint(b[n:])
	return Origin{int32(part), int64(pos)}, b[n+k:]
}

// startRow makes a row up to its columns in the memory of dst; endRow completes it.
func startRow(dst []byte, side int, ts vec.Time, key uint32, o Origin) joinRow {
	dst = binary.LittleEndian.AppendUint64(dst[:0], uint64(ts))
	dst = binary.LittleEndian.AppendUint32(dst, key)
	dst = binary.LittleEndian.AppendUint32(dst, noRow)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(side))
	dst = binary.AppendUvarint(dst, uint64(o.Part))
	return binary.AppendUvarint(dst, uint64(o.Pos))
}

func endRow(r joinRow) joinRow {
	r = padded(r)
	n := len(r) / granule
	if n >= 1<<30 {
		panic("op: a stored row of 4 GiB")
	}
	binary.LittleEndian.PutUint32(r[16:], r.meta()&3|uint32(n)<<2)
	return r
}

func (s *pageStore) row(addr uint32) joinRow { return s.cell(addr) }

// ring is the settled rows of one side, in the order of their times.
type ring struct {
	store *pageStore
	pages []uint32
	front int // bytes of the first page whose rows are gone
}

// add copies a row behind the others.
func (g *ring) add(r joinRow) (addr uint32, copied joinRow) {
	n := len(g.pages)
	size := r.size()
	addr, cell := g.store.room(&g.pages, size)
	copy(cell, r[:size])
	if n == 1 && len(g.pages) == 2 && g.front == g.store.pages[g.pages[0]].fill {
		g.pop()
	}
	return addr, cell
}

// pop retires the first page.
func (g *ring) pop() {
	g.store.retire(g.pages[0])
	g.pages, g.front = g.pages[1:], 0
}

// first is the row in front, or noRow.
func (g *ring) first() uint32 {
	if len(g.pages) == 0 || g.front == g.store.pages[g.pages[0]].fill {
		return noRow
	}
	return g.pages[0]<<pageBits | uint32(g.front/granule)
}

// drop removes the row in front, which can be read until the store recycles.
func (g *ring) drop(r joinRow) {
	g.front += r.size()
	p := &g.store.pages[g.pages[0]]
	if g.front == p.fill && (len(g.pages) > 1 || len(p.b) > pageBytes) {
		g.pop()
	}
}

// each calls f for every row, in order, until it returns false.
func (g *ring) each(f func(addr uint32, r joinRow) bool) {
	from := g.front
	for _, id := range g.pages {
		if !g.store.rows(id, from, f) {
			return
		}
		from = 0
	}
}
