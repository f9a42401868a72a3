package op

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"ubik/internal/exact"
	"ubik/internal/vec"
)

// append appends row i of the columns as the state has them: what freeze makes of packed ones.
func (l *rowLayout) append(dst []byte, cols []*vec.Vector, i int) []byte {
	bits := len(dst)
	for range (len(cols) + 7) / 8 {
		dst = append(dst, 0)
	}
	for c, v := range cols {
		phys := l.types[c].Phys()
		if phys == vec.PhysNone || v.Type.Phys() == vec.PhysNone || v.IsNull(i) {
			dst[bits+c/8] |= 1 << (c % 8)
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
			x := uint64(v.I64[i])
			switch width(l.types[c]) {
			case 1:
				dst = append(dst, byte(x))
			case 2:
				dst = binary.LittleEndian.AppendUint16(dst, uint16(x))
			case 4:
				dst = binary.LittleEndian.AppendUint32(dst, uint32(x))
			default:
				dst = binary.LittleEndian.AppendUint64(dst, x)
			}
		case vec.PhysI128:
			dst = binary.LittleEndian.AppendUint64(dst, v.I128[i].Lo)
			dst = binary.LittleEndian.AppendUint64(dst, uint64(v.I128[i].Hi))
		case vec.PhysF64:
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v.F64[i]))
		case vec.PhysIval:
			x := v.Ivals[i]
			dst = binary.LittleEndian.AppendUint32(dst, uint32(x.Months))
			dst = binary.LittleEndian.AppendUint32(dst, uint32(x.Days))
			dst = binary.LittleEndian.AppendUint64(dst, uint64(x.Micros))
		case vec.PhysBytes:
			b := v.Bytes(i)
			dst = binary.AppendUvarint(dst, uint64(len(b)))
			dst = append(dst, b...)
		}
	}
	return dst
}

func TestPackedColumnsAreThoseOfTheState(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	kinds := []vec.Type{vec.TypeOf(vec.Bool), vec.TypeOf(vec.Int8), vec.TypeOf(vec.Int16), vec.TypeOf(vec.Int32), vec.TypeOf(vec.Int64),
		vec.TypeOf(vec.Date), vec.TypeOf(vec.TimeOfDay), vec.TypeOf(vec.Timestamp), vec.TypeOf(vec.TimestampTZ), vec.TypeOf(vec.HugeInt),
		vec.DecimalType(18, 2), vec.DecimalType(38, 2), vec.TypeOf(vec.Double), vec.TypeOf(vec.Interval), vec.TypeOf(vec.Varchar), vec.TypeOf(vec.Blob)}
	ints := []int64{0, 1, -1, 127, -128, 1 << 20, -1 << 40, math.MaxInt64, math.MinInt64, 1_767_225_600_000_000}
	texts := []string{"", "a", "abc", "abcdefgh", "an id that is longer than others", string(bytes.Repeat([]byte("x"), 400))}
	for range 300 {
		var types []vec.Type
		for range r.IntN(12) {
			types = append(types, kinds[r.IntN(len(kinds))])
		}
		l := newRowLayout(types)
		const rows = 300
		b := vec.NewBatch(types...)
		b.Resize(rows)
		into := vec.NewBatch(types...)
		into.Resize(rows)
		for i := range rows {
			ts := vec.Time(ints[r.IntN(len(ints))])
			for _, v := range b.Cols {
				x := ints[r.IntN(len(ints))] + r.Int64N(3)
				if r.IntN(8) == 0 {
					v.SetNull(i)
					continue
				}
				switch v.Type.Phys() {
				case vec.PhysBool:
					v.Bools[i] = x > 0
				case vec.PhysI64:
					v.I64[i] = x << (64 - 8*width(v.Type)) >> (64 - 8*width(v.Type))
				case vec.PhysI128:
					v.I128[i] = exact.Int128{Lo: uint64(x), Hi: x >> 63}
					if r.IntN(2) == 0 {
						v.I128[i].Hi = ints[r.IntN(len(ints))]
					}
				case vec.PhysF64:
					v.F64[i] = float64(x) / 3
				case vec.PhysIval:
					v.Ivals[i] = vec.IntervalValue{Months: int32(x), Days: -int32(x), Micros: x}
				case vec.PhysBytes:
					v.AppendBytes(i, []byte(texts[r.IntN(len(texts))]))
				}
			}
			// Often some columns are of the key, from one row to the next not the same ones.
			var key []byte
			for c, v := range b.Cols {
				if phys := v.Type.Phys(); (c+i/100)%2 == 0 && (phys == vec.PhysI64 || phys == vec.PhysBytes) {
					key = vec.AppendKey(key, v, i, r.IntN(2) == 0)
				}
			}
			var s pageStore
			k := joinKeys{store: &s}
			stored := k.at(k.add(1, key))
			want := l.append(nil, b.Cols, i)
			packed := l.pack(nil, b.Cols, i, ts, key)
			behind := append(bytes.Clone(packed), bytes.Repeat([]byte{0xFF}, r.IntN(2)*9)...)
			if got := l.freeze(nil, behind, ts, stored); !bytes.Equal(got, want) {
				t.Fatalf("seed %d: %v: frozen %x, want %x", seed, types, got, want)
			}
			l.unpack(behind, into.Cols, i, ts, stored)
			if got := l.append(nil, into.Cols, i); !bytes.Equal(got, want) {
				t.Fatalf("seed %d: %v: unpacked %x, want %x", seed, types, got, want)
			}
		}
	}
}

func TestWhatARowSharesWithItsKeyIsKeptOnce(t *testing.T) {
	n := settlements(Inner)
	l := newRowLayout(n.Columns[0])
	r := rand.New(rand.NewPCG(9, 9))
	b := settlementBatch(r, 0, 5_000_000, 100)
	for i := range b.N {
		// A byte for NULLs, three for the id, at most four for the amount, one for the time.
		if got := len(l.pack(nil, b.Cols[1:], i, b.Time[i], b.Keys.Key(i))); got > 9 {
			t.Fatalf("row %d takes %d bytes", i, got)
		}
	}
	one := newRowLayout([]vec.Type{vec.TypeOf(vec.Int64)})
	id := vec.NewVector(one.types[0])
	id.Resize(1)
	id.I64[0] = 1 << 60
	if got := len(one.pack(nil, []*vec.Vector{id}, 0, 0, vec.AppendKey(nil, id, 0, true))); got != 3 {
		t.Errorf("a number of the key takes %d bytes", got)
	}
}
