//go:build !linux

package demo

import "syscall"

// ownGroup puts the child into a group of its own, so that what ends the demo from a terminal does not end the child first,
// as if by itself. Only Linux has the means to kill the child when the demo is killed.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
