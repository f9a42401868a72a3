package catalog

import (
	"fmt"
	"strings"

	"ubik/internal/fault"
	"ubik/internal/sql"
)

// connectorEntry is a connector as declarations name it.
type connectorEntry struct {
	name   string // which Option.Of also says
	also   string
	kind   string
	source bool
	sink   bool
}

var connectors = []connectorEntry{
	{"kafka", "", kafkaKind, true, true},
	{"filesystem", "file", fileKind, true, true},
	{"stdin", "", stdKind, true, false},
	{"print", "stdout", stdKind, false, true},
}

// declared makes the table of a CREATE TABLE, as a source or as a sink.
func (l *loader) declared(ct *sql.CreateTable, sink bool) (*Table, error) {
	d := &draft{loader: l, sink: sink, table: &Table{Name: ct.Name.Name, Delay: -1, At: ct.Name}}
	if err := d.connector(ct); err != nil {
		return nil, err
	}
	for i := range ct.Options {
		if err := d.tableOption(ct, &ct.Options[i]); err != nil {
			return nil, err
		}
	}
	var err error
	switch d.table.Kind.Name {
	case kafkaKind:
		err = d.finishKafka(ct)
	case fileKind:
		err = d.finishFile(ct)
	default:
		d.table.URL = "-"
	}
	if err != nil {
		return nil, err
	}
	if err := d.formatFits(); err != nil {
		return nil, err
	}
	if err := d.columns(ct); err != nil {
		return nil, err
	}
	if err := d.declaredKey(ct); err != nil {
		return nil, err
	}
	_, d.table.Log = tableName(d.table.Kind, d.table.URL)
	return d.table, d.probe()
}

// connector finds the connector that a declaration names.
func (d *draft) connector(ct *sql.CreateTable) error {
	name := sql.QuoteName(ct.Name.Name)
	var o *sql.TableOption
	for i := range ct.Options {
		if ct.Options[i].Key == "connector" {
			o = &ct.Options[i]
		}
	}
	if o == nil {
		return sql.Errorf(ct.Name, "%s has no connector", name).
			WithHint("say where its records are: WITH ('connector' = 'kafka', 'bootstrap.servers' = 'host:9092', 'topic' = 'txns'), or WITH ('connector' = 'filesystem', 'path' = 'txns.jsonl')")
	}
	text := o.Text()
	var known []string
	for i := range connectors {
		c := &connectors[i]
		if c.name == text || c.also == text && text != "" {
			d.conn = c
			break
		}
		known = append(known, c.name)
	}
	if text == "upsert-kafka" {
		return sql.Errorf(o.Value, "connector upsert-kafka is not supported: a record does not replace an earlier one of its key").
			WithHint("write 'connector' = 'kafka'; PRIMARY KEY gives the key of what is written")
	}
	if d.conn == nil {
		e := sql.Errorf(o.Value, "there is no connector %s", text)
		if near := sql.Nearest(text, known); near != "" {
			return e.WithHint("did you mean '%s'?", near)
		}
		return e.WithHint("the connectors are: %s", strings.Join(known, ", "))
	}
	k := kindNamed(d.loader.in.Kinds, d.conn.kind)
	switch {
	case k == nil:
		return sql.Errorf(o.Value, "there is no connector %s in this program", text)
	case !d.sink && (!d.conn.source || k.NewSource == nil):
		return sql.Errorf(o.Value, "connector %s can only be written, and the query reads %s", text, name).WithHint("the standard input is 'connector' = 'stdin'")
	case d.sink && (!d.conn.sink || k.NewSink == nil):
		return sql.Errorf(o.Value, "connector %s can only be read, and INSERT INTO writes %s", text, name).WithHint("the standard output is 'connector' = 'print'")
	}
	d.table.Kind = k
	return nil
}

// tableOption takes one entry of WITH (…).
func (d *draft) tableOption(ct *sql.CreateTable, given *sql.TableOption) error {
	list := Options()
	whichever := func(*Option) bool { return true }
	s := &setting{key: given.Key, text: given.Text(), at: given.KeySpan, value: given.Value}
	s.option = findOption(list, given.Key, whichever)
	if s.option == nil {
		if err := d.foreignOption(s, ct); err != nil {
			return err
		}
		names := optionNames(list, func(o *Option) bool { return o.Of == "" || o.Of == d.conn.name || isFormat(o.Of) })
		e := sql.Errorf(s.at, "there is no option %s", given.Key)
		if near := sql.Nearest(given.Key, names); near != "" {
			return e.WithHint("did you mean '%s'?", near)
		}
		if near := sql.Nearest(given.Key, optionNames(list, whichever)); near != "" {
			return e.WithHint("did you mean '%s'?", near)
		}
		return e.WithHint("docs/SQL.md lists the options")
	}
	if of := s.option.Of; of != "" && of != d.conn.name && !isFormat(of) {
		return sql.Errorf(s.at, "option %s is for connector %s, this is %s", given.Key, of, d.conn.name).WithHint("leave it out")
	}
	return d.take(s)
}

func isFormat(of string) bool { return of == "csv" || of == "json" || of == "raw" }

// formatFits settles the format and checks that the options of a format are of this one.
func (d *draft) formatFits() error {
	t := d.table
	format := t.Format
	if format == "" {
		if format = endingFormat(t.Kind, t.URL); format == "raw" {
			format = "" // of a source it depends on the columns; a file of rows may have any ending
		}
		if d.sink {
			t.Format = format // that of a source is settled behind the flags
		}
	}
	for _, s := range d.settings {
		of := s.option.Of
		if !isFormat(of) {
			continue
		}
		switch {
		case format == "":
			format, t.Format = of, of // csv.header can mean nothing else
		case format != of && !(format == "tsv" && of == "csv"):
			return sql.Errorf(s.at, "option %s is for format %s, this is %s", s.key, of, format).
				WithHint("leave it out, or say 'format' = '%s'", of)
		}
	}
	return d.charactersDiffer(format)
}

// charactersDiffer checks that the characters of a CSV can be told apart.
func (d *draft) charactersDiffer(format string) error {
	either := func(names ...string) *setting {
		for _, n := range names {
			if s := d.given(n); s != nil {
				return s
			}
		}
		return nil
	}
	delimiter := either("csv.field-delimiter", "delim")
	if delimiter == nil {
		return nil
	}
	o := d.table.FormatOptions
	c := o["delimiter"]
	quote, given := o["quote"]
	switch {
	case format == "tsv" && c != "\t":
		return delimiter.wrong("say 'format' = 'csv'", "is a tab in format tsv")
	case !given && c == `"`:
		return delimiter.wrong("give another quote too", "is the quote, if no other is given")
	case given && c == quote:
		return either("csv.quote-character", "quote").wrong("give one of them another", "is the delimiter too")
	case c == o["escape"]:
		return either("csv.escape-character", "escape").wrong("give one of them another", "is the delimiter too")
	}
	return nil
}

// finishFile makes the URL of a file.
func (d *draft) finishFile(ct *sql.CreateTable) error {
	path := d.given("path")
	if path == nil {
		return sql.Errorf(ct.Name, "%s has no path", sql.QuoteName(ct.Name.Name)).WithHint("name a file, a directory or a pattern: 'path' = 'txns.jsonl'")
	}
	if k, err := kindOf(d.loader.in.Kinds, path.text); err != nil || k.Name != fileKind {
		switch {
		case path.text == "-":
			return path.wrong("the standard streams are 'connector' = 'stdin' and 'connector' = 'print'", "is a file, not a standard stream")
		case err != nil:
			return placed(err, path.value)
		}
		return path.wrong(fmt.Sprintf("say 'connector' = '%s'", k.Name), "is a file, and this is a URL of %s", k.Name)
	}
	d.table.URL = path.text
	return nil
}

// probe has the connector look at the URL, then at the properties of the client.
func (d *draft) probe() error {
	if err := probe(&Table{Kind: d.table.Kind, URL: d.table.URL}, d.sink); err != nil {
		if s := d.given("bootstrap.servers"); s != nil {
			return placed(fault.New(fault.Usage, err.Error(), "write 'host1:9092,host2:9092'"), s.value)
		}
		if s := d.given("path"); s != nil {
			return placed(err, s.value)
		}
		return placed(err, d.table.At)
	}
	err := probe(d.table, d.sink)
	if err == nil {
		return nil
	}
	var found *setting
	longest := 0
	for _, s := range d.settings {
		for _, name := range s.client {
			if strings.Contains(err.Error(), name) && len(name) > longest && !d.loader.overruled(name) {
				found, longest = s, len(name)
			}
		}
		if found == nil && s.client != nil && len(d.loader.in.Flags.Client) == 0 {
			found = s
		}
	}
	if found == nil {
		return err
	}
	return placed(err, found.at)
}

// placed gives a fault that a connector told a place in the script.
func placed(err error, at sql.Node) error {
	f, ok := err.(*fault.Error)
	if !ok {
		return err
	}
	e := sql.Errorf(at, "%s", strings.ReplaceAll(f.Msg, " of the Kafka URL", ""))
	if f.Try != "" {
		return e.WithHint("%s", f.Try)
	}
	return e
}
