package screen_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"ubik/internal/screen"
	"ubik/internal/ubiktest/pty"
)

func TestTextOnATerminalCannotDoAnything(t *testing.T) {
	p, err := pty.Open(80)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	n, err := fmt.Fprint(screen.Text(p.Program), "a\x1b[2J\u009b\r\t\u202eé売\xff\nb\n")
	if n != 21 || err != nil {
		t.Fatal(n, err)
	}
	want := "a\\u001b[2J\\u009b\\r\\t\\u202eé売\ufffd\r\nb\r\n" // the terminal's own line ends
	got := make([]byte, len(want))
	if _, err := io.ReadFull(p.Terminal, got); err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
	var e pty.Emulator
	e.Width = 80
	s := screen.OnTerminals(&e, &e, 80, false)
	s.Show(fixed("live"))
	io.WriteString(screen.Text(s.Err()), "a\x1b[2J\n")
	shows(t, &e, `a\u001b[2J`, "live")
}

func TestTextElsewhereIsLeftAsItIs(t *testing.T) {
	var b bytes.Buffer
	io.WriteString(screen.Text(&b), "a\x1b[2J\xff")
	if b.String() != "a\x1b[2J\xff" {
		t.Errorf("%q", b.String())
	}
}
