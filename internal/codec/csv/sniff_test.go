package csvrec

import (
	"fmt"
	"strings"
	"testing"

	"ubik/internal/codec"
	"ubik/internal/ubiktest/cells"
	"ubik/internal/vec"
)

// Sniff guesses a file's dialect, of which nothing is said, from its first bytes, as Given.Sniff does.
func Sniff(sample []byte, whole bool) (Dialect, error) { return Given{}.Sniff(sample, whole) }

func TestWideFilesAreSniffedAndRead(t *testing.T) {
	const columns, rows = 3000, 50
	var b strings.Builder
	for i := range columns {
		fmt.Fprintf(&b, "c%d;", i)
	}
	b.WriteString("last\n")
	for row := range rows {
		for i := range columns {
			fmt.Fprintf(&b, "%d,%d;", row, i)
		}
		b.WriteString("\"x;\"\n")
	}
	d, err := Sniff([]byte(b.String()), true)
	if err != nil {
		t.Fatal(err)
	}
	if d.Delimiter != ';' || !d.Header || len(d.Names) != columns+1 || d.Names[2999] != "c2999" {
		t.Fatalf("%s, %d names", d, len(d.Names))
	}
	cols := []codec.Column{{Path: []string{"last"}, Type: vec.TypeOf(vec.Varchar)}, {Path: []string{"c2999"}, Type: vec.TypeOf(vec.Varchar)}}
	for row, got := range cells.Decode(newDecoder(d, cols), cols, cells.Chunk(framed(d, []byte(b.String()))...)) {
		if want := fmt.Sprintf(`"x;" "%d,2999"`, row); strings.Join(got, " ") != want {
			t.Fatalf("row %d is %s, want %s", row, got, want)
		}
	}
}

func TestOnlyTheFirstThousandRecordsCount(t *testing.T) {
	first := "a,b\n" + strings.Repeat("1,2\n", sampleRecords-1)
	for _, rest := range []string{"", "1;2\n", strings.Repeat("x;y\n", 5000), "\"never closed"} {
		for _, whole := range []bool{false, true} {
			d, err := Sniff([]byte(first+rest), whole)
			if got := d.String() + " " + strings.Join(d.Names, " "); err != nil || got != `delimiter ',', quote '"', header a b` {
				t.Errorf("with %.20q behind: %s, %v", rest, got, err)
			}
		}
	}
}

func TestARecordThatTheSampleCutsDoesNotCount(t *testing.T) {
	const file = "id;text\n1;\"a;b\"\n2;\"c\nd\"\n3;e,f,g,h\n"
	for n := strings.Index(file, "2;"); n <= len(file); n++ {
		d, err := Sniff([]byte(file[:n]), false)
		if got := d.String() + " " + strings.Join(d.Names, " "); err != nil || got != `delimiter ';', quote '"', header id text` {
			t.Errorf("%q: %s, %v", file[:n], got, err)
		}
	}
}

func TestAQuoteThatOpensByMistakeIsText(t *testing.T) {
	file := "size\tprice\n" + strings.Repeat("3\t4.50\n", 5) + "5\" pipe\t7.00\n" + strings.Repeat("3\t4.50\n", 50)
	for _, whole := range []bool{false, true} {
		d, err := Sniff([]byte(file), whole)
		if got := d.String(); err != nil || got != `delimiter '\t', no quotes, header` {
			t.Errorf("whole %v: %s, %v", whole, got, err)
		}
	}
}

func TestHeaders(t *testing.T) {
	for _, c := range []struct {
		file, why string
		want      bool
	}{
		{"id,name\n1,x\n", "a column of numbers below a text", true},
		{"when,what\n2026-01-01,x\n", "of times", true},
		{"ok,what\ntrue,x\nFALSE,y\n", "of booleans", true},
		{"Hello world!,n\nGood morning!,7\n", "whatever the text", true},
		{"id,name\n1,x\n,y\n", "empty fields say nothing", true},
		{"a,b\n1,x\nfoo,2\n", "mixed columns are text", true},
		{"1,name\n2,x\n", "a number is no name", false},
		{"2026-01-01,x\n2026-01-02,y\n", "nor is a time", false},
		{"01.02.2026;x\n02.02.2026;y\n", "of any country", false},
		{"1/2/26 10:00,x\n1/3/26 10:30,y\n", "with a time of day", false},
		{"1.234,56 €;x\n7,00 €;y\n", "nor an amount", false},
		{"true,x\nfalse,y\n", "nor a boolean", false},
		{"country,capital\nFrance,Paris\n", "texts that look like names", true},
		{"naïve café,Größe (cm)\nx,y\n", "in any script", true},
		{"DE,books\nDE,toys\n", "that occur again", false},
		{"a,a\nx,y\n", "that are not distinct", false},
		{"ann@example.org,x\nbob@example.org,y\n", "that look like none", false},
		{"http://a/b,x\nhttp://c/d,y\n", "that look like none", false},
		{"name,\nx,\ny,\n", "empty over an empty column", true},
		{",name\n0,x\n1,y\n", "empty over an index", true},
		{"name,\nx,a\ny,b\n", "empty over texts", false},
		{",\nx,y\n", "only empty", false},
		{"id,name\n", "no other record", true},
		{"ann,30\n", "no other record", false},
	} {
		d, err := Sniff([]byte(c.file), true)
		if err != nil || d.Header != c.want {
			t.Errorf("%q (%s): header is %v, %v", c.file, c.why, d.Header, err)
		}
	}
}

func TestNothingToGuessFrom(t *testing.T) {
	for _, c := range []struct {
		sample string
		whole  bool
		want   string
	}{
		{"", true, "the file has no records, so there is nothing to guess its columns from; declare them"},
		{"\uFEFF\r\n\n", true, "the file has no records, so there is nothing to guess its columns from; declare them"},
		{"a,b,c", false, "no record ends within the first 5 bytes, so there is nothing to guess the dialect from; give delimiter, quote and header"},
		{"\xff\xfea\x00", true, "the file is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8"},
		{"a,b\n\x00", true, "byte 4 of the file is zero, so it is no CSV; if it is text in another encoding, convert it first, as with iconv -f UTF-16 -t UTF-8"},
		{"a\x00,\x00b\x00\n\x001\x00,\x002\x00\n", true, "the file is UTF-16LE; convert it first: iconv -f UTF-16LE -t UTF-8"},
		{"\x00a\x00,\x00b\x00\n\x001\x00,\x002\x00\n", false, "the file is UTF-16BE; convert it first: iconv -f UTF-16BE -t UTF-8"},
		{"a,b\r1,2\n", false, "the lines of the file end with a carriage return alone; convert it first: tr '\\r' '\\n'"},
		{"a,b\r1,2\r", true, "the lines of the file end with a carriage return alone; convert it first: tr '\\r' '\\n'"},
		{"gr\xf6\xdfe,n\n1,2\n", true, `the header is invalid UTF-8 in the name of column 1, "gr\xf6\xdfe"; convert the file first, as with iconv -f LATIN1 -t UTF-8`},
	} {
		d, err := Sniff([]byte(c.sample), c.whole)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q: %s, %v\nwant %s", c.sample, d, err, c.want)
		}
	}
}

func TestNamesAreMadeUnique(t *testing.T) {
	for _, c := range []struct{ header, want string }{
		{"a,a,a", "a a_1 a_2"},
		{"a,A,a_1,a", "a A_1 a_1_1 a_2"},
		{"a,,b,", "a column1 b column3"},
		{" a , \"b\"", "!"},
		{"\" a \",b ", "a b"},
		{"column1,", "column1 column1_1"},
		{",,,,,,,,,,", "column00 column01 column02 column03 column04 column05 column06 column07 column08 column09 column10"},
	} {
		names, err := headerNames(Default(nil), []byte(c.header))
		if got := strings.Join(names, " "); got != c.want && !(c.want == "!" && err != nil) {
			t.Errorf("%q: got %s, %v, want %s", c.header, got, err, c.want)
		}
	}
}

func TestFramingIsThatOfTheDialect(t *testing.T) {
	d := Dialect{Delimiter: ';', Quote: '\'', Escape: '\\', Header: true}
	if got, want := d.Framing(), (codec.Framing{Quote: '\'', Escape: '\\', Delimiter: ';', Header: true}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := (Dialect{Delimiter: ';', Escape: '\\'}).Framing(); got != (codec.Framing{}) {
		t.Errorf("without quotes: %v", got)
	}
}

func TestDialectsArePrinted(t *testing.T) {
	d := Dialect{Delimiter: '\t', Quote: '"', Escape: '\\', Null: "NA"}
	if got, want := d.String(), `delimiter '\t', quote '"', escape '\\', no header, NULL is "NA"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
