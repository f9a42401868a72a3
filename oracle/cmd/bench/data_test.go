package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
	"time"
)

func TestRowsAreTheSameOnEveryMachine(t *testing.T) {
	g := newGenerator()
	sum := sha256.New()
	var first string
	for i := range 10_000 {
		row := g.next().value
		if i == 0 {
			first = string(row)
		}
		sum.Write(row)
	}
	const want = "18848daeb4ca88fa7fb85c68d6add66563cb55385013428c48898b6e67bac0a9"
	if got := hex.EncodeToString(sum.Sum(nil)); got != want {
		t.Errorf("the rows hash to %s, not %s: files of the old kind would be taken for new ones, so give the file another name too; the first row is %s", got, want, first)
	}
}

func TestRowsAreValidOfOneSizeAndNeverLate(t *testing.T) {
	g := newGenerator()
	var newest time.Time
	seen := map[int]bool{}
	for range 100_000 {
		m := g.next()
		if len(m.value) != rowBytes || !json.Valid(m.value) || bytes.IndexByte(m.value, '\n') != rowBytes-1 {
			t.Fatalf("a row of %d bytes: %q", len(m.value), m.value)
		}
		if newest.Sub(m.at) > disorderMax*time.Millisecond {
			t.Fatalf("%s is %v behind", m.value, newest.Sub(m.at))
		}
		if m.at.After(newest) {
			newest = m.at
		}
		seen[m.merchant] = true
	}
	if len(seen) < merchants/2 {
		t.Errorf("only %d merchants occur", len(seen))
	}
}

func TestAFileOfTheRightSizeIsKeptAndAnotherMadeAnew(t *testing.T) {
	dir := t.TempDir()
	path, err := dataFile(context.Background(), dir, 100)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil || len(whole) != 100*rowBytes {
		t.Fatalf("%d bytes, %v", len(whole), err)
	}
	if err := os.Truncate(path, 1000); err != nil {
		t.Fatal(err)
	}
	if _, err := dataFile(context.Background(), dir, 100); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, whole) {
		t.Errorf("made anew it is not the same: %v", err)
	}
	marked := append([]byte{'x'}, whole[1:]...)
	if err := os.WriteFile(path, marked, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := dataFile(context.Background(), dir, 100); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, marked) {
		t.Errorf("a whole file was written again: %v", err)
	}
}
