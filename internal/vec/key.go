package vec

import (
	"bytes"
	"encoding/binary"
	"math"

	"ubik/internal/exact"
)

// Key bytes: a group's values one behind the other, such that bytes.Compare orders as SQL does (ascending, NULLs
// last) and equal groups have equal bytes.
//
//	value    = 0x01 body, or 0x02 for NULL
//	I64      = 8 bytes big-endian, sign bit flipped      I128 = 16 bytes likewise
//	F64      = 8 bytes big-endian, sign flipped (≥ 0) or all bits flipped (< 0); −0.0 as 0.0, one NaN, greatest
//	Bool     = one byte
//	text     = the bytes as they are in the last column; else 0x00 as 0x00 0xFF, closed by 0x00 0x00

const (
	keyValue byte = 1
	keyNull  byte = 2
)

// KeyBuilder makes the key bytes of a batch's rows. It keeps its memory from batch to batch.
type KeyBuilder struct {
	Arena []byte // key bytes of all rows built
	Spans []Span // by row number; only selected rows are set
}

// Build fills the key bytes of the rows in sel (nil: all n rows) from the key columns.
func (k *KeyBuilder) Build(cols []*Vector, n int, sel []int32) {
	k.Arena = k.Arena[:0]
	k.Spans = grow(k.Spans, n)
	if sel == nil {
		for i := 0; i < n; i++ {
			k.row(cols, i)
		}
		return
	}
	for _, i := range sel {
		k.row(cols, int(i))
	}
}

func (k *KeyBuilder) row(cols []*Vector, i int) {
	off := len(k.Arena)
	for c, v := range cols {
		k.Arena = AppendKey(k.Arena, v, i, c == len(cols)-1)
	}
	k.Spans[i] = SpanTo(off, len(k.Arena))
}

// Key returns the key bytes of row i, lent until the next Build.
func (k *KeyBuilder) Key(i int) []byte {
	s := k.Spans[i]
	return k.Arena[s.Off : s.Off+s.Len : s.Off+s.Len]
}

// AppendKey appends the key bytes of row i of v; last says that nothing follows.
func AppendKey(dst []byte, v *Vector, i int, last bool) []byte {
	if v.IsNull(i) {
		return append(dst, keyNull)
	}
	dst = append(dst, keyValue)
	switch v.Type.Phys() {
	case PhysBool:
		if v.Bools[i] {
			return append(dst, 1)
		}
		return append(dst, 0)
	case PhysI64:
		return binary.BigEndian.AppendUint64(dst, uint64(v.I64[i])^1<<63)
	case PhysI128:
		x := v.I128[i]
		dst = binary.BigEndian.AppendUint64(dst, uint64(x.Hi)^1<<63)
		return binary.BigEndian.AppendUint64(dst, x.Lo)
	case PhysF64:
		return binary.BigEndian.AppendUint64(dst, orderedFloat(v.F64[i]))
	case PhysBytes:
		b := v.Bytes(i)
		if last {
			return append(dst, b...)
		}
		for {
			z := bytes.IndexByte(b, 0)
			if z < 0 {
				break
			}
			dst = append(append(dst, b[:z+1]...), 0xFF)
			b = b[z+1:]
		}
		return append(append(dst, b...), 0, 0)
	}
	panic("vec: a column of type " + v.Type.String() + " cannot be a key")
}

func orderedFloat(f float64) uint64 {
	if f != f {
		return math.MaxUint64
	}
	if f == 0 {
		return 1 << 63 // −0.0 is the same key as 0.0
	}
	u := math.Float64bits(f)
	if u>>63 == 1 {
		return ^u
	}
	return u | 1<<63
}

func unorderedFloat(u uint64) float64 {
	if u == math.MaxUint64 {
		return math.NaN()
	}
	if u>>63 == 1 {
		return math.Float64frombits(u &^ (1 << 63))
	}
	return math.Float64frombits(^u)
}

// DecodeKey stores the first value of the key bytes as row i of v and returns the rest. Text goes to v's own arena.
// It fails with ErrState on bytes that AppendKey cannot have written for the type.
func DecodeKey(key []byte, v *Vector, i int, last bool) ([]byte, error) {
	if len(key) == 0 {
		return nil, ErrState
	}
	tag, key := key[0], key[1:]
	if tag == keyNull {
		v.SetNull(i)
		return key, nil
	}
	if tag != keyValue {
		return nil, ErrState
	}
	switch v.Type.Phys() {
	case PhysBool:
		if len(key) < 1 || key[0] > 1 {
			return nil, ErrState
		}
		v.Bools[i] = key[0] == 1
		return key[1:], nil
	case PhysI64:
		if len(key) < 8 {
			return nil, ErrState
		}
		v.I64[i] = int64(binary.BigEndian.Uint64(key) ^ 1<<63)
		return key[8:], nil
	case PhysI128:
		if len(key) < 16 {
			return nil, ErrState
		}
		v.I128[i] = exact.Int128{Hi: int64(binary.BigEndian.Uint64(key) ^ 1<<63), Lo: binary.BigEndian.Uint64(key[8:])}
		return key[16:], nil
	case PhysF64:
		if len(key) < 8 {
			return nil, ErrState
		}
		v.F64[i] = unorderedFloat(binary.BigEndian.Uint64(key))
		return key[8:], nil
	case PhysBytes:
		if last {
			v.AppendBytes(i, key)
			return nil, nil
		}
		off := len(v.Arena)
		for {
			z := bytes.IndexByte(key, 0)
			if z < 0 || z+1 >= len(key) || key[z+1] != 0 && key[z+1] != 0xFF {
				return nil, ErrState
			}
			if key[z+1] == 0 {
				v.Arena = append(v.Arena, key[:z]...)
				v.Spans[i] = SpanTo(off, len(v.Arena))
				return key[z+2:], nil
			}
			v.Arena = append(v.Arena, key[:z+1]...)
			key = key[z+2:]
		}
	}
	return nil, ErrState
}
