package runner

import (
	"errors"
	"strconv"

	"ubik/internal/codec"
	"ubik/internal/op"
	"ubik/internal/vec"
)

// step is one thing a shard does, in the order of its queue.
type step struct {
	flight *flight // apply these rows of a chunk
	ref    int     // as the reference of that number prepared them
	rows   []int32

	round   *round // apply these rows of other operators, then advance, or
	mids    []*midRows
	partial bool // more of them come before the advance
	cut     *cut // save the state
}

// emitted is encoded rows of one shard in lane order.
type emitted struct {
	orders    []byte
	orderEnds []uint32
	keys      []byte
	keyEnds   []uint32
	values    []byte
	valueEnds []uint32
	times     []int64
	at        int // rows before it have been merged
}

func (e *emitted) reset() {
	e.orders, e.orderEnds = e.orders[:0], e.orderEnds[:0]
	e.keys, e.keyEnds = e.keys[:0], e.keyEnds[:0]
	e.values, e.valueEnds = e.values[:0], e.valueEnds[:0]
	e.times = e.times[:0]
	e.at = 0
}

func (e *emitted) empty() bool { return e.at == len(e.valueEnds) }

func (e *emitted) order() []byte { return vec.Piece(e.orders, e.orderEnds, e.at) }

// shard is one shard of an operator with its queue. While busy, the operator and all from running on belong to the task.
type shard struct {
	index  int
	stage  *stage
	op     op.Operator
	value  codec.Encoder // of a stage whose rows leave
	key    codec.Encoder // likewise; nil: the positions of a row's records are its key
	head   string        // what such a key begins with
	budget int           // rows it emits before it lets the taker catch up
	taps   []*tap        // what places mean; only their names are read

	queue []step // not yet handed to a task
	busy  bool
	owed  int // mids of it that the taker has not applied

	running []step // what the task does
	done    int    // steps of running that are finished
	paused  bool   // the step behind is an advance that has more to emit
	failed  bool   // the operator has met a row that it cannot emit: nothing more is asked of it
	applied []*mid
	outs    []out // what the advances of this task emitted
	free    []*emitted
	spare   []*mid
	saved   []byte // the state, after a cut step
	stat    op.Stat
	err     error

	origins []op.Origin // scratch
	last    op.Stat     // of the task before, readable at any time
}

func (r *Runner) newShard(st *stage, i int) *shard {
	s := &shard{index: i, stage: st, op: st.Node.New(op.Shard{Index: i, Count: r.cfg.Shards}), budget: 2 * r.cfg.rowsMax(), taps: r.taps, head: "{"}
	if st.To >= 0 {
		return s
	}
	p := r.cfg.Plan
	s.value = r.cfg.NewEncoder(p.Output)
	if key := p.Branches[st.Stage.Branch].Key; key != nil {
		s.key = r.cfg.newKeyEncoder(key)
	} else {
		s.head = r.keyHead(st.Stage.Branch)
	}
	return s
}

// keyHead is what a key of positions begins with: a brace, and the branch when there are several.
func (r *Runner) keyHead(branch int) string {
	if len(r.cfg.Plan.Branches) == 1 {
		return "{"
	}
	return `{"_branch":` + strconv.Itoa(branch+1) + ","
}

// shardBytesMax is how many bytes of keys and values a shard emits, about, before it lets the merge catch up.
const shardBytesMax = 4 << 20

// out is what one shard emitted for a round in one task.
type out struct {
	round *round
	rows  *emitted     // of a stage whose rows leave
	mids  []*mid       // of another
	done  bool         // the round has no more rows from this shard
	bad   *op.RowError // it ends here because of this row
}

// start takes the steps of the queue that can be done; false when there are none.
func (s *shard) start() bool {
	if s.failed {
		return false
	}
	n := 0
	for i := range s.queue {
		st := &s.queue[i]
		if st.round != nil {
			if i == 0 && s.overfull(st.round) {
				return false // until the taker has caught up
			}
			fed := st.round.fed(s.stage)
			if !fed && i > 0 {
				break
			}
			mids := st.round.take(s)
			if !fed {
				if len(mids) == 0 {
					return false
				}
				s.running, s.busy = []step{{round: st.round, mids: mids, partial: true}}, true
				return true
			}
			st.mids = append(st.mids, mids...)
		}
		n++
	}
	if n == 0 {
		return false
	}
	s.running, s.queue, s.busy = s.queue[:n:n], s.queue[n:], true
	return true
}

// overfull reports whether what the shard has emitted must be taken before it emits more.
func (s *shard) overfull(r *round) bool {
	if s.stage.to != nil {
		return s.owed > 0
	}
	return len(r.queued[s.index]) > 0
}

// run does the steps until one pauses or fails.
func (s *shard) run() {
	s.done, s.paused, s.outs, s.applied = 0, false, s.outs[:0], s.applied[:0]
	for i := range s.running {
		s.do(&s.running[i])
		if s.err != nil || s.paused || s.failed {
			break
		}
		s.done++
	}
	s.stat = s.op.Stat()
}

func (s *shard) do(st *step) {
	switch {
	case st.flight != nil:
		ref := st.flight.slot.refs[st.ref]
		s.err = s.op.Apply(ref.in.Port, &ref.batch, st.rows)
	case st.round != nil:
		for _, m := range st.mids {
			if s.err = s.op.Apply(m.port, &m.batch, m.rows); s.err != nil {
				return
			}
			s.applied = append(s.applied, m.mid)
		}
		st.mids = nil
		if !st.partial {
			s.advance(st.round)
		}
	default:
		var e vec.Encoder
		s.op.Save(&e)
		s.saved = e.Buf
	}
}

func (s *shard) advance(r *round) {
	w := r.legs[s.stage.index].w
	if s.stage.to != nil {
		var mids []*mid
		rows := 0
		done, err := s.op.Advance(w, func(o *op.Out) bool {
			m := s.mid()
			m.fill(s, o)
			mids = append(mids, m)
			rows += m.batch.N
			return rows < s.budget
		})
		s.advanced(out{round: r, mids: mids}, done, err)
		return
	}
	var e *emitted
	if n := len(s.free); n > 0 {
		e, s.free = s.free[n-1], s.free[:n-1]
		e.reset()
	} else {
		e = new(emitted)
	}
	done, err := s.op.Advance(w, func(o *op.Out) bool { return s.emit(e, o) })
	s.advanced(out{round: r, rows: e}, done, err)
}

// advanced notes how an advance went.
func (s *shard) advanced(o out, done bool, err error) {
	s.failed = errors.As(err, &o.bad)
	if !s.failed {
		s.err = err
	}
	s.paused = !done && !s.failed
	o.done = !s.paused
	s.outs = append(s.outs, o)
}

func (s *shard) mid() *mid {
	n := len(s.spare)
	if n == 0 {
		return newMid(s)
	}
	m := s.spare[n-1]
	s.spare = s.spare[:n-1]
	return m
}

// emit encodes rows; false asks for a pause, when the budget is used up.
func (s *shard) emit(e *emitted, o *op.Out) bool {
	e.values, e.valueEnds = s.value.AppendRows(e.values, e.valueEnds, o.Cols, o.Sel)
	if s.key != nil {
		e.keys, e.keyEnds = s.key.AppendRows(e.keys, e.keyEnds, o.Key, o.Sel)
	}
	n := len(o.Sel)
	if o.Sel == nil {
		n = o.Cols.N
	}
	for k := 0; k < n; k++ {
		i := k
		if o.Sel != nil {
			i = int(o.Sel[k])
		}
		order := vec.Piece(o.Order, o.OrderEnds, i)
		e.orders = append(append(e.orders, o.Major...), order...)
		e.orderEnds = append(e.orderEnds, uint32(len(e.orders)))
		e.times = append(e.times, o.Times[i])
		if s.key == nil {
			e.keys = s.appendPositions(e.keys, order[o.PlaceAt:])
			e.keyEnds = append(e.keyEnds, uint32(len(e.keys)))
		}
	}
	return len(e.valueEnds) < s.budget && len(e.keys)+len(e.values) < shardBytesMax
}

// appendPositions appends the key of a joined row: the positions of the records it is made of, under the names of the
// references.
func (s *shard) appendPositions(dst, place []byte) []byte {
	s.origins = op.Origins(s.origins[:0], place)
	dst = append(dst, s.head...)
	first := true
	for _, o := range s.origins {
		if o.Part < 0 {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, s.taps[o.Part].partText...)
		dst = append(strconv.AppendInt(dst, o.Pos, 10), '}')
	}
	return append(dst, '}')
}
