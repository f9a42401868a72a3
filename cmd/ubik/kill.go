package main

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// killEnv is for tests: "PHASE:N" makes the process kill itself with SIGKILL the Nth time it comes to a phase. The phases
// are "sink write" (behind a row handed to the sink) and those of saving a checkpoint: written, synced, renamed, dirsynced.
const killEnv = "UBIK_TEST_KILL"

// killAt returns the hook that a test asked for, or nil.
func killAt() func(phase string) {
	at, count, ok := strings.Cut(os.Getenv(killEnv), ":")
	n, err := strconv.ParseInt(count, 10, 64)
	if !ok || err != nil {
		return nil
	}
	var left atomic.Int64
	left.Store(n)
	return func(phase string) {
		if phase == at && left.Add(-1) == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until the signal is delivered
		}
	}
}
