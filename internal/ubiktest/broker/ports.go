package broker

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
)

// Nobody gives an address of this machine at which nobody listens until the test is over: connections to it are refused. A
// socket has the port meanwhile, as a port that was merely free a moment ago is soon somebody else's.
func Nobody(tb testing.TB) string {
	tb.Helper()
	port, release, err := reserve(false)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(release)
	return fmt.Sprintf("127.0.0.1:%d", port)
}

// serverPorts gives two loopback ports for a broker. Where the system lets a server have a port that is reserved, as Linux
// does, nobody else who asks for some port gets one of them until release is called, also while the broker is down.
// Elsewhere they were free a moment ago, and another process may be quicker to take one: see first.
func serverPorts() (client, controller int, release func(), err error) {
	client, first, err := reserve(true)
	if err != nil {
		return 0, 0, nil, err
	}
	controller, second, err := reserve(true)
	if err != nil {
		first()
		return 0, 0, nil, err
	}
	release = func() {
		first()
		second()
	}
	if runtime.GOOS != "linux" {
		release()
		release = func() {}
	}
	return client, controller, release, nil
}

// reserve binds a loopback port until release is called, and does not listen there. One that is shared can be had by who
// asks for just that port in the same way.
func reserve(shared bool) (port int, release func(), err error) {
	syscall.ForkLock.RLock()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(socket)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return 0, nil, err
	}
	release = func() { syscall.Close(socket) }
	err = syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	if err == nil && shared {
		err = syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	}
	var at syscall.Sockaddr
	if err == nil {
		at, err = syscall.Getsockname(socket)
	}
	if err != nil {
		release()
		return 0, nil, err
	}
	return at.(*syscall.SockaddrInet4).Port, release, nil
}
