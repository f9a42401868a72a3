package jsontext

// Flaw says what makes a text not JSON. The scanners return it with the offset at which it was met.
type Flaw uint8

const (
	Sound Flaw = iota
	FlawEnds
	FlawInString
	FlawControl
	FlawEscape
	FlawSurrogate
	FlawUTF8
	FlawValue
	FlawName
	FlawColon
	FlawMember
	FlawElement
	FlawTrailingComma
	FlawLeadingZero
	FlawDigit
	FlawDepth
	FlawBehind
	FlawEmpty
)

// String is the phrase that goes behind a place.
func (f Flaw) String() string { return flawPhrases[f] }

var flawPhrases = [...]string{
	FlawEnds:          "the record ends within an object or array",
	FlawInString:      "the record ends within a string",
	FlawControl:       "a control character in a string",
	FlawEscape:        "a bad escape",
	FlawSurrogate:     "a lone surrogate",
	FlawUTF8:          "invalid UTF-8",
	FlawValue:         "expected a value",
	FlawName:          "expected a name in quotes",
	FlawColon:         "expected a colon",
	FlawMember:        "expected a comma or }",
	FlawElement:       "expected a comma or ]",
	FlawTrailingComma: "nothing between a comma and the end of the object or array",
	FlawLeadingZero:   "a number with a leading zero",
	FlawDigit:         "expected a digit of a number",
	FlawDepth:         "deeper than 512 levels",
	FlawBehind:        "something follows the object",
	FlawEmpty:         "nothing but white space",
}
