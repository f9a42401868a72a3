package sim

import (
	"fmt"
	"strings"

	"ubik/internal/checkpoint"
	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/plan"
	"ubik/internal/runner"
)

// execution is what survives its lives: the log, the sink and the checkpoint file.
type execution struct {
	*decider
	world *World
	plan  *plan.Plan // to the end; the others differ from it in nothing that counts here
	opts  Options
	log   *logState
	sink  *sink
	file  []byte // of the newest durable unit, nil: none
	cuts  map[string][16]byte
	clean int // lives that ended cleanly
}

// Run carries out the execution of a seed. An error is a contradiction with what is promised, or a query that cannot be
// planned.
func (w *World) Run(seed uint64, o Options) (*Result, error) {
	if len(o.Workers) == 0 {
		o.Workers = []int{1, 2, 3, 16}
	}
	if o.End == ToEnd {
		o.Pacing = AtOnce
	}
	if !o.Checkpoint {
		o.Stops, o.Crashes = 0, 0
	}
	res := &Result{}
	x, err := newExecution(w, seed, o)
	if err != nil {
		return res, err
	}
	err = x.lives(res)
	res.Schedule, res.Steps, res.Writes, res.Cuts = x.hash, x.steps, x.sink.writes, x.cuts
	if err != nil {
		return res, err
	}
	res.Rows, err = x.sink.rows(x.lanes())
	return res, err
}

func newExecution(w *World, seed uint64, o Options) (*execution, error) {
	p, err := w.plan(runner.Bounded)
	if err != nil {
		return nil, err
	}
	parts, passed := w.arranged(p)
	if w.CSV != nil {
		parts = w.spelled(p, parts)
	}
	log := newLog(parts, passed, w.Tail, o.Pacing)
	log.odd = o.Packed && o.End == ToEnd
	return &execution{decider: newDecider(seed), world: w, plan: p, opts: o, log: log, sink: newSink(), cuts: map[string][16]byte{}}, nil
}

// lives runs life after life until the work is done.
func (x *execution) lives(res *Result) error {
	stops := x.opts.Stops
	skip := x.opts.Skip || x.opts.StopFirst
	malformed := x.opts.StopFirst // lives stop at malformed records, until one has
	for {
		mode := x.mode()
		if mode != runner.Unbounded && x.opts.End == KeepOpen && x.opts.Pacing == Growing {
			for n := 1 + x.pick(5); n > 0 && !x.log.whole(); n-- {
				x.log.grow(x.decider)
			}
		}
		u, err := x.unit()
		if err != nil {
			return err
		}
		if u != nil && u.Complete { // the life before died behind its last unit
			res.Finish = runner.Finish{Complete: true}
			res.Ledgers = x.ledgers(func(p int) []runner.Ledger {
				var out []runner.Ledger
				for _, c := range u.Partitions[p].Clocks {
					out = append(out, c.Ledger)
				}
				return out
			})
			return nil
		}
		l, err := x.start(mode, u, skip && !malformed)
		if err != nil {
			return err
		}
		res.Lives++
		crashAt, stopAt := -1, -1
		if res.Crashes < x.opts.Crashes {
			crashAt = x.pick(60 + 40*x.pick(8))
		}
		if stops > 0 && mode == runner.Unbounded && x.chance(2) {
			stopAt = x.pick(200)
		}
		crashed, err := l.run(crashAt, stopAt)
		if err != nil {
			return err
		}
		if crashed {
			res.Crashes++
			continue
		}
		if stopAt >= 0 {
			stops--
		}
		res.Finish = *l.finish
		if err := l.finish.Err; err != nil {
			if !malformed || fault.ClassOf(err) != fault.Data {
				return fmt.Errorf("the run failed: %w", err)
			}
			res.Stopped = append(res.Stopped, err)
			malformed = false
			continue
		}
		x.clean++
		if l.finish.Complete != (mode == runner.Bounded) {
			return failure("a run of mode %d ended with complete = %v", mode, l.finish.Complete)
		}
		if x.done(l) {
			st := l.r.Status()
			res.Ledgers = x.ledgers(func(p int) []runner.Ledger {
				var out []runner.Ledger
				for _, ref := range st.Partitions[p].References {
					out = append(out, ref.Ledger)
				}
				return out
			})
			return nil
		}
		if !x.opts.Checkpoint {
			return failure("a run without a checkpoint ended before the end")
		}
	}
}

// mode is the mode of the next life.
func (x *execution) mode() runner.Mode {
	switch x.opts.End {
	case ToEnd:
		return runner.Bounded
	case KeepOpen:
		return runner.KeepOpen
	case OpenToEnd:
		if x.clean > 0 || x.bounded() {
			x.log.fill()
			return runner.Bounded
		}
	}
	return runner.Unbounded
}

// bounded reports whether the checkpoint is of a run to its end.
func (x *execution) bounded() bool {
	u, err := x.unit()
	return err == nil && u != nil && u.Mode == runner.Bounded
}

// done reports whether nothing is left to be read behind a life that ended cleanly.
func (x *execution) done(l *life) bool {
	if x.opts.End == OpenToEnd && l.mode != runner.Bounded || !x.log.whole() {
		return false
	}
	for i, p := range l.r.Status().Partitions {
		if recs := x.log.parts[i].Records; len(recs) > 0 && p.Next <= recs[len(recs)-1].Position {
			return false
		}
	}
	return true
}

// start begins a life from the newest durable unit.
func (x *execution) start(mode runner.Mode, u *runner.Unit, skip bool) (*life, error) {
	cfg, err := x.world.config(mode, &x.opts, skip)
	if err != nil {
		return nil, err
	}
	cfg.Shards = x.opts.Workers[x.pick(len(x.opts.Workers))]
	if x.chance(3) {
		cfg.ChunksMax = 1 + x.pick(4)
	}
	if x.chance(2) {
		cfg.RowsMax = 1 + x.pick(3)
	}
	if x.world.Passed != nil {
		cfg.Begin = x.log.begin
	}
	r, err := runner.New(cfg, x.log.list(), u)
	if err != nil {
		return nil, fmt.Errorf("a life cannot begin: %w", err)
	}
	l := &life{execution: x, r: r, mode: mode, reader: newReader(x.log, r.Starts(), x.decider)}
	l.journal = u == nil || u.Mode != mode
	l.first = l.journal && x.opts.Checkpoint && (u == nil || mode == runner.Bounded)
	return l, nil
}

// unit reads the checkpoint file back.
func (x *execution) unit() (*runner.Unit, error) {
	if x.file == nil {
		return nil, nil
	}
	f, err := checkpoint.Decode(append([]byte{}, x.file...))
	if err != nil {
		return nil, fmt.Errorf("the checkpoint cannot be read: %w", err)
	}
	return runner.ReadUnit(f)
}

// note compares the content of a unit with that of an earlier one at the same cut. The first unit of a life is a
// decision, not a cut: its state may be behind its watermark.
func (x *execution) note(u *runner.Unit, journal bool) {
	if journal {
		return
	}
	at := fmt.Sprint("mode ", u.Mode, ":")
	for _, p := range u.Partitions {
		at += fmt.Sprint(" ", p.Next.Offset, "/", p.Until)
		if p.Until == connector.EndUnknown && p.Finished {
			at += " ended" // which its position does not tell
		}
	}
	h := u.Sections().ContentHash()
	if old, ok := x.cuts[at]; ok && old != h {
		x.sink.fail("two units of one cut differ in content: %s", at)
	}
	x.cuts[at] = h
}

// ledgers puts the ledgers in the order of the references. of gives those of a partition.
func (x *execution) ledgers(of func(p int) []runner.Ledger) []runner.Ledger {
	var out []runner.Ledger
	before := make([]int, len(x.plan.Sources)) // references to each source
	for _, in := range x.plan.Inputs {
		for i, p := range x.log.parts {
			if p.Source == in.Source {
				out = append(out, of(i)[before[in.Source]])
			}
		}
		before[in.Source]++
	}
	return out
}

// lanes are the names of the lanes in the order of the naive evaluator's rows.
func (x *execution) lanes() []string {
	var out []string
	for i, b := range x.plan.Branches {
		names := []string{""}
		if b.Input >= 0 {
			names = nil
			for j, p := range x.log.list() {
				if x.log.parts[j].Source == x.plan.Inputs[b.Input].Source {
					names = append(names, runner.PartName(p.PartitionID))
				}
			}
		}
		for _, name := range names {
			if len(x.plan.Branches) > 1 {
				name = strings.TrimSuffix(fmt.Sprint(i+1, " ", name), " ")
			}
			out = append(out, name)
		}
	}
	return out
}
