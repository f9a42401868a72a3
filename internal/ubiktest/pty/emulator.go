// Package pty gives tests a terminal: Open makes a real pseudo terminal to run a program on, and Emulator is what one sees
// there.
//
//	p, _ := pty.Open(80)
//	cmd.Stdout, cmd.Stderr = p.Program, p.Program
//	… read from p.Terminal into an Emulator, then look at its Lines.
package pty

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ubik/internal/screen"
)

// Emulator is the screen of a terminal that is high enough for everything. It knows what the program uses: carriage
// return, newline, erase to the right, attributes; and fails on anything else. The zero value is none: Width is needed.
type Emulator struct {
	Width int

	lines  [][]rune // one rune a column; a wide character has a 0 behind it
	row    int
	column int
	rest   []byte // the beginning of a sequence or character that was cut off

	Attributes int   // how many sequences changed colours or the like
	Err        error // the first thing it does not know
}

// Write takes output of a program.
func (e *Emulator) Write(b []byte) (int, error) {
	e.rest = append(e.rest, b...)
	for len(e.rest) > 0 && e.Err == nil {
		n := e.take(e.rest)
		if n == 0 {
			break
		}
		e.rest = e.rest[n:]
	}
	return len(b), nil
}

// take performs what b begins with and returns its length, 0 when it is not whole yet.
func (e *Emulator) take(b []byte) int {
	switch b[0] {
	case '\r':
		e.column = 0
		return 1
	case '\n':
		e.row, e.column = e.row+1, 0
		return 1
	case 0x1b:
		end := strings.IndexAny(string(b), "ABCDEFGHJKSTfhlmnsu")
		if end < 0 {
			return 0
		}
		e.sequence(string(b[1 : end+1]))
		return end + 1
	}
	if !utf8.FullRune(b) {
		return 0
	}
	r, n := utf8.DecodeRune(b)
	if r < ' ' || r == 0x7F || r == utf8.RuneError && n == 1 {
		e.Err = fmt.Errorf("byte %#x", b[0])
	}
	e.put(r)
	return n
}

func (e *Emulator) sequence(s string) {
	switch {
	case s == "[K":
		if line := e.line(); e.column < len(*line) {
			*line = (*line)[:e.column]
		}
	case strings.HasPrefix(s, "[") && strings.HasSuffix(s, "m"):
		e.Attributes++
	default:
		e.Err = fmt.Errorf("escape sequence %q", s)
	}
}

func (e *Emulator) put(r rune) {
	width := screen.Width(string(r))
	if width == 0 {
		return
	}
	if e.column+width > e.Width {
		e.row, e.column = e.row+1, 0
	}
	line := e.line()
	for len(*line) < e.column+width {
		*line = append(*line, ' ')
	}
	(*line)[e.column] = r
	for i := 1; i < width; i++ {
		(*line)[e.column+i] = 0
	}
	e.column += width
}

func (e *Emulator) line() *[]rune {
	for len(e.lines) <= e.row {
		e.lines = append(e.lines, nil)
	}
	return &e.lines[e.row]
}

// Lines returns what stands on the screen, spaces at the ends of lines left out.
func (e *Emulator) Lines() []string {
	out := make([]string, len(e.lines))
	for i := range e.lines {
		out[i] = text(e.lines[i])
	}
	return out
}

// Bottom returns the line that the cursor is in.
func (e *Emulator) Bottom() string { return text(*e.line()) }

func text(line []rune) string {
	return strings.TrimRight(strings.ReplaceAll(string(line), "\x00", ""), " ")
}
