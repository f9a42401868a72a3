package infer

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"ubik/internal/sql"
)

func TestWideRecords(t *testing.T) {
	var b strings.Builder
	names := make([]string, 3000)
	texts := make([][]byte, 3000)
	for i := range names {
		names[i] = fmt.Sprint("column", i)
		texts[i] = []byte("12.5")
		fmt.Fprintf(&b, `,"%s":12.5`, names[i])
	}
	record := []byte("{" + b.String()[1:] + "}")
	s, c := NewJSON(), NewCSV(names)
	for range 200 {
		s.Add(record)
		c.AddFields(texts, nil)
	}
	want := strings.Join(names, " DOUBLE, ") + " DOUBLE"
	if got := s.Schema(nil).DDL(""); got != want {
		t.Errorf("JSON: got %.100s", got)
	}
	if got := c.Schema(nil).DDL(""); got != want {
		t.Errorf("CSV: got %.100s", got)
	}
}

func TestKnownPlacesCostNoMemory(t *testing.T) {
	record := []byte(`{"a":1,"b":{"c":"2026-01-01","d":[1,2,{"e":null}]},"f":"x\n","g":1e3}`)
	s := NewJSON()
	s.Add(record)
	if n := testing.AllocsPerRun(100, func() { s.Add(record) }); n > 0 {
		t.Errorf("%v allocations a record", n)
	}
}

func TestDeepRecords(t *testing.T) {
	for _, c := range []struct {
		open, value, close string
	}{{`{"a":`, "1", "}"}, {"[", "1", "]"}, {`[{"a":`, "1", "}]"}} {
		s := NewJSON()
		depth := 511 / len(strings.Trim(c.open, `"a:`))
		record := `{"x":` + strings.Repeat(c.open, depth) + c.value + strings.Repeat(c.close, depth) + "}"
		for range 1000 {
			s.Add([]byte(record))
		}
		if good, malformed := s.Records(); good != 1000 {
			t.Fatalf("%s: %d malformed", c.open, malformed)
		}
		schema := s.Schema(nil)
		if _, err := sql.ParseSchema(schema.DDL("")); err != nil {
			t.Errorf("%s: %v", c.open, err)
		}
		if !strings.Contains(schema.DDL(""), "JSON") || !strings.Contains(schema.Columns[0].Note, "deeper or of more names than is looked into: JSON") {
			t.Errorf("%s: got %.200s", c.open, describe(schema))
		}
		// One level more than a record may have.
		s.Add([]byte(`{"x":` + strings.Repeat("[", 512) + strings.Repeat("]", 512) + "}"))
		if _, malformed := s.Records(); malformed != 1 {
			t.Errorf("%d malformed", malformed)
		}
	}
}

func TestNamesWithoutEndAreBounded(t *testing.T) {
	s := NewJSON()
	n := 0
	add := func(records int) {
		for range records {
			var b strings.Builder
			for range 100 {
				fmt.Fprintf(&b, `"field%d":{"a":%d},`, n, n)
				n++
			}
			s.Add([]byte("{" + b.String() + `"x":[` + fmt.Sprint(n) + `]}`))
		}
	}
	add(1000)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	add(2000)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
		t.Errorf("300,000 names took %d bytes more than 100,000", grown)
	}
	schema := s.Schema(nil)
	if s.nodes != nodesMax || len(schema.Columns) > nodesMax {
		t.Errorf("%d places, %d columns", s.nodes, len(schema.Columns))
	}
	want := "more than 50000 names, or names above 1024 bytes: not all are listed; declare the columns you use with --schema"
	if schema.Note != want {
		t.Errorf("got %q", schema.Note)
	}
	if _, err := sql.ParseSchema(schema.DDL("")); err != nil {
		t.Error(err)
	}
}

func TestAMapOfMoreNamesThanAreKeptIsStillOne(t *testing.T) {
	for value, want := range map[string]string{
		"1":       "x MAP(VARCHAR, BIGINT)",
		`{"a":1}`: "x MAP(VARCHAR, JSON)",
	} {
		s := NewJSON()
		keyed(s, 1000, 100, 100_000, func(int) string { return value })
		if got := s.Schema(nil).DDL(""); got != want {
			t.Errorf("got %.100s, want %s", got, want)
		}
	}
}

func TestALongNameIsNotListed(t *testing.T) {
	s := sample(`{"a":{"` + strings.Repeat("n", nameMax+1) + `":1,"b":2}}` + "\n" + `{"` + strings.Repeat("ä", nameMax) + `":1}`)
	got := s.Schema(nil)
	if want := "a STRUCT(b BIGINT)\na: more names than are kept: not all are listed"; describe(got) != want || got.Note == "" {
		t.Errorf("got %s, %q", describe(got), got.Note)
	}
}

func TestAListBeyondTheBoundIsJSON(t *testing.T) {
	s := NewJSON()
	s.Add([]byte(`{"x":[]}`))
	s.nodes = nodesMax
	s.Add([]byte(`{"x":[1,2]}`))
	if got, want := oneColumn(s), "JSON -- deeper or of more names than is looked into: JSON"; got != want {
		t.Errorf("got %s", got)
	}
}
