package file

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"ubik/internal/codec"
	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/host"
)

// gzipped is a gzip file with a member for each text.
func gzipped(t *testing.T, texts ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, text := range texts {
		w := gzip.NewWriter(&b)
		w.Write([]byte(text))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// zstandard is a zstd file with a frame for each text.
func zstandard(t *testing.T, texts ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, text := range texts {
		w, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// packers make a compressed file of texts, each of which is a part of it.
var packers = map[packing]func(t *testing.T, texts ...string) string{gz: gzipped, zst: zstandard}

// text is lines of random text, some of them quoted and some longer than a chunk; the same for the same seed.
func text(seed uint64, n int) string {
	rnd := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d,%s,\"%s%s\n%d\"%s", i, strings.Repeat("v", rnd.IntN(30)), strings.Repeat("w", rnd.IntN(9)), []string{"", `""`}[rnd.IntN(2)],
			rnd.IntN(1000), []string{"\n", "\r\n", "\n\n"}[rnd.IntN(3)])
		if n > 1000 && rnd.IntN(n) == 0 {
			b.WriteString(strings.Repeat("long ", 100_000) + "\n")
		}
	}
	return b.String()
}

var quoted = codec.Framing{Quote: '"', Escape: '"'}

func TestACompressedFileIsReadAsWhatItHoldsFromEveryPosition(t *testing.T) {
	for _, c := range []struct {
		seed     uint64
		n, every int
		framing  codec.Framing
	}{{1, 150, 1, codec.Framing{}}, {2, 150, 1, quoted}, {3, 6000, 1500, codec.Framing{}}, {4, 6000, 1500, codec.Framing{Quote: '"', Escape: '"', Header: true}}} {
		content := text(c.seed, c.n) + "last"
		cut := len(content) / 3
		o := connector.Options{Framing: c.framing, MaxRecord: 300_000}
		m := newDisk(t)
		put(t, m, "/out/plain", content)
		s, _ := opened(t, m, "/out/plain", o)
		want, last := readAll(t, s, 0)
		for p, pack := range packers {
			put(t, m, "/out/packed", pack(t, content[:cut], "", content[cut:]))
			s, _ := opened(t, m, "/out/packed", o)
			done := 0
			for end := false; !end; {
				chunk, err := s.Read(bg, 0)
				if err != nil {
					t.Fatalf("seed %d: %v", c.seed, err)
				}
				for i := 0; i < len(chunk.Pos); i += c.every {
					again := source0(t, m, "/out/packed", o)
					at := starts(t, again)
					at[0].From = chunk.At(i)
					if err := again.Open(bg, at); err != nil {
						t.Fatalf("seed %d: from record %d: %v", c.seed, done+i, err)
					}
					got, next := readAll(t, again, 0)
					if next != last || fmt.Sprint(got) != fmt.Sprint(want[done+i:]) {
						t.Fatalf("seed %d: %s: from record %d: %d records to %+v, want %d to %+v", c.seed, p, done+i, len(got), next, len(want)-done-i, last)
					}
				}
				done += len(chunk.Pos)
				end = chunk.End
				if end && chunk.Next != last {
					t.Fatalf("seed %d: %s: ends at %+v, want %+v", c.seed, p, chunk.Next, last)
				}
				chunk.Release()
			}
			if done != len(want) {
				t.Fatalf("seed %d: %s: %d records, want %d", c.seed, p, done, len(want))
			}
		}
	}
}

// readUntil reads to the end or to an error.
func readUntil(s connector.Source, p int) (out []string, err error) {
	for {
		c, err := s.Read(bg, p)
		if err != nil {
			return out, err
		}
		for i, span := range c.Spans {
			out = append(out, fmt.Sprintf("%d:%s", c.Pos[i], c.Data[span.Off:span.Off+span.Len]))
		}
		end := c.End
		c.Release()
		if end {
			return out, nil
		}
	}
}

func TestWhatIsWholeOfACutFileIsReadBeforeItIsTold(t *testing.T) {
	content := text(5, 40)
	m := newDisk(t)
	put(t, m, "/out/plain", content)
	s, _ := opened(t, m, "/out/plain", connector.Options{})
	want, _ := readAll(t, s, 0)
	for p, pack := range packers {
		first := pack(t, content[:len(content)/2])
		whole := first + pack(t, content[len(content)/2:])
		ends := 0
		for n := magicBytes; n < len(whole); n++ {
			put(t, m, "/out/packed", whole[:n])
			s, _ := opened(t, m, "/out/packed", connector.Options{})
			got, err := readUntil(s, 0)
			if n == len(first) { // a whole file too
				if err != nil {
					t.Fatalf("%s: %v", p, err)
				}
				ends++
				continue
			}
			if fault.ClassOf(err) != fault.Data || !strings.HasPrefix(err.Error(), "/out/packed is cut short: its "+string(p)+" data ends too early, behind position ") {
				t.Fatalf("%s cut to %d of %d bytes: %d records, then %v", p, n, len(whole), len(got), err)
			}
			if fmt.Sprint(got) != fmt.Sprint(want[:len(got)]) || n > len(first) && len(got) < len(want)/2-1 {
				t.Fatalf("%s cut to %d bytes: %v", p, n, got)
			}
			if _, again := s.Read(bg, 0); again == nil || again.Error() != err.Error() {
				t.Fatalf("then %v", again)
			}
		}
		if ends != 1 {
			t.Fatal("no cut between the parts")
		}
	}
}

func TestDamageIsToldWithFileAndPosition(t *testing.T) {
	const again = "get the whole file again and start over, or read what is whole by itself"
	const behind = "get the whole file again and start over; if what is behind is of no use, take what is before: "
	m := newDisk(t)
	for _, c := range []struct{ content, want, msg, try string }{
		{gzipped(t, "one\ntwo\n", "three\n")[:25] + "????????" + gzipped(t, "three\n"), "[0:one 4:two]",
			"/out/packed is damaged: its gzip data cannot be unpacked behind position 8 (uncompressed): gzip: invalid checksum", again},
		{gzipped(t, "one\ntwo\n") + "and more text", "[0:one 4:two]",
			"/out/packed goes on behind the end of its gzip data with something else, behind position 8 (uncompressed)", behind + "gzip -dc /out/packed | ubik --from - …"},
		{gzipped(t, "one\ntwo\n") + "x", "[0:one 4:two]",
			"/out/packed goes on behind the end of its gzip data with something else, behind position 8 (uncompressed)", behind + "gzip -dc /out/packed | ubik --from - …"},
		{gzipped(t, "one\n", "two\n") + "\x00\x00\x00x", "[0:one 4:two]",
			"/out/packed goes on behind the end of its gzip data with something else, behind position 8 (uncompressed)", behind + "gzip -dc /out/packed | ubik --from - …"},
		{zstandard(t, "one\ntwo\n") + "and more text", "[0:one 4:two]",
			"/out/packed goes on behind the end of its zstd data with something else, behind position 8 (uncompressed)", behind + "zstd -dc /out/packed | ubik --from - …"},
		// A frame that asks for 256 MiB.
		{"\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00\x00", "[]", "/out/packed needs more than 128 MiB of memory to be unpacked",
			"compress it without a longer window, or read standard input: zstd -dc --memory=2048MB /out/packed | ubik --from - …"},
	} {
		put(t, m, "/out/packed", c.content)
		s, _ := opened(t, m, "/out/packed", connector.Options{})
		got, err := readUntil(s, 0)
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v, want %s", got, c.want)
		}
		told(t, err, fault.Data, c.msg, c.try)
	}
}

func TestTheFirstBytesTellWhetherAFileIsCompressed(t *testing.T) {
	m := newDisk(t)
	put(t, m, "/out/a.gz", "text, whatever its name\n")
	put(t, m, "/out/b.jsonl", gzipped(t, "b\n"))
	put(t, m, "/out/c.gz", zstandard(t, "c\n"))
	put(t, m, "/out/d", "\x5a\x2a\x4d\x18\x03\x00\x00\x00abc"+zstandard(t, "d\n")) // behind a frame that is passed over
	put(t, m, "/out/e", gzipped(t))
	put(t, m, "/out/f", gzipped(t, ""))
	s, _ := opened(t, m, "/out/*", connector.Options{})
	for i, want := range []string{"[0:text, whatever its name]", "[0:b]", "[0:c]", "[0:d]", "[]", "[]"} {
		if got, err := readUntil(s, i); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%d: %v %v, want %s", i, err, got, want)
		}
	}
	parts, _ := s.Partitions(bg)
	if parts[0].End != 24 || parts[0].LogID != "" || parts[1].End != connector.EndUnknown || parts[1].LogID != "gzip of 27 bytes" {
		t.Errorf("%+v", parts)
	}
}

func TestZerosBehindAGzipFileAreNothing(t *testing.T) {
	m := newDisk(t)
	for _, zeros := range []int{1, 2, 3, 511, packedBytes - 1, packedBytes, 3*packedBytes + 1} {
		for _, content := range []string{gzipped(t, "one\n", "two\n"), gzipped(t, "one\ntwo\n")} {
			put(t, m, "/out/packed", content+strings.Repeat("\x00", zeros))
			s, _ := opened(t, m, "/out/packed", connector.Options{})
			if got, err := readUntil(s, 0); err != nil || fmt.Sprint(got) != "[0:one 4:two]" {
				t.Errorf("%d zeros: %v, %v", zeros, got, err)
			}
		}
	}
}

func TestWhatIsNoTextIsToldWithWhatToDo(t *testing.T) {
	m := newDisk(t)
	entry := "PK\x03\x04" + strings.Repeat("\x00", 22)
	for _, c := range []struct{ content, msg, try string }{
		{"BZh91AY&SY", "is compressed with bzip2, which is not supported", "decompress it first, or read standard input: bzcat /out/x | ubik --from - …"},
		{entry + "\x05\x00\x00\x00a.csv", "is compressed with zip, which is not supported", "decompress it first, or read standard input: unzip -p /out/x | ubik --from - …"},
		{entry + "\x13\x00\x00\x00[Content_Types].xml", "is an Office document, such as a spreadsheet, which is not supported", "save it as CSV with the program that it is of"},
		{"PAR1\x15\x04\x15\x00\x15\x00", "is a Parquet file, which is not supported", "convert it first, as with duckdb -c \"COPY 'x.parquet' TO 'x.csv'\""},
	} {
		put(t, m, "/out/x", c.content)
		s, err := Kind.NewSource("/out/x", &connector.Options{Disk: m})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Partitions(bg)
		told(t, err, fault.Usage, "/out/x "+c.msg, c.try)
	}
}

func TestHowFarACompressedFileIsReadIsKnown(t *testing.T) {
	m := newDisk(t)
	content := gzipped(t, text(8, 30_000))
	put(t, m, "/out/a.gz", content)
	put(t, m, "/out/b", "plain\n")
	s := connector.Several(source0(t, m, "/out/b", connector.Options{}), source0(t, m, "/out/*", connector.Options{}))
	if err := s.Open(bg, starts(t, s)); err != nil {
		t.Fatal(err)
	}
	stored := func(p int) (int64, int64) { return s.(connector.Meter).Stored(p) }
	size := int64(len(content))
	if read, of := stored(1); read != 0 || of != size {
		t.Errorf("at the start: %d of %d, want 0 of %d", read, of, size)
	}
	if _, err := s.Read(bg, 1); err != nil {
		t.Fatal(err)
	}
	if read, _ := stored(1); read == 0 || read >= size {
		t.Errorf("behind the first chunk: %d of %d", read, size)
	}
	if _, err := readUntil(s, 1); err != nil {
		t.Fatal(err)
	}
	if read, _ := stored(1); read != size {
		t.Errorf("at the end: %d of %d", read, size)
	}
	for _, p := range []int{0, 2} {
		if read, of := stored(p); read != 0 || of != 0 {
			t.Errorf("of a plain file: %d of %d", read, of)
		}
	}
}

func TestACompressedFileThatChangesIsNotReadOn(t *testing.T) {
	m := newDisk(t)
	content := text(6, 9000)
	put(t, m, "/out/a.gz", gzipped(t, content))
	s, _ := opened(t, m, "/out/a.gz", connector.Options{})
	at := starts(t, s)[0]
	c, err := s.Read(bg, 0)
	if err != nil {
		t.Fatal(err)
	}
	at.From = c.At(3)
	const try = "a compressed file must stay as it is: put it back, or start over with a new checkpoint"
	was := at.LogID
	for name, now := range map[string]string{
		"grown":   gzipped(t, content, "more\n"),
		"shorter": gzipped(t, content[:1000]),
		"plain":   content,
	} {
		m.Remove("/out/a.gz")
		put(t, m, "/out/a.gz", now)
		size := "not compressed"
		if name != "plain" {
			size = fmt.Sprintf("gzip of %d bytes", len(now))
		}
		msg := "/out/a.gz changed: at the start it was " + was + ", now it is " + size
		_, err := s.Partitions(bg)
		told(t, err, fault.LogChanged, msg, try)
		if name != "plain" {
			told(t, source0(t, m, "/out/a.gz", connector.Options{}).Open(bg, []connector.Start{at}), fault.LogChanged, msg, try)
		}
	}
	same := gzipped(t, "x"+content[1:])
	put(t, m, "/out/a.gz", same)
	at.LogID = fmt.Sprintf("gzip of %d bytes", len(same))
	told(t, source0(t, m, "/out/a.gz", connector.Options{}).Open(bg, []connector.Start{at}), fault.LogChanged,
		fmt.Sprintf("/out/a.gz: its first %d bytes changed since they were read", at.From.Offset), grownOnly)
	put(t, m, "/out/a.gz", "\x1f\x8b\x08"+same[3:len(same)/2]+strings.Repeat("?", len(same)-len(same)/2))
	at.From.Offset = int64(len(content))
	told(t, source0(t, m, "/out/a.gz", connector.Options{}).Open(bg, []connector.Start{at}), fault.LogChanged,
		fmt.Sprintf("/out/a.gz: its first %d bytes changed since they were read", at.From.Offset), grownOnly)
}

func TestACompressedFileReplacedWhileItIsReadIsNoticed(t *testing.T) {
	m := newDisk(t)
	packed := gzipped(t, text(7, 20_000))
	put(t, m, "/out/a.gz", packed)
	s, _ := opened(t, m, "/out/a.gz", connector.Options{})
	step(t, s, 0)
	s.parts[0].drop()
	step(t, s, 0) // opened again, where it was
	s.parts[0].drop()
	put(t, m, "/out/new", packed)
	m.Rename("/out/new", "/out/a.gz")
	_, err := s.Read(bg, 0)
	told(t, err, fault.LogChanged, "/out/a.gz was replaced by another file while it was read", grownOnly)
}

func TestACompressedFileIsNeitherFollowedNorKeptOpen(t *testing.T) {
	m := newDisk(t)
	put(t, m, "/out/a.gz", gzipped(t, "a\n"))
	put(t, m, "/out/b", "b\n")
	for _, o := range []connector.Options{{Follow: true}, {KeepOpen: true}} {
		_, err := source0(t, m, "/out/*", o).Partitions(bg)
		if o.Follow {
			told(t, err, fault.Usage, "/out/a.gz is compressed with gzip and cannot be followed: nobody appends to such a file line by line",
				"give a pattern that leaves a.gz out, or read it without --follow")
		} else {
			told(t, err, fault.Usage, "/out/a.gz is compressed with gzip and cannot be kept open: what is appended to such a file cannot be told from damage",
				"give a pattern that leaves a.gz out, or read it without --keep-open")
		}
	}
}

func TestManyCompressedFilesAreReadInTurns(t *testing.T) {
	const n = openMax + 10
	m := newDisk(t)
	var want [][]string
	for i := range n {
		content := text(uint64(100+i), 2100)
		put(t, m, "/out/plain", content)
		s, _ := opened(t, m, "/out/plain", connector.Options{})
		recs, _ := readAll(t, s, 0)
		want = append(want, recs)
		put(t, m, fmt.Sprintf("/out/%05d.z", i), packers[[]packing{gz, zst}[i%2]](t, content))
	}
	s, _ := opened(t, m, "/out/*.z", connector.Options{})
	got, ended := make([][]string, n), make([]bool, n)
	for left := n; left > 0; {
		for i := range n {
			if ended[i] {
				continue
			}
			recs, c := step(t, s, i)
			got[i] = append(got[i], recs...)
			if len(s.open) > openMax {
				t.Fatalf("%d files are open", len(s.open))
			}
			if ended[i] = c.End; c.End {
				left--
			}
		}
	}
	for i := range n {
		if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) {
			t.Fatalf("file %d differs", i)
		}
		if s.parts[i].stream != nil {
			t.Fatalf("file %d keeps its memory", i)
		}
	}
	if c, err := s.Read(bg, 3); err != nil || !c.End || len(c.Spans) > 0 {
		t.Fatalf("the end of a file that is done: %+v %v", c, err)
	}
}

func TestFilesThatAreDoneTakeNoMemoryWhenARunResumes(t *testing.T) {
	m := newDisk(t)
	content := "a\nb\n"
	for p, pack := range packers {
		put(t, m, "/out/a", pack(t, content))
		s, _ := opened(t, m, "/out/a", connector.Options{})
		_, last := readAll(t, s, 0)
		at := starts(t, s)
		at[0].From = last
		s = source0(t, m, "/out/a", connector.Options{})
		if err := s.Open(bg, at); err != nil || s.parts[0].stream != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if got, next := readAll(t, s, 0); got != nil || next != last {
			t.Fatalf("%s: %v %+v", p, got, next)
		}
	}
}

func TestACompressedFileOfAnySizeIsReadInLittleMemory(t *testing.T) {
	content := strings.Repeat(text(8, 20_000), 24)
	for p, pack := range packers {
		path := t.TempDir() + "/a"
		put(t, host.OS, path, pack(t, content))
		s, _ := opened(t, host.OS, path, connector.Options{})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n := int64(0)
		for {
			c, err := s.Read(bg, 0)
			if err != nil {
				t.Fatal(err)
			}
			n = c.Next.Offset
			end := c.End
			c.Release()
			if end {
				break
			}
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; n != int64(len(content)) || got > 8<<20 {
			t.Errorf("%s: %d bytes allocated for %d", p, got, n)
		}
	}
}
