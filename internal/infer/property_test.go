package infer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"ubik/internal/codec"
	jsonrec "ubik/internal/codec/json"
	"ubik/internal/expr"
	"ubik/internal/sql"
	"ubik/internal/ubiktest/cells"
	"ubik/internal/vec"
)

// declared returns the types that a DDL declares, by name.
func declared(t testing.TB, ddl string) []vec.Field {
	t.Helper()
	if text, _, _ := strings.Cut(ddl, "/*"); strings.TrimSpace(text) == "" {
		return nil
	}
	defs, err := sql.ParseSchema(ddl)
	if err != nil {
		t.Fatalf("%s: %v", ddl, err)
	}
	var out []vec.Field
	for _, d := range defs {
		out = append(out, vec.Field{Name: d.Name.Name, Type: declaredType(d.Type)})
	}
	return out
}

func declaredType(n *sql.TypeName) vec.Type {
	t := vec.Type{}
	switch n.Name {
	case "STRUCT":
		t.Kind = vec.Struct
		for _, f := range n.Fields {
			t.Fields = append(t.Fields, vec.Field{Name: f.Name.Name, Type: declaredType(f.Type)})
		}
	case "LIST", "MAP":
		t.Kind = vec.List
		if n.Name == "MAP" {
			t.Kind = vec.Map
		}
		for _, e := range n.Elems {
			t.Fields = append(t.Fields, vec.Field{Type: declaredType(e)})
		}
	default:
		for k := vec.Bool; k <= vec.JSON; k++ {
			if vec.TypeOf(k).String() == n.Name {
				t.Kind = k
			}
		}
	}
	return t
}

// admits reports whether a value is one of a type.
func admits(t vec.Type, value any) bool {
	if value == nil || t.Kind == vec.JSON {
		return true
	}
	switch t.Kind {
	case vec.List:
		list, ok := value.([]any)
		for _, v := range list {
			ok = ok && admits(t.Fields[0].Type, v)
		}
		return ok
	case vec.Map:
		o, ok := value.(object)
		for _, m := range o {
			ok = ok && admits(t.Fields[1].Type, m.value)
		}
		return ok
	case vec.Struct:
		o, ok := value.(object)
		for _, m := range o {
			for _, f := range t.Fields {
				ok = ok && (f.Name != m.name || admits(f.Type, m.value))
			}
		}
		return ok
	}
	v := vec.NewVector(t)
	v.Resize(1)
	switch value := value.(type) {
	case bool:
		return t.Kind == vec.Bool || t.Kind == vec.Varchar
	case json.Number:
		return expr.CastNumber(v, 0, []byte(value)) == ""
	case string:
		return expr.CastText(v, 0, []byte(value)) == ""
	}
	return false
}

// leaves returns the columns that a decoder reads: the fields of STRUCTs one by one, lists and maps as their text.
func leaves(fields []vec.Field, path []string, out []codec.Column) []codec.Column {
	for _, f := range fields {
		at := extend(path, f.Name)
		switch f.Type.Kind {
		case vec.Struct:
			out = leaves(f.Type.Fields, at, out)
		case vec.List, vec.Map:
			out = append(out, codec.Column{Path: at, Type: varcharType})
		default:
			out = append(out, codec.Column{Path: at, Type: f.Type})
		}
	}
	return out
}

// checkSample checks what holds for every sample: the DDL parses and is what the columns say, and the records that the
// sampler took can be read under it, unless a name occurs twice.
func checkSample(t testing.TB, records [][]byte) Schema {
	t.Helper()
	s := NewJSON()
	var taken [][]byte
	for _, r := range records {
		before := s.malformed
		s.Add(r)
		if s.malformed == before {
			taken = append(taken, r)
		}
	}
	schema := s.Schema(nil)
	fields := declared(t, schema.DDL(""))
	i := 0
	for _, c := range schema.Columns {
		if strings.ContainsAny(c.Note, "\n\r\x1b") {
			t.Fatalf("a note of several lines: %q", c.Note)
		}
		if c.Type.Kind == vec.Null {
			continue
		}
		if i == len(fields) || fields[i].Name != c.Name || !fields[i].Type.Equal(c.Type) {
			t.Fatalf("%s declares something else than %s", schema.DDL(""), c.Name)
		}
		i++
	}
	if i != len(fields) {
		t.Fatalf("%s declares too much", schema.DDL(""))
	}
	cols := leaves(fields, nil, nil)
	dec := jsonrec.Format.NewDecoder(cols)
	for _, m := range dec.Decode(cells.Chunk(taken...), cells.Batch(cols), nil) {
		if !strings.HasSuffix(m.Reason, " occurs twice") {
			t.Fatalf("%s\nis malformed under %s:\n%s: %s", taken[m.Row], schema.DDL(""), m.Field, m.Reason)
		}
	}
	for _, r := range taken {
		for _, f := range fields {
			for _, m := range naiveRecord(r) {
				if m.name == f.Name && !admits(f.Type, m.value) {
					t.Fatalf("%s\nis not admitted by %s", r, schema.DDL(""))
				}
			}
		}
	}
	return schema
}

func TestRandomSamplesAreTypedAsNaively(t *testing.T) {
	maps := 0
	for seed := range uint64(100) {
		m := &maker{rand.New(rand.NewPCG(seed, 1)), map[string]int{}, seed%4 == 0}
		records := make([][]byte, 1+m.rnd.IntN(200))
		var objects []object
		for i := range records {
			records[i] = m.record()
			objects = append(objects, naiveRecord(records[i]))
		}
		schema := checkSample(t, records)
		text, _, _ := strings.Cut(schema.DDL(""), " /* not typed: \"\" */")
		text, _, _ = strings.Cut(text, "/* not typed: \"\" */")
		if want := naiveDDL(objects); text != want {
			t.Fatalf("seed %d: %s", seed, difference(text, want))
		}
		maps += strings.Count(text, "MAP(")
		checkOrder(t, seed, m.rnd, records, schema)
	}
	if maps < 10 {
		t.Errorf("only %d maps", maps)
	}
}

// difference shows where two texts part.
func difference(got, want string) string {
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	around := func(s string) string { return s[max(0, i-80):min(len(s), i+120)] }
	return "\n got …" + around(got) + "…\nwant …" + around(want) + "…"
}

// checkOrder checks that the order of records, and of members where no names clash, does not matter to types.
func checkOrder(t *testing.T, seed uint64, rnd *rand.Rand, records [][]byte, schema Schema) {
	t.Helper()
	s := NewJSON()
	for _, i := range rnd.Perm(len(records)) {
		s.Add(bytes.Clone(records[i]))
	}
	got, want := s.Schema(nil), schema
	if a, b := sorted(got), sorted(want); a != b {
		t.Fatalf("seed %d: in another order: %s", seed, difference(a, b))
	}
	if first, again := fmt.Sprint(got), fmt.Sprint(s.Schema(nil)); first != again {
		t.Fatalf("seed %d: asked twice: %s", seed, difference(again, first))
	}
}

// sorted is a schema without what the order of records decides: the order of names, and the one of several spellings.
func sorted(s Schema) string {
	var write func(fields []vec.Field) string
	var typ func(t vec.Type) string
	typ = func(t vec.Type) string {
		if t.Kind == vec.Null || len(t.Fields) == 0 {
			return t.String()
		}
		return fmt.Sprint(t.Kind, "(", write(t.Fields), ")")
	}
	write = func(fields []vec.Field) string {
		var out []string
		for _, f := range fields {
			if fold(f.Name) == "a" { // makerNames has two spellings of it
				out = append(out, "a")
				continue
			}
			out = append(out, f.Name+" "+typ(f.Type))
		}
		sort.Strings(out)
		return strings.Join(out, ", ")
	}
	var fields []vec.Field
	for _, c := range s.Columns {
		fields = append(fields, vec.Field{Name: c.Name, Type: c.Type})
	}
	return write(fields)
}

func TestRandomFieldsCanBeReadUnderTheirTypes(t *testing.T) {
	pool := []string{"1", "-5", "1.5", ".5", "5.", "1e3", "1E-3", "007", "+1", "true", "FALSE", "t", "fal\u017fe", "nan", "-inf", "2026-01-01", "2026-01-01 10:00",
		" 7 ", "99999999999999999999", "1e50", "", " ", "1,5", "1'000", "x", "1e99999999999999999999", "-", ".", "e5", "0x10", "1_000", "\uff11"}
	for seed := range uint64(20000) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		texts := make([][]byte, 1+rnd.IntN(4))
		s := NewCSV([]string{"x"})
		for i := range texts {
			texts[i] = []byte(pool[rnd.IntN(len(pool))])
			s.AddFields(texts[i:i+1], nil)
		}
		typ := s.Schema(nil).Columns[0].Type
		v := vec.NewVector(typ)
		v.Resize(1)
		for _, text := range texts {
			if reason := expr.CastText(v, 0, text); reason != "" {
				t.Fatalf("seed %d: of %q: %s", seed, texts, reason)
			}
		}
	}
}

func FuzzSample(f *testing.F) {
	for _, text := range []string{
		"{}", `{"a":1}` + "\n" + `{"a":1.5,"b":["x",{"c":null}]}`, `{"a":"2026-01-01"}` + "\n" + `{"a":"2026-01-01 10:00"}`,
		`{"select":{"":1,"A":2,"a":3}}`, `{"x":[[],[1e400],["1,5"]]}`, `{"a\u0000*/":{"b":true,"b":1}}`, "{\"a\":\"\\n\x7f\"}\n{\"a\":1}\n[",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		schema := checkSample(t, bytes.Split(data, []byte("\n")))
		if _, err := sql.ParseSchema("x BIGINT " + schemaComment(schema)); err != nil {
			t.Fatal(err)
		}
	})
}

// schemaComment is the DDL of a schema of which nothing is used.
func schemaComment(s Schema) string {
	for i := range s.Columns {
		s.Columns[i].Type = vec.Type{}
	}
	return s.DDL("")
}
