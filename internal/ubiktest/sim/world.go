package sim

import (
	"fmt"
	"slices"

	"ubik/internal/codec"
	csvrec "ubik/internal/codec/csv"
	jsonrec "ubik/internal/codec/json"
	"ubik/internal/plan"
	"ubik/internal/runner"
	"ubik/internal/sql"
	"ubik/internal/ubiktest/naive"
	"ubik/internal/vec"
)

// World is a fixed log and a query over it.
type World struct {
	Name       string
	Sources    []Source
	SQL        string // a query, or CREATE VIEW … before it
	Key        []string
	Bands      []naive.Band      // of the query's joins, for the naive evaluator
	Partitions []naive.Partition // none may be empty of a topic; those of a source in order, records by ascending position
	Passed     []int             // by partition: records that are there before the first start, which begins behind them; nil: none
	Tail       int64             // positions behind the last record of each partition that hold none
	CSV        *csvrec.Dialect   // the runner reads the same records spelled so, with the columns of the schemas; nil: as they are
}

// Source is a source of a world, which the query may name any number of times.
type Source struct {
	Name   string
	Schema string
	Delay  vec.Time // µs, or vec.Forever
	Time   string   // the column that WATERMARK FOR names; "": none
}

// Pacing is how the log comes into being.
type Pacing int

const (
	AtOnce  Pacing = iota // all of it is there at the start
	Growing               // record by record while the run goes on
)

// End is what the end of the log means.
type End int

const (
	ToEnd     End = iota // bounded: every window closes. Needs AtOnce
	Open                 // unbounded: stopped when all is read
	KeepOpen             // runs that stop at the end they find, until all is read
	OpenToEnd            // unbounded for a while, then bounded
)

// Options say what may happen in an execution.
type Options struct {
	Pacing     Pacing
	End        End
	Packed     bool // every second partition is as a compressed file: its end is not known before it is reached. Needs ToEnd
	Checkpoint bool // else nothing is saved, and neither Stops nor Crashes happen
	Stops      int  // clean stops in the middle, at most
	Crashes    int  // at most
	Skip       bool // malformed records are passed over
	StopFirst  bool // the first lives stop at a malformed record; when one has, Skip holds
	Workers    []int
}

// Closes reports whether the windows are closed at the end.
func (o Options) Closes() bool { return o.End == ToEnd || o.End == OpenToEnd }

// Result is what an execution left behind.
type Result struct {
	Rows     []naive.Row     // by lane in order of branches and partitions, then by number: each once
	Writes   int             // rows handed to the sink, those written again included
	Ledgers  []runner.Ledger // by reference, then by partition of its source
	Finish   runner.Finish   // of the last life
	Stopped  []error         // errors at malformed records, with StopFirst
	Lives    int
	Crashes  int
	Schedule uint64              // a hash of all decisions
	Steps    int                 // decisions made
	Cuts     map[string][16]byte // content hash by positions
}

// plan plans the query for a mode.
func (w *World) plan(mode runner.Mode) (*plan.Plan, error) {
	sources, err := w.Planned(mode == runner.Bounded)
	if err != nil {
		return nil, err
	}
	return w.Plan(sources)
}

// Plan plans the query over sources. An error is one of the query.
func (w *World) Plan(sources []plan.Source) (*plan.Plan, error) {
	r := plan.Request{Query: w.SQL, Key: w.Key, Sources: sources}
	if views, q := Statements(w.SQL); views != nil {
		r.Views, r.Parsed = views, q
	}
	return plan.Build(r) // without views it reads the query itself, and says what is wrong with it
}

// Statements takes a query apart from the views before it. The query is nil if the text is anything else.
func Statements(text string) ([]*sql.CreateView, sql.Query) {
	list, err := sql.ParseScript(text)
	if err != nil || len(list) == 0 {
		return nil, nil
	}
	var views []*sql.CreateView
	for _, s := range list[:len(list)-1] {
		v, ok := s.(*sql.CreateView)
		if !ok {
			return nil, nil
		}
		views = append(views, v)
	}
	q, ok := list[len(list)-1].(sql.Query)
	if !ok {
		return nil, nil
	}
	return views, q
}

// Planned are the world's sources as the planner takes them. An error is a schema at fault.
func (w *World) Planned(bounded bool) ([]plan.Source, error) {
	var out []plan.Source
	format := "json"
	if w.CSV != nil {
		format = "csv"
	}
	for _, s := range w.Sources {
		fields, err := plan.Schema(s.Schema)
		if err != nil {
			return nil, err
		}
		out = append(out, plan.Source{Name: s.Name, Log: "sim " + s.Name, Schema: fields, Format: format, Bounded: bounded, Delay: s.Delay, Time: s.Time})
	}
	return out, nil
}

// arranged are the partitions as the runner gets them: of the sources that the query reads, one after the other, each
// with the index that its source has in the plan. passed is that of the world, in the same order.
func (w *World) arranged(p *plan.Plan) (out []naive.Partition, passed []int) {
	for i, read := range p.Sources {
		for k, part := range w.Partitions {
			if w.Sources[part.Source].Name == read.Name {
				part.Source = i
				out, passed = append(out, part), append(passed, w.passed(k))
			}
		}
	}
	return out, passed
}

func (w *World) passed(partition int) int {
	if w.Passed == nil {
		return 0
	}
	return w.Passed[partition]
}

// Reader is one reference to a source together with one of its partitions: what has a ledger.
type Reader struct {
	Source    string
	Mention   int // which of the references to the source it is, from 1
	Mentions  int // how many there are
	Partition int // of the source
	At        int // its index in World.Partitions
}

// Readers are those of the query in the order of the ledgers.
func (w *World) Readers() ([]Reader, error) {
	p, err := w.plan(runner.Bounded)
	if err != nil {
		return nil, err
	}
	var out []Reader
	mentions := map[int]int{}
	for _, in := range p.Inputs {
		mentions[in.Source]++
		n := 0
		for at, part := range w.Partitions {
			if name := w.Sources[part.Source].Name; name == p.Sources[in.Source].Name {
				out = append(out, Reader{name, mentions[in.Source], 0, n, at})
				n++
			}
		}
	}
	for i := range out {
		for _, r := range out {
			if r.Source == out[i].Source {
				out[i].Mentions = max(out[i].Mentions, r.Mention)
			}
		}
	}
	return out, nil
}

func (w *World) config(mode runner.Mode, o *Options, skip bool) (runner.Config, error) {
	p, err := w.plan(mode)
	if err != nil {
		return runner.Config{}, err
	}
	decoders := runner.Decoders(jsonrec.Format)
	if w.CSV != nil {
		decoders = func(source int, cols []codec.Column) codec.Decoder {
			return csvrec.Format(w.dialect(p.Sources[source].Name)).NewDecoder(cols)
		}
	}
	return runner.Config{
		Plan: p, NewDecoder: decoders, NewEncoder: jsonrec.Format.NewEncoder,
		Mode: mode, Skip: skip, Checkpoint: o.Checkpoint, JobID: [16]byte{1, 2, 3}, Query: w.SQL, Target: "sim",
	}, nil
}

// Naive evaluates the query by the naive evaluator.
func (w *World) Naive(bounded, skip bool) (*naive.Result, error) {
	q := naive.Query{SQL: w.SQL, Bands: w.Bands, Bounded: bounded, Skip: skip, Key: w.Key}
	for _, s := range w.Sources {
		q.Sources = append(q.Sources, naive.Source{Name: s.Name, Schema: s.Schema, Delay: naiveDelay(s.Delay), Time: s.Time})
	}
	read := slices.Clone(w.Partitions)
	for i := range read {
		read[i].Records = read[i].Records[w.passed(i):]
	}
	return naive.Evaluate(q, read)
}

func naiveDelay(d vec.Time) int64 {
	if d == vec.Forever {
		return naive.Unlimited
	}
	return int64(d)
}

// failure is a contradiction with what is promised.
func failure(format string, args ...any) error { return fmt.Errorf(format, args...) }
