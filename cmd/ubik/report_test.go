package main

import (
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"ubik/internal/fault"
)

// A broken pipe is a quiet end only where it is that of standard output: a broker's connection breaks alike.
func TestABrokenPipeIsAQuietEndOfStandardOutputOnly(t *testing.T) {
	broken := &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}
	for _, c := range []struct {
		err  error
		code int
		said string
	}{
		{&fault.Error{Class: fault.Sink, Msg: "standard output was closed by its reader", Err: syscall.EPIPE}, 0, ""},
		{fault.Wrap(fault.Retryable, broken, "run the same command again", "kafka at h:9092 could not be used for 2m0s"), 75,
			"ubik: kafka at h:9092 could not be used for 2m0s: write tcp: write: broken pipe; run the same command again\n"},
	} {
		var said strings.Builder
		if code := report(&said, c.err); code != c.code || said.String() != c.said {
			t.Errorf("%v gives %d and says %q, want %d and %q", c.err, code, said.String(), c.code, c.said)
		}
	}
}
