package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// cost is what a process took.
type cost struct {
	wall, cpu time.Duration
	peak      int64 // bytes resident at most
}

// measure runs a command to its end; what it prints is shown when it fails.
//
// The peak is VmHWM of /proc, asked for every few milliseconds while the process lives. rusage has a maximum too, but on Linux that one starts with
// the peak of whoever started the process, which here is a program that links DuckDB and holds answers.
func measure(cmd *exec.Cmd) (cost, error) {
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return cost{}, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	ticker := time.NewTicker(3 * time.Millisecond)
	defer ticker.Stop()
	var c cost
	for {
		select {
		case err := <-ended:
			c.wall = time.Since(began)
			if err != nil {
				return c, fmt.Errorf("%s: %w\n%s", cmd, err, said.String())
			}
			c.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			if c.peak == 0 {
				return c, fmt.Errorf("%s: no peak memory was seen: /proc is needed, and a run that lasts", cmd)
			}
			return c, nil
		case <-ticker.C:
			c.peak = max(c.peak, peakOf(cmd.Process.Pid))
		}
	}
}

// peakOf is the greatest resident size a process has had, in bytes; 0 when it cannot be told.
func peakOf(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	text, _, found := strings.Cut(rest, "kB")
	if !found {
		return 0
	}
	kb, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return 0
	}
	return kb << 10
}
