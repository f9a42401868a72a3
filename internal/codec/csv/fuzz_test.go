package csvrec

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"ubik/internal/codec"
	"ubik/internal/ubiktest/cells"
	"ubik/internal/vec"
)

// FuzzAgainstEncodingCSV reads files with encoding/csv too: the same fields up to the first record that it refuses, which
// must be refused here. Of carriage returns encoding/csv drops one before a line feed, within quotes too, where it is text
// here; one that is alone and not within quotes is text there and a flaw here.
func FuzzAgainstEncodingCSV(f *testing.F) {
	for _, s := range fileSeeds {
		for i := range delimiters {
			f.Add([]byte(strings.ReplaceAll(s, ",", string(delimiters[i]))), byte(i))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, delimiter byte) {
		d := Dialect{Delimiter: delimiters[int(delimiter)%len(delimiters)], Quote: '"', Escape: '"', Null: "none of them"}
		checkFile(t, d, data)
	})
}

var fileSeeds = []string{
	"a,b\n1,2\n", "\"a\",\"b\"\"c\"\n\n,\n", "a,\"b\nc\"\nd", "a\"b,c\n", "\"a\"b\n", "\"a", "\"\"\"\"", ",\n,,\n",
	"12345678,12345678,\"12345678\"\n", "\"a,b\",c\n\"", "é,\xff\n", "\"\n\n\",x\n", " \"a\"\n", "\"a\" ,b\n", "\"\"\n\"\",\"\"\n",
	"a,b\r\n1,\"2\"\r\n", "\"a\r\nb\",\"\r\"\r\n\r\n\"\r\r\n\",c\r", "a\rb,c\n1,2\r\r\n3,4\n", "\"a\"\r,b\n", "\"a\"\r", "\"a\r\n",
}

func checkFile(t *testing.T, d Dialect, data []byte) {
	t.Helper()
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma = rune(d.Delimiter)
	r.FieldsPerRecord = -1
	mine := framed(d, append([]byte("\n"), data...)) // so that a byte order mark is text, as encoding/csv has it
	for i := 0; ; i++ {
		want, err := r.Read()
		if err == io.EOF {
			if i != len(mine) {
				t.Fatalf("%q: record %d is %q, encoding/csv has none", data, i, mine[i])
			}
			return
		}
		if i >= len(mine) {
			t.Fatalf("%q: %d records, encoding/csv has another, %q, %v", data, i, want, err)
		}
		fields, flaw := Fields(d, mine[i], nil)
		if err != nil {
			if !errors.Is(err, csv.ErrQuote) && !errors.Is(err, csv.ErrBareQuote) {
				t.Fatal(err)
			}
			if flaw == nil {
				t.Fatalf("%q: record %d is %q, encoding/csv: %v", data, i, mine[i], err)
			}
			return
		}
		if flaw != nil {
			s := newSyntax(d)
			if _, at, f := s.split(mine[i], 0, len(mine[i]), nil); f == flawBreak && mine[i][at] == '\r' {
				continue
			}
			t.Fatalf("%q: record %d: %v, encoding/csv has %q", data, i, flaw, want)
		}
		checkDecoder(t, d, mine[i], fields)
		var got []string
		for _, f := range fields {
			got = append(got, strings.ReplaceAll(string(f.Text), "\r\n", "\n"))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q: record %d is %q, encoding/csv has %q", data, i, got, want)
		}
	}
}

// checkDecoder holds the decoder against the fields of a flawless record: alone, and with bytes behind it.
func checkDecoder(t *testing.T, d Dialect, rec []byte, fields []Field) {
	t.Helper()
	d.Names = numberedNames(len(fields))
	var cols []codec.Column
	for _, name := range d.Names {
		cols = append(cols, codec.Column{Path: []string{name}, Type: vec.TypeOf(vec.Varchar)})
	}
	for _, tail := range []string{"", "\n", "\",\"\xff\n"} {
		r := &codec.Records{Data: append(slices.Clone(rec), tail...), Spans: []vec.Span{{Len: uint32(len(rec))}}}
		out := cells.Batch(cols)
		bad := newDecoder(d, cols).Decode(r, out, nil)
		if utf8.Valid(rec) != (bad == nil) {
			t.Fatalf("%q, then %q: %v", rec, tail, bad)
		}
		for i, f := range fields {
			if bad == nil && (out.Cols[i].IsNull(0) != f.Null || !f.Null && !bytes.Equal(out.Cols[i].Bytes(0), f.Text)) {
				t.Fatalf("%q, then %q: field %d is not %q", rec, tail, i, f.Text)
			}
		}
	}
}

// randomText makes files of few characters, so that what matters meets often.
func randomText(rng *rand.Rand, alphabet []string) []byte {
	var b []byte
	for range rng.IntN(60) {
		b = append(b, alphabet[rng.IntN(len(alphabet))]...)
	}
	return b
}

func TestRandomFilesReadAsEncodingCSVDoes(t *testing.T) {
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	alphabet := []string{",", ",", "\"", "\"", "\n", "a", "bcdefgh", "\"a\"", "\",\"", "é", " ", "\r\n", "\r"}
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	for range 50000 {
		checkFile(t, Default(nil), randomText(rng, alphabet))
	}
}

// FuzzSniff: whatever the bytes, guessing ends, is the same twice, and gives a dialect that can be read with.
func FuzzSniff(f *testing.F) {
	for _, s := range fileSeeds {
		f.Add([]byte(s), true)
	}
	f.Add([]byte("'a';'b'\n'x;1';'y'\n"), false)
	f.Add([]byte("a,b\n1,\"x\\\"y\"\n2,\"z\n"), false)
	f.Fuzz(func(t *testing.T, data []byte, whole bool) {
		d, err := Sniff(data, whole)
		again, errAgain := Sniff(slices.Clone(data), whole)
		if (err == nil) != (errAgain == nil) || err == nil && d.String()+strings.Join(d.Names, "\n") != again.String()+strings.Join(again.Names, "\n") {
			t.Fatalf("%q: %v, %v, then %v, %v", data, d, err, again, errAgain)
		}
		if err != nil {
			return
		}
		if err := d.Check(); err != nil {
			t.Fatalf("%q: %v: %v", data, d, err)
		}
		cols := []codec.Column{{Path: d.Names[len(d.Names)-1:], Type: vec.TypeOf(vec.Varchar)}}
		cells.Decode(newDecoder(d, cols), cols, cells.Chunk(framed(d, data)...))
		if d.Header {
			head := sampleOf(bytes.TrimPrefix(data, []byte(mark)), whole, d).list[0]
			if err := d.CheckHeader(head); err != nil {
				t.Fatalf("%q: %v: %v", data, d, err)
			}
		}
	})
}
