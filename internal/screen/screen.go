package screen

import (
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

const (
	eraseRight = "\x1b[K"          // everything behind the cursor
	clearing   = "\r" + eraseRight // takes the live line away
	usualWidth = 80                // of a terminal that does not say
)

// Screen owns the two streams of the program. Its methods may be called by several goroutines at a time.
type Screen struct {
	outFile, errFile       io.Writer
	outTerminal            bool
	errTerminal            bool
	outColours, errColours bool
	moves                  bool       // a live line can be shown
	columns                func() int // of the terminal that standard error is

	mu     sync.Mutex
	line   func(width int) string // what to show; nil: nothing
	drawn  bool                   // it stands at the bottom, the cursor behind it
	open   bool                   // what was written last goes on in the same line: nothing can be drawn there
	closed bool
	buf    []byte
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Open looks at what standard output and standard error are. Nothing is written.
func Open(out, err *os.File, getenv func(string) string) *Screen {
	colours := getenv("NO_COLOR") == ""
	outTerminal, errTerminal, errFd := IsTerminal(out), IsTerminal(err), int(err.Fd())
	able := getenv("TERM") != "" && getenv("TERM") != "dumb"
	return &Screen{
		outFile: out, errFile: err, outTerminal: outTerminal, errTerminal: errTerminal,
		outColours: outTerminal && able && colours, errColours: errTerminal && able && colours, moves: errTerminal && able,
		columns: func() int {
			if w, _, err := term.GetSize(errFd); err == nil && w > 0 {
				return w
			}
			return usualWidth
		},
	}
}

// Out is standard output: the file itself unless both streams are terminals. They are taken for one and the same then,
// which costs a line drawn once more where they are not.
func (s *Screen) Out() io.Writer {
	if s.moves && s.outTerminal {
		return &stream{s, s.outFile, false}
	}
	return s.outFile
}

// Err is standard error: the file itself unless a live line can be shown there.
func (s *Screen) Err() io.Writer {
	if s.moves {
		return &stream{s, s.errFile, true}
	}
	return s.errFile
}

// OutTerminal reports whether standard output is a terminal, OutColours whether to use colours there.
func (s *Screen) OutTerminal() bool { return s.outTerminal }
func (s *Screen) OutColours() bool  { return s.outColours }

// Moves reports whether a live line can be shown.
func (s *Screen) Moves() bool { return s.moves }

// Show makes line the live line from now on and draws it. It is asked for its text whenever it is drawn and gets the
// columns there are; a longer text is cut. Without effect when no line can be shown and after Close.
func (s *Screen) Show(line func(width int) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.moves || s.closed {
		return
	}
	s.line = line
	s.buf = s.appendLine(s.buf[:0])
	if len(s.buf) > 0 {
		s.errFile.Write(s.buf) // what cannot be shown is not missed
	}
}

// Close takes the live line away for good. Both streams can still be written to.
func (s *Screen) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drawn {
		io.WriteString(s.errFile, clearing)
	}
	s.drawn, s.closed, s.line = false, true, nil
}

// appendLine draws the line over whatever was drawn before. The last column stays free: a character in it would make some
// terminals go to the next line.
func (s *Screen) appendLine(dst []byte) []byte {
	if s.line == nil || s.open {
		return dst
	}
	width := s.columns() - 1
	dst = append(dst, '\r')
	dst, _, _ = AppendCut(dst, s.line(width), width)
	s.drawn = true
	return append(dst, eraseRight...)
}

// stream is one of the two streams with the live line out of the way.
type stream struct {
	s    *Screen
	to   io.Writer
	same bool // it is the one on which the line is drawn
}

func (w *stream) Write(b []byte) (int, error) {
	s := w.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(b) == 0 {
		return 0, nil
	}
	s.buf = s.buf[:0]
	if s.drawn {
		s.buf = append(s.buf, clearing...)
	}
	s.drawn, s.open = false, b[len(b)-1] != '\n'
	if w.same { // all of it at once, so that nothing flickers
		head := len(s.buf)
		s.buf = s.appendLine(append(s.buf, b...))
		n, err := w.to.Write(s.buf)
		return min(max(n-head, 0), len(b)), err
	}
	if len(s.buf) > 0 {
		s.errFile.Write(s.buf)
	}
	n, err := w.to.Write(b)
	if s.buf = s.appendLine(s.buf[:0]); len(s.buf) > 0 {
		s.errFile.Write(s.buf)
	}
	return n, err
}
