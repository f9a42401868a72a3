package table

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"ubik/internal/catalog"
	csvrec "ubik/internal/codec/csv"
	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/sql"
)

// dialect finds how a CSV source spells its records, as far as it is not said.
func (r *Resolver) dialect(ctx context.Context, t *Table) error {
	given, err := t.given()
	if err != nil {
		return err
	}
	if isTopic(t.Kind) {
		if given.Header != nil && *given.Header {
			return fault.New(fault.Usage, t.Name+": a header is a file's; each message of a topic is one record", "leave the header option away")
		}
		given.Header = new(bool)
	}
	for _, f := range t.Schema {
		given.Columns = append(given.Columns, f.Name)
	}
	if t.Schema != nil && given.Delimiter != nil && given.Header != nil && !*given.Header &&
		(goesOn(t) || given.Quote != nil && (*given.Quote == 0 || given.Escape != nil)) {
		return t.setDialect(given.Default()) // nothing is to be found, or not worth waiting for
	}
	text, whole, err := r.text(ctx, t)
	if err != nil {
		return err
	}
	// A header, or what may be one, has to be seen where columns are to be found, and a record behind it.
	headed := t.Schema == nil && (given.Header == nil || *given.Header)
	if n, all := text.large(), len(text.lines); n > 0 && (n == all || headed && (n == all-1 || text.lines[0].large)) {
		return r.tooLarge(t, n, all)
	}
	if len(text.bytes) == 0 {
		switch {
		case t.Schema == nil:
			return r.none(t, t.declareTry())
		case given.Delimiter == nil && isTopic(t.Kind):
			return r.none(t, "say how its records are spelled: WITH ('csv.field-delimiter' = ',')")
		case given.Header == nil && r.grows(t):
			return r.none(t, "say whether a header comes first: WITH ('csv.header' = 'true')")
		}
		d := given.Default()
		d.Names = given.Columns
		return t.found(d)
	}
	d, err := given.Sniff(text.bytes, whole && !r.grows(t)) // of a file that grows the last record may not be whole
	var head *csvrec.HeadError
	switch {
	case errors.As(err, &head):
		return fault.New(fault.Data, t.Name+": "+head.Reason, t.headTry(head, text.lineAt(head.Offset)))
	case err != nil:
		return fault.Wrap(fault.Data, err, "", "%s", t.Name)
	}
	t.headerFound = d.Header && given.Header == nil
	return t.found(d)
}

// found sets a dialect that was found, and notes it.
func (t *Table) found(d csvrec.Dialect) error {
	if err := t.setDialect(d); err != nil {
		return err
	}
	t.Notes = append(t.Notes, fmt.Sprintf("%s: %s, %s", t.Name, d.String(), counted(len(t.Dialect.Names), "column")))
	return nil
}

// headTry says what is to be done about a table that begins in a line below the first.
func (t *Table) headTry(head *csvrec.HeadError, line int) string {
	from := fmt.Sprintf("tail -n +%d %s", line, t.URL)
	switch {
	case !t.Kind.Replayable:
		from = fmt.Sprintf("… | tail -n +%d", line)
	case strings.HasSuffix(t.URL, ".gz") || strings.HasSuffix(t.URL, ".gzip"):
		from = fmt.Sprintf("gzip -dc %s | tail -n +%d", t.URL, line)
	case strings.HasSuffix(t.URL, ".zst") || strings.HasSuffix(t.URL, ".zstd"):
		from = fmt.Sprintf("zstd -dc %s | tail -n +%d", t.URL, line)
	}
	from += " | ubik --from - --format " + t.Table.Format + " …"
	if head.Sep {
		return "take it off: " + from
	}
	try := fmt.Sprintf("if the table begins in line %d, take off what is above: %s", line, from)
	if given, err := t.given(); err == nil && given.Header != nil {
		return try + "; if it begins in the first, mend the header"
	}
	return try + "; if it begins in the first, mend the header, or say that there is none: " + t.sayNoHeader()
}

// sayNoHeader is how one says that there is no header.
func (t *Table) sayNoHeader() string {
	from := "FROM read_csv(" + sql.QuoteString(t.URL) + ", header = false)"
	if t.At == nil { // of a flag
		if byPath, err := catalog.TableName([]*connector.Kind{t.Kind}, t.URL); t.Schema != nil && (err != nil || byPath != t.Name) {
			where := "'connector' = 'filesystem', 'path' = " + sql.QuoteString(t.URL)
			if !t.Kind.Replayable {
				where = "'connector' = 'stdin'"
			}
			return fmt.Sprintf("CREATE TABLE %s (%s) WITH (%s, 'format' = '%s', 'csv.header' = 'false'); before the query, in place of --from and --schema",
				sql.QuoteName(t.Name), columnsText(t.Schema), where, t.Table.Format)
		}
		return from + " AS " + sql.QuoteName(t.Name) + ", in place of --from"
	}
	if _, inFrom := t.At.(sql.Span); inFrom {
		return from
	}
	return "WITH (…, 'csv.header' = 'false')"
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

// given is what is said of the table's dialect.
func (t *Table) given() (csvrec.Given, error) { return givenBy(t.Table.Format, t.FormatOptions) }

// givenBy is what a format and its options say of a dialect.
func givenBy(format string, options map[string]string) (csvrec.Given, error) {
	var g csvrec.Given
	one := func(name string, c **byte) error {
		v, ok := options[name]
		if !ok {
			return nil
		}
		if len(v) > 1 {
			return fmt.Errorf("%s %q is not one character", name, v)
		}
		*c = new(byte) // of an empty text: none
		if v != "" {
			**c = v[0]
		}
		return nil
	}
	if err := errors.Join(one("delimiter", &g.Delimiter), one("quote", &g.Quote), one("escape", &g.Escape)); err != nil {
		return g, fault.New(fault.Usage, err.Error(), "give one ASCII character")
	}
	if format == "tsv" && g.Delimiter == nil {
		tab := byte('\t')
		g.Delimiter = &tab
	}
	if h, ok := options["header"]; ok {
		is := h == "true"
		g.Header = &is
	}
	if n, ok := options["null"]; ok {
		g.Null = &n
	}
	return g, nil
}

// sampleOfText is the beginning of a source as text.
type sampleOfText struct {
	bytes []byte  // its lines that are not empty, each with a line feed
	lines []place // where each of them lies
}

// large is how many of its lines are larger than what is permitted, and empty in the text.
func (s *sampleOfText) large() int {
	n := 0
	for _, l := range s.lines {
		if l.large {
			n++
		}
	}
	return n
}

// text is the beginning of the first partition that holds anything; whole tells that it is all of it.
func (r *Resolver) text(ctx context.Context, t *Table) (text sampleOfText, whole bool, err error) {
	plain := *t
	plain.Dialect = nil
	first, n := -1, 0
	_, err = r.sample(ctx, &plain, limits{each: sampleRecords}, func(part int, at place, record []byte) {
		if first < 0 {
			first = part
		}
		if part != first || len(text.bytes) > sampleText {
			return
		}
		n++
		text.bytes = append(append(text.bytes, record...), '\n')
		text.lines = append(text.lines, at)
	})
	return text, n < sampleRecords && len(text.bytes) <= sampleText, err
}

// lineAt is the number of the line, from 1, that an offset in the bytes lies in. Empty lines count, which are no records:
// between two records there are as many line ends as bytes, or half as many where each end has two.
func (s *sampleOfText) lineAt(offset int) int {
	each, end := int64(2), int64(0)
	for i, l := range s.lines {
		if i > 0 && (l.from-end)%2 != 0 {
			each = 1
		}
		end = l.to
	}
	line, end := 1, int64(0)
	for _, l := range s.lines[:bytes.Count(s.bytes[:offset], []byte{'\n'})+1] {
		line += int((l.from - end) / each)
		end = l.to
	}
	return line
}
