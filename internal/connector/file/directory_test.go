package file

import (
	"fmt"
	"testing"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/host"
)

func TestADirectoryIsReadLikeThePatternOfItsFiles(t *testing.T) {
	m := newDisk(t)
	m.Mkdir("/out/logs/old")
	put(t, m, "/out/logs/b", "b\n")
	put(t, m, "/out/logs/a", "a\n")
	put(t, m, "/out/logs/.a.swp", "x\n")
	put(t, m, "/out/logs/old/c", "c\n")
	m.Symlink("logs", "/out/link")
	for _, url := range []string{"/out/logs", "/out/logs/", "/out/link/"} {
		s, n := opened(t, m, url, connector.Options{})
		if n != 2 {
			t.Fatalf("%s: %d files", url, n)
		}
		for i, want := range []string{"[0:a]", "[0:b]"} {
			if got, _ := readAll(t, s, i); fmt.Sprint(got) != want {
				t.Fatalf("%s: %v, want %s", url, got, want)
			}
		}
	}
	s, _ := opened(t, m, "/out/logs", connector.Options{})
	put(t, m, "/out/logs/.b.swp", "x\n")
	put(t, m, "/out/logs/c", "c\n")
	if at := starts(t, s); len(at) != 3 || at[2].Topic != "/out/logs/c" {
		t.Fatalf("%+v", at)
	}
	m.Remove("/out/logs/a")
	_, err := s.Partitions(bg)
	told(t, err, fault.LogChanged, "/out/logs/a is gone", grownOnly)
}

func TestADirectoryIsReadFromTheRealDisk(t *testing.T) {
	dir := t.TempDir()
	put(t, host.OS, dir+"/2", "2\n")
	put(t, host.OS, dir+"/1", "1\n")
	put(t, host.OS, dir+"/.0", "0\n")
	s, n := opened(t, host.OS, dir+"/", connector.Options{})
	if got, _ := readAll(t, s, 0); n != 2 || fmt.Sprint(got) != "[0:1]" {
		t.Fatalf("%d: %v", n, got)
	}
}

func TestNeitherTheCheckpointNorTheSinkIsInTheDirectory(t *testing.T) {
	m := newDisk(t)
	m.Mkdir("/out/logs")
	m.Symlink("logs", "/out/link")
	put(t, m, "/out/logs/a.jsonl", "a\n")
	for _, checkpoint := range []string{"/out/logs/x.ckpt", "/out/link/x.ckpt"} {
		_, err := source0(t, m, "/out/logs", connector.Options{Checkpoint: checkpoint}).Partitions(bg)
		told(t, err, fault.Usage, "the checkpoint "+checkpoint+" is in the directory /out/logs, of which all files are read",
			`put it elsewhere, or name the files by a pattern: "/out/logs/*.jsonl"`)
	}
	starts(t, source0(t, m, "/out/logs", connector.Options{Checkpoint: "/out/x.ckpt"}))
	for path, want := range map[string]bool{
		"/out/logs/a.jsonl": true, "/out/logs/new": true, "/out/link/new": true,
		"/out/logs/.new": false, "/out/new": false, "/out/none/new": false,
	} {
		sink, err := Kind.NewSink(path, &connector.Options{Disk: m})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := source0(t, m, "/out/logs/", connector.Options{}).Overlaps(sink); got != want || err != nil {
			t.Errorf("%s: %v %v", path, got, err)
		}
	}
}
