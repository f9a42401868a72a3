package host_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ubik/internal/host"
)

// place is a disk under test with an empty directory on it.
type place struct {
	disk    host.Disk
	dir     string
	mkdir   func(name string) error
	symlink func(target, name string) error
}

// TestEveryDiskAnswersAlike runs one suite on the real disk, on its twin in memory, and through the wrappers.
func TestEveryDiskAnswersAlike(t *testing.T) {
	real := func(t *testing.T) place {
		return place{host.OS, t.TempDir(), func(name string) error { return os.Mkdir(name, 0o755) }, os.Symlink}
	}
	mem := func(t *testing.T) place {
		m := host.NewMem()
		if err := m.Mkdir("/data/here"); err != nil {
			t.Fatal(err)
		}
		return place{m, "/data/here", m.Mkdir, m.Symlink}
	}
	disks := map[string]func(t *testing.T) place{
		"OS":  real,
		"Mem": mem,
		"Fault": func(t *testing.T) place {
			p := mem(t)
			p.disk = host.NewFault(p.disk)
			return p
		},
		"Quota": func(t *testing.T) place {
			p := real(t)
			p.disk = host.NewQuota(p.disk, 1<<20)
			return p
		},
	}
	for name, make := range disks {
		for _, c := range conformance {
			t.Run(name+"/"+c.name, func(t *testing.T) { c.run(t, make(t)) })
		}
	}
}

var conformance = []struct {
	name string
	run  func(t *testing.T, p place)
}{
	{"writes are read back at their positions", func(t *testing.T, p place) {
		f := p.openRW(t, "a")
		p.write(t, f, "hello world")
		at, err := f.Seek(6, io.SeekStart)
		if at != 6 || err != nil {
			t.Fatal(at, err)
		}
		p.write(t, f, "there, all")
		if got := p.read(t, "a"); got != "hello there, all" {
			t.Fatalf("got %q", got)
		}
		part := make([]byte, 5)
		if n, err := f.ReadAt(part, 6); n != 5 || err != nil || string(part) != "there" {
			t.Fatal(n, err, string(part))
		}
		if n, err := f.ReadAt(part, 14); n != 2 || err != io.EOF {
			t.Fatal(n, err)
		}
		if n, err := f.Read(part); n != 0 || err != io.EOF {
			t.Fatal(n, err)
		}
		if at, err := f.Seek(-3, io.SeekEnd); at != 13 || err != nil {
			t.Fatal(at, err)
		}
		if n, err := f.Read(part); n != 3 || err != nil {
			t.Fatal(n, err)
		}
		if at, err := f.Seek(0, io.SeekCurrent); at != 16 || err != nil {
			t.Fatal(at, err)
		}
		p.text(t, second(f.Seek(-1, io.SeekStart)), "seek $/a: invalid argument")
	}},
	{"a gap and a longer length are zeros, also where bytes were before", func(t *testing.T, p place) {
		f := p.openRW(t, "a")
		p.write(t, f, "abcdef")
		check(t, f.Truncate(2))
		check(t, f.Truncate(4))
		check(t, second(f.Seek(6, io.SeekStart)))
		p.write(t, f, "g")
		if got := p.read(t, "a"); got != "ab\x00\x00\x00\x00g" {
			t.Fatalf("got %q", got)
		}
		if n, err := f.Size(); n != 7 || err != nil {
			t.Fatal(n, err)
		}
	}},
	{"opening to write creates but never truncates", func(t *testing.T, p place) {
		p.put(t, "a", "one")
		p.put(t, "a", "T")
		if got := p.read(t, "a"); got != "Tne" {
			t.Fatalf("got %q", got)
		}
	}},
	{"what is absent is named", func(t *testing.T, p place) {
		p.text(t, second(p.disk.Open(p.at("a"))), "open $/a: no such file or directory")
		p.text(t, second(p.disk.OpenRW(p.at("no/a"), 0o600)), "open $/no/a: no such file or directory")
		p.text(t, second(p.disk.Stat(p.at("a"))), "stat $/a: no such file or directory")
		p.text(t, p.disk.Remove(p.at("a")), "remove $/a: no such file or directory")
		p.text(t, p.disk.Rename(p.at("a"), p.at("b")), "rename $/a $/b: no such file or directory")
		p.text(t, p.disk.Link(p.at("a"), p.at("b")), "link $/a $/b: no such file or directory")
		p.text(t, p.disk.SyncDir(p.at("no")), "open $/no: no such file or directory")
		if _, err := p.disk.Stat(p.at("a")); !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}},
	{"a file is no directory and a directory no file", func(t *testing.T, p place) {
		check(t, p.mkdir(p.at("d")))
		p.put(t, "f", "x")
		p.put(t, "d/x", "x")
		p.text(t, second(p.disk.OpenRW(p.at("d"), 0o600)), "open $/d: is a directory")
		p.text(t, second(p.disk.Open(p.at("f/x"))), "open $/f/x: not a directory")
		p.text(t, second(p.disk.Stat(p.at("f/x"))), "stat $/f/x: not a directory")
		p.text(t, p.disk.Rename(p.at("f"), p.at("d")), "rename $/f $/d: file exists")
		p.text(t, p.disk.Remove(p.at("d")), "remove $/d: directory not empty")
		d, err := p.disk.Open(p.at("d"))
		check(t, err)
		p.text(t, second(d.Read(make([]byte, 1))), "read $/d: is a directory")
		check(t, d.Close())
		for name, want := range map[string]host.Info{"d": {IsDir: true}, "f": {Regular: true}} {
			info, err := p.disk.Stat(p.at(name))
			if err != nil || info.IsDir != want.IsDir || info.Regular != want.Regular {
				t.Fatal(name, info, err)
			}
		}
		check(t, p.disk.Remove(p.at("d/x")))
		check(t, p.disk.Remove(p.at("d")))
	}},
	{"a file opened for reading is not written", func(t *testing.T, p place) {
		p.put(t, "a", "one")
		f, err := p.disk.Open(p.at("a"))
		check(t, err)
		p.text(t, second(f.Write([]byte("x"))), "write $/a: bad file descriptor")
		p.text(t, f.Truncate(0), "truncate $/a: invalid argument")
		check(t, f.Sync())
		check(t, f.Close())
	}},
	{"a closed file refuses every call", func(t *testing.T, p place) {
		f := p.openRW(t, "a")
		check(t, f.Close())
		p.text(t, second(f.Read(make([]byte, 1))), "read $/a: file already closed")
		p.text(t, second(f.ReadAt(make([]byte, 1), 0)), "read $/a: file already closed")
		p.text(t, second(f.Seek(0, io.SeekStart)), "seek $/a: file already closed")
		p.text(t, f.Sync(), "sync $/a: file already closed")
		p.text(t, f.Truncate(0), "truncate $/a: file already closed")
		p.text(t, f.Lock(), "lock $/a: file already closed")
		p.text(t, f.Close(), "close $/a: file already closed")
		for _, err := range []error{second(f.Write([]byte("x"))), second(f.Size()), second(f.Stat())} {
			if !errors.Is(err, fs.ErrClosed) {
				t.Fatal(err)
			}
		}
		if f.Name() != p.at("a") {
			t.Fatal(f.Name())
		}
	}},
	{"a rename replaces, and the identity goes with the file", func(t *testing.T, p place) {
		f := p.openRW(t, "new")
		p.write(t, f, "new")
		p.put(t, "old", "old")
		before, err := p.disk.Stat(p.at("old"))
		check(t, err)
		own, err := f.Stat()
		check(t, err)
		old, err := p.disk.Open(p.at("old"))
		check(t, err)
		check(t, p.disk.Rename(p.at("new"), p.at("old")))
		after, err := p.disk.Stat(p.at("old"))
		check(t, err)
		if own.ID == "" || after.ID != own.ID || before.ID == own.ID {
			t.Fatal(before, own, after)
		}
		if _, err := p.disk.Stat(p.at("new")); !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if got := p.read(t, "old"); got != "new" {
			t.Fatalf("got %q", got)
		}
		// An open file outlives its name.
		if b, err := io.ReadAll(old); string(b) != "old" || err != nil {
			t.Fatalf("got %q, %v", b, err)
		}
		check(t, old.Close())
		check(t, p.disk.SyncDir(p.dir))
	}},
	{"a link is one file under two names", func(t *testing.T, p place) {
		p.put(t, "a", "one")
		check(t, p.disk.Link(p.at("a"), p.at("b")))
		p.text(t, p.disk.Link(p.at("a"), p.at("b")), "link $/a $/b: file exists")
		p.put(t, "b", "T")
		check(t, p.disk.Remove(p.at("b")))
		if got := p.read(t, "a"); got != "Tne" {
			t.Fatalf("got %q", got)
		}
	}},
	{"a lock is held by one open file, through a rename, until its close", func(t *testing.T, p place) {
		a, b := p.openRW(t, "a"), p.openRW(t, "a")
		check(t, a.Lock())
		check(t, a.Lock())
		if err := b.Lock(); !errors.Is(err, host.ErrLocked) {
			t.Fatal(err)
		}
		p.text(t, b.Lock(), "lock $/a: locked by another process")
		check(t, p.disk.Rename(p.at("a"), p.at("b")))
		c, err := p.disk.Open(p.at("b"))
		check(t, err)
		if err := c.Lock(); !errors.Is(err, host.ErrLocked) {
			t.Fatal(err)
		}
		check(t, a.Close())
		check(t, c.Lock())
		check(t, c.Close())
		check(t, b.Lock())
		check(t, b.Close())
	}},
	{"symbolic links are followed", func(t *testing.T, p place) {
		check(t, p.mkdir(p.at("d")))
		p.put(t, "d/real", "one")
		check(t, p.symlink("d/real", p.at("rel")))
		check(t, p.symlink(p.at("rel"), p.at("abs")))
		check(t, p.symlink("d/absent", p.at("hanging")))
		check(t, p.symlink("round", p.at("round")))
		check(t, p.symlink("d", p.at("dir")))
		if got := p.read(t, "abs") + p.read(t, "dir/real"); got != "oneone" {
			t.Fatalf("got %q", got)
		}
		for name, want := range map[string]string{"abs": "d/real", "rel": "d/real", "d/real": "d/real", "hanging": "d/absent", "absent": "absent"} {
			got, err := p.disk.Resolve(p.at(name))
			if err != nil || got != p.at(want) {
				t.Fatalf("%s: got %s, %v", name, got, err)
			}
		}
		p.text(t, second(p.disk.Resolve(p.at("round"))), "resolve $/round: too many levels of symbolic links")
		p.text(t, second(p.disk.Open(p.at("hanging"))), "open $/hanging: no such file or directory")
		p.put(t, "hanging", "made")
		if got := p.read(t, "d/absent"); got != "made" {
			t.Fatalf("got %q", got)
		}
		check(t, p.disk.Remove(p.at("abs")))
		if got := p.read(t, "d/real"); got != "one" {
			t.Fatalf("got %q", got)
		}
	}},
	{"a pattern gives the names that match, sorted, also through links", func(t *testing.T, p place) {
		check(t, p.mkdir(p.at("x")))
		check(t, p.mkdir(p.at("x.d")))
		for _, name := range []string{"b.json", "a.json", "c.csv", "x/n.json", "x.d/m.json"} {
			p.put(t, name, "")
		}
		for pattern, want := range map[string]string{
			"*.json": "a.json b.json", "*/*.json": "x.d/m.json x/n.json", "a.json": "a.json", "none*": "", "x*": "x x.d",
		} {
			got, err := p.disk.Glob(p.at(pattern))
			for i := range got {
				got[i] = strings.TrimPrefix(got[i], p.dir+"/")
			}
			if err != nil || strings.Join(got, " ") != want {
				t.Fatalf("%s: got %q, %v", pattern, got, err)
			}
		}
		check(t, p.symlink("x.d", p.at("y.link")))
		check(t, p.symlink("a.json", p.at("z.link")))
		check(t, p.symlink("nowhere", p.at("z.none")))
		for pattern, want := range map[string]string{
			"y.link/*": "y.link/m.json", "[yz].*/*": "y.link/m.json", "z.*": "z.link z.none", `y\.link/m*`: "y.link/m.json", "a.json/*": "",
		} {
			got, err := p.disk.Glob(p.at(pattern))
			for i := range got {
				got[i] = strings.TrimPrefix(got[i], p.dir+"/")
			}
			if err != nil || strings.Join(got, " ") != want {
				t.Fatalf("%s: got %q, %v", pattern, got, err)
			}
		}
		check(t, p.symlink("round", p.at("round")))
		p.text(t, second(p.disk.Glob(p.at("round/*"))), "stat $/round: too many levels of symbolic links")
		if _, err := p.disk.Glob(p.at("[")); err == nil || err.Error() != "syntax error in pattern" {
			t.Fatal(err)
		}
	}},
	{"** in a pattern is any number of directories, but of no link and none whose name begins with a dot", func(t *testing.T, p place) {
		for _, dir := range []string{"d", "d/e", "d/.f", "d.d"} {
			check(t, p.mkdir(p.at(dir)))
		}
		for _, name := range []string{"1.json", "d/2.json", "d/.2.json", "d/e/3.json", "d/.f/4.json", "d.d/5.json"} {
			p.put(t, name, "")
		}
		check(t, p.symlink("d", p.at("link")))
		check(t, p.symlink(".", p.at("d/e/round")))
		check(t, p.symlink("self", p.at("d/self")))
		check(t, p.symlink("1.json", p.at("6.json")))
		for pattern, want := range map[string]string{
			"**/*.json":        "1.json 6.json d.d/5.json d/.2.json d/2.json d/e/3.json",
			"d/**/*.json":      "d/.2.json d/2.json d/e/3.json",
			"d/**":             "d/2.json d/e d/e/3.json d/e/round d/self",
			"**/**/e/**/3*":    "d/e/3.json",
			"**/e/round/*":     "d/e/round/3.json d/e/round/round",
			"**/.f/*":          "d/.f/4.json",
			"link/**/3.json":   "link/e/3.json",
			"**/3.json/**":     "",
			"*/**/3.json":      "d/e/3.json link/e/3.json",
			"none/**/*.json":   "",
			"d/**/":            "d d/e",
			"d/e/round/**/":    "d/e/round",
			"1.json/**/*.json": "",
		} {
			got, err := p.disk.Glob(p.at(pattern))
			for i := range got {
				got[i] = strings.TrimPrefix(got[i], p.dir+"/")
			}
			if err != nil || strings.Join(got, " ") != want {
				t.Fatalf("%s: got %q, %v", pattern, got, err)
			}
		}
	}},
}

func (p place) at(name string) string { return p.dir + "/" + name }

func (p place) openRW(t *testing.T, name string) host.File {
	t.Helper()
	f, err := p.disk.OpenRW(p.at(name), 0o600)
	check(t, err)
	return f
}

func (p place) write(t *testing.T, f host.File, s string) {
	t.Helper()
	if n, err := f.Write([]byte(s)); n != len(s) || err != nil {
		t.Fatal(n, err)
	}
}

func (p place) put(t *testing.T, name, s string) {
	t.Helper()
	f := p.openRW(t, name)
	p.write(t, f, s)
	check(t, f.Sync())
	check(t, f.Close())
}

func (p place) read(t *testing.T, name string) string {
	t.Helper()
	return read(t, p.disk, p.at(name))
}

// text checks the whole text of an error, $ standing for the directory.
func (p place) text(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || strings.ReplaceAll(err.Error(), p.dir, "$") != want {
		t.Fatalf("got  %v\nwant %s", err, want)
	}
}

func read(t *testing.T, d host.Disk, name string) string {
	t.Helper()
	f, err := d.Open(name)
	check(t, err)
	b, err := io.ReadAll(f)
	check(t, err)
	check(t, f.Close())
	return string(b)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestAFullDiskTakesWhatFitsUntilFreed(t *testing.T) {
	q := host.NewQuota(host.NewMem(), 10)
	a, err := q.OpenRW("/a", 0o600)
	check(t, err)
	n, err := a.Write([]byte("123456"))
	if n != 6 || err != nil {
		t.Fatal(n, err)
	}
	check(t, second(a.Seek(0, io.SeekStart)))
	n, err = a.Write([]byte("abcdefghijkl"))
	if n != 10 || !errors.Is(err, syscall.ENOSPC) || err.Error() != "write /a: no space left on device" {
		t.Fatal(n, err)
	}
	b, err := q.OpenRW("/b", 0o600)
	check(t, err)
	if n, err := b.Write([]byte("1")); n != 0 || !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(n, err)
	}
	check(t, a.Truncate(8))
	q.Free(1)
	if n, err := b.Write([]byte("1234")); n != 3 || !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(n, err)
	}
	check(t, q.Remove("/a"))
	if n, err := b.Write([]byte("45678901")); n != 8 || err != nil {
		t.Fatal(n, err)
	}
}

func TestAFaultHitsTheChosenCall(t *testing.T) {
	steps := func(d host.Disk) (errs []string) {
		note := func(err error) { errs = append(errs, fmt.Sprint(err)) }
		f, err := d.OpenRW("/a", 0o600)
		note(err)
		if err != nil {
			return errs
		}
		_, err = f.Write([]byte("x"))
		note(err)
		note(f.Sync())
		_, err = f.Write([]byte("y"))
		note(err)
		note(f.Sync())
		return errs
	}
	ok := "<nil>"
	for _, c := range []struct {
		plan host.Plan
		errs []string
		data string
	}{
		{host.Plan{}, []string{ok, ok, ok, ok, ok}, "xy"},
		{host.Plan{At: 1}, []string{"openrw /a: the process has crashed"}, ""},
		{host.Plan{At: 2, Err: syscall.EIO}, []string{ok, "write /a: input/output error", ok, ok, ok}, "y"},
		{host.Plan{At: 2, Err: syscall.EIO, After: true}, []string{ok, "write /a: input/output error", ok, ok, ok}, "xy"},
		{host.Plan{At: 2, Ops: []host.Op{host.OpSync}, Err: syscall.EIO}, []string{ok, ok, ok, ok, "sync /a: input/output error"}, "xy"},
		{host.Plan{At: 3, Crash: true}, []string{ok, ok, "sync /a: the process has crashed", "write /a: the process has crashed", "sync /a: the process has crashed"}, "x"},
		{host.Plan{At: 4, Crash: true, After: true}, []string{ok, ok, ok, "write /a: the process has crashed", "sync /a: the process has crashed"}, "xy"},
	} {
		m := host.NewMem()
		d := host.NewFault(m)
		d.Set(c.plan)
		if errs := steps(d); !slices.Equal(errs, c.errs) {
			t.Errorf("%+v: got %q, want %q", c.plan, errs, c.errs)
		}
		if c.data != "" {
			if got := read(t, m, "/a"); got != c.data {
				t.Errorf("%+v: the file holds %q, want %q", c.plan, got, c.data)
			}
		}
		if c.plan.At == 0 && len(d.Calls()) != 5 {
			t.Errorf("recorded %v", d.Calls())
		}
	}
}

func TestAHookRunsBeforeTheChosenCall(t *testing.T) {
	m := host.NewMem()
	d := host.NewFault(m)
	d.Set(host.Plan{At: 1, Ops: []host.Op{host.OpOpen}, Hook: func() { check(t, second(m.OpenRW("/a", 0o600))) }})
	if _, err := d.Open("/a"); err != nil {
		t.Fatal("the file made by the hook is not there:", err)
	}
	d.Set(host.Plan{At: 1, Err: syscall.EIO, After: true})
	if _, err := d.Stat("/none"); !errors.Is(err, syscall.EIO) {
		t.Fatal("the chosen error must win:", err)
	}
}
