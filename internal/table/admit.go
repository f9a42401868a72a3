package table

import (
	"slices"
	"strings"

	"ubik/internal/infer"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// Admit returns the columns of the table, declared so that a record fits that does not: the place in which it is
// malformed, a column with the fields in it (a.b), takes the values it has and the record's. "" when that cannot be said.
func (t *Table) Admit(place string, record []byte) string {
	s, ok := t.sampler()
	if !ok {
		return ""
	}
	fields := slices.Clone(t.positioned(t.Schema))
	t.add(s, record, nil)
	found := s.Schema(nil).Columns
	for ok := false; !ok; place, ok = t.reads(fields, record) {
		at, rest := member(fields, place)
		if at < 0 {
			return ""
		}
		f := &fields[at]
		c := slices.IndexFunc(found, func(c infer.Column) bool { return c.Name == f.Name })
		before := f.Type
		if c < 0 || found[c].Type.Kind == vec.Null || !widen(&f.Type, rest, found[c].Type) || f.Type.Equal(before) {
			return "" // each turn takes a type a step further, so there is an end
		}
	}
	return columnsText(fields)
}

// member is the index of the field that a place begins with, and what follows its name; -1: there is none. The longest
// name counts: there may be dots in it.
func member(fields []vec.Field, place string) (at int, rest string) {
	at = -1
	for i, f := range fields {
		for _, name := range []string{f.Name, sql.QuoteName(f.Name)} {
			behind, ok := strings.CutPrefix(place, name)
			if ok && (behind == "" || behind[0] == '.' || behind[0] == '[') && (at < 0 || len(behind) < len(rest)) {
				at, rest = i, behind
			}
		}
	}
	return at, rest
}

// widen makes t take what it takes and what found does, at a place in it. It reports whether it can.
func widen(t *vec.Type, place string, found vec.Type) bool {
	if inside, ok := strings.CutPrefix(place, "."); ok && t.Kind == vec.Struct && found.Kind == vec.Struct {
		at, rest := member(t.Fields, inside)
		if at < 0 {
			return false
		}
		same := slices.IndexFunc(found.Fields, func(f vec.Field) bool { return f.Name == t.Fields[at].Name })
		if same < 0 {
			return false
		}
		t.Fields = slices.Clone(t.Fields)
		return widen(&t.Fields[at].Type, rest, found.Fields[same].Type)
	}
	wider := both(*t, found)
	if wider.Equal(*t) { // its range is too small, or the looks of the value deceive
		switch {
		case nested(*t):
			return false
		case t.Kind == vec.Decimal && t.Precision < 38:
			wider = vec.DecimalType(38, int(t.Scale))
		default:
			wider = vec.TypeOf(vec.Varchar)
		}
	}
	*t = wider
	return true
}

// widths order the types of numbers of which one takes what another does.
var widths = map[vec.Kind]int{vec.Int8: 1, vec.Int16: 2, vec.Int32: 3, vec.Int64: 4, vec.HugeInt: 5, vec.Double: 6}

// both is a type that takes the values of two; a where it does.
func both(a, b vec.Type) vec.Type {
	switch {
	case a.Equal(b):
		return a
	case a.Kind == vec.List && b.Kind == vec.List:
		return vec.Type{Kind: vec.List, Fields: []vec.Field{{Type: both(a.Fields[0].Type, b.Fields[0].Type)}}}
	case nested(a) || nested(b):
		return vec.TypeOf(vec.JSON)
	case widths[a.Kind] > 0 && widths[b.Kind] > widths[a.Kind]:
		return b
	case widths[a.Kind] > 0 && widths[b.Kind] > 0, a.Kind == vec.Decimal && widths[b.Kind] > 0, a.Kind == vec.Timestamp && b.Kind == vec.Date:
		return a
	case a.Kind == vec.Date && b.Kind == vec.Timestamp:
		return b
	}
	return vec.TypeOf(vec.Varchar)
}

func nested(t vec.Type) bool {
	return t.Kind == vec.Struct || t.Kind == vec.List || t.Kind == vec.Map || t.IsJSON()
}
