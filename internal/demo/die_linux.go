package demo

import "syscall"

// ownGroup puts the child into a group of its own, so that what ends the demo from a terminal does not end the child first,
// as if by itself; the kernel kills the child when the thread that started it ends, so also when the demo is killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
