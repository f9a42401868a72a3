//go:build !linux

package broker

import "syscall"

// dieWithParent asks for nothing: only Linux has the means. A broker is then ended by Close alone.
func dieWithParent() *syscall.SysProcAttr { return nil }
