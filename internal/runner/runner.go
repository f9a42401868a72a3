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
	cfg    Config
	parts  []*partition
	shards []*shard // none when the query goes record by record
	lane   *lane    // of the aggregate

	slots   [][]*slot // free ones, by input
	made    []int     // slots made so far, by input
	held    int       // chunks got and not released
	outputs []*output

	w       vec.Time
	asked   vec.Time  // the watermark of the last round
	rounds  int       // rounds in outputs
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
	last     bool  // the last cut has been made
	reason   error // why it stops
	ended    bool  // Finish was given
	actions  []Action
}

// output is one entry of the output queue; entries leave in order.
type output struct {
	round  *round  // merged rows, or
	flight *flight // a chunk's rows, or
	cut    *cut    // a flush, then a unit
}

// Actions returns what to do next, in order; each action is given once.
func (r *Runner) Actions() []Action {
	if r.ended {
		return r.take()
	}
	if !r.first {
		r.sequence()
		r.drain()
		r.sequence() // drained chunks make room
		r.advance()  // behind a drained round the next one starts at once
		r.conclude()
		r.drain()
		r.startShards()
		r.read()
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

// stop ends the run cleanly: what was sequenced is finished and saved. Not so when the log has changed: what was read may
// not be of the log that the checkpoint belongs to.
func (r *Runner) stop(err error) {
	if fault.ClassOf(err) == fault.LogChanged {
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
		r.stop(ev.Err)
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

func (r *Runner) slot(input int) *slot {
	if n := len(r.slots[input]); n > 0 {
		s := r.slots[input][n-1]
		r.slots[input] = r.slots[input][:n-1]
		return s
	}
	if r.made[input] == r.cfg.chunksMax() {
		return nil
	}
	r.made[input]++
	return newSlot(&r.cfg, &r.cfg.Plan.Inputs[input])
}

// release gives a chunk and its slot back, and the slot to whoever waits for one.
func (r *Runner) release(f *flight) {
	f.release()
	r.held--
	if f.slot == nil {
		return
	}
	input := f.part.source
	r.slots[input] = append(r.slots[input], f.slot)
	f.slot = nil
	for _, p := range r.parts {
		if len(r.slots[input]) == 0 {
			return
		}
		if p.source == input {
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
	for _, st := range s.running[:s.done] {
		if f := st.flight; f != nil {
			if f.slot.left--; f.slot.left == 0 {
				r.release(f)
			}
		}
		if st.cut != nil {
			st.cut.states[s.index] = s.saved
			st.cut.waiting--
			s.saved = nil
		}
	}
	for _, o := range s.outs {
		if o.rows.empty() {
			r.freeOut = append(r.freeOut, o.rows)
		} else {
			o.round.queued[s.index] = append(o.round.queued[s.index], o.rows)
		}
		if o.done {
			o.round.done[s.index] = true
		}
	}
	if s.err != nil {
		r.abortOn(fault.Wrap(fault.Data, r.named(s.err), "change the query so that the value fits, for example by a wider cast", "a result cannot be written"))
		return
	}
	s.queue = append(s.running[s.done:len(s.running):len(s.running)], s.queue...)
	s.running = nil
}

// named is an operator's error with the partitions of its row by name.
func (r *Runner) named(err error) error {
	var row *op.RowError
	if !errors.As(err, &row) {
		return err
	}
	return errors.New(row.Text(func(part int32) string { return r.parts[part].name() }))
}

// startShards hands each idle shard its queue.
func (r *Runner) startShards() {
	for _, s := range r.shards {
		if s.busy || len(s.queue) == 0 {
			continue
		}
		if st := s.queue[0]; st.round != nil && len(st.round.queued[s.index]) > 0 {
			continue // paused until the merge has caught up
		}
		s.running, s.queue = s.queue, nil
		s.busy = true
		if n := len(r.freeOut); n > 0 && len(s.free) == 0 {
			s.free = append(s.free, r.freeOut[n-1])
			r.freeOut = r.freeOut[:n-1]
		}
		r.actions = append(r.actions, &Task{shard: s})
	}
}

// push puts a step at the end of every shard's queue.
func (r *Runner) push(st step) {
	for _, s := range r.shards {
		s.queue = append(s.queue, st)
	}
}

// advance starts a round when W has moved and none is on its way.
func (r *Runner) advance() {
	if r.rounds == 0 && r.w > r.asked && len(r.shards) > 0 {
		r.round()
	}
}

func (r *Runner) round() {
	rd := &round{w: r.w, queued: make([][]*emitted, len(r.shards)), done: make([]bool, len(r.shards))}
	r.asked = r.w
	r.rounds++
	r.push(step{round: rd})
	r.outputs = append(r.outputs, &output{round: rd})
}

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

// newShards makes the operator's shards, with the state of a unit if there is one.
func (r *Runner) newShards(state []byte, resumed bool) error {
	for i := 0; i < r.cfg.Shards; i++ {
		s := &shard{index: i, op: r.cfg.Plan.Root.New(op.Shard{Index: i, Count: r.cfg.Shards}), budget: 2 * r.cfg.rowsMax(), parts: r.parts, aliases: r.cfg.Plan.Aliases}
		s.value = r.cfg.NewEncoder(r.cfg.Plan.Output)
		if r.cfg.Plan.Key != nil || len(r.cfg.Plan.Inputs) == 1 {
			s.key = r.cfg.NewEncoder(r.cfg.Plan.Key)
		}
		if resumed {
			if err := s.op.Load(&vec.Decoder{Buf: state}); err != nil {
				return err
			}
		}
		r.shards = append(r.shards, s)
	}
	return nil
}
