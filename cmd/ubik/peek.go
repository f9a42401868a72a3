package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"time"

	"ubik/internal/catalog"
	"ubik/internal/codec"
	jsonrec "ubik/internal/codec/json"
	rawrec "ubik/internal/codec/raw"
	"ubik/internal/connector"
	"ubik/internal/connector/std"
	"ubik/internal/fault"
	"ubik/internal/plan"
	"ubik/internal/runner"
	"ubik/internal/screen"
	"ubik/internal/sql"
	"ubik/internal/table"
	"ubik/internal/vec"
)

// peekOptions are the flags of peek and schema.
type peekOptions struct {
	options
	n   int
	raw bool
}

func peekFlags(o *peekOptions, name string) *flag.FlagSet {
	fs := flag.NewFlagSet("ubik "+name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Var(&o.schema, "schema", "the source's `COLUMNS`: \"merchant VARCHAR, amount DECIMAL(18,2)\" (default: found in its first records)")
	fs.Var(&o.format, "format", "how records are written, by `NAME`: json, csv, tsv or raw (default: by the ending of a file; else json)")
	fs.DurationVar(&o.inferWait, "infer-wait", 10*time.Second, "how long to wait for the first records of a topic")
	fs.Var(&o.client, "X", "a Kafka client property by librdkafka's name, `NAME=VALUE`; may be given several times")
	if name == "peek" {
		fs.IntVar(&o.n, "n", 10, "show `N` records")
		fs.BoolVar(&o.raw, "raw", false, "show the records as they are, not their columns")
		fs.Var(&o.start, "start", "where to begin: earliest, latest, a `TIME` of the log, or {PARTITION:OFFSET, …} (default earliest)")
	}
	return fs
}

// parsePeek reads the command line of peek or schema: flags and one source.
func parsePeek(name string, args []string) (*peekOptions, error) {
	o := &peekOptions{}
	fs := peekFlags(o, name)
	args = slices.Clone(args)
	for i, a := range args {
		if count.MatchString(a) {
			args[i] = "-n=" + a[2:]
		}
	}
	var words []string
	for {
		if err := fs.Parse(args); err != nil {
			return nil, flagFault(fs, err)
		}
		if args = fs.Args(); len(args) == 0 {
			break
		}
		words = append(words, args[0])
		args = args[1:]
	}
	if err := o.splitProperties(); err != nil {
		return nil, err
	}
	if len(words) != 1 {
		return nil, usageFault("write: ubik "+name+" SOURCE, such as kafka://localhost:9092/txns or 'orders.csv.gz'", "%s: one source is to be named", name)
	}
	if o.n < 0 {
		return nil, usageFault("give a number of records", "-n %d is not one", o.n)
	}
	o.maxRecord, o.status, o.quiet = 64<<20, 0, true
	o.from = list{words[0]}
	return o, nil
}

// count is the short form of -n N.
var count = regexp.MustCompile(`^-n[0-9]+$`)

// resolveOne finds out about the only source.
func (o *peekOptions) resolveOne(ctx context.Context) (*setup, *table.Table, error) {
	name, err := catalog.TableName(kinds, o.from[0])
	if err != nil {
		return nil, nil, err
	}
	o.query = "SELECT * FROM " + sql.QuoteName(name)
	s := newSetup(&o.options)
	if err := s.load(); err != nil {
		return s, nil, err
	}
	src := &s.job.Sources[0]
	if o.raw && (len(src.Schema) != 1 || src.Schema[0].Name != rawrec.Column) {
		src.Schema = []vec.Field{{Name: rawrec.Column, Type: vec.TypeOf(vec.Varchar)}}
	}
	resolve := func() (*table.Table, error) {
		return s.resolver.Resolve(ctx, src, nil, func([]string) bool { return true })
	}
	t, err := resolve()
	if o.raw {
		if c := fault.ClassOf(err); err != nil && (c == fault.Data || c == fault.Usage) && src.Format != rawrec.Format.Name {
			src.Format, src.FormatOptions = rawrec.Format.Name, nil // it is no CSV: what is wrong can be seen line by line
			t, err = resolve()
		}
		if err == nil {
			t.Format = rawrec.Format // its records still end where those of its own format do
		}
	}
	return s, t, err
}

// schemaCommand prints the columns that the first records of a source have, as a declaration.
func schemaCommand(args []string) int {
	o, err := parsePeek("schema", args)
	if errors.Is(err, flag.ErrHelp) {
		printHelp(os.Stdout)
		return 0
	}
	if err == nil {
		err = func() error {
			s, t, err := o.resolveOne(context.Background())
			if s != nil {
				defer s.screen.Close()
			}
			if err != nil {
				return err
			}
			for _, n := range append(t.Warnings, t.Notes...) {
				fmt.Fprintln(screen.Text(s.screen.Err()), "-- "+n)
			}
			ddl := t.Found
			if ddl == "" {
				ddl = t.DDL()
			}
			_, err = fmt.Fprintln(screen.Text(s.screen.Out()), ddl+";")
			return err
		}()
	}
	return report(os.Stderr, err)
}

// peekCommand shows the first records of a source as a run would read them.
func peekCommand(args []string) int {
	o, err := parsePeek("peek", args)
	if errors.Is(err, flag.ErrHelp) {
		printHelp(os.Stdout)
		return 0
	}
	if err == nil {
		err = peek(context.Background(), o)
	}
	return report(os.Stderr, err)
}

// peeked is a source whose records are shown.
type peeked struct {
	s    *setup
	t    *table.Table
	sink connector.Sink
	meta []vec.Field // what is shown beside the columns

	decoder codec.Decoder
	columns *vec.Batch
	beside  *vec.Batch // the pseudo-columns, in their order
	all     *vec.Batch // those of meta, then columns
	encoder codec.Encoder
	left    int
}

func peek(ctx context.Context, o *peekOptions) error {
	s, t, err := o.resolveOne(ctx)
	if s != nil {
		defer s.screen.Close()
	}
	if err != nil {
		return err
	}
	opts := s.resolver.Options
	opts.Client, opts.Framing, opts.HeaderCheck, opts.WantKeys = t.Client, t.Framing(), t.HeaderCheck(), true
	if o.raw {
		opts.Framing.Header, opts.HeaderCheck = false, nil // it is shown like a record
	}
	src, err := t.Kind.NewSource(t.URL, &opts)
	if err != nil {
		return err
	}
	defer src.Close()
	parts, err := src.Partitions(ctx)
	if err != nil {
		return err
	}
	at, err := s.starts(ctx, src, parts)
	if err != nil {
		return err
	}
	if err := src.Open(ctx, at); err != nil {
		return err
	}
	p := newPeeked(s, t, o.n)
	s.toStdout(&opts)
	opts.Fields = append(append([]vec.Field{}, p.meta...), t.Schema...)
	if p.sink, err = std.Kind.NewSink("-", &opts); err != nil {
		return err
	}
	defer p.sink.Close()
	if err := p.sink.Open(ctx, connector.Resume{}); err != nil {
		return err
	}
	for i, part := range parts {
		for next, ended := at[i].From.Offset, false; p.left > 0 && !ended && next < part.End; {
			c, err := src.Read(ctx, i)
			if err != nil {
				return err
			}
			if err := p.show(ctx, part, c); err != nil {
				return err
			}
			next, ended = c.Next.Offset, c.End
			c.Release()
		}
	}
	if _, err := p.sink.Flush(ctx); err != nil {
		return err
	}
	return p.sink.Close()
}

// starts says where reading begins, and that it ends where the log does now.
func (s *setup) starts(ctx context.Context, src connector.Source, parts []connector.Partition) ([]connector.Start, error) {
	point, err := startPoint(&s.job.Sources[0])
	if err != nil {
		return nil, err
	}
	from, err := connector.Seek(ctx, src, []connector.StartPoint{point}, parts)
	if err != nil {
		return nil, err
	}
	var at []connector.Start
	for i, p := range parts {
		until := p.End
		if until == connector.EndUnknown {
			until = -1
		}
		at = append(at, connector.Start{Partition: p, From: from[i], Until: until})
	}
	return at, nil
}

func newPeeked(s *setup, t *table.Table, n int) *peeked {
	p := &peeked{s: s, t: t, left: n, beside: &vec.Batch{}, all: &vec.Batch{}}
	for i, f := range plan.PseudoColumns() {
		v := vec.NewBatch(f.Type).Cols[0]
		p.beside.Cols = append(p.beside.Cols, v)
		if p.shows(plan.Pseudo(i), f.Name) {
			p.meta, p.all.Cols = append(p.meta, f), append(p.all.Cols, v)
		}
	}
	var cols []codec.Column
	var types []vec.Type
	for _, f := range t.Schema {
		cols = append(cols, codec.Column{Path: []string{f.Name}, Type: f.Type})
		types = append(types, f.Type)
	}
	p.decoder, p.columns = t.Format.NewDecoder(cols), vec.NewBatch(types...)
	p.all.Cols = append(p.all.Cols, p.columns.Cols...)
	p.encoder = jsonrec.Format.NewEncoder(append(append([]vec.Field{}, p.meta...), t.Schema...))
	return p
}

// shows reports whether a pseudo-column is shown. One of whose name the records have a column is not: in a query, too, the
// name is that of the column. On a terminal, where room is dear, nor is one that this kind of source never has.
func (p *peeked) shows(pseudo plan.Pseudo, name string) bool {
	if slices.ContainsFunc(p.t.Schema, func(f vec.Field) bool { return sql.SameName(f.Name, name) }) {
		return false
	}
	switch pseudo {
	case plan.PseudoPartition, plan.PseudoTimestamp, plan.PseudoKey:
		return p.t.Kind.Stamped() || !p.s.screen.OutTerminal()
	}
	return true
}

// show writes the records of a chunk, as far as they are wanted. Of one that is malformed it says why.
func (p *peeked) show(ctx context.Context, part connector.Partition, c *connector.Chunk) error {
	n := min(len(c.Spans), p.left)
	p.left -= n
	records := codec.Records{Data: c.Data, Spans: c.Spans[:n]}
	bad := p.decoder.Decode(&records, p.columns, nil)
	p.all.N = n
	for _, v := range p.beside.Cols {
		v.Resize(n)
		v.Arena = v.Arena[:0]
	}
	var rows connector.Rows
	var sel [1]int32
	for i := range n {
		p.metaOf(part, c, i)
		if len(bad) > 0 && int(bad[0].Row) == i {
			m := bad[0]
			for len(bad) > 0 && int(bad[0].Row) == i {
				bad = bad[1:]
			}
			where := m.Reason
			if m.Field != "" {
				where = m.Field + ": " + where
			}
			fmt.Fprintf(screen.Text(p.s.screen.Err()), "%s, position %d: malformed: %s\n", runner.PartName(part.PartitionID), c.Pos[i], where)
			continue
		}
		sel[0] = int32(i)
		rows.Values, rows.ValueEnds = p.encoder.AppendRows(rows.Values, rows.ValueEnds, p.all, sel[:])
		rows.KeyEnds, rows.Times = append(rows.KeyEnds, 0), append(rows.Times, 0)
	}
	return p.sink.Write(ctx, &rows)
}

// metaOf fills in what the log says of a record.
func (p *peeked) metaOf(part connector.Partition, c *connector.Chunk, i int) {
	m := p.beside.Cols
	m[plan.PseudoTopic].AppendBytes(i, []byte(part.Topic))
	if part.Index == connector.NoIndex {
		m[plan.PseudoPartition].SetNull(i)
	} else {
		m[plan.PseudoPartition].I64[i] = int64(part.Index)
	}
	m[plan.PseudoOffset].I64[i] = c.Pos[i]
	if c.LogTime == nil || c.LogTime[i] == connector.NoTime {
		m[plan.PseudoTimestamp].SetNull(i)
	} else {
		m[plan.PseudoTimestamp].I64[i] = c.LogTime[i]
	}
	if c.Keys == nil || c.Keys[i].Len >= codec.HugeLen {
		m[plan.PseudoKey].SetNull(i)
	} else {
		k := c.Keys[i]
		m[plan.PseudoKey].AppendBytes(i, c.Data[k.Off:k.Off+k.Len])
	}
}
