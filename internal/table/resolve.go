package table

import (
	"context"
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
	"ubik/internal/plan"
	"ubik/internal/sql"
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
	first, hint := "", ""         // what is wrong with the first record, and what to do
	opens, object := false, false // whether lines behind it may be of its value, and that is an object
	large := 0                    // records, of all that are malformed
	if _, err := r.sample(ctx, t, limits{each: sampleRecords}, func(_ int, at place, record []byte) {
		if at.large {
			large++
		}
		if good, malformed := s.Records(); good+malformed == 0 {
			first = t.flaw(record)
			if at.large {
				first = "the first is larger than --max-record permits"
			}
			hint, opens = t.hint(record)
			object = len(record) > 0 && record[0] == '{'
		}
		fields = t.add(s, record, fields)
		if good, malformed := s.Records(); good == 1 && malformed == 1 && object {
			opens = false
		}
	}); err != nil {
		return err
	}
	found := s.Schema(uses)
	good, malformed := s.Records()
	if good == 0 || opens && malformed > good {
		try := t.declareTry()
		if t.mixed != "" {
			hint = t.mixed + ", so all files are read as json: give a pattern of one kind, or say --format"
		}
		if hint != "" {
			return fault.New(fault.Data, fmt.Sprintf("the first record of %s is not %s: %s", t.Name, t.Format.Name, first), hint)
		}
		if malformed > 0 && large == malformed {
			return r.tooLarge(t, large, malformed)
		}
		if malformed > 0 {
			which := fmt.Sprintf("none of the first %d records of %s is %s", malformed, t.Name, t.Format.Name)
			if malformed == 1 {
				which = fmt.Sprintf("the first record of %s is not %s", t.Name, t.Format.Name)
			}
			return fault.New(fault.Data, which+", so its columns cannot be found: "+first, try+", or name another format with --format")
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
	for _, c := range s.Schema(nil).Columns {
		t.Seen = append(t.Seen, vec.Field{Name: c.Name, Type: c.Type})
		for _, x := range c.Texts {
			t.Texts = append(t.Texts, plan.TextTimes{Path: x.Path, Some: x.Times > 0, Odd: x.Odd, Reads: x.Reads})
		}
	}
	t.Schema = []vec.Field{}
	var notes columnNotes
	for _, c := range found.Columns {
		if c.Type.Kind == vec.Null {
			t.Others = append(t.Others, c.Name)
			continue
		}
		t.Schema = append(t.Schema, vec.Field{Name: c.Name, Type: c.Type})
		switch name := t.Name + "." + c.Name; {
		case c.Loses:
			t.Warnings = append(t.Warnings, name+": "+c.Note)
		case c.Note != "":
			notes.add(name, c.Note)
		}
	}
	t.Notes = append(t.Notes, notes.lines()...)
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
	n, err := once.sample(ctx, t, limits{all: AbsentRecords}, func(_ int, _ place, record []byte) { t.add(s, record, nil) })
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
		text, they := fmt.Sprintf("no record of the first %d of %s has %q", n, t.Name, c), "they have"
		if n == 1 {
			text, they = fmt.Sprintf("the first record of %s does not have %q", t.Name, c), "it has"
		}
		if names := s.Nearest(c, near); len(names) > 0 {
			text += "; " + they + " " + strings.Join(names, ", ")
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

// isTopic tells whether each record of a log stands by itself, so that none is a header.
func isTopic(k *connector.Kind) bool { return k.Stamped() }

// grows tells whether a file that is empty may get records in this run or in one that goes on from it.
func (r *Resolver) grows(t *Table) bool { return t.Follow || r.Options.KeepOpen }

// declareTry says how columns are declared.
func (t *Table) declareTry() string {
	columns := "column TYPE, …"
	if t.Dialect != nil && t.Dialect.Header && len(t.Dialect.Names) > 0 {
		var names []string
		for _, name := range t.Dialect.Names[:min(len(t.Dialect.Names), namesShown)] {
			names = append(names, sql.QuoteName(name)+" TYPE")
		}
		if columns = strings.Join(names, ", "); len(names) < len(t.Dialect.Names) {
			columns += ", …"
		}
	}
	return fmt.Sprintf("declare its columns: --schema %q", t.Name+"="+columns)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
