package runner

import (
	"errors"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/op"
	"ubik/internal/vec"
)

// Runner is the state machine. It is driven by one caller; see the package's comment.
type Runner struct {
	cfg      Config
	parts    []*partition
	taps     []*tap // by reference, then by partition
	stages   []*stage
	branches []*branch // those whose rows are an operator's

	slots   [][]*slot // free ones, by source
	made    []int     // slots made so far, by source
	held    int       // chunks got and not released
	outputs []*output

	w       vec.Time  // the least watermark of all references
	timed   bool      // some reference has a time column
	writes  int       // Writes open
	writing []*flight // for each of them the chunk whose memory the rows are, or nil
	dirty   bool      // rows were written since the last flush
	freeOut []*emitted
	freeRow []*connector.Rows

	unit    *Unit // the newest durable unit, nil: none
	saving  *cut  // the cut on its way, nil: none
	first   bool  // the first unit is being saved: nothing is read before
	moved   bool  // positions moved since the last cut
	sink    []byte
	miles   []Milestone
	emitted uint64

	stopping bool  // no more reads, nothing more is sequenced
	failing  bool  // an operator has failed: nothing more is done but to write out what the sink was given
	last     bool  // the last cut has been made
	reason   error // why it stops
	ended    bool  // Finish was given
	actions  []Action
}

// output is one entry of the output queue; entries leave in order.
type output struct {
	round  *round  // merged rows, or
	flight *flight // a chunk's rows, of
	ref    int     // the reference of that number, or
	cut    *cut    // a flush, then a unit
}

// Actions returns what to do next, in order; each action is given once.
func (r *Runner) Actions() []Action {
	if !r.ended && !r.failing && !r.first {
		r.sequence()
		r.drain()
		if !r.failing {
			r.sequence() // drained chunks make room
			r.advance()  // behind a drained round the next one starts at once
			r.conclude()
			r.drain()
		}
		if !r.failing {
			r.startShards()
			r.read()
		}
	}
	return r.take()
}

func (r *Runner) take() []Action {
	a := r.actions
	r.actions = nil
	return a
}

// Handle takes an event in.
func (r *Runner) Handle(ev Event) {
	if r.ended {
		return
	}
	switch ev := ev.(type) {
	case Got:
		r.got(ev)
	case Done:
		r.taskDone(ev.Task)
	case Written:
		r.writes--
		r.recycle(ev.Rows)
		r.abortOn(ev.Err)
	case Flushed:
		if r.abortOn(ev.Err) {
			return
		}
		r.flushed(ev.State)
	case Saved:
		if r.abortOn(ev.Err) {
			return
		}
		r.saved()
	case Listed:
		r.listed(ev.Partitions)
	case Tick:
		r.tick(ev)
	case Stop:
		r.stop(ev.Err)
	}
}

func (r *Runner) tick(ev Tick) {
	for _, p := range r.parts {
		if p.reading {
			p.waited++
		}
	}
	if ev.Due {
		r.due()
	}
	if ev.List && !r.stopping && !r.first {
		for _, p := range r.parts {
			p.asked = p.next.Offset
		}
		r.actions = append(r.actions, List{})
	}
}

// abortOn ends the run at once when err is an error: what is durable stays as it is.
func (r *Runner) abortOn(err error) bool {
	if err == nil {
		return false
	}
	r.finish(err, false)
	return true
}

func (r *Runner) finish(err error, complete bool) {
	if !r.ended {
		r.ended = true
		r.actions = append(r.actions, Finish{Err: err, Complete: complete})
	}
}

// stop ends the run cleanly: what was sequenced is finished and saved. Not so when the log has changed, but for a rotated one:
// what was read may not be of the log that the checkpoint belongs to.
func (r *Runner) stop(err error) {
	if fault.ClassOf(err) == fault.LogChanged && !errors.Is(err, connector.ErrRotated) {
		r.abortOn(err)
		return
	}
	if !r.stopping {
		r.stopping, r.reason = true, err
	}
}

func (r *Runner) got(ev Got) {
	p := r.parts[ev.Part]
	p.reading, p.waited = false, 0
	if ev.Err != nil {
		if fault.ClassOf(ev.Err) == fault.Data || errors.Is(ev.Err, connector.ErrRotated) {
			p.damage = ev.Err // told when all that stands before it has been taken in
		} else {
			r.stop(ev.Err)
		}
		return
	}
	p.read = ev.Chunk.Next.Offset
	p.ended = ev.Chunk.End
	p.queue = append(p.queue, &flight{part: p, chunk: ev.Chunk})
	r.held++
	r.prepare(p)
}

// prepare hands out tasks for chunks that have none, as far as there are slots.
func (r *Runner) prepare(p *partition) {
	for _, f := range p.queue {
		if f.slot != nil {
			continue
		}
		if f.slot = r.slot(p.source); f.slot == nil {
			return
		}
		r.actions = append(r.actions, &Task{flight: f})
	}
}

func (r *Runner) slot(source int) *slot {
	if n := len(r.slots[source]); n > 0 {
		s := r.slots[source][n-1]
		r.slots[source] = r.slots[source][:n-1]
		return s
	}
	if r.made[source] == r.cfg.chunksMax() {
		return nil
	}
	r.made[source]++
	return newSlot(&r.cfg, source)
}

// release gives a chunk and its slot back, and the slot to whoever waits for one.
func (r *Runner) release(f *flight) {
	f.release()
	r.held--
	if f.slot == nil {
		return
	}
	source := f.part.source
	r.slots[source] = append(r.slots[source], f.slot)
	f.slot = nil
	for _, p := range r.parts {
		if len(r.slots[source]) == 0 {
			return
		}
		if p.source == source {
			r.prepare(p)
		}
	}
}

func (r *Runner) taskDone(t *Task) {
	if t.flight != nil {
		t.flight.prepared = true
		return
	}
	s := t.shard
	s.busy = false
	s.last = s.stat
	for _, m := range s.applied {
		r.midDone(m)
	}
	for _, st := range s.running[:s.done] {
		if f := st.flight; f != nil {
			r.used(f)
		}
		if st.cut != nil {
			st.cut.states[s.stage.index][s.index] = s.saved
			st.cut.waiting--
			s.saved = nil
		}
	}
	for _, o := range s.outs {
		r.took(s, &o)
	}
	if s.err != nil {
		r.abortOn(operatorFault(s.err))
		return
	}
	s.queue = append(s.running[s.done:len(s.running):len(s.running)], s.queue...)
	s.running = nil
}

// operatorFault tells why an operator cannot go on.
func operatorFault(err error) error {
	var limit *op.LimitError
	if errors.As(err, &limit) {
		return &fault.Error{Class: fault.Data, Msg: limit.Msg, Try: limit.Try, Err: err}
	}
	return fault.Wrap(fault.Internal, err, "", "an operator has failed")
}

// used notes that a step or a write no longer reads a chunk.
func (r *Runner) used(f *flight) {
	if f.slot.left--; f.slot.left == 0 {
		r.release(f)
	}
}

// took hands on what a shard has emitted.
func (r *Runner) took(s *shard, o *out) {
	leg := &o.round.legs[s.stage.index]
	if o.done {
		leg.done[s.index] = true
		leg.left--
		if o.bad != nil {
			leg.fail(o.bad)
		}
		if leg.left == 0 && leg.bad != nil && s.stage.to != nil {
			r.fail(leg.bad)
			return
		}
	}
	if to := s.stage.to; to != nil {
		for _, m := range o.mids {
			s.owed++
			m.left = 1
			for i, rows := range m.rows {
				if len(rows) > 0 {
					m.left++
					mids := o.round.legs[to.index].mids
					mids[i] = append(mids[i], &midRows{m, rows})
				}
			}
			r.midDone(m)
		}
		return
	}
	if o.rows.empty() {
		r.freeOut = append(r.freeOut, o.rows)
	} else {
		o.round.queued[s.index] = append(o.round.queued[s.index], o.rows)
	}
}

// midDone notes that one of those that hold a mid does no longer.
func (r *Runner) midDone(m *mid) {
	if m.left--; m.left == 0 {
		m.from.owed--
		if st := m.from.stage; len(st.free) < sparesMax*len(st.shards) {
			st.free = append(st.free, m)
		}
	}
}

// fail ends the run at a row that an operator cannot emit. What was handed to the sink is written out first.
func (r *Runner) fail(bad *op.RowError) {
	if r.failing {
		return
	}
	text := bad.Text(func(part int32) string {
		t := r.taps[part]
		name := t.part.name()
		if alias := t.part.aliasOf(t); alias != "" {
			name += " as " + alias
		}
		return name
	})
	r.stopping, r.failing = true, true
	r.reason = fault.Wrap(fault.Data, errors.New(text), bad.Try(), "a result cannot be written")
	for _, o := range r.outputs {
		if o.cut != nil {
			r.saving = nil // it stands behind the row
		}
	}
	r.outputs = nil
	r.writeOut()
}

// writeOut flushes the sink of a run that fails, behind a cut that is on its way.
func (r *Runner) writeOut() {
	if r.failing && r.saving == nil {
		r.actions = append(r.actions, Flush{})
	}
}

// startShards hands each idle shard its queue, as far as that can be worked on.
func (r *Runner) startShards() {
	r.shardsDo(func(s *shard) {
		if !s.busy && s.start() {
			r.equip(s)
			r.actions = append(r.actions, &Task{shard: s})
		}
	})
}

// equip gives a shard memory for what it will emit.
func (r *Runner) equip(s *shard) {
	if s.stage.to == nil {
		rounds := 0 // each takes one, so that none is made while others lie idle
		for i := range s.running {
			if s.running[i].round != nil {
				rounds++
			}
		}
		for n := len(r.freeOut); n > 0 && len(s.free) < rounds; n-- {
			s.free = append(s.free, r.freeOut[n-1])
			r.freeOut = r.freeOut[:n-1]
		}
		return
	}
	free := s.stage.free
	for n := len(free); n > 0 && len(s.spare) < sparesMax; n-- {
		s.spare = append(s.spare, free[n-1])
		free = free[:n-1]
	}
	s.stage.free = free
}

// sparesMax is how many batches between operators a shard is given at most.
const sparesMax = 8

// conclude makes the last cut when there is nothing more to do, and ends the run behind it.
func (r *Runner) conclude() {
	if r.ended || r.saving != nil {
		return
	}
	if r.last {
		r.finish(r.reason, r.reason == nil && r.complete())
		return
	}
	finished := true
	for _, p := range r.parts {
		finished = finished && p.finished
	}
	if r.stopping || finished {
		r.last = true
		r.startCut()
	}
}

// complete reports whether the run has come to the end of the log: a fixed one, or that of a log that ends by itself.
func (r *Runner) complete() bool {
	if r.cfg.Mode == KeepOpen {
		return false
	}
	for _, p := range r.parts {
		if !p.finished {
			return false
		}
	}
	return true
}
