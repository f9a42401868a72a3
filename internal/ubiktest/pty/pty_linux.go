package pty

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Pty is a pseudo terminal: what is written to Program is read from Terminal, and the other way round.
type Pty struct {
	Terminal *os.File
	Program  *os.File
}

// Open makes a pseudo terminal with so many columns.
func Open(columns int) (*Pty, error) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	fd := int(terminal.Fd())
	fail := func(call string, err error) (*Pty, error) {
		terminal.Close()
		return nil, os.NewSyscallError(call, err)
	}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return fail("TIOCSPTLCK", err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return fail("TIOCGPTN", err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: uint16(columns)}); err != nil {
		return fail("TIOCSWINSZ", err)
	}
	program, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return fail("open", err)
	}
	return &Pty{terminal, program}, nil
}

// Close closes both ends.
func (p *Pty) Close() {
	p.Program.Close()
	p.Terminal.Close()
}
