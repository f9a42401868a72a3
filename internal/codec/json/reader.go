package jsonrec

import "ubik/internal/jsontext"

// Token is what a Reader meets.
type Token uint8

const (
	TokenEnd       Token = iota // the record is over
	TokenObject                 // {
	TokenObjectEnd              // }
	TokenList                   // [
	TokenListEnd                // ]
	TokenName                   // a member's name; its value follows
	TokenString
	TokenNumber
	TokenTrue
	TokenFalse
	TokenNull
)

// Reader reads a record of unknown content token by token, where a decoder reads known columns. It accepts and rejects
// the records that a decoder does, names occurring twice left to the caller. The zero Reader is ready for Reset.
//
//	var r jsonrec.Reader
//	if reason := r.Reset(rec); reason != "" {
//		return reason
//	}
//	for tok, text := r.Next(); tok != jsonrec.TokenEnd; tok, text = r.Next() {
//		…
//	}
type Reader struct {
	data  []byte
	p     int
	start int    // where the token before began
	text  []byte // an unescaped name or string
}

// Reset validates a record as a whole and goes to its beginning. It returns what is wrong with the record, in the words
// of the decoder, or "" when Next may be called. The record must stay as it is while it is read.
func (r *Reader) Reset(rec []byte) (reason string) {
	r.data, r.p = nil, 0
	if len(rec) == 0 {
		return "empty"
	}
	end := len(rec)
	top := jsontext.SkipSpace(rec, 0, end)
	if top == end {
		return syntaxReason(jsontext.FlawEmpty, rec, top)
	}
	p, f := jsontext.SkipValue(rec, top, end, 0)
	if f == jsontext.Sound {
		if p = jsontext.SkipSpace(rec, p, end); p < end {
			f = jsontext.FlawBehind
		}
	}
	switch {
	case f != jsontext.Sound:
		return syntaxReason(f, rec, p)
	case rec[top] != '{':
		return "the record is " + kindOf(rec[top]) + ", not an object"
	}
	r.data = rec
	return ""
}

// Next returns the next token and, for a name or string its text without escapes, for a number its text as it stands.
// The text is valid until the next call.
func (r *Reader) Next() (Token, []byte) {
	d, p, end := r.data, r.p, len(r.data)
	// The record is valid, so commas and colons say nothing that the tokens do not.
	for p < end && (d[p] <= ' ' || d[p] == ',' || d[p] == ':') {
		p++
	}
	r.start, r.p = p, p+1
	if p == end {
		r.p = end
		return TokenEnd, nil
	}
	switch d[p] {
	case '{':
		return TokenObject, nil
	case '}':
		return TokenObjectEnd, nil
	case '[':
		return TokenList, nil
	case ']':
		return TokenListEnd, nil
	case '"':
		q, flags, _ := jsontext.ScanString(d, p+1, end)
		r.p = q + 1
		text := d[p+1 : q]
		if flags&jsontext.Escaped != 0 {
			r.text = jsontext.AppendUnescaped(r.text[:0], text)
			text = r.text
		}
		if q = jsontext.SkipSpace(d, q+1, end); d[q] == ':' { // a string is never the last byte of an object
			return TokenName, text
		}
		return TokenString, text
	case 't':
		r.p = p + len("true")
		return TokenTrue, nil
	case 'f':
		r.p = p + len("false")
		return TokenFalse, nil
	case 'n':
		r.p = p + len("null")
		return TokenNull, nil
	}
	r.p, _ = jsontext.ScanNumber(d, p, end)
	return TokenNumber, d[p:r.p]
}

// Skip goes behind the object or list that the token before began.
func (r *Reader) Skip() { r.p, _ = jsontext.SkipValue(r.data, r.start, len(r.data), 0) }
