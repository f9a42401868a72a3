package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// A query without an aggregate over files read to their end writes their rows in the order of the files, so that the
// output is one string however many workers there are.
func TestFilesReadToTheirEndGiveTheirRowsInOrder(t *testing.T) {
	t.Parallel()
	glob := filepath.Join(fixtureDir(), "txns-*.jsonl")
	var want []byte
	for i := range fixtureFiles {
		dir := t.TempDir()
		one := filepath.Join(fixtureDir(), "txns-"+strconv.Itoa(i)+".jsonl")
		want = append(want, filtered(t, dir, "txns="+one, "1")...)
	}
	for _, workers := range []string{"1", "2", "7"} {
		if got := filtered(t, t.TempDir(), "txns="+glob, workers); !bytes.Equal(got, want) {
			t.Errorf("with %s workers %d bytes differ from the %d of the files one by one", workers, len(got), len(want))
		}
	}
}

// filtered returns what a filter writes.
func filtered(t *testing.T, dir, from, workers string) []byte {
	t.Helper()
	_, errs, code := runIn(t, dir, "--from", from, "--to", "out.jsonl", "--schema", schema, "--workers", workers, "--quiet",
		"SELECT merchant, amount FROM txns WHERE amount > 20")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	out, err := os.ReadFile(filepath.Join(dir, "out.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return out
}
