package jsonrec

import (
	"ubik/internal/jsontext"
	"ubik/internal/vec"
)

// What other formats of text share with this one, so that a value has one text and an error one wording in all of them.

// AppendValue appends row of v as a member's value: a number, true, false, null or, in quotes, a text. The type t must
// be one that the encoder writes.
func AppendValue(dst []byte, t *vec.Type, v *vec.Vector, row int) []byte {
	return appendValue(dst, t, v, row)
}

// AppendCompact appends a valid JSON text without the white space between its tokens.
func AppendCompact(dst, text []byte) []byte { return jsontext.AppendCompact(dst, text) }

// CheckText returns why a text is no value of a type that holds JSON texts, "" when it is one.
func CheckText(t vec.Type, text []byte) (reason string) {
	if !jsontext.Valid(text) {
		return quoted(text) + " is not JSON"
	}
	if opens := opening(t.Kind); opens != 0 && text[jsontext.SkipSpace(text, 0, len(text))] != opens {
		return quoted(text) + " is not " + article(t)
	}
	return ""
}

// Excerpt is the beginning of a text in at most 40 printable bytes, as errors show it.
func Excerpt(text []byte) string { return excerpt(text) }
