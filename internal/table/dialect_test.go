package table

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ubik/internal/catalog"
	"ubik/internal/codec"
	"ubik/internal/fault"
	"ubik/internal/plan"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

func TestWhatIsSaidOfADialectIsKeptAndTheRestFound(t *testing.T) {
	columns, err := plan.Schema("a VARCHAR, b BIGINT")
	if err != nil {
		t.Fatal(err)
	}
	blanks := []string{"a b", `"x y" 1`, `"" 2`}
	for _, c := range []struct {
		records []string
		options map[string]string
		columns bool
		want    string
	}{
		{blanks, map[string]string{"delimiter": " "}, false, `csv (delimiter ' ', quote '"', header) ["a","b"]`},
		{blanks, map[string]string{"delimiter": " ", "header": "true"}, false, `csv (delimiter ' ', quote '"', header) ["a","b"]`},
		{blanks[1:], map[string]string{"delimiter": " ", "header": "false"}, true, `csv (delimiter ' ', quote '"', no header) ["a","b"]`},
		{[]string{"'x;y';1", "'';2"}, map[string]string{"delimiter": ";", "header": "false"}, true, `csv (delimiter ';', quote '\'', no header) ["a","b"]`},
		{[]string{"%x;y%;1", "%%;2"}, map[string]string{"quote": "%"}, true, `csv (delimiter ';', quote '%', no header) ["a","b"]`},
		{[]string{"b|a", "2|1"}, map[string]string{"escape": `\`}, true, `csv (delimiter '|', quote '"', escape '\\', header) ["b","a"]`},
		{[]string{"1,2", "3,4"}, map[string]string{"header": "true"}, false, `csv (delimiter ',', quote '"', header) ["1","2"]`},
		{[]string{"a,b", "a,b"}, nil, true, `csv (delimiter ',', quote '"', header) ["a","b"]`},
		{[]string{"a,b", "a,b"}, nil, false, `csv (delimiter ',', quote '"', no header) ["column0","column1"]`},
	} {
		declared := catalog.Table{Format: "csv", FormatOptions: c.options}
		if c.columns {
			declared.Schema = columns
		}
		got, _, err := resolve(&log{parts: [][]string{c.records}}, false, declared, nil, "*")
		if err != nil {
			t.Errorf("%q with %v: %v", c.records, c.options, err)
			continue
		}
		names, _ := json.Marshal(got.Dialect.Names)
		if text := got.FormatText() + " " + string(names); text != c.want {
			t.Errorf("%q with %v: %s\nwant %s", c.records, c.options, text, c.want)
		}
	}
}

func TestAHeaderThatIsNoneIsToldWithWhatToWrite(t *testing.T) {
	columns, err := plan.Schema("city VARCHAR, country VARCHAR")
	if err != nil {
		t.Fatal(err)
	}
	read := []codec.Column{{Path: []string{"city"}, Type: vec.TypeOf(vec.Varchar)}}
	const msg = "t: city: the CSV has no such column; it has Rome, Italy"
	for _, c := range []struct {
		at      sql.Node
		options map[string]string
		try     string
	}{
		{nil, nil, "if the first record is no header, say so: CREATE TABLE t (city VARCHAR, country VARCHAR) WITH ('connector' = 'filesystem', 'path' = 'c.csv', 'format' = 'csv', 'csv.header' = 'false'); before the query, in place of --from and --schema"},
		{sql.Span{}, nil, "if the first record is no header, say so: FROM read_csv('c.csv', header = false)"},
		{&sql.Ident{}, nil, "if the first record is no header, say so: WITH (…, 'csv.header' = 'false')"},
		{nil, map[string]string{"header": "true"}, ""},
	} {
		got, _, err := resolve(&log{parts: [][]string{{"Rome,Italy", "Paris,France"}}}, false,
			catalog.Table{Format: "csv", Schema: columns, At: c.at, FormatOptions: c.options, URL: "c.csv"}, nil, "*")
		if err != nil {
			t.Fatal(err)
		}
		refused(t, got.Check(read), fault.Usage, msg, c.try)
	}
}

func TestATableBelowOtherLinesIsToldWithTheLineItBeginsIn(t *testing.T) {
	const has = "t: the first record has 1 field, but 3 of the first 4 have 2 fields"
	lines := []string{"Report", "a,b", "1,2", "3,4"}
	for _, c := range []struct {
		url     string
		options map[string]string
		try     string
	}{
		{"r.csv", nil, "if the table begins in line 2, take off what is above: tail -n +2 r.csv | ubik --from - --format csv …; if it begins in the first, mend the header, or say that there is none: FROM read_csv('r.csv', header = false) AS t, in place of --from"},
		{"r.csv.gz", map[string]string{"header": "true"}, "if the table begins in line 2, take off what is above: gzip -dc r.csv.gz | tail -n +2 | ubik --from - --format csv …; if it begins in the first, mend the header"},
		{"r.csv.zst", map[string]string{"header": "true"}, "if the table begins in line 2, take off what is above: zstd -dc r.csv.zst | tail -n +2 | ubik --from - --format csv …; if it begins in the first, mend the header"},
	} {
		_, _, err := resolve(&log{parts: [][]string{lines}, bytes: true}, false, catalog.Table{Format: "csv", URL: c.url, FormatOptions: c.options}, nil, "*")
		refused(t, err, fault.Data, has, c.try)
	}
	_, _, err := resolve(&log{parts: [][]string{{"sep=;", "a;b"}}, bytes: true}, false, catalog.Table{Format: "csv", URL: "r.csv"}, nil, "*")
	refused(t, err, fault.Data, "t: the first line, sep=;, tells spreadsheets the delimiter, and is no record", "take it off: tail -n +2 r.csv | ubik --from - --format csv …")
	if _, _, err := resolve(&log{parts: [][]string{lines}}, false, catalog.Table{Format: "csv", FormatOptions: map[string]string{"header": "false"}}, nil, "*"); err != nil {
		t.Error(err)
	}
	if _, _, err := resolve(&log{parts: [][]string{lines}}, true, catalog.Table{Format: "csv"}, nil, "*"); err != nil {
		t.Errorf("in a topic: %v", err)
	}
}

func TestEmptyLinesCount(t *testing.T) {
	for _, end := range []string{"\n", "\r\n"} {
		for _, begin := range []string{"", mark, end, end + end + end} {
			for between := range 4 {
				var text sampleOfText
				at, line := len(begin), 1+strings.Count(begin, "\n")
				if begin == mark {
					at = 0
				}
				for i := range 5 {
					record := fmt.Sprint("record ", i)
					size := len(record)
					if begin == mark && i == 0 {
						size += len(mark)
					}
					offset := len(text.bytes)
					text.bytes = append(append(text.bytes, record...), '\n')
					text.lines = append(text.lines, place{from: int64(at), to: int64(at + size)})
					defer func(want int) {
						if got := text.lineAt(offset); got != want {
							t.Errorf("ends of %q, %d empty lines, first %q: line %d, want %d", end, between, begin, got, want)
						}
					}(line)
					blank := 0
					if i == 1 {
						blank = between
					}
					at += size + len(end)*(1+blank)
					line += 1 + blank
				}
			}
		}
	}
}

func TestJSONThatIsNotALineAnObjectIsToldWithWhatMakesItOne(t *testing.T) {
	const list, object = "of a list write one object a line: jq -c '.[]'", "write one object a line: jq -c ."
	for _, c := range []struct {
		lines []string
		try   string
	}{
		{[]string{"{", `  "a": 1,`, `  "b": {}`, "}"}, object},
		{[]string{`{"a": {`, `  "b": 1`, "}}"}, object},
		{[]string{`{"a":1,`, `"b":2}`, `{"a":1,`, `"b":2}`}, object},
		{[]string{`[{"a":1},{"a":2}]`}, list},
		{[]string{"[", `  {"a": 1},`, `  {"a": 2}`, "]"}, list},
		{[]string{`[{"a": 1},`, `{"a": 2}]`}, list},
		{[]string{"{\x00\"\x00a\x00\"\x00:\x001\x00}\x00"}, "it is UTF-16LE: convert it first: iconv -f UTF-16LE -t UTF-8"},
		{[]string{"\xff\xfe{\x00}\x00"}, "it is UTF-16: convert it first: iconv -f UTF-16 -t UTF-8"},
	} {
		_, _, err := resolve(&log{parts: [][]string{c.lines}}, false, catalog.Table{}, nil, "*")
		f, ok := err.(*fault.Error)
		if !ok || f.Class != fault.Data || !strings.HasPrefix(f.Msg, "the first record of t is not json: ") || f.Try != c.try {
			t.Errorf("%q: %v\nwant %s", c.lines, err, c.try)
		}
	}
	for _, lines := range [][]string{{`{"a":1,`, `{"a":2}`, `{"a":3}`}, {`[1]`, `{"a":2}`}, {`{"a":1`, `{"a":2}`}} { // a record that was cut
		if got, _, err := resolve(&log{parts: [][]string{lines}}, false, catalog.Table{}, nil, "*"); err != nil || got.Found != "CREATE TABLE t (a BIGINT)" {
			t.Errorf("%q: %v", lines, err)
		}
	}
}

func TestAMessageThatIsNotJSONIsNotTakenForALineOfAFile(t *testing.T) {
	for record, want := range map[string]string{
		`{"a":`:     `declare its columns: --schema "t=column TYPE, …", or name another format with --format`,
		`[{"a":1}]`: "of a list send one object a message",
	} {
		_, _, err := resolve(&log{parts: [][]string{{record, record}}}, true, catalog.Table{}, nil, "*")
		if f, ok := err.(*fault.Error); !ok || f.Class != fault.Data || f.Try != want {
			t.Errorf("%s: %v\nwant %s", record, err, want)
		}
	}
}

func TestAnotherFormatThanTheCheckpointsIsRefused(t *testing.T) {
	const try = "go on with the command the checkpoint was made with, or start over with a new checkpoint and an empty sink"
	sources := map[string][]string{"json": {`{"a":1}`}, "csv": {"a,b", "1,2"}, "tsv": {"a\tb", "1\t2"}, "raw": {"x"}}
	texts := map[string]string{"json": "json", "csv": `csv (delimiter ',', quote '"', header)`, "tsv": `csv (delimiter '\t', quote '"', header)`, "raw": "raw"}
	codecs := map[string]string{"json": "json", "csv": "csv", "tsv": "csv", "raw": "raw"}
	for before, records := range sources {
		first, _, err := resolve(&log{parts: [][]string{records}}, false, catalog.Table{Format: before, Log: "file x"}, nil, "*")
		if err != nil {
			t.Fatal(err)
		}
		kept := first.Keep()
		for now, codec := range codecs {
			again, _, err := resolve(&log{}, false, catalog.Table{Format: now, Log: "file x"}, &kept, "*")
			if codec != codecs[before] {
				refused(t, err, fault.Checkpoint, "the checkpoint is of another query: its source is file x as "+texts[before]+", here it is file x as "+codec, try)
				continue
			}
			want := texts[before]
			if now == "tsv" {
				want = texts[now] // which the run refuses if it is another one
			}
			if err != nil || again.FormatText() != want {
				t.Errorf("%s as %s: %v", before, now, err)
			}
		}
	}
}

func TestARecordThatStopsARunIsToldWithWhatMakesItOne(t *testing.T) {
	got, _, err := resolve(&log{parts: [][]string{{`{"a":1}`}}}, false, catalog.Table{}, nil, "*")
	if err != nil {
		t.Fatal(err)
	}
	const list, object = "of a list write one object a line: jq -c '.[]'", "write one object a line: jq -c ."
	for _, c := range []struct{ record, next, want string }{
		{"{", `  "a": 1,`, object},
		{"{", "", object},
		{`{"a":1,`, `"b":2}`, object},
		{`{"a":1,`, `{"a":2}`, ""}, // it was cut
		{`{"a":1,`, "", object},
		{"[", `  {"a": 1},`, list},
		{"[", `{"a": 1}`, list},
		{`[{"a":1}]`, "", list},
		{`{"a":1`, `{"a":2}`, ""},
		{"x", "{", ""},
		{"{\x00\"\x00a\x00\"\x00:\x001\x00}\x00", "", "it is UTF-16LE: convert it first: iconv -f UTF-16LE -t UTF-8"},
	} {
		if got := got.Hint([]byte(c.record), []byte(c.next)); got != c.want {
			t.Errorf("%q before %q: got %q, want %q", c.record, c.next, got, c.want)
		}
	}
}
