//go:build linux || darwin

package checkpoint

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ubik/internal/host"
)

// The test binary is its own second process: with childPath set it saves units to that path, one after the other, naming
// each on standard output, until it is killed; or until it kills itself at the phase of childPhase.
const (
	childPath  = "UBIK_TEST_CHECKPOINT"
	childPhase = "UBIK_TEST_PHASE"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		if err := child(path, os.Getenv(childPhase)); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func child(path, phase string) error {
	s, u, err := Open(host.OS, path)
	if err != nil {
		return err
	}
	s.Keep = 2
	s.Phase = func(step string) {
		if step == phase {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until the signal arrives
		}
	}
	next := uint64(0)
	if u != nil {
		next = u.Number + 1
	}
	for ; ; next++ {
		if err := s.Save(makeNumbered(next)); err != nil {
			return err
		}
		fmt.Println(next)
	}
}

type running struct {
	cmd *exec.Cmd
	out *bufio.Scanner
}

func start(t *testing.T, path, phase string) running {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childPath+"="+path, childPhase+"="+phase)
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	return running{cmd, bufio.NewScanner(out)}
}

// said returns the next unit that the process has saved, or -1 when it is gone.
func (r running) said(t *testing.T) int64 {
	t.Helper()
	if !r.out.Scan() {
		return -1
	}
	var n int64
	if _, err := fmt.Sscan(r.out.Text(), &n); err != nil {
		t.Fatal(r.out.Text())
	}
	return n
}

func TestAnotherProcessIsKeptOutAndReadersAreNot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "txns.ckpt")
	last := int64(-1)
	for range 5 {
		r := start(t, file, "")
		for range 4 {
			if last = r.said(t); last < 0 {
				t.Fatal("the process ended")
			}
			if _, _, err := Open(host.OS, file); !errors.Is(err, host.ErrLocked) {
				t.Fatal(err)
			}
			if got := holds(t, host.OS, file, "while it runs"); got < last {
				t.Fatalf("a reader sees unit %d after %d", got, last)
			}
		}
		check(t, r.cmd.Process.Kill())
		for n := last; n >= 0; n = r.said(t) {
			last = n
		}
		r.cmd.Wait()
		if got := holds(t, host.OS, file, "killed"); got != last && got != last+1 {
			t.Fatalf("unit %d after %d was saved", got, last)
		}
	}
	s, _, err := Open(host.OS, file)
	check(t, err)
	check(t, s.Close())
}

func TestAProcessKilledAtAnyPhaseLeavesAWholeUnit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "txns.ckpt")
	want := int64(-1)
	for range 2 {
		for _, phase := range []string{"written", "synced", "renamed", "dirsynced"} {
			r := start(t, file, phase)
			if n := r.said(t); n >= 0 {
				t.Fatalf("%s: it lived on to unit %d", phase, n)
			}
			var exit *exec.ExitError
			if err := r.cmd.Wait(); !errors.As(err, &exit) || !strings.Contains(exit.String(), "killed") {
				t.Fatal(err)
			}
			if phase == "renamed" || phase == "dirsynced" {
				want++
			}
			if got := holds(t, host.OS, file, phase); got != want {
				t.Fatalf("%s: unit %d, not %d", phase, got, want)
			}
		}
	}
}
