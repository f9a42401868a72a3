package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// endWait bounds how long a run that is about to end by itself may take.
const endWait = 120 * time.Second

// process is a life of the program.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	began time.Time
	said  output
	ended chan struct{} // closed when it is gone
	err   error         // how; set before ended is closed
}

// output collects what a process prints, for reading while it goes on.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// launch starts the program. killAt is PHASE:N for one that is to kill itself, else "". It is killed when the test ends before it.
func launch(t *testing.T, killAt string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(ubik, args...), ended: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), "UBIK_TEST_KILL="+killAt)
	p.cmd.Stdout, p.cmd.Stderr = &p.said, &p.said
	p.began = time.Now()
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.signal(syscall.SIGKILL)
		<-p.ended
	})
	return p
}

// signal does nothing to a process that is gone.
func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }

// slowed lets the process run for a millisecond and stops it for a while, again and again until the function returned is called, so that no machine is too
// fast for what is to happen on its way.
func (p *process) slowed(pause time.Duration) (end func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		wait := time.NewTimer(0)
		defer wait.Stop()
		for {
			for _, s := range []struct {
				signal syscall.Signal
				time   time.Duration
			}{{syscall.SIGSTOP, pause}, {syscall.SIGCONT, time.Millisecond}} {
				p.signal(s.signal)
				wait.Reset(s.time)
				<-wait.C
			}
			select {
			case <-quit:
				return
			case <-p.ended:
				return
			default:
			}
		}
	}()
	return func() {
		close(quit)
		<-ended
	}
}

// over tells whether the process has ended.
func (p *process) over() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// endsWithin waits for the process to end.
func (p *process) endsWithin(most time.Duration) bool {
	timeout := time.NewTimer(most)
	defer timeout.Stop()
	select {
	case <-p.ended:
		return true
	case <-timeout.C:
		return false
	}
}

// killed waits for the end of a process that was killed or is to kill itself.
func (p *process) killed(within time.Duration) bool {
	p.t.Helper()
	if !p.endsWithin(within) {
		return false
	}
	var exit *exec.ExitError
	if errors.As(p.err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return true
	}
	p.t.Fatalf("the program was to be killed, and ended by itself (%v):\n%s", p.err, &p.said)
	return false
}

// code waits for the process to end by itself and gives its exit code, -1 for a signal.
func (p *process) code(within time.Duration) int {
	p.t.Helper()
	if !p.endsWithin(within) {
		p.t.Fatalf("the program has not ended within %v:\n%s", within, &p.said)
	}
	return p.cmd.ProcessState.ExitCode()
}

// ends waits for the process to end by itself with an exit code and every one of the texts printed.
func (p *process) ends(within time.Duration, code int, texts ...string) {
	p.t.Helper()
	if got := p.code(within); got != code {
		p.t.Fatalf("exit code %d, want %d:\n%s", got, code, &p.said)
	}
	for _, text := range texts {
		if !p.says(text) {
			p.t.Fatalf("the program does not say %q:\n%s", text, &p.said)
		}
	}
}

// says tells whether a text was printed.
func (p *process) says(text string) bool { return strings.Contains(p.said.String(), text) }
