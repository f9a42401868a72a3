package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ubik/internal/ubiktest/pty"
)

// session is the program on a terminal of its own, which is as wide as no line is.
type session struct {
	t    *testing.T
	cmd  *exec.Cmd
	pty  *pty.Pty
	seen pty.Emulator
	all  bytes.Buffer // as it was written
}

// streams are the standard streams that are not the terminal.
type streams struct{ in, out, err *os.File }

// onTerminal starts the program.
func onTerminal(t *testing.T, dir string, to streams, env string, args ...string) *session {
	t.Helper()
	const columns = 400
	p, err := pty.Open(columns)
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, pty: p, cmd: exec.Command(binary, args...), seen: pty.Emulator{Width: columns}}
	t.Cleanup(p.Close)
	s.cmd.Dir, s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = dir, p.Program, p.Program, p.Program
	if to.in != nil {
		s.cmd.Stdin = to.in
	}
	if to.out != nil {
		s.cmd.Stdout = to.out
	}
	if to.err != nil {
		s.cmd.Stderr = to.err
	}
	s.cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "NO_COLOR=") || strings.HasPrefix(v, "TERM=") }), strings.Fields(env)...)
	ctty := 1
	if to.out != nil {
		ctty = 2
	}
	// The terminal is the one that controls the program, so that a key that is typed there can stop it.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: ctty}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := func() { s.cmd.Process.Kill() } // an error means that it has ended
	t.Cleanup(kill)
	limit := time.AfterFunc(2*time.Minute, kill)
	t.Cleanup(func() { limit.Stop() })
	p.Program.Close() // so that the end of the program is the end of the reading
	return s
}

// until reads what the program writes up to where a condition holds or the program ends, and reports which.
func (s *session) until(cond func() bool) bool {
	s.t.Helper()
	b := make([]byte, 4096)
	for !cond() {
		n, err := s.pty.Terminal.Read(b)
		s.seen.Write(b[:n])
		s.all.Write(b[:n])
		if s.seen.Err != nil {
			s.t.Fatalf("the terminal does not know %v: %q", s.seen.Err, b[:n])
		}
		if err != nil { // EIO: nobody has the terminal open any more
			return false
		}
	}
	return true
}

// end reads the rest and returns the lines on the screen and the exit code.
func (s *session) end() ([]string, int) {
	s.t.Helper()
	s.until(func() bool { return false })
	s.cmd.Wait() // whose error is the exit code
	return s.seen.Lines(), s.cmd.ProcessState.ExitCode()
}

// matches compares lines with patterns, one for each.
func matches(t *testing.T, lines []string, patterns ...string) {
	t.Helper()
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	ok := len(lines) == len(patterns)
	for i := 0; ok && i < len(lines); i++ {
		ok = regexp.MustCompile("^(?:" + patterns[i] + ")$").MatchString(lines[i])
	}
	if !ok {
		t.Fatalf("the screen shows\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(patterns, "\n"))
	}
}

const (
	terminalSchema = "name VARCHAR, n BIGINT"
	terminalQuery  = "SELECT name, n FROM rows"
	terminalRows   = `{"name":"売上","n":1}` + "\n" + `{"name":null,"n":20}` + "\n" + `{"name":"a\u001b[31mb","n":300}` + "\n"
)

// What a run over terminalRows leaves on the screen.
var terminalScreen = []string{
	`\d\d:\d\d:\d\d reading rows.jsonl workers=1`,
	`name            n`,
	`------------  ---`,
	`売上            1`,
	`NULL           20`,
	`a\\u001b\[31mb  300`,
	`\(3 rows\)`,
	`complete: 3 records, 3 rows in .*`,
	` *partition +read +used +filtered +unwindowed +late +malformed`,
	` *rows.jsonl +3 +3 +0 +0 +0 +0`,
}

func rowsFile(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "rows.jsonl"), []byte(terminalRows), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

var terminalArgs = []string{"--from", "rows.jsonl", "--schema", terminalSchema, "--workers", "1", terminalQuery}

func TestATableAndTheLedgerOnATerminal(t *testing.T) {
	t.Parallel()
	dir := rowsFile(t)
	for env, colours := range map[string]bool{"TERM=xterm": true, "TERM=xterm NO_COLOR=1": false, "TERM=dumb": false, "": false} {
		s := onTerminal(t, dir, streams{}, env, terminalArgs...)
		lines, code := s.end()
		if code != 0 || (s.seen.Attributes > 0) != colours {
			t.Errorf("%q: exit code %d, %d sequences of colour", env, code, s.seen.Attributes)
		}
		if !strings.HasPrefix(env, "TERM=xterm") && bytes.IndexByte(s.all.Bytes(), 0x1b) >= 0 {
			t.Errorf("%q: an escape sequence in %q", env, s.all.Bytes())
		}
		matches(t, lines, terminalScreen...)
	}
}

func TestALiveLineIsShownWhileARunGoesAndGoneAtItsEnd(t *testing.T) {
	t.Parallel()
	for _, env := range []string{"TERM=xterm", "TERM=xterm NO_COLOR=1"} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		s := onTerminal(t, t.TempDir(), streams{in: r}, env, "--from", "rows=-", "--schema", terminalSchema, "--workers", "1", terminalQuery)
		r.Close()
		live := regexp.MustCompile(`^\d+ records/s  3 rows$`)
		if !s.until(func() bool { return strings.HasPrefix(s.seen.Bottom(), "0 records/s") }) {
			t.Fatalf("no live line before the first record:\n%s", strings.Join(s.seen.Lines(), "\n"))
		}
		io.WriteString(w, terminalRows)
		if !s.until(func() bool { return live.MatchString(s.seen.Bottom()) }) {
			t.Fatalf("no live line with the rows:\n%s", strings.Join(s.seen.Lines(), "\n"))
		}
		w.Close()
		lines, code := s.end()
		if code != 0 || (s.seen.Attributes > 0) != (env == "TERM=xterm") {
			t.Errorf("%q: exit code %d, %d sequences of colour", env, code, s.seen.Attributes)
		}
		want := slices.Clone(terminalScreen)
		want[0] = `\d\d:\d\d:\d\d reading - workers=1`
		want[9] = ` *stdin +3 +3 +0 +0 +0 +0`
		matches(t, lines, want...)
	}
}

func TestCtrlCLeavesNoLiveLine(t *testing.T) {
	t.Parallel()
	f := loadFixture(t)
	wide := strings.Repeat("x", 300)
	query := "SELECT merchant, '" + wide + "' AS a, '" + wide + "' AS b FROM txns" // more than the terminal takes in any time
	s := onTerminal(t, t.TempDir(), streams{}, "TERM=xterm", "--from", "txns="+f.glob, "--schema", schema, query)
	bar := regexp.MustCompile(`^\[=*> *\] \d+%  `)
	if !s.until(func() bool { return bar.MatchString(s.seen.Bottom()) }) {
		t.Fatal("no bar was shown")
	}
	if _, err := s.pty.Terminal.Write([]byte{3}); err != nil {
		t.Fatal(err)
	}
	lines, code := s.end()
	text := strings.Join(lines[2:], "\n")
	if code != 0 || !strings.Contains(text, "\nstopped: ") || strings.Contains(text, "records/s") || strings.Contains(text, "% ") {
		t.Fatalf("exit code %d; the end of the screen is\n%s", code, strings.Join(lines[max(0, len(lines)-20):], "\n"))
	}
	if !regexp.MustCompile(`(?m)^(\^C)?\d\d:\d\d:\d\d stopping: finishing what was read$`).MatchString(text) {
		t.Error("the stop was not told")
	}
	if !regexp.MustCompile(`(?m)^\(\d+ rows; \d+ values cut to 60 columns: write to a file or a pipe to have them whole\)\nstopped: `).MatchString(text) {
		t.Error("the table's end does not stand above the ledger")
	}
}

func TestAnErrorLeavesNoLiveLine(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := onTerminal(t, t.TempDir(), streams{in: r}, "TERM=xterm", "--from", "rows=-", "--schema", terminalSchema, "--workers", "1", terminalQuery)
	r.Close()
	if !s.until(func() bool { return strings.Contains(s.seen.Bottom(), "records/s") }) {
		t.Fatal("no live line")
	}
	io.WriteString(w, terminalRows+"{\n")
	w.Close()
	lines, code := s.end()
	want := slices.Clone(terminalScreen[:7])
	want[0] = `.* reading - workers=1`
	want = append(want, `stopped: 3 records, 3 rows in .*`, terminalScreen[8], ` *stdin +3 +3 +0 +0 +0 +0`, `ubik: malformed record at stdin, position 77: .*`)
	if code != 3 {
		t.Errorf("exit code %d", code)
	}
	matches(t, lines, want...)
}

func TestRecordsThatAreTypedInAreNotDrawnOver(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, t.TempDir(), streams{}, "TERM=xterm NO_COLOR=1", "--from", "rows=-", "--schema", terminalSchema, "--workers", "1", terminalQuery)
	for i, shown := range []string{"\n売上  1\r\n", "\nNULL  20\r\n"} {
		io.WriteString(s.pty.Terminal, strings.SplitAfter(terminalRows, "\n")[i])
		if !s.until(func() bool { return strings.Contains(s.all.String(), shown) }) {
			t.Fatalf("the rows are not shown: %q", s.all.String())
		}
	}
	s.pty.Terminal.Write([]byte{4})
	lines, code := s.end()
	if text := strings.Join(lines, "\n"); code != 0 || strings.Contains(s.all.String(), "\x1b") || !strings.Contains(text, "\n(2 rows)\n") {
		t.Errorf("exit code %d; the screen shows\n%s", code, text)
	}
}

// One stream on a terminal changes nothing for the other.
func TestAPipeBesideATerminalGetsWhatItAlwaysGets(t *testing.T) {
	t.Parallel()
	dir := rowsFile(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := onTerminal(t, dir, streams{err: w}, "TERM=xterm", terminalArgs...)
	w.Close()
	lines, code := s.end()
	said, _ := io.ReadAll(r)
	matches(t, lines, terminalScreen[1:7]...)
	matches(t, strings.Split(string(said), "\n"), append([]string{`time=\S+ level=INFO msg="reading rows.jsonl" workers=1`}, terminalScreen[7:]...)...)
	if code != 0 || bytes.IndexByte(said, 0x1b) >= 0 {
		t.Errorf("exit code %d; %q", code, said)
	}

	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	s = onTerminal(t, dir, streams{out: out}, "TERM=xterm", terminalArgs...)
	lines, code = s.end()
	matches(t, lines, append(slices.Clone(terminalScreen[:1]), terminalScreen[7:]...)...)
	if b, err := os.ReadFile(out.Name()); code != 0 || err != nil || string(b) != terminalRows {
		t.Errorf("exit code %d; standard output is %q", code, b)
	}
}

// What others wrote, in the names of files and columns and in queries, is shown on a terminal and does nothing there.
func TestNothingThatIsReadMovesATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const evil = "a\x1b]0;x\x07\u009b2J"
	const shown = `a\u001b]0;x\u0007\u009b2J`
	if err := os.WriteFile(filepath.Join(dir, "rows.csv"), []byte(evil+",b\n1,2\n3,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "same.jsonl"), []byte(`{"a\u001b":1,"A\u001b":2}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	query := `SELECT "` + evil + `" AS "` + evil + `" FROM 'rows.csv'`
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{0, shown, []string{"schema", "rows.csv"}},
		{0, `also spelled "A`, []string{"schema", "same.jsonl"}},
		{0, shown, []string{"peek", "rows.csv"}},
		{0, shown, []string{"explain", query}},
		{0, shown, []string{"--resume", "x.ckpt", query}},
		{0, shown, []string{"checkpoint", "show", "x.ckpt"}},
		{0, shown, []string{"checkpoint", "show", "x.ckpt", "--data"}},
		{0, "\"unit\"", []string{"checkpoint", "show", "x.ckpt", "--json"}},
		{2, "c was not seen", []string{`SELECT c, '` + evil + `' FROM 'rows.csv'`}},
		{2, "there is no source named", []string{`SELECT a FROM "` + evil + `"`}},
		{2, shown, []string{"peek", evil + ".csv"}},
		{2, shown, []string{"-f", evil}},
		{2, "error", []string{"--schema", "b " + evil, "--from", "rows.csv", "SELECT 1 FROM rows"}},
		{2, shown, []string{"--" + evil, "x"}},
		{3, "malformed", []string{"--schema", "\"" + evil + "\" DATE, b VARCHAR", "--from", "rows.csv", `SELECT "` + evil + `" FROM rows`}},
	} {
		for _, env := range []string{"TERM=xterm NO_COLOR=1", "TERM=dumb"} {
			s := onTerminal(t, dir, streams{}, env, c.args...)
			_, code := s.end()
			text := strings.NewReplacer("\r\x1b[K", "", "\x1b[K", "").Replace(s.all.String()) // the live line
			if code != c.code || strings.ContainsAny(text, "\x1b\x07\u009b") || !strings.Contains(text, c.says) {
				t.Errorf("%s %q: exit code %d, %q", env, c.args, code, s.all.String())
			}
		}
	}
}

// A terminal is not wide, so that what a kind of source never has is left out of a table.
func TestPeekOnATerminalLeavesOutWhatFilesNeverHave(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, rowsFile(t), streams{}, "TERM=xterm NO_COLOR=1", "peek", "-n1", "rows.jsonl")
	lines, code := s.end()
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	matches(t, lines[:1], `_topic +_offset +[^_]*`)
}
