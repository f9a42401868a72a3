package std

import "ubik/internal/jsontext"

// scanner walks over the members of one JSON object as our encoder writes it: no spaces between the tokens.
type scanner struct {
	in    []byte
	at    int
	ended bool
	value []byte // of the present member, as it stands
}

// next goes to the next member and says whether there is one.
func (s *scanner) next() bool {
	opener := byte(',')
	switch {
	case s.at > 0 && s.take('}'):
		s.ended = true
		return false
	case string(s.in) == "{}":
		s.at, s.ended = 2, true
		return false
	case s.at == 0:
		opener = '{'
	}
	if !s.take(opener) {
		return false
	}
	_, _, from, flaw := jsontext.ScanName(s.in, s.at, len(s.in))
	if flaw != jsontext.Sound {
		return false
	}
	if s.at, flaw = jsontext.SkipValue(s.in, from, len(s.in), 0); flaw != jsontext.Sound {
		return false
	}
	s.value = s.in[from:s.at]
	return true
}

// done says whether the object was whole and nothing follows it.
func (s *scanner) done() bool { return s.ended && s.at == len(s.in) }

func (s *scanner) take(c byte) bool {
	if s.at < len(s.in) && s.in[s.at] == c {
		s.at++
		return true
	}
	return false
}

// text returns the present value as a reader wants it: a string without quotes and escapes, NULL for null, else the JSON
// text. It may hold anything that a record held.
func (s *scanner) text() (text string, null bool) {
	switch {
	case string(s.value) == "null":
		return "NULL", true
	case s.value[0] != '"':
		return string(s.value), false
	}
	return string(jsontext.AppendUnescaped(nil, s.value[1:len(s.value)-1])), false
}
