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
	"fmt"

	"ubik/internal/catalog"
	"ubik/internal/codec"
	csvrec "ubik/internal/codec/csv"
	jsonrec "ubik/internal/codec/json"
	rawrec "ubik/internal/codec/raw"
	"ubik/internal/fault"
	"ubik/internal/infer"
	"ubik/internal/plan"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// Formats are the names of the formats that a table may have.
func Formats() []string { return []string{"json", "csv", "tsv", "raw"} }

// Table is a source that can be read.
type Table struct {
	*catalog.Table
	Format   codec.Format
	Dialect  *csvrec.Dialect // of CSV; nil: another format
	Schema   []vec.Field     // the columns: those declared, or those found that the query uses
	Inferred bool            // Schema was found
	Found    string          // what was found, as it can be declared; "" when nothing was looked for now
	Notes    []string        // what is to be said about it, a line each
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
	if t.Dialect == nil && k.Dialect != "" && t.isCSV() {
		t.Dialect = &csvrec.Dialect{}
		if err := json.Unmarshal([]byte(k.Dialect), t.Dialect); err != nil {
			return fault.Wrap(fault.Checkpoint, err, "", "the dialect of %s in the checkpoint cannot be read", t.Name)
		}
	}
	if t.Schema == nil {
		fields, err := plan.Schema(k.Schema)
		if err != nil {
			return fault.Wrap(fault.Checkpoint, err, "", "the columns of %s in the checkpoint cannot be read", t.Name)
		}
		t.Schema, t.Inferred = fields, k.Inferred
	}
	return nil
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
	return d.CheckHeader
}

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
		return fault.New(fault.Usage, fmt.Sprintf("%s: %s", t.Name, err), "")
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

// Admit returns the columns of the table, declared so that a record fits that does not: the column named takes the values
// it has and the record's. "" when that cannot be said.
func (t *Table) Admit(column string, record []byte) string {
	s, ok := t.sampler()
	if !ok {
		return ""
	}
	t.add(s, record, nil)
	path := []string{column}
	for _, c := range s.Schema(func(p []string) bool { return len(p) == 1 && sql.SameName(p[0], path[0]) }).Columns {
		if !sql.SameName(c.Name, column) || c.Type.Kind == vec.Null {
			continue
		}
		fields := append([]vec.Field{}, t.Schema...)
		for i := range fields {
			if sql.SameName(fields[i].Name, column) {
				fields[i].Type = both(fields[i].Type, c.Type)
				return columnsText(fields)
			}
		}
	}
	return ""
}

// both is a type that takes the values of two.
func both(a, b vec.Type) vec.Type {
	wide := map[vec.Kind]int{vec.Int8: 1, vec.Int16: 2, vec.Int32: 3, vec.Int64: 4, vec.HugeInt: 5, vec.Double: 6}
	switch {
	case a.Equal(b):
		return vec.TypeOf(vec.Varchar) // it did not fit: its range is too small, or its looks deceive
	case wide[a.Kind] > 0 && wide[b.Kind] > 0:
		if wide[a.Kind] > wide[b.Kind] {
			return vec.TypeOf(vec.Varchar)
		}
		return b
	case a.Kind == vec.Date && b.Kind == vec.Timestamp:
		return b
	}
	return vec.TypeOf(vec.Varchar)
}

// columnsText writes columns as --schema takes them.
func columnsText(fields []vec.Field) string {
	var s infer.Schema
	for _, f := range fields {
		s.Columns = append(s.Columns, infer.Column{Name: f.Name, Type: f.Type})
	}
	return s.DDL("")
}

// DDL is the declaration of the table's columns.
func (t *Table) DDL() string {
	var s infer.Schema
	for _, f := range t.Schema {
		s.Columns = append(s.Columns, infer.Column{Name: f.Name, Type: f.Type})
	}
	return s.DDL(t.Name)
}
