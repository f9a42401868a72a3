package table

import (
	"bytes"

	csvrec "ubik/internal/codec/csv"
)

// Hint is what to do about a record, whatever its columns, with which a run stops; next is the record behind it, nil when
// that is not at hand. "": nothing is known.
func (t *Table) Hint(record, next []byte) string {
	try, opens := t.hint(record)
	if opens && record[0] == '{' && len(bytes.TrimSpace(next)) > 0 && t.flaw(next) == "" {
		return "" // it was cut, and the next one is whole
	}
	return try
}

// hint is what to do about a first record that is not JSON, as far as it tells: "" nothing. opens says that it may be the
// beginning of a value that goes on in the next line: of an object it is none where that is a record.
func (t *Table) hint(record []byte) (try string, opens bool) {
	if t.Dialect != nil || t.flaw(record) == "" {
		return "", false
	}
	if wide := csvrec.UTF16(record); wide != "" {
		return "it is " + wide + ": convert it first: iconv -f " + wide + " -t UTF-8", false
	}
	text := bytes.TrimSpace(record)
	if len(text) == 0 {
		return "", false
	}
	if isTopic(t.Kind) { // a message is whole, and the lines of a file are none of its matter
		if text[0] == '[' {
			return "of a list send one object a message", false
		}
		return "", false
	}
	switch last := text[len(text)-1]; {
	case text[0] == '[':
		return "of a list write one object a line: jq -c '.[]'", last != ']'
	case text[0] == '{' && (last == '{' || last == '[' || last == ',' || last == ':'):
		return "write one object a line: jq -c .", true
	}
	return "", false
}
