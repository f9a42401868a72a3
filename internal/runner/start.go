package runner

import (
	"fmt"
	"slices"
	"strings"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/plan"
	"ubik/internal/vec"
)

// startOver is what a user can try when a run cannot go on from its checkpoint.
const startOver = "start over with a new checkpoint and an empty sink"

// New makes a runner over the partitions that the log holds now. u is the unit to resume, nil at the first start.
// It fails when the log, the query or the mode is not the one the unit belongs to.
func New(cfg Config, listed []connector.Partition, u *Unit) (*Runner, error) {
	r := &Runner{cfg: cfg, w: vec.NegInf}
	r.slots, r.made = make([][]*slot, len(cfg.Plan.Sources)), make([]int, len(cfg.Plan.Sources))
	for i := range cfg.Plan.Sources {
		if !slices.ContainsFunc(listed, func(p connector.Partition) bool { return p.Source == i }) {
			return nil, fault.New(fault.Usage, "the source has no partitions", "check its name")
		}
	}
	journal := u == nil
	if u != nil {
		var err error
		if journal, err = r.resume(listed, u); err != nil {
			return nil, err
		}
	} else {
		from := cfg.Begin
		if from == nil {
			from = connector.Earliest(listed)
		}
		for i, l := range listed {
			p := newPartition(i, l)
			p.from = from[i]
			p.next, p.read = p.from, p.from.Offset
			if cfg.Mode != Unbounded || cfg.Plan.Sources[l.Source].Bounded {
				p.until = l.End
			}
			r.parts = append(r.parts, p)
		}
	}
	r.tapAll()
	if u != nil {
		if err := r.resumeClocks(u); err != nil {
			return nil, err
		}
	}
	if err := r.newStages(u); err != nil {
		return nil, fault.Wrap(fault.Checkpoint, err, "", "the operator state in the checkpoint cannot be read")
	}
	if u != nil {
		if err := r.resumeLanes(u); err != nil {
			return nil, err
		}
	}
	for _, p := range r.parts {
		if p.finished || p.until >= 0 && p.next.Offset >= p.until {
			p.ended, p.finished = true, true
		}
	}
	r.raise()
	if cfg.Checkpoint && journal {
		// Unit 0, or the decision to end at fixed positions, is durable before a record is consumed.
		first := r.newUnit()
		first.Complete = false
		first.Lanes = r.lanes()
		first.States = make([][][]byte, len(r.stages))
		if u != nil {
			first.States = u.States
		}
		r.unit, r.first = first, true
		r.actions = append(r.actions, Save{first})
	}
	return r, nil
}

// Starts says where the source is to be opened, by partition index.
func (r *Runner) Starts() []connector.Start {
	var at []connector.Start
	for _, p := range r.parts {
		at = append(at, connector.Start{
			Partition: connector.Partition{PartitionID: p.PartitionID, Source: p.source, LogID: p.logID, End: p.end, Epoch: p.next.Epoch},
			From:      p.next, Until: p.until,
		})
	}
	return at
}

// resume takes up the unit's partitions. fixed tells that it was decided now where one of them ends for good.
func (r *Runner) resume(listed []connector.Partition, u *Unit) (fixed bool, err error) {
	if err := u.matches(&r.cfg); err != nil {
		return false, err
	}
	r.cfg.JobID = u.JobID
	r.unit, r.miles, r.sink = u.withoutState(), u.Milestones, u.Sink
	now := map[logKey]connector.Partition{}
	for _, l := range listed {
		now[logKey{l.Source, l.PartitionID}] = l
	}
	for i, up := range u.Partitions {
		key := logKey{up.Source, up.PartitionID}
		l, ok := now[key]
		if !ok {
			return false, fault.New(fault.LogChanged, fmt.Sprintf("%s, which the checkpoint has read up to position %d, is gone", PartName(up.PartitionID), up.Next.Offset),
				"bring it back, or "+startOver)
		}
		delete(now, key)
		p := newPartition(i, l)
		p.logID, p.from, p.next, p.read = up.LogID, up.From, up.Next, up.Next.Offset
		forGood := r.cfg.Mode == Bounded || r.cfg.Mode == Unbounded && r.cfg.Plan.Sources[up.Source].Bounded
		switch {
		case u.Mode != KeepOpen && up.Until >= 0:
			if !forGood {
				return false, fault.New(fault.Checkpoint, fmt.Sprintf("the checkpoint is of a run that reads %s to its end, which cannot be kept open", PartName(up.PartitionID)),
					"run it as before, without --keep-open; or "+startOver)
			}
			p.until, p.finished = up.Until, up.Finished // of an end that is not known no position tells
		case forGood:
			p.until, fixed = l.End, true
		case r.cfg.Mode == KeepOpen:
			p.until = l.End
		}
		if err := checkLog(p, l, p.next.Offset); err != nil {
			return false, err
		}
		if u.Complete && l.End > p.until && l.End != connector.EndUnknown {
			return false, fault.New(fault.Data, fmt.Sprintf("the run is complete, but %s has grown since: it was read to its end at position %d, now it ends at %d", p.name(), p.until, l.End),
				"to take up the added records run from the start with a new checkpoint and an empty sink; a log that grows is read with --keep-open, a topic without --until-end")
		}
		r.parts = append(r.parts, p)
	}
	for _, l := range listed {
		if _, added := now[logKey{l.Source, l.PartitionID}]; added {
			return false, addedPartition(l.PartitionID)
		}
	}
	return fixed, nil
}

// matches tells whether a run may go on from the unit, naming the first thing that differs.
func (u *Unit) matches(c *Config) error {
	const over = "go on with the command the checkpoint was made with, or " + startOver
	if u.Mode == Bounded && c.Mode != Bounded {
		return fault.New(fault.Checkpoint, "the checkpoint is of a run to the end of its input, which cannot go on without an end",
			"run it as before: without --keep-open, a topic with --until-end; or "+startOver)
	}
	if u.Target != c.Target {
		return fault.New(fault.Checkpoint, fmt.Sprintf("the checkpoint writes to %s, this run to %s", u.Target, c.Target), over)
	}
	if u.MaxRecord != c.MaxRecord && (c.MaxRecord < u.MaxRecord || u.malformed() > 0) {
		// Records that count as malformed under one limit and not under the other may be behind the positions.
		return fault.New(fault.Checkpoint, fmt.Sprintf("the checkpoint was made with --max-record %d, here it is %d", u.MaxRecord, c.MaxRecord),
			"the limit may only be raised, and only while no record has counted as malformed; "+over)
	}
	now := map[string]string{}
	for _, f := range c.Plan.Facts {
		now[f.Name] = f.Value
	}
	for _, f := range u.Facts {
		v, ok := now[f.Name]
		if !ok {
			return fault.New(fault.Checkpoint, "the checkpoint is of another query: its "+differs(f.Name, f.Value, "none"), over)
		}
		if v != f.Value {
			return fault.New(fault.Checkpoint, "the checkpoint is of another query: its "+differs(f.Name, f.Value, v), over)
		}
	}
	for _, f := range c.Plan.Facts {
		if !slices.ContainsFunc(u.Facts, func(g plan.Fact) bool { return g.Name == f.Name }) {
			return fault.New(fault.Checkpoint, "the checkpoint is of another query: its "+differs(f.Name, "none", f.Value), over)
		}
	}
	return nil
}

// differs words what a fact was and is.
func differs(name, before, now string) string {
	is, it := "is", "it is"
	if strings.HasSuffix(name, "s") {
		is, it = "are", "they are"
	}
	return fmt.Sprintf("%s %s %s, here %s %s", name, is, before, it, now)
}

// resumeClocks takes up the clocks and ledgers of the unit's partitions.
func (r *Runner) resumeClocks(u *Unit) error {
	for i, p := range r.parts {
		clocks := u.Partitions[i].Clocks
		if len(clocks) != len(p.taps) {
			return fault.New(fault.Checkpoint, fmt.Sprintf("the checkpoint refers to %s %d times, the query %d times", p.name(), len(clocks), len(p.taps)), "")
		}
		for k, t := range p.taps {
			c := &clocks[k]
			t.maxTime, t.floor, t.ledger = c.MaxTime, c.Floor, c.Ledger
		}
	}
	return nil
}

func (r *Runner) resumeLanes(u *Unit) error {
	byName := map[string]UnitLane{}
	for _, l := range u.Lanes {
		byName[l.Name] = l
	}
	lanes := r.allLanes()
	if len(byName) != len(lanes) {
		return fault.New(fault.Checkpoint, fmt.Sprintf("the checkpoint has %d lanes of output, the query has %d", len(byName), len(lanes)), "")
	}
	for _, l := range lanes {
		ul, ok := byName[l.name]
		if !ok {
			return fault.New(fault.Checkpoint, fmt.Sprintf("the checkpoint has no lane %q", l.name), "")
		}
		l.number, l.chain = ul.Number, ul.Chain
		r.emitted += ul.Number
	}
	return nil
}

// checkLog compares a partition with what the log shows of it; seen is a position that was read before the log was asked.
func checkLog(p *partition, l connector.Partition, seen int64) error {
	next := p.next.Offset
	switch {
	case p.logID != l.LogID && p.Index == connector.NoIndex:
		return fault.New(fault.LogChanged, fmt.Sprintf("%s has changed: it was %s, now it is %s", p.name(), fileText(p.logID), fileText(l.LogID)), "bring the old one back, or "+startOver)
	case p.logID != l.LogID:
		return fault.New(fault.LogChanged, fmt.Sprintf("%s was deleted and made again: its id was %s, now it is %s", p.name(), p.logID, l.LogID), startOver)
	case l.End < seen:
		return fault.New(fault.LogChanged, fmt.Sprintf("%s ends at position %d, before position %d, up to which it was read", p.name(), l.End, seen), startOver)
	case p.until >= 0 && next >= p.until: // nothing more is needed
	case l.Earliest > next:
		return fault.New(fault.LogChanged, fmt.Sprintf("positions %d to %d of %s are gone before they were read: it begins at %d now", next, l.Earliest-1, p.name(), l.Earliest),
			startOver+", and keep the log longer than the longest stop")
	case p.until >= 0 && l.End < p.until:
		return fault.New(fault.LogChanged, fmt.Sprintf("%s ends at position %d, before its fixed end %d", p.name(), l.End, p.until), startOver)
	}
	return nil
}

// fileText is what a file's LogID says of it.
func fileText(logID string) string {
	if logID == "" {
		return "a plain file"
	}
	return logID
}

func addedPartition(id connector.PartitionID) error {
	return fault.New(fault.Data, PartName(id)+" was added to the source: this version cannot take up a partition in the middle of a run",
		startOver+"; nothing of the added partition was read")
}

// listed compares the log with what is known of it, also for partitions that are not being read.
func (r *Runner) listed(now []connector.Partition) {
	known := map[logKey]*partition{}
	for _, p := range r.parts {
		known[p.key()] = p
	}
	for _, l := range now {
		p, ok := known[logKey{l.Source, l.PartitionID}]
		if !ok {
			r.stop(addedPartition(l.PartitionID))
			continue
		}
		delete(known, p.key())
		if err := checkLog(p, l, p.asked); err != nil {
			r.abortOn(err)
			return
		}
		p.end = l.End
	}
	for _, p := range r.parts {
		if _, gone := known[p.key()]; gone {
			r.abortOn(fault.New(fault.LogChanged, p.name()+" is gone", "bring it back, or "+startOver))
			return
		}
	}
}
