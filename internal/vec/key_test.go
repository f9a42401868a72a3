package vec

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ubik/internal/exact"
)

// row is a pair of values, in the plainest form: nil, or what the column holds.
type row [2]any

func compare(a, b any) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1 // NULLs last
	case b == nil:
		return -1
	}
	switch x := a.(type) {
	case bool:
		y := b.(bool)
		switch {
		case x == y:
			return 0
		case !x:
			return -1
		}
		return 1
	case int64:
		y := b.(int64)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	case exact.Int128:
		return x.Cmp(b.(exact.Int128))
	case float64:
		y := b.(float64)
		switch {
		case x != x && y != y, x == y:
			return 0
		case x != x:
			return 1
		case y != y || x < y:
			return -1
		}
		return 1
	}
	return strings.Compare(a.(string), b.(string))
}

func put(v *Vector, i int, x any) {
	switch x := x.(type) {
	case nil:
		v.SetNull(i)
	case bool:
		v.Bools[i] = x
	case int64:
		v.I64[i] = x
	case exact.Int128:
		v.I128[i] = x
	case float64:
		v.F64[i] = x
	case string:
		v.AppendBytes(i, []byte(x))
	}
}

func get(v *Vector, i int) any {
	if v.IsNull(i) {
		return nil
	}
	switch v.Type.Phys() {
	case PhysBool:
		return v.Bools[i]
	case PhysI64:
		return v.I64[i]
	case PhysI128:
		return v.I128[i]
	case PhysF64:
		return v.F64[i]
	}
	return string(v.Bytes(i))
}

var pools = map[Kind][]any{
	Bool:    {nil, false, true},
	Int64:   {nil, int64(0), int64(-1), int64(1), int64(math.MinInt64), int64(math.MaxInt64), int64(255), int64(256)},
	HugeInt: {nil, exact.Int128{}, exact.FromInt64(-1), exact.FromInt64(7), exact.Int128{Hi: math.MinInt64}, exact.Int128{Hi: math.MaxInt64, Lo: math.MaxUint64}, exact.Int128{Lo: math.MaxUint64}},
	Double:  {nil, 0.0, math.Copysign(0, -1), 1.5, -1.5, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64},
	Varchar: {nil, "", "a", "a\x00", "a\x00b", "\x00", "\x00\x00", "\x00\xff", "ab", "\xff", "b", "a\x01"},
}

func TestKeyBytesOrderAsSQLAndEqualKeysHaveEqualBytes(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	kinds := []Kind{Bool, Int64, HugeInt, Double, Varchar}
	for range 200 {
		ka, kb := kinds[rng.IntN(len(kinds))], kinds[rng.IntN(len(kinds))]
		const n = 40
		a, b := NewVector(TypeOf(ka)), NewVector(TypeOf(kb))
		a.Resize(n)
		b.Resize(n)
		rows := make([]row, n)
		for i := range rows {
			rows[i] = row{pools[ka][rng.IntN(len(pools[ka]))], pools[kb][rng.IntN(len(pools[kb]))]}
			put(a, i, rows[i][0])
			put(b, i, rows[i][1])
		}
		var k KeyBuilder
		k.Build([]*Vector{a, b}, n, nil)
		for i := range rows {
			for j := range rows {
				want := compare(rows[i][0], rows[j][0])
				if want == 0 {
					want = compare(rows[i][1], rows[j][1])
				}
				if got := bytes.Compare(k.Key(i), k.Key(j)); got != want {
					t.Fatalf("seed %d: %v against %v: keys compare %d, values %d", seed, rows[i], rows[j], got, want)
				}
			}
			backA, backB := NewVector(TypeOf(ka)), NewVector(TypeOf(kb))
			backA.Resize(1)
			backB.Resize(1)
			rest, err := DecodeKey(k.Key(i), backA, 0, false)
			if err == nil {
				rest, err = DecodeKey(rest, backB, 0, true)
			}
			if err != nil || len(rest) != 0 || compare(get(backA, 0), rows[i][0]) != 0 || compare(get(backB, 0), rows[i][1]) != 0 {
				t.Fatalf("seed %d: %v decodes to %v, %v (rest %q, error %v)", seed, rows[i], get(backA, 0), get(backB, 0), rest, err)
			}
		}
	}
}

func TestKeyBuilderBuildsOnlySelectedRows(t *testing.T) {
	v := NewVector(TypeOf(Int64))
	v.Resize(4)
	copy(v.I64, []int64{1, 2, 3, 4})
	var k KeyBuilder
	k.Build([]*Vector{v}, 4, []int32{1, 3})
	if want := 2 * 9; len(k.Arena) != want {
		t.Errorf("two rows of nine key bytes: got %d bytes", len(k.Arena))
	}
	if bytes.Compare(k.Key(1), k.Key(3)) >= 0 {
		t.Error("2 does not order before 4")
	}
}

func FuzzDecodeKey(f *testing.F) {
	f.Add([]byte{1, 'a', 0, 0, 1, 0x80, 0, 0, 0, 0, 0, 0, 7})
	f.Add([]byte{2, 2})
	f.Fuzz(func(t *testing.T, key []byte) {
		a, b := NewVector(TypeOf(Varchar)), NewVector(TypeOf(Int64))
		a.Resize(1)
		b.Resize(1)
		rest, err := DecodeKey(key, a, 0, false)
		if err == nil {
			rest, err = DecodeKey(rest, b, 0, true)
		}
		if err != nil || len(rest) > 0 {
			return
		}
		again := AppendKey(AppendKey(nil, a, 0, false), b, 0, true)
		if !slices.Equal(again, key) {
			t.Fatalf("%x decodes, but is written %x", key, again)
		}
	})
}

func FuzzKeyOrder(f *testing.F) {
	f.Add("a", int64(1), 0.0, "a\x00", int64(-1), math.Copysign(0, -1), uint8(0))
	f.Add("", int64(0), math.NaN(), "\x00", int64(0), math.Inf(1), uint8(0b010_001))
	f.Fuzz(func(t *testing.T, s1 string, i1 int64, f1 float64, s2 string, i2 int64, f2 float64, nulls uint8) {
		a := [3]any{s1, i1, f1}
		b := [3]any{s2, i2, f2}
		cols := []*Vector{NewVector(TypeOf(Varchar)), NewVector(TypeOf(Int64)), NewVector(TypeOf(Double))}
		want := 0
		for c, v := range cols {
			if nulls&(1<<c) != 0 {
				a[c] = nil
			}
			if nulls&(8<<c) != 0 {
				b[c] = nil
			}
			v.Resize(2)
			put(v, 0, a[c])
			put(v, 1, b[c])
			if want == 0 {
				want = compare(a[c], b[c])
			}
		}
		var k KeyBuilder
		k.Build(cols, 2, nil)
		if got := bytes.Compare(k.Key(0), k.Key(1)); got != want {
			t.Fatalf("%v against %v: keys compare %d, values %d", a, b, got, want)
		}
	})
}
