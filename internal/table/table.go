// Package table makes a declared source one that can be read: its format with all options, and its columns. What is not
// declared is found in the first records of the source, always the same from the same log, and kept in the checkpoint, so
// that it is found once:
//
//	r := table.Resolver{Wait: 10 * time.Second, …}
//	t, err := r.Resolve(ctx, &declared, kept, used)
//	t.Format   // json; csv, delimiter ';', quote '"', header
//	t.Schema   // merchant VARCHAR, amount DOUBLE, event_time TIMESTAMP
package table

import (
	"encoding/json"
	"errors"
	"fmt"

	"ubik/internal/catalog"
	"ubik/internal/codec"
	csvrec "ubik/internal/codec/csv"
	jsonrec "ubik/internal/codec/json"
	rawrec "ubik/internal/codec/raw"
	"ubik/internal/fault"
	"ubik/internal/infer"
	"ubik/internal/plan"
	"ubik/internal/vec"
)

// Formats are the names of the formats that a table may have.
func Formats() []string { return []string{"json", "csv", "tsv", "raw"} }

// Table is a source that can be read.
type Table struct {
	*catalog.Table
	Format   codec.Format
	Dialect  *csvrec.Dialect  // of CSV; nil: another format
	Schema   []vec.Field      // the columns: those declared, or those found that the query uses
	Others   []string         // found too, and known by name only: the query does not use them
	Inferred bool             // Schema was found
	Found    string           // what was found, as it can be declared; "" when nothing was looked for now
	Notes    []string         // what is to be said about it, a line each
	Warnings []string         // likewise, of what is likely not meant: values that are not read though the query names them
	Seen     []vec.Field      // of what was found all, with its type
	Texts    []plan.TextTimes // that are in it

	mixed string // that its files end as of different formats, ""

	headerFound bool // that the first record is a header was not said, but found
}

// Kept is what a checkpoint keeps of a table.
type Kept struct {
	Name     string
	Format   string // json, csv, raw
	Dialect  string // of CSV: the Dialect as JSON
	Schema   string // the columns as declarations write them
	Inferred bool
}

// Keep returns what is to be kept.
func (t *Table) Keep() Kept {
	k := Kept{Name: t.Name, Format: t.Format.Name, Schema: columnsText(t.Schema), Inferred: t.Inferred}
	if t.Dialect != nil {
		b, err := json.Marshal(t.Dialect)
		if err != nil {
			panic("table: " + err.Error())
		}
		k.Dialect = string(b)
	}
	return k
}

// take takes up what a checkpoint keeps, as far as it is not declared.
func (t *Table) take(k *Kept) error {
	t.formatAs(k.Format)
	if said := t.codec(); said != k.Format {
		return fault.New(fault.Checkpoint, fmt.Sprintf("the checkpoint is of another query: its source is %s as %s, here it is %s as %s", t.Log, k.formatText(), t.Log, said),
			"go on with the command the checkpoint was made with, or start over with a new checkpoint and an empty sink")
	}
	if t.Dialect == nil && k.Dialect != "" && t.isCSV() {
		t.Dialect = &csvrec.Dialect{}
		if err := json.Unmarshal([]byte(k.Dialect), t.Dialect); err != nil {
			return fault.Wrap(fault.Checkpoint, err, "", "the dialect of %s in the checkpoint cannot be read", t.Name)
		}
		given, err := t.given()
		if err != nil {
			return err
		}
		given.Over(t.Dialect) // another one than that is refused as another query
	}
	t.Inferred = k.Inferred // also when what was found is declared now
	if t.Schema == nil {
		fields := []vec.Field{} // the query uses none
		if k.Schema != "" {
			var err error
			if fields, err = plan.Schema(k.Schema); err != nil {
				return fault.Wrap(fault.Checkpoint, err, "", "the columns of %s in the checkpoint cannot be read", t.Name)
			}
		}
		t.Schema = fields
	}
	return nil
}

// formatText is the format as Table.FormatText has it.
func (k *Kept) formatText() string {
	var d csvrec.Dialect
	if k.Dialect == "" || json.Unmarshal([]byte(k.Dialect), &d) != nil {
		return k.Format
	}
	return k.Format + " (" + d.String() + ")"
}

// codec is the name of the codec of the table's format: tsv is csv, and what is not said json.
func (t *Table) codec() string {
	switch {
	case t.isCSV():
		return "csv"
	case t.Table.Format == "":
		return jsonrec.Format.Name
	}
	return t.Table.Format
}

func (t *Table) isCSV() bool { return t.Table.Format == "csv" || t.Table.Format == "tsv" }

// FormatText is the format with its options, as the fingerprint and people read it.
func (t *Table) FormatText() string {
	if t.Dialect == nil {
		return t.Format.Name
	}
	return t.Format.Name + " (" + t.Dialect.String() + ")"
}

// Framing is where its records end in a file.
func (t *Table) Framing() codec.Framing {
	if t.Dialect == nil {
		return codec.Framing{}
	}
	return t.Dialect.Framing()
}

// HeaderCheck judges the header of a file; nil: there is none.
func (t *Table) HeaderCheck() func(record []byte) error {
	if t.Dialect == nil || !t.Dialect.Header {
		return nil
	}
	d := *t.Dialect
	return func(record []byte) error {
		err := d.CheckHeader(record)
		var other *csvrec.OtherDelimiter
		if errors.As(err, &other) {
			return fault.New(fault.Data, err.Error(), otherDelimiterTry)
		}
		return err
	}
}

const otherDelimiterTry = "files read together have one delimiter: give each kind a pattern of its own, and unite them by SELECT … UNION ALL SELECT …, or convert this one"

// Check returns why the table's records cannot be read into columns.
func (t *Table) Check(cols []codec.Column) error {
	var err error
	switch {
	case t.Dialect != nil:
		err = csvrec.Check(*t.Dialect, cols)
	case t.Format.Name == rawrec.Format.Name:
		err = rawrec.Check(cols)
	}
	if err != nil {
		try := ""
		if t.headerFound && !t.Inferred {
			try = "if the first record is no header, say so: " + t.sayNoHeader()
		}
		return fault.New(fault.Usage, fmt.Sprintf("%s: %s", t.Name, err), try)
	}
	return nil
}

// setFormat sets the format once a dialect is known.
func (t *Table) setFormat() {
	switch {
	case t.Dialect != nil:
		t.Format = csvrec.Format(*t.Dialect)
	case t.Table.Format == "raw":
		t.Format = rawrec.Format
	default:
		t.Format = jsonrec.Format
	}
}

// Columns are those of the Schema, and behind them the Others, without a type.
func (t *Table) Columns() []vec.Field {
	all := append([]vec.Field{}, t.Schema...)
	for _, name := range t.Others {
		all = append(all, vec.Field{Name: name})
	}
	return all
}

// DDL is the declaration of the table's columns, the Others in a comment.
func (t *Table) DDL() string { return schemaOf(t.positioned(t.Columns())).DDL(t.Name) }

// positioned returns the columns as they are to be declared. Those of a CSV without a header are found by their place, so
// all of them are, and one that nobody uses takes any text.
func (t *Table) positioned(columns []vec.Field) []vec.Field {
	if t.Dialect == nil || t.Dialect.Header {
		return columns
	}
	var all []vec.Field
	for _, name := range t.Dialect.Names {
		f := vec.Field{Name: name, Type: vec.TypeOf(vec.Varchar)}
		for _, c := range columns {
			if c.Name == name && c.Type.Kind != vec.Null {
				f = c
			}
		}
		all = append(all, f)
	}
	return all
}

// reads reports whether a record can be read into columns of these types, or else the place that is malformed first.
func (t *Table) reads(fields []vec.Field, record []byte) (place string, ok bool) {
	var cols []codec.Column
	var types []vec.Type
	for _, f := range fields {
		cols = append(cols, codec.Column{Path: []string{f.Name}, Type: f.Type, Strict: true})
		types = append(types, f.Type)
	}
	r := codec.Records{Data: append([]byte{}, record...), Spans: []vec.Span{vec.SpanTo(0, len(record))}}
	bad := t.Format.NewDecoder(cols).Decode(&r, vec.NewBatch(types...), nil)
	if len(bad) == 0 {
		return "", true
	}
	return bad[0].Field, false
}

// flaw is what is wrong with a record, whatever its columns.
func (t *Table) flaw(record []byte) string {
	r := codec.Records{Data: append([]byte{}, record...), Spans: []vec.Span{vec.SpanTo(0, len(record))}}
	if bad := t.Format.NewDecoder(nil).Decode(&r, vec.NewBatch(), nil); len(bad) > 0 {
		return bad[0].Reason
	}
	return ""
}

// columnsText writes columns as --schema takes them.
func columnsText(fields []vec.Field) string { return schemaOf(fields).DDL("") }

func schemaOf(fields []vec.Field) infer.Schema {
	var s infer.Schema
	for _, f := range fields {
		s.Columns = append(s.Columns, infer.Column{Name: f.Name, Type: f.Type})
	}
	return s
}
