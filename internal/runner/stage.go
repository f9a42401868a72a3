package runner

import (
	"strconv"

	"ubik/internal/plan"
	"ubik/internal/vec"
)

// branch is a part of a UNION ALL whose rows are those of an operator.
type branch struct {
	index  int
	stages []*stage // the last one is that whose rows leave
	lane   *lane
	rounds int  // in outputs
	stores bool // an operator stores rows one by one
}

// stage is one operator with its shards.
type stage struct {
	*plan.Stage
	index  int
	branch *branch
	shards []*shard
	to     *stage   // nil: its rows leave
	from   []*stage // those that feed it
	taps   []*tap   // the records that feed it
	placed bool     // the taker's rows have places

	w     vec.Time // the cursor: the least watermark of what feeds it
	asked vec.Time // that of the last round
	free  []*mid
}

// handed is the watermark that the stage hands on.
func (s *stage) handed() vec.Time { return s.w.Sub(s.Behind) }

// laneName is the name of a lane; part is a partition's name, "" for the lane of an operator.
func (r *Runner) laneName(branch int, part string) string {
	if len(r.cfg.Plan.Branches) == 1 {
		return part
	}
	name := strconv.Itoa(branch + 1)
	if part != "" {
		name += " " + part
	}
	return name
}

// newStages makes the operators' shards, with the state of a unit if there is one.
func (r *Runner) newStages(u *Unit) error {
	p := r.cfg.Plan
	for i := range p.Stages {
		ps := &p.Stages[i]
		st := &stage{Stage: ps, index: i, w: vec.NegInf, asked: vec.NegInf}
		for _, t := range r.taps {
			if t.in.Stage == i {
				st.taps = append(st.taps, t)
			}
		}
		r.stages = append(r.stages, st)
		if ps.To < 0 {
			st.branch = &branch{index: ps.Branch, lane: &lane{name: r.laneName(ps.Branch, "")}}
			r.branches = append(r.branches, st.branch)
		}
	}
	for _, st := range r.stages {
		if st.To >= 0 {
			st.to = r.stages[st.To]
			st.to.from = append(st.to.from, st)
			st.placed = st.to.Node.WantsPlaces(st.Port)
		}
	}
	for _, st := range r.stages {
		last := st
		for last.to != nil {
			last = last.to
		}
		st.branch = last.branch
		if st.Node.StoresRows() {
			st.branch.stores = true
		}
		st.branch.stages = append(st.branch.stages, st)
		for i := range r.cfg.Shards {
			s := r.newShard(st, i)
			if u != nil {
				state, err := u.state(st.index)
				if err != nil {
					return err
				}
				if err := s.op.Load(&vec.Decoder{Buf: state}); err != nil {
					return err
				}
			}
			st.shards = append(st.shards, s)
		}
	}
	return nil
}

// shardsDo calls f for every shard of every stage.
func (r *Runner) shardsDo(f func(s *shard)) {
	for _, st := range r.stages {
		for _, s := range st.shards {
			f(s)
		}
	}
}

// raise works out the watermarks: of each reference to a partition, of each operator the least of what feeds it, and W.
func (r *Runner) raise() {
	w := vec.PosInf
	for _, t := range r.taps {
		t.wm = max(t.maxTime.Sub(t.in.Delay), t.floor)
		if t.part.finished && r.cfg.Mode != KeepOpen || t.timeless && r.timed {
			t.wm = vec.PosInf
		}
		w = min(w, t.wm)
	}
	if w < r.w {
		panic("runner: the watermark went back")
	}
	r.w = w
	for _, st := range r.stages {
		w := vec.PosInf
		for _, t := range st.taps {
			w = min(w, t.wm)
		}
		for _, f := range st.from {
			w = min(w, f.handed())
		}
		if w < st.w {
			panic("runner: a cursor went back")
		}
		st.w = w
	}
}

// moved reports whether a cursor of the branch is past that of the last round.
func (b *branch) moved() bool {
	for _, st := range b.stages {
		if st.w > st.asked {
			return true
		}
	}
	return false
}

// advance starts a round in each branch whose cursors have moved and that has not too many on their way.
func (r *Runner) advance() {
	for _, b := range r.branches {
		most := roundsOfWindows
		if b.stores {
			most = roundsOfJoins
		}
		if b.rounds < most && b.moved() {
			r.round(b)
		}
	}
}

// round starts an advance of a branch's operators to their cursors.
func (r *Runner) round(b *branch) {
	rd := &round{branch: b, legs: make([]leg, len(r.stages))}
	for _, st := range b.stages {
		n := len(st.shards)
		rd.legs[st.index] = leg{w: st.w, done: make([]bool, n), left: n, mids: make([][]*midRows, n)}
		st.asked = st.w
		for _, s := range st.shards {
			s.queue = append(s.queue, step{round: rd})
		}
		if st.to == nil {
			rd.queued = make([][]*emitted, n)
			rd.done = rd.legs[st.index].done
		}
	}
	b.rounds++
	r.outputs = append(r.outputs, &output{round: rd})
}
