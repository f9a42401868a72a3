package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"ubik/internal/checkpoint"
	jsonrec "ubik/internal/codec/json"
	"ubik/internal/connector"
	"ubik/internal/engine"
	"ubik/internal/fault"
	"ubik/internal/host"
	"ubik/internal/plan"
	"ubik/internal/runner"
	"ubik/internal/screen"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

func runCommand(args []string) int {
	o, err := parseFlags(args)
	if errors.Is(err, flag.ErrHelp) {
		printHelp(os.Stdout)
		return 0
	}
	if err != nil {
		return report(os.Stderr, err)
	}
	return report(os.Stderr, profiled(func() error { return run(o) }))
}

// report prints an error and returns the exit code; nil is 0.
func report(w io.Writer, err error) int {
	if err == nil {
		return 0
	}
	var q *queryError
	if errors.As(err, &q) {
		fmt.Fprintln(w, sql.Describe(q.err, q.name, q.text))
		return fault.Usage.Code()
	}
	var refused *checkpoint.Refused
	if errors.As(err, &refused) {
		fmt.Fprintln(w, "ubik: "+oneLine(err.Error()))
		return fault.Checkpoint.Code()
	}
	if fault.ClassOf(err) == fault.Sink && errors.Is(err, syscall.EPIPE) {
		return 0 // whoever read standard output has seen enough; a broker's connection that breaks is an outage
	}
	msg := oneLine(err.Error())
	var f *fault.Error
	if errors.As(err, &f) && f.Try != "" {
		msg += "; " + f.Try
	}
	fmt.Fprintln(w, "ubik: "+msg)
	return fault.ClassOf(err).Code()
}

func oneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }

// queryError is a fault of a text of the user's, to be shown with a caret.
type queryError struct {
	err        error
	name, text string
}

func (q *queryError) Error() string { return q.err.Error() }
func (q *queryError) Unwrap() error { return q.err }

// setup is a run being put together.
type setup struct {
	o      *options
	disk   host.Disk
	log    *slog.Logger
	screen *screen.Screen
	inputs map[string]input // by table name
	mode   runner.Mode
	plan   *plan.Plan
	query  string
	name   string // of the query, in messages
	kill   func(phase string)
}

// input is where a table is read from.
type input struct {
	kind *connector.Kind
	url  string
}

func run(o *options) error {
	s := &setup{o: o, disk: host.OS, kill: killAt(), name: "query"}
	s.openScreen()
	defer s.screen.Close()
	if err := s.makePlan(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	stop := signals(s.log, cancel)

	sources, sink, target, err := s.connect()
	if err != nil {
		return err
	}
	source := connector.Several(sources...)
	abandoned := false
	closing := func(c io.Closer) {
		if !abandoned {
			c.Close() // what matters was flushed
		}
	}
	defer closing(source)
	closeSink := sync.OnceFunc(func() { closing(sink) })
	defer closeSink()

	job := &engine.Job{
		Runner: runner.Config{
			Plan: s.plan, NewDecoder: jsonrec.Format.NewDecoder, NewEncoder: jsonrec.Format.NewEncoder,
			Mode: s.mode, Shards: o.workers, Skip: o.onError == "skip", Query: s.query, Target: target, MaxRecord: o.maxRecord,
		},
		Source: source, Sink: sink, Fresh: o.fresh,
		Interval: o.interval, StatusEvery: o.status, ShutdownTimeout: o.shutdown, Stop: stop, Clock: host.Wall, Log: s.log,
	}
	rand.Read(job.Runner.JobID[:])
	if o.resume != "" {
		store, err := s.openCheckpoint(job)
		if err != nil {
			return err
		}
		defer closing(store)
	}
	job.Check = func(ctx context.Context) error { return s.distinct(ctx, sources, sink) }
	job.Opened = func() { s.announce(job) }
	s.showOn(job)
	rep, err := engine.Run(ctx, job)
	abandoned = rep.Abandoned
	s.screen.Close()
	closeSink() // a table's end stands above the ledger
	if err == nil && rep.Already {
		s.log.Info("the run is complete already: the log has not changed and every row is in the sink")
	}
	switch {
	case rep.Status.Partitions == nil:
	case o.quiet && err == nil:
		warnOfLeftOut(os.Stderr, s.log, &rep)
	case o.quiet:
	default:
		printLedger(os.Stderr, &rep)
	}
	return err
}

// makePlan reads the query and the sources' declarations.
func (s *setup) makePlan() error {
	o := s.o
	s.query = o.query
	if o.file != "" {
		text, err := os.ReadFile(o.file)
		if err != nil {
			var p *fs.PathError
			if errors.As(err, &p) {
				err = p.Err
			}
			return fault.Wrap(fault.Usage, err, "check the path", "-f %s", o.file)
		}
		s.query, s.name = string(text), o.file
	}
	if strings.TrimSpace(s.query) == "" {
		return usageFault("it is the last argument: ubik --from … \"SELECT … FROM …\", or in a file with -f", "no query")
	}
	s.inputs = map[string]input{}
	var names []string
	var sources []plan.Source
	for _, f := range o.from {
		name, url := named(f)
		k, err := kindOf(url)
		if err != nil {
			return err
		}
		if k.NewSource == nil {
			return usageFault("", "%s can only be a sink", url)
		}
		probe, err := k.NewSource(url, &connector.Options{Client: o.properties}) // which only parses: a wrong URL is told first
		if err != nil {
			return err
		}
		probe.Close()
		table, log := tableName(k, url)
		if name != "" {
			table = name
		}
		for _, n := range names {
			if sql.SameName(n, table) {
				return usageFault("name one of them: --from NAME="+url, "two sources are named %s", sql.QuoteName(table))
			}
		}
		names = append(names, table)
		sources = append(sources, plan.Source{
			Name: table, Log: log, Format: jsonrec.Format.Name, Bounded: !o.keepOpen && (!k.Unbounded || o.untilEnd), File: !k.Unbounded && k.Replayable,
		})
		s.inputs[table] = input{k, url}
	}
	for i := range sources {
		src := &sources[i]
		text, err := forSource("schema", o.schema, src.Name, names)
		if err != nil {
			return err
		}
		if text == "" {
			return usageFault("for example --schema \"merchant VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP\"", "no schema for %s", src.Name)
		}
		if src.Schema, err = plan.Schema(text); err != nil {
			return &queryError{err, "schema", text}
		}
		d, err := forSource("delay", o.delay, src.Name, names)
		if err != nil {
			return err
		}
		if src.Delay, err = parseDelay(d); err != nil {
			return err
		}
	}
	req := plan.Request{Query: s.query, Sources: sources}
	if o.key != "" {
		for _, k := range strings.Split(o.key, ",") {
			req.Key = append(req.Key, strings.TrimSpace(k))
		}
	}
	p, err := plan.Build(req)
	if err != nil {
		var se *sql.Error
		if errors.As(err, &se) {
			return &queryError{err, s.name, s.query}
		}
		return fault.New(fault.Usage, err.Error(), "")
	}
	s.plan = p
	bounded := true
	for _, src := range p.Sources {
		bounded = bounded && src.Bounded
	}
	switch {
	case o.keepOpen:
		s.mode = runner.KeepOpen
	case bounded:
		s.mode = runner.Bounded
	}
	if o.keepOpen && o.resume == "" && len(p.Stages) > 0 {
		return usageFault("add --resume FILE, or leave --keep-open away", "--keep-open leaves windows open for the next run, which without --resume does not have them")
	}
	for _, src := range p.Sources {
		if in := s.inputs[src.Name]; o.resume != "" && !in.kind.Replayable {
			return usageFault("write standard input to a file first, or leave --resume away", "--resume needs a source that can be read again, which %s is not", in.url)
		}
	}
	return nil
}

// sinkKindOf finds the connector of a sink's URL.
func sinkKindOf(url string) (*connector.Kind, error) {
	k, err := kindOf(url)
	if err == nil && k.NewSink == nil {
		err = usageFault("", "%s can only be a source", url)
	}
	return k, err
}

// connect makes the sources, in the order of the plan, and the sink; nothing is touched yet.
func (s *setup) connect() ([]connector.Source, connector.Sink, string, error) {
	o := s.o
	sinkKind, err := sinkKindOf(o.to)
	if err != nil {
		return nil, nil, "", err
	}
	opts := connector.Options{
		Disk: s.disk, Stdin: os.Stdin, KeepOpen: o.keepOpen,
		MaxRecord: o.maxRecord, Fields: s.plan.Output, Checkpoint: o.resume, Client: o.properties, Fault: s.kill,
		Logf: func(format string, args ...any) { s.log.Warn(fmt.Sprintf(format, args...)) },
	}
	s.toStdout(&opts)
	var sources []connector.Source
	fail := func(err error) ([]connector.Source, connector.Sink, string, error) {
		connector.Several(sources...).Close()
		return nil, nil, "", err
	}
	for i := range s.plan.Sources {
		in := s.inputs[s.plan.Sources[i].Name]
		opts := opts
		for _, p := range s.plan.Sources[i].Pseudo {
			opts.WantKeys = opts.WantKeys || p == plan.PseudoKey
		}
		source, err := in.kind.NewSource(in.url, &opts)
		if err != nil {
			return fail(err)
		}
		sources = append(sources, source)
	}
	sink, err := sinkKind.NewSink(o.to, &opts)
	if err != nil {
		return fail(err)
	}
	_, target := tableName(sinkKind, o.to)
	return sources, sink, target, nil
}

// distinct refuses a sink that is a source.
func (s *setup) distinct(ctx context.Context, sources []connector.Source, sink connector.Sink) error {
	for _, source := range sources {
		if err := s.distinctFrom(ctx, source, sink); err != nil {
			return err
		}
	}
	return nil
}

func (s *setup) distinctFrom(ctx context.Context, source connector.Source, sink connector.Sink) error {
	same := usageFault("write to another one", "source and sink are the same: %s", s.o.to)
	if o, ok := source.(connector.Overlapping); ok {
		if over, err := o.Overlaps(sink); over || err != nil {
			if err == nil {
				err = same
			}
			return err
		}
	}
	a, ok1 := source.(connector.Identified)
	b, ok2 := sink.(connector.Identified)
	if !ok1 || !ok2 {
		return nil
	}
	from, err := a.Identity(ctx)
	if err != nil {
		return err
	}
	to, err := b.Identity(ctx)
	if err != nil {
		return err
	}
	if from == to {
		return same
	}
	return nil
}

// openCheckpoint locks the checkpoint and reads the unit to resume.
func (s *setup) openCheckpoint(job *engine.Job) (*checkpoint.Store, error) {
	store, unit, err := checkpoint.Open(s.disk, s.o.resume)
	if err != nil {
		return nil, err
	}
	store.Keep = s.o.keep
	store.Phase = s.kill
	job.Store, job.Runner.Checkpoint = store, true
	if unit != nil {
		if job.Unit, err = runner.ReadUnit(unit); err != nil {
			store.Close()
			return nil, err
		}
	}
	return store, nil
}

// announce says what was resolved and is not seen on the command line.
func (s *setup) announce(job *engine.Job) {
	for i := range s.plan.Inputs {
		in := &s.plan.Inputs[i]
		var attrs []any
		if !sql.SameName(in.Alias, s.plan.Sources[in.Source].Name) {
			attrs = append(attrs, "as", in.Alias)
		}
		if in.Time != nil {
			delay := "unlimited"
			if in.Delay != vec.Forever {
				delay = fmt.Sprintf("%gs", float64(in.Delay)/1e6)
			}
			attrs = append(attrs, "time_column", in.TimeName, "delay", delay)
		}
		s.log.Info("reading "+s.inputs[s.plan.Sources[in.Source].Name].url, append(attrs, "workers", s.o.workers)...)
	}
	if u := job.Unit; u != nil {
		s.log.Info("resuming", "checkpoint", filepath.Clean(s.o.resume), "unit", u.Number, "records", u.Read())
	}
}

// signals turns the first SIGINT or SIGTERM into a clean stop and the second into an abort.
func signals(log *slog.Logger, abort context.CancelCauseFunc) <-chan struct{} {
	got := make(chan os.Signal, 2)
	signal.Ignore(syscall.SIGPIPE) // a closed standard output is an error of Write, not a death
	signal.Notify(got, os.Interrupt, syscall.SIGTERM)
	stop := make(chan struct{})
	go func() {
		<-got
		close(stop)
		<-got
		log.Warn("second signal: aborting")
		abort(errors.New("second signal"))
	}()
	return stop
}
