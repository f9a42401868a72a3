package screen_test

import (
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"ubik/internal/screen"
	"ubik/internal/ubiktest/pty"
)

func shows(t *testing.T, e *pty.Emulator, want ...string) {
	t.Helper()
	if got := e.Lines(); e.Err != nil || !slices.Equal(got, want) {
		t.Fatalf("error %v; the screen is\n%s\nwant\n%s", e.Err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func fixed(text string) func(int) string { return func(int) string { return text } }

func TestTheLiveLineStaysBelowWhatIsWritten(t *testing.T) {
	e := &pty.Emulator{Width: 20}
	s := screen.OnTerminals(e, e, e.Width, false)
	io.WriteString(s.Err(), "a log line\n")
	shows(t, e, "a log line")
	s.Show(fixed("a long live line"))
	shows(t, e, "a log line", "a long live line")
	s.Show(fixed("a live line"))
	shows(t, e, "a log line", "a live line")
	io.WriteString(s.Out(), "row 1\nrow 2\n")
	shows(t, e, "a log line", "row 1", "row 2", "a live line")
	io.WriteString(s.Err(), "another\n")
	shows(t, e, "a log line", "row 1", "row 2", "another", "a live line")
	s.Close()
	shows(t, e, "a log line", "row 1", "row 2", "another", "")
	s.Show(fixed("too late"))
	s.Close()
	io.WriteString(s.Err(), "the ledger\n")
	io.WriteString(s.Out(), "the footer\n")
	shows(t, e, "a log line", "row 1", "row 2", "another", "the ledger", "the footer")
}

func TestNothingIsDrawnBehindAnUnfinishedLine(t *testing.T) {
	e := &pty.Emulator{Width: 20}
	s := screen.OnTerminals(e, e, e.Width, false)
	s.Show(fixed("live"))
	io.WriteString(s.Out(), "half a ")
	s.Show(fixed("live 2"))
	shows(t, e, "half a")
	s.Out().Write(nil)
	io.WriteString(s.Err(), "line\n")
	shows(t, e, "half a line", "live 2")
}

func TestTheLiveLineNeverReachesTheLastColumn(t *testing.T) {
	for width := 1; width < 12; width++ {
		e := &pty.Emulator{Width: width}
		s := screen.OnTerminals(e, e, width, false)
		asked := 0
		s.Show(func(w int) string { asked = w; return "売上\x1b[2J売上" })
		if asked != width-1 || e.Err != nil || len(e.Lines()) != 1 || screen.Width(e.Bottom()) >= max(width, 1) {
			t.Errorf("%d columns, asked for %d: %q, %v", width, asked, e.Lines(), e.Err)
		}
		s.Close()
		shows(t, e, "")
	}
}

// Whatever is written and shown in whatever order: the screen holds what was written, and the live line below it.
func TestNothingThatIsWrittenIsLost(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		e := &pty.Emulator{Width: 40}
		s := screen.OnTerminals(e, e, e.Width, false)
		written, live := "", ""
		for step := range 40 {
			switch rnd.IntN(4) {
			case 0:
				live = strings.Repeat("=", 1+rnd.IntN(30))
				s.Show(fixed(live))
			default:
				text := []string{"one line\n", "two\nlines\n", "\n", "part "}[rnd.IntN(4)]
				if col := len(written) - 1 - strings.LastIndexByte(written, '\n'); col > 20 {
					text = "\n"
				}
				written += text
				to := s.Out()
				if rnd.IntN(2) == 0 {
					to = s.Err()
				}
				if n, err := io.WriteString(to, text); n != len(text) || err != nil {
					t.Fatal(n, err)
				}
			}
			want := written
			if written == "" || strings.HasSuffix(written, "\n") {
				want += live
			}
			var lines []string
			for l := range strings.SplitSeq(want, "\n") {
				lines = append(lines, strings.TrimRight(l, " "))
			}
			got := e.Lines()
			for len(got) < len(lines) {
				got = append(got, "") // nothing was written to these
			}
			if e.Err != nil || !slices.Equal(got, lines) {
				t.Fatalf("seed %d step %d: %v\ngot  %q\nwant %q", seed, step, e.Err, got, lines)
			}
		}
	}
}

// short is a terminal that takes only so many bytes.
type short int

func (n short) Write(b []byte) (int, error) {
	if len(b) <= int(n) {
		return len(b), nil
	}
	return int(n), io.ErrShortWrite
}

func TestAShortWriteTellsHowMuchOfTheTextWasWritten(t *testing.T) {
	for limit, want := range map[short]int{4: 0, 6: 2, 7: 3, 9: 3} {
		s := screen.OnTerminals(io.Discard, limit, 80, false)
		s.Show(fixed("live"))
		n, err := io.WriteString(s.Err(), "ab\n")
		if n != want || err == nil {
			t.Errorf("%d bytes written: %d of the text, %v", limit, n, err)
		}
	}
}

func TestStreamsThatAreNoTerminalsAreLeftAlone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := screen.Open(w, w, func(name string) string { return map[string]string{"TERM": "xterm"}[name] })
	if s.Out() != io.Writer(w) || s.Err() != io.Writer(w) || s.OutTerminal() || s.OutColours() || s.Moves() {
		t.Error("a pipe is taken for a terminal")
	}
	s.Show(fixed("live"))
	s.Log(slog.LevelInfo).Warn("a b", "k", "v w")
	s.Log(slog.LevelInfo).Debug("not this")
	s.Close()
	w.Close()
	b, _ := io.ReadAll(r)
	if _, line, _ := strings.Cut(string(b), " "); !strings.HasPrefix(string(b), "time=") || line != "level=WARN msg=\"a b\" k=\"v w\"\n" {
		t.Errorf("%q", b)
	}
}

func ExampleAppendCut() {
	b, columns, cut := screen.AppendCut(nil, "größer als das Feld", 10)
	fmt.Println(string(b), columns, cut)
	// Output: größer al… 10 true
}
