package infer

import (
	"fmt"
	"strings"
	"testing"
)

// keyed makes records of an object x with the keys from, from+1, … and the value given.
func keyed(s *Sampler, records, perRecord, names int, value func(i int) string) {
	k := 0
	for range records {
		var b strings.Builder
		for i := range perRecord {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `"k%d":%s`, k%names, value(k))
			k++
		}
		s.Add([]byte(`{"x":{` + b.String() + `}}`))
	}
}

func TestObjectsWhoseKeysVaryWithoutEndAreMaps(t *testing.T) {
	same := func(text string) func(int) string { return func(int) string { return text } }
	for _, c := range []struct {
		name                      string
		records, perRecord, names int
		value                     func(i int) string
		want                      string
	}{
		{"one key of many", 101, 1, 101, same("1"), "MAP(VARCHAR, BIGINT)"},
		{"a hundred keys are a STRUCT", 100, 1, 100, same("1"), "STRUCT(k0 BIGINT, k1 BIGINT, "},
		{"a tenth of the keys is a STRUCT", 11, 11, 110, same("1"), "STRUCT(k0 BIGINT, "},
		{"fewer than a tenth is a MAP", 12, 10, 110, same("1"), "MAP(VARCHAR, BIGINT)"},
		{"numbers join", 300, 1, 300, func(i int) string { return [...]string{"1", "2.5", "null"}[i%3] }, "MAP(VARCHAR, DOUBLE)"},
		{"times join", 300, 1, 300, func(i int) string { return [...]string{`"2026-01-01"`, `"2026-01-01 10:00"`}[i%2] }, "MAP(VARCHAR, TIMESTAMP)"},
		{"objects join", 300, 1, 300, func(i int) string { return [...]string{`{"a":1}`, `{"b":[2]}`}[i%2] }, "MAP(VARCHAR, STRUCT(a BIGINT, b BIGINT[]))"},
		{"only NULL", 300, 1, 300, same("null"), "MAP(VARCHAR, VARCHAR)"},
		{"kinds that mix are a STRUCT", 300, 1, 300, func(i int) string { return [...]string{`1`, `"a"`}[i%2] }, "STRUCT(k0 BIGINT, k1 VARCHAR, "},
	} {
		s := NewJSON()
		keyed(s, c.records, c.perRecord, c.names, c.value)
		if got := strings.TrimPrefix(s.Schema(nil).DDL(""), "x "); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %.80s, want %s", c.name, got, c.want)
		}
	}
}

func TestMapsOfMapsAndTheColumnsOfARecordAreNoMap(t *testing.T) {
	s := NewJSON()
	for i := range 300 {
		s.Add(fmt.Appendf(nil, `{"c%d":{"x":1},"m":{"k%d":{"l%d":true}}}`, i, i, i))
	}
	got := s.Schema(func(path []string) bool { return path[0] == "m" })
	if len(got.Columns) != 301 {
		t.Errorf("got %d columns", len(got.Columns))
	}
	if want := "m MAP(VARCHAR, MAP(VARCHAR, BOOLEAN)) /* not typed: c0, "; !strings.HasPrefix(got.DDL(""), want) {
		t.Errorf("got %.100s, want %s", got.DDL(""), want)
	}
}
