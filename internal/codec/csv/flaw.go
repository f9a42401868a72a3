package csvrec

import (
	"errors"
	"strconv"

	jsonrec "ubik/internal/codec/json"
)

// flaw says what makes a record not CSV.
type flaw uint8

const (
	sound flaw = iota
	flawQuote
	flawBehind
	flawOpen
	flawBreak
	flawEscape
	flawUTF8
)

var flawPhrases = [...]string{
	flawQuote:  "a quote in a field that does not begin with one",
	flawBehind: "expected the delimiter behind the closing quote",
	flawOpen:   "the record ends within quotes",
	flawBreak:  "a line break outside quotes",
	flawEscape: "an escape before neither a quote nor an escape",
	flawUTF8:   "invalid UTF-8",
}

// flawReason words a flaw met at offset at of a record: the offset, the phrase, and what stands there.
func flawReason(f flaw, rec []byte, at int) string {
	s := "byte " + strconv.Itoa(at) + ": " + flawPhrases[f]
	if at < len(rec) {
		s += ", at " + jsonrec.Excerpt(rec[at:])
	}
	return s
}

func flawError(f flaw, rec []byte, at int) error { return errors.New(flawReason(f, rec, at)) }

// countReason words a wrong number of fields.
func countReason(n, want int) string {
	s := "has " + countOf(n) + ", "
	if want == 1 {
		return s + "1 is expected"
	}
	return s + strconv.Itoa(want) + " are expected"
}
