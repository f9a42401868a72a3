package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"ubik/internal/checkpoint"
	"ubik/internal/host"
	"ubik/internal/runner"
	"ubik/internal/ubiktest/txngen"
)

const (
	fixtureRecords = 300_000
	fixtureFiles   = 3
	fixtureSeed    = 20260101
)

// fixture is a folder with txns-0.jsonl to txns-2.jsonl, 300,000 transactions over two hours in all, and with what an
// uninterrupted run of the headline query makes of them.
type fixture struct {
	glob string
	want []byte       // the output
	unit *runner.Unit // the last one
	hash [16]byte     // of its content
}

// fixtureArgs are the arguments of the query over the fixture, without sink and checkpoint.
func (f *fixture) args(more ...string) []string {
	return append([]string{"--from", "txns=" + f.glob, "--schema", schema, "--delay", "5s", "--checkpoint-interval", "20ms"}, append(more, headline)...)
}

var fixtureDir = sync.OnceValue(func() string {
	dir := filepath.Join(filepath.Dir(binary), "fixture") // goes with it
	options := txngen.Usual(fixtureSeed)
	options.Count, options.Partitions, options.Span = fixtureRecords, fixtureFiles, 2*time.Hour
	var files [fixtureFiles]bytes.Buffer
	for _, r := range txngen.Generate(options) {
		f := &files[r.Partition]
		f.Write(r.Value)
		f.WriteByte('\n')
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		panic(err)
	}
	for i := range files {
		if err := os.WriteFile(filepath.Join(dir, "txns-"+strconv.Itoa(i)+".jsonl"), files[i].Bytes(), 0o644); err != nil {
			panic(err)
		}
	}
	return dir
})

var wanted struct {
	once sync.Once
	fixture
}

func loadFixture(t *testing.T) *fixture {
	t.Helper()
	wanted.once.Do(func() {
		f := &wanted.fixture
		f.glob = filepath.Join(fixtureDir(), "txns-*.jsonl")
		dir := t.TempDir()
		if _, errs, code := runIn(t, dir, f.args("--to", "out.jsonl", "--resume", "txns.ckpt")...); code != 0 {
			t.Fatalf("the uninterrupted run: exit code %d: %s", code, errs)
		}
		var err error
		if f.want, err = os.ReadFile(filepath.Join(dir, "out.jsonl")); err != nil {
			t.Fatal(err)
		}
		file, unit := readCheckpoint(t, filepath.Join(dir, "txns.ckpt"))
		f.unit, f.hash = unit, file.ContentHash()
	})
	if wanted.unit == nil || !wanted.unit.Complete || unitLate(wanted.unit) == 0 {
		t.Fatal("the uninterrupted run is not complete, or had no late records")
	}
	return &wanted.fixture
}

func unitLate(u *runner.Unit) uint64 {
	n := uint64(0)
	for i := range u.Partitions {
		n += u.Partitions[i].Clocks[0].Ledger.Late
	}
	return n
}

func readCheckpoint(t *testing.T, path string) (*checkpoint.Unit, *runner.Unit) {
	t.Helper()
	file, err := checkpoint.Read(host.OS, path)
	if err != nil {
		t.Fatal(err)
	}
	unit, err := runner.ReadUnit(file)
	if err != nil {
		t.Fatal(err)
	}
	return file, unit
}
