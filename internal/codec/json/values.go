package jsonrec

import "ubik/internal/vec"

// What other formats of text share with this one, so that a value has one text and an error one wording in all of them.

// AppendValue appends row of v as a member's value: a number, true, false, null or, in quotes, a text. The type t must
// be one that the encoder writes.
func AppendValue(dst []byte, t *vec.Type, v *vec.Vector, row int) []byte {
	return appendValue(dst, t, v, row)
}

// AppendCompact appends a valid JSON text without the white space between its tokens.
func AppendCompact(dst, text []byte) []byte { return appendCompact(dst, text) }

// Valid reports whether a text is one JSON value of any kind, under the rules for a record's members, white space
// around it allowed.
func Valid(text []byte) bool {
	p, f := skipValue(text, skipSpace(text, 0, len(text)), len(text), 0)
	return f == sound && skipSpace(text, p, len(text)) == len(text)
}

// Excerpt is the beginning of a text in at most 40 printable bytes, as errors show it.
func Excerpt(text []byte) string { return excerpt(text) }
