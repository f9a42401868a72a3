package runner

import (
	"bytes"
	"strconv"

	"ubik/internal/codec"
	"ubik/internal/op"
	"ubik/internal/vec"
)

// step is one thing a shard does, in the order of its queue.
type step struct {
	flight *flight // apply these rows of a chunk
	rows   []int32

	round *round // advance to round.w, or
	cut   *cut   // save the state
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

func (e *emitted) order() []byte { return piece(e.orders, e.orderEnds, e.at) }

func piece(b []byte, ends []uint32, i int) []byte {
	var from uint32
	if i > 0 {
		from = ends[i-1]
	}
	return b[from:ends[i]]
}

// shard is one shard of the operator with its queue. While busy, running, out and the operator belong to the task.
type shard struct {
	index  int
	op     op.Operator
	value  codec.Encoder
	key    codec.Encoder // nil: the origins of a row are its key
	budget int           // rows it emits before it lets the merge catch up

	parts   []*partition // what origins mean; only their names are read
	aliases []string     // of the inputs

	queue []step // not yet handed to a task
	busy  bool

	running []step // what the task does
	done    int    // steps of running that are finished
	paused  bool   // the step behind is an advance that has more to emit
	outs    []out  // what the advances of this task emitted
	free    []*emitted
	saved   []byte // the state, after a cut step
	stat    op.Stat
	err     error

	last op.Stat // of the task before, readable at any time
}

// shardBytesMax is how many bytes of keys and values a shard emits, about, before it lets the merge catch up.
const shardBytesMax = 4 << 20

// out is what one shard emitted for a round in one task.
type out struct {
	round *round
	rows  *emitted
	done  bool // the round has no more rows from this shard
}

// run does the steps until one pauses or fails.
func (s *shard) run() {
	s.done, s.paused, s.outs = 0, false, s.outs[:0]
	for _, st := range s.running {
		switch {
		case st.flight != nil:
			s.err = s.op.Apply(st.flight.part.source, &st.flight.slot.batch, st.rows)
		case st.round != nil:
			s.advance(st.round)
		default:
			var e vec.Encoder
			s.op.Save(&e)
			s.saved = e.Buf
		}
		if s.err != nil || s.paused {
			break
		}
		s.done++
	}
	s.stat = s.op.Stat()
}

func (s *shard) advance(r *round) {
	var e *emitted
	if n := len(s.free); n > 0 {
		e, s.free = s.free[n-1], s.free[:n-1]
		e.reset()
	} else {
		e = new(emitted)
	}
	done, err := s.op.Advance(r.w, func(o *op.Out) bool { return s.emit(e, o) })
	s.outs = append(s.outs, out{r, e, done})
	s.err, s.paused = err, !done
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
		e.orders = append(append(e.orders, o.Major...), piece(o.Order, o.OrderEnds, i)...)
		e.orderEnds = append(e.orderEnds, uint32(len(e.orders)))
		e.times = append(e.times, o.Times[i])
		if s.key == nil {
			e.keys = s.appendOrigins(e.keys, o, i)
			e.keyEnds = append(e.keyEnds, uint32(len(e.keys)))
		}
	}
	return len(e.valueEnds) < s.budget && len(e.keys)+len(e.values) < shardBytesMax
}

// appendOrigins appends the key of a joined row: the places of the records it is made of, under the names of their inputs.
func (s *shard) appendOrigins(dst []byte, o *op.Out, i int) []byte {
	sep := byte('{')
	for input, origins := range o.Origins {
		if origins == nil || origins[i].Part < 0 {
			continue
		}
		dst = append(append(dst, sep), '"')
		dst = append(appendEscaped(dst, s.aliases[input]), '"', ':')
		dst = append(dst, s.parts[origins[i].Part].keyText...)
		dst = append(strconv.AppendInt(dst, origins[i].Pos, 10), '}')
		sep = ','
	}
	return append(dst, '}')
}

// round is one advance of all shards to the same watermark. Its rows leave merged, in lane order.
type round struct {
	w      vec.Time
	queued [][]*emitted // by shard: rows not merged yet
	done   []bool       // by shard: no more rows will be queued
}

// next returns the shard whose next row comes first, or -1 with ready = false when a shard still has to report,
// ready = true when the round is at its end.
func (r *round) next() (index int, ready bool) {
	best := -1
	for i, q := range r.queued {
		if len(q) == 0 {
			if !r.done[i] {
				return -1, false
			}
			continue
		}
		if best < 0 || bytes.Compare(q[0].order(), r.queued[best][0].order()) < 0 {
			best = i
		}
	}
	return best, true
}
