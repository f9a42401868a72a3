package runner

// cut is a checkpoint on its way: the positions of one moment, and everything that belongs to them.
type cut struct {
	unit    *Unit
	states  [][][]byte // by stage and shard
	waiting int        // shards that have not come to it yet
}

// due makes a cut, unless one is on its way or nothing has happened since the last.
func (r *Runner) due() {
	if r.saving == nil && !r.last && !r.stopping && !r.first && (r.moved || r.dirty) {
		r.startCut()
	}
}

// startCut fixes the cut at the positions sequenced so far. Behind it in every queue comes what is after the cut.
func (r *Runner) startCut() {
	c := &cut{}
	r.saving = c
	r.moved = false
	for _, b := range r.branches {
		if b.moved() {
			r.round(b)
		}
	}
	if r.cfg.Checkpoint {
		c.unit = r.newUnit()
		for _, st := range r.stages {
			c.states = append(c.states, make([][]byte, len(st.shards)))
		}
		r.shardsDo(func(s *shard) {
			c.waiting++
			s.queue = append(s.queue, step{cut: c})
		})
	}
	r.outputs = append(r.outputs, &output{cut: c})
}

// flush comes when every row before the cut has been handed to the sink.
func (r *Runner) flush(c *cut) {
	if c.unit != nil {
		c.unit.States = c.states
		c.unit.Lanes = r.lanes()
	}
	r.dirty = false
	r.actions = append(r.actions, Flush{})
}

func (r *Runner) flushed(state []byte) {
	r.sink = state
	c := r.saving
	if c == nil {
		r.finish(r.reason, false)
		return
	}
	if c.unit == nil {
		r.saving = nil
		r.writeOut()
		return
	}
	c.unit.Sink = state
	if c.unit.Number > 0 {
		r.miles = thin(append(r.miles, c.unit.milestone()))
	}
	c.unit.Milestones = r.miles
	r.actions = append(r.actions, Save{c.unit})
}

func (r *Runner) saved() {
	if r.first {
		r.first = false
		r.unit = r.unit.withoutState()
		return
	}
	r.unit = r.saving.unit.withoutState()
	r.saving = nil
	r.writeOut()
}

// newUnit describes the moment: positions, clocks and the ledger. Lanes, states and the sink are filled in when the
// cut has passed through the queues.
func (r *Runner) newUnit() *Unit {
	u := &Unit{
		JobID: r.cfg.JobID, Query: r.cfg.Query, Facts: r.cfg.Plan.Facts, Target: r.cfg.Target, MaxRecord: r.cfg.MaxRecord,
		Tables: r.cfg.Tables, Mode: r.cfg.Mode, Complete: r.complete(), Milestones: r.miles, Sink: r.sink,
	}
	if r.unit != nil {
		u.Number = r.unit.Number + 1
	}
	for _, p := range r.parts {
		up := UnitPartition{
			PartitionID: p.PartitionID, Source: p.source, LogID: p.logID, From: p.from, Until: p.until, Next: p.next, Finished: p.finished,
		}
		for _, t := range p.taps {
			up.Clocks = append(up.Clocks, UnitClock{Alias: p.aliasOf(t), MaxTime: t.maxTime, Floor: t.floor, Watermark: t.wm, Ledger: t.ledger})
		}
		u.Partitions = append(u.Partitions, up)
	}
	return u
}

// allLanes lists the lanes of the output in the order of the branches.
func (r *Runner) allLanes() []*lane {
	var ls []*lane
	for i := range r.cfg.Plan.Branches {
		for _, b := range r.branches {
			if b.index == i {
				ls = append(ls, b.lane)
			}
		}
		for _, t := range r.taps {
			if t.in.Branch == i && t.lane != nil {
				ls = append(ls, t.lane)
			}
		}
	}
	return ls
}

func (r *Runner) lanes() []UnitLane {
	var ls []UnitLane
	for _, l := range r.allLanes() {
		ls = append(ls, UnitLane{l.name, l.number, l.chain})
	}
	return ls
}

// The list is bounded, and so is its size: with many partitions it is shorter.
const (
	milestonesMax    = 64
	milestonesLeast  = 8
	milestoneEntries = 1 << 16 // partitions of all milestones together
)

// milestonesOf is how many milestones a unit with n partitions keeps.
func milestonesOf(n int) int {
	return min(milestonesMax, max(milestonesLeast, milestoneEntries/max(n, 1)))
}

func (u *Unit) milestone() Milestone {
	m := Milestone{Unit: u.Number, Watermark: u.Watermark()}
	for _, p := range u.Partitions {
		m.Next = append(m.Next, p.Next.Offset)
		for i := range p.Clocks {
			m.MaxTime = append(m.MaxTime, p.Clocks[i].MaxTime)
			m.Floor = append(m.Floor, p.Clocks[i].Floor)
		}
	}
	m.Lanes = append(m.Lanes, u.Lanes...)
	return m
}

// thin leaves one out of a list that is too long: the one whose absence is felt least, by the gap it leaves for its age.
// So the list is dense where it is young and reaches back to the first cut, however long the run. The first and the
// newest stay. The list handed in is not changed: a unit that is being saved may hold it.
func thin(ms []Milestone) []Milestone {
	limit := milestonesOf(len(ms[0].Next))
	if len(ms) <= limit {
		return ms
	}
	newest := ms[len(ms)-1].Unit
	least, at := 0.0, 0
	for i := 1; i < len(ms)-1; i++ {
		gap, age := float64(ms[i+1].Unit-ms[i-1].Unit), float64(newest-ms[i-1].Unit)
		if at == 0 || gap/age < least {
			least, at = gap/age, i
		}
	}
	return append(append(make([]Milestone, 0, limit+1), ms[:at]...), ms[at+1:]...)
}
