package txngen

import (
	"bytes"
	"slices"
	"strings"
)

// Fault is a way for a record to be malformed. A malformed record carries its fault in the header FaultHeader, so that a cold dump of the topic
// still says which records were made wrong, independently of who reads them.
type Fault string

// FaultHeader is the name of the header that holds the fault.
const FaultHeader = "fault"

const (
	Tombstone       Fault = "tombstone"        // a null value
	Empty           Fault = "empty"            // a value of no bytes
	Truncated       Fault = "truncated"        // ends within the object
	NotAnObject     Fault = "not an object"    // an array
	TrailingGarbage Fault = "trailing garbage" // something follows the object
	TimeNull        Fault = "time null"
	TimeAbsent      Fault = "time absent"
	TimeText        Fault = "time is no time" // a string that is none
	TimeMonth       Fault = "month 13"
	TimeSecond60    Fault = "second 60"
	TimeRange       Fault = "year 10000"
	TimeType        Fault = "time is an object"
	AmountText      Fault = "amount is no number" // a string that is none
	AmountOverflow  Fault = "amount too large"    // of more integer digits than the schema's type has
	AmountType      Fault = "amount is an array"
	ControlChar     Fault = "control character" // a raw one in a string
	InvalidUTF8     Fault = "invalid UTF-8"     // in a field nobody uses
	LoneSurrogate   Fault = "lone surrogate"
	LeadingZero     Fault = "leading zero" // a number 01
	ByteOrderMark   Fault = "byte order mark"
	Comment         Fault = "comment"

	TrailingComma Fault = "trailing comma"
	NaN           Fault = "NaN"
	TooDeep       Fault = "too deep"       // deeper than 512
	DuplicateName Fault = "duplicate name" // of a used field
)

// AllFaults lists every kind.
func AllFaults() []Fault { return append(PlainFaults(), LenientFaults()...) }

// LenientFaults lists the kinds that lenient readers, DuckDB among them, read without complaint.
func LenientFaults() []Fault {
	return []Fault{TrailingComma, NaN, TooDeep, DuplicateName}
}

// PlainFaults lists the kinds that every reader that validates refuses.
func PlainFaults() []Fault {
	return []Fault{
		Tombstone, Empty, Truncated, NotAnObject, TrailingGarbage,
		TimeNull, TimeAbsent, TimeText, TimeMonth, TimeSecond60, TimeRange, TimeType,
		AmountText, AmountOverflow, AmountType,
		ControlChar, InvalidUTF8, LoneSurrogate, LeadingZero, ByteOrderMark, Comment,
	}
}

// breakFields applies a fault that lies in the fields; the others leave them alone.
func breakFields(fields []field, fault Fault) []field {
	set := func(name, value string) {
		for i := range fields {
			if fields[i].name == name {
				fields[i].value = value
				return
			}
		}
		fields = append(fields, field{name, value})
	}
	switch fault {
	case TimeNull:
		set("event_time", "null")
	case TimeAbsent:
		fields = without(fields, "event_time")
	case TimeText:
		set("event_time", `"yesterday"`)
	case TimeMonth:
		set("event_time", `"2026-13-01T00:00:00Z"`)
	case TimeSecond60:
		set("event_time", `"2026-01-01T00:00:60Z"`)
	case TimeRange:
		set("event_time", `"10000-01-01T00:00:00Z"`)
	case TimeType:
		set("event_time", `{"at":"2026-01-01T00:00:00Z"}`)
	case AmountText:
		set("amount", `"twelve"`)
	case AmountOverflow:
		set("amount", "1"+strings.Repeat("0", 37))
	case AmountType:
		set("amount", `[12]`)
	case ControlChar:
		set("note", "\"a\x01b\"")
	case InvalidUTF8:
		set("note", "\"a\xffb\"")
	case LoneSurrogate:
		set("note", `"a\ud83db"`)
	case LeadingZero:
		set("level", "01")
	case NaN:
		set("level", "NaN")
	case Comment:
		set("level", "/* none */ 1")
	case TooDeep:
		set("level", strings.Repeat("[", 513)+strings.Repeat("]", 513))
	case DuplicateName:
		if !slices.ContainsFunc(fields, func(f field) bool { return f.name == "merchant" }) {
			fields = append(fields, field{"merchant", `"one"`})
		}
		fields = append(fields, field{"merchant", `"another"`})
	}
	return fields
}

// breakText applies a fault that lies in the text as a whole; the others leave it alone.
func breakText(text []byte, fault Fault) []byte {
	switch fault {
	case Tombstone:
		return nil
	case Empty:
		return []byte{}
	case Truncated:
		return text[:len(text)*2/3]
	case NotAnObject:
		return append(append([]byte("["), text...), ']')
	case TrailingGarbage:
		return append(text, " x"...)
	case TrailingComma:
		return append(bytes.TrimSuffix(text, []byte("}")), ",}"...)
	case ByteOrderMark:
		return append([]byte("\xef\xbb\xbf"), text...)
	}
	return text
}
