package sql

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"ubik/internal/width"
)

// Error says what is wrong with a text, and where.
type Error struct {
	Pos, End int    // byte range in the text, as of a Span; may be empty at its end
	Msg      string // one line, no full stop
	Hint     string // what to try, one line; empty: none
	Path     string // of a path that lacks its quotes: the path; else empty
}

// Errorf makes an Error at the span of a node.
func Errorf(at Node, format string, args ...any) *Error {
	s := at.At()
	return &Error{Pos: s.Pos, End: s.End, Msg: fmt.Sprintf(format, args...)}
}

// WithHint sets the hint and returns e.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// Error is the message and the hint on one line, without the place.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Msg
	}
	return e.Msg + "; " + e.Hint
}

// Describe renders err if it is or wraps an *Error, and is its text otherwise.
func Describe(err error, name, text string) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Render(name, text)
	}
	return err.Error()
}

// lineMax is how many cells of a source line are shown.
const lineMax = 100

// Render shows e in the text it is about, which goes by the given name:
//
//	query:1:1: error: expected SELECT or FROM, found SELEC
//	SELEC a FROM t
//	^~~~~
//	hint: did you mean SELECT?
//
// Line and column count from 1, the column in runes. Of a long line the
// surroundings of the span are shown, of a blank one nothing. There is no newline at the end.
func (e *Error) Render(name, text string) string {
	pos := min(max(e.Pos, 0), len(text))
	lineStart := strings.LastIndexByte(text[:pos], '\n') + 1
	lineEnd := len(text)
	if n := strings.IndexByte(text[pos:], '\n'); n >= 0 {
		lineEnd = pos + n
	}
	line := strings.TrimSuffix(text[lineStart:lineEnd], "\r")
	before := text[lineStart:min(pos, lineStart+len(line))]
	end := min(max(e.End, pos), lineStart+len(line))
	marked := text[min(pos, end):end]

	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: error: %s", name, strings.Count(text[:lineStart], "\n")+1,
		utf8.RuneCountInString(before)+1, e.Msg)
	if strings.TrimSpace(line) != "" {
		shown, indent, width := excerpt(line, len(before), len(before)+len(marked))
		b.WriteString("\n" + shown + "\n" + strings.Repeat(" ", indent) + "^" + strings.Repeat("~", max(width-1, 0)))
	}
	if e.Hint != "" {
		b.WriteString("\nhint: ")
		b.WriteString(e.Hint)
	}
	return b.String()
}

// cell is one rune of a line as shown: its place in the line and its width on
// a terminal.
type cell struct {
	at    int
	shown string
	width int
}

// excerpt returns at most lineMax cells of the line around [from, to), and
// where in them, in cells, the mark begins and how wide it is.
func excerpt(line string, from, to int) (shown string, indent, width int) {
	cells := make([]cell, 0, min(len(line), 4*lineMax))
	// Only runes near the mark can be shown, so a line of megabytes is not
	// looked at as a whole.
	low, high := nearby(line, from, -2*lineMax), nearby(line, from, 2*lineMax)
	for at, r := range line[low:high] {
		cells = append(cells, showRune(low+at, r))
	}
	first, used := len(cells), 0
	for i, c := range cells {
		if c.at >= from {
			first = i
			break
		}
	}
	// A third of the room goes to what stands before the mark, more if the
	// line ends early.
	start, after := first, 0
	for _, c := range cells[first:] {
		after += c.width
	}
	room := max(lineMax/3, lineMax-after)
	for start > 0 && used+cells[start-1].width <= room {
		start--
		used += cells[start].width
	}
	var b strings.Builder
	if start > 0 || low > 0 {
		b.WriteString("… ")
		indent = 2
	}
	indent += used
	for _, c := range cells[start:first] {
		b.WriteString(c.shown)
	}
	i := first
	for ; i < len(cells) && used+cells[i].width <= lineMax; i++ {
		b.WriteString(cells[i].shown)
		used += cells[i].width
		if cells[i].at < to {
			width += cells[i].width
		}
	}
	if i < len(cells) || high < len(line) {
		b.WriteString(" …")
	}
	return strings.TrimRight(b.String(), " "), indent, width
}

// nearby returns the place n runes after at, or before it for negative n, kept
// inside the line.
func nearby(line string, at, n int) int {
	for ; n < 0 && at > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(line[:at])
		at -= size
	}
	for ; n > 0 && at < len(line); n-- {
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	return at
}

// showRune makes a rune safe for a terminal: a tab is four blanks, what has no
// picture is a replacement character.
func showRune(at int, r rune) cell {
	switch {
	case r == '\t':
		return cell{at, "    ", 4}
	case !unicode.IsPrint(r):
		return cell{at, "\uFFFD", 1}
	}
	return cell{at, string(r), width.Of(r)}
}
