package screen

import (
	"io"
	"os"
	"unicode/utf8"
)

// Text is a stream for lines of text that may hold names and data of others: where it leads to a terminal, all that could
// do anything there but show itself is written as an escape, as AppendPrintable does, line ends apart. Elsewhere w is
// returned as it is. Each Write is to hold whole characters.
func Text(w io.Writer) io.Writer {
	switch to := w.(type) {
	case *stream: // which only terminals have
		return printable{w}
	case *os.File:
		if IsTerminal(to) {
			return printable{w}
		}
	}
	return w
}

type printable struct{ to io.Writer }

func (p printable) Write(b []byte) (int, error) {
	out := make([]byte, 0, len(b)+16)
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == '\n' {
			out = append(out, '\n')
		} else {
			out = appendPrintable(out, r)
		}
		i += size
	}
	if _, err := p.to.Write(out); err != nil {
		return 0, err
	}
	return len(b), nil
}
