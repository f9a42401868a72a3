package demo

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"ubik/internal/fault"
)

// child is a running `ubik run`. It is killed when the context ends, and dies with the demo.
type child struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when it is gone and waited for
	err   error         // then: how it ended
	said  strings.Builder
}

// startChild starts the program. The kernel ties it to the thread that started it, so that thread is kept for as long as the
// child lives: were it to end, the child would be killed.
func startChild(ctx context.Context, exe string, args []string) (*child, error) {
	c := &child{cmd: exec.CommandContext(ctx, exe, args...), ended: make(chan struct{})}
	c.cmd.Stdout, c.cmd.Stderr, c.cmd.SysProcAttr = &c.said, &c.said, ownGroup()
	started := make(chan error)
	go func() {
		defer fault.Guard()
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.cmd.Start()
		started <- err
		if err == nil {
			c.err = c.cmd.Wait()
			close(c.ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return c, nil
}

// kill ends the child with SIGKILL, and returns when it is gone.
func (c *child) kill() error {
	err := c.cmd.Process.Kill()
	<-c.ended
	return err
}

// endedByItself is the fault of a child that is gone and was not killed.
func (c *child) endedByItself() error {
	return fmt.Errorf("the query ended by itself (%v): %s", c.err, c.said.String())
}
