package table

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ubik/internal/catalog"
	"ubik/internal/fault"
	"ubik/internal/plan"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

func TestTheFirstThousandOfEachPartitionCount(t *testing.T) {
	for chunk := range 7 {
		l := &log{chunk: []int{1, 2, 3, 7, 999, 1000, 5000}[chunk], parts: [][]string{
			append(numbered(1000, func(i int) string { return fmt.Sprintf(`{"a":%d}`, i) }), `{"a":"x","beyond":1}`),
			{"\x00", `{"b":`},
			{},
			{`{"b":1.5,"A":2}`, `{"c":"2026-01-01","a":true}`},
		}}
		got, waited, err := resolve(l, true, catalog.Table{}, nil, "a,c")
		if err != nil {
			t.Fatal(err)
		}
		if want := `CREATE TABLE t (a VARCHAR, c DATE /* not typed: b */)`; got.Found != want || !got.Inferred || len(waited) > 0 {
			t.Errorf("chunks of %d: %s (waited for %q), want %s", l.chunk, got.Found, waited, want)
		}
		if notes := strings.Join(got.Notes, "\n"); notes != "t: 2 of the first 1004 records are malformed" {
			t.Errorf("the notes are\n%s", notes)
		}
		if warnings := strings.Join(got.Warnings, "\n"); !strings.HasPrefix(warnings, "t.a: ") || !strings.Contains(warnings, "also spelled A, which SQL cannot tell from it: only the first is read") {
			t.Errorf("the warnings are\n%s", warnings)
		}
		if names := columnsText(got.Columns()); names != "a VARCHAR, c DATE /* not typed: b */" {
			t.Errorf("its columns are %s", names)
		}
	}
}

func TestATopicIsWaitedForUntilItHasARecord(t *testing.T) {
	l := &log{parts: [][]string{{`{"a":1}`}}, fills: 20}
	got, waited, err := resolve(l, true, catalog.Table{}, nil, "*")
	if err != nil || got.Found != "CREATE TABLE t (a BIGINT)" || !slices.Equal(waited, []string{"t"}) || l.listings != 20 {
		t.Errorf("%+v, waited for %q in %d listings: %v", got, waited, l.listings, err)
	}
	l = &log{parts: [][]string{{`{"a":1}`}}, fills: 1000}
	if _, waited, err = resolve(l, true, catalog.Table{}, nil, "*"); !slices.Equal(waited, []string{"t"}) {
		t.Errorf("waited for %q", waited)
	}
	refused(t, err, fault.Usage, "t has had no records for 10s (--infer-wait), so its columns cannot be found", `declare its columns: --schema "t=column TYPE, …"`)
	l = &log{parts: [][]string{{`{"a":1}`}}, fills: 1000}
	if _, waited, err = resolve(l, false, catalog.Table{}, nil, "*"); len(waited) > 0 || l.listings != 2 { // once for the ending of its name
		t.Errorf("a file is waited for")
	}
	refused(t, err, fault.Usage, "t holds no records, so its columns cannot be found", `declare its columns: --schema "t=column TYPE, …"`)
	l = &log{parts: [][]string{{`{"a":1}`}}, fills: 20}
	if _, waited, err = resolve(l, false, catalog.Table{Follow: true}, nil, "*"); err != nil || len(waited) != 1 {
		t.Errorf("a followed file is not waited for: %v", err)
	}
}

// refused checks an error.
func refused(t *testing.T, err error, class fault.Class, msg, try string) {
	t.Helper()
	f, ok := err.(*fault.Error)
	if !ok || fault.ClassOf(err) != class || f.Error() != msg || f.Try != try {
		t.Errorf("the error is %v (%#v)\nwant %s; %s", err, err, msg, try)
	}
}

func TestDamageBehindTheFirstRecordsIsLeftToTheRun(t *testing.T) {
	l := &log{parts: [][]string{{`{"a":1}`}, {`{"b":1}`}}, broken: 1}
	got, _, err := resolve(l, false, catalog.Table{}, nil, "*")
	if err != nil || got.Found != "CREATE TABLE t (a BIGINT, b BIGINT)" {
		t.Errorf("%v %v", got, err)
	}
	_, _, err = resolve(&log{parts: [][]string{{}}, broken: 1}, false, catalog.Table{}, nil, "*")
	refused(t, err, fault.Data, "the log is damaged", "")
}

func TestWhatIsKeptIsNotLookedForAgain(t *testing.T) {
	for _, c := range []struct {
		declared catalog.Table
		records  []string
		uses     string
	}{
		{catalog.Table{}, []string{`{"a":1,"B b":[{"x":"2026-01-01 00:00:00"}],"n":1e400,"j":{"k":1}}`, `{"j":[1]}`}, "a,B b,j"},
		{catalog.Table{Format: "csv"}, []string{"k;v", "1;x", "2;'y"}, "v"},
		{catalog.Table{Format: "csv"}, []string{"1;x", "2;y"}, "column1"},
		{catalog.Table{Format: "raw"}, []string{"1;x", "2;y"}, "*"},
		{catalog.Table{}, []string{`{"a":1,"b":2}`}, "none"},
	} {
		first, _, err := resolve(&log{parts: [][]string{c.records}}, false, c.declared, nil, c.uses)
		if err != nil {
			t.Fatal(err)
		}
		kept := first.Keep()
		empty := &log{} // that nobody asks
		again, _, err := resolve(empty, false, c.declared, &kept, c.uses)
		if err != nil || empty.listings > 0 {
			t.Fatalf("it was listed %d times: %v", empty.listings, err)
		}
		if columnsText(again.Schema) != columnsText(first.Schema) || again.FormatText() != first.FormatText() || again.Inferred != first.Inferred || again.Keep() != kept || again.Found != "" {
			t.Errorf("%+v\nis kept as %+v\nand comes back as %+v", first, kept, again)
		}
	}
	kept := Kept{Name: "t", Format: "json", Schema: "a NOTHING"}
	_, _, err := resolve(&log{}, false, catalog.Table{}, &kept, "*")
	if fault.ClassOf(err) != fault.Checkpoint || !strings.HasPrefix(err.Error(), "the columns of t in the checkpoint cannot be read") {
		t.Error(err)
	}
	kept = Kept{Name: "t", Format: "csv", Schema: "a BIGINT", Dialect: "{"}
	_, _, err = resolve(&log{}, false, catalog.Table{Format: "csv"}, &kept, "*")
	if fault.ClassOf(err) != fault.Checkpoint || !strings.HasPrefix(err.Error(), "the dialect of t in the checkpoint cannot be read") {
		t.Error(err)
	}
}

func TestHowACSVIsSpelledIsFoundAsFarAsItIsNotSaid(t *testing.T) {
	columns, err := plan.Schema("a BIGINT, b VARCHAR")
	if err != nil {
		t.Fatal(err)
	}
	header, plain := []string{"b;a", "x;1"}, []string{"1;x", "2;y"}
	for _, c := range []struct {
		topic    bool
		records  []string
		declared catalog.Table
		want     string // format, or error; then names
	}{
		{false, header, catalog.Table{Format: "csv"}, `csv (delimiter ';', quote '"', header) ["b","a"]`},
		{false, header, catalog.Table{Format: "csv", Schema: columns}, `csv (delimiter ';', quote '"', header) ["b","a"]`},
		{false, plain, catalog.Table{Format: "csv"}, `csv (delimiter ';', quote '"', no header) ["column0","column1"]`},
		{false, plain, catalog.Table{Format: "csv", Schema: columns}, `csv (delimiter ';', quote '"', no header) ["a","b"]`},
		{false, plain, catalog.Table{Format: "csv", FormatOptions: map[string]string{"header": "true", "quote": "", "null": "-"}}, `csv (delimiter ';', no quotes, header, NULL is "-") ["1","x"]`},
		{false, plain, catalog.Table{Format: "csv", FormatOptions: map[string]string{"delimiter": "|"}}, `csv (delimiter '|', quote '"', no header) ["column0"]`},
		{false, plain, catalog.Table{Format: "tsv"}, `csv (delimiter '\t', quote '"', no header) ["column0"]`},
		{true, header, catalog.Table{Format: "csv"}, `csv (delimiter ';', quote '"', no header) ["column0","column1"]`},
		{true, header, catalog.Table{Format: "csv", FormatOptions: map[string]string{"header": "true"}},
			"t: a header is a file's; each message of a topic is one record; leave the header option away"},
		{true, nil, catalog.Table{Format: "csv", Schema: columns, FormatOptions: map[string]string{"delimiter": ";"}}, `csv (delimiter ';', quote '"', no header) ["a","b"]`},
		{true, nil, catalog.Table{Format: "tsv", Schema: columns}, `csv (delimiter '\t', quote '"', no header) ["a","b"]`},
		{true, nil, catalog.Table{Format: "csv", Schema: columns},
			"t has had no records for 10s (--infer-wait), so its columns cannot be found; say how its records are spelled: WITH ('csv.field-delimiter' = ',')"},
		{false, nil, catalog.Table{Format: "csv", Schema: columns}, `csv (delimiter ',', quote '"', no header) ["a","b"]`},
		{false, nil, catalog.Table{Format: "csv"}, `t holds no records, so its columns cannot be found; declare its columns: --schema "t=column TYPE, …"`},
		{false, []string{"a\x00b"}, catalog.Table{Format: "csv"},
			"t: byte 1 of the file is zero, so it is no CSV; if it is text in another encoding, convert it first, as with iconv -f UTF-16 -t UTF-8; "},
	} {
		got, _, err := resolve(&log{parts: [][]string{c.records}}, c.topic, c.declared, nil, "*")
		text := ""
		switch f, ok := err.(*fault.Error); {
		case ok:
			text = f.Error() + "; " + f.Try
		case err != nil:
			text = err.Error()
		default:
			names, _ := json.Marshal(got.Dialect.Names)
			text = got.FormatText() + " " + string(names)
		}
		if text != c.want {
			t.Errorf("%q as %+v:\ngot  %s\nwant %s", c.records, c.declared, text, c.want)
		}
	}
}

func TestAColumnThatNoFirstRecordHasIsWarnedOf(t *testing.T) {
	columns, err := plan.Schema("merchand VARCHAR, amount BIGINT, quite_other BIGINT")
	if err != nil {
		t.Fatal(err)
	}
	l := &log{chunk: 700, parts: [][]string{
		numbered(9000, func(i int) string { return `{"merchant":"m"}` }),
		numbered(9000, func(i int) string { return `{"amount":1,"x":{"quite_other":1}}` }),
		{`{"merchand":1}`}, // beyond the ten thousand
	}}
	r := &Resolver{Clock: &hasty{}}
	declared := &catalog.Table{Name: "t", Kind: l.kind(true), Schema: columns}
	table, err := r.Resolve(context.Background(), declared, nil, nil)
	if err != nil || l.listings > 0 {
		t.Fatal(err)
	}
	got, few, err := r.Absent(context.Background(), table, []string{"merchand", "amount", "quite_other"}, sql.Nearest)
	want := []string{`no record of the first 10000 of t has "merchand"; they have merchant`, `no record of the first 10000 of t has "quite_other"; they have x.quite_other`}
	if err != nil || few || !slices.Equal(got, want) {
		t.Errorf("%q %v %v, want %q", got, few, err, want)
	}
	if n := l.read[0] + l.read[1]; n > 11_000 || len(l.read) > 2 {
		t.Errorf("%v records were read of the partitions", l.read)
	}
}

func TestAMalformedRecordIsShownHowItWouldFit(t *testing.T) {
	for _, c := range []struct{ schema, place, record, want string }{
		{"a BIGINT, b VARCHAR", "a", `{"a":"x"}`, "a VARCHAR, b VARCHAR"},
		{"a BIGINT", "a", `{"a":1.5}`, "a DOUBLE"},
		{"a DECIMAL(18,2)", "a", `{"a":1e50}`, "a VARCHAR"},
		{"a BIGINT, b DATE, c BIGINT", "a", `{"a":"x","b":"2026-01-01 10:00","c":2}`, "a VARCHAR, b TIMESTAMP, c BIGINT"},
		{"a BIGINT", "a", `{"a":99999999999999999999}`, "a HUGEINT"},
		{"a TINYINT", "a", `{"a":300}`, "a BIGINT"},
		{"a DECIMAL(9,2)", "a", `{"a":12345678901}`, "a DECIMAL(38,2)"},
		{"a DECIMAL(38,2)", "a", `{"a":1234567890123456789012345678901234567890}`, "a VARCHAR"},
		{"a DATE", "a", `{"a":"2026-01-01 00:00:01"}`, "a TIMESTAMP"},
		{"a TIMESTAMP", "a", `{"a":"soon"}`, "a VARCHAR"},
		{"a BIGINT", "a", `{"a":{"b":1}}`, "a JSON"},
		{"a BIGINT[]", "a", `{"a":[1,"x"]}`, "a VARCHAR[]"},
		{"a STRUCT(b BIGINT, c DOUBLE)", "a.b", `{"a":{"b":"x","c":1}}`, "a STRUCT(b VARCHAR, c DOUBLE)"},
		{"a STRUCT(b STRUCT(c DATE))", "a.b.c", `{"a":{"b":{"c":"x"}}}`, "a STRUCT(b STRUCT(c VARCHAR))"},
		{"a STRUCT(b BIGINT)", "a", `{"a":7}`, "a JSON"},
		{`"a.b" BIGINT, a STRUCT(b BIGINT)`, "a.b", `{"a.b":"x"}`, `"a.b" VARCHAR, a STRUCT(b BIGINT)`},
		{`"a b" BIGINT`, `"a b"`, `{"a b":"x"}`, `"a b" VARCHAR`},
		{"a BIGINT", "z", `{"z":1}`, ""},
		{"a BIGINT", "", `{"z":1}`, ""},
		{"a BIGINT", "a", `{"a":`, ""},
	} {
		fields, err := plan.Schema(c.schema)
		if err != nil {
			t.Fatal(err)
		}
		table := &Table{Table: &catalog.Table{Name: "t"}, Schema: fields}
		table.setFormat()
		if got := table.Admit(c.place, []byte(c.record)); got != c.want {
			t.Errorf("%s with %s in %s: %q, want %q", c.schema, c.record, c.place, got, c.want)
		}
		if after := columnsText(table.Schema); after != columnsText(fields) || table.DDL() != "CREATE TABLE t ("+after+")" {
			t.Errorf("%s has become %s", c.schema, after)
		}
	}
}

func TestWhereNoColumnIsUsedThereIsNothingToDeclare(t *testing.T) {
	got, _, err := resolve(&log{parts: [][]string{{`{"a":1,"b":2}`}}}, false, catalog.Table{}, nil, "none")
	if err != nil || got.Found != "" || !slices.Equal(got.Notes, []string{"t: the query uses none of its columns /* not typed: a, b */"}) || got.Schema == nil || !got.Inferred {
		t.Errorf("%+v %v", got, err)
	}
}

// The columns of a CSV without a header are found by their place: what is to be declared names all.
func TestADeclarationOfACSVWithoutAHeaderNamesAllColumns(t *testing.T) {
	got, _, err := resolve(&log{parts: [][]string{{"1,x,2026-01-01", "2,y,2026-01-02"}}}, false, catalog.Table{Format: "csv"}, nil, "column2,column0")
	if err != nil {
		t.Fatal(err)
	}
	if want := "CREATE TABLE t (column0 BIGINT, column1 VARCHAR, column2 DATE)"; got.Found != want {
		t.Errorf("%s, want %s", got.Found, want)
	}
	if n := len(got.Schema); n != 2 {
		t.Errorf("%d columns are typed", n)
	}
	if got, want := got.Admit("column0", []byte("x,y,2026-01-01")), "column0 VARCHAR, column1 VARCHAR, column2 DATE"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if _, err := plan.Schema(columnsText([]vec.Field{{Name: "a", Type: vec.TypeOf(vec.JSON)}})); err != nil {
		t.Error(err)
	}
}
