package op

import (
	"bytes"
	"cmp"
	"encoding/binary"

	"ubik/internal/vec"
)

// joinRow is a stored row, from its first byte to the end of its page:
//
//	 0  8  its time
//	 8  4  the cell of its key
//	12  4  settled: the next later row of the key and side; of the latest, the earliest
//	16  4  granules << 3 | placed << 2 | matched << 1 | side
//	20     its place: of a source's record uvarint partition index and uvarint position; placed, uvarint length and the bytes
//	…      the columns, packed: see rowLayout
//
// Words are little-endian.
type joinRow []byte

const (
	fixedBytes = 20
	noRow      = noCell

	rowMatched = 2
	rowPlaced  = 4
)

func (r joinRow) ts() vec.Time  { return vec.Time(binary.LittleEndian.Uint64(r)) }
func (r joinRow) key() uint32   { return binary.LittleEndian.Uint32(r[8:]) }
func (r joinRow) next() uint32  { return binary.LittleEndian.Uint32(r[12:]) }
func (r joinRow) meta() uint32  { return binary.LittleEndian.Uint32(r[16:]) }
func (r joinRow) size() int     { return int(r.meta()>>3) * granule }
func (r joinRow) side() int     { return int(r[16] & 1) }
func (r joinRow) matched() bool { return r[16]&rowMatched != 0 }
func (r joinRow) placed() bool  { return r[16]&rowPlaced != 0 }

func (r joinRow) setKey(key uint32)   { binary.LittleEndian.PutUint32(r[8:], key) }
func (r joinRow) setNext(next uint32) { binary.LittleEndian.PutUint32(r[12:], next) }
func (r joinRow) setMatched()         { r[16] |= rowMatched }

// record is the record that a row is, which is not placed, and what lies behind.
func (r joinRow) record() (Origin, []byte) {
	part, b := uvarint(r[fixedBytes:])
	pos, b := uvarint(b)
	return Origin{int32(part), int64(pos)}, b
}

// place is the place of a placed row, and what lies behind.
func (r joinRow) place() (place, rest []byte) {
	n, b := uvarint(r[fixedBytes:])
	return b[:n:n], b[n:]
}

// columns are the packed columns and what lies behind them.
func (r joinRow) columns() (b []byte) {
	if r.placed() {
		_, b = r.place()
	} else {
		_, b = r.record()
	}
	return b
}

// appendPlace appends the place of any row.
func (r joinRow) appendPlace(dst []byte) []byte {
	if r.placed() {
		place, _ := r.place()
		return append(dst, place...)
	}
	o, _ := r.record()
	return AppendPlace(dst, o)
}

// comparePlaces orders rows of one side by their places.
func comparePlaces(a, b joinRow) int {
	if a.placed() {
		x, _ := a.place()
		y, _ := b.place()
		return bytes.Compare(x, y)
	}
	x, _ := a.record()
	y, _ := b.record()
	if c := cmp.Compare(x.Part, y.Part); c != 0 {
		return c
	}
	return cmp.Compare(x.Pos, y.Pos)
}

// uvarint reads a number at the front of b, which is there.
func uvarint(b []byte) (uint64, []byte) {
	if b[0] < 0x80 {
		return uint64(b[0]), b[1:]
	}
	x, n := binary.Uvarint(b)
	return x, b[n:]
}

// startRow makes the beginning of a row in the memory of dst. Its place, of one of two kinds, and its columns follow; endRow
// completes it.
func startRow(dst joinRow, side int, ts vec.Time, key uint32) joinRow {
	dst = binary.LittleEndian.AppendUint64(dst[:0], uint64(ts))
	dst = binary.LittleEndian.AppendUint32(dst, key)
	dst = binary.LittleEndian.AppendUint32(dst, noRow)
	return binary.LittleEndian.AppendUint32(dst, uint32(side))
}

func (r joinRow) withRecord(o Origin) joinRow {
	return binary.AppendUvarint(binary.AppendUvarint(r, uint64(o.Part)), uint64(o.Pos))
}

func (r joinRow) withPlace(place []byte) joinRow {
	r[16] |= rowPlaced
	return append(binary.AppendUvarint(r, uint64(len(place))), place...)
}

func endRow(r joinRow) joinRow {
	r = padded(r)
	n := len(r) / granule
	if n >= 1<<29 {
		panic("op: a stored row of 2 GiB")
	}
	binary.LittleEndian.PutUint32(r[16:], r.meta()&7|uint32(n)<<3)
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
