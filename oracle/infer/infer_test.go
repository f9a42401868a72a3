package infer

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ubik/internal/infer"
	"ubik/internal/vec"
	"ubik/oracle/duck"
)

const corpus = "../../internal/infer/testdata"

// Why types differ.
const (
	absent      = "the empty name cannot be declared; DuckDB makes one up"
	clash       = "names that differ only in case are one name in SQL; DuckDB makes up another one"
	clocks      = "text that is a time of day alone stays text"
	flawed      = "malformed records are counted and left out; DuckDB takes a file with an array for values of one column"
	years       = "a date has a year of four digits: 1-2-3 is a chapter, or a part"
	flags       = "only true and false are booleans: t, yes and 1 may mean something else further down"
	german      = "dates that no cast reads stay text, with a note of how to read them"
	huge        = "integers are exact up to HUGEINT"
	mixed       = "scalars of several kinds are their text; JSON cannot be compared or grouped"
	never       = "what was never seen is a text, of which a later value is one"
	noColumns   = "no record, no column; DuckDB makes up one"
	noMember    = "objects without a member have no values to make a MAP of"
	nonFinite   = "NaN is a number beside numbers, as in our own output"
	signs       = "a negative integer makes none larger; DuckDB takes BIGINT and UBIGINT together"
	spellings   = "every spelling that a cast to TIMESTAMP accepts is one; DuckDB tries a list of formats"
	uuid        = "a UUID is its text"
	wholePowers = "an exponent without a point is an integer where its value is one"
)

// differences are the columns of which DuckDB says something else, by file and column: its type and why. "-" is none.
var differences = map[string]map[string][2]string{
	"codes.jsonl": {
		"chapter": {"DATE", years},
	},
	"all_null.jsonl": {
		"never":  {"JSON", never},
		"list":   {"JSON[]", never},
		"inside": {"STRUCT(x JSON)", never},
	},
	"awkward_names.jsonl": {
		"C3": {"BIGINT", absent},
	},
	"card_payments.jsonl": {
		"id":         {"UUID", uuid},
		"event_time": {"VARCHAR", spellings},
	},
	"case_clash.jsonl": {
		"id_1":   {"BIGINT", clash},
		"Name_1": {"VARCHAR", clash},
		"NAME_2": {"VARCHAR", clash},
	},
	"empty.jsonl": {
		"json": {"JSON", noColumns},
	},
	"empty_objects.jsonl": {
		"a": {"MAP(VARCHAR, JSON)", noMember},
		"b": {"JSON[]", never},
	},
	"exponents.jsonl": {
		"whole": {"DOUBLE", wholePowers},
		"big":   {"DOUBLE", wholePowers},
	},
	"huge_numbers.jsonl": {
		"small": {"HUGEINT", signs},
		"edge":  {"HUGEINT", signs},
		"huge":  {"DOUBLE", huge},
	},
	"lists.jsonl": {
		"mixed": {"JSON[]", mixed},
		"empty": {"JSON[]", never},
	},
	"malformed_first.jsonl": {
		"id":   {"-", flawed},
		"name": {"-", flawed},
		"json": {"JSON", flawed},
	},
	"map_keys.jsonl": {
		"minute": {"VARCHAR", spellings},
	},
	"mixed_scalars.jsonl": {
		"a": {"JSON", mixed},
		"b": {"JSON", mixed},
		"c": {"JSON", mixed},
		"d": {"JSON", mixed},
		"e": {"JSON", mixed},
	},
	"nested_events.jsonl": {
		"items": {"STRUCT(sku VARCHAR, qty HUGEINT, price DOUBLE, reason VARCHAR)[]", signs},
	},
	"own_output.jsonl": {
		"ratio": {"JSON", nonFinite},
	},
	"time_spellings.jsonl": {
		"slash":  {"VARCHAR", spellings},
		"minute": {"VARCHAR", spellings},
		"zone":   {"VARCHAR", spellings},
		"offset": {"VARCHAR", spellings},
		"both":   {"VARCHAR", spellings},
		"clock":  {"TIME", clocks},
	},
	"twice.jsonl": {
		"kind": {"JSON", mixed},
	},
	"bank.csv": {
		"Booking date": {"DATE", german},
		"Value date":   {"DATE", german},
	},
	"flags.csv": {
		"yes":    {"BOOLEAN", flags},
		"letter": {"BOOLEAN", flags},
	},
	"hugeint.csv": {
		"m": {"DOUBLE", huge},
	},
}

func TestInferredTypesAreDuckDBsButForTheListed(t *testing.T) {
	db := duck.ForTest(t)
	files, err := filepath.Glob(corpus + "/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(corpus + "/*.csv")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 || len(more) < 5 {
		t.Fatalf("only %d and %d files", len(files), len(more))
	}
	met := 0
	for _, path := range append(files, more...) {
		file := filepath.Base(path)
		ours, theirs := ourTypes(t, path), duckTypes(t, db, path)
		var names []string
		for _, c := range append(ours, theirs...) {
			names = append(names, c.Name)
		}
		done := map[string]bool{}
		for _, name := range names {
			if done[name] {
				continue
			}
			done[name] = true
			we, they := typeIn(ours, name), typeIn(theirs, name)
			listed, ok := differences[file][name]
			switch {
			case ok:
				met++
				if they != listed[0] {
					t.Errorf("%s: %s: DuckDB says %s, listed is %s", file, name, they, listed[0])
				}
				if we == they {
					t.Errorf("%s: %s: %s is no difference", file, name, we)
				}
			case we != they:
				t.Errorf("%s: %s is %s, in DuckDB %s", file, name, we, they)
			}
		}
	}
	all := 0
	for _, columns := range differences {
		all += len(columns)
	}
	if met != all {
		t.Errorf("%d differences are listed, %d met", all, met)
	}
}

type column struct{ Name, Type string }

func typeIn(columns []column, name string) string {
	for _, c := range columns {
		if c.Name == name {
			return c.Type
		}
	}
	return "-"
}

func duckTypes(t *testing.T, db *duck.DB, path string) []column {
	t.Helper()
	from := "read_json(" + duck.Literal(path) + ", format='newline_delimited', records='auto', ignore_errors=true)"
	if strings.HasSuffix(path, ".csv") {
		from = "read_csv(" + duck.Literal(path) + ", header=true)"
	}
	result, err := db.Query("DESCRIBE SELECT * FROM " + from)
	if err != nil {
		t.Fatal(err)
	}
	var out []column
	for _, row := range result.Rows {
		out = append(out, column{row[0].(string), row[1].(string)})
	}
	return out
}

// sampled reads a file of the corpus.
func sampled(t *testing.T, path string) *infer.Sampler {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var s *infer.Sampler
	if strings.HasSuffix(path, ".csv") {
		records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		s = infer.NewCSV(records[0])
		for _, r := range records[1:] {
			texts, null := make([][]byte, len(r)), make([]bool, len(r))
			for i, text := range r {
				texts[i], null[i] = []byte(text), text == ""
			}
			s.AddFields(texts, null)
		}
	} else {
		s = infer.NewJSON()
		for line := range bytes.Lines(data) {
			if line = bytes.TrimSuffix(line, []byte("\n")); len(line) > 0 {
				s.Add(line)
			}
		}
	}
	return s
}

func ourTypes(t *testing.T, path string) []column {
	t.Helper()
	var out []column
	for _, c := range sampled(t, path).Schema(nil).Columns {
		if c.Type.Kind != vec.Null {
			one := infer.Schema{Columns: []infer.Column{{Name: "x", Type: c.Type}}}
			out = append(out, column{c.Name, strings.TrimPrefix(one.DDL(""), "x ")})
		}
	}
	return out
}
