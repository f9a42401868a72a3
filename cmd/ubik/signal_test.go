package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ubik/internal/ubiktest/broker"
)

// running is a run whose standard output is read by hand: as long as nobody does, it stands still.
type running struct {
	t   *testing.T
	cmd *exec.Cmd
	out *bufio.Reader
	err chan string // the lines of standard error, closed at its end
}

func start(t *testing.T, dir string, args ...string) *running {
	t.Helper()
	r := &running{t: t, cmd: exec.Command(binary, args...), err: make(chan string, 1000)}
	r.cmd.Dir = dir
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs, err := r.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.cmd.Process.Kill() }) // an error means that it has ended
	r.out = bufio.NewReader(out)
	go func() {
		defer close(r.err)
		for lines := bufio.NewScanner(errs); lines.Scan(); {
			r.err <- lines.Text()
		}
	}()
	return r
}

// endWait bounds every wait of a test; nothing that works comes near it.
const endWait = 2 * time.Minute

// saying waits for a line of standard error that contains a text.
func (r *running) saying(text string) string {
	r.t.Helper()
	var before []string
	for limit := time.After(endWait); ; {
		select {
		case line, ok := <-r.err:
			before = append(before, line)
			if !ok {
				r.t.Fatalf("it does not say %q but %q", text, before)
			}
			if strings.Contains(line, text) {
				return line
			}
		case <-limit:
			r.t.Fatalf("it does not say %q but %q", text, before)
		}
	}
}

func (r *running) signal(s os.Signal) {
	r.t.Helper()
	if err := r.cmd.Process.Signal(s); err != nil {
		r.t.Fatal(err)
	}
}

// end waits for the end and returns the exit code and the rest of standard error.
func (r *running) end() (int, string) {
	r.t.Helper()
	var rest strings.Builder
	for line := range r.err {
		rest.WriteString(line + "\n")
	}
	r.cmd.Wait() // whose error is the exit code
	return r.cmd.ProcessState.ExitCode(), rest.String()
}

// rowByRow is a query over the fixture that writes more than any pipe holds.
func rowByRow(f *fixture, more ...string) []string {
	return append([]string{"--from", "txns=" + f.glob, "--schema", schema, "--checkpoint-interval", "20ms"},
		append(more, "SELECT merchant, amount, event_time FROM txns")...)
}

func TestASignalEndsARunCleanlyWithALastCheckpoint(t *testing.T) {
	t.Parallel()
	f := loadFixture(t)
	whole, _, code := runIn(t, t.TempDir(), rowByRow(f, "--workers", "1")...)
	if code != 0 {
		t.Fatalf("exit code %d", code)
	}
	for _, s := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		t.Run(s.String(), func(t *testing.T) {
			dir := t.TempDir()
			r := start(t, dir, rowByRow(f, "--resume", "txns.ckpt")...)
			if _, err := r.out.Peek(1); err != nil {
				t.Fatal(err)
			}
			r.signal(s)
			r.saying("stopping: finishing what was read, then a last checkpoint")
			first, err := io.ReadAll(r.out)
			if err != nil {
				t.Fatal(err)
			}
			code, said := r.end()
			if code != 0 || !strings.HasPrefix(said, "stopped: ") {
				t.Fatalf("exit code %d: %s", code, said)
			}
			_, u := readCheckpoint(t, filepath.Join(dir, "txns.ckpt"))
			if rows := bytes.Count(first, []byte("\n")); u.Complete || int(u.Rows()) != rows || rows == fixtureRecords {
				t.Fatalf("complete is %v, the checkpoint has %d rows, standard output %d", u.Complete, u.Rows(), rows)
			}
			second, said, code := runIn(t, dir, rowByRow(f, "--resume", "txns.ckpt", "--workers", "3")...)
			if code != 0 {
				t.Fatalf("exit code %d: %s", code, said)
			}
			// Between the files' rows there is no order, so that the two parts are compared as sets of lines.
			sameLines(t, string(first)+second, whole)
		})
	}
}

func sameLines(t *testing.T, got, want string) {
	t.Helper()
	count := map[string]int{}
	for line := range strings.Lines(want) {
		count[line]++
	}
	for line := range strings.Lines(got) {
		count[line]--
	}
	for line, n := range count {
		if n != 0 {
			t.Fatalf("%+d times %s", -n, line)
		}
	}
}

func TestARunThatCannotEndIsEndedByTheShutdownTimeout(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir(), rowByRow(loadFixture(t), "--resume", "txns.ckpt", "--shutdown-timeout", "300ms")...)
	if _, err := r.out.Peek(1); err != nil {
		t.Fatal(err)
	}
	r.signal(syscall.SIGTERM)
	r.saying("stopping")
	code, said := r.end()
	const want = "ubik: the run did not end within the shutdown timeout of 300ms; nothing is lost: the same command goes on from the checkpoint; --shutdown-timeout gives it more time\n"
	if code != 75 || !strings.HasSuffix(said, want) {
		t.Fatalf("exit code %d: %s", code, said)
	}
}

// asking signals again and again until a line of standard error contains a text: at first it is the same signal.
func (r *running) asking(text string) {
	r.t.Helper()
	again := time.NewTicker(sameSignal / 2)
	defer again.Stop()
	for signals := 0; signals < 100; {
		select {
		case line := <-r.err:
			if strings.Contains(line, text) {
				return
			}
		case <-again.C:
			signals++
			r.signal(os.Interrupt)
		}
	}
	r.t.Fatalf("it does not say %q", text)
}

func TestASecondSignalAborts(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir(), rowByRow(loadFixture(t))...)
	if _, err := r.out.Peek(1); err != nil {
		t.Fatal(err)
	}
	r.signal(os.Interrupt)
	r.saying("stopping")
	r.asking("second signal: aborting")
	code, said := r.end()
	const want = "ubik: aborted: second signal; without --resume the next run starts from the beginning\n"
	if code != 75 || !strings.HasSuffix(said, want) {
		t.Fatalf("exit code %d: %s", code, said)
	}
}

// As timeout has it, which signals the process and then the group that it is in.
func TestSignalsAtOnceAreOne(t *testing.T) {
	t.Parallel()
	got, times := make(chan os.Signal), make(chan time.Time)
	stopped, aborted := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(aborted)
		stopThenAbort(got, func() time.Time { return <-times }, func() { close(stopped) })
	}()
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, after := range []time.Duration{0, 0, time.Millisecond, sameSignal - 1, sameSignal} {
		select {
		case got <- syscall.SIGTERM:
		case <-aborted:
			t.Fatalf("signal %d aborts, before there is one after %v", i-1, sameSignal)
		}
		if i == 0 {
			<-stopped
		}
		times <- first.Add(after)
	}
	select {
	case <-aborted:
	case got <- syscall.SIGTERM:
		t.Errorf("a signal after %v does not abort", sameSignal)
	}
}

func TestACheckpointInUseIsRefusedAndShown(t *testing.T) {
	t.Parallel()
	dir, f := t.TempDir(), loadFixture(t)
	r := start(t, dir, rowByRow(f, "--resume", "txns.ckpt")...)
	if _, err := r.out.Peek(1); err != nil {
		t.Fatal(err)
	}
	_, said, code := runIn(t, dir, rowByRow(f, "--quiet", "--resume", "txns.ckpt")...)
	const want = "ubik: checkpoint txns.ckpt: another run uses it; stop the other run, or give this one a file of its own\n"
	if code != 6 || said != want {
		t.Errorf("exit code %d: %s", code, said)
	}
	for _, form := range []string{"--quiet", "--json"} {
		args := []string{"checkpoint", "show", "txns.ckpt"}
		if form == "--json" {
			args = append(args, form)
		}
		if shown, said, code := runIn(t, dir, args...); code != 0 || said != "" || !strings.Contains(shown, "txns-0.jsonl") {
			t.Errorf("checkpoint show: exit code %d: %s%s", code, said, shown)
		}
	}
	// Two runs into one file, each with its own checkpoint or none.
	out, err := os.OpenFile(filepath.Join(dir, "out.jsonl"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := syscall.Flock(int(out.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	_, said, code = runIn(t, dir, f.args("--quiet", "--to", "out.jsonl")...)
	if code != 5 || said != "ubik: out.jsonl is being written by another run; stop that run, or name another file\n" {
		t.Errorf("exit code %d: %s", code, said)
	}
}

func TestASignalEndsTheWaitForABroker(t *testing.T) {
	t.Parallel()
	const line = `level=INFO msg="stopped before anything was read"` + "\n"
	for name, args := range map[string][]string{
		"for the topic":   {"--schema", schema, "--resume", "txns.ckpt", headline},
		"for its columns": {"--resume", "txns.ckpt", headline},
		"in silence":      {"--quiet", "--resume", "txns.ckpt", headline},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, t.TempDir(), append([]string{"--from", "kafka://" + broker.Nobody(t) + "/txns"}, args...)...)
			r.saying("waiting for kafka at 127.0.0.1:")
			r.signal(syscall.SIGTERM)
			code, said := r.end() // a wait to its end would be an outage, of exit code 75
			quiet := name == "in silence"
			if code != 0 || quiet && said != "" || !quiet && (strings.Count(said, "\n") != 1 || !strings.HasSuffix(said, line)) {
				t.Errorf("exit code %d: %s", code, said)
			}
		})
	}
}
