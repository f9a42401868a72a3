package scripts

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"unicode/utf8"
)

// depthMax is how deep a record may nest.
const depthMax = 512

// field is a value of a record as DuckDB gets it: its kind (null, number, fraction, string, bool, object, array), and
// its text, of a string the string itself.
type field struct{ kind, text string }

// record takes a value apart. It returns the fields of the paths, in their order, absent ones as null; not ok: the
// record is malformed, whatever the types are.
func record(value []byte, paths [][]string) (fields []field, ok bool) {
	if !utf8.Valid(value) || !json.Valid(value) || depth(value) > depthMax || loneSurrogate(value) || kindOf(bytes.TrimSpace(value)) != "object" {
		return nil, false
	}
	for _, path := range paths {
		raw, ok := lookup(bytes.TrimSpace(value), path)
		if !ok {
			return nil, false
		}
		f := field{kind: "null"}
		if raw != nil {
			f = fieldOf(kindOf(raw), raw)
		}
		fields = append(fields, f)
	}
	return fields, true
}

// whole is a value of a well-formed record as its own JSON text, without blanks. Not ok: it cannot be found, or a name occurs
// twice in one of its objects.
func whole(value []byte, path []string) (field, bool) {
	raw, ok := lookup(bytes.TrimSpace(value), path)
	if !ok || raw == nil {
		return field{kind: "null"}, ok
	}
	var text bytes.Buffer
	if err := json.Compact(&text, raw); err != nil {
		panic(err) // it is valid
	}
	return field{kindOf(raw), text.String()}, distinct(json.NewDecoder(bytes.NewReader(raw)))
}

// distinct reads a value, and reports whether the names of each of its objects differ.
func distinct(decoder *json.Decoder) bool {
	token, err := decoder.Token()
	if err != nil {
		panic(err) // it is valid
	}
	ok := true
	if token == json.Delim('{') || token == json.Delim('[') {
		seen := map[json.Token]bool{}
		for decoder.More() {
			if token == json.Delim('{') {
				name, err := decoder.Token()
				if err != nil {
					panic(err)
				}
				ok = ok && !seen[name]
				seen[name] = true
			}
			ok = distinct(decoder) && ok
		}
		decoder.Token()
	}
	return ok
}

// lookup follows a path into an object, to nil if it leads to no value. Not ok: a name of the path occurs twice, or there is
// something else than an object on the way.
func lookup(raw []byte, path []string) (json.RawMessage, bool) {
	kind := kindOf(raw)
	if len(path) == 0 || kind == "null" {
		return raw, true
	}
	if kind != "object" {
		return nil, false
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.Token()
	var found json.RawMessage
	for decoder.More() {
		name, err := decoder.Token()
		var member json.RawMessage
		if err != nil || decoder.Decode(&member) != nil {
			return nil, false
		}
		if name == path[0] {
			if found != nil {
				return nil, false
			}
			found = member
		}
	}
	if found == nil {
		return nil, true
	}
	return lookup(found, path[1:])
}

func fieldOf(kind string, raw []byte) field {
	f := field{kind, string(raw)}
	switch kind {
	case "string":
		if err := json.Unmarshal(raw, &f.text); err != nil {
			panic(err) // it is valid
		}
	case "number":
		if n, ok := new(big.Rat).SetString(f.text); ok && !n.IsInt() {
			f.kind = "fraction"
		}
	}
	return f
}

func kindOf(raw []byte) string {
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "bool"
	case 'n':
		return "null"
	}
	return "number"
}

var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// depth counts how deep the brackets of a valid text nest, strings left out.
func depth(value []byte) int {
	var now, most int
	for _, c := range quoted.ReplaceAll(value, nil) {
		switch c {
		case '[', '{':
			now++
			most = max(most, now)
		case ']', '}':
			now--
		}
	}
	return most
}

// loneSurrogate tells whether an escape of a valid text is half of a pair without the other half.
func loneSurrogate(value []byte) bool {
	half := func(at int) int { // 1 and 2 for the halves that may stand at a place, 0 for anything else
		if at+6 > len(value) || value[at] != '\\' || value[at+1] != 'u' || value[at+2]|0x20 != 'd' {
			return 0
		}
		switch c := value[at+3] | 0x20; {
		case c >= 'c' && c <= 'f':
			return 2
		case c == '8' || c == '9' || c == 'a' || c == 'b':
			return 1
		}
		return 0
	}
	for i := 0; i < len(value); i++ {
		if value[i] != '\\' {
			continue
		}
		switch half(i) {
		case 1:
			if half(i+6) != 2 {
				return true
			}
			i += 11
		case 2:
			return true
		default:
			i++ // whatever is escaped
		}
	}
	return false
}
