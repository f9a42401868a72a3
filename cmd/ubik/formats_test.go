package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// export is a CSV as spreadsheets write it: quoted fields with delimiters and line breaks in them, empty ones, times of one
// a second with some disorder.
func export(rng *rand.Rand, n int) []byte {
	var b bytes.Buffer
	b.WriteString("id;merchant;amount;at;note\r\n")
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		note := []string{"", `"two` + "\r\n" + `lines; ""quoted"""`, "plain", strings.Repeat("é", rng.IntN(30)), `"` + strings.Repeat("\n", rng.IntN(5)) + `"`}[rng.IntN(5)]
		at := began.Add(time.Duration(i)*time.Second - time.Duration(rng.IntN(8000))*time.Millisecond)
		fmt.Fprintf(&b, "%d;m%d;%d.%02d;%s;%s\r\n", i, rng.IntN(50), rng.IntN(1000), rng.IntN(100), at.Format("2006-01-02 15:04:05.000"), note)
	}
	return b.Bytes()
}

// killedOften runs a job to its end, and kills it on the way at places of a phase, or when the checkpoint has moved on. It
// reports how often.
func killedOften(t *testing.T, rng *rand.Rand, dir, ckpt string, most int, args ...string) (kills int) {
	t.Helper()
	for life := range 60 {
		workers := []string{"1", "2", "5"}[rng.IntN(3)]
		cmd := exec.Command(binary, append([]string{"--quiet", "--checkpoint-interval", "4ms", "--workers", workers}, args...)...)
		var said strings.Builder
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &said, &said
		byItself := []string{"sink write:%d", "written:%d", "synced:%d", "renamed:%d", "dirsynced:%d"}
		cmd.Env = os.Environ()
		from := uint64(0)
		if u := progress(ckpt); u != nil {
			from = u.Read()
		}
		outside := kills < most && life%3 == 2
		if kills < most && !outside {
			phase, n := byItself[0], 0 // which every first life comes to
			if life > 0 {
				phase, n = byItself[rng.IntN(len(byItself))], 2+rng.IntN(3)
			}
			if strings.HasPrefix(phase, "sink") {
				n = 1 + rng.IntN(3000)
			}
			cmd.Env = append(cmd.Env, killEnv+"="+fmt.Sprintf(phase, n))
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { cmd.Wait(); close(ended) }()
		poll := time.NewTicker(time.Millisecond)
		for running := true; running; {
			select {
			case <-ended:
				running = false
			case <-poll.C:
				if outside {
					if u := progress(ckpt); u != nil && u.Read() > from {
						cmd.Process.Kill()
					}
				}
			}
		}
		poll.Stop()
		if cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
			kills++
			continue
		}
		if code := cmd.ProcessState.ExitCode(); code != 0 {
			t.Fatalf("exit code %d: %s", code, said.String())
		}
		return kills
	}
	t.Fatal("the job does not end")
	return 0
}

// A CSV that is plain or packed, read and written with kills on the way, is what one run over the plain one leaves: the
// header once, every row once, in order. The columns are found.
func TestAKilledRunOverCSVLeavesWhatAnUninterruptedOneLeaves(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(killSeed(t), 3))
	data := export(rng, 30_000)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "e.csv"), data)
	write(t, filepath.Join(dir, "e.csv.gz"), gzipped(t, data))
	write(t, filepath.Join(dir, "e.csv.zst"), zstandard(t, data))
	total := 0
	for _, c := range []struct{ name, sink, query string }{
		{"record by record", "out.csv", "SELECT id, note, amount, merchant, at FROM e WHERE merchant <> 'm7'"},
		{"by windows", "out.tsv", "SELECT merchant, TUMBLE(at, INTERVAL 1 MINUTE) AS w, count(*) AS n, sum(amount) AS total, max(note) AS note FROM e GROUP BY merchant, TUMBLE(at, INTERVAL 1 MINUTE)"},
	} {
		if _, said, code := runIn(t, dir, "--from", "e=e.csv", "--delay", "5s", "--to", "want-"+c.sink, "--workers", "1", c.query); code != 0 {
			t.Fatalf("exit code %d: %s", code, said)
		}
		want, err := os.ReadFile(filepath.Join(dir, "want-"+c.sink))
		if err != nil || bytes.Count(want, []byte("\n")) < 20_000 {
			t.Fatalf("the uninterrupted run left %d bytes (%v)", len(want), err)
		}
		for i, from := range []string{"e.csv", "e.csv.gz", "e.csv.zst"} {
			sink, ckpt := fmt.Sprintf("%d-%s", i, c.sink), fmt.Sprintf("%d-%s.ckpt", i, c.sink)
			total += killedOften(t, rng, dir, filepath.Join(dir, ckpt), 4, "--from", "e="+from, "--delay", "5s", "--to", sink, "--resume", ckpt, c.query)
			got, err := os.ReadFile(filepath.Join(dir, sink))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s from %s: %d bytes, the uninterrupted run's are %d, or they differ", c.name, from, len(got), len(want))
			}
		}
	}
	t.Logf("%d kills", total)
	if total < 6 {
		t.Errorf("%d kills prove little", total)
	}
}

// A directory of files that end at different times, one of which is packed, goes on after any kill: that a file has ended is
// kept, also where no position tells.
func TestADirectoryWithPackedFilesGoesOnBehindTheirEnds(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(killSeed(t), 5))
	dir := t.TempDir()
	files := map[string][]byte{"a.csv": export(rng, 30_000), "b.csv.gz": gzipped(t, export(rng, 300)), "c.csv.zst": zstandard(t, export(rng, 300))}
	if err := os.Mkdir(filepath.Join(dir, "e"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		write(t, filepath.Join(dir, "e", name), data)
	}
	args := func(sink string, more ...string) []string {
		return append(more, "--from", "e", "--delay", "1m", "--to", sink, "SELECT merchant, TUMBLE(at, INTERVAL 1 MINUTE) AS w, count(*) AS n FROM e GROUP BY ALL")
	}
	if _, said, code := runIn(t, dir, args("want.csv")...); code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	want, err := os.ReadFile(filepath.Join(dir, "want.csv"))
	if err != nil {
		t.Fatal(err)
	}
	kills := 0
	for i := range 5 {
		sink, ckpt := fmt.Sprintf("%d.csv", i), fmt.Sprintf("%d.ckpt", i)
		kills += killedOften(t, rng, dir, filepath.Join(dir, ckpt), 4, args(sink, "--resume", ckpt)...)
		if got, err := os.ReadFile(filepath.Join(dir, sink)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v: %d bytes, the uninterrupted run's are %d, or they differ", err, len(got), len(want))
		}
	}
	t.Logf("%d kills", kills)
	if kills < 3 {
		t.Errorf("%d kills prove little", kills)
	}
}

// following is a run that follows files.
type following struct {
	*running
	dir string
}

func follow(t *testing.T, dir string, args ...string) *following {
	t.Helper()
	f := &following{start(t, dir, append([]string{"--follow", "--checkpoint-interval", "10ms"}, args...)...), dir}
	f.saying("msg=\"reading ")
	return f
}

// holds waits until a file holds exactly a text.
func (f *following) holds(name, text string) {
	f.t.Helper()
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	deadline := time.Now().Add(endWait)
	for {
		b, _ := os.ReadFile(filepath.Join(f.dir, name))
		if string(b) == text {
			return
		}
		if time.Now().After(deadline) {
			f.t.Fatalf("%s holds %q, want %q", name, b, text)
		}
		<-again.C
	}
}

func TestAFollowedCSVIsReadAsItGrows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := filepath.Join(dir, "log.csv")
	args := []string{"--from", "log.csv", "--to", "out.csv", "--resume", "log.ckpt", "SELECT b, a FROM log"}
	write(t, in, []byte("a,b\n1,x\n2,\"y\n"))
	appendTo(t, in, "y\"\n3,z")
	f := follow(t, dir, args...)
	f.holds("out.csv", "b,a\nx,1\n\"y\ny\",2\n")
	appendTo(t, in, "z\n4,\"")
	f.holds("out.csv", "b,a\nx,1\n\"y\ny\",2\nzz,3\n")
	appendTo(t, in, "q\n\nq")
	f.signal(syscall.SIGTERM)
	if code, said := f.end(); code != 0 || !strings.Contains(said, "stopped: 3 records, 3 rows") {
		t.Fatalf("exit code %d: %s", code, said)
	}
	appendTo(t, in, "\"\n")
	f = follow(t, dir, args...)
	f.holds("out.csv", "b,a\nx,1\n\"y\ny\",2\nzz,3\n\"q\n\nq\",4\n")
	f.signal(syscall.SIGTERM)
	if code, said := f.end(); code != 0 || !strings.Contains(said, "stopped: 4 records, 4 rows") {
		t.Fatalf("exit code %d: %s", code, said)
	}
}

// A run that begins behind the last record reads those that come while it waits for the first ones, in which its columns
// are found.
func TestRecordsThatAreWaitedForAreRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ there, added, want string }{
		"log.csv":   {"", "a,b\n1,x\n", `{"a":1}` + "\n"},
		"half.csv":  {"a,", "b\n1,x\n", `{"a":1}` + "\n"},
		"log.jsonl": {"", "{\"a\":2}\n", `{"a":2}` + "\n"},
		"old.jsonl": {"{\"a\":1}\n", "{\"a\":2}\n", `{"a":2}` + "\n"}, // nothing is waited for
	} {
		dir := t.TempDir()
		in := filepath.Join(dir, name)
		write(t, in, []byte(c.there))
		f := &following{start(t, dir, "--follow", "--start", "latest", "--infer-wait", "1m", "--from", "log="+name, "--to", "out.jsonl", "--resume", "log.ckpt", "SELECT a FROM log"), dir}
		if c.there == "" || strings.HasPrefix(name, "half") {
			f.saying("waiting for the first records of log")
		} else {
			f.saying("msg=\"reading ")
		}
		appendTo(t, in, c.added)
		f.holds("out.jsonl", c.want)
		f.signal(syscall.SIGTERM)
		if code, said := f.end(); code != 0 || !strings.Contains(said, "stopped: 1 record, 1 row") {
			t.Fatalf("%s: exit code %d: %s", name, code, said)
		}
	}
}

// A source that had no record when the run began is looked at for the declared columns when it has enough.
func TestAMisspeltColumnOfALogThatWasEmptyIsWarnedOf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := filepath.Join(dir, "log.jsonl")
	write(t, in, nil)
	f := follow(t, dir, "--schema", "merchand VARCHAR, n INTEGER", "--from", "log.jsonl", "--to", "out.jsonl", "SELECT merchand, n FROM log WHERE n < 0")
	appendTo(t, in, strings.Repeat("{\"merchant\":\"m\",\"n\":1}\n", 10_000))
	f.saying("no record of the first 10000 of log has \\\"merchand\\\"; they have merchant")
	f.signal(syscall.SIGTERM)
	if code, said := f.end(); code != 0 || strings.Contains(said, "no record of the first") {
		t.Fatalf("exit code %d: %s", code, said)
	}
}

// A run that goes on from a checkpoint and has nothing to do says so: nothing is older than the checkpoint, which has a size.
func TestTheLogLineOfAQuietRunIsQuiet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "log.jsonl"), []byte("{\"a\":1}\n{\"a\":2}\n"))
	args := []string{"--from", "log.jsonl", "--to", "out.jsonl", "--resume", "log.ckpt", "SELECT a FROM log"}
	if _, said, code := runIn(t, dir, append([]string{"--keep-open"}, args...)...); code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	f := follow(t, dir, append([]string{"--status-every", "1ms"}, args...)...)
	f.saying(" records=2 ")
	for range 3 {
		line := f.saying(`"checkpoint age"=0s "checkpoint size"="`)
		if strings.Contains(line, `"checkpoint size"="0 B"`) || strings.Contains(line, "watermark=") || strings.Contains(line, "held by") {
			t.Error(line)
		}
	}
	f.signal(syscall.SIGTERM)
	if code, said := f.end(); code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
}

func TestARotatedLogStopsTheRunWithWhatItRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		rotate func(path string) error
		says   string
		often  string // how often a checkpoint is taken: also when none was, what was read is in the last one
	}{
		{"by renaming", func(path string) error {
			if err := os.Rename(path, path+".1"); err != nil {
				return err
			}
			return os.WriteFile(path, []byte("{\"a\":9}\n"), 0o644)
		}, "its name led to another file when it had been read to position 16", "10ms"},
		{"by truncating", func(path string) error { return os.WriteFile(path, []byte("{\"a\":9}\n"), 0o644) }, "it was cut to 8 bytes when it had been read to position 16", "1h"},
		{"by removing", os.Remove, "it was renamed or removed when it had been read to position 16", "1h"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			in := filepath.Join(dir, "log.jsonl")
			args := []string{"--checkpoint-interval", c.often, "--from", "log.jsonl", "--to", "out.jsonl", "--resume", "log.ckpt", "SELECT a FROM log"}
			write(t, in, []byte("{\"a\":1}\n{\"a\":2}\n"))
			f := follow(t, dir, append([]string{"--status-every", "1ms"}, args...)...)
			f.saying(" records=2 ")
			if err := c.rotate(in); err != nil {
				t.Fatal(err)
			}
			code, said := f.end()
			if code != 4 || !strings.Contains(said, "log.jsonl") || !strings.Contains(said, c.says) {
				t.Fatalf("exit code %d: %s", code, said)
			}
			if u := progress(filepath.Join(dir, "log.ckpt")); u == nil || u.Read() != 2 || u.Complete {
				t.Errorf("the checkpoint is %+v", u)
			}
			f.holds("out.jsonl", "{\"a\":1}\n{\"a\":2}\n")
			if _, said, code := runIn(t, dir, append([]string{"--follow"}, args...)...); code != 4 {
				t.Errorf("the next run over the other log: exit code %d: %s", code, said)
			}
			// As it says: the rest of the old log is read from its copy.
			write(t, in, []byte("{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n"))
			if _, said, code := runIn(t, dir, append([]string{"--keep-open"}, args...)...); code != 0 {
				t.Errorf("over the rest of the old log: exit code %d: %s", code, said)
			}
			f.holds("out.jsonl", "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n")
		})
	}
}
