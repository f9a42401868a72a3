package broker

import "syscall"

// dieWithParent has the kernel kill the child when the thread that started it ends, so also when the test binary panics or is killed.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
