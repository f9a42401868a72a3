package jsonrec

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ubik/internal/codec"
	"ubik/internal/exact"
	"ubik/internal/ubiktest/cells"
	"ubik/internal/vec"
)

// encodeOne writes the only row of a column of the type, set by set.
func encodeOne(t vec.Type, set func(v *vec.Vector)) string {
	b := vec.NewBatch(t)
	b.Resize(1)
	set(b.Cols[0])
	dst, _ := newEncoder([]vec.Field{{Name: "x", Type: t}}).AppendRows(nil, nil, b, nil)
	return string(dst)
}

func TestEachTypeIsWrittenInOneWay(t *testing.T) {
	i64 := func(x int64) func(*vec.Vector) { return func(v *vec.Vector) { v.I64[0] = x } }
	f64 := func(x float64) func(*vec.Vector) { return func(v *vec.Vector) { v.F64[0] = x } }
	i128 := func(x exact.Int128) func(*vec.Vector) { return func(v *vec.Vector) { v.I128[0] = x } }
	text := func(s string) func(*vec.Vector) { return func(v *vec.Vector) { v.AppendBytes(0, []byte(s)) } }
	for _, c := range []struct {
		typ  vec.Type
		set  func(*vec.Vector)
		want string
	}{
		{vec.TypeOf(vec.Null), func(*vec.Vector) {}, `null`},
		{vec.TypeOf(vec.Int64), func(v *vec.Vector) { v.SetNull(0) }, `null`},
		{vec.TypeOf(vec.Bool), func(v *vec.Vector) { v.Bools[0] = true }, `true`},
		{vec.TypeOf(vec.Bool), func(v *vec.Vector) { v.Bools[0] = false }, `false`},
		{vec.TypeOf(vec.Int64), i64(math.MinInt64), `-9223372036854775808`},
		{vec.TypeOf(vec.HugeInt), i128(exact.MaxInt128), `170141183460469231731687303715884105727`},
		{vec.DecimalType(18, 2), i64(1250), `12.50`},
		{vec.DecimalType(18, 2), i64(-5), `-0.05`},
		{vec.DecimalType(2, 2), i64(5), `0.05`},
		{vec.DecimalType(38, 10), i128(exact.FromInt64(1)), `0.0000000001`},
		{vec.DecimalType(5, 0), i64(7), `7`},
		{vec.TypeOf(vec.Double), f64(1), `1`},
		{vec.TypeOf(vec.Double), f64(0.1), `0.1`},
		{vec.TypeOf(vec.Double), f64(1e-7), `1e-7`},
		{vec.TypeOf(vec.Double), f64(1e21), `1e+21`},
		{vec.TypeOf(vec.Double), f64(math.Copysign(0, -1)), `0`},
		{vec.TypeOf(vec.Double), f64(math.NaN()), `"NaN"`},
		{vec.TypeOf(vec.Double), f64(math.Inf(1)), `"Infinity"`},
		{vec.TypeOf(vec.Double), f64(math.Inf(-1)), `"-Infinity"`},
		{vec.TypeOf(vec.Varchar), text("a\"b\\c/\b\f\n\r\t\x00\x1f\x7f<>&é\u2028😀 and then some more text\""),
			`"a\"b\\c/\b\f\n\r\t\u0000\u001f` + "\x7f<>&é\u2028😀" + ` and then some more text\""`},
		{vec.TypeOf(vec.Varchar), text(""), `""`},
		{vec.TypeOf(vec.JSON), text("{\"a\" : [1,\n\t\"b \\\" c\" ] }"), `{"a":[1,"b \" c"]}`},
		{vec.TypeOf(vec.JSON), text(`"a\u0062"`), `"a\u0062"`},
		{vec.TypeOf(vec.JSON), text("null"), `null`},
		{listType, text(`[1,2]`), `[1,2]`},
		{mapType, text(`{"a":1}`), `{"a":1}`},
		{structType, text(`{"a":1.50}`), `{"a":1.50}`},
		{structType, func(v *vec.Vector) { v.SetNull(0) }, `null`},
		{vec.TypeOf(vec.Blob), text("\x00\xff\n"), `"AP8K"`},
		{vec.TypeOf(vec.Timestamp), i64(1767225660000000), `"2026-01-01T00:01:00Z"`},
		{vec.TypeOf(vec.Timestamp), i64(1767225660120000), `"2026-01-01T00:01:00.120Z"`},
		{vec.TypeOf(vec.TimestampTZ), i64(1767225660000001), `"2026-01-01T00:01:00.000001Z"`},
		{vec.TypeOf(vec.Timestamp), i64(-1), `"1969-12-31T23:59:59.999999Z"`},
		{vec.TypeOf(vec.Timestamp), i64(int64(vec.MinTime)), `"0001-01-01T00:00:00Z"`},
		{vec.TypeOf(vec.Timestamp), i64(int64(vec.MaxTime) + 1), `"10000-01-01T00:00:00Z"`},
		{vec.TypeOf(vec.Timestamp), i64(int64(vec.MinTime - 400*366*vec.Day)), `"-0400-03-04T00:00:00Z"`},
		{vec.TypeOf(vec.Date), i64(20454), `"2026-01-01"`},
		{vec.TypeOf(vec.TimeOfDay), i64(43200000000), `"12:00:00"`},
		{vec.TypeOf(vec.TimeOfDay), i64(43200500000), `"12:00:00.500000"`},
		{vec.TypeOf(vec.Interval), func(v *vec.Vector) { v.Ivals[0] = vec.IntervalValue{Months: 14, Days: 3, Micros: 5500000} },
			`"1 year 2 months 3 days 00:00:05.5"`},
	} {
		if got := encodeOne(c.typ, c.set); got != `{"x":`+c.want+`}` {
			t.Errorf("%s: got %s, want %s", c.typ, got, c.want)
		}
	}
}

func TestRowsAreWrittenInSelectionOrderWithTheirEnds(t *testing.T) {
	fields := []vec.Field{{Name: "n", Type: vec.TypeOf(vec.Int64)}, {Name: `a "b"`, Type: vec.TypeOf(vec.Varchar)},
		{Name: "n", Type: vec.TypeOf(vec.Bool)}}
	b := vec.NewBatch(fields[0].Type, fields[1].Type, fields[2].Type)
	b.Resize(3)
	for i := range 3 {
		b.Cols[0].I64[i] = int64(i)
		b.Cols[1].AppendBytes(i, []byte{'r', '0' + byte(i)})
		b.Cols[2].Bools[i] = i == 2
	}
	enc := newEncoder(fields)
	dst, ends := enc.AppendRows([]byte("before"), []uint32{6}, b, []int32{0, 2})
	if want := `before{"n":0,"a \"b\"":"r0","n":false}{"n":2,"a \"b\"":"r2","n":true}`; string(dst) != want {
		t.Errorf("got  %s\nwant %s", dst, want)
	}
	if !slices.Equal(ends, []uint32{6, 38, uint32(len(dst))}) {
		t.Errorf("ends are %v", ends)
	}
	if dst, ends := enc.AppendRows(nil, nil, b, nil); len(ends) != 3 || int(ends[2]) != len(dst) {
		t.Errorf("all rows: ends are %v of %d", ends, len(dst))
	}
	if dst, _ := newEncoder(nil).AppendRows(nil, nil, b, []int32{1}); string(dst) != "{}" {
		t.Errorf("a row without columns is %s", dst)
	}
}

func TestDoublesAndTimesAreWrittenAsTheStandardLibraryDoes(t *testing.T) {
	const seed = 5
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 20000 {
		f := math.Float64frombits(rng.Uint64())
		if rng.IntN(2) == 0 {
			f = math.Trunc(rng.NormFloat64()*1e6) / 100
		}
		if f != f || math.IsInf(f, 0) || f == 0 {
			continue
		}
		want, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		if got := appendDouble(nil, f); !bytes.Equal(got, want) {
			t.Fatalf("seed %d: got %s, want %s", seed, got, want)
		}
		us := int64(vec.MinTime) + rng.Int64N(int64(vec.MaxTime-vec.MinTime))
		layout := `"2006-01-02T15:04:05.000000Z"`
		switch rng.IntN(3) {
		case 0:
			us -= us % 1000000
			layout = `"2006-01-02T15:04:05Z"`
		case 1:
			us -= us % 1000
			layout = `"2006-01-02T15:04:05.000Z"`
			if us%1000000 == 0 {
				continue
			}
		default:
			if us%1000 == 0 {
				continue
			}
		}
		if got, want := string(appendTimestamp(nil, us)), time.UnixMicro(us).UTC().Format(layout); got != want {
			t.Fatalf("seed %d: got %s, want %s", seed, got, want)
		}
	}
}

// TestOwnOutputReadsBack writes random rows of all types and reads them into the same columns.
func TestOwnOutputReadsBack(t *testing.T) {
	fields := []vec.Field{
		{Name: "bool", Type: vec.TypeOf(vec.Bool)}, {Name: "i8", Type: vec.TypeOf(vec.Int8)}, {Name: "i16", Type: vec.TypeOf(vec.Int16)},
		{Name: "i32", Type: vec.TypeOf(vec.Int32)}, {Name: "i64", Type: vec.TypeOf(vec.Int64)}, {Name: "huge", Type: vec.TypeOf(vec.HugeInt)},
		{Name: "dec", Type: vec.DecimalType(18, 2)}, {Name: "wide", Type: vec.DecimalType(38, 12)}, {Name: "only decimals", Type: vec.DecimalType(5, 5)},
		{Name: "double", Type: vec.TypeOf(vec.Double)}, {Name: "text\n\"é", Type: vec.TypeOf(vec.Varchar)}, {Name: "ts", Type: vec.TypeOf(vec.Timestamp)},
		{Name: "tz", Type: vec.TypeOf(vec.TimestampTZ)}, {Name: "date", Type: vec.TypeOf(vec.Date)}, {Name: "time", Type: vec.TypeOf(vec.TimeOfDay)},
		{Name: "interval", Type: vec.TypeOf(vec.Interval)}, {Name: "blob", Type: vec.TypeOf(vec.Blob)}, {Name: "json", Type: vec.TypeOf(vec.JSON)},
		{Name: "list", Type: listType}, {Name: "map", Type: mapType}, {Name: "struct", Type: structType},
	}
	var cols []codec.Column
	for _, f := range fields {
		cols = append(cols, codec.Column{Path: []string{f.Name}, Type: f.Type})
	}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 6))
		b := cells.Batch(cols)
		b.Resize(20)
		for _, v := range b.Cols {
			for i := range b.N {
				cells.SetRandom(rng, v, i)
				if rng.IntN(8) == 0 {
					v.SetNull(i)
				}
			}
		}
		enc := newEncoder(fields)
		r := &codec.Records{}
		var ends []uint32
		r.Data, ends = enc.AppendRows(nil, nil, b, nil)
		from := uint32(0)
		for _, end := range ends {
			if rec := r.Data[from:end]; !json.Valid(rec) {
				t.Fatalf("seed %d: not JSON: %s", seed, rec)
			}
			r.Spans = append(r.Spans, vec.Span{Off: from, Len: end - from})
			from = end
		}
		for i, got := range cells.Decode(newDecoder(cols), cols, r) {
			var want []string
			for _, v := range b.Cols {
				want = append(want, cells.Text(v, i))
			}
			if !slices.Equal(got, want) {
				s := r.Spans[i]
				t.Fatalf("seed %d: %s\n got  %q\n want %q", seed, r.Data[s.Off:s.Off+s.Len], got, want)
			}
		}
	}
}
