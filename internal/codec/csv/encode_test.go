package csvrec

import (
	"bytes"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ubik/internal/codec"
	"ubik/internal/exact"
	"ubik/internal/ubiktest/cells"
	"ubik/internal/vec"
)

// encodeOne writes the only row of a column of the type, set by set, with a number behind it.
func encodeOne(d Dialect, t vec.Type, set func(v *vec.Vector)) string {
	b := vec.NewBatch(t, vec.TypeOf(vec.Int64))
	b.Resize(1)
	set(b.Cols[0])
	b.Cols[1].I64[0] = 1
	dst, _ := newEncoder(d, []vec.Field{{Name: "x", Type: t}, {Name: "n", Type: vec.TypeOf(vec.Int64)}}).AppendRows(nil, nil, b, nil)
	return strings.TrimSuffix(string(dst), string(rune(d.Delimiter))+"1")
}

func TestEachTypeIsWrittenInOneWay(t *testing.T) {
	i64 := func(x int64) func(*vec.Vector) { return func(v *vec.Vector) { v.I64[0] = x } }
	f64 := func(x float64) func(*vec.Vector) { return func(v *vec.Vector) { v.F64[0] = x } }
	text := func(s string) func(*vec.Vector) { return func(v *vec.Vector) { v.AppendBytes(0, []byte(s)) } }
	for _, c := range []struct {
		typ  vec.Type
		set  func(*vec.Vector)
		want string
	}{
		{vec.TypeOf(vec.Null), func(*vec.Vector) {}, ``},
		{vec.TypeOf(vec.Int64), func(v *vec.Vector) { v.SetNull(0) }, ``},
		{vec.TypeOf(vec.Varchar), func(v *vec.Vector) { v.SetNull(0) }, ``},
		{vec.TypeOf(vec.Bool), func(v *vec.Vector) { v.Bools[0] = true }, `true`},
		{vec.TypeOf(vec.Int64), i64(math.MinInt64), `-9223372036854775808`},
		{vec.TypeOf(vec.HugeInt), func(v *vec.Vector) { v.I128[0] = exact.MaxInt128 }, `170141183460469231731687303715884105727`},
		{vec.DecimalType(18, 2), i64(1250), `12.50`},
		{vec.DecimalType(2, 2), i64(-5), `-0.05`},
		{vec.TypeOf(vec.Double), f64(1e21), `1e+21`},
		{vec.TypeOf(vec.Double), f64(math.NaN()), `NaN`},
		{vec.TypeOf(vec.Double), f64(math.Inf(-1)), `-Infinity`},
		{vec.TypeOf(vec.Timestamp), i64(1767225660120000), `2026-01-01T00:01:00.120Z`},
		{vec.TypeOf(vec.TimestampTZ), i64(1767225660000000), `2026-01-01T00:01:00Z`},
		{vec.TypeOf(vec.Date), i64(20454), `2026-01-01`},
		{vec.TypeOf(vec.TimeOfDay), i64(43200500000), `12:00:00.500000`},
		{vec.TypeOf(vec.Interval), func(v *vec.Vector) { v.Ivals[0] = vec.IntervalValue{Months: 14, Days: 3} }, `1 year 2 months 3 days`},
		{vec.TypeOf(vec.Blob), text("\x00\xff\n"), `AP8K`},
		{vec.TypeOf(vec.JSON), text("{\"a\" :\n[1, \"b\"]}"), `"{""a"":[1,""b""]}"`},
		{vec.TypeOf(vec.JSON), text(" 12 "), `12`},
		{listType, text(`[1]`), `[1]`},
		{vec.TypeOf(vec.Varchar), text("plain text, éclair"), `"plain text, éclair"`},
		{vec.TypeOf(vec.Varchar), text("plain text; éclair"), `plain text; éclair`},
		{vec.TypeOf(vec.Varchar), text(""), `""`},
		{vec.TypeOf(vec.Varchar), text(`say "no"`), `"say ""no"""`},
		{vec.TypeOf(vec.Varchar), text("two\nlines"), "\"two\nlines\""},
		{vec.TypeOf(vec.Varchar), text("a\rb"), "\"a\rb\""},
		{vec.TypeOf(vec.Varchar), text(" x"), `" x"`},
		{vec.TypeOf(vec.Varchar), text("x\t"), "\"x\t\""},
		{vec.TypeOf(vec.Varchar), text("a b"), `a b`},
		{vec.TypeOf(vec.Varchar), text("'a'"), `'a'`},
		{vec.TypeOf(vec.Varchar), text("\uFEFFa"), "\"\uFEFFa\""},
	} {
		if got := encodeOne(Default(nil), c.typ, c.set); got != c.want {
			t.Errorf("%s: got %s, want %s", c.typ, got, c.want)
		}
	}
}

func TestOtherDialectsQuoteWhatTheyMust(t *testing.T) {
	text := func(s string) func(*vec.Vector) { return func(v *vec.Vector) { v.AppendBytes(0, []byte(s)) } }
	varchar, integer := vec.TypeOf(vec.Varchar), vec.TypeOf(vec.Int64)
	null := func(v *vec.Vector) { v.SetNull(0) }
	for _, c := range []struct {
		d    Dialect
		typ  vec.Type
		set  func(*vec.Vector)
		want string
	}{
		{Dialect{Delimiter: '|', Quote: '"', Escape: '\\'}, varchar, text(`a\b`), `a\b`},
		{Dialect{Delimiter: '|', Quote: '"', Escape: '\\'}, varchar, text(`a|\"b`), `"a|\\\"b"`},
		{Dialect{Delimiter: '\t', Quote: '\'', Escape: '\''}, varchar, text("it's"), `'it''s'`},
		{Dialect{Delimiter: ',', Quote: '"', Escape: '"', Null: "NULL"}, varchar, text("NULL"), `"NULL"`},
		{Dialect{Delimiter: ',', Quote: '"', Escape: '"', Null: "NULL"}, varchar, text(""), ``},
		{Dialect{Delimiter: ',', Quote: '"', Escape: '"', Null: "NULL"}, varchar, null, `NULL`},
		{Dialect{Delimiter: ',', Quote: '"', Escape: '"', Null: "0"}, integer, func(v *vec.Vector) { v.I64[0] = 0 }, `"0"`},
		{Dialect{Delimiter: ':', Quote: '"', Escape: '"'}, vec.TypeOf(vec.Date), func(v *vec.Vector) { v.I64[0] = 0 }, `1970-01-01`},
		{Dialect{Delimiter: ':', Quote: '"', Escape: '"'}, vec.TypeOf(vec.Timestamp), func(v *vec.Vector) { v.I64[0] = 0 }, `"1970-01-01T00:00:00Z"`},
	} {
		if got := encodeOne(c.d, c.typ, c.set); got != c.want {
			t.Errorf("%s, %s: got %s, want %s", c.d, c.typ, got, c.want)
		}
	}
}

func TestRowsAreWrittenInSelectionOrderWithTheirEnds(t *testing.T) {
	fields := []vec.Field{{Name: "n", Type: vec.TypeOf(vec.Int64)}, {Name: "s", Type: vec.TypeOf(vec.Varchar)}}
	b := vec.NewBatch(fields[0].Type, fields[1].Type)
	b.Resize(3)
	for i := range 3 {
		b.Cols[0].I64[i] = int64(i)
		b.Cols[1].AppendBytes(i, []byte{'r', '0' + byte(i)})
	}
	enc := newEncoder(Default(nil), fields)
	dst, ends := enc.AppendRows([]byte("> "), []uint32{2}, b, []int32{2, 0})
	if string(dst) != "> 2,r20,r0" || !slices.Equal(ends, []uint32{2, 6, 10}) {
		t.Errorf("got %s %v", dst, ends)
	}
	if dst, ends = enc.AppendRows(nil, nil, b, nil); string(dst) != "0,r01,r12,r2" || !slices.Equal(ends, []uint32{4, 8, 12}) {
		t.Errorf("all rows: got %s %v", dst, ends)
	}
}

func TestASoleColumnIsNeverAnEmptyLine(t *testing.T) {
	for _, c := range []struct {
		typ  vec.Kind
		null string
		want string
	}{{vec.Int64, "", `""`}, {vec.Int64, "-", `-`}, {vec.Varchar, "-", `-`}} {
		b := vec.NewBatch(vec.TypeOf(c.typ))
		b.Resize(1)
		b.Cols[0].SetNull(0)
		d := Default([]string{"x"})
		d.Null = c.null
		dst, _ := newEncoder(d, []vec.Field{{Name: "x", Type: vec.TypeOf(c.typ)}}).AppendRows(nil, nil, b, nil)
		if string(dst) != c.want {
			t.Errorf("%v: got %q, want %q", c, dst, c.want)
		}
		cols := []codec.Column{{Path: []string{"x"}, Type: vec.TypeOf(c.typ)}}
		if got := cells.Decode(newDecoder(d, cols), cols, cells.Chunk(dst)); got[0][0] != "NULL" {
			t.Errorf("%v: %q reads back as %q", c, dst, got)
		}
	}
	b := vec.NewBatch(vec.TypeOf(vec.Varchar))
	b.Resize(1)
	b.Cols[0].AppendBytes(0, nil)
	d := Default([]string{"x"})
	d.Null = "-"
	if dst, _ := newEncoder(d, []vec.Field{{Name: "x", Type: vec.TypeOf(vec.Varchar)}}).AppendRows(nil, nil, b, nil); string(dst) != `""` {
		t.Errorf("the empty text is %q", dst)
	}
}

func TestTheHeaderReadsBack(t *testing.T) {
	d := Default([]string{"id", "a,b", `say "no"`, " lead", "\uFEFFx", ""})
	if got := Header(d); got != nil {
		t.Errorf("without a header it is %q", got)
	}
	d.Header = true
	const want = "id,\"a,b\",\"say \"\"no\"\"\",\" lead\",\uFEFFx,\"\""
	if got := Header(d); string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	d.Names = []string{"\uFEFFx", "naïve name"}
	if got, want := string(Header(d)), "\"\uFEFFx\",naïve name"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if err := d.CheckHeader(Header(d)); err != nil {
		t.Error(err)
	}
}

// TestOwnOutputReadsBack writes random rows of all types in several dialects, and reads them into the same columns;
// where encoding/csv knows the dialect it must find the same fields.
func TestOwnOutputReadsBack(t *testing.T) {
	fields := []vec.Field{{Name: "text", Type: vec.TypeOf(vec.Varchar)}}
	for _, typ := range everyType {
		fields = append(fields, vec.Field{Name: typ.String(), Type: typ})
	}
	var names []string
	var cols []codec.Column
	for _, f := range fields {
		names = append(names, f.Name)
		cols = append(cols, codec.Column{Path: []string{f.Name}, Type: f.Type})
	}
	dialects := []Dialect{
		{Delimiter: ',', Quote: '"', Escape: '"'},
		{Delimiter: ';', Quote: '\'', Escape: '\\', Null: "NULL"},
		{Delimiter: '\t', Quote: '"', Escape: '"', Null: "-1"},
		{Delimiter: '-', Quote: '0', Escape: '1', Null: "x"},
	}
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 6))
		d := dialects[seed%4]
		d.Names = names
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
		dst, ends := newEncoder(d, fields).AppendRows(nil, nil, b, nil)
		from := uint32(0)
		var file []byte
		for _, end := range ends {
			file = append(append(file, dst[from:end]...), '\n')
			from = end
		}
		recs := framed(d, file)
		if len(recs) != b.N {
			t.Fatalf("seed %d: %d rows are framed as %d records:\n%s", seed, b.N, len(recs), file)
		}
		for i, got := range cells.Decode(newDecoder(d, cols), cols, cells.Chunk(recs...)) {
			var want []string
			for _, v := range b.Cols {
				want = append(want, cells.Text(v, i))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s: %s\n got  %q\n want %q", seed, d, recs[i], got, want)
			}
		}
		if d.Escape != '"' {
			continue
		}
		r := csv.NewReader(bytes.NewReader(bytes.ReplaceAll(file, []byte{'\r'}, []byte{'.'})))
		r.Comma = rune(d.Delimiter)
		if rows, err := r.ReadAll(); err != nil || len(rows) != b.N {
			t.Fatalf("seed %d: encoding/csv reads %d rows, %v", seed, len(rows), err)
		}
	}
}
