package host_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"ubik/internal/host"
)

// content lists the disk's root as name=bytes.
func content(t *testing.T, m *host.Mem) string {
	t.Helper()
	names, err := m.Glob("/*")
	check(t, err)
	for i, name := range names {
		names[i] = name[1:] + "=" + read(t, m, name)
	}
	return strings.Join(names, " ")
}

// possible runs steps on a fresh disk and returns what it may hold after a power loss.
func possible(t *testing.T, steps func(m *host.Mem)) (drop, keep string, torn []string) {
	t.Helper()
	m := host.NewMem()
	steps(m)
	seen := map[string]bool{}
	for seed := range uint64(400) {
		seen[content(t, m.Crash(host.Torn(seed)))] = true
	}
	return content(t, m.Crash(host.Drop)), content(t, m.Crash(host.Keep)), slices.Sorted(maps.Keys(seen))
}

func openRW(t *testing.T, m *host.Mem, name, data string) host.File {
	t.Helper()
	f, err := m.OpenRW(name, 0o600)
	check(t, err)
	check(t, second(f.Write([]byte(data))))
	return f
}

func TestBytesAreDurableAfterSyncAndNamesAfterSyncDir(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps func(m *host.Mem)
		drop  string
		keep  string
		torn  string // all outcomes, by |
	}{
		{"nothing synced", func(m *host.Mem) { openRW(t, m, "/a", "x") }, "", "a=x", "|a=|a=\x00|a=x"},
		{"only the bytes", func(m *host.Mem) { check(t, openRW(t, m, "/a", "x").Sync()) }, "", "a=x", "|a=x"},
		{"only the name", func(m *host.Mem) { openRW(t, m, "/a", "x"); check(t, m.SyncDir("/")) }, "a=", "a=x", "a=|a=\x00|a=x"},
		{"both", func(m *host.Mem) {
			check(t, openRW(t, m, "/a", "x").Sync())
			check(t, m.SyncDir("/"))
		}, "a=x", "a=x", "a=x"},
		{"a removal", func(m *host.Mem) {
			check(t, openRW(t, m, "/a", "x").Sync())
			check(t, m.SyncDir("/"))
			check(t, m.Remove("/a"))
		}, "a=x", "", "|a=x"},
		{"a replacement with synced bytes", func(m *host.Mem) {
			check(t, openRW(t, m, "/a", "1").Sync())
			check(t, openRW(t, m, "/b", "2").Sync())
			check(t, m.SyncDir("/"))
			check(t, m.Rename("/b", "/a"))
		}, "a=1 b=2", "a=2", "a=1 b=2|a=2|a=2 b=2"},
		{"a replacement with unsynced bytes", func(m *host.Mem) {
			check(t, openRW(t, m, "/a", "1").Sync())
			check(t, m.SyncDir("/"))
			openRW(t, m, "/b", "2")
			check(t, m.Rename("/b", "/a"))
			check(t, m.SyncDir("/"))
		}, "a=", "a=2", "a=|a=\x00|a=2"},
		{"a shorter length", func(m *host.Mem) {
			f := openRW(t, m, "/a", "12")
			check(t, f.Sync())
			check(t, m.SyncDir("/"))
			check(t, f.Truncate(1))
		}, "a=12", "a=1", "a=1|a=12"},
		{"two writes, in any order", func(m *host.Mem) {
			f := openRW(t, m, "/a", "1")
			check(t, m.SyncDir("/"))
			check(t, second(f.Write([]byte("2"))))
		}, "a=", "a=12", "a=|a=\x00\x00|a=\x002|a=1|a=1\x00|a=12"},
	} {
		drop, keep, torn := possible(t, c.steps)
		if drop != c.drop || keep != c.keep || strings.Join(torn, "|") != c.torn {
			t.Errorf("%s: drop %q, keep %q, torn %q\nwant %q, %q, %q", c.name, drop, keep, strings.Join(torn, "|"), c.drop, c.keep, c.torn)
		}
	}
}

func TestALongWriteMaySurviveInPart(t *testing.T) {
	m := host.NewMem()
	openRW(t, m, "/a", strings.Repeat("x", 1000))
	check(t, m.SyncDir("/"))
	outcomes := map[string]int{}
	for seed := range uint64(300) {
		got := read(t, m.Crash(host.Torn(seed)), "/a")
		if again := read(t, m.Crash(host.Torn(seed)), "/a"); again != got {
			t.Fatalf("seed %d gives two outcomes", seed)
		}
		switch {
		case got == "":
			outcomes["lost"]++
		case strings.Count(got, "x") == 1000:
			outcomes["whole"]++
		case strings.HasPrefix(got, "\x00") && strings.HasSuffix(got, "x"):
			outcomes["end or middle"]++
		case strings.HasPrefix(got, "x") && strings.HasSuffix(got, "\x00"):
			outcomes["beginning, with length"]++
		case strings.HasPrefix(got, "x"):
			outcomes["beginning"]++
		case strings.Trim(got, "\x00") == "":
			outcomes["length only"]++
		}
	}
	for _, want := range []string{"lost", "whole", "end or middle", "beginning, with length", "beginning", "length only"} {
		if outcomes[want] == 0 {
			t.Errorf("never %s: %v", want, outcomes)
		}
	}
}

func TestAKilledProcessLosesItsLocksAndNothingElse(t *testing.T) {
	m := host.NewMem()
	f := openRW(t, m, "/a", "x")
	check(t, f.Lock())
	next := m.Kill()
	if got := content(t, next); got != "a=x" {
		t.Fatalf("got %q", got)
	}
	g, err := next.OpenRW("/a", 0o600)
	check(t, err)
	check(t, g.Lock())
	// What the dead process had not synced is still not durable.
	if got := content(t, next.Crash(host.Drop)); got != "" {
		t.Fatalf("got %q", got)
	}
	check(t, next.SyncDir("/"))
	check(t, g.Sync())
	if got := content(t, next.Crash(host.Drop)); got != "a=x" {
		t.Fatalf("got %q", got)
	}
	// The two disks are apart.
	check(t, second(f.Write([]byte("y"))))
	if got := content(t, m) + " " + content(t, next); got != "a=xy a=x" {
		t.Fatalf("got %q", got)
	}
	if err := second(m.OpenRW("/", 0)); err == nil {
		t.Fatal("opened the root to write")
	}
	h, err := m.OpenRW("/a", 0)
	check(t, err)
	if err := h.Lock(); !errors.Is(err, host.ErrLocked) {
		t.Fatal(err)
	}
}

func TestLossesNameThemselves(t *testing.T) {
	if got := fmt.Sprint(host.Drop, host.Keep, host.Torn(7)); got != "drop keep torn(7)" {
		t.Fatal(got)
	}
}

// TestTheTwinAgreesWithTheRealDisk runs seeded random calls on both and compares every answer.
func TestTheTwinAgreesWithTheRealDisk(t *testing.T) {
	for seed := range uint64(30) {
		real, mem := &player{disk: host.OS, dir: t.TempDir()}, &player{disk: host.NewMem(), dir: ""}
		a, b := real.play(seed, 150), mem.play(seed, 150)
		for i := range a {
			if a[i] != b[i] {
				t.Fatalf("seed %d, step %d: the real disk says %s, memory %s", seed, i, a[i], b[i])
			}
		}
	}
}

type player struct {
	disk  host.Disk
	dir   string
	files []host.File
}

func (p *player) play(seed uint64, steps int) (answers []string) {
	rnd := newRand(seed)
	name := func() string { return p.dir + "/" + string(rune('a'+rnd.IntN(4))) }
	for range steps {
		var said string
		op := rnd.IntN(10)
		if len(p.files) == 0 {
			op = 0
		}
		var f host.File
		if op >= 6 {
			f = p.files[rnd.IntN(len(p.files))]
		}
		switch op {
		case 0, 1:
			f, err := p.disk.OpenRW(name(), 0o600)
			if err == nil {
				p.files = append(p.files, f)
			}
			said = fmt.Sprint(err)
		case 2:
			said = fmt.Sprint(p.disk.Rename(name(), name()))
		case 3:
			said = fmt.Sprint(p.disk.Remove(name()))
		case 4:
			said = fmt.Sprint(p.disk.Link(name(), name()))
		case 5:
			names, err := p.disk.Glob(p.dir + "/*")
			said = fmt.Sprint(names, err)
			for _, n := range names {
				info, err := p.disk.Stat(n)
				said += fmt.Sprint(info.Size, info.IsDir, info.Regular, err)
			}
		case 6:
			n, err := f.Write([]byte(strings.Repeat("w", rnd.IntN(50))))
			said = fmt.Sprint(n, err)
		case 7:
			at, err := f.Seek(int64(rnd.IntN(100)), io.SeekStart)
			said = fmt.Sprint(at, err)
		case 8:
			said = fmt.Sprint(f.Truncate(int64(rnd.IntN(120))))
		case 9:
			b := make([]byte, 64)
			n, err := f.ReadAt(b, int64(rnd.IntN(60)))
			said = fmt.Sprintf("%q %v", b[:n], err)
			m, err := f.Read(b)
			said += fmt.Sprintf("%q %v", b[:m], err)
		}
		answers = append(answers, strings.ReplaceAll(said, p.dir+"/", "/"))
	}
	for _, f := range p.files {
		f.Close()
	}
	return answers
}
