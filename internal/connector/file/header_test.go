package file

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ubik/internal/codec"
	"ubik/internal/connector"
	"ubik/internal/fault"
)

var withHeader = codec.Framing{Quote: '"', Escape: '"', Header: true}

// expect is a check of a header.
func expect(want string) func([]byte) error {
	return func(got []byte) error {
		if string(got) != want {
			return errors.New("it has " + string(got) + ", not " + want)
		}
		return nil
	}
}

const oneHeader = "the files of one source have one header: give a pattern that leaves this one out, or put it right"

func TestEachFileHasTheHeaderThatIsExpected(t *testing.T) {
	m := newDisk(t)
	put(t, m, "/out/a.csv", "\xef\xbb\xbfa,b\r\n1,2\n")
	put(t, m, "/out/b.csv", gzipped(t, "\na,b\n", "3,\"\n\"\n"))
	put(t, m, "/out/c.csv", "")
	put(t, m, "/out/d.csv", "a,b")
	o := connector.Options{Framing: withHeader, HeaderCheck: expect("a,b")}
	s, n := opened(t, m, "/out/*.csv", o)
	for i, want := range []string{"[8:1,2]", "[5:3,\"\n\"]", "[]", "[]"} {
		if got, _ := readAll(t, s, i); n != 4 || fmt.Sprint(got) != want {
			t.Errorf("%d: %v, want %s", i, got, want)
		}
	}
	for path, pack := range map[string]func(*testing.T, ...string) string{
		"/out/e.csv": func(_ *testing.T, texts ...string) string { return strings.Join(texts, "") },
		"/out/f.csv": gzipped,
	} {
		put(t, m, path, pack(t, "a,c\n1,2\n"))
		s = source0(t, m, "/out/*.csv", o)
		told(t, s.Open(bg, starts(t, s)), fault.Data, "the first record of "+path+" is not the expected header: it has a,c, not a,b", oneHeader)
		put(t, m, path, pack(t, "a,b\n1,2\n"))
		s = source0(t, m, path, o)
		at := starts(t, s)
		if err := s.Open(bg, at); err != nil {
			t.Fatal(err)
		}
		put(t, m, path, pack(t, "a,c\n1,2\n"))
		if _, err := s.Read(bg, 0); err == nil {
			t.Fatal("changed before it was read")
		}
		m.Remove(path)
	}
}

func TestAChecksOwnAdviceIsKept(t *testing.T) {
	m := newDisk(t)
	put(t, m, "/out/a", "x\n")
	o := connector.Options{Framing: withHeader, HeaderCheck: func([]byte) error { return fault.New(fault.Usage, "it is odd", "even it") }}
	s := source0(t, m, "/out/a", o)
	told(t, s.Open(bg, starts(t, s)), fault.Data, "the first record of /out/a is not the expected header: it is odd", "even it")
	s = source0(t, m, "/out/a", connector.Options{Framing: withHeader})
	if err := s.Open(bg, starts(t, s)); err != nil {
		t.Fatal(err)
	}
}

func TestAHeaderOverTheLimitIsNoHeader(t *testing.T) {
	m := newDisk(t)
	put(t, m, "/out/a", strings.Repeat("x", 300)+"\n1\n")
	s := source0(t, m, "/out/a", connector.Options{Framing: withHeader, MaxRecord: 100})
	told(t, s.Open(bg, starts(t, s)), fault.Data,
		"the first record of /out/a is not the expected header: it is longer than the longest record that is permitted", oneHeader)
}

func TestTheHeaderIsCheckedAgainWhenARunResumes(t *testing.T) {
	for p, pack := range map[packing]func(*testing.T, ...string) string{
		plain: func(_ *testing.T, texts ...string) string { return strings.Join(texts, "") }, gz: gzipped, zst: zstandard,
	} {
		m := newDisk(t)
		put(t, m, "/out/a", pack(t, "a,b\n1,2\n3,4\n"))
		s, _ := opened(t, m, "/out/a", connector.Options{Framing: withHeader})
		c, err := s.Read(bg, 0)
		if err != nil {
			t.Fatal(err)
		}
		at := starts(t, s)
		at[0].From = c.At(1)
		var got string
		s = source0(t, m, "/out/a", connector.Options{Framing: withHeader, HeaderCheck: func(b []byte) error {
			got += string(b)
			return nil
		}})
		if err := s.Open(bg, at); err != nil || got != "a,b" {
			t.Fatalf("%s: %v %q", p, err, got)
		}
		if recs, _ := readAll(t, s, 0); fmt.Sprint(recs) != "[8:3,4]" {
			t.Fatalf("%s: %v", p, recs)
		}
		s = source0(t, m, "/out/a", connector.Options{Framing: withHeader, HeaderCheck: expect("c")})
		told(t, s.Open(bg, at), fault.LogChanged, "/out/a: its first 8 bytes changed since they were read", "a file that is read may only grow: put its old content back, or start over with a new checkpoint")
	}
}

func TestAHeaderThatIsNotWholeWaitsWithKeepOpen(t *testing.T) {
	m := newDisk(t)
	o := connector.Options{Framing: withHeader, KeepOpen: true, HeaderCheck: expect("a,b")}
	var at connector.Position
	for _, step := range []struct{ content, want string }{
		{"\n\n", "[]"}, {"\n\na,", "[]"}, {"\n\na,b\n", "[]"}, {"\n\na,b\n1,2\n3", "[6:1,2]"}, {"\n\na,b\n1,2\n3,4\n", "[10:3,4]"},
	} {
		put(t, m, "/out/a", step.content)
		s := source0(t, m, "/out/a", o)
		all := starts(t, s)
		all[0].From = at
		if err := s.Open(bg, all); err != nil {
			t.Fatal(err)
		}
		var got []string
		if got, at = readAll(t, s, 0); fmt.Sprint(got) != step.want {
			t.Fatalf("%q: %v, want %s", step.content, got, step.want)
		}
	}
}
