package jsonrec

import (
	"slices"
	"strings"
	"testing"

	"ubik/internal/codec"
	"ubik/internal/expr"
	"ubik/internal/ubiktest/cells"
	"ubik/internal/vec"
)

var manyColumns = []codec.Column{
	{Path: []string{"a"}, Type: vec.TypeOf(vec.Varchar)},
	{Path: []string{"n"}, Type: vec.TypeOf(vec.Int64)},
	{Path: []string{"d"}, Type: vec.DecimalType(18, 2)},
	{Path: []string{"w"}, Type: vec.DecimalType(38, 10)},
	{Path: []string{"f"}, Type: vec.TypeOf(vec.Double)},
	{Path: []string{"t"}, Type: vec.TypeOf(vec.Timestamp)},
	{Path: []string{"b"}, Type: vec.TypeOf(vec.Bool)},
	{Path: []string{"j"}, Type: vec.TypeOf(vec.JSON)},
	{Path: []string{"h"}, Type: vec.TypeOf(vec.HugeInt)},
	{Path: []string{"o", "x"}, Type: vec.TypeOf(vec.Varchar)},
	{Path: []string{"o", "p", "y"}, Type: vec.TypeOf(vec.Int8)},
	{Path: []string{"l"}, Type: listType},
	{Path: []string{"m"}, Type: mapType},
	{Path: []string{"s"}, Type: structType},
	{Path: []string{"s"}, Type: vec.TypeOf(vec.JSON)},
}

var (
	listType   = vec.Type{Kind: vec.List, Fields: []vec.Field{{Type: vec.TypeOf(vec.Int64)}}}
	mapType    = vec.Type{Kind: vec.Map, Fields: []vec.Field{{Type: vec.TypeOf(vec.Varchar)}, {Type: vec.TypeOf(vec.Int64)}}}
	structType = vec.Type{Kind: vec.Struct, Fields: []vec.Field{{Name: "a", Type: vec.TypeOf(vec.Int64)}}}
)

// fewColumns has a node that is both read whole and looked into, and a path with two columns.
var fewColumns = []codec.Column{
	{Path: []string{"a"}, Type: vec.TypeOf(vec.Varchar)},
	{Path: []string{"o"}, Type: vec.TypeOf(vec.JSON)},
	{Path: []string{"o", "x"}, Type: vec.TypeOf(vec.Varchar)},
	{Path: []string{"d"}, Type: vec.DecimalType(4, 4)},
	{Path: []string{"n"}, Type: vec.TypeOf(vec.Int16)},
	{Path: []string{"n"}, Type: vec.TypeOf(vec.Varchar)},
	{Path: []string{"f"}, Type: vec.TypeOf(vec.Int32)},
}

// tails stand behind a record in the chunk: what a scanner would find that went on beyond the end.
var tails = []string{"\n", "0,", `":1}`, `}`, "\\u0041\"}"}

// FuzzScanner holds the decoder against the naive one, and the known shapes against the general parser: a record must
// give the same whatever was read before it and whatever stands behind it.
func FuzzScanner(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s[0]), []byte(s[1]))
	}
	f.Fuzz(func(t *testing.T, rec, other []byte) {
		for _, cols := range [][]codec.Column{manyColumns, fewColumns} {
			checkRecord(t, cols, rec, other)
		}
	})
}

func checkRecord(t *testing.T, cols []codec.Column, rec, other []byte) {
	t.Helper()
	alone := decodeAlone(cols, rec)
	want, err := naiveRow(rec, cols)
	if bad := strings.HasPrefix(alone[0], "!"); bad != (err != nil) {
		t.Fatalf("%q: got %q, want %q, %v", rec, alone, want, err)
	}
	if err == nil && !slices.Equal(alone, want) {
		t.Fatalf("%q: got %q, want %q", rec, alone, want)
	}
	wantOther := decodeAlone(cols, other)
	dec := newDecoder(cols)
	for _, tail := range tails {
		r := &codec.Records{}
		for i := range 6 {
			text := rec
			if i%2 == 1 {
				text = other
			}
			r.Spans = append(r.Spans, vec.Span{Off: uint32(len(r.Data)), Len: uint32(len(text))})
			r.Data = append(append(r.Data, text...), tail...)
		}
		for i, got := range cells.Decode(dec, cols, r) {
			want := alone
			if i%2 == 1 {
				want = wantOther
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%q and %q, then %q: record %d is %q, alone %q", rec, other, tail, i, got, want)
			}
		}
	}
}

// FuzzTime holds the cached reading of times against the full one.
func FuzzTime(f *testing.F) {
	for _, s := range []string{"2026-01-01T00:01:00Z", "2026-01-01 00:01:30.25", "2026-02-29T00:00:00Z", "2026-01-01T24:00:00",
		"2026-1-2 3:04+05:30", "2026-01-02T03:4Z:30", "0000-01-01T00:00:00Z", "2024-02-29T23:59:59.123456789Z"} {
		f.Add([]byte(s), []byte("2026-01-01T00:01:00Z"))
	}
	f.Fuzz(func(t *testing.T, text, before []byte) {
		var m minuteCache
		m.parse(before)
		for range 2 {
			if got, ok := m.parse(text); ok {
				if want, ok := expr.ParseTimestamp(text); !ok || got != want {
					t.Fatalf("%q after %q: got %d, want %d, %v", text, before, got, want, ok)
				}
			}
		}
	})
}

// seeds are pairs of records.
var seeds = [][2]string{
	{`{"a":"x","n":1,"d":1.5,"t":"2026-01-01T00:01:00Z"}`, `{"a":"yy","n":-22,"d":10.25,"t":"2026-01-01T00:01:59.999Z"}`},
	{`{"a":"\u00e9\ud83d\ude00\n","zz":[1,{"a":2}],"o":{"x":"q","p":{"y":7}}}`, `{"a":null,"o":null}`},
	{`{"o":{"x":1,"p":null},"b":true,"j":{"k":[1, 2]},"h":170141183460469231731687303715884105727}`, `{"o":{},"b":false,"j":null}`},
	{`{"a":1,"a":2}`, `{"z":1,"z":2}`},
	{`{"\u0061":"e","w":"1234567890123456789012345678.0123456789"}`, `{"w":1e-5,"f":1.5e300}`},
	{` { "a" : "x" , "n" : 1e2 } `, "{\"a\":\t\"x\",\r\n\"n\":1.0}"},
	{`{"a":"x",}`, `{"a":"x"}`},
	{`{"n":01}`, `{"n":9223372036854775807}`},
	{`{"f":NaN}`, `{"f":"NaN"}`},
	{`{"a":"\ud800"}`, `{"a":"\ud800\udc00"}`},
	{"{\"a\":\"\xff\"}", "{\"a\":\"\u00ff plain and long enough\"}"},
	{`[1]`, `{"n":1.5}`},
	{`{"o":[]}`, `{"o":{"x":[{}]}}`},
	{`{"d":12345678.125,"f":-0.0}`, `{"d":0.005,"f":123456789012345.5}`},
	{`{"zz":-`, `{"zz":-0.5e+7}`},
	{`{"zz":tru}`, `{"zz":true}`},
	{`{"n":123456789012345678}`, `{"n":12345678}`},
	{`{"f":2147483648}`, `{"f":-2147483648}`},
	{`{"j": [ 1.50 , "a \" [b" , {"c" : null} ], "l" :[ ], "m":{ }}`, `{"j":"a\u0062 c","s":{"a" :[ "\\" ]}}`},
	{`{"j":{"a":1,"b":{"a":2},"\u0061":3}}`, `{"j":[{"a":1},{"a":2}]}`},
	{`{"l":{"a":1}}`, `{"m":[1]}`},
	{`{"s":"x"}`, `{"l":7}`},
	{`{"j":{"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0,"9":0,"10":0,"11":0,"12":0,"13":0,"":0,"5":0}}`, `{"s":{"":{"":[{}]}},"o":{"":1,"":2}}`},
}
