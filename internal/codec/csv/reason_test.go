package csvrec

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ubik/internal/codec"
	"ubik/internal/ubiktest/cells"
	"ubik/internal/vec"
)

func TestMalformedRecordsSayWhereAndWhat(t *testing.T) {
	d := Default([]string{"id", "name", "amount", "at", "day", "ok", "blob", "j"})
	back := d
	back.Escape = '\\'
	cols := []codec.Column{
		{Path: []string{"j"}, Type: vec.TypeOf(vec.JSON)},
		{Path: []string{"id"}, Type: vec.TypeOf(vec.Int8)},
		{Path: []string{"amount"}, Type: vec.DecimalType(6, 2)},
		{Path: []string{"at"}, Type: vec.TypeOf(vec.Timestamp)},
		{Path: []string{"ok"}, Type: vec.TypeOf(vec.Bool)},
		{Path: []string{"blob"}, Type: vec.TypeOf(vec.Blob)},
		{Path: []string{"id"}, Type: vec.TypeOf(vec.Varchar)},
	}
	for _, c := range []struct{ rec, want string }{
		{`7,x,1.5,2026-01-01,,true,AP8K,{}`, `"{}" 7 150 1767225600000000 true "\x00\xff\n" "7"`},
		{`,,,,,,,`, `NULL NULL NULL NULL NULL NULL NULL`},
		{`"","","","","","","",""`, `NULL NULL NULL NULL NULL "" ""`},
		{"7,,,,,,,\r\n", `NULL 7 NULL NULL NULL NULL "7"`},
		{``, `!: empty`},
		{"\n", `!: empty`},
		{`1,2`, `!: has 2 fields, 8 are expected`},
		{`1`, `!: has 1 field, 8 are expected`},
		{`1,,,,,,,,"9"`, `!: has 9 fields, 8 are expected`},
		{`1,a"b,,,,,,`, `! name: byte 3: a quote in a field that does not begin with one, at "b,,,,,,`},
		{`1, "b",,,,,,`, `! name: byte 3: a quote in a field that does not begin with one, at "b",,,,,,`},
		{`1,"a"b,,,,,,`, `! name: byte 5: expected the delimiter behind the closing quote, at b,,,,,,`},
		{`1,"a,,,,,,`, `! name: byte 10: the record ends within quotes`},
		{"1,a\nb,,,,,,", `! name: byte 3: a line break outside quotes, at \x0ab,,,,,,`},
		{"1,,a\rb\nc,,,,,", `! amount: byte 4: a line break outside quotes, at \x0db\x0ac,,,,,`},
		{"1,\"a\"\n,,,,,,", `! name: byte 5: expected the delimiter behind the closing quote, at \x0a,,,,,,`},
		{"1,M\xfcller,,,,,,", `! name: byte 3: invalid UTF-8, at \xfcller,,,,,,; text in another encoding must be converted first, as with iconv -f LATIN1 -t UTF-8`},
		{"1,,,,,,,\"\"\xfc", `! j: byte 10: expected the delimiter behind the closing quote, at \xfc`},
		{`1,,,,,,,,"x`, `!: byte 11: the record ends within quotes`},
		{`128,,,,,,,`, `! id: "128" is not a TINYINT`},
		{`x,,y,,,,,`, `! id: "x" is not a TINYINT`},
		{`,,12345.678,,,,,`, `! amount: "12345.678" is not a DECIMAL(6,2)`},
		{`,,"1,5",,,,,`, `! amount: "1,5" is not a DECIMAL(6,2)`},
		{`,,,yesterday,,,,`, `! at: "yesterday" is not a TIMESTAMP`},
		{`,,,,,maybe,,`, `! ok: "maybe" is not a BOOLEAN`},
		{`,,,,,,?,`, `! blob: "?" is not a BLOB in base64`},
		{`,,,,,,,{a`, `! j: "{a" is not JSON`},
		{`,,,,,,,"{""a"":1}"`, `"{\"a\":1}" NULL NULL NULL NULL NULL NULL`},
	} {
		if got := strings.Join(cells.Decode(newDecoder(d, cols), cols, &codec.Records{Data: []byte(c.rec), Spans: []vec.Span{{Len: uint32(len(c.rec))}}})[0], " "); got != c.want {
			t.Errorf("%q:\n got  %s\n want %s", c.rec, got, c.want)
		}
	}
	const rec = `1,"C:\temp",,,,,,`
	if got, want := cells.Decode(newDecoder(back, cols), cols, cells.Chunk([]byte(rec)))[0][0], `! name: byte 5: an escape before neither a quote nor an escape, at \temp",,,,,,`; got != want {
		t.Errorf("%q:\n got  %s\n want %s", rec, got, want)
	}
	for _, c := range []struct {
		size uint32
		want string
	}{{codec.HugeLen, "larger than --max-record permits; a quote at the beginning of a field that is not closed makes a record of the lines behind it"}, {codec.NullLen, "no value (tombstone)"}} {
		bad := newDecoder(d, cols).Decode(&codec.Records{Spans: []vec.Span{{Len: c.size}}}, cells.Batch(cols), nil)
		if !slices.Equal(bad, []codec.Malformed{{Reason: c.want}}) {
			t.Errorf("got %v, want %s", bad, c.want)
		}
	}
}

func TestAMalformedRecordOfSeveralLinesSaysHowFarItGoes(t *testing.T) {
	lines := strings.Repeat("3,x\n", 200_000)
	for _, c := range []struct{ rec, want string }{
		{"2,\"oops\n" + lines + "7,\"q\"", "! b: byte 800011: expected the delimiter behind the closing quote, at q\"; the record has 200002 lines, by a quote that opens at byte 2"},
		{"2,\"oops\n" + lines, "! b: byte 800007: the record ends within quotes; the record has 200001 lines, by a quote that opens at byte 2"},
		{"\"2\",\"a\nb\",c", "!: has 3 fields, 2 are expected; the record has 2 lines, by a quote that opens at byte 4"},
		{"\"a\nb\",c\"", "! b: byte 7: a quote in a field that does not begin with one, at \"; the record has 2 lines, by a quote that opens at byte 0"},
		{"a\nb,c", "! a: byte 1: a line break outside quotes, at \\x0ab,c"},
		{"\"a\"b,\"x\ny\"", "! a: byte 3: expected the delimiter behind the closing quote, at b,\"x\\x0ay\""},
	} {
		cols := []codec.Column{{Path: []string{"a"}, Type: vec.TypeOf(vec.Varchar)}}
		if got := cells.Decode(newDecoder(Default([]string{"a", "b"}), cols), cols, cells.Chunk(c.rec))[0][0]; got != c.want {
			t.Errorf("%.30q:\n got  %s\n want %s", c.rec, got, c.want)
		}
	}
	d := Dialect{Delimiter: ',', Names: []string{"a"}}
	bad := newDecoder(d, nil).Decode(&codec.Records{Spans: []vec.Span{{Len: codec.HugeLen}}}, cells.Batch(nil), nil)
	if len(bad) != 1 || bad[0].Reason != "larger than --max-record permits" {
		t.Errorf("without quotes: %v", bad)
	}
}

func TestMalformedRecordsAreReportedInRowOrder(t *testing.T) {
	cols := []codec.Column{{Path: []string{"n"}, Type: vec.TypeOf(vec.Int64)}}
	r := cells.Chunk(`1`, `x`, `2`, `"`, `3`)
	r.Spans = append(r.Spans, vec.Span{Len: codec.NullLen}, r.Spans[0])
	out := cells.Batch(cols)
	first := codec.Malformed{Row: 99, Reason: "from an earlier chunk"}
	bad := newDecoder(Default([]string{"n"}), cols).Decode(r, out, []codec.Malformed{first})
	if len(bad) != 4 || bad[0] != first || bad[1].Row != 1 || bad[2].Row != 3 || bad[3].Row != 5 {
		t.Fatal(bad)
	}
	for row, want := range map[int]int64{0: 1, 2: 2, 4: 3, 6: 1} {
		if got := out.Cols[0].I64[row]; got != want || out.Cols[0].IsNull(row) {
			t.Errorf("row %d is %d, want %d", row, got, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	d := Default([]string{"id", "name"})
	with := func(change func(d *Dialect)) Dialect {
		c := d
		change(&c)
		return c
	}
	varchar := vec.TypeOf(vec.Varchar)
	column := func(path ...string) []codec.Column { return []codec.Column{{Path: path, Type: varchar}} }
	many := make([]string, 23)
	for i := range many {
		many[i] = "c" + string(rune('a'+i))
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{d.Check(), ""},
		{with(func(d *Dialect) { d.Delimiter = 0 }).Check(), `the delimiter is missing: it must be one ASCII character that ends no line, such as ',' or ';'`},
		{with(func(d *Dialect) { d.Delimiter = '\n' }).Check(), `the delimiter is '\n': it must be one ASCII character that ends no line, such as ',' or ';'`},
		{with(func(d *Dialect) { d.Delimiter = 0xE9 }).Check(), `the delimiter is the byte 0xe9: it must be one ASCII character that ends no line, such as ',' or ';'`},
		{with(func(d *Dialect) { d.Quote = ',' }).Check(), `the quote is ',': it must be one ASCII character that ends no line and is not the delimiter, such as '"'`},
		{with(func(d *Dialect) { d.Escape = 0 }).Check(), `the escape is missing: it must be one ASCII character that ends no line and is not the delimiter; the quote itself stands for doubled quotes`},
		{with(func(d *Dialect) { d.Quote, d.Escape = 0, 0 }).Check(), ""},
		{with(func(d *Dialect) { d.Null = "a,b" }).Check(), `the text for NULL, "a,b", holds the delimiter, the quote or a line end: no field that is not quoted has it`},
		{with(func(d *Dialect) { d.Null = "\xff" }).Check(), `the text for NULL, "\xff", is not UTF-8`},
		{with(func(d *Dialect) { d.Names = nil }).Check(), `no columns are named: a CSV has at least one`},
		{with(func(d *Dialect) { d.Names = []string{"a", "b", "a"} }).Check(), `two columns are named "a"; give one another name`},
		{Check(d, column("id")), ""},
		{Check(d, column("id", "x")), `id.x: a CSV column has no members; name a column, or cast one that holds JSON`},
		{Check(d, column("Name")), `Name: the CSV has no such column; did you mean name? Names are those of the header, letter for letter`},
		{Check(with(func(d *Dialect) { d.Names = many }), column("x")),
			`x: the CSV has no such column; it has ca, cb, cc, cd, ce, cf, cg, ch, ci, cj, ck, cl, cm, cn, co, cp, cq, cr, cs, ct and 3 more`},
		{Check(d, []codec.Column{{Path: []string{"id"}, Type: vec.TypeOf(vec.UUID)}}), `id: a CSV field cannot be read as UUID; declare it VARCHAR or JSON`},
		{CheckOutput(d, []vec.Field{{Name: "x", Type: varchar}, {Name: "y", Type: varchar}}), ""},
		{CheckOutput(d, nil), `a CSV has at least one column`},
		{CheckOutput(d, []vec.Field{{Name: "x", Type: varchar}}), `x: as the only column its NULL would be an empty line, which is no record; give a text for NULL, such as 'NULL'`},
		{CheckOutput(d, []vec.Field{{Name: "x", Type: vec.TypeOf(vec.Int64)}}), ""},
		{CheckOutput(d, []vec.Field{{Name: "x", Type: vec.TypeOf(vec.UUID)}}), `x: a UUID cannot be written as a CSV field; cast it to VARCHAR`},
		{CheckOutput(d, []vec.Field{{Name: "x", Type: varchar}, {Name: "x", Type: varchar}}), `two columns are named "x"; give one another name`},
		{CheckOutput(with(func(d *Dialect) { d.Quote = 0 }), []vec.Field{{Name: "x", Type: varchar}, {Name: "y", Type: varchar}}),
			`CSV cannot be written without quotes: a value that holds the delimiter could not be read back; give a quote, such as '"'`},
		{d.CheckHeader([]byte("id, name")), ""},
		{d.CheckHeader([]byte("id,Name")), `the header names field 2 "Name", but the column there is "name"; files read together must have the same columns in the same order`},
		{d.CheckHeader([]byte("id;name")), `its delimiter is ';', and ',' is expected`},
		{d.CheckHeader([]byte("id\tname")), `its delimiter is '\t', and ',' is expected`},
		{d.CheckHeader([]byte("id;Name")), `the header names field 1 "id;Name", but the column there is "id"; files read together must have the same columns in the same order`},
		{d.CheckHeader([]byte("id")), `the header has 1 field, 2 are expected: id, name`},
		{d.CheckHeader([]byte("id,name,x")), `the header has 3 fields, 2 are expected: id, name`},
		{d.CheckHeader([]byte("id,\"name")), `the header is not CSV: byte 8: the record ends within quotes`},
	} {
		if c.err == nil {
			c.err = errors.New("")
		}
		if got := c.err.Error(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
