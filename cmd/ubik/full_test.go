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
	args := f.args("--quiet", "--to", "out.jsonl", "--resume", "txns.ckpt")
	// The output gets room for a moment only: the first lives die of the checkpoint, whose state outgrows the limit.
	said, code := limitedIn(t, dir, 4, f.args("--quiet", "--to", "-", "--resume", "txns.ckpt")...)
	const before, after = "ubik: checkpoint txns.ckpt: unit ", " was not saved and the file is as it was: write txns.ckpt.tmp: file too large; look at the disk and start again\n"
	if code != 6 || !strings.HasPrefix(said, before) || !strings.HasSuffix(said, after) {
		t.Fatalf("exit code %d: %s", code, said)
	}
	if _, u := readCheckpoint(t, filepath.Join(dir, "txns.ckpt")); u.Complete {
		t.Fatal("the checkpoint is complete")
	}
	if _, err := os.Stat(filepath.Join(dir, "txns.ckpt.tmp")); !os.IsNotExist(err) {
		t.Fatalf("the half-written file is left over: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "txns.ckpt")); err != nil {
		t.Fatal(err)
	}
	endsLike(t, f, dir, args)
}

// endsLike runs the command to its end and compares with the uninterrupted run.
func endsLike(t *testing.T, f *fixture, dir string, args []string) {
	t.Helper()
	if _, said, code := runIn(t, dir, args...); code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	got, err := os.ReadFile(filepath.Join(dir, "out.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	unit, _ := readCheckpoint(t, filepath.Join(dir, "txns.ckpt"))
	if string(got) != string(f.want) || unit.ContentHash() != f.hash {
		t.Error("output or checkpoint are not the uninterrupted run's")
	}
}
