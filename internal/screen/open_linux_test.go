package screen_test

import (
	"os"
	"strings"
	"testing"

	"ubik/internal/screen"
	"ubik/internal/ubiktest/pty"
)

func TestAStreamIsAskedWhatItIs(t *testing.T) {
	p, err := pty.Open(33)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	_, pipe, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	for _, c := range []struct {
		out, err      *os.File
		env           string
		colours, move bool
	}{
		{p.Program, p.Program, "TERM=xterm", true, true},
		{p.Program, p.Program, "TERM=xterm NO_COLOR=1", false, true},
		{p.Program, p.Program, "TERM=xterm NO_COLOR=0", false, true},
		{p.Program, p.Program, "TERM=xterm NO_COLOR=", true, true},
		{p.Program, p.Program, "TERM=dumb", false, false},
		{p.Program, p.Program, "", false, false},
		{p.Program, pipe, "TERM=xterm", true, false},
		{pipe, p.Program, "TERM=xterm", false, true},
	} {
		s := screen.Open(c.out, c.err, func(name string) string {
			for _, v := range strings.Fields(c.env) {
				if k, v, _ := strings.Cut(v, "="); k == name {
					return v
				}
			}
			return ""
		})
		if s.OutTerminal() != (c.out == p.Program) || s.OutColours() != c.colours || s.Moves() != c.move {
			t.Errorf("%s: terminal %v, colours %v, moves %v", c.env, s.OutTerminal(), s.OutColours(), s.Moves())
		}
		asked := -1
		s.Show(func(width int) string { asked = width; return "" })
		s.Close()
		if want := map[bool]int{true: 32, false: -1}[c.move]; asked != want {
			t.Errorf("%s: a width of %d", c.env, asked)
		}
	}
}
