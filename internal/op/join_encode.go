package op

import (
	"encoding/binary"
	"math"

	"ubik/internal/exact"
	"ubik/internal/vec"
)

// A row's columns in the state, frozen:
//
//	⌈n/8⌉ bytes  bit i set: column i is NULL; the bits behind the last are 0
//	…            of each column not NULL:
//	               BOOLEAN, TINYINT 1 byte, SMALLINT 2, INTEGER and DATE 4, else of an int64 8, little-endian
//	               HUGEINT and DECIMAL beyond 18 digits 16: low word, high word
//	               DOUBLE 8, INTERVAL 16: months, days, µs
//	               text: uvarint length and the bytes

// rowLayout encodes the columns of one side: for the state by freeze, for the store by pack.
type rowLayout struct {
	types []vec.Type
	hints []keyHint // by column
}

func newRowLayout(types []vec.Type) rowLayout {
	l := rowLayout{types: types, hints: make([]keyHint, len(types))}
	for i := range l.hints {
		l.hints[i].tries = keyTries
	}
	return l
}

// width is the number of bytes of a value that is kept in an int64.
func width(t vec.Type) int {
	switch t.Kind {
	case vec.Int8:
		return 1
	case vec.Int16:
		return 2
	case vec.Int32, vec.Date:
		return 4
	}
	return 8
}

// decode stores an encoded row as row i of the columns. The bytes have passed valid.
func (l *rowLayout) decode(b []byte, cols []*vec.Vector, i int) {
	bits := b
	b = b[(len(cols)+7)/8:]
	for c, v := range cols {
		if bits[c/8]&(1<<(c%8)) != 0 {
			v.SetNull(i)
			continue
		}
		switch v.Type.Phys() {
		case vec.PhysBool:
			v.Bools[i], b = b[0] != 0, b[1:]
		case vec.PhysI64:
			switch width(v.Type) {
			case 1:
				v.I64[i], b = int64(int8(b[0])), b[1:]
			case 2:
				v.I64[i], b = int64(int16(binary.LittleEndian.Uint16(b))), b[2:]
			case 4:
				v.I64[i], b = int64(int32(binary.LittleEndian.Uint32(b))), b[4:]
			default:
				v.I64[i], b = int64(binary.LittleEndian.Uint64(b)), b[8:]
			}
		case vec.PhysI128:
			v.I128[i] = exact.Int128{Lo: binary.LittleEndian.Uint64(b), Hi: int64(binary.LittleEndian.Uint64(b[8:]))}
			b = b[16:]
		case vec.PhysF64:
			v.F64[i], b = math.Float64frombits(binary.LittleEndian.Uint64(b)), b[8:]
		case vec.PhysIval:
			v.Ivals[i] = vec.IntervalValue{Months: int32(binary.LittleEndian.Uint32(b)),
				Days: int32(binary.LittleEndian.Uint32(b[4:])), Micros: int64(binary.LittleEndian.Uint64(b[8:]))}
			b = b[16:]
		case vec.PhysBytes:
			n, k := binary.Uvarint(b)
			v.AppendBytes(i, b[k:k+int(n)])
			b = b[k+int(n):]
		}
	}
}

// valid reports whether b is what append writes for some row of valid values. scratch is a batch of the types.
func (l *rowLayout) valid(b []byte, scratch *vec.Batch) bool {
	head := (len(l.types) + 7) / 8
	if len(b) < head {
		return false
	}
	bits, rest := b[:head], b[head:]
	if spare := len(l.types) % 8; spare != 0 && bits[head-1]>>spare != 0 {
		return false
	}
	for c, t := range l.types {
		null := bits[c/8]&(1<<(c%8)) != 0
		if null {
			continue
		}
		n := 0
		switch t.Phys() {
		case vec.PhysNone:
			return false
		case vec.PhysBool:
			if len(rest) > 0 && rest[0] > 1 {
				return false
			}
			n = 1
		case vec.PhysI64:
			n = width(t)
		case vec.PhysF64:
			n = 8
		case vec.PhysI128, vec.PhysIval:
			n = 16
		case vec.PhysBytes:
			size, k := binary.Uvarint(rest)
			if k <= 0 || size > uint64(len(rest)-k) || k > 1 && rest[k-1] == 0 {
				return false
			}
			n = k + int(size)
		}
		if len(rest) < n {
			return false
		}
		rest = rest[n:]
	}
	if len(rest) != 0 {
		return false
	}
	scratch.Resize(1)
	for _, v := range scratch.Cols {
		v.Arena = v.Arena[:0]
	}
	l.decode(b, scratch.Cols, 0)
	for _, v := range scratch.Cols {
		if !v.IsNull(0) && !vec.Valid(v, 0) {
			return false
		}
	}
	return true
}
