package table

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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

const (
	sampleRecords = 1000   // of each partition
	sampleAbsent  = 10_000 // in all: a declared column that none of them has is likely misspelt
	sampleText    = 1 << 20
	pollEvery     = 200 * time.Millisecond
)

// Resolver finds out what is not declared.
type Resolver struct {
	Wait    time.Duration // how long a source may be empty
	Options connector.Options
	Clock   host.Clock
	Waiting func(name string) // told once when a source is waited for; may be nil

	told map[string]bool
}

// waits tells that a source is waited for.
func (r *Resolver) waits(name string) {
	if r.Waiting == nil || r.told[name] {
		return
	}
	if r.told == nil {
		r.told = map[string]bool{}
	}
	r.told[name] = true
	r.Waiting(name)
}

// Resolve makes a table ready. kept is what a checkpoint has of it, nil: nothing. uses tells of a column or a field whether the query names it;
// nil: all. What it reads of standard input is put back: Options.Stdin of the Resolver is what is to be read from then on.
func (r *Resolver) Resolve(ctx context.Context, declared *catalog.Table, kept *Kept, uses func(path []string) bool) (*Table, error) {
	t := &Table{Table: declared, Schema: declared.Schema}
	if kept != nil {
		if err := t.take(kept); err != nil {
			return nil, err
		}
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
	if _, err := r.sample(ctx, t, sampleRecords, func(_ int, record []byte) { fields = t.add(s, record, fields) }); err != nil {
		return err
	}
	found := s.Schema(uses)
	good, malformed := s.Records()
	if good == 0 {
		try := fmt.Sprintf("declare its columns: --schema %q", t.Name+"=column TYPE, …")
		if malformed > 0 {
			return fault.New(fault.Data, fmt.Sprintf("none of the first %d records of %s is %s, so its columns cannot be found", malformed, t.Name, t.Format.Name), try+", or name another format with --format")
		}
		return fault.New(fault.Usage, fmt.Sprintf("%s holds no records, so its columns cannot be found", t.Name), try)
	}
	if malformed > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%s: %d of the first %d records are malformed", t.Name, malformed, good+malformed))
	}
	t.Inferred, t.Found = true, found.DDL(t.Name)
	t.Schema = []vec.Field{}
	for _, c := range found.Columns {
		if c.Type.Kind == vec.Null {
			continue // known by name only
		}
		t.Schema = append(t.Schema, vec.Field{Name: c.Name, Type: c.Type})
		if c.Note != "" {
			t.Notes = append(t.Notes, t.Name+"."+c.Name+": "+c.Note)
		}
	}
	if found.Note != "" {
		t.Notes = append(t.Notes, t.Name+": "+found.Note)
	}
	return nil
}

// Absent returns, for each column that the query names and that a declared source does not have in its first records, a
// warning with the names that are near. It reads nothing of a source that cannot be read again, and waits for nothing.
func (r *Resolver) Absent(ctx context.Context, t *Table, columns []string, near func(word string, candidates []string) string) ([]string, error) {
	s, ok := t.sampler()
	if !ok || t.Inferred || t.Dialect != nil || !t.Kind.Replayable {
		return nil, nil
	}
	once := *r
	once.Wait = -1
	n, err := once.sample(ctx, t, sampleAbsent, func(_ int, record []byte) { t.add(s, record, nil) })
	if err != nil || n == 0 {
		return nil, err
	}
	there := map[string]bool{}
	for _, c := range s.Schema(func([]string) bool { return false }).Columns {
		there[c.Name] = true
	}
	var out []string
	for _, c := range columns {
		if there[c] {
			continue
		}
		text := fmt.Sprintf("no record of the first %d of %s has %q", n, t.Name, c)
		if names := s.Nearest(c, near); len(names) > 0 {
			text += "; they have " + strings.Join(names, ", ")
		}
		out = append(out, text)
	}
	return out, nil
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
		texts[i], null[i] = f.Text, f.Null
	}
	if err != nil {
		texts = nil // counted as malformed
	}
	s.AddFields(texts, null)
	return fields
}

// sample gives each the first records of every partition, at most so many of one, in order, with the index of the
// partition, and returns how many there were. It waits for the first one.
func (r *Resolver) sample(ctx context.Context, t *Table, most int, each func(part int, record []byte)) (int, error) {
	opts := r.optionsOf(t)
	var read bytes.Buffer
	if opts.Stdin != nil && !t.Kind.Replayable {
		opts.Stdin = io.TeeReader(r.Options.Stdin, &read)
		defer func() { r.Options.Stdin = io.MultiReader(bytes.NewReader(read.Bytes()), r.Options.Stdin) }()
	}
	src, err := t.Kind.NewSource(t.URL, &opts)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	parts, err := r.listed(ctx, t, src)
	if err != nil {
		return 0, err
	}
	var at []connector.Start
	for _, p := range parts {
		until := p.End
		if until == connector.EndUnknown {
			until = -1
		}
		at = append(at, connector.Start{Partition: p, From: connector.Position{Offset: p.Earliest, Epoch: -1}, Until: until})
	}
	if err := src.Open(ctx, at); err != nil {
		return 0, err
	}
	total := 0
	for i, p := range parts {
		n, next, ended := 0, p.Earliest, false
		for n < most && !ended && next < p.End {
			c, err := src.Read(ctx, i)
			if err != nil {
				return total, err
			}
			for _, span := range c.Spans {
				if n < most && int64(span.Len) < int64(len(c.Data))+1 {
					each(i, c.Data[span.Off:span.Off+span.Len])
					n++
				}
			}
			next, ended = c.Next.Offset, c.End
			c.Release()
			if !t.Kind.Replayable && n < most && !ended {
				r.waits(t.Name)
			}
		}
		total += n
	}
	return total, nil
}

// optionsOf are the options by which the table's source is made, for a sample.
func (r *Resolver) optionsOf(t *Table) connector.Options {
	opts := r.Options
	opts.Client, opts.Framing, opts.HeaderCheck, opts.Follow = t.Client, t.Framing(), t.HeaderCheck(), false
	return opts
}

// listed lists the partitions, and waits until one of them holds something.
func (r *Resolver) listed(ctx context.Context, t *Table, src connector.Source) ([]connector.Partition, error) {
	began := r.Clock.Now()
	for {
		parts, err := src.Partitions(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range parts {
			if p.End > p.Earliest {
				return parts, nil
			}
		}
		waits := t.Kind.Unbounded && r.Wait >= 0
		if !waits || r.Clock.Now().Sub(began) >= r.Wait {
			return parts, nil
		}
		r.waits(t.Name)
		timer := r.Clock.NewTimer(pollEvery)
		select {
		case <-timer.C():
		case <-ctx.Done():
			timer.Stop()
			return nil, context.Cause(ctx)
		}
	}
}

// dialect finds how a CSV source spells its records, as far as it is not said.
func (r *Resolver) dialect(ctx context.Context, t *Table) error {
	given := t.FormatOptions
	d := csvrec.Default(nil)
	if t.Table.Format == "tsv" {
		d.Delimiter = '\t'
	}
	file := !t.Kind.Unbounded
	_, saysHeader := given["header"]
	_, saysDelimiter := given["delimiter"]
	complete := saysHeader && given["header"] == "false" && (saysDelimiter || t.Table.Format == "tsv") && t.Schema != nil
	if !complete {
		text, whole, err := r.text(ctx, t)
		if err != nil {
			return err
		}
		found, err := csvrec.Sniff(text, whole)
		if err != nil && !(saysHeader && (saysDelimiter || t.Table.Format == "tsv")) {
			return fault.Wrap(fault.Data, err, "say how its records are spelled: --format \"csv\" with CREATE TABLE … WITH ('csv.field-delimiter' = ';', 'csv.header' = 'true')", "%s", t.Name)
		}
		if err == nil {
			if t.Table.Format == "tsv" {
				found.Delimiter = '\t'
			}
			d = found
		}
		if !file && !saysHeader {
			d.Header = false // every message is a record
		}
		if err := over(&d, given); err != nil {
			return err
		}
		if d.Names, err = csvrec.Names(d, text); err != nil {
			return fault.Wrap(fault.Data, err, "", "%s", t.Name)
		}
	} else if err := over(&d, given); err != nil {
		return err
	}
	if d.Header && !file {
		return fault.New(fault.Usage, t.Name+": a header is a file's; each message of a topic is one record", "leave the header option away")
	}
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
	if !complete {
		t.Notes = append(t.Notes, fmt.Sprintf("%s: %s, %d columns", t.Name, d.String(), len(d.Names)))
	}
	return nil
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
	_, err = r.sample(ctx, &plain, sampleRecords, func(part int, record []byte) {
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
