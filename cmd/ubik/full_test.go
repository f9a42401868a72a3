package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// limitedIn runs the program with a limit on the length of each file it writes, in blocks of 512 bytes: a full disk that
// needs no disk of its own.
func limitedIn(t *testing.T, dir string, blocks int, args ...string) (string, int) {
	t.Helper()
	var said strings.Builder
	cmd := exec.Command("sh", append([]string{"-c", `ulimit -f "$1" && shift && exec "$@"`, "sh", strconv.Itoa(blocks), binary}, args...)...)
	cmd.Dir, cmd.Stderr = dir, &said
	cmd.Run() // whose error is the exit code
	return said.String(), cmd.ProcessState.ExitCode()
}

func TestAFullDiskUnderTheOutputStopsTheRunWhichGoesOnLater(t *testing.T) {
	t.Parallel()
	dir, f := t.TempDir(), loadFixture(t)
	args := f.args("--quiet", "--to", "out.jsonl", "--resume", "txns.ckpt")
	blocks := len(f.want) / 512 / 2
	for range 2 { // again: it is still full
		said, code := limitedIn(t, dir, blocks, args...)
		if code != 5 || said != "ubik: cannot write out.jsonl: file too large; look at the disk and start the same command again\n" {
			t.Fatalf("exit code %d: %s", code, said)
		}
		if _, u := readCheckpoint(t, filepath.Join(dir, "txns.ckpt")); u.Complete {
			t.Fatal("the checkpoint is complete")
		}
	}
	endsLike(t, f, dir, args)
}

func TestAFullDiskUnderTheCheckpointStopsTheRunWhichGoesOnLater(t *testing.T) {
	t.Parallel()
	dir, f := t.TempDir(), loadFixture(t)
	// Without a window the state grows up to the end, where every row is written.
	args := []string{"--quiet", "--from", "txns=" + f.glob, "--schema", schema, "--checkpoint-interval", "20ms",
		"--to", "out.jsonl", "--resume", "txns.ckpt", "SELECT amount, count(*) AS n FROM txns GROUP BY amount"}
	said, code := limitedIn(t, dir, 400, args...)
	const before, after = "ubik: checkpoint txns.ckpt: unit ", " was not saved and the file is as it was: write txns.ckpt.tmp: file too large; look at the disk and start again\n"
	if code != 6 || !strings.HasPrefix(said, before) || !strings.HasSuffix(said, after) {
		t.Fatalf("exit code %d: %s", code, said)
	}
	_, u := readCheckpoint(t, filepath.Join(dir, "txns.ckpt"))
	if u.Complete {
		t.Fatal("the checkpoint is complete")
	}
	if _, err := os.Stat(filepath.Join(dir, "txns.ckpt.tmp")); !os.IsNotExist(err) {
		t.Fatalf("the half-written file is left over: %v", err)
	}
	t.Logf("unit %d, %d of %d records, was the last before the disk was full", u.Number, u.Read(), fixtureRecords)
	if _, said, code := runIn(t, dir, args...); code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	other := t.TempDir()
	if _, said, code := runIn(t, other, args...); code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	got, want := output(t, dir), output(t, other)
	a, _ := readCheckpoint(t, filepath.Join(dir, "txns.ckpt"))
	b, _ := readCheckpoint(t, filepath.Join(other, "txns.ckpt"))
	if got != want || a.ContentHash() != b.ContentHash() {
		t.Error("output or checkpoint are not those of a run that always had room")
	}
}

func output(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "out.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// endsLike runs the command to its end and compares with the uninterrupted run.
func endsLike(t *testing.T, f *fixture, dir string, args []string) {
	t.Helper()
	if _, said, code := runIn(t, dir, args...); code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	unit, _ := readCheckpoint(t, filepath.Join(dir, "txns.ckpt"))
	if output(t, dir) != string(f.want) || unit.ContentHash() != f.hash {
		t.Error("output or checkpoint are not the uninterrupted run's")
	}
}
