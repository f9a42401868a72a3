package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ubik/internal/host"
)

const path = "/jobs/txns.ckpt"

// numbered is a unit that differs from every other in each part.
var numbered = func() func(n uint64) *Unit {
	made := map[uint64]*Unit{}
	return func(n uint64) *Unit {
		if made[n] == nil {
			made[n] = makeNumbered(n)
		}
		return made[n]
	}
}()

func makeNumbered(n uint64) *Unit {
	return &Unit{JobID: [16]byte{1, 2, 3}, Number: n, Sections: []Section{
		{Name: "plan", Data: []byte(strings.Repeat(fmt.Sprintf("unit %d;", n), 40)), Content: true},
		{Name: "ops", Data: noise(n, aliasMin+int(n)), Content: true},
		{Name: "epochs", Data: noise(n+100, 30)},
	}}
}

func folderOnMem(t testing.TB) *host.Mem {
	t.Helper()
	m := host.NewMem()
	if err := m.Mkdir("/jobs"); err != nil {
		t.Fatal(err)
	}
	return m
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, d host.Disk) (*Store, *Unit) {
	t.Helper()
	s, u, err := Open(d, path)
	check(t, err)
	return s, u
}

// saved returns a disk on which a run has saved the units 0 to n-1 and died.
func saved(t testing.TB, n uint64, keep int) *host.Mem {
	t.Helper()
	m := folderOnMem(t)
	s, _ := open(t, m)
	s.Keep = keep
	for i := range n {
		check(t, s.Save(numbered(i)))
	}
	return m.Kill()
}

// holds returns the number of the unit that the disk holds, whole, or -1 for none.
func holds(t testing.TB, d host.Disk, path, when string) int64 {
	t.Helper()
	if _, err := d.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return -1
	}
	u, err := Read(d, path)
	if err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	if !sameUnit(u, numbered(u.Number)) {
		t.Fatalf("%s: unit %d is not as saved", when, u.Number)
	}
	return int64(u.Number)
}

// losses are the power losses that each instant is tried with.
func losses() []host.Loss {
	all := []host.Loss{host.Drop, host.Keep}
	for seed := range uint64(20) {
		all = append(all, host.Torn(seed))
	}
	return all
}

func TestTheLastSavedUnitIsReadAtTheNextStart(t *testing.T) {
	m := folderOnMem(t)
	s, u := open(t, m)
	if u != nil {
		t.Fatal("a unit from nothing")
	}
	for n := range uint64(3) {
		check(t, s.Save(numbered(n)))
		if got := holds(t, m, path, "while it runs"); got != int64(n) {
			t.Fatalf("a reader sees unit %d, not %d", got, n)
		}
	}
	if s.path != path {
		t.Fatal(s.path)
	}
	check(t, s.Close())
	if err := s.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Fatal(err)
	}
	if err := s.Save(numbered(3)); !errors.Is(err, fs.ErrClosed) {
		t.Fatal(err)
	}
	s, u = open(t, m)
	if !sameUnit(u, numbered(2)) {
		t.Fatal("another unit")
	}
	check(t, s.Save(numbered(3)))
	check(t, s.Close())
	names, err := m.Glob("/jobs/*")
	if err != nil || strings.Join(names, " ") != path {
		t.Fatal("other files:", names, err)
	}
}

func TestARunThatSavesNothingLeavesNothing(t *testing.T) {
	m := folderOnMem(t)
	s, _ := open(t, m)
	check(t, s.Close())
	if names, _ := m.Glob("/jobs/*"); len(names) > 0 {
		t.Fatal(names)
	}
}

func TestSaveWritesThenSyncsThenRenamesThenSyncsTheFolder(t *testing.T) {
	for _, c := range []struct {
		start uint64
		keep  int
		want  string
	}{
		{0, 0, "stat, stat tmp, write tmp…, sync tmp, rename tmp to it, syncdir"},
		{1, 0, "stat, remove tmp, openrw tmp, lock tmp, filestat tmp, stat tmp, write tmp…, sync tmp, rename tmp to it, syncdir, close it"},
		{4, 2, "stat, remove tmp, openrw tmp, lock tmp, filestat tmp, stat tmp, write tmp…, sync tmp, " +
			"stat 1, stat 2, rename 1 to 2, remove 1, link it to 1, rename tmp to it, syncdir, close it"},
	} {
		d := host.NewFault(saved(t, c.start, c.keep))
		s, _ := open(t, d)
		s.Keep = c.keep
		d.Set(host.Plan{})
		check(t, s.Save(numbered(c.start)))
		var calls []string
		for _, call := range d.Calls() {
			text := string(call.Op)
			short := func(name string) string {
				if name == path {
					return "it"
				}
				return strings.TrimPrefix(strings.TrimPrefix(name, path), ".")
			}
			switch call.Op {
			case host.OpSyncDir:
				if call.Name != "/jobs" {
					t.Fatal("synced", call.Name)
				}
			case host.OpStat:
				text = strings.TrimSuffix(text+" "+short(call.Name), " it")
			case host.OpRename, host.OpLink:
				text += " " + short(call.Name) + " to " + short(call.To)
			case host.OpWrite:
				text += " " + short(call.Name) + "…"
			default:
				text += " " + short(call.Name)
			}
			calls = append(calls, text)
		}
		if got := strings.Join(slices.Compact(calls), ", "); got != c.want {
			t.Errorf("from unit %d, keep %d:\ngot  %s\nwant %s", c.start, c.keep, got, c.want)
		}
	}
}

func TestPhasesAreAnnouncedInOrder(t *testing.T) {
	for _, start := range []uint64{0, 2} {
		m := saved(t, start, 0)
		s, _ := open(t, m)
		var said []string
		s.Phase = func(step string) {
			said = append(said, fmt.Sprint(step, " ", holds(t, m, path, step)))
		}
		check(t, s.Save(numbered(start)))
		old := int64(start) - 1
		want := fmt.Sprintf("[written %d synced %d renamed %d dirsynced %d]", old, old, start, start)
		if got := fmt.Sprint(said); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestPredecessorsAreKeptInOrder(t *testing.T) {
	m := folderOnMem(t)
	s, _ := open(t, m)
	s.Keep = 3
	kept := func() (got []int64) {
		for _, end := range []string{"", ".1", ".2", ".3", ".4"} {
			got = append(got, holds(t, m, path+end, end))
		}
		return got
	}
	for n, want := range []string{"[0 -1 -1 -1 -1]", "[1 0 -1 -1 -1]", "[2 1 0 -1 -1]", "[3 2 1 0 -1]", "[4 3 2 1 -1]", "[5 4 3 2 -1]"} {
		check(t, s.Save(numbered(uint64(n))))
		if got := fmt.Sprint(kept()); got != want {
			t.Fatalf("after unit %d: %s, want %s", n, got, want)
		}
	}
	s.Keep = 1
	check(t, s.Save(numbered(6)))
	if got := fmt.Sprint(kept()); got != "[6 5 4 3 -1]" && got != "[6 5 3 2 -1]" {
		t.Fatal(got)
	}
}

func TestAPathThatCanHoldNoCheckpointIsRefused(t *testing.T) {
	m := folderOnMem(t)
	check(t, m.Mkdir("/jobs/dir"))
	check(t, m.Symlink("round", "/jobs/round"))
	check(t, m.Symlink("elsewhere", "/jobs/linked.tmp"))
	for name, data := range map[string]string{"/jobs/txns.jsonl": "{}\n", "/jobs/half": magic, "/jobs/empty": ""} {
		f, err := m.OpenRW(name, 0o600)
		check(t, err)
		_, err = f.Write([]byte(data))
		check(t, err)
	}
	for _, c := range []struct {
		path  string
		cause Cause
		text  string
	}{
		{"", BadPath, "the path of the checkpoint is empty"},
		{"/jobs/dir", BadPath, "checkpoint /jobs/dir: it is a directory; name a file in a folder that exists"},
		{"/no/a", BadPath, "checkpoint /no/a: the folder /no does not exist; name a file in a folder that exists"},
		{"/jobs/half/a", BadPath, "checkpoint /jobs/half/a: /jobs/half is not a folder; name a file in a folder that exists"},
		{"/jobs/half/b/c", BadPath, "checkpoint /jobs/half/b/c: the folder /jobs/half/b does not exist; name a file in a folder that exists"},
		{"/jobs/linked", BadPath, "checkpoint /jobs/linked: /jobs/linked.tmp is a symbolic link: remove it; name a file in a folder that exists"},
		{"/jobs/round", Unreadable, "checkpoint /jobs/round: it cannot be used: resolve /jobs/round: too many levels of symbolic links; check the path and the disk"},
		{"/jobs/txns.jsonl", Foreign, "checkpoint /jobs/txns.jsonl: not a Ubik checkpoint; name another file; this one is left as it is"},
		{"/jobs/half", Truncated, "checkpoint /jobs/half: truncated at byte 8, inside the header; put back an intact copy of it; the file is left as it is"},
		{"/jobs/empty", Truncated, "checkpoint /jobs/empty: the file is empty; put back an intact copy of it; the file is left as it is"},
	} {
		_, _, err := Open(m, c.path)
		if r := mustRefuse(t, err, c.path); r.Cause != c.cause || r.Error() != c.text {
			t.Errorf("got  %s: %s\nwant %s: %s", r.Cause, r, c.cause, c.text)
		}
	}
	_, err := Read(m, "/jobs/none")
	if r := mustRefuse(t, err, "Read"); r.Error() != "checkpoint /jobs/none: there is no such file; name a file in a folder that exists" {
		t.Error(r)
	}
	_, err = Read(m, "/jobs/dir")
	if r := mustRefuse(t, err, "Read"); r.Cause != BadPath {
		t.Error(r)
	}
	if _, _, err := Open(host.OS, "/dev/null"); mustRefuse(t, err, "device").Error() != "checkpoint /dev/null: it is not a regular file; name a file in a folder that exists" {
		t.Error(err)
	}
}

func TestAnUnreadableFileIsRefused(t *testing.T) {
	for _, c := range []struct {
		op   host.Op
		err  error
		text string
	}{
		{host.OpOpen, syscall.EACCES, "open /jobs/txns.ckpt: permission denied; check the owner and mode of the file and its folder"},
		{host.OpRead, syscall.EIO, "read /jobs/txns.ckpt: input/output error; check the path and the disk"},
		{host.OpSync, syscall.ENOSPC, "sync /jobs/txns.ckpt: no space left on device; free some space and start again"},
	} {
		d := host.NewFault(saved(t, 2, 0))
		d.Set(host.Plan{At: 1, Ops: []host.Op{c.op}, Err: c.err})
		_, _, err := Open(d, path)
		r := mustRefuse(t, err, "Open")
		if want := "checkpoint /jobs/txns.ckpt: it cannot be used: " + c.text; r.Error() != want {
			t.Errorf("got  %s\nwant %s", r, want)
		}
		if r.Cause != Unreadable || !errors.Is(err, c.err) {
			t.Error(r.Cause)
		}
	}
}

func TestALinkStandsForItsTarget(t *testing.T) {
	dir := t.TempDir()
	check(t, os.Mkdir(filepath.Join(dir, "store"), 0o755))
	link := filepath.Join(dir, "link")
	check(t, os.Symlink("store/real", link))
	for n := range uint64(3) {
		s, _, err := Open(host.OS, link)
		check(t, err)
		check(t, s.Save(numbered(n)))
		check(t, s.Close())
	}
	if fi, err := os.Lstat(link); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
		t.Fatal("the link was replaced", err)
	}
	real := filepath.Join(dir, "store", "real")
	if got := holds(t, host.OS, real, "the target"); got != 2 {
		t.Fatal(got)
	}
	if fi, err := os.Stat(real); err != nil || fi.Mode().Perm() != mode {
		t.Fatal(fi.Mode(), err)
	}
	if entries, err := os.ReadDir(filepath.Join(dir, "store")); err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
}

func TestALeftoverTemporaryFileIsMadeAnew(t *testing.T) {
	file := filepath.Join(t.TempDir(), "txns.ckpt")
	leave := func() { check(t, os.WriteFile(temporary(file), noise(1, 100_000), 0o666)) }
	leave()
	s, _, err := Open(host.OS, file)
	check(t, err)
	for n := range uint64(3) {
		check(t, s.Save(numbered(n)))
		leave()
		if got := holds(t, host.OS, file, "saved"); got != int64(n) {
			t.Fatal(got)
		}
		if fi, err := os.Stat(file); err != nil || fi.Mode().Perm() != mode {
			t.Fatal(fi.Mode(), err)
		}
	}
	check(t, s.Close())
}

func TestARunKilledWhileItKeptThePredecessorLosesNone(t *testing.T) {
	m := saved(t, 5, 3)
	d := host.NewFault(m)
	s, _ := open(t, d)
	s.Keep = 3
	d.Set(host.Plan{At: 1, Ops: []host.Op{host.OpLink}, After: true, Crash: true})
	if s.Save(numbered(5)) == nil {
		t.Fatal("saved on a crashed disk")
	}
	m = m.Kill()
	s, _ = open(t, m)
	s.Keep = 3
	check(t, s.Save(numbered(5)))
	for i, end := range []string{"", ".1", ".2", ".3"} {
		if got := holds(t, m, path+end, end); got != int64(5-i) {
			t.Fatalf("%s is unit %d", end, got)
		}
	}
}
