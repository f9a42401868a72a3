package runner

import (
	"fmt"

	"ubik/internal/codec"
	"ubik/internal/fault"
	"ubik/internal/op"
	"ubik/internal/vec"
)

// sequence takes every prepared chunk that is next in its partition, then works out the watermark.
func (r *Runner) sequence() {
	took := false
	for _, p := range r.parts {
		for !r.stopping && !r.last && len(p.queue) > 0 && p.queue[0].prepared {
			f := p.queue[0]
			p.queue = append(p.queue[:0], p.queue[1:]...)
			r.sequenceChunk(p, f)
			took = true
		}
		if r.oneByOne() && !p.finished {
			break
		}
	}
	if took {
		r.raise()
	}
}

// sequenceChunk gives each record of the chunk its own watermark and its place in the ledger, and hands the rows that
// are used to the shards, or to the output.
func (r *Runner) sequenceChunk(p *partition, f *flight) {
	s, c := f.slot, f.chunk
	n := len(s.class)
	next, finished := c.Next, c.End

	var bad error
	k, ledger, maxTime := r.classify(p, s, c.Pos)
	if k < n { // the run stops before this record
		bad = r.malformed(p, c.Pos[k], s.causeOf(k))
		next, finished = c.At(k), false
	}
	p.ledger, p.maxTime = ledger, maxTime
	p.next, p.finished = next, finished
	r.moved = true

	if len(r.shards) == 0 {
		s.cutRows(k)
		r.outputs = append(r.outputs, &output{flight: f})
	} else {
		s.left = 0
		for i, sel := range s.shards {
			if len(sel) > 0 {
				s.left++
				r.shards[i].queue = append(r.shards[i].queue, step{flight: f, rows: sel})
			}
		}
		if s.left == 0 {
			r.release(f)
		}
	}
	if bad != nil {
		r.stop(bad)
	}
}

// classify walks the records in order. It returns the number of records taken, which is less than all when a malformed
// one stops the run, and the partition's ledger and greatest time behind them.
func (r *Runner) classify(p *partition, s *slot, pos []int64) (int, Ledger, vec.Time) {
	l, maxTime := p.ledger, p.maxTime
	delay := p.in.Delay
	timed, windowed, strict := s.time != nil, s.in.Window != nil, s.in.Strict
	for i := range s.shards {
		s.shards[i] = s.shards[i][:0]
	}
	n := len(s.class)
	if timed {
		s.batch.WM = resize(s.batch.WM, n)
	}
	shard := op.Shard{Count: r.cfg.Shards}
	own := max(maxTime.Sub(delay), p.floor)
	for i, cl := range s.class {
		if cl == classMalformed {
			if !r.cfg.Skip {
				return i, l, maxTime
			}
			l.Read++
			l.noteMalformed(pos[i], s, i)
			continue
		}
		wm, before := own, maxTime
		if timed {
			s.batch.WM[i] = wm
			if t := s.batch.Time[i]; t > maxTime {
				maxTime = t
				own = max(t.Sub(delay), p.floor)
			}
		}
		switch {
		case cl == classFiltered:
			l.Filtered++
		case cl == classBadWhere:
			if !r.cfg.Skip {
				return i, l, before
			}
			l.noteMalformed(pos[i], s, i)
		case cl == classUnwindowed:
			l.Unwindowed++
		case windowed && s.last[i] <= wm:
			l.late(pos[i], s.batch.Time[i], wm, s.last[i] > before.Sub(delay))
		case strict && s.batch.Time[i] < wm:
			l.late(pos[i], s.batch.Time[i], wm, s.batch.Time[i] >= before.Sub(delay))
		case cl == classBadExpr:
			if !r.cfg.Skip {
				return i, l, before
			}
			l.noteMalformed(pos[i], s, i)
		default:
			l.Used++
			if windowed && s.first[i] <= wm {
				l.PartlyLate++
			}
			if len(r.shards) > 0 {
				k := shard.Of(s.batch.Hash[i])
				s.shards[k] = append(s.shards[k], int32(i))
			}
		}
		l.Read++
	}
	return n, l, maxTime
}

func (l *Ledger) noteMalformed(pos int64, s *slot, i int) {
	m := codec.Malformed{}
	if l.FirstMalformed == nil {
		m = s.causeOf(i)
	}
	l.malformed(pos, m.Field, m.Reason)
}

func (s *slot) causeOf(i int) codec.Malformed {
	for _, m := range s.cause {
		if int(m.Row) == i {
			return m
		}
	}
	panic("runner: a malformed record without a cause")
}

// cutRows keeps the output rows of the records before k.
func (s *slot) cutRows(k int) {
	n := 0
	for n < len(s.final) && int(s.final[n]) < k {
		n++
	}
	r := &s.rows
	r.KeyEnds, r.ValueEnds, r.Times = r.KeyEnds[:n], r.ValueEnds[:n], r.Times[:n]
}

func (r *Runner) malformed(p *partition, offset int64, m codec.Malformed) error {
	where := fmt.Sprintf("%s, position %d", p.name(), offset)
	if m.Field != "" {
		where += ", " + m.Field
	}
	return fault.New(fault.Data, "malformed record at "+where+": "+m.Reason,
		"mend the query or the schema, or pass over such records, counted, with --on-error skip")
}

// raise works out the partitions' watermarks and W, their minimum.
func (r *Runner) raise() {
	w := vec.PosInf
	for _, p := range r.parts {
		p.wm = max(p.maxTime.Sub(p.in.Delay), p.floor)
		if p.finished && r.cfg.Mode != KeepOpen {
			p.wm = vec.PosInf
		}
		w = min(w, p.wm)
	}
	if w < r.w {
		panic("runner: the watermark went back")
	}
	r.w = w
}
