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
	Join       *Join             // nil: one source
}

// Join is the second source of a world, which the query joins to the first; its partitions have Source 1 and come
// behind those of the first. Times, Lo and Hi are for the naive evaluator.
type Join struct {
	Table  string
	Schema string
	Delay  vec.Time  // µs, or vec.Forever
	Times  [2]string // the time of a left and of a right row
	Lo, Hi int64     // µs: the band, right time − left time
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
	sources, err := w.Sources(mode == runner.Bounded)
	if err != nil {
		return nil, err
	}
	return plan.Build(plan.Request{Query: w.SQL, Key: w.Key, Sources: sources})
}

// Sources are the world's sources as the planner takes them. An error is a schema at fault.
func (w *World) Sources(bounded bool) ([]plan.Source, error) {
	var out []plan.Source
	add := func(name, schema string, delay vec.Time) error {
		fields, err := plan.Schema(schema)
		out = append(out, plan.Source{Name: name, Log: "sim " + name, Schema: fields, Format: "json", Bounded: bounded, Delay: delay})
		return err
	}
	if err := add(w.Table, w.Schema, w.Delay); err != nil {
		return nil, err
	}
	if w.Join != nil {
		if err := add(w.Join.Table, w.Join.Schema, w.Join.Delay); err != nil {
			return nil, err
		}
	}
	return out, nil
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
	q := naive.Query{SQL: w.SQL, Table: w.Table, Schema: w.Schema, Delay: naiveDelay(w.Delay), Bounded: bounded, Skip: skip, Key: w.Key}
	if j := w.Join; j != nil {
		q.Join = &naive.Join{Table: j.Table, Schema: j.Schema, Delay: naiveDelay(j.Delay), Times: j.Times, Lo: j.Lo, Hi: j.Hi}
	}
	return naive.Evaluate(q, w.Partitions)
}

func naiveDelay(d vec.Time) int64 {
	if d == vec.Forever {
		return naive.Unlimited
	}
	return int64(d)
}

// failure is a contradiction with what is promised.
func failure(format string, args ...any) error { return fmt.Errorf(format, args...) }
