package sim

import (
	"fmt"

	jsonrec "ubik/internal/codec/json"
	"ubik/internal/plan"
	"ubik/internal/runner"
	"ubik/internal/ubiktest/naive"
	"ubik/internal/vec"
)

// World is a fixed log and a query over it.
type World struct {
	Name       string
	Table      string
	Schema     string
	SQL        string
	Key        []string
	Partitions []naive.Partition // none may be empty of a topic; records by ascending position
	Tail       int64             // positions behind the last record of each partition that hold none
	Delay      vec.Time          // µs, or vec.Forever
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
	Rows     []naive.Row     // by lane in order of the partitions, then by number: each once
	Writes   int             // rows handed to the sink, those written again included
	Ledgers  []runner.Ledger // by partition
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
	fields, err := plan.Schema(w.Schema)
	if err != nil {
		return nil, err
	}
	return plan.Build(plan.Request{Query: w.SQL, Key: w.Key, Sources: []plan.Source{{
		Name: w.Table, Log: "sim " + w.Table, Schema: fields, Format: "json", Bounded: mode == runner.Bounded, Delay: w.Delay,
	}}})
}

func (w *World) config(mode runner.Mode, o *Options, skip bool) (runner.Config, error) {
	p, err := w.plan(mode)
	if err != nil {
		return runner.Config{}, err
	}
	return runner.Config{
		Plan: p, NewDecoder: jsonrec.Format.NewDecoder, NewEncoder: jsonrec.Format.NewEncoder,
		Mode: mode, Skip: skip, Checkpoint: o.Checkpoint, JobID: [16]byte{1, 2, 3}, Query: w.SQL, Target: "sim",
	}, nil
}

// Naive evaluates the query by the naive evaluator.
func (w *World) Naive(bounded, skip bool) (*naive.Result, error) {
	delay := int64(w.Delay)
	if w.Delay == vec.Forever {
		delay = naive.Unlimited
	}
	return naive.Evaluate(naive.Query{SQL: w.SQL, Table: w.Table, Schema: w.Schema, Delay: delay, Bounded: bounded, Skip: skip, Key: w.Key}, w.Partitions)
}

// failure is a contradiction with what is promised.
func failure(format string, args ...any) error { return fmt.Errorf(format, args...) }
