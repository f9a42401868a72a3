package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"ubik/internal/ubiktest/txngen"
)

// foundForm is the declaration that a run prints.
var foundForm = regexp.MustCompile(`(?m)^CREATE TABLE (.*);$`)

// found is the declaration in what a run said.
func found(t *testing.T, said string) string {
	t.Helper()
	m := foundForm.FindAllString(said, -1)
	if len(m) != 1 {
		t.Fatalf("%d declarations are printed:\n%s", len(m), said)
	}
	return strings.TrimSuffix(m[0], ";")
}

// killedAt runs the program until it kills itself at a phase.
func killedAt(t *testing.T, dir, phase string, args ...string) string {
	t.Helper()
	var said strings.Builder
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = dir, &said, &said, append(os.Environ(), killEnv+"="+phase)
	err := cmd.Run()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("it has not killed itself at %s (%v):\n%s", phase, err, said.String())
	}
	return said.String()
}

// manySided makes records of a seed in which columns are of every kind, come late, are missing and mix.
func manySided(rng *rand.Rand, n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `{"id":%d,"price":%d.%02d`, i, rng.IntN(100), rng.IntN(100))
		if rng.IntN(3) > 0 {
			fmt.Fprintf(&b, `,"at":"2026-01-%02dT00:00:%02dZ","day":"2026-01-%02d"`, 1+rng.IntN(28), rng.IntN(60), 1+rng.IntN(28))
		}
		if i > n/2 && rng.IntN(50) == 0 {
			fmt.Fprintf(&b, `,"late%d":true`, rng.IntN(4))
		}
		switch rng.IntN(4) {
		case 0:
			fmt.Fprintf(&b, `,"mix":%d,"nest":{"a":%d}`, i, i)
		case 1:
			fmt.Fprintf(&b, `,"mix":"m%d","nest":{"b":[%d,null]}`, i, i)
		case 2:
			b.WriteString(`,"odd":{"x":1},"list":[]`)
		default:
			fmt.Fprintf(&b, `,"odd":7,"list":[{"k":"v%d"}],"big":%d000000000000000000`, i, i+10)
		}
		b.WriteString("}\n")
	}
	return b.Bytes()
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(text)
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstandard(t *testing.T, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(data, nil)
}

// The same records are found to have the same columns, and give the same rows, however they are packed, cut and worked on.
func TestInferenceIsTheSameHoweverTheRecordsCome(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(killSeed(t), 1))
	data := manySided(rng, 3000)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "plain.jsonl"), data)
	write(t, filepath.Join(dir, "packed.jsonl.gz"), gzipped(t, data))
	write(t, filepath.Join(dir, "packed.jsonl.zst"), zstandard(t, data))

	args := func(from string) []string {
		return []string{"--from", "t=" + from, "--on-error", "skip", "SELECT * FROM t"}
	}
	rows, said, code := runIn(t, dir, args("plain.jsonl")...)
	if code != 0 || strings.Count(rows, "\n") < 2000 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	ddl := found(t, said)
	for _, name := range []string{"id BIGINT", "price DOUBLE", "at TIMESTAMP", "day DATE", "mix VARCHAR", "odd JSON", "big HUGEINT", "nest STRUCT(", "list STRUCT("} {
		if !strings.Contains(ddl, name) {
			t.Errorf("no %s in %s", name, ddl)
		}
	}
	for _, from := range []string{"plain.jsonl", "packed.jsonl.gz", "packed.jsonl.zst"} {
		for _, workers := range []string{"1", "3", "16"} {
			again, said, code := runIn(t, dir, append([]string{"--workers", workers}, args(from)...)...)
			if code != 0 {
				t.Fatalf("exit code %d: %s", code, said)
			}
			if got := found(t, said); got != ddl {
				t.Errorf("%s, %s workers:\n%s\nplain, by default:\n%s", from, workers, got, ddl)
			}
			if again != rows {
				t.Errorf("%s, %s workers: the rows differ", from, workers)
			}
		}
	}
	for range 3 { // standard input, which comes in pieces of any size
		cmd := exec.Command(binary, args("-")...)
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for rest := data; len(rest) > 0; {
			n := min(len(rest), 1+rng.IntN(20_000))
			if _, err := in.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v: %s", err, errs.String())
		}
		if found(t, errs.String()) != ddl || out.String() != rows {
			t.Errorf("standard input is read as %s, the file as %s, or the rows differ", found(t, errs.String()), ddl)
		}
	}
}

// A run that dies before its first checkpoint finds the columns again; one that dies behind it never does, though the log
// has grown by records that say otherwise.
func TestAResumeTakesTheColumnsOfTheCheckpoint(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in, out, ckpt := filepath.Join(dir, "t.jsonl"), filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "t.ckpt")
	args := []string{"--from", "t.jsonl", "--to", "out.jsonl", "--resume", "t.ckpt", "--keep-open", "SELECT a FROM t"}
	write(t, in, []byte("{\"a\":1}\n{\"a\":2}\n"))

	if ddl := found(t, killedAt(t, dir, "written:1", args...)); ddl != "CREATE TABLE t (a BIGINT)" {
		t.Fatal(ddl)
	}
	if _, err := os.Stat(ckpt); !os.IsNotExist(err) {
		t.Fatalf("there is a checkpoint: %v", err)
	}
	appendTo(t, in, "{\"a\":2.5}\n")
	if ddl := found(t, killedAt(t, dir, "dirsynced:1", args...)); ddl != "CREATE TABLE t (a DOUBLE)" {
		t.Fatal(ddl)
	}
	if u := progress(ckpt); u == nil || u.Read() != 0 {
		t.Fatal("the checkpoint is not that of before the first record")
	}
	appendTo(t, in, "{\"a\":\"x\",\"b\":1}\n")
	_, said, code := runIn(t, dir, args...)
	if code != 3 || foundForm.MatchString(said) ||
		!strings.Contains(said, `malformed record at t.jsonl, position 26, a: "x" is not a DOUBLE; declare columns that take it: --schema "a VARCHAR", with a new checkpoint and an empty sink, or `) {
		t.Fatalf("exit code %d: %s", code, said)
	}
	if b, _ := os.ReadFile(out); string(b) != "{\"a\":1}\n{\"a\":2}\n{\"a\":2.5}\n" {
		t.Errorf("the output is %s", b)
	}

	// The same columns, declared, go on; what would change a row is refused, and says what.
	declared := func(columns string, more ...string) (string, int) {
		a := append([]string{"--schema", columns, "--on-error", "skip"}, more...)
		_, said, code := runIn(t, dir, append(a, args...)...)
		return said, code
	}
	if said, code := declared("a VARCHAR"); code != 6 || !strings.Contains(said, "the checkpoint is of another query: its output is a DOUBLE, here it is a VARCHAR; ") {
		t.Errorf("exit code %d: %s", code, said)
	}
	if said, code := declared("a DOUBLE"); code != 0 || !strings.Contains(said, "stopped: 4 records, 3 rows") {
		t.Errorf("exit code %d: %s", code, said)
	}
	if said, code := declared("b BIGINT, a DOUBLE"); code != 0 {
		t.Errorf("exit code %d: %s", code, said)
	}
	if _, said, code := runIn(t, dir, append([]string{"--on-error", "skip"}, args...)...); code != 0 || foundForm.MatchString(said) {
		t.Errorf("exit code %d: %s", code, said)
	}
}

// What is printed can be pasted: as columns, and as a declaration in front of the query. Both are the same query to the
// checkpoint.
func TestTheDeclarationThatARunPrintsIsTheSameQuery(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := manySided(rand.New(rand.NewPCG(killSeed(t), 2)), 1200)
	write(t, filepath.Join(dir, "t.jsonl"), data)
	var rows bytes.Buffer
	for _, r := range txngen.Generate(txngen.Usual(3))[:2000] {
		fmt.Fprintf(&rows, "%d;\"a;%d\";2026-01-01 00:00:%02d\n", r.Partition, r.Partition, r.Partition)
	}
	write(t, filepath.Join(dir, "u.csv"), rows.Bytes())
	for _, c := range []struct{ table, path, query string }{
		{"t", "t.jsonl", "SELECT * FROM t"},
		{"t", "t.jsonl", "SELECT nest.a, count(*) AS n FROM t GROUP BY nest.a"},
		{"t", "t.jsonl", "SELECT count(*) AS n, sum(price) AS total, max(big) AS big FROM t WHERE day >= '2026-01-02' GROUP BY TUMBLE(at, INTERVAL 1 DAY)"},
		{"u", "u.csv", "SELECT column1, column2 FROM u"}, // of which the first is not used, and counts
	} {
		out, ckpt := filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "c.ckpt")
		os.Remove(out)
		os.Remove(ckpt)
		common := []string{"--on-error", "skip", "--to", "out.jsonl", "--resume", "c.ckpt"}
		_, said, code := runIn(t, dir, append(common, "--from", c.path, c.query)...)
		want, err := os.ReadFile(out)
		if code != 0 || err != nil || len(want) == 0 {
			t.Fatalf("%s: exit code %d (%v): %s", c.query, code, err, said)
		}
		ddl := found(t, said)
		columns := strings.TrimSuffix(strings.TrimPrefix(ddl, "CREATE TABLE "+c.table+" ("), ")")
		with := " WITH ('connector' = 'filesystem', 'path' = '" + c.path + "'); "
		for _, again := range [][]string{{"--from", c.path, "--schema", columns, c.query}, {ddl + with + c.query}} {
			if _, said, code := runIn(t, dir, append(common, again...)...); code != 0 || !strings.Contains(said, "the run is complete already") {
				t.Errorf("%q is not the same to the checkpoint: exit code %d: %s", again, code, said)
			}
			fresh := append([]string{"--on-error", "skip", "--to", "again.jsonl", "--fresh"}, again...)
			if _, said, code := runIn(t, dir, fresh...); code != 0 || foundForm.MatchString(said) {
				t.Errorf("%q: exit code %d: %s", again, code, said)
			}
			if got, err := os.ReadFile(filepath.Join(dir, "again.jsonl")); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%q gives other rows (%v)", again, err)
			}
		}
	}
}

// Who pipes something slow in sees rows after the wait, not after a thousand records; and none of them is lost.
func TestStandardInputIsWaitedForNoLongerThanSaid(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(binary, "--infer-wait", "3s", "--from", "t=-", "SELECT a FROM t") // by then it has the first record
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	fmt.Fprintln(in, `{"a":1}`)
	first := make([]byte, len("{\"a\":1}\n"))
	read := make(chan error, 1)
	go func() {
		_, err := io.ReadFull(out, first)
		read <- err
	}()
	select {
	case err := <-read:
		if err != nil || string(first) != "{\"a\":1}\n" {
			t.Fatalf("%q %v: %s", first, err, errs.String())
		}
	case <-time.After(endWait):
		t.Fatal("it waits on and on")
	}
	fmt.Fprintln(in, `{"a":2}`)
	in.Close()
	rest, _ := io.ReadAll(out)
	if err := cmd.Wait(); err != nil || string(rest) != "{\"a\":2}\n" {
		t.Fatalf("%q %v: %s", rest, err, errs.String())
	}
	if !strings.Contains(errs.String(), "waiting for the first records of t, in which its columns are found; --schema declares them") {
		t.Errorf("it does not say that it waits: %s", errs.String())
	}
}
