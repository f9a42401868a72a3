package op

import (
	"encoding/binary"
)

// joinKey is a key, from its first byte to the end of its page:
//
//	 0  4  the low half of its hash
//	 4  4  its rows; 0: the cell is a gap
//	 8  4  the latest of its settled left rows, noRow; in a gap, the next one
//	12  4  the latest of its settled right rows, noRow
//	16     uvarint length of the key bytes << 1 | some column is NULL, so that it matches nothing
//	…      the key bytes
type joinKey []byte

const joinKeyBytes = 16

func (k joinKey) hash() uint32         { return binary.LittleEndian.Uint32(k) }
func (k joinKey) rows() uint32         { return binary.LittleEndian.Uint32(k[4:]) }
func (k joinKey) last(side int) uint32 { return binary.LittleEndian.Uint32(k[8+4*side:]) }
func (k joinKey) null() bool           { return k[joinKeyBytes]&1 != 0 }

func (k joinKey) setHash(h uint32)              { binary.LittleEndian.PutUint32(k, h) }
func (k joinKey) setRows(n uint32)              { binary.LittleEndian.PutUint32(k[4:], n) }
func (k joinKey) setLast(side int, addr uint32) { binary.LittleEndian.PutUint32(k[8+4*side:], addr) }
func (k joinKey) setNull()                      { k[joinKeyBytes] |= 1 }

// text is the key bytes, lent.
func (k joinKey) text() []byte {
	b := k[joinKeyBytes:]
	if size := int(b[0]); size < 0x80 {
		return b[1 : 1+size>>1 : 1+size>>1]
	}
	size, n := binary.Uvarint(b)
	end := n + int(size>>1)
	return b[n:end:end]
}

// keyCell is the size of the cell for key bytes of a length.
func keyCell(length int) int {
	n := joinKeyBytes + 1 + length
	for size := length << 1 >> 7; size > 0; size >>= 7 {
		n++
	}
	return (n + granule - 1) / granule * granule
}

// make writes a key with one row to a cell, a gap if there is one of its length.
func (k *joinKeys) make(hash uint32, text []byte) uint32 {
	size := keyCell(len(text))
	var addr uint32
	var cell []byte
	switch class := size / granule; {
	case size > largeCell:
		addr, cell = k.store.room(&[]uint32{}, size)
	case class < len(k.gaps) && k.gaps[class] != noCell:
		addr = k.gaps[class]
		cell = k.at(addr)
		k.gaps[class] = joinKey(cell).last(0)
		k.used += size
	default:
		addr, cell = k.store.room(&k.pages, size)
		k.used += size
	}
	key := joinKey(cell)
	key.setHash(hash)
	key.setRows(1)
	key.setLast(0, noRow)
	key.setLast(1, noRow)
	n := binary.PutUvarint(key[joinKeyBytes:], uint64(len(text))<<1)
	copy(key[joinKeyBytes+n:], text)
	return addr
}

// drop makes a gap of a cell, or lets its page go.
func (k *joinKeys) drop(addr uint32) {
	key := k.at(addr)
	size := keyCell(len(key.text()))
	if size > largeCell {
		k.store.retire(addr >> pageBits)
		return
	}
	class := size / granule
	for len(k.gaps) <= class {
		k.gaps = append(k.gaps, noCell)
	}
	key.setLast(0, k.gaps[class])
	k.gaps[class] = addr
	k.used -= size
}

// sparse reports whether tidy is worth its while.
func (k *joinKeys) sparse() bool {
	return k.n == 0 && len(k.pages) > 0 || len(k.pages) > pagesTidied && k.used < len(k.pages)*pageBytes/2
}

// tidy moves the keys of all stored rows together. each calls a function for every stored row.
func (k *joinKeys) tidy(each func(f func(id uint32, r joinRow))) {
	old := k.pages
	k.pages, k.gaps, k.used = nil, k.gaps[:0], 0
	if k.n == 0 {
		k.resize(slotsMin)
	} else {
		each(k.move)
	}
	k.store.giveAll(&old)
}

// move takes a row's key to a new cell, or the row to where its key has gone: that is named as last left row of the old
// cell, with no rows.
func (k *joinKeys) move(_ uint32, r joinRow) {
	addr := r.key()
	key := k.at(addr)
	size := keyCell(len(key.text()))
	if size > largeCell {
		return
	}
	if key.rows() > 0 {
		i := k.slot(addr)
		to, cell := k.store.room(&k.pages, size)
		copy(cell, key[:size])
		k.used += size
		k.slots[i] = k.slots[i]&^half | uint64(to+1)
		key.setRows(0)
		key.setLast(0, to)
	}
	r.setKey(key.last(0))
}
