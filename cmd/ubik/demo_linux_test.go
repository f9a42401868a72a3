package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// showing is a demo in a group of its own, with its folder below tmp.
type showing struct {
	t     *testing.T
	cmd   *exec.Cmd
	tmp   string
	said  bytes.Buffer // standard error
	child int          // the query that runs
}

// startDemo starts a demo, and returns when its first query runs.
func startDemo(t *testing.T, args ...string) *showing {
	t.Helper()
	// What this process ignores, as it does below nohup, its children would; what it catches they do not.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	s := &showing{t: t, cmd: exec.Command(binary, append([]string{"demo"}, args...)...), tmp: t.TempDir()}
	s.cmd.Env = append(os.Environ(), "TMPDIR="+s.tmp)
	s.cmd.Stderr, s.cmd.SysProcAttr = &s.said, &syscall.SysProcAttr{Setpgid: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.cmd.Process.Kill() // an error means that it has ended
		if s.child != 0 && alive(s.child) {
			syscall.Kill(s.child, syscall.SIGKILL)
		}
	})
	s.until("a query runs", func() bool {
		s.child = queryOf(s.cmd.Process.Pid)
		return s.child != 0
	})
	return s
}

// until looks again and again, as there is nobody who tells.
func (s *showing) until(what string, is func() bool) {
	s.t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for limit := time.After(endWait); !is(); {
		select {
		case <-look.C:
		case <-limit:
			s.t.Fatalf("%s: not after %v", what, endWait)
		}
	}
}

// queryOf is the process below another that runs a query; 0: none does.
func queryOf(parent int) int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		if _, of := state(path); of != parent {
			continue
		}
		dir := filepath.Dir(path)
		if line, err := os.ReadFile(dir + "/cmdline"); err == nil && bytes.Contains(line, []byte("\x00run\x00")) {
			pid, _ := strconv.Atoi(filepath.Base(dir))
			return pid
		}
	}
	return 0
}

// state is the letter of a process's state and its parent, "" when it is gone.
func state(stat string) (letter string, parent int) {
	text, err := os.ReadFile(stat)
	if err != nil {
		return "", 0
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fmt.Sscan(rest, &letter, &parent)
	return letter, parent
}

// alive tells whether a process runs; one that nobody has waited for does not.
func alive(pid int) bool {
	letter, _ := state(fmt.Sprintf("/proc/%d/stat", pid))
	return letter != "" && letter != "Z" && letter != "X"
}

func TestASignalEndsADemoWithAllThatBelongsToIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		signal syscall.Signal
		name   string
		group  bool // as a terminal sends it
		args   []string
	}{
		{syscall.SIGINT, "SIGINT", true, nil},
		{syscall.SIGINT, "SIGINT", false, []string{"join"}},
		{syscall.SIGTERM, "SIGTERM", false, nil},
		{syscall.SIGHUP, "SIGHUP", true, nil},
	} {
		t.Run(fmt.Sprintf("%s, to the group: %v", c.name, c.group), func(t *testing.T) {
			t.Parallel()
			s := startDemo(t, c.args...)
			to := s.cmd.Process.Pid
			if c.group {
				to = -to
			}
			if err := syscall.Kill(to, c.signal); err != nil {
				t.Fatal(err)
			}
			s.cmd.Wait() // whose error is the signal
			if st := s.cmd.ProcessState.Sys().(syscall.WaitStatus); !st.Signaled() || st.Signal() != c.signal {
				t.Errorf("it did not die by %v: %v", c.signal, s.cmd.ProcessState)
			}
			if want := "ubik: the demo was interrupted by " + c.name + "\n"; s.said.String() != want {
				t.Errorf("it says %q, want %q", s.said.String(), want)
			}
			if alive(s.child) {
				t.Error("its query runs on")
			}
			left, err := os.ReadDir(s.tmp)
			if err != nil || len(left) > 0 {
				t.Errorf("it leaves %v behind, %v", left, err)
			}
		})
	}
}

func TestADemoThatNobodyReadsLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	cmd := exec.Command(binary, "demo")
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() // an error means that it has ended
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	out.Close()
	cmd.Wait() // whose error is the signal
	if st := cmd.ProcessState.Sys().(syscall.WaitStatus); !st.Signaled() || st.Signal() != syscall.SIGPIPE {
		t.Errorf("it did not die by SIGPIPE: %v", cmd.ProcessState)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v behind, %v", left, err)
	}
}

func TestASignalThatIsIgnoredDoesNotEndADemo(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sh", "-c", `trap "" HUP; exec "$0" demo`, binary)
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	read := make([]byte, 1)
	if _, err := out.Read(read); err != nil { // the introduction: what is caught is settled before it
		t.Fatal(err)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "\nSigIgn:\t")
	mask, _, _ := strings.Cut(rest, "\n")
	if ignored, err := strconv.ParseUint(mask, 16, 64); err != nil || ignored&1 == 0 { // bit 0 is signal 1, SIGHUP
		t.Errorf("SIGHUP is not ignored any more: %q, %v", mask, err)
	}
}

func TestTheQueryOfADemoDiesWithIt(t *testing.T) {
	t.Parallel()
	s := startDemo(t)
	if err := syscall.Kill(s.child, syscall.SIGSTOP); err != nil { // it cannot end by itself, as for want of a broker
		t.Fatal(err)
	}
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.cmd.Wait() // whose error is the signal
	s.until("the query of a demo that was killed is gone", func() bool { return !alive(s.child) })
}
