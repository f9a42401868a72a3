package jsonrec

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ubik/internal/codec"
	"ubik/internal/ubiktest/cells"
	"ubik/internal/vec"
)

// randomRecord is a record whose members, order, spacing and kinds vary a little or a lot with wild.
func randomRecord(rng *rand.Rand, wild int) []byte {
	odd := func() bool { return rng.IntN(100) < wild }
	values := map[string]func() string{
		"a": func() string { return []string{`"plain"`, `"käse"`, `"tab\t"`, `12`, `true`, `[1,2]`}[rng.IntN(6)] },
		"n": func() string { return fmt.Sprint(rng.Int64N(1 << (1 + rng.IntN(62)))) },
		"d": func() string { return fmt.Sprintf("%.*f", rng.IntN(4), rng.Float64()*1000-500) },
		"w": func() string { return fmt.Sprintf(`"%d.%d"`, rng.IntN(1e9), rng.IntN(1e9)) },
		"f": func() string { return fmt.Sprint(rng.NormFloat64()) },
		"t": func() string {
			return fmt.Sprintf(`"2026-01-%02dT%02d:%02d:%02d%s"`, 1+rng.IntN(28), rng.IntN(24), rng.IntN(60), rng.IntN(60),
				[]string{"Z", "", ".5Z", "+02:00"}[rng.IntN(4)])
		},
		"b": func() string { return []string{"true", "false", "0", `"yes"`}[rng.IntN(4)] },
		"j": func() string { return []string{"{}", "[]", `"x"`, "1.50", `{"a":[{}]}`}[rng.IntN(5)] },
		"o": func() string {
			return []string{`{"x":"q","p":{"y":7}}`, `{"x":"long text without end","p":{"y":-7}}`, `{"p":null}`, `{}`, `null`}[rng.IntN(5)]
		},
		"l": func() string { return []string{"[]", "[1, 2 ]", "[[],{}]", `["] ,"]`}[rng.IntN(4)] },
		"m": func() string {
			return []string{"{}", `{"a" : 1}`, `{"a":1,"b":{"a":2}}`, `{"\u0061b":"}"}`}[rng.IntN(4)]
		},
		"s":  func() string { return []string{`{"a":1}`, `{"a":[1, {"b":"x y"}]}`, `{ }`}[rng.IntN(3)] },
		"zz": func() string { return []string{`"unused"`, "1e5", "-0", "null", `[1,{"a":"b"}]`}[rng.IntN(5)] },
	}
	names := []string{"a", "n", "d", "w", "f", "t", "b", "j", "o", "l", "m", "s", "zz"}
	if odd() {
		rng.Shuffle(len(names), func(i, k int) { names[i], names[k] = names[k], names[i] })
	}
	var members []string
	for _, name := range names {
		value := values[name]()
		switch {
		case odd():
			continue
		case odd():
			value = "null"
		case odd():
			value = []string{`"12x"`, "nul", "[", "1.", "\"\x01\"", "1e400", `""`, "{}", "[]", `{"a":1,"\u0061":2}`}[rng.IntN(10)]
		}
		colon := `":`
		if odd() {
			colon = `" : `
		}
		members = append(members, `"`+name+colon+value)
	}
	return []byte("{" + strings.Join(members, ",") + "}")
}

func TestARecordGivesTheSameAloneAndInAnySequence(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		wild := []int{0, 1, 5, 30}[seed%4]
		cols := [][]codec.Column{manyColumns, fewColumns}[seed/4%2]
		dec := newDecoder(cols)
		for range 5 {
			var recs [][]byte
			for range 1 + rng.IntN(300) {
				recs = append(recs, randomRecord(rng, wild))
			}
			r := cells.Chunk(recs...)
			for i, got := range cells.Decode(dec, cols, r) {
				if want := decodeAlone(cols, recs[i]); !slices.Equal(got, want) {
					t.Fatalf("seed %d: %s\n in sequence %q\n alone       %q", seed, recs[i], got, want)
				}
			}
		}
	}
}

func TestRandomRecordsEqualTheNaiveReading(t *testing.T) {
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 2))
		rec := randomRecord(rng, []int{0, 2, 10}[seed%3])
		got := decodeAlone(manyColumns, rec)
		want, err := naiveRow(rec, manyColumns)
		if err != nil {
			want = []string{"!"}
			got[0] = got[0][:1]
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %s\n got  %q\n want %q", seed, rec, got, want)
		}
	}
}

func TestTheOrderOfNamesDoesNotMatter(t *testing.T) {
	members := []string{`"a":"x\n"`, `"n":-5`, `"d":1.25`, `"t":"2026-01-01T00:00:01Z"`, `"o":{"p":{"y":1,"q":[]},"x":"in"}`,
		`"zz":"unused"`, `"b":null`}
	dec := newDecoder(manyColumns)
	rng := rand.New(rand.NewPCG(3, 3))
	var recs [][]byte
	for range 500 {
		rng.Shuffle(len(members), func(i, k int) { members[i], members[k] = members[k], members[i] })
		recs = append(recs, []byte("{"+strings.Join(members, ",")+"}"))
	}
	want := []string{`"x\n"`, "-5", "125", "NULL", "NULL", "1767225601000000", "NULL", "NULL", "NULL", `"in"`, "1", "NULL", "NULL", "NULL", "NULL"}
	for i, got := range cells.Decode(dec, manyColumns, cells.Chunk(recs...)) {
		if !slices.Equal(got, want) {
			t.Fatalf("%s: got %q, want %q", recs[i], got, want)
		}
	}
}

func TestOptionalMembersAndNestingHaveShapes(t *testing.T) {
	recs := [][]byte{
		[]byte(`{"a":"x","n":1,"o":{"x":"y","p":{"y":3}}}`),
		[]byte(`{"a":"x","o":{"x":"y","p":{"y":3}}}`),
		[]byte(`{"a":"x","n":1,"o":{"x":"y"}}`),
		[]byte(`{"a":"x","n":1,"o":null,"zz":[1,[2]]}`),
		[]byte(`{"\u0061":"x", "n" : 1}`),
	}
	dec := newDecoder(manyColumns)
	cells.Decode(dec, manyColumns, cells.Chunk(slices.Concat(recs, recs)...))
	before := dec.number
	cells.Decode(dec, manyColumns, cells.Chunk(append(slices.Concat(recs, recs), make([]byte, wordSlack))...))
	if n := dec.number - before; n != 1 { // the last one, which is no record
		t.Fatalf("%d records of known shapes went to the general parser", n-1)
	}
}

func TestShapesThatNeverRepeatAreForgotten(t *testing.T) {
	dec := newDecoder(fewColumns)
	for chunk := range 40 {
		var recs [][]byte
		for i := range 100 {
			recs = append(recs, fmt.Appendf(nil, `{"k%d":1,"a":"x","l%d":{"z":2}}`, chunk*100+i, i))
		}
		for _, got := range cells.Decode(dec, fewColumns, cells.Chunk(recs...)) {
			if got[0] != `"x"` {
				t.Fatal(got)
			}
		}
		if len(dec.shapes.edges) > edgesMax {
			t.Fatalf("%d edges", len(dec.shapes.edges))
		}
	}
	// A steady shape is learned again afterwards.
	steady := slices.Repeat([][]byte{[]byte(`{"a":"x"}`)}, 2*pauseMax)
	cells.Decode(dec, fewColumns, cells.Chunk(steady...))
	if dec.shapes.hits < pauseMax/2 {
		t.Fatalf("only %d records were read by their shape", dec.shapes.hits)
	}
}

func TestDecodingAllocatesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var recs [][]byte
	for range 500 {
		recs = append(recs, nestedRecord(rng), flatRecord(rng), []byte(`{"a":"tab\t","f":1.2345678901234567890,"w":"1.5"}`),
			[]byte(`{"j":{"a": 1,"\u0062":[{"c":"d"}]},"l":[1, 2],"m":{"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0,"9":0,"10":0,"11":0,"12":0,"13":0}}`))
	}
	r := cells.Chunk(recs...)
	r.Data = slices.Grow(r.Data, 1<<17)
	size := len(r.Data)
	cols := slices.Concat(manyColumns, headline(), headline("payload", "after"))
	dec, out := newDecoder(cols), cells.Batch(cols)
	n := testing.AllocsPerRun(20, func() {
		r.Data = r.Data[:size]
		if bad := dec.Decode(r, out, nil); bad != nil {
			t.Fatal(bad)
		}
	})
	if n > 0 {
		t.Fatalf("%v allocations for %d records", n, len(recs))
	}
}

func TestAColumnMayBeTheWholeRecord(t *testing.T) {
	cols := []codec.Column{{Type: vec.TypeOf(vec.JSON)}, {Path: []string{"a"}, Type: vec.TypeOf(vec.Varchar)}}
	rec := []byte(` {"a":"x", "z":1} `)
	for _, got := range cells.Decode(newDecoder(cols), cols, cells.Chunk(rec, rec, rec)) {
		if !slices.Equal(got, []string{`"{\"a\":\"x\",\"z\":1}"`, `"x"`}) {
			t.Errorf("got %q", got)
		}
	}
}

func TestTextPointsIntoTheChunk(t *testing.T) {
	cols := []codec.Column{{Path: []string{"a"}, Type: vec.TypeOf(vec.Varchar)}, {Path: []string{"j"}, Type: vec.TypeOf(vec.JSON)}}
	r := cells.Chunk(`{"a":"plain","j":[1, 2]}`, `{"a":"es\u0063aped","j":"x"}`)
	whole := bytes.Clone(r.Data)
	out := cells.Batch(cols)
	if bad := newDecoder(cols).Decode(r, out, nil); bad != nil {
		t.Fatal(bad)
	}
	for _, v := range out.Cols {
		if &v.Arena[0] != &r.Data[0] || len(v.Arena) != len(r.Data) {
			t.Error("a text column has an arena of its own")
		}
	}
	if want := string(whole) + "[1,2]escaped"; string(r.Data) != want {
		t.Errorf("the chunk is %q, want %q", r.Data, want)
	}
	if s := out.Cols[0].Spans[0]; s != (vec.Span{Off: 6, Len: 5}) {
		t.Errorf("the span is %v", s)
	}
}
