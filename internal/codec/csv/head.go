package csvrec

import (
	"bytes"
	"fmt"
)

// HeadError says that the records of a file seem to begin below its first line.
type HeadError struct {
	Reason string // what is above them, as a phrase that goes behind "t: "
	Offset int    // where they seem to begin, in bytes of the sample
	Sep    bool   // it is a line of a spreadsheet that names the delimiter, and surely no record
}

func (e *HeadError) Error() string { return e.Reason }

// headError tells that the first record, of so many fields or with a flaw, is unlike the others.
func (g *guess) headError(fields int, flaw error, before int) error {
	is := "has " + countOf(fields)
	if flaw != nil {
		is = "is malformed (" + flaw.Error() + ")"
	}
	e := &HeadError{Reason: fmt.Sprintf("the first record %s, but %d of the first %d have %s", is, g.good, g.total, countOf(g.count))}
	s := newSyntax(g.dialect)
	for i, rec := range g.records.list {
		if n, _, f := s.split(rec, 0, len(rec), nil); f == sound && n == g.count {
			e.Offset = before + g.records.starts[i]
			break
		}
	}
	return e
}

// checkSep refuses a first line such as sep=; by which spreadsheets tell each other the delimiter. Where it is said that
// there is no header, it is a record.
func (g Given) checkSep(sample []byte, before int) error {
	if g.Header != nil && !*g.Header {
		return nil
	}
	start := len(sample) - len(bytes.TrimLeft(sample, "\r\n"))
	line, _, ended := bytes.Cut(sample[start:], []byte{'\n'})
	end := start + len(line)
	if ended {
		end++
	}
	line = bytes.TrimSuffix(line, []byte{'\r'})
	if n := len(line); n > 1 && line[0] == '"' && line[n-1] == '"' {
		line = line[1 : n-1]
	}
	if len(line) != len("sep=;") || !bytes.EqualFold(line[:4], []byte("sep=")) || !separates(line[4]) {
		return nil
	}
	return &HeadError{Reason: fmt.Sprintf("the first line, %s, tells spreadsheets the delimiter, and is no record", line), Offset: before + end, Sep: true}
}

func countOf(fields int) string {
	if fields == 1 {
		return "1 field"
	}
	return fmt.Sprintf("%d fields", fields)
}
