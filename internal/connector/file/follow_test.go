package file

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/host"
)

// onDisks runs a test in a directory of each disk, in a bubble where time passes only when everybody waits.
func onDisks(t *testing.T, test func(t *testing.T, disk host.Disk, dir string)) {
	t.Helper()
	dir := t.TempDir()
	t.Run("OS", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(t, host.OS, dir) })
	})
	t.Run("Mem", func(t *testing.T) {
		m := newDisk(t)
		synctest.Test(t, func(t *testing.T) { test(t, m, "/out") })
	})
}

func add(t *testing.T, disk host.Disk, path, content string) {
	t.Helper()
	f, err := disk.OpenRW(path, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Seek(0, 2); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, disk host.Disk, from, to string) {
	t.Helper()
	if err := disk.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// followed opens a source of files without end, at the beginning or where at says.
func followed(t *testing.T, disk host.Disk, url string, from connector.Position) *source {
	t.Helper()
	s := source0(t, disk, url, connector.Options{Follow: true})
	at := starts(t, s)
	for i := range at {
		at[i].Until = -1
	}
	at[0].From = from
	if err := s.Open(bg, at); err != nil {
		t.Fatal(err)
	}
	return s
}

type got struct {
	recs []string
	next connector.Position
	err  error
}

// reading reads the next chunk beside the test.
func reading(t *testing.T, s *source, p int) chan got {
	out := make(chan got, 1)
	go func() {
		c, err := s.Read(t.Context(), p)
		if err != nil {
			out <- got{err: err}
			return
		}
		g := got{next: c.Next}
		for i, span := range c.Spans {
			g.recs = append(g.recs, fmt.Sprintf("%d:%s", c.Pos[i], c.Data[span.Off:span.Off+span.Len]))
		}
		c.Release()
		out <- g
	}()
	return out
}

// atOnce is less than the first wait of a followed file.
const atOnce = pollFirst / 2

// within is what comes in a time; nil when nothing does.
func within(d time.Duration, c chan got) *got {
	select {
	case g := <-c:
		return &g
	case <-time.After(d):
		return nil
	}
}

func (g *got) want(t *testing.T, recs string) {
	t.Helper()
	if g == nil || g.err != nil || fmt.Sprint(g.recs) != recs {
		t.Fatalf("%+v, want %s", g, recs)
	}
}

func TestAFollowedFileIsReadAsItGrows(t *testing.T) {
	onDisks(t, func(t *testing.T, disk host.Disk, dir string) {
		a := dir + "/a"
		put(t, disk, a, "one\r\ntw")
		s := followed(t, disk, a, connector.Position{})
		within(atOnce, reading(t, s, 0)).want(t, "[0:one]")
		r := reading(t, s, 0)
		for _, more := range []string{"", "o", "\r"} {
			add(t, disk, a, more)
			if g := within(time.Minute, r); g != nil {
				t.Fatalf("a line without newline: %+v", g)
			}
		}
		add(t, disk, a, "\nthree\n\nfo")
		within(time.Second, r).want(t, "[5:two 10:three]")
		r = reading(t, s, 0)
		if g := within(time.Hour, r); g != nil {
			t.Fatalf("%+v", g)
		}
		add(t, disk, a, "ur\n")
		g := within(time.Second, r)
		g.want(t, "[17:four]")

		s = followed(t, disk, a, g.next) // a later run
		r = reading(t, s, 0)
		add(t, disk, a, "five\n")
		within(time.Second, r).want(t, "[22:five]")
		if parts, err := s.Partitions(bg); err != nil || parts[0].End != 27 {
			t.Fatalf("%v %+v", err, parts)
		}
	})
}

func TestALineTakenBackAndWrittenOtherwiseIsReadAsItIsThen(t *testing.T) {
	onDisks(t, func(t *testing.T, disk host.Disk, dir string) {
		put(t, disk, dir+"/a", "one\nhalf a li")
		s := followed(t, disk, dir+"/a", connector.Position{})
		within(atOnce, reading(t, s, 0)).want(t, "[0:one]")
		r := reading(t, s, 0)
		if g := within(time.Minute, r); g != nil {
			t.Fatalf("%+v", g)
		}
		put(t, disk, dir+"/a", "one\n")
		if g := within(time.Minute, r); g != nil {
			t.Fatalf("%+v", g)
		}
		put(t, disk, dir+"/a", "one\ntwo\n")
		within(time.Second, r).want(t, "[4:two]")
	})
}

const (
	renamedTry = "what the checkpoint holds is valid: to read the rest put the rotated file back under this name and run once with --keep-open in place of --follow; for the new file start over with a new checkpoint"
	cutTry     = "what the checkpoint holds is valid: to read the rest put the copy that was made before in its place and run once with --keep-open in place of --follow; for the new content start over with a new checkpoint"
)

var rotations = []struct {
	name, how, try string
	rotate         func(t *testing.T, disk host.Disk, a string)
}{
	{"renamed", "it was renamed or removed", renamedTry, func(t *testing.T, disk host.Disk, a string) {
		rename(t, disk, a, a+".1")
	}},
	{"renamed, and a new one", "its name led to another file", renamedTry, func(t *testing.T, disk host.Disk, a string) {
		rename(t, disk, a, a+".1")
		put(t, disk, a, "")
	}},
	{"renamed, and a longer one", "its name led to another file", renamedTry, func(t *testing.T, disk host.Disk, a string) {
		rename(t, disk, a, a+".1")
		put(t, disk, a, "a new one\nthat is longer\n")
	}},
	{"cut", "it was cut to 0 bytes", cutTry, func(t *testing.T, disk host.Disk, a string) {
		put(t, disk, a+".1", contentOf(t, disk, a))
		put(t, disk, a, "")
	}},
	{"cut and grown", "it was cut to 6 bytes", cutTry, func(t *testing.T, disk host.Disk, a string) {
		put(t, disk, a, "three\n")
	}},
	{"cut and grown beyond", "it was written anew from its beginning", cutTry, func(t *testing.T, disk host.Disk, a string) {
		put(t, disk, a, "three\nfour\n")
	}},
	{"cut and grown to the same size", "it was written anew from its beginning", cutTry, func(t *testing.T, disk host.Disk, a string) {
		put(t, disk, a, "thr\nfou\n")
	}},
}

func TestARotatedFileStopsAReadThatWaits(t *testing.T) {
	for _, c := range rotations {
		t.Run(c.name, func(t *testing.T) {
			onDisks(t, func(t *testing.T, disk host.Disk, dir string) {
				a := dir + "/a"
				put(t, disk, a, "one\ntwo\n")
				s := followed(t, disk, a, connector.Position{})
				within(atOnce, reading(t, s, 0)).want(t, "[0:one 4:two]")
				r := reading(t, s, 0)
				if g := within(time.Hour, r); g != nil {
					t.Fatalf("%+v", g)
				}
				c.rotate(t, disk, a)
				g := within(5*time.Second, r)
				if g == nil && c.name == "cut and grown to the same size" {
					// Its size says nothing: it is the engine's list, at least every 5 s, that looks at its bytes.
					_, err := s.Partitions(bg)
					g = &got{err: err}
				}
				if g == nil {
					t.Fatal("not noticed")
				}
				told(t, g.err, fault.LogChanged, a+" was rotated: "+c.how+" when it had been read to position 8", c.try)
			})
		})
	}
}

func TestARotatedFileIsToldByTheListWhetherItIsReadOrNot(t *testing.T) {
	for _, c := range rotations {
		for _, waits := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", c.name, waits), func(t *testing.T) {
				onDisks(t, func(t *testing.T, disk host.Disk, dir string) {
					a := dir + "/a"
					put(t, disk, a, "one\ntwo\n")
					s := followed(t, disk, dir+"/*", connector.Position{})
					within(atOnce, reading(t, s, 0)).want(t, "[0:one 4:two]")
					if waits {
						if g := within(time.Hour, reading(t, s, 0)); g != nil {
							t.Fatalf("%+v", g)
						}
					} else {
						s.parts[0].drop()
					}
					c.rotate(t, disk, a) // the rotated file matches the pattern too, but is not what is told
					_, err := s.Partitions(bg)
					told(t, err, fault.LogChanged, a+" was rotated: "+c.how+" when it had been read to position 8", c.try)
				})
			})
		}
	}
}

func TestAFileReplacedByOneThatBeginsLikeItIsReadOn(t *testing.T) {
	onDisks(t, func(t *testing.T, disk host.Disk, dir string) {
		a := dir + "/a"
		put(t, disk, a, "one\ntwo\n")
		s := followed(t, disk, a, connector.Position{})
		within(atOnce, reading(t, s, 0)).want(t, "[0:one 4:two]")
		r := reading(t, s, 0)
		for i, more := range []string{"", "three\n"} {
			put(t, disk, dir+"/new", "one\ntwo\n"+more)
			rename(t, disk, dir+"/new", a)
			if _, err := s.Partitions(bg); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				if g := within(time.Minute, r); g != nil {
					t.Fatalf("%+v", g)
				}
			}
		}
		within(time.Second, r).want(t, "[8:three]")
	})
}

func TestTheRestOfAFileRenamedBeforeItIsReadComesFirst(t *testing.T) {
	onDisks(t, func(t *testing.T, disk host.Disk, dir string) {
		a := dir + "/a"
		put(t, disk, a, strings.Repeat("x\n", 5000))
		s := followed(t, disk, a, connector.Position{})
		first := within(atOnce, reading(t, s, 0))
		rename(t, disk, a, a+".1")
		put(t, disk, a, "other\n")
		rest := within(atOnce, reading(t, s, 0))
		if len(first.recs)+len(rest.recs) != 5000 {
			t.Fatalf("%d and %d records, %v", len(first.recs), len(rest.recs), rest.err)
		}
		told(t, within(time.Second, reading(t, s, 0)).err, fault.LogChanged,
			a+" was rotated: its name led to another file when it had been read to position 10000", renamedTry)
	})
}

func TestAFileThatAppearsInAFollowedDirectoryIsListed(t *testing.T) {
	onDisks(t, func(t *testing.T, disk host.Disk, dir string) {
		put(t, disk, dir+"/a", "one\n")
		s := followed(t, disk, dir, connector.Position{})
		put(t, disk, dir+"/b.gz", gzipped(t, "x\n"))
		put(t, disk, dir+"/.c", "one\n")
		parts, err := s.Partitions(bg)
		if err != nil || len(parts) != 2 || parts[1].Topic != dir+"/b.gz" {
			t.Fatalf("%v %+v", err, parts)
		}
	})
}

func TestAWaitEndsWithItsContextAndLosesNothing(t *testing.T) {
	onDisks(t, func(t *testing.T, disk host.Disk, dir string) {
		put(t, disk, dir+"/a", "on")
		s := followed(t, disk, dir+"/a", connector.Position{})
		for range 3 {
			ctx, cancel := context.WithTimeout(bg, time.Minute)
			if _, err := s.Read(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			cancel()
		}
		add(t, disk, dir+"/a", "e\n")
		within(atOnce, reading(t, s, 0)).want(t, "[0:one]")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if g := within(time.Minute, reading(t, s, 0)); g == nil || g.err == nil || g.err.Error() != "cannot read "+dir+"/a: file already closed" {
			t.Fatalf("%+v", g)
		}
	})
}

func TestAQuietFileIsLookedAtTwiceASecond(t *testing.T) {
	disk := host.NewFault(newDisk(t))
	put(t, disk, "/out/a", "one\n")
	synctest.Test(t, func(t *testing.T) {
		s := followed(t, disk, "/out/a", connector.Position{})
		within(atOnce, reading(t, s, 0)).want(t, "[0:one]")
		disk.Set(host.Plan{})
		r := reading(t, s, 0)
		if g := within(100*time.Second, r); g != nil {
			t.Fatalf("%+v", g)
		}
		if n := len(disk.Calls()); n < 195 || n > 210 {
			t.Fatalf("%d calls in 100 s", n)
		}
		add(t, disk, "/out/a", "two\n")
		within(500*time.Millisecond, r).want(t, "[4:two]")
	})
}

func TestManyFollowedFilesTakeTurnsBeingOpen(t *testing.T) {
	const n = openMax + 50
	dir := t.TempDir()
	for i := range n {
		put(t, host.OS, fmt.Sprintf("%s/%05d", dir, i), "one\n")
	}
	synctest.Test(t, func(t *testing.T) {
		s := followed(t, host.OS, dir+"/", connector.Position{})
		reads := make([]chan got, n)
		for round, want := range []string{"[0:one]", "[4:two]", "[8:three]"} {
			for i := range n {
				reads[i] = reading(t, s, i)
			}
			if round > 0 {
				if g := within(time.Minute, reads[0]); g != nil {
					t.Fatalf("%+v", g)
				}
				s.mu.Lock()
				if len(s.open) > openMax {
					t.Errorf("%d files are open", len(s.open))
				}
				s.mu.Unlock()
				for i := range n {
					add(t, host.OS, fmt.Sprintf("%s/%05d", dir, i), []string{"", "two\n", "three\n"}[round])
				}
			}
			if _, err := s.Partitions(bg); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				within(time.Second, reads[i]).want(t, want)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestAFollowedFileMayBeginEmptyAndHasItsHeaderChecked(t *testing.T) {
	onDisks(t, func(t *testing.T, disk host.Disk, dir string) {
		a := dir + "/a"
		put(t, disk, a, "")
		s := source0(t, disk, a, connector.Options{Follow: true, Framing: withHeader, HeaderCheck: expect("a,b")})
		at := starts(t, s)
		at[0].Until = -1
		if err := s.Open(bg, at); err != nil {
			t.Fatal(err)
		}
		r := reading(t, s, 0)
		for _, more := range []string{"a", ",b", "\n", "1,\"2\n", ""} {
			add(t, disk, a, more)
			if g := within(time.Minute, r); g != nil {
				t.Fatalf("%+v", g)
			}
		}
		add(t, disk, a, "3\"\n")
		within(time.Second, r).want(t, "[4:1,\"2\n3\"]")

		put(t, disk, dir+"/b", "")
		s = source0(t, disk, dir+"/b", connector.Options{Follow: true, Framing: withHeader, HeaderCheck: expect("a,b")})
		at = starts(t, s)
		at[0].Until = -1
		if err := s.Open(bg, at); err != nil {
			t.Fatal(err)
		}
		r = reading(t, s, 0)
		add(t, disk, dir+"/b", "b,a\n")
		told(t, within(time.Second, r).err, fault.Data, "the first record of "+dir+"/b is not the expected header: it has b,a, not a,b", oneHeader)
	})
}

func TestALineBeyondTheLimitIsPassedWhileItGrows(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		a := dir + "/a"
		put(t, host.OS, a, "one\n")
		s := source0(t, host.OS, a, connector.Options{Follow: true, MaxRecord: 1000})
		at := starts(t, s)
		at[0].Until = -1
		if err := s.Open(bg, at); err != nil {
			t.Fatal(err)
		}
		within(atOnce, reading(t, s, 0)).want(t, "[0:one]")
		out := make(chan *connector.Chunk, 1)
		go func() {
			c, _ := s.Read(t.Context(), 0)
			out <- c
		}()
		for range 40 {
			add(t, host.OS, a, strings.Repeat("x", 10_000))
			select {
			case <-out:
				t.Fatal("a line without end")
			case <-time.After(time.Minute):
			}
			if _, err := s.Partitions(bg); err != nil {
				t.Fatal(err)
			}
		}
		add(t, host.OS, a, "\ntwo\n")
		if c := <-out; c == nil || len(c.Pos) != 1 || c.Next.Offset != 400_005 {
			t.Fatalf("%+v", c)
		}
		within(atOnce, reading(t, s, 0)).want(t, "[400005:two]")
		if err := os.Truncate(a, 10); err != nil {
			t.Fatal(err)
		}
		told(t, within(time.Second, reading(t, s, 0)).err, fault.LogChanged, a+" was rotated: it was cut to 10 bytes when it had been read to position 400009", cutTry)
	})
}
