package script

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"ubik/internal/fault"
	"ubik/internal/plan"
	"ubik/internal/runner"
	"ubik/internal/sql"
	"ubik/internal/ubiktest/naive"
	"ubik/internal/ubiktest/sim"
)

// seeds are the executions of each case: one plain, the others with crashes and the log growing.
var seeds = []uint64{1, 2, 3, 4}

// Outcome is what comes of a case.
type Outcome struct {
	Text     string          // as a script has it
	Rejected bool            // by the planner: there are no rows and no ledger
	Failed   bool            // the run stopped with an error
	Rows     []naive.Row     // by lane in order of the partitions
	Ledgers  []runner.Ledger // by partition
}

// Run plans the case and runs it through several executions, which must agree. An error is a contradiction with what is
// promised; a rejected query is none.
func (c *Case) Run() (*Outcome, error) {
	if msg := c.rejection(); msg != "" {
		return &Outcome{Text: msg, Rejected: true}, nil
	}
	var first *Outcome
	for _, seed := range seeds {
		o, err := c.execute(seed)
		if err != nil {
			return nil, fmt.Errorf("seed %d: %w", seed, err)
		}
		if first == nil {
			first = o
		} else if o.Text != first.Text {
			return nil, fmt.Errorf("seeds %d and %d differ:\n%s\n\n%s", seeds[0], seed, first.Text, o.Text)
		}
	}
	return first, nil
}

// rejection is the message of a schema or query that is refused, "" if it is not.
func (c *Case) rejection() string {
	w := c.World()
	sources, err := w.Planned(c.Bounded)
	if err != nil {
		return sql.Describe(err, "schema", c.faultySchema())
	}
	if _, err = w.Plan(sources); err != nil {
		return sql.Describe(err, "query", c.SQL)
	}
	return ""
}

// faultySchema is the first schema that is refused.
func (c *Case) faultySchema() string {
	for _, s := range c.Sources {
		if _, err := plan.Schema(s.Schema); err != nil {
			return s.Schema
		}
	}
	return ""
}

func (c *Case) execute(seed uint64) (*Outcome, error) {
	o := sim.Options{End: sim.ToEnd, Skip: c.Skip, Checkpoint: seed > seeds[0]}
	if !c.Bounded {
		o.End = sim.Open
	}
	if seed > seeds[0] {
		o.Crashes, o.Stops, o.Pacing = int(seed), 1, sim.Growing
	}
	res, err := c.World().Run(seed, o)
	var f *fault.Error
	switch {
	case errors.As(err, &f):
		text := "error: " + f.Msg
		if f.Try != "" {
			text += "\nhint: " + f.Try
		}
		return &Outcome{Text: text, Failed: true}, nil
	case err != nil:
		return nil, err
	}
	text, err := c.printed(res)
	if err != nil {
		return nil, err
	}
	return &Outcome{Text: text, Rows: res.Rows, Ledgers: res.Ledgers}, nil
}

// Check compares the outcome with the naive evaluator's.
func (c *Case) Check(o *Outcome) error {
	if o.Rejected {
		return nil
	}
	w := c.World()
	want, err := w.Naive(c.Bounded, c.Skip)
	switch {
	case err != nil && strings.Contains(err.Error(), "not supported"):
		return err
	case err != nil && o.Failed:
		return nil
	case err != nil:
		return fmt.Errorf("the naive evaluator fails, the runner does not: %w", err)
	case o.Failed:
		return fmt.Errorf("the runner fails, the naive evaluator does not: %s", o.Text)
	}
	return w.Check(&sim.Result{Rows: o.Rows, Ledgers: o.Ledgers}, want)
}

// printed is the rows, lane by lane, and the ledgers as a script has them.
// A ledger is named by the source if there are several references, and by which of the references to it it is of.
func (c *Case) printed(res *sim.Result) (string, error) {
	readers, err := c.World().Readers()
	if err != nil {
		return "", err
	}
	var lines []string
	for _, r := range res.Rows {
		lines = append(lines, fmt.Sprintf("%s %s %s", r.Key, r.Value, time.UnixMilli(r.Time).UTC().Format("2006-01-02T15:04:05.000Z")))
	}
	several := false
	for _, r := range readers {
		several = several || r.Mentions > 1 || r.Source != readers[0].Source
	}
	for i, r := range readers {
		name := fmt.Sprint(r.Partition)
		if r.Mentions > 1 {
			name = fmt.Sprintf("%s (%d) %d", r.Source, r.Mention, r.Partition)
		} else if several {
			name = fmt.Sprintf("%s %d", r.Source, r.Partition)
		}
		lines = append(lines, fmt.Sprintf("ledger %s: %s", name, ledger(&res.Ledgers[i])))
	}
	return strings.Join(lines, "\n"), nil
}

func ledger(l *runner.Ledger) string {
	s := fmt.Sprintf("read %d", l.Read)
	add := func(n uint64, what string) {
		if n > 0 {
			s += fmt.Sprintf(", %s %d", what, n)
		}
	}
	add(l.Malformed, "malformed")
	add(l.Filtered, "filtered")
	add(l.Unwindowed, "unwindowed")
	add(l.Late, "late")
	add(l.Used, "used")
	add(l.PartlyLate, "partly late")
	if in := l.FirstMalformed; in != nil {
		field := in.Field
		if field != "" {
			field += ": "
		}
		s += fmt.Sprintf("\n  first malformed at %d: %s%s", in.Offset, field, in.Reason)
	}
	if in := l.FirstLate; in != nil {
		s += fmt.Sprintf("\n  first late at %d by %s", in.Offset, in.Behind.SpanText())
	}
	if in := l.WorstLate; in != nil && in.Offset != l.FirstLate.Offset {
		s += fmt.Sprintf("\n  worst late at %d by %s", in.Offset, in.Behind.SpanText())
	}
	return s
}
