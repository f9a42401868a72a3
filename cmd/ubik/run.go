package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"ubik/internal/catalog"
	"ubik/internal/checkpoint"
	"ubik/internal/codec"
	jsonrec "ubik/internal/codec/json"
	"ubik/internal/connector"
	"ubik/internal/engine"
	"ubik/internal/fault"
	"ubik/internal/host"
	"ubik/internal/plan"
	"ubik/internal/runner"
	"ubik/internal/screen"
	"ubik/internal/sql"
	"ubik/internal/table"
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

// unsaid writes lines without what the command line has of secrets, each line by one Write.
type unsaid struct{ w io.Writer }

func (u unsaid) Write(line []byte) (int, error) {
	if _, err := io.WriteString(u.w, catalog.RedactMessage(string(line), os.Args[1:])); err != nil {
		return 0, err
	}
	return len(line), nil
}

// report prints an error and returns the exit code; nil is 0.
func report(w io.Writer, err error) int {
	if err == nil {
		return 0
	}
	w = unsaid{screen.Text(w)}
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
	if errors.As(err, &f) {
		try := f.Try
		if topic := meantTopic(f); topic != "" {
			try = "for a topic write " + topic
		} else if near := nearFile(missing(f)); near != "" {
			try = "did you mean " + near + "?"
		}
		if try != "" {
			msg += "; " + try
		}
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

func run(o *options) error {
	s := newSetup(o)
	defer s.screen.Close()
	if err := s.load(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	stop := signals(s.log, cancel)
	if o.resume != "" {
		if err := s.openCheckpoint(); err != nil {
			return err
		}
		defer s.store.Close()
	}
	if stopped, err := untilStopped(ctx, stop, s.resolve); stopped || err != nil {
		if stopped {
			s.log.Info(engine.StoppedEarly)
		}
		return err
	}
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
			Plan: s.plan, Mode: s.mode, Shards: o.workers, Skip: o.onError == "skip", Query: catalog.Redact(s.text), Target: target, MaxRecord: o.maxRecord,
			NewDecoder: func(source int, cols []codec.Column) codec.Decoder { return s.tableOf(source).Format.NewDecoder(cols) },
			NewEncoder: s.out.NewEncoder, NewKeyEncoder: jsonrec.Format.NewEncoder, Tables: s.keep(), Admit: s.admit, Hint: s.hint, Checkpoint: s.store != nil,
		},
		Source: source, Sink: sink, Fresh: o.fresh, Store: s.store, Unit: s.unit,
		Interval: o.interval, StatusEvery: o.status, ShutdownTimeout: o.shutdown, Stop: stop, Clock: host.Wall, Log: s.log,
	}
	if job.Starts, err = s.startPoints(); err != nil {
		return err
	}
	rand.Read(job.Runner.JobID[:])
	job.Check = func(ctx context.Context) error { return s.distinct(ctx, sources, sink) }
	job.Opened = func() { s.announce(job) }
	if s.absentAgain {
		job.LaterAt, job.Later = table.AbsentRecords, func(ctx context.Context) {
			if err := s.absent(ctx); err != nil && ctx.Err() == nil {
				s.log.Warn("the first records could not be looked at again: " + err.Error())
			}
		}
	}
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
		warnOfLeftOut(screen.Text(os.Stderr), s.log, &rep)
	case o.quiet:
	default:
		printLedger(screen.Text(os.Stderr), &rep)
	}
	return err
}

// resolve makes the plan, and looks at what it will read.
func (s *setup) resolve(ctx context.Context) error {
	if err := s.listLatest(ctx); err != nil {
		return err
	}
	if err := s.makePlan(ctx); err != nil {
		return err
	}
	if err := s.format(); err != nil {
		return err
	}
	if s.unit != nil {
		return nil // it was looked at when the job began
	}
	return s.absent(ctx)
}

// listLatest notes where the sources end that a first start reads from their ends on: records that come while columns are
// found are read.
func (s *setup) listLatest(ctx context.Context) error {
	for i := range s.job.Sources {
		t := &s.job.Sources[i]
		start, err := startPoint(t)
		if err == nil && s.unit == nil {
			s.latest[t.Name], err = s.resolver.Latest(ctx, t, start)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// untilStopped does something that ends early when it is asked to stop; stopped tells that it was.
func untilStopped(ctx context.Context, stop <-chan struct{}, f func(ctx context.Context) error) (stopped bool, err error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() {
		defer fault.Guard()
		select {
		case <-stop:
			end(errStopped)
		case <-ctx.Done():
		}
	}()
	err = f(ctx)
	if err != nil && context.Cause(ctx) == errStopped {
		return true, nil // nothing has begun
	}
	return false, err
}

var errStopped = errors.New("stopped")

// format says how rows are written.
func (s *setup) format() error {
	var err error
	s.out, err = table.Output(&s.job.Sink, s.plan.Output)
	return err
}

// connect makes the sources, in the order of the plan, and the sink; nothing is touched yet.
func (s *setup) connect() ([]connector.Source, connector.Sink, string, error) {
	to := &s.job.Sink
	if to.Kind.NewSink == nil {
		return nil, nil, "", usageFault("", "%s can only be a source", to.URL)
	}
	opts := s.resolver.Options
	opts.Fields, opts.Fault = s.plan.Output, s.kill
	s.toStdout(&opts)
	var sources []connector.Source
	fail := func(err error) ([]connector.Source, connector.Sink, string, error) {
		connector.Several(sources...).Close()
		return nil, nil, "", err
	}
	for i := range s.plan.Sources {
		t := s.tableOf(i)
		opts := opts
		opts.Client, opts.Framing, opts.HeaderCheck, opts.Follow = t.Client, t.Framing(), t.HeaderCheck(), t.Follow
		for _, p := range s.plan.Sources[i].Pseudo {
			opts.WantKeys = opts.WantKeys || p == plan.PseudoKey
		}
		source, err := t.Kind.NewSource(t.URL, &opts)
		if err != nil {
			return fail(err)
		}
		sources = append(sources, source)
	}
	opts.Client, opts.Head = to.Client, s.out.Head
	opts.Terminal = opts.Terminal && to.Format == "" // a format that is asked for is not drawn
	sink, err := to.Kind.NewSink(to.URL, &opts)
	if err != nil {
		return fail(err)
	}
	target := to.Log
	if name := s.out.Name; name != jsonrec.Format.Name {
		target += " as " + s.out.Text
	}
	return sources, sink, target, nil
}

// startPoints are where the sources are begun, by index in the plan; nil: it is not said of any.
func (s *setup) startPoints() ([]connector.StartPoint, error) {
	points := make([]connector.StartPoint, len(s.plan.Sources))
	said := false
	for i := range points {
		t := s.tableOf(i)
		var err error
		if points[i], err = startPoint(t.Table); err != nil {
			return nil, err
		}
		points[i].Listed = s.latest[t.Name]
		said = said || t.Start != ""
	}
	if !said {
		return nil, nil
	}
	return points, nil
}

func startPoint(t *catalog.Table) (connector.StartPoint, error) {
	if t.Start == "" {
		return connector.StartPoint{}, nil
	}
	return catalog.ParseStart(t.Start)
}

// keep is what the checkpoint is to keep of the tables.
func (s *setup) keep() []runner.Table {
	var kept []runner.Table
	for i := range s.plan.Sources {
		kept = append(kept, runner.Table(s.tableOf(i).Keep()))
	}
	return kept
}

// hint says what to do about a record that is malformed as a whole.
func (s *setup) hint(source int, record, next []byte) string {
	return s.tableOf(source).Hint(record, next)
}

// admit says how a source can be declared so that a malformed record fits, or how the query has a time for one without.
func (s *setup) admit(source int, m codec.Malformed, record []byte) string {
	if m.Reason == runner.NoTime {
		return s.otherTime(source, m.Field)
	}
	t := s.tableOf(source)
	columns := t.Admit(m.Field, record)
	if columns == "" {
		return ""
	}
	how := "declare columns that take it"
	if _, inText := t.At.(sql.Ident); inText {
		how += ", in CREATE TABLE " + sql.QuoteName(t.Name) + ": (" + columns + ")"
	} else {
		if len(s.plan.Sources) > 1 {
			columns = t.Name + "=" + columns
		}
		how += fmt.Sprintf(": --schema %q", columns)
	}
	if s.store != nil {
		how += ", with a new checkpoint and an empty sink"
	}
	return how
}

// otherTime says what to write for a time, so that a record without it has one that does not make it late.
func (s *setup) otherTime(source int, name string) string {
	t := s.tableOf(source)
	at := slices.IndexFunc(s.plan.Inputs, func(in plan.Input) bool { return in.Source == source && in.TimeName == name })
	in := &s.plan.Inputs[at]
	leave := ""
	if t.Time != "" {
		if in.Window == nil && !in.Strict {
			return "leave WATERMARK FOR away, whose time the query does not need"
		}
		leave = "leave WATERMARK FOR away, give its delay by --delay, and "
	}
	other := "TIMESTAMP '1970-01-01'"
	switch {
	case in.Window == nil: // two records of a join that lack a time would match
		return "mend what writes them"
	case t.Kind.Stamped(): // a topic, whose records have a time of their own
		other = "_timestamp"
	case in.Delay != vec.Forever:
		return "mend what writes them"
	}
	return leave + "write coalesce(" + name + ", " + other + ") for it, since WHERE comes too late"
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
	same := usageFault("write to another one", "source and sink are the same: %s", s.job.Sink.URL)
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
func (s *setup) openCheckpoint() error {
	store, unit, err := checkpoint.Open(s.disk, s.o.resume)
	if err != nil {
		return err
	}
	store.Keep = s.o.keep
	store.Phase = s.kill
	s.store = store
	if unit != nil {
		if s.unit, err = runner.ReadUnit(unit); err != nil {
			store.Close()
			return err
		}
	}
	return nil
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
				delay = in.Delay.SpanText()
			}
			attrs = append(attrs, "time_column", in.TimeName, "delay", delay)
		}
		s.log.Info("reading "+s.tableOf(in.Source).URL, append(attrs, "workers", s.o.workers)...)
	}
	if u := job.Unit; u != nil {
		s.log.Info("resuming", "checkpoint", filepath.Clean(s.o.resume), "unit", u.Number, "records", u.Read())
	}
}

// sameSignal is how long after the first signal others count as that one: timeout and some supervisors signal a process
// and then its group, of which it is a part.
const sameSignal = 500 * time.Millisecond

// signals turns the first SIGINT or SIGTERM into a clean stop and the second into an abort.
func signals(log *slog.Logger, abort context.CancelCauseFunc) <-chan struct{} {
	got := make(chan os.Signal, 2)
	signal.Ignore(syscall.SIGPIPE) // a closed standard output is an error of Write, not a death
	signal.Notify(got, os.Interrupt, syscall.SIGTERM)
	stop := make(chan struct{})
	go func() {
		defer fault.Guard()
		stopThenAbort(got, time.Now, func() { close(stop) })
		log.Warn("second signal: aborting")
		abort(errors.New("second signal"))
	}()
	return stop
}

// stopThenAbort calls stop at the first signal, and returns at one that does not count as the same.
func stopThenAbort(got <-chan os.Signal, now func() time.Time, stop func()) {
	<-got
	stop()
	for first := now(); ; {
		if <-got; now().Sub(first) >= sameSignal {
			return
		}
	}
}
