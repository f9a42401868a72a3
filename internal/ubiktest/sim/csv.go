package sim

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	csvrec "ubik/internal/codec/csv"
	"ubik/internal/plan"
	"ubik/internal/ubiktest/naive"
)

// dialect is the one in which a source of the world is spelled: with the columns of its schema.
func (w *World) dialect(source string) csvrec.Dialect {
	d := *w.CSV
	d.Names = nil
	for _, s := range w.Sources {
		if s.Name != source {
			continue
		}
		fields, err := plan.Schema(s.Schema)
		if err != nil {
			panic("sim: " + err.Error()) // it was planned
		}
		for _, f := range fields {
			d.Names = append(d.Names, f.Name)
		}
	}
	return d
}

// spelled are partitions with their records as CSV.
func (w *World) spelled(p *plan.Plan, parts []naive.Partition) []naive.Partition {
	parts = slices.Clone(parts)
	for i := range parts {
		d := w.dialect(p.Sources[parts[i].Source].Name)
		parts[i].Records = slices.Clone(parts[i].Records)
		for k := range parts[i].Records {
			parts[i].Records[k].Value = spell(d, &parts[i].Records[k])
		}
	}
	return parts
}

// spell writes a record, which is JSON, as one of a dialect that says the same of the columns: malformed if it is, and by
// its position in one of several ways. Members that are no columns are left out.
func spell(d csvrec.Dialect, rec *naive.Record) []byte {
	if rec.Value == nil {
		return nil
	}
	way := int(rec.Position)
	members, ok := membersOf(rec.Value)
	if !ok {
		return flawed(d, way)
	}
	var out []byte
	for i, name := range d.Names {
		if i > 0 {
			out = append(out, d.Delimiter)
		}
		raw := members[name]
		if raw == nil || string(raw) == "null" {
			out = append(out, d.Null...)
			continue
		}
		text := string(raw)
		quoted := way%3 == 0
		if raw[0] == '"' {
			if err := json.Unmarshal(raw, &text); err != nil {
				return flawed(d, way)
			}
			quoted = quoted || way%3 == 1
		}
		out = appendField(out, d, text, quoted)
	}
	return append(out, []string{"", "\n", "\r\n", ""}[way%4]...) // as messages may end
}

// appendField writes a field, quoted where it must be or is to be.
func appendField(out []byte, d csvrec.Dialect, text string, quoted bool) []byte {
	special := string([]byte{d.Delimiter, d.Quote, d.Escape}) + "\r\n"
	if !quoted && text != d.Null && text != "" && !strings.ContainsAny(text, special) {
		return append(out, text...)
	}
	out = append(out, d.Quote)
	for _, c := range []byte(text) {
		if c == d.Quote || c == d.Escape {
			out = append(out, d.Escape)
		}
		out = append(out, c)
	}
	return append(out, d.Quote)
}

// flawed is a record that no schema admits: too few fields or too many, none at all, a quote that is stray or not
// closed, an encoding error.
func flawed(d csvrec.Dialect, way int) []byte {
	empty := func(fields int) []byte { return bytes.Repeat([]byte{d.Delimiter}, fields-1) }
	n := len(d.Names)
	switch way % 6 {
	case 0:
		return append([]byte("1"), empty(n-1)...)
	case 1:
		return append([]byte("1"), empty(n+1)...)
	case 2:
		return []byte{}
	case 3:
		return append([]byte{'x', d.Quote}, empty(n)...)
	case 4:
		return append(append(empty(n), d.Quote), "never closed"...)
	}
	return append([]byte("\xff"), empty(n)...)
}

// membersOf takes an object apart; false: it is none, or names a member twice, or holds half of a character.
func membersOf(record []byte) (map[string]json.RawMessage, bool) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(record, &members); err != nil || members == nil || !utf8.Valid(record) {
		return nil, false
	}
	for name, raw := range members {
		var text string
		if raw[0] == '"' && (json.Unmarshal(raw, &text) != nil || strings.ContainsRune(text, utf8.RuneError)) {
			return nil, false
		}
		if bytes.Count(record, []byte(`"`+name+`":`)) > 1 {
			return nil, false
		}
	}
	return members, true
}
