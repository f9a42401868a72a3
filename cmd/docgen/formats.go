package main

import (
	"errors"
	"fmt"
	"strings"

	"ubik/internal/catalog"
	"ubik/internal/codec"
	csvrec "ubik/internal/codec/csv"
	jsonrec "ubik/internal/codec/json"
	rawrec "ubik/internal/codec/raw"
	"ubik/internal/connector"
	"ubik/internal/connector/file"
	"ubik/internal/connector/std"
	"ubik/internal/expr"
	"ubik/internal/infer"
	"ubik/internal/plan"
	"ubik/internal/table"
	"ubik/internal/vec"
)

const formatsHead = `# Formats

<!-- Written by cmd/docgen from the formats themselves. Do not edit: change the format, then run make update. -->

How records are read into columns, and rows written. What is said as a value, a message or a type on this page was computed while writing it. How a table is declared is in
[SQL](SQL.md#statements); what becomes of a malformed record is in [SEMANTICS](SEMANTICS.md#12-bad-input).

The format is that of ` + "`--format`, `--to-format` or `'format' = '…'`" + `; else a file's name tells:

| the name ends in | format |
|---|---|
`

// formatPage is the whole of docs/FORMATS.md.
func formatPage() (string, error) {
	w := &writer{}
	w.WriteString(formatsHead)
	for _, ending := range []string{".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".tab", ".log", ".txt"} {
		w.printf("| %s | %s |\n", code(ending), endingFormat(w, "records"+ending))
		for _, packed := range []string{".gz", ".gzip", ".zst", ".zstd"} {
			if a, b := endingFormat(w, "records"+ending), endingFormat(w, "records"+ending+packed); a != b {
				w.fail(fmt.Errorf("%s%s is %s, %s is %s", ending, packed, b, ending, a))
			}
		}
	}
	w.printf(`
%s, %s, %s and %s behind it change nothing. All other files, topics and the standard streams are json. A table whose name ends in %s or %s and that declares columns other than
%s is json too.

`, code(".gz"), code(".gzip"), code(".zst"), code(".zstd"), code(".log"), code(".txt"), code("_value"))
	for _, chapter := range []func(*writer){formatJSON, formatCSV, formatRaw, found, files} {
		chapter(w)
	}
	placed(w, catalog.Options(), append(owners, formatOwners...))
	return w.String(), w.err
}

// formatOwners are the formats, whose options stand with them.
var formatOwners = []owner{{"csv", "Options of csv and tsv"}, {"json", "Options of json"}, {"raw", "Options of raw"}}

// endingFormat is the format that the name of a file tells.
func endingFormat(w *writer, path string) string {
	job, err := catalog.Load(catalog.Input{Text: "SELECT 1 FROM '" + path + "'", Kinds: []*connector.Kind{&file.Kind, &std.Kind}, Formats: table.Formats()})
	if err != nil {
		w.fail(err)
		return ""
	}
	if f := job.Sources[0].Format; f != "" {
		return f
	}
	return "json"
}

// columns are those of a schema, as a decoder is asked for them.
func columns(w *writer, schema string) []codec.Column {
	fields, err := plan.Schema(schema)
	if err != nil {
		w.fail(err)
	}
	var out []codec.Column
	for _, f := range fields {
		out = append(out, codec.Column{Path: []string{f.Name}, Type: f.Type})
	}
	return out
}

// decoded is what a format makes of a record: the values of the columns, or the reason why it is malformed.
func decoded(f codec.Format, cols []codec.Column, record string) (values []string, reason string) {
	var types []vec.Type
	for _, c := range cols {
		types = append(types, c.Type)
	}
	out := vec.NewBatch(types...)
	bad := f.NewDecoder(cols).Decode(&codec.Records{Data: []byte(record), Spans: []vec.Span{{Len: uint32(len(record))}}}, out, nil)
	if bad != nil {
		if bad[0].Field != "" {
			return nil, bad[0].Field + ": " + bad[0].Reason
		}
		return nil, bad[0].Reason
	}
	for i := range cols {
		if out.Cols[i].IsNull(0) {
			values = append(values, "NULL")
			continue
		}
		values = append(values, shown(string(expr.AppendText(nil, out.Cols[i], 0))))
	}
	return values, ""
}

// readings is a table of records with the value that each gives one column.
func readings(w *writer, rows []reading) {
	w.printf("| record | column | value |\n|---|---|---|\n")
	for _, r := range rows {
		values, reason := decoded(r.format, columns(w, r.column), r.record)
		if reason != "" {
			w.fail(fmt.Errorf("%s: %s", r.record, reason))
			continue
		}
		w.printf("| %s | %s | %s |\n", cell(r.record), cell(r.column), strings.ReplaceAll(strings.Join(values, ", "), "|", `\|`))
	}
	w.printf("\n")
}

type reading struct {
	format         codec.Format
	record, column string
}

// flaws is a list of records with the reason why each is malformed.
func flaws(w *writer, rows []reading) {
	for _, r := range rows {
		_, reason := decoded(r.format, columns(w, r.column), r.record)
		if reason == "" {
			w.fail(fmt.Errorf("%s is not malformed", r.record))
		}
		text := strings.NewReplacer("\n", "␊", "\xfc", "�").Replace(r.record)
		if text == "" {
			w.printf("- an empty message: %s.\n", reason)
			continue
		}
		w.printf("- %s: %s.\n", code(text), reason)
	}
	w.printf("\n")
}

func formatJSON(w *writer) {
	w.printf("## json\n\n%s. In a file each is a line.\n\n", upper(jsonrec.Format.Doc))
	js := func(record, column string) reading { return reading{jsonrec.Format, record, column} }
	readings(w, []reading{
		js(`{"n":1e2}`, "n BIGINT"), js(`{"n":"12"}`, "n BIGINT"), js(`{"a":1.005}`, "a DECIMAL(18,2)"), js(`{"a":12}`, "a VARCHAR"),
		js(`{"at":"2026-01-01T02:00:00+02:00"}`, "at TIMESTAMP"), js(`{"at":null}`, "at TIMESTAMP"), js(`{}`, "at TIMESTAMP"), js(`{"ok":"yes"}`, "ok BOOLEAN"),
		js(`{"o": {"x": 1.50}}`, "o JSON"), js(`{"tags": ["a", "b"]}`, "tags VARCHAR[]"),
	})
	w.printf("A field of a STRUCT that the query names is read by itself; the others may hold anything that is JSON. Malformed are\n\n")
	flaws(w, []reading{
		js(`{"n":"x"}`, "n BIGINT"), js(`{"n":1.5}`, "n BIGINT"), js(`{"n":300}`, "n TINYINT"), js(`{"n":1,"n":2}`, "n BIGINT"), js(`{"n":1,}`, "n BIGINT"), js(`{"n":NaN}`, "n DOUBLE"), js(`[1]`, "n BIGINT"),
		js(`{"at":1767225600}`, "at TIMESTAMP"), js(`{"at":"2026-01-01 00:00:60"}`, "at TIMESTAMP"), js(``, "n BIGINT"),
	})
	w.printf("A number of seconds or milliseconds as a time is declared BIGINT, and is a time in the query: %s, %s.\n\n", code("to_timestamp(x)"), code("epoch_ms(x)"))
	w.printf("**Written**, one object a row, in the order of the select list and without blanks:\n\n| type | value |\n|---|---|\n")
	for _, x := range []string{"12::BIGINT", "12.5::DECIMAL(18,2)", "0.1::DOUBLE", "'NaN'::DOUBLE", "TIMESTAMP '2026-01-01 00:01:00'", "TIMESTAMP '2026-01-01 00:01:00.12'", "TIMESTAMPTZ '2026-01-01 00:01:00+01'", "DATE '2026-01-01'",
		"TIME '12:00:00'", "INTERVAL '14 months 3 days 5.5 seconds'", "'say \"hi\"'", "'\\x00\\xFF'::BLOB", `'{"a": [1, 2.50]}'::JSON`, "NULL::BIGINT"} {
		typ, text := written(w, jsonrec.Format, x)
		w.printf("| %s | %s |\n", typ, cell(strings.TrimSuffix(strings.TrimPrefix(text, `{"x":`), "}")))
	}
	w.printf("\nWhat is written so is read back as the same values.\n\n")
	options(w, catalog.Options(), formatOwners[1:2])
}

// written is the row of one constant column, x, in a format, and the column's type.
func written(w *writer, f codec.Format, x string) (typ, text string) {
	p, err := build("SELECT "+x+" AS x FROM txns", exampleSchema, true)
	if err != nil {
		w.fail(fmt.Errorf("%s: %w", x, err))
		return "", ""
	}
	l, ok := p.Inputs[0].Exprs[0].(*expr.Literal)
	if !ok {
		w.fail(fmt.Errorf("%s is not computed while planning", x))
		return "", ""
	}
	b := &vec.Batch{N: 1, Cols: []*vec.Vector{l.Value()}}
	if l.IsNull() {
		b = vec.NewBatch(l.Type())
		b.Resize(1)
		b.Cols[0].SetNull(0)
	}
	row, _ := f.NewEncoder([]vec.Field{{Name: "x", Type: l.Type()}}).AppendRows(nil, nil, b, nil)
	return l.Type().String(), string(row)
}

func formatCSV(w *writer) {
	d := csvrec.Default([]string{"a", "b"})
	f := csvrec.Format(d)
	w.printf("## csv and tsv\n\n%s. A line break within quotes is part of a field; a byte order mark at the beginning of a file is passed over. "+
		"tsv is csv with a tab for a delimiter.\n\n", upper(f.Doc))
	w.printf(`What is not said of the dialect is found in the first 1,000 records, or as many as a mebibyte holds, always the same from the same bytes: delimiter (comma, semicolon, tab or bar), quote (double, single or none) and escape (the quote
doubled, or a backslash) are those under which most records have the same number of fields. The run prints what it found:

| first records | dialect | columns |
|---|---|---|
`)
	for _, text := range []string{"id;amount\n7;12,50\n", "id,name\n1,\"Ann \"\"the\"\" B.\"\n", "1\t2\n3\t4\n", "city|since\nRome|2020-01-01\n", "a,b\nc,d\n"} {
		found, err := csvrec.Given{}.Sniff([]byte(text), true)
		if err != nil {
			w.fail(err)
		}
		w.printf("| %s | %s | %s |\n", cell(strings.NewReplacer("\n", "␊", "\t", "⇥").Replace(text)), strings.ReplaceAll(found.String(), "|", `\|`), strings.Join(found.Names, ", "))
	}
	w.printf(`
- **The first record is a header** when none of its fields looks like a number, a time or a boolean, and it has a text where all later records have one of these, or else all its fields look like
  names and none is a value of its column again; and when it has the names of all declared columns. A first record unlike most others is refused, with what to do. With %s true or false it is as said. Without a header the columns are those declared, in their order, or %s, %s, ….
- **With a header** a column is the field of its name, byte for byte but for blanks around it. Each file of a pattern has the same header, else the run stops.
- **In a topic** each message is one record, and there is no header. A line end behind it is no part of it.
- **A field** that is not quoted and is the text for NULL (the empty one, if none is given) is NULL. A quoted empty field is the empty text in a VARCHAR, and NULL in all other types.

`, code("csv.header"), code("column0"), code("column1"))
	cs := func(record, column string) reading { return reading{f, record, column} }
	readings(w, []reading{
		cs(`7,"a ""b"""`, "b VARCHAR"), cs(`7,`, "b VARCHAR"), cs(`7,""`, "b VARCHAR"), cs(`7,""`, "b BIGINT"), cs(`12.50,`, "a DECIMAL(18,2)"), cs(`2026-01-01 10:00:00,`, "a TIMESTAMP"), cs(`true,`, "a BOOLEAN"),
		cs(`7,"{""x"": 1}"`, "b JSON"),
	})
	w.printf("Malformed are\n\n")
	flaws(w, []reading{
		cs(`1,2,3`, "a BIGINT"), cs(`1`, "a BIGINT"), cs(`1,say "hi"`, "b VARCHAR"), cs(`1,"a"b`, "b VARCHAR"), cs(`1,"a`, "b VARCHAR"), cs("1,M\xfcller", "b VARCHAR"), cs(`"1,234",`, "a BIGINT"), cs(`"1,5",`, "a DOUBLE"),
	})
	w.printf("A stray quote costs its own line: one that does not begin a field does not open.\n\n**Written**: a field is quoted where it must be, and has the text that JSON output has, without its quotes. A file begins with a header unless %s is false; a topic has none.\n\n| type | field |\n|---|---|\n", code("csv.header"))
	one := csvrec.Default([]string{"x"})
	one.Null = "NULL"
	for _, x := range []string{"12.5::DECIMAL(18,2)", "TIMESTAMP '2026-01-01 00:01:00'", "'a,b'", "'say \"hi\"'", "' '", "''"} {
		typ, text := written(w, csvrec.Format(one), x)
		w.printf("| %s | %s |\n", typ, cell(text))
	}
	w.printf("\nWhere a query has one column, its NULL is written as `NULL` unless another text is said, since an empty line is no record; a text `NULL` is then quoted.\n\n")
	options(w, catalog.Options(), formatOwners[:1])
}

func formatRaw(w *writer) {
	w.printf("## raw\n\n%s. The query takes it apart:\n\n```\nSELECT regexp_extract(_value, 'status=(\\d+)', 1) AS status, count(*) AS n FROM 'access.log' GROUP BY status\n```\n\n", upper(rawrec.Format.Doc))
	w.printf("Malformed are\n\n")
	flaws(w, []reading{{rawrec.Format, "M\xfcller", "_value VARCHAR"}, {rawrec.Format, "", "_value BLOB"}})
	w.printf("Written is the one column of the query, a VARCHAR or a BLOB; NULL is written as nothing. In a file a line end within a text ends the record.\n\n")
	options(w, catalog.Options(), formatOwners[2:])
}

// samples are records of one member, x, for the types that are found in them.
var samples = [][]string{
	{`true`, `false`}, {`1`, `1e2`}, {`1`, `9223372036854775808`}, {`1`, `1.0`}, {`"2026-01-01"`}, {`"2026-01-01T00:00:10Z"`, `"2026-01-01 00:00:11"`}, {`"2026-01-01"`, `"2026-01-01"`, `"soon"`},
	{`"31.12.2026"`}, {`"12/31/26"`}, {`"31.12.2026 01:00:18 +0100"`}, {`"0.348804"`, `"12"`}, {`1`, `"a"`}, {`"12"`, `"13"`}, {`null`}, {`[1, 2]`, `[]`}, {`{"a":1,"b":"c"}`, `{"a":2}`}, {`{"a":1}`, `7`}, {`{}`},
}

// fields are those of CSV.
var fields = [][]string{
	{"true", "false"}, {"1", "2"}, {"1", "2.50"}, {"2026-01-01 10:00"}, {"007", "12"}, {"1.234,50", "12,00"}, {"1,234.50"}, {"yes", "no"},
}

func found(w *writer) {
	w.printf(`## Types that are found

What is not declared is found in the first 1,000 records of each partition, in the order of the partitions, or in all of a smaller one. A column that the query does not name is known by its name only.
A type is one under which every record of these can be read, whatever their order. What is found is printed as a declaration ready to paste, and is part of the checkpoint's first unit: a run that resumes does not look
again. %s prints it alone.

| JSON values of x | type | said beside it |
|---|---|---|
`, code("ubik schema SOURCE"))
	for _, list := range samples {
		s := infer.NewJSON()
		for _, v := range list {
			s.Add([]byte(`{"x":` + v + `}`))
		}
		inferred(w, s, list)
	}
	varying := infer.NewJSON()
	for i := range 200 {
		varying.Add(fmt.Appendf(nil, `{"x":{"user%d":%d}}`, i, i))
	}
	inferred(w, varying, []string{`{"user1":1}`, `{"user2":2}`, "… 200 names"})
	w.printf("\n| CSV fields of x | type | said beside it |\n|---|---|---|\n")
	for _, list := range fields {
		s := infer.NewCSV([]string{"x"})
		for _, v := range list {
			s.AddFields([][]byte{[]byte(v)}, nil)
		}
		inferred(w, s, list)
	}
	w.printf(`
- **Money**: fractions become DOUBLE, whose sums are exact and rounded once. DECIMAL keeps them as they are written: declare it.
- **A later value that is not of the type** makes its record malformed, and the message shows the declaration that admits it.
- **An object** is a MAP when more than 100 names were met in it, of which one object has less than a tenth, and all values are of one kind.

`)
}

func inferred(w *writer, s *infer.Sampler, list []string) {
	cols := s.Schema(nil).Columns
	if len(cols) != 1 {
		w.fail(errors.New("a sample has one column"))
		return
	}
	var shownValues []string
	for _, v := range list {
		if strings.HasPrefix(v, "…") {
			shownValues = append(shownValues, v)
			continue
		}
		shownValues = append(shownValues, cell(v))
	}
	typ := strings.TrimPrefix(infer.Schema{Columns: cols}.DDL(""), "x ")
	w.printf("| %s | %s | %s |\n", strings.Join(shownValues, " "), typ, strings.ReplaceAll(cols[0].Note, "|", `\|`))
}

func files(w *writer) {
	w.printf("## Files\n\n%s\n\nFor example: %s.\n", file.Kind.Doc, code(strings.Join(file.Kind.Examples, "`, `")))
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
