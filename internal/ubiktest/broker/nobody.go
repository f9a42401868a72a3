package broker

import (
	"fmt"
	"syscall"
	"testing"
)

// Nobody gives an address of this machine at which nobody listens until the test is over: connections to it are refused. A
// socket has the port meanwhile, as a port that was merely free a moment ago is soon somebody else's.
func Nobody(tb testing.TB) string {
	tb.Helper()
	syscall.ForkLock.RLock()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(socket)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { syscall.Close(socket) })
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		tb.Fatal(err)
	}
	at, err := syscall.Getsockname(socket)
	if err != nil {
		tb.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", at.(*syscall.SockaddrInet4).Port)
}
