package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"

	"ubik/internal/catalog"
	"ubik/internal/checkpoint"
	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/host"
	"ubik/internal/plan"
	"ubik/internal/runner"
	"ubik/internal/screen"
	"ubik/internal/sql"
	"ubik/internal/table"
)

// setup is a run being put together.
type setup struct {
	o      *options
	disk   host.Disk
	log    *slog.Logger
	screen *screen.Screen
	kill   func(phase string)
	name   string // of the script, in messages
	text   string // the script

	job      *catalog.Job
	resolver *table.Resolver
	tables   []*table.Table // of job.Sources; nil: the query does not name it
	mode     runner.Mode
	plan     *plan.Plan
	out      *table.Written    // how rows are written
	store    *checkpoint.Store // nil: without --resume
	unit     *runner.Unit      // to resume; nil: none

	absentAgain bool // whether a column is absent is to be looked at again when there are more records

	latest map[string][]connector.Partition // by table: where it ended when the run began, if it is read from there on
}

func newSetup(o *options) *setup {
	s := &setup{o: o, disk: host.OS, kill: killAt(), name: "query", latest: map[string][]connector.Partition{}}
	s.openScreen()
	s.resolver = &table.Resolver{
		Wait: o.inferWait, Clock: host.Wall,
		Options: connector.Options{
			Disk: s.disk, Stdin: os.Stdin, KeepOpen: o.keepOpen, MaxRecord: o.maxRecord, Client: o.properties, Checkpoint: o.resume,
			Logf: func(format string, args ...any) { s.log.Warn(fmt.Sprintf(format, args...)) },
		},
		Waiting: func(name string) {
			s.log.Info("waiting for the first records of " + name + ", in which its columns are found; --schema declares them")
		},
	}
	return s
}

// load reads the script and finds the tables that it names.
func (s *setup) load() error {
	o := s.o
	s.text = o.query
	switch fromStdin := o.file == "-" || o.file == "" && o.query == "" && !screen.IsTerminal(os.Stdin); {
	case fromStdin:
		text, err := io.ReadAll(os.Stdin)
		if err != nil {
			return fault.Wrap(fault.Usage, err, "", "the query cannot be read from standard input")
		}
		s.text, s.name, s.resolver.Options.Stdin = string(text), "standard input", nil
	case o.file != "":
		text, err := os.ReadFile(o.file)
		if err != nil {
			var p *fs.PathError
			if errors.As(err, &p) {
				err = p.Err
			}
			try := "check the path"
			if near := nearFile(o.file); near != "" && errors.Is(err, fs.ErrNotExist) {
				try = "did you mean " + near + "?"
			}
			return fault.Wrap(fault.Usage, err, try, "-f %s", o.file)
		}
		s.text, s.name = string(text), o.file
	}
	if strings.TrimSpace(s.text) == "" {
		return usageFault("it is the last argument: ubik --from … \"SELECT … FROM …\", or in a file with -f", "no query")
	}
	var err error
	s.job, err = catalog.Load(catalog.Input{
		Text: s.text, Kinds: kinds, Formats: table.Formats(),
		Flags: catalog.Flags{
			From: o.from, Schema: o.schema, Delay: o.delay, Format: o.format, Start: o.start, To: o.to, ToFormat: o.toFormat, Key: o.key,
			Client: o.properties, UntilEnd: o.untilEnd, KeepOpen: o.keepOpen, Follow: o.follow,
		},
	})
	if err != nil {
		return s.placed(err)
	}
	once := false
	for i := range s.job.Sources {
		t := &s.job.Sources[i]
		if t.Kind.Replayable {
			continue
		}
		if s.resolver.Options.Stdin == nil {
			return usageFault("give the query as an argument, or in a file with -f", "standard input holds the query, so it cannot be a source")
		}
		if once {
			return usageFault("give it one name, and refer to that twice: FROM x AS a JOIN x AS b", "standard input can be one source only, as it is read once")
		}
		once = true
		if o.resume != "" {
			return usageFault("write standard input to a file first, or leave --resume away", "--resume needs a source that can be read again, which %s is not", t.URL)
		}
	}
	if len(s.job.Sources) == 0 {
		return usageFault("for example: ubik --from txns.jsonl \"SELECT count(*) FROM txns\", or ubik \"SELECT count(*) FROM 'txns.jsonl'\"; 'ubik help' has more", "no source: the query reads none")
	}
	return nil
}

// placed gives an error that has a place in a text that text.
func (s *setup) placed(err error) error {
	var text *catalog.TextError
	var at *sql.Error
	switch {
	case errors.As(err, &text):
		return &queryError{catalog.RedactError(text.Err, text.Text), text.Name, catalog.Redact(text.Text)}
	case errors.As(err, &at):
		return &queryError{catalog.RedactError(err, s.text), s.name, catalog.Redact(s.text)}
	}
	if fault.ClassOf(err) == fault.Internal {
		return fault.New(fault.Usage, err.Error(), "")
	}
	return err
}

// makePlan finds what is not declared of the tables, and plans the query.
func (s *setup) makePlan(ctx context.Context) error {
	used := plan.Used(s.job.Query, s.job.Views)
	req := plan.Request{
		Query: s.text, Parsed: s.job.Query, Views: s.job.Views, Key: s.job.Key, KeyAt: s.job.Sink.KeyAt, KeySaid: s.job.Sink.KeySaid, Columns: s.job.Columns, Into: s.job.Sink.Schema,
	}
	bounded := true
	for i := range s.job.Sources {
		t := &s.job.Sources[i]
		src := plan.Source{
			Name: t.Name, Log: t.Log, Time: t.Time, Delay: t.Delay, File: !t.Kind.Unbounded && t.Kind.Replayable,
			Stamped: t.Kind.Stamped(),
			Bounded: !s.o.keepOpen && !t.Follow && (!t.Kind.Unbounded || t.UntilEnd),
		}
		bounded = bounded && src.Bounded
		var resolved *table.Table
		if u := used[sql.FoldName(t.Name)]; u != nil {
			var err error
			uses := func(path []string) bool { return u.Uses(path) || sql.SameName(path[0], t.Time) }
			if resolved, err = s.resolver.Resolve(ctx, t, s.kept(t.Name), uses); err != nil {
				return err
			}
			src.Schema, src.Inferred, src.Format = resolved.Columns(), resolved.Inferred, resolved.FormatText()
			src.Seen, src.Texts = resolved.Seen, resolved.Texts
			s.show(resolved)
		}
		s.tables = append(s.tables, resolved)
		req.Sources = append(req.Sources, src)
	}
	p, err := plan.Build(req)
	if err != nil {
		return s.placed(err)
	}
	s.plan = p
	for i := range p.Sources {
		if err := s.tableOf(i).Check(p.Sources[i].Columns); err != nil {
			return err
		}
	}
	switch {
	case s.o.keepOpen:
		s.mode = runner.KeepOpen
	case bounded:
		s.mode = runner.Bounded
	}
	if s.o.keepOpen && s.o.resume == "" && len(p.Stages) > 0 {
		return usageFault("add --resume FILE, or leave --keep-open away", "--keep-open leaves windows open for the next run, which without --resume does not have them")
	}
	return nil
}

// tableOf is the table of a source of the plan.
func (s *setup) tableOf(source int) *table.Table {
	for _, t := range s.tables {
		if t != nil && sql.SameName(t.Name, s.plan.Sources[source].Name) {
			return t
		}
	}
	panic("ubik: a source without a table")
}

// kept is what the checkpoint keeps of a table, nil: nothing.
func (s *setup) kept(name string) *table.Kept {
	if s.unit == nil {
		return nil
	}
	for _, t := range s.unit.Tables {
		if sql.SameName(t.Name, name) {
			k := table.Kept(t)
			return &k
		}
	}
	return nil
}

// show tells what was found of a table.
func (s *setup) show(t *table.Table) {
	for _, w := range t.Warnings {
		s.log.Warn(w)
	}
	if s.o.quiet {
		return
	}
	for _, n := range t.Notes {
		s.log.Info(n)
	}
	if t.Found != "" && len(t.Schema) > 0 {
		fmt.Fprintf(screen.Text(s.screen.Err()), "-- found in its first records:\n%s;\n", t.Found)
	}
}

// absent warns of declared columns that the first records do not have, and notes whether there were too few of these to tell.
func (s *setup) absent(ctx context.Context) error {
	for i := range s.plan.Sources {
		var columns []string
		for _, c := range s.plan.Sources[i].Columns {
			columns = append(columns, c.Path[0])
		}
		warnings, few, err := s.resolver.Absent(ctx, s.tableOf(i), columns, sql.Nearest)
		if err != nil {
			return err
		}
		s.absentAgain = s.absentAgain || few
		for _, w := range warnings {
			s.log.Warn(w)
		}
	}
	return nil
}
