package vec

import (
	"math/rand/v2"
	"testing"
)

// A gathered row equals its original by its key bytes, which tell all values apart, and outlives it.
func TestGatherCopiesTheRowsOfASelection(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, typ := range []Type{TypeOf(Bool), TypeOf(Int64), TypeOf(HugeInt), TypeOf(Double), TypeOf(Varchar), TypeOf(Timestamp)} {
		src, dst := NewVector(typ), NewVector(typ)
		for round := range 20 {
			n := rng.IntN(50)
			src.Resize(n)
			src.Arena = src.Arena[:0]
			for i := range n {
				switch typ.Phys() {
				case PhysBool:
					src.Bools[i] = rng.IntN(2) == 0
				case PhysI64:
					src.I64[i] = rng.Int64N(1000)
				case PhysI128:
					src.I128[i].Lo, src.I128[i].Hi = rng.Uint64(), rng.Int64N(9)
				case PhysF64:
					src.F64[i] = rng.NormFloat64()
				case PhysBytes:
					src.AppendBytes(i, make([]byte, rng.IntN(5)))
				}
				if rng.IntN(4) == 0 {
					src.SetNull(i)
				}
			}
			var sel []int32
			rows := n
			if round%2 == 0 {
				sel = []int32{}
				for i := range n {
					if rng.IntN(3) == 0 {
						sel = append(sel, int32(i))
					}
				}
				rows = len(sel)
			}
			var want []string
			for k := range rows {
				want = append(want, string(AppendKey(nil, src, at(sel, k), true)))
			}
			dst.Gather(src, sel, n)
			src.Resize(0)
			src.Arena = append(src.Arena[:0], 1, 2, 3, 4, 5, 6, 7)
			if dst.Len() != rows {
				t.Fatalf("%s: %d rows, want %d", typ, dst.Len(), rows)
			}
			for k := range rows {
				if got := string(AppendKey(nil, dst, k, true)); got != want[k] {
					t.Errorf("%s: row %d is %x, want %x", typ, k, got, want[k])
				}
			}
		}
	}
}
