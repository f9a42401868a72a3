package table

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ubik/internal/catalog"
	csvrec "ubik/internal/codec/csv"
	rawrec "ubik/internal/codec/raw"
	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/host"
	"ubik/internal/infer"
	"ubik/internal/vec"
)

// Resolver finds out what is not declared.
type Resolver struct {
	Wait    time.Duration // how long a source may be empty
	Options connector.Options
	Clock   host.Clock
	Waiting func(name string) // told once when a source is waited for; may be nil

	began time.Time // of the waiting
	told  map[string]bool
}

// Resolve makes a table ready. kept is what a checkpoint has of it, nil: nothing. uses tells of a column or a field whether the query names it;
// nil: all. What it reads of standard input is put back: Options.Stdin of the Resolver is what is to be read from then on.
func (r *Resolver) Resolve(ctx context.Context, declared *catalog.Table, kept *Kept, uses func(path []string) bool) (*Table, error) {
	t := &Table{Table: declared, Schema: declared.Schema}
	r.began = r.Clock.Now()
	if kept != nil {
		if err := t.take(kept); err != nil {
			return nil, err
		}
	} else if err := r.byEnding(ctx, t); err != nil {
		return nil, err
	}
	if t.isCSV() && t.Dialect == nil {
		if err := r.dialect(ctx, t); err != nil {
			return nil, err
		}
	}
	t.setFormat()
	if t.Table.Format == "raw" && t.Schema == nil {
		t.Schema = []vec.Field{{Name: rawrec.Column, Type: vec.TypeOf(vec.Varchar)}}
	}
	if t.Schema != nil {
		return t, nil
	}
	return t, r.schema(ctx, t, uses)
}

// schema finds the columns in the first records of each partition.
func (r *Resolver) schema(ctx context.Context, t *Table, uses func(path []string) bool) error {
	s, _ := t.sampler()
	var fields []csvrec.Field
	first := ""
	if _, err := r.sample(ctx, t, limits{each: sampleRecords}, func(_ int, record []byte) {
		if good, malformed := s.Records(); good+malformed == 0 {
			first = t.flaw(record)
			if len(record) > 0 && record[0] == '[' && t.Dialect == nil {
				first += "; of a list write one object a line: jq -c '.[]'"
			}
		}
		fields = t.add(s, record, fields)
	}); err != nil {
		return err
	}
	found := s.Schema(uses)
	good, malformed := s.Records()
	if good == 0 {
		try := t.declareTry()
		if malformed > 0 {
			return fault.New(fault.Data, fmt.Sprintf("none of the first %d records of %s is %s, so its columns cannot be found: %s", malformed, t.Name, t.Format.Name, first), try+", or name another format with --format")
		}
		return r.none(t, try)
	}
	if malformed > 0 {
		are := "are"
		if malformed == 1 {
			are = "is"
		}
		t.Notes = append(t.Notes, fmt.Sprintf("%s: %d of the first %d records %s malformed", t.Name, malformed, good+malformed, are))
	}
	t.Inferred = true
	t.Schema = []vec.Field{}
	for _, c := range found.Columns {
		if c.Type.Kind == vec.Null {
			t.Others = append(t.Others, c.Name)
			continue
		}
		t.Schema = append(t.Schema, vec.Field{Name: c.Name, Type: c.Type})
		if c.Note != "" {
			t.Notes = append(t.Notes, t.Name+"."+c.Name+": "+c.Note)
		}
	}
	if found.Note != "" {
		t.Notes = append(t.Notes, t.Name+": "+found.Note)
	}
	if len(t.positioned(t.Schema)) > 0 {
		t.Found = t.DDL()
	} else if len(t.Others) > 0 { // there is nothing to declare
		t.Notes = append(t.Notes, t.Name+": the query uses none of its columns "+columnsText(t.Columns()))
	}
	return nil
}

// Absent returns, for each column that the query names and that a declared source does not have in its first records, a
// warning with the names that are near. It reads nothing of a source that cannot be read again, and waits for nothing: few
// tells that there were no records yet of a source that goes on.
func (r *Resolver) Absent(ctx context.Context, t *Table, columns []string, near func(word string, candidates []string) string) (warnings []string, few bool, err error) {
	s, ok := t.sampler()
	if !ok || t.Inferred || t.Dialect != nil || !t.Kind.Replayable {
		return nil, false, nil
	}
	once := *r
	once.Wait = -1
	n, err := once.sample(ctx, t, limits{all: AbsentRecords}, func(_ int, record []byte) { t.add(s, record, nil) })
	if err != nil || n == 0 {
		return nil, goesOn(t), err
	}
	there := map[string]bool{}
	for _, c := range s.Schema(func([]string) bool { return false }).Columns {
		there[c.Name] = true
	}
	for _, c := range columns {
		if there[c] {
			continue
		}
		text := fmt.Sprintf("no record of the first %d of %s has %q", n, t.Name, c)
		if names := s.Nearest(c, near); len(names) > 0 {
			text += "; they have " + strings.Join(names, ", ")
		}
		warnings = append(warnings, text)
	}
	return warnings, false, nil
}

// sampler returns one for the table's format; false: its columns are not found in records.
func (t *Table) sampler() (*infer.Sampler, bool) {
	switch {
	case t.Dialect != nil:
		return infer.NewCSV(t.Dialect.Names), true
	case t.Table.Format == "raw":
		return nil, false
	}
	return infer.NewJSON(), true
}

// add gives a sampler a record. fields is memory to be used again.
func (t *Table) add(s *infer.Sampler, record []byte, fields []csvrec.Field) []csvrec.Field {
	if t.Dialect == nil {
		s.Add(record)
		return nil
	}
	fields, err := csvrec.Fields(*t.Dialect, record, fields[:0])
	texts, null := make([][]byte, len(fields)), make([]bool, len(fields))
	for i, f := range fields {
		texts[i], null[i] = f.Text, f.Null || len(f.Text) == 0 // which only a text can hold
	}
	if err != nil {
		texts = nil // counted as malformed
	}
	s.AddFields(texts, null)
	return fields
}

// dialect finds how a CSV source spells its records, as far as it is not said.
func (r *Resolver) dialect(ctx context.Context, t *Table) error {
	given := t.FormatOptions
	d := csvrec.Default(nil)
	tsv := t.Table.Format == "tsv"
	if tsv {
		d.Delimiter = '\t'
	}
	header, saysHeader := given["header"]
	_, saysDelimiter := given["delimiter"]
	saysDelimiter = saysDelimiter || tsv
	if isTopic(t.Kind) {
		if header == "true" {
			return fault.New(fault.Usage, t.Name+": a header is a file's; each message of a topic is one record", "leave the header option away")
		}
		header, saysHeader = "false", true
	}
	if saysDelimiter && header == "false" && t.Schema != nil { // nothing is left to be found
		if err := over(&d, given); err != nil {
			return err
		}
		return t.setDialect(d)
	}
	text, whole, err := r.text(ctx, t)
	if err != nil {
		return err
	}
	if len(text) == 0 && (t.Schema == nil || !saysHeader && r.grows(t) || !saysDelimiter && isTopic(t.Kind)) {
		switch {
		case t.Schema == nil:
			return r.none(t, t.declareTry())
		case isTopic(t.Kind):
			return r.none(t, "say how its records are spelled: WITH ('csv.field-delimiter' = ',')")
		}
		return r.none(t, "say whether a header comes first: WITH ('csv.header' = 'true')")
	}
	found, err := csvrec.Sniff(text, whole && !r.grows(t)) // of a file that grows the last record may not be whole
	switch {
	case err == nil:
		if tsv {
			found.Delimiter = '\t'
		}
		d = found
	case len(text) > 0 && !(saysHeader && saysDelimiter):
		return fault.Wrap(fault.Data, err, "say how its records are spelled: CREATE TABLE … WITH ('format' = 'csv', 'csv.field-delimiter' = ';', 'csv.header' = 'true')", "%s", t.Name)
	}
	if isTopic(t.Kind) {
		d.Header = false // every message is a record
	}
	if err := over(&d, given); err != nil {
		return err
	}
	if len(text) == 0 && t.Schema != nil {
		for _, f := range t.Schema {
			d.Names = append(d.Names, f.Name)
		}
	} else if d.Names, err = csvrec.Names(d, text); err != nil {
		return fault.Wrap(fault.Data, err, "", "%s", t.Name)
	}
	if err := t.setDialect(d); err != nil {
		return err
	}
	t.Notes = append(t.Notes, fmt.Sprintf("%s: %s, %s", t.Name, d.String(), counted(len(t.Dialect.Names), "column")))
	return nil
}

// setDialect sets the dialect. Without a header the declared columns are those of the fields, in their order.
func (t *Table) setDialect(d csvrec.Dialect) error {
	if !d.Header && t.Schema != nil {
		d.Names = nil
		for _, f := range t.Schema {
			d.Names = append(d.Names, f.Name)
		}
	}
	if err := d.Check(); err != nil {
		return fault.Wrap(fault.Usage, err, "", "%s", t.Name)
	}
	t.Dialect = &d
	return nil
}

// isTopic tells whether each record of a log stands by itself, so that none is a header.
func isTopic(k *connector.Kind) bool { return k.Unbounded && k.Replayable }

// grows tells whether a file that is empty may get records in this run or in one that goes on from it.
func (r *Resolver) grows(t *Table) bool { return t.Follow || r.Options.KeepOpen }

// declareTry says how columns are declared.
func (t *Table) declareTry() string {
	return fmt.Sprintf("declare its columns: --schema %q", t.Name+"=column TYPE, …")
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// over lays what is said over what was found.
func over(d *csvrec.Dialect, given map[string]string) error {
	one := func(name string, c *byte) error {
		v, ok := given[name]
		switch {
		case !ok:
		case v == "":
			*c = 0
		case len(v) == 1:
			*c = v[0]
		default:
			return fmt.Errorf("%s %q is not one character", name, v)
		}
		return nil
	}
	quote := d.Quote
	if err := errors.Join(one("delimiter", &d.Delimiter), one("quote", &d.Quote), one("escape", &d.Escape)); err != nil {
		return fault.New(fault.Usage, err.Error(), "give one ASCII character")
	}
	if _, said := given["escape"]; !said && d.Quote != quote {
		d.Escape = d.Quote
	}
	if h, ok := given["header"]; ok {
		d.Header = h == "true"
	}
	if n, ok := given["null"]; ok {
		d.Null = n
	}
	return nil
}

// text is the beginning of the first partition that holds anything, as bytes; whole tells that it is all of it.
func (r *Resolver) text(ctx context.Context, t *Table) (text []byte, whole bool, err error) {
	plain := *t
	plain.Dialect = nil
	first, n := -1, 0
	_, err = r.sample(ctx, &plain, limits{each: sampleRecords}, func(part int, record []byte) {
		if first < 0 {
			first = part
		}
		if part != first || len(text) > sampleText {
			return
		}
		n++
		text = append(append(text, record...), '\n')
	})
	return text, n < sampleRecords && len(text) <= sampleText, err
}
