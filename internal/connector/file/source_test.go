package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"ubik/internal/codec"
	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/host"
)

var bg = context.Background()

func source0(t *testing.T, disk host.Disk, url string, o connector.Options) *source {
	t.Helper()
	o.Disk = disk
	s, err := Kind.NewSource(url, &o)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*source)
}

// starts are the whole files that a source lists.
func starts(t *testing.T, s connector.Source) []connector.Start {
	t.Helper()
	parts, err := s.Partitions(bg)
	if err != nil {
		t.Fatal(err)
	}
	var at []connector.Start
	for _, p := range parts {
		at = append(at, connector.Start{Partition: p, Until: p.End})
	}
	return at
}

func opened(t *testing.T, disk host.Disk, url string, o connector.Options) (*source, int) {
	t.Helper()
	s := source0(t, disk, url, o)
	at := starts(t, s)
	if err := s.Open(bg, at); err != nil {
		t.Fatal(err)
	}
	return s, len(at)
}

// step reads one chunk and describes its records.
func step(t *testing.T, s connector.Source, p int) (out []string, c connector.Chunk) {
	t.Helper()
	got, err := s.Read(bg, p)
	if err != nil {
		t.Fatal(err)
	}
	for i, span := range got.Spans {
		v := "HUGE"
		if span.Len != codec.HugeLen {
			v = string(got.Data[span.Off : span.Off+span.Len])
		}
		out = append(out, fmt.Sprintf("%d:%s", got.Pos[i], v))
	}
	c = *got
	got.Release()
	return out, c
}

func readAll(t *testing.T, s connector.Source, p int) (out []string, next connector.Position) {
	t.Helper()
	for {
		recs, c := step(t, s, p)
		out = append(out, recs...)
		if c.End {
			return out, c.Next
		}
	}
}

func TestFilesAreFoundByEveryFormOfAURL(t *testing.T) {
	m := newDisk(t)
	put(t, m, "/out/a.jsonl", "{}\n")
	put(t, m, "/out/b.jsonl", "{}\n{}\n")
	put(t, m, "/out/c.txt", "")
	put(t, m, "/out/x[1].jsonl", "")
	m.Mkdir(`/out/dir.jsonl/x\y`)
	put(t, m, `/out/dir.jsonl/x\y/b`, "")
	put(t, m, `/out/dir.jsonl/x\y/a`, "1")
	put(t, m, `/out/dir.jsonl/x\y/.c`, "1")
	put(t, m, "/out/.a.jsonl.swp", "")
	for url, want := range map[string]string{
		"/out/a.jsonl":          "[/out/a.jsonl=3]",
		"file:///out//a.jsonl":  "[/out/a.jsonl=3]",
		"FILE://out/./b.jsonl":  "[out/b.jsonl=6]",
		"/out/?.jsonl":          "[/out/a.jsonl=3 /out/b.jsonl=6]",
		"file:///out/../out/*":  "[/out/.a.jsonl.swp=0 /out/a.jsonl=3 /out/b.jsonl=6 /out/c.txt=0 /out/x[1].jsonl=0]",
		`/out/x\[1].jsonl`:      `[/out/x[1].jsonl=0]`,
		"/out/[bc].*":           "[/out/b.jsonl=6 /out/c.txt=0]",
		"file:///out/../out/c*": "[/out/c.txt=0]",
		"/out":                  "[/out/a.jsonl=3 /out/b.jsonl=6 /out/c.txt=0 /out/x[1].jsonl=0]",
		"file:///out/":          "[/out/a.jsonl=3 /out/b.jsonl=6 /out/c.txt=0 /out/x[1].jsonl=0]",
		`/out/dir.jsonl/x\y`:    `[/out/dir.jsonl/x\y/a=1 /out/dir.jsonl/x\y/b=0]`,
	} {
		parts, err := source0(t, m, url, connector.Options{}).Partitions(bg)
		var got []string
		for _, p := range parts {
			if p.Index != connector.NoIndex || p.Earliest != 0 || p.LogID != "" || p.Epoch != -1 {
				t.Errorf("%s: %+v", url, p)
			}
			got = append(got, fmt.Sprintf("%s=%d", p.Topic, p.End))
		}
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: %v %v, want %s", url, err, got, want)
		}
	}
}

func TestASourceThatCannotBeReadIsToldApart(t *testing.T) {
	m := newDisk(t)
	put(t, m, "/out/a.jsonl.gz", "x")
	m.Mkdir("/out/d.d/below")
	put(t, m, "/out/d.d/.hidden", "x")
	put(t, m, "/out/d.d/below/a", "x")
	m.Mkdir("/out/x.d")
	put(t, m, "/out/x.d/a.xz", "\xfd7zXZ\x00\x00")
	put(t, m, "/out/x.d/b.log", "BZh91AY&SY\x00")
	put(t, m, "/out/x.d/c.lz4", "\x04\x22\x4d\x18\x00")
	put(t, m, "/out/x.d/d.zip", "PK\x03\x04\x00")
	m.Symlink("nowhere/e.jsonl", "/out/e.jsonl")
	m.Symlink("round.jsonl", "/out/round.jsonl")
	for url, want := range map[string][2]string{
		"/out/none.jsonl":   {"there is no file /out/none.jsonl", "check the path; a relative one starts at the working directory"},
		"/out/d.d/":         {"there is no file in the directory /out/d.d", "check the path; files whose names begin with a dot and those in directories below are not read"},
		"/out":              {"/out/e.jsonl is a link to /out/nowhere/e.jsonl, where there is no file", "put the file there, remove the link, or give a pattern that leaves it out"},
		"/out/none*":        {"no file matches /out/none*", `check the pattern: * does not match /, and \ makes a *, ? or [ ordinary`},
		"/out/d.*":          {"no file matches /out/d.*", `check the pattern: * does not match /, and \ makes a *, ? or [ ordinary`},
		"/out/*/x[a-":       {"the pattern /out/*/x[a- is not complete", `close the [ of a set, or put \ before a [ that belongs to the name`},
		"/out/**/\\":        {`the pattern /out/**/\ is not complete`, `close the [ of a set, or put \ before a [ that belongs to the name`},
		"/out/a[.jsonl":     {"the pattern /out/a[.jsonl is not complete", `close the [ of a set, or put \ before a [ that belongs to the name`},
		"/out/**/none*":     {"no file matches /out/**/none*", `check the pattern: ** enters no link and no directory whose name begins with a dot, * does not match /, and \ makes a *, ? or [ ordinary`},
		"/out/b.gz":         {"there is no file /out/b.gz", "check the path; a relative one starts at the working directory"},
		"/out/x.d/b.log":    {"/out/x.d/b.log is compressed with bzip2, which is not supported", "decompress it first, or read standard input: bzcat /out/x.d/b.log | ubik --from - …"},
		"/out/x.d/":         {"/out/x.d/a.xz is compressed with xz, which is not supported", "decompress it first, or read standard input: xzcat /out/x.d/a.xz | ubik --from - …"},
		"/out/x.d/*.lz4":    {"/out/x.d/c.lz4 is compressed with lz4, which is not supported", "decompress it first, or read standard input: lz4cat /out/x.d/c.lz4 | ubik --from - …"},
		"/out/x.d/d.zip":    {"/out/x.d/d.zip is compressed with zip, which is not supported", "decompress it first, or read standard input: unzip -p /out/x.d/d.zip | ubik --from - …"},
		"/out/e*":           {"/out/e.jsonl is a link to /out/nowhere/e.jsonl, where there is no file", "put the file there, remove the link, or give a pattern that leaves it out"},
		"/out/e.jsonl":      {"there is no file /out/e.jsonl", "check the path; a relative one starts at the working directory"},
		"/out/round*":       {"cannot open /out/round.jsonl: too many levels of symbolic links", "check the path"},
		"/out/a.jsonl.gz/b": {"cannot open /out/a.jsonl.gz/b: not a directory", "check the path"},
		"":                  {`"" names no file`, "write a path, such as logs/a.jsonl or file:///srv/logs/a.jsonl"},
	} {
		s, err := Kind.NewSource(url, &connector.Options{Disk: m})
		if err == nil {
			_, err = s.Partitions(bg)
		}
		told(t, err, fault.Usage, want[0], want[1])
	}
	s := source0(t, host.OS, "/dev/null", connector.Options{})
	_, err := s.Partitions(bg)
	told(t, err, fault.Usage, "/dev/null is a device, a pipe or a socket, which cannot be read twice",
		"read it as standard input: ubik --from - … < /dev/null")
}

// unlisted is a disk that cannot look into a directory.
type unlisted struct {
	host.Disk
	dir string
	err error
}

func (d unlisted) Glob(string) ([]string, error) {
	return nil, &fs.PathError{Op: "open", Path: d.dir, Err: d.err}
}

func TestAPatternNamesTheDirectoryThatCannotBeRead(t *testing.T) {
	_, err := source0(t, unlisted{newDisk(t), "/out/locked", syscall.EACCES}, "/out/*/*.jsonl", connector.Options{}).Partitions(bg)
	told(t, err, fault.Usage, "cannot look for /out/*/*.jsonl in /out/locked: permission denied", "check its permissions, or give a pattern that leaves it out")
	_, err = source0(t, unlisted{newDisk(t), "/out", syscall.EMFILE}, "/out/*.jsonl", connector.Options{}).Partitions(bg)
	told(t, err, fault.Internal, "cannot look for /out/*.jsonl in /out: too many open files", "raise the limit of open files (ulimit -n) and start the same command again")
}

func TestTheExamplesAreAccepted(t *testing.T) {
	for _, url := range Kind.Examples {
		if _, err := Kind.NewSource(url, &connector.Options{}); err != nil {
			t.Error(err)
		}
	}
}

func TestOnlyTheBytesBeforeTheFixedEndAreRead(t *testing.T) {
	m := newDisk(t)
	put(t, m, "/out/a", "one\ntwo\nthr")
	s, _ := opened(t, m, "/out/a", connector.Options{})
	put(t, m, "/out/a", "one\ntwo\nthree\nfour\n")
	got, next := readAll(t, s, 0)
	if fmt.Sprint(got) != "[0:one 4:two 8:thr]" || next.Offset != 11 {
		t.Fatalf("%v to %d", got, next.Offset)
	}
}

func TestALastLineWaitsForItsNewlineWithKeepOpen(t *testing.T) {
	m := newDisk(t)
	put(t, m, "/out/a", "one\nthr")
	s, _ := opened(t, m, "/out/a", connector.Options{KeepOpen: true})
	got, next := readAll(t, s, 0)
	if fmt.Sprint(got) != "[0:one]" || next.Offset != 4 {
		t.Fatalf("%v to %d", got, next.Offset)
	}
	put(t, m, "/out/a", "one\nthree\n")
	s = source0(t, m, "/out/a", connector.Options{KeepOpen: true})
	at := starts(t, s)
	at[0].From = next
	if err := s.Open(bg, at); err != nil {
		t.Fatal(err)
	}
	if got, next = readAll(t, s, 0); fmt.Sprint(got) != "[4:three]" || next.Offset != 10 {
		t.Fatalf("%v to %d", got, next.Offset)
	}
}

func TestAStartWithoutAnEndEndsAtTheSizeAtOpen(t *testing.T) {
	for _, until := range []int64{-1, connector.EndUnknown} {
		m := newDisk(t)
		put(t, m, "/out/a", "one\n")
		s := source0(t, m, "/out/a", connector.Options{})
		at := starts(t, s)
		at[0].Until = until
		if err := s.Open(bg, at); err != nil {
			t.Fatal(err)
		}
		if got, next := readAll(t, s, 0); fmt.Sprint(got) != "[0:one]" || next.Offset != 4 {
			t.Fatalf("%v to %d", got, next.Offset)
		}
	}
}

func TestARunResumedAtAnyRecordYieldsTheRest(t *testing.T) {
	const seed = 11
	rnd := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	for range 9000 {
		b.WriteString(strings.Repeat("v", rnd.IntN(70)) + []string{"\n", "\r\n"}[rnd.IntN(2)])
	}
	m := newDisk(t)
	put(t, m, "/out/a", b.String())
	s, _ := opened(t, m, "/out/a", connector.Options{})
	all, last := readAll(t, s, 0)

	s, _ = opened(t, m, "/out/a", connector.Options{})
	done := 0
	for {
		c, err := s.Read(bg, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(c.Pos); i += 700 {
			again := source0(t, m, "/out/a", connector.Options{})
			at := starts(t, again)
			at[0].From = c.At(i)
			if err := again.Open(bg, at); err != nil {
				t.Fatalf("seed %d: from record %d: %v", seed, done+i, err)
			}
			got, next := readAll(t, again, 0)
			if next != last || fmt.Sprint(got) != fmt.Sprint(all[done+i:]) {
				t.Fatalf("seed %d: from record %d: %d records to %+v", seed, done+i, len(got), next)
			}
		}
		done += len(c.Pos)
		end := c.End
		c.Release()
		if end {
			break
		}
	}
	if done != len(all) || done < 4096*2 {
		t.Fatalf("%d records", done)
	}
}

func TestAChangedPrefixIsNeverReadOn(t *testing.T) {
	const old = "one\ntwo\nthree\n"
	m := newDisk(t)
	put(t, m, "/out/a", old)
	s, _ := opened(t, m, "/out/a", connector.Options{})
	c, err := s.Read(bg, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := connector.Start{Partition: connector.Partition{PartitionID: connector.PartitionID{Topic: "/out/a"}}, From: c.At(2), Until: 14}
	try := "a file that is read may only grow: put its old content back, or start over with a new checkpoint"
	for content, msg := range map[string]string{
		"one\ntwO\nthree\n":     "/out/a: its first 8 bytes changed since they were read",
		"\none\ntwo\nthree\n":   "/out/a: its first 8 bytes changed since they were read",
		"one\n":                 "/out/a is shorter (4 bytes) than the 8 bytes already read",
		"one\ntwo\nthr":         "/out/a is shorter (11 bytes) than the 14 bytes it had at the start",
		"":                      "/out/a is shorter (0 bytes) than the 8 bytes already read",
		"one\ntwo\nother\n":     "",
		old + "more\n":          "",
		"one\ntwo\nthree\nmore": "",
	} {
		put(t, m, "/out/a", content)
		err := source0(t, m, "/out/a", connector.Options{}).Open(bg, []connector.Start{at})
		if msg == "" {
			if err != nil {
				t.Errorf("%q: %v", content, err)
			}
			continue
		}
		told(t, err, fault.LogChanged, msg, try)
	}
	m.Remove("/out/a")
	told(t, source0(t, m, "/out/a", connector.Options{}).Open(bg, []connector.Start{at}), fault.LogChanged, "/out/a is gone", try)
}

func TestAFileThatShrinksOrGoesWhileItIsReadIsNoticed(t *testing.T) {
	m := newDisk(t)
	put(t, m, "/out/a", strings.Repeat("x\n", 300_000))
	put(t, m, "/out/b", "b\n")
	s, _ := opened(t, m, "/out/?", connector.Options{})
	step(t, s, 0)
	put(t, m, "/out/a", "x\n")
	const msg = "/out/a is shorter (2 bytes) than the 600000 bytes it had at the start"
	_, err := s.Partitions(bg)
	told(t, err, fault.LogChanged, msg, grownOnly)
	for err = nil; err == nil; {
		_, err = s.Read(bg, 0)
	}
	told(t, err, fault.LogChanged, msg, grownOnly)

	put(t, m, "/out/a", strings.Repeat("x\n", 300_000))
	m.Remove("/out/b")
	_, err = s.Partitions(bg)
	told(t, err, fault.LogChanged, "/out/b is gone", grownOnly)
	_, err = s.Read(bg, 1)
	told(t, err, fault.LogChanged, "/out/b is gone", grownOnly)
}

// files makes n files of some records each.
func files(t *testing.T, m *host.Mem, n, records int) (want [][]string) {
	t.Helper()
	for i := range n {
		var b strings.Builder
		var recs []string
		for r := range records {
			recs = append(recs, fmt.Sprintf(`%d:{"file":%d,"n":%d}`, b.Len(), i, r))
			fmt.Fprintf(&b, "{\"file\":%d,\"n\":%d}\n", i, r)
		}
		put(t, m, fmt.Sprintf("/out/%05d.jsonl", i), b.String())
		want = append(want, recs)
	}
	return want
}

func TestAThousandFilesAreReadInAnyOrderWithFewOpen(t *testing.T) {
	m := newDisk(t)
	want := files(t, m, 1000, 3)
	s, n := opened(t, m, "/out/*.jsonl", connector.Options{})
	if n != 1000 {
		t.Fatalf("%d partitions", n)
	}
	for _, i := range rand.New(rand.NewPCG(3, 3)).Perm(n) {
		got, _ := readAll(t, s, i)
		if fmt.Sprint(got) != fmt.Sprint(want[i]) {
			t.Fatalf("file %d: %v", i, got)
		}
		if len(s.open) != 0 {
			t.Fatalf("%d files are open after their end", len(s.open))
		}
	}
}

func TestFilesReadInTurnsTakeTurnsBeingOpen(t *testing.T) {
	m := newDisk(t)
	want := files(t, m, openMax+20, 5000)
	s, n := opened(t, m, "/out/*.jsonl", connector.Options{})
	got := make([][]string, n)
	for left := n; left > 0; {
		for i := range n {
			if len(got[i]) == len(want[i]) {
				continue
			}
			recs, c := step(t, s, i)
			got[i] = append(got[i], recs...)
			if len(s.open) > openMax {
				t.Fatalf("%d files are open", len(s.open))
			}
			if c.End {
				left--
			}
		}
	}
	for i := range n {
		if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) {
			t.Fatalf("file %d differs", i)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAFileReplacedWhileItIsClosedIsComparedBeforeItIsReadOn(t *testing.T) {
	for _, same := range []bool{true, false} {
		m := newDisk(t)
		want := files(t, m, 1, 9000)
		content := contentOf(t, m, "/out/00000.jsonl")
		s, _ := opened(t, m, "/out/*.jsonl", connector.Options{})
		first, c := step(t, s, 0)
		s.parts[0].drop()
		if !same {
			content = "?" + content[1:]
		}
		put(t, m, "/out/new", content)
		m.Rename("/out/new", "/out/00000.jsonl")
		if !same {
			_, err := s.Read(bg, 0)
			told(t, err, fault.LogChanged,
				fmt.Sprintf("/out/00000.jsonl: its first %d bytes changed since they were read", c.Next.Offset), grownOnly)
			continue
		}
		rest, _ := readAll(t, s, 0)
		if fmt.Sprint(append(first, rest...)) != fmt.Sprint(want[0]) {
			t.Fatal("the records differ")
		}
	}
}

func TestAnEndedContextStopsEveryCall(t *testing.T) {
	m := newDisk(t)
	files(t, m, 2, 3)
	s, _ := opened(t, m, "/out/*", connector.Options{})
	ctx, cancel := context.WithCancel(bg)
	cancel()
	_, err1 := s.Read(ctx, 0)
	_, err2 := s.Partitions(ctx)
	if !errors.Is(err1, context.Canceled) || !errors.Is(err2, context.Canceled) {
		t.Fatal(err1, err2)
	}
	if got, _ := readAll(t, s, 0); len(got) != 3 {
		t.Fatalf("%v", got)
	}
}

func TestARecordOverTheLimitIsNamedByItsPosition(t *testing.T) {
	m := newDisk(t)
	put(t, m, "/out/a", "12345\n123456\n12345\r\n")
	s, _ := opened(t, m, "/out/a", connector.Options{MaxRecord: 5})
	if got, _ := readAll(t, s, 0); fmt.Sprint(got) != "[0:12345 6:HUGE 13:12345]" {
		t.Fatalf("%v", got)
	}
}
