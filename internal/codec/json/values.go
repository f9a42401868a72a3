package jsonrec

import (
	"ubik/internal/jsontext"
	"ubik/internal/vec"
)

// CheckText returns why a text is no value of a type that holds JSON texts, "" when it is one. It is for other formats of
// text, so that an error has one wording in all of them.
func CheckText(t vec.Type, text []byte) (reason string) {
	if !jsontext.Valid(text) {
		return quoted(text) + " is not JSON"
	}
	if opens := opening(t.Kind); opens != 0 && text[jsontext.SkipSpace(text, 0, len(text))] != opens {
		return quoted(text) + " is not " + Article(t)
	}
	return ""
}
