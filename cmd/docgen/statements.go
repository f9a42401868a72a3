package main

import (
	"fmt"
	"slices"
	"strings"

	"ubik/internal/catalog"
	"ubik/internal/plan"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// scripts are examples of statements in front of a query.
var scripts = []string{
	`CREATE TABLE txns (merchant VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP,
  WATERMARK FOR event_time AS event_time - INTERVAL '5' SECOND)
WITH (connector = 'kafka', topic = 'txns', 'properties.bootstrap.servers' = 'localhost:9092');
CREATE TABLE per_minute (minute TIMESTAMP, merchant VARCHAR, total DECIMAL(18,2), PRIMARY KEY (minute, merchant))
WITH (connector = 'kafka', topic = 'per_minute', 'properties.bootstrap.servers' = 'localhost:9092');
CREATE VIEW large AS SELECT * FROM txns WHERE amount > 100;
INSERT INTO per_minute
SELECT TUMBLE(event_time, INTERVAL 1 MINUTE) AS minute, merchant, sum(amount) FROM large GROUP BY ALL;`,
}

// checkScript plans the query of a script as far as the statements in it say what there is.
func checkScript(text string) error {
	list, err := sql.ParseScript(text)
	if err != nil {
		return err
	}
	r := plan.Request{Query: text}
	fields := map[string][]plan.Source{}
	for _, s := range list {
		switch s := s.(type) {
		case *sql.CreateTable:
			src := plan.Source{Name: s.Name.Name, Format: "json", Delay: -1}
			for _, c := range s.Columns {
				t, err := plan.TypeOf(c.Type)
				if err != nil {
					return err
				}
				src.Schema = append(src.Schema, vec.Field{Name: c.Name.Name, Type: t})
			}
			if s.Watermark != nil {
				src.Time = s.Watermark.Column.Name
			}
			fields[sql.FoldName(src.Name)] = append(fields[sql.FoldName(src.Name)], src)
		case *sql.CreateView:
			r.Views = append(r.Views, s)
		case *sql.Insert:
			r.Parsed, r.Columns = s.Query, s.Columns
			r.Into = fields[sql.FoldName(s.Name.Name)][0].Schema
		case sql.Query:
			r.Parsed = s
		}
	}
	for name := range plan.Used(r.Parsed, r.Views) {
		r.Sources = append(r.Sources, fields[name]...)
	}
	_, err = plan.Build(r)
	return err
}

func statements(w *writer) {
	w.printf("## Statements\n\nA script declares what its query reads and writes; each statement but the last ends with a semicolon, and the last one is the query.\n\n")
	for _, s := range scripts {
		if err := checkScript(s); err != nil {
			w.fail(fmt.Errorf("%s: %w", s, err))
		}
		w.printf("```\n%s\n```\n\n", s)
	}
	w.printf(`- **CREATE TABLE** is a source or a sink. Of a source without columns the schema is what its first records look like.
  WATERMARK FOR names its time column, with the delay taken from it: a window or a band over another time of this table is refused, and without either a record that has no such time is
  malformed nonetheless. PRIMARY KEY is of a sink: the key of what is written, as %s.
- **CREATE VIEW** is a query with a name, planned anew at each use. It knows the other views, in whatever order they stand, but not itself; no name of a source is free for it.
  A view or a table of WITH that is not used is not looked at.
- **A path in FROM** is a source that needs no declaration: %s, %s, %s. It is a file, plain or compressed by gzip or zstd, a directory, or a pattern; the
  table's name is that of the file without its extensions, or the reader's.
- **INSERT INTO** names the table that the rows go to. Its columns are those of the query by position, or, if it names some, %s, these, the others NULL.
  A value is cast to the column's type as by CAST; a value that has no place in it is an error of its row, or stops the run where the row leaves a window.

`, code("--key"), code("FROM 'orders-2026.csv.gz'"), code("FROM read_csv('orders/*.csv', header = true)"), code("FROM read_json('log.jsonl')"), code("INSERT INTO t (a, b) SELECT …"))
	options(w, catalog.Options(), owners)
	w.printf("The options of the formats are in [FORMATS](FORMATS.md).\n\n")
	options(w, catalog.Arguments(), readers)
	placed(w, catalog.Arguments(), readers)
}

// owner is a kind of options.
type owner struct{ of, title string }

// owners are those of declared tables but for the formats, readers those of calls in FROM, in the order of the page.
var (
	owners = []owner{
		{"", "Options of every table"}, {"kafka", "Of `connector = 'kafka'`"}, {"filesystem", "Of `connector = 'filesystem'`"},
	}
	readers = []owner{{"", "Of read_csv and read_json"}, {"read_csv", "Of `read_csv('path', name = value)`"}, {"read_json", "Of `read_json('path', name = value)`"}}
)

func options(w *writer, list []catalog.Option, owners []owner) {
	for _, owner := range owners {
		var rows, refused []string
		for i := range list {
			o := &list[i]
			switch {
			case o.Of != owner.of:
			case o.Refused != "" && o.Only == "":
				refused = append(refused, fmt.Sprintf("- %s — %s: %s.", code(o.Name), o.Refused, o.Try))
			default:
				rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s |", cell(o.Name), whose(o), strings.ReplaceAll(takes(o), "|", `\|`), about(o)))
			}
		}
		if rows != nil {
			w.printf("### %s\n\n| option | of | takes | |\n|---|---|---|---|\n%s\n\n", owner.title, strings.Join(rows, "\n"))
		}
		if refused != nil {
			w.printf("Refused, with the reason:\n\n%s\n\n", strings.Join(refused, "\n"))
		}
	}
}

// placed fails for options that no page has.
func placed(w *writer, list []catalog.Option, owners []owner) {
	for i := range list {
		if !slices.ContainsFunc(owners, func(o owner) bool { return o.of == list[i].Of }) {
			w.fail(fmt.Errorf("the options of %s have no place on a page", list[i].Of))
		}
	}
}

func takes(o *catalog.Option) string {
	if o.Only != "" {
		return "only " + o.Only
	}
	return o.Takes
}

// whose says whether an option is of a source or a sink.
func whose(o *catalog.Option) string {
	switch {
	case o.Source && o.Sink:
		return "source, sink"
	case o.Sink:
		return "sink"
	}
	return "source"
}

func about(o *catalog.Option) string {
	text := o.Doc
	if o.Same != "" && text == "" {
		text = "The same as " + o.Same + "."
	}
	if o.Only != "" {
		text = strings.TrimSpace(text + " " + strings.ToUpper(o.Refused[:1]) + o.Refused[1:] + ".")
	}
	return strings.ReplaceAll(text, "|", `\|`)
}
