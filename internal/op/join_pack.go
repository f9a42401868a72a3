package op

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"

	"ubik/internal/exact"
	"ubik/internal/vec"
)

// A stored row's columns as they are in memory. Most rows have small numbers, times near their own, and columns that are
// of the key as well, so they are kept in less than the state's form takes:
//
//	⌈n/8⌉ bytes  bit i set: column i is NULL
//	…            of each column not NULL:
//	               BOOLEAN 1 byte, DOUBLE 8, INTERVAL 16: months, days, µs
//	               else of an int64, a timestamp less the row's time: byte n ≤ 8 and the n bytes of it that say something,
//	               zigzag; or byte 9 and a byte k: it is that of the key bytes from k on
//	               HUGEINT and DECIMAL beyond 18 digits: likewise if it is an int64, else byte 16, low word, high word
//	               text: uvarint length << 1 and the bytes; or length << 1 | 1 and a byte k: the key bytes from k on
//
// It says nothing about where it ends.

const (
	packedInKey = 9
	packedWide  = 16

	keyReach = 256 // what a column shares with a key begins earlier, and is shorter
	keyTries = 64  // rows in which a column is looked for in the key in vain, one after the other, before it is given up
)

// keyHint is where in the key a column was found last.
type keyHint struct{ at, tries int }

// find returns where in key value is, or −1.
func (h *keyHint) find(key, value []byte) int {
	if h.tries == 0 {
		return -1
	}
	if end := h.at + len(value); end <= len(key) && string(key[h.at:end]) == string(value) {
		h.tries = keyTries
		return h.at
	}
	if at := bytes.Index(key[:min(len(key), 2*keyReach)], value); at >= 0 && at < keyReach {
		h.at, h.tries = at, keyTries
		return at
	}
	h.tries--
	return -1
}

func zigzag(x int64) uint64   { return uint64(x)<<1 ^ uint64(x>>63) }
func unzigzag(x uint64) int64 { return int64(x>>1) ^ -int64(x&1) }

// base is what is taken off the values of an int64 column of a row at ts.
func base(t vec.Type, ts vec.Time) int64 {
	if t.Kind == vec.Timestamp || t.Kind == vec.TimestampTZ {
		return int64(ts)
	}
	return 0
}

func packInt(dst []byte, x, base int64, h *keyHint, key []byte) []byte {
	z := zigzag(x - base)
	n := (bits.Len64(z) + 7) / 8
	if n > 2 && h.tries > 0 {
		var inKey [8]byte
		binary.BigEndian.PutUint64(inKey[:], uint64(x)^1<<63)
		if at := h.find(key, inKey[:]); at >= 0 {
			return append(dst, packedInKey, byte(at))
		}
	}
	dst = append(dst, byte(n))
	end := len(dst) + n
	return binary.LittleEndian.AppendUint64(dst, z)[:end]
}

// unpackInt returns the value at the front of b, which packInt wrote, and the bytes behind.
func unpackInt(b []byte, base int64, key []byte) (int64, []byte) {
	n := int(b[0])
	if n == packedInKey {
		return int64(binary.BigEndian.Uint64(key[b[1]:]) ^ 1<<63), b[2:]
	}
	b = b[1:]
	if len(b) >= 8 {
		z := binary.LittleEndian.Uint64(b) & (1<<(8*n) - 1)
		return unzigzag(z) + base, b[n:]
	}
	z := uint64(0)
	for i, c := range b[:n] {
		z |= uint64(c) << (8 * i)
	}
	return unzigzag(z) + base, b[n:]
}

// pack appends row i of the columns, of a row at ts with these key bytes.
func (l *rowLayout) pack(dst []byte, cols []*vec.Vector, i int, ts vec.Time, key []byte) []byte {
	nulls := len(dst)
	for range (len(cols) + 7) / 8 {
		dst = append(dst, 0)
	}
	for c, v := range cols {
		phys := l.types[c].Phys()
		if phys == vec.PhysNone || v.Type.Phys() == vec.PhysNone || v.IsNull(i) {
			dst[nulls+c/8] |= 1 << (c % 8)
			continue
		}
		switch phys {
		case vec.PhysBool:
			x := byte(0)
			if v.Bools[i] {
				x = 1
			}
			dst = append(dst, x)
		case vec.PhysI64:
			dst = packInt(dst, v.I64[i], base(l.types[c], ts), &l.hints[c], key)
		case vec.PhysI128:
			x := v.I128[i]
			if x.Hi == int64(x.Lo)>>63 {
				dst = packInt(dst, int64(x.Lo), 0, &keyHint{}, nil)
				continue
			}
			dst = binary.LittleEndian.AppendUint64(append(dst, packedWide), x.Lo)
			dst = binary.LittleEndian.AppendUint64(dst, uint64(x.Hi))
		case vec.PhysF64:
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v.F64[i]))
		case vec.PhysIval:
			dst = appendInterval(dst, v.Ivals[i])
		case vec.PhysBytes:
			b := v.Bytes(i)
			if h := &l.hints[c]; len(b) > 2 && len(b) < keyReach {
				if at := h.find(key, b); at >= 0 {
					dst = append(binary.AppendUvarint(dst, uint64(len(b))<<1|1), byte(at))
					continue
				}
			}
			dst = append(binary.AppendUvarint(dst, uint64(len(b))<<1), b...)
		}
	}
	return dst
}

func appendInterval(dst []byte, x vec.IntervalValue) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(x.Months))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(x.Days))
	return binary.LittleEndian.AppendUint64(dst, uint64(x.Micros))
}

// unpack stores packed columns as row i of cols.
func (l *rowLayout) unpack(b []byte, cols []*vec.Vector, i int, ts vec.Time, key joinKey) {
	nulls := b
	b = b[(len(cols)+7)/8:]
	text := key.text()
	for c, v := range cols {
		if nulls[c/8]&(1<<(c%8)) != 0 {
			v.SetNull(i)
			continue
		}
		switch t := l.types[c]; t.Phys() {
		case vec.PhysBool:
			v.Bools[i], b = b[0] != 0, b[1:]
		case vec.PhysI64:
			v.I64[i], b = unpackInt(b, base(t, ts), text)
		case vec.PhysI128:
			if b[0] == packedWide {
				v.I128[i] = exact.Int128{Lo: binary.LittleEndian.Uint64(b[1:]), Hi: int64(binary.LittleEndian.Uint64(b[9:]))}
				b = b[17:]
				continue
			}
			var x int64
			x, b = unpackInt(b, 0, nil)
			v.I128[i] = exact.Int128{Lo: uint64(x), Hi: x >> 63}
		case vec.PhysF64:
			v.F64[i], b = math.Float64frombits(binary.LittleEndian.Uint64(b)), b[8:]
		case vec.PhysIval:
			v.Ivals[i] = vec.IntervalValue{Months: int32(binary.LittleEndian.Uint32(b)),
				Days: int32(binary.LittleEndian.Uint32(b[4:])), Micros: int64(binary.LittleEndian.Uint64(b[8:]))}
			b = b[16:]
		case vec.PhysBytes:
			size, n := binary.Uvarint(b)
			b = b[n:]
			if size&1 != 0 {
				v.AppendBytes(i, text[b[0]:][:size>>1])
				b = b[1:]
				continue
			}
			v.AppendBytes(i, b[:size>>1])
			b = b[size>>1:]
		}
	}
}

// freeze appends packed columns as the state has them.
func (l *rowLayout) freeze(dst []byte, b []byte, ts vec.Time, key joinKey) []byte {
	n := (len(l.types) + 7) / 8
	nulls := b
	dst, b = append(dst, b[:n]...), b[n:]
	text := key.text()
	for c, t := range l.types {
		if nulls[c/8]&(1<<(c%8)) != 0 {
			continue
		}
		switch t.Phys() {
		case vec.PhysBool:
			dst, b = append(dst, b[0]), b[1:]
		case vec.PhysI64:
			var x int64
			x, b = unpackInt(b, base(t, ts), text)
			end := len(dst) + width(t)
			dst = binary.LittleEndian.AppendUint64(dst, uint64(x))[:end]
		case vec.PhysI128:
			if b[0] == packedWide {
				dst, b = append(dst, b[1:17]...), b[17:]
				continue
			}
			var x int64
			x, b = unpackInt(b, 0, nil)
			dst = binary.LittleEndian.AppendUint64(dst, uint64(x))
			dst = binary.LittleEndian.AppendUint64(dst, uint64(x>>63))
		case vec.PhysF64:
			dst, b = append(dst, b[:8]...), b[8:]
		case vec.PhysIval:
			dst, b = append(dst, b[:16]...), b[16:]
		case vec.PhysBytes:
			size, n := binary.Uvarint(b)
			dst, b = binary.AppendUvarint(dst, size>>1), b[n:]
			if size&1 != 0 {
				dst, b = append(dst, text[b[0]:][:size>>1]...), b[1:]
				continue
			}
			dst, b = append(dst, b[:size>>1]...), b[size>>1:]
		}
	}
	return dst
}
