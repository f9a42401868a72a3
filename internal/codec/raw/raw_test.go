package rawrec

import (
	"slices"
	"testing"

	"ubik/internal/codec"
	"ubik/internal/ubiktest/cells"
	"ubik/internal/vec"
)

func column(k vec.Kind) codec.Column {
	return codec.Column{Path: []string{Column}, Type: vec.TypeOf(k)}
}

func TestARecordIsItsBytes(t *testing.T) {
	r := cells.Chunk("GET / 200", "käse", "\xff\x00", " ")
	out := vec.NewBatch(vec.TypeOf(vec.Blob))
	if bad := Format.NewDecoder([]codec.Column{column(vec.Blob)}).Decode(r, out, nil); bad != nil {
		t.Fatal(bad)
	}
	for i, want := range []string{"GET / 200", "käse", "\xff\x00", " "} {
		if got := string(out.Cols[0].Bytes(i)); got != want {
			t.Errorf("record %d is %q, want %q", i, got, want)
		}
	}
}

func TestRecordsThatAreNoText(t *testing.T) {
	r := cells.Chunk("good", "bad \xff!", "")
	r.Spans = append(r.Spans, vec.Span{Len: codec.HugeLen}, vec.Span{Len: codec.NullLen}, r.Spans[0])
	out := vec.NewBatch(vec.TypeOf(vec.Varchar), vec.TypeOf(vec.Blob))
	dec := Format.NewDecoder([]codec.Column{column(vec.Varchar), column(vec.Blob)})
	want := []codec.Malformed{
		{Row: 9, Reason: "from an earlier chunk"},
		{Row: 1, Field: "_value", Reason: `byte 4: invalid UTF-8, at \xff!; declare _value BLOB to read any bytes`},
		{Row: 2, Reason: "empty"},
		{Row: 3, Reason: "larger than --max-record permits"},
		{Row: 4, Reason: "no value (tombstone)"},
	}
	if bad := dec.Decode(r, out, want[:1:1]); !slices.Equal(bad, want) {
		t.Errorf("got  %q\nwant %q", bad, want)
	}
	if got := string(out.Cols[0].Bytes(5)); got != "good" {
		t.Errorf("the last record is %q", got)
	}
}

func TestTextIsWrittenAsItIs(t *testing.T) {
	b := vec.NewBatch(vec.TypeOf(vec.Varchar))
	b.Resize(3)
	b.Cols[0].AppendBytes(0, []byte(`a "b"`))
	b.Cols[0].SetNull(1)
	b.Cols[0].AppendBytes(2, []byte("c"))
	enc := Format.NewEncoder([]vec.Field{{Name: "x", Type: vec.TypeOf(vec.Varchar)}})
	dst, ends := enc.AppendRows([]byte("> "), nil, b, nil)
	if string(dst) != `> a "b"c` || !slices.Equal(ends, []uint32{7, 7, 8}) {
		t.Errorf("got %q %v", dst, ends)
	}
	if dst, ends = enc.AppendRows(nil, nil, b, []int32{2, 0}); string(dst) != `ca "b"` || !slices.Equal(ends, []uint32{1, 6}) {
		t.Errorf("got %q %v", dst, ends)
	}
}

func TestRefusals(t *testing.T) {
	varchar := vec.TypeOf(vec.Varchar)
	for _, c := range []struct {
		err  error
		want string
	}{
		{Check([]codec.Column{column(vec.Varchar), column(vec.Blob)}), ""},
		{Check([]codec.Column{{Path: []string{"merchant"}, Type: varchar}}), "merchant: a raw record has one column, _value; take parts of it as with regexp_extract(_value, …)"},
		{Check([]codec.Column{{Path: []string{"_value", "a"}, Type: varchar}}), "_value.a: a raw record has one column, _value; take parts of it as with regexp_extract(_value, …)"},
		{Check([]codec.Column{column(vec.Int64)}), "_value: a raw record is VARCHAR or BLOB, not BIGINT; cast it in the query"},
		{CheckOutput([]vec.Field{{Name: "x", Type: vec.TypeOf(vec.Blob)}}), ""},
		{CheckOutput(nil), "raw output takes one column, the query has 0; select one text, as with concat(…)"},
		{CheckOutput([]vec.Field{{Name: "n", Type: vec.TypeOf(vec.Int64)}}), "n: raw output takes a VARCHAR or BLOB, not BIGINT; cast it to VARCHAR"},
	} {
		got := ""
		if c.err != nil {
			got = c.err.Error()
		}
		if got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
