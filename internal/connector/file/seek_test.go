package file

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/zeebo/xxh3"

	"ubik/internal/codec"
	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/host"
)

var latest = connector.StartPoint{At: connector.StartLatest}

// sought are the starts behind the records there are, as an engine would open them.
func sought(t *testing.T, s *source) []connector.Start {
	t.Helper()
	parts, err := s.Partitions(bg)
	if err != nil {
		t.Fatal(err)
	}
	from, err := s.Seek(bg, latest, parts)
	if err != nil {
		t.Fatal(err)
	}
	var at []connector.Start
	for i, p := range parts {
		start := connector.Start{Partition: p, From: from[i], Until: p.End}
		if s.follow {
			start.Until = -1
		}
		at = append(at, start)
	}
	return at
}

func TestLatestIsBehindTheLastRecordOfEachFile(t *testing.T) {
	fields := codec.Framing{Quote: '"', Escape: '"', Delimiter: ','}
	header := fields
	header.Header = true
	for _, c := range []struct {
		name, content string
		framing       codec.Framing
		now, waiting  int64 // the position where a last line is complete, and where it may grow
	}{
		{"whole lines", "{}\n{}\n", codec.Framing{}, 6, 6},
		{"a last line without newline", "{}\n{", codec.Framing{}, 4, 3},
		{"an open quote", "1,\"a\nb", fields, 6, 0},
		{"a quoted line feed", "1,\"a\nb\"\n", fields, 8, 8},
		{"a header alone", "a,b\n", header, 4, 4},
		{"half a header", "a,", header, 2, 0},
		{"nothing", "", header, 0, 0},
		{"empty lines", "\n\r\n", codec.Framing{}, 3, 3},
	} {
		m := newDisk(t)
		put(t, m, "/out/a", c.content)
		put(t, m, "/out/b", "x\ny\n")
		for _, wait := range []bool{false, true} {
			want := c.now
			if wait {
				want = c.waiting
			}
			s := source0(t, m, "/out/[ab]", connector.Options{Framing: c.framing, KeepOpen: wait})
			at := sought(t, s)
			if from := at[0].From; from.Offset != want || from.Epoch != -1 || from.Hash != xxh3.HashString128(c.content[:want]).Bytes() {
				t.Errorf("%s, waiting %v: %+v, want position %d", c.name, wait, from, want)
			}
			if from := at[1].From; from.Offset != 4 || from.Hash != xxh3.HashString128("x\ny\n").Bytes() {
				t.Errorf("%s: the other file begins at %+v", c.name, from)
			}
			if err := s.Open(bg, at); err != nil {
				t.Errorf("%s, waiting %v: %v", c.name, wait, err)
			}
			if got, next := readAll(t, s, 0); len(got) > 0 || next.Offset != want {
				t.Errorf("%s, waiting %v: %v to %d", c.name, wait, got, next.Offset)
			}
		}
	}
}

func TestARunFromTheLatestReadsWhatIsAppendedAndProvesTheRest(t *testing.T) {
	onDisks(t, func(t *testing.T, disk host.Disk, dir string) {
		path := dir + "/a"
		add(t, disk, path, "1\n2\n3")
		s := source0(t, disk, path, connector.Options{Follow: true})
		defer s.Close()
		at := sought(t, s)
		if at[0].From.Offset != 4 {
			t.Fatalf("%+v", at)
		}
		if err := s.Open(bg, at); err != nil {
			t.Fatal(err)
		}
		c := reading(t, s, 0)
		synctest.Wait()
		add(t, disk, path, "4\n5\n")
		if g := <-c; g.err != nil || fmt.Sprint(g.recs) != "[4:34 7:5]" {
			t.Fatalf("%+v", g)
		}
		f, err := disk.OpenRW(path, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.Write([]byte("9")); err != nil { // over the first byte
			t.Fatal(err)
		}
		again := source0(t, disk, path, connector.Options{Follow: true})
		told(t, again.Open(bg, at), fault.LogChanged, path+": its first 4 bytes changed since they were read", grownOnly)
	})
}

func TestWhereAFileCannotBegin(t *testing.T) {
	m := newDisk(t)
	put(t, m, "/out/a.gz", gzipped(t, "1\n"))
	put(t, m, "/out/b.csv", "a,c\n")
	s := source0(t, m, "/out/a.gz", connector.Options{})
	parts, err := s.Partitions(bg)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Seek(bg, latest, parts)
	told(t, err, fault.Usage, "--start latest: /out/a.gz is compressed, so that its end is not known before all of it is read", "leave --start away, or filter in the query")
	if at, err := s.Seek(bg, connector.StartPoint{}, parts); err != nil || len(at) != 1 || at[0].Offset != 0 {
		t.Errorf("the earliest: %v, %v", at, err)
	}
	for text, start := range map[string]connector.StartPoint{
		"2026-01-01 00:00:00": {At: connector.StartTime, Time: 1767225600000000},
		"{0:5}":               {At: connector.StartOffsets, Offsets: []connector.PartitionOffset{{Partition: 0, Offset: 5}}},
	} {
		_, err = s.Seek(bg, start, parts)
		told(t, err, fault.Usage, "--start "+text+": /out/a.gz has no times and no numbered partitions of its own", "write earliest or latest, or filter in the query")
	}

	s = source0(t, m, "/out/b.csv", connector.Options{Framing: withHeader, HeaderCheck: expect("a,b")})
	if parts, err = s.Partitions(bg); err != nil {
		t.Fatal(err)
	}
	_, err = s.Seek(bg, latest, parts)
	told(t, err, fault.Data, "the first record of /out/b.csv is not the expected header: it has a,c, not a,b", oneHeader)
	put(t, m, "/out/b.csv", "a,b")
	_, err = s.Seek(bg, latest, parts)
	told(t, err, fault.LogChanged, "/out/b.csv is shorter (3 bytes) than the 4 bytes it had at the start", grownOnly)
	m.Remove("/out/b.csv")
	_, err = s.Seek(bg, latest, parts)
	told(t, err, fault.LogChanged, "/out/b.csv is gone", grownOnly)
}
