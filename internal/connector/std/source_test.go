package std

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"ubik/internal/codec"
	"ubik/internal/connector"
	"ubik/internal/fault"
)

var bg = context.Background()

func opened(t *testing.T, in io.Reader, o connector.Options) connector.Source {
	t.Helper()
	o.Stdin = in
	s, err := Kind.NewSource("-", &o)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := s.Partitions(bg)
	if err != nil || len(parts) != 1 || parts[0].Topic != "stdin" || parts[0].End != connector.EndUnknown {
		t.Fatalf("%v %+v", err, parts)
	}
	if err := s.Open(bg, []connector.Start{{Partition: parts[0], Until: parts[0].End}}); err != nil {
		t.Fatal(err)
	}
	return s
}

func readAll(t *testing.T, s connector.Source) (out []string) {
	t.Helper()
	for {
		c, err := s.Read(bg, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, span := range c.Spans {
			v := "HUGE"
			if span.Len != codec.HugeLen {
				v = string(c.Data[span.Off : span.Off+span.Len])
			}
			out = append(out, fmt.Sprintf("%d:%s", c.Pos[i], v))
		}
		end := c.End
		c.Release()
		if end {
			return out
		}
	}
}

func TestStandardInputIsReadToItsEnd(t *testing.T) {
	const seed = 5
	rnd := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	for range 30_000 {
		b.WriteString(strings.Repeat("v", rnd.IntN(60)) + []string{"\n", "\r\n"}[rnd.IntN(2)])
	}
	b.WriteString(strings.Repeat("w", 300_000) + "\nlast")
	text := b.String()
	var want []string
	at := 0
	for line := range strings.Lines(text) {
		if v := strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"); len(v) > 200_000 {
			want = append(want, fmt.Sprintf("%d:HUGE", at))
		} else if v != "" {
			want = append(want, fmt.Sprintf("%d:%s", at, v))
		}
		at += len(line)
	}
	for name, in := range map[string]io.Reader{
		"whole":       strings.NewReader(text),
		"halves":      iotest.HalfReader(strings.NewReader(text)),
		"end at once": iotest.DataErrReader(strings.NewReader(text)),
	} {
		s := opened(t, in, connector.Options{MaxRecord: 200_000, KeepOpen: true})
		got := readAll(t, s)
		if len(got) != len(want) {
			t.Fatalf("%s: %d records, want %d", name, len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%s: record %d differs", name, i)
			}
		}
		s.Close()
	}
}

func TestLinesArriveBeforeTheInputEnds(t *testing.T) {
	r, w := io.Pipe()
	s := opened(t, r, connector.Options{})
	defer s.Close()
	for i := range 3 {
		go w.Write([]byte("{}\n{\"half\""))
		c, err := s.Read(bg, 0)
		if err != nil || c.End || len(c.Spans) != 1 {
			t.Fatalf("round %d: %v %+v", i, err, c)
		}
		c.Release()
		go w.Write([]byte(":1}\n"))
		if c, err = s.Read(bg, 0); err != nil || string(c.Data) != "{\"half\":1}\n" {
			t.Fatalf("round %d: %v %q", i, err, c.Data)
		}
		c.Release()
	}
}

func TestAnEndedContextInterruptsTheWaitAndLosesNothing(t *testing.T) {
	r, w := io.Pipe()
	s := opened(t, r, connector.Options{})
	for range 3 {
		ctx, cancel := context.WithCancel(bg)
		go func() {
			w.Write([]byte("{}")) // returns when it has been taken
			cancel()
		}()
		if _, err := s.Read(ctx, 0); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	go func() {
		w.Write([]byte("\n"))
		w.Close()
	}()
	if got := readAll(t, s); fmt.Sprint(got) != "[0:{}{}{}]" {
		t.Fatalf("%v", got)
	}
	s.Close()
}

func TestCloseInterruptsARead(t *testing.T) {
	r, _ := io.Pipe()
	s := opened(t, r, connector.Options{})
	done := make(chan error)
	go func() {
		_, err := s.Read(bg, 0)
		done <- err
	}()
	s.Close()
	if err := <-done; err == nil || err.Error() != "cannot read standard input: it is closed" {
		t.Fatal(err)
	}
	r.Close()
}

func TestAnErrorComesBehindTheRecordsBeforeIt(t *testing.T) {
	broken := errors.New("broken")
	s := opened(t, io.MultiReader(strings.NewReader("{}\n{}"), iotest.ErrReader(broken)), connector.Options{})
	c, err := s.Read(bg, 0)
	if err != nil || len(c.Spans) != 1 {
		t.Fatal(err)
	}
	for range 2 {
		if _, err = s.Read(bg, 0); !errors.Is(err, broken) || err.Error() != "cannot read standard input: broken" {
			t.Fatal(err)
		}
	}
}

func TestWhatStandardInputCannotDoIsUsage(t *testing.T) {
	_, err := Kind.NewSource("x", &connector.Options{})
	if fault.ClassOf(err) != fault.Usage || err.Error() != `"x" is not a standard stream` {
		t.Fatal(err)
	}
	s := opened(t, strings.NewReader(""), connector.Options{})
	err = s.Open(bg, []connector.Start{{From: connector.Position{Offset: 1}}})
	if fault.ClassOf(err) != fault.Usage || err.Error() != "standard input cannot be read again from a position" {
		t.Fatal(err)
	}
	if got := readAll(t, s); got != nil {
		t.Fatal(got)
	}
}

func TestStandardInputIsFramedAndHasAHeader(t *testing.T) {
	o := connector.Options{Framing: codec.Framing{Quote: '"', Escape: '"', Header: true}}
	header := ""
	o.HeaderCheck = func(b []byte) error {
		header += string(b)
		return nil
	}
	s := opened(t, iotest.OneByteReader(strings.NewReader("a,b\r\n1,\"2\n\"\"\n\"\n3,4")), o)
	if got := readAll(t, s); fmt.Sprint(got) != "[5:1,\"2\n\"\"\n\" 15:3,4]" || header != "a,b" {
		t.Fatalf("%q: %v", header, got)
	}

	o.HeaderCheck = func(b []byte) error { return fault.New(fault.Usage, "it has "+string(b), "give the other one") }
	s = opened(t, strings.NewReader("a,b\n1,2\n"), o)
	_, err := s.Read(bg, 0)
	var told *fault.Error
	if !errors.As(err, &told) || told.Class != fault.Data || told.Msg != "the first record of standard input is not the expected header: it has a,b" || told.Try != "give the other one" {
		t.Fatal(err)
	}
}

func TestStandardInputBeginsAtItsBeginning(t *testing.T) {
	s := opened(t, strings.NewReader("1\n"), connector.Options{})
	parts, _ := s.Partitions(bg)
	if at, err := connector.Seek(bg, s, []connector.StartPoint{{}}, parts); err != nil || len(at) != 1 || at[0] != (connector.Position{Epoch: -1}) {
		t.Errorf("%v, %v", at, err)
	}
	_, err := connector.Seek(bg, s, []connector.StartPoint{{At: connector.StartLatest}}, parts)
	var f *fault.Error
	if !errors.As(err, &f) || f.Class != fault.Usage || f.Msg != "--start latest: standard input is read from its beginning" || f.Try != "leave --start away, or filter in the query" {
		t.Error(err)
	}
}

func TestCompressedInputIsToldWithWhatUnpacksIt(t *testing.T) {
	sheet := "PK\x03\x04" + strings.Repeat("\x00", 22) + "\x13\x00\x00\x00[Content_Types].xml" + strings.Repeat("\n{}", 400)
	for _, c := range []struct{ input, msg, try string }{
		{"\x1f\x8b\x08\x00\n\n", "standard input is compressed with gzip", "decompress it on the way: gzip -dc FILE | ubik --from - …"},
		{"\x28\xb5\x2f\xfd\n\n", "standard input is compressed with zstd", "decompress it on the way: zstd -dc FILE | ubik --from - …"},
		{"PK\x03\x04\n\n", "standard input is compressed with zip", "decompress it on the way: unzip -p FILE | ubik --from - …"},
		{sheet, "standard input is an Office document, such as a spreadsheet, which is not supported", "save it as CSV with the program that it is of"},
		{"PAR1\x15\n\n", "standard input is a Parquet file, which is not supported", "convert it first, as with duckdb -c \"COPY 'x.parquet' TO 'x.csv'\""},
	} {
		for _, in := range []io.Reader{strings.NewReader(c.input), iotest.OneByteReader(strings.NewReader(c.input))} {
			_, err := opened(t, in, connector.Options{}).Read(bg, 0)
			var f *fault.Error
			if !errors.As(err, &f) || f.Class != fault.Usage || f.Msg != c.msg || f.Try != c.try {
				t.Errorf("%.10q: %v", c.input, err)
			}
		}
	}
}
