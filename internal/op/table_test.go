package op

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zeebo/xxh3"

	"ubik/internal/vec"
)

// textBatch is rows with one text key.
func textBatch(keys []string) *Batch {
	b := &Batch{}
	v := vec.NewVector(vec.TypeOf(vec.Varchar))
	v.Resize(len(keys))
	for i, k := range keys {
		v.AppendBytes(i, []byte(k))
	}
	b.N, b.Cols = len(keys), []*vec.Vector{v}
	b.Keys.Build(b.Cols, b.N, nil)
	for i := range keys {
		b.Hash = append(b.Hash, xxh3.Hash(b.Keys.Key(i)))
	}
	return b
}

func randomKeys(r *rand.Rand, n, distinct int) []string {
	out := make([]string, n)
	kind := r.IntN(3)
	for i := range out {
		x := r.IntN(distinct)
		switch kind {
		case 0:
			out[i] = "merchant-" + string(binary.BigEndian.AppendUint32(nil, uint32(x)*2654435761))
		case 1:
			out[i] = string(bytes.Repeat([]byte{'a'}, x%40)) + string(rune('a'+x%7))
		default:
			out[i] = string(binary.AppendUvarint(nil, uint64(x)))
		}
	}
	return out
}

func TestTableGivesEachKeyOneGroup(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	var table table
	for round := 0; round < 30; round++ {
		table.reset()
		groups := map[string]uint32{}
		for range 5 {
			keys := randomKeys(r, 1+r.IntN(3000), 1+r.IntN(5000))
			b := textBatch(keys)
			var rows []int32
			for i := range keys {
				if r.IntN(3) > 0 {
					rows = append(rows, int32(i))
				}
			}
			got := make([]uint32, len(rows))
			table.find(&b.Keys, b.Hash, rows, got)
			for k, i := range rows {
				want, ok := groups[keys[i]]
				if !ok {
					want = uint32(len(groups))
					groups[keys[i]] = want
				}
				if got[k] != want || !bytes.Equal(table.key(want), b.Keys.Key(int(i))) {
					t.Fatalf("seed %d: key %q is of group %d, want %d", seed, keys[i], got[k], want)
				}
			}
		}
		if table.len() != len(groups) {
			t.Fatalf("seed %d: %d groups, want %d", seed, table.len(), len(groups))
		}
		checkOrder(t, seed, &table)
	}
}

// checkOrder compares the sorted orders with those of a plain sort.
func checkOrder(t *testing.T, seed uint64, table *table) {
	var s sorter
	want := make([]uint32, table.len())
	for g := range want {
		want[g] = uint32(g)
	}
	byKey := func(a, b uint32) int { return bytes.Compare(table.key(a), table.key(b)) }
	slices.SortFunc(want, byKey)
	if !slices.Equal(s.byKey(table, nil), want) {
		t.Fatalf("seed %d: %d groups out of order by key", seed, table.len())
	}
	slices.SortFunc(want, func(a, b uint32) int {
		switch x, y := table.entries[a].hash, table.entries[b].hash; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return byKey(a, b)
	})
	got, runs := s.byHash(table, nil, nil)
	from := uint32(0)
	for i, r := range runs {
		for _, g := range got[from:r.to] {
			if uint8(table.entries[g].hash>>56) != r.group || i > 0 && runs[i-1].group >= r.group {
				t.Fatalf("seed %d: group %d is in the run of key group %d", seed, g, r.group)
			}
		}
		from = r.to
	}
	if !slices.Equal(got, want) || int(from) != len(got) {
		t.Fatalf("seed %d: %d groups out of order by hash", seed, table.len())
	}
}

func TestKeysWithOneHashAreKeptApart(t *testing.T) {
	var table table
	r := rand.New(rand.NewPCG(3, 3))
	for i := range uint32(2000) {
		h := uint64(i%3)<<56 | uint64(i%2) // few hashes, some with the same tag and slot
		key := binary.BigEndian.AppendUint32(nil, i*2654435761)
		if g := table.add(h, key); g != i {
			t.Fatalf("key %d got group %d", i, g)
		}
		if j := r.Uint32N(i + 1); table.add(uint64(j%3)<<56|uint64(j%2), binary.BigEndian.AppendUint32(nil, j*2654435761)) != j {
			t.Fatalf("key %d is not found again", j)
		}
	}
	checkOrder(t, 0, &table)
}

func TestATableThatHeldLittleIsCheapToClear(t *testing.T) {
	var table table
	for i := range uint64(10000) {
		table.add(xxh3.Hash(binary.BigEndian.AppendUint64(nil, i)), binary.BigEndian.AppendUint64(nil, i))
	}
	for range 20 {
		table.reset()
		table.add(1, []byte{1})
	}
	if n := len(table.slots); n > 64 {
		t.Fatalf("%d slots to clear for one key", n)
	}
}
