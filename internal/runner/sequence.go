package runner

import (
	"fmt"

	"ubik/internal/codec"
	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/op"
)

// sequence takes prepared chunks in, as far as it may, and starts a round behind each that moves a cursor.
func (r *Runner) sequence() {
	for !r.stopping && !r.last {
		p := r.nextPart()
		if p == nil {
			break
		}
		f := p.queue[0]
		p.queue = append(p.queue[:0], p.queue[1:]...)
		r.sequenceChunk(p, f)
		r.raise()
		r.advance()
	}
	for _, p := range r.parts {
		if p.damage != nil && len(p.queue) == 0 {
			r.stop(p.damage)
		}
	}
}

// sequenceChunk gives each record of the chunk its own watermark and its place in the ledger, for each reference to the
// source, and hands the rows that are used to the shards, or to the output.
func (r *Runner) sequenceChunk(p *partition, f *flight) {
	s, c := f.slot, f.chunk
	n := s.all.N
	next, finished := c.Next, c.End

	// The records before the first that stops the run are taken, by all references the same.
	limit, stopper := n, -1
	clocks := make([]clock, len(p.taps))
	for i := 0; i < len(p.taps); i++ {
		k, now := r.classify(p.taps[i], s.refs[i], c.Pos, limit)
		clocks[i] = now
		if k < limit {
			limit, stopper, i = k, i, -1
		}
	}
	var bad error
	if stopper >= 0 { // the run stops before this record
		bad = r.malformed(f, limit, s.refs[stopper].causeOf(limit))
		next, finished = c.At(limit), false
	}
	p.next, p.finished = next, finished
	r.moved = true

	s.left = 0
	for i, t := range p.taps {
		t.clock = clocks[i]
		ref := s.refs[i]
		if t.in.Stage < 0 {
			ref.cutRows(limit)
			s.left++
			r.outputs = append(r.outputs, &output{flight: f, ref: i})
			continue
		}
		for k, sel := range ref.shards {
			if len(sel) > 0 {
				s.left++
				sh := r.stages[t.in.Stage].shards[k]
				sh.queue = append(sh.queue, step{flight: f, ref: i, rows: sel})
			}
		}
	}
	if s.left == 0 {
		r.release(f)
	}
	if bad != nil {
		r.stop(bad)
	}
}

// classify walks the first limit records in order. It returns the number of records taken, which is less when a malformed
// one stops the run, and the reference's clock behind them.
func (r *Runner) classify(t *tap, s *prepared, pos []int64, limit int) (int, clock) {
	c := t.clock
	l := &c.ledger
	delay := t.in.Delay
	timed, windowed, strict, staged := s.time != nil, t.in.Window != nil, t.in.Strict, t.in.Stage >= 0
	for i := range s.shards {
		s.shards[i] = s.shards[i][:0]
	}
	if timed {
		s.batch.WM = resize(s.batch.WM, len(s.class))
	}
	shard := op.Shard{Count: r.cfg.Shards}
	own := max(c.maxTime.Sub(delay), c.floor)
	for i, cl := range s.class[:limit] {
		if cl == classMalformed {
			if !r.cfg.Skip {
				return i, c
			}
			l.Read++
			l.noteMalformed(pos[i], s, i)
			continue
		}
		wm, before := own, c.maxTime
		if timed {
			s.batch.WM[i] = wm
			if t := s.batch.Time[i]; t > c.maxTime {
				c.maxTime = t
				own = max(t.Sub(delay), c.floor)
			}
		}
		switch {
		case cl == classFiltered:
			l.Filtered++
		case cl == classBadWhere:
			if !r.cfg.Skip {
				c.maxTime = before
				return i, c
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
				c.maxTime = before
				return i, c
			}
			l.noteMalformed(pos[i], s, i)
		default:
			l.Used++
			if windowed && s.first[i] <= wm {
				l.PartlyLate++
			}
			if staged {
				k := shard.Of(s.batch.Hash[i])
				s.shards[k] = append(s.shards[k], int32(i))
			}
		}
		l.Read++
	}
	return limit, c
}

func (l *Ledger) noteMalformed(pos int64, s *prepared, i int) {
	m := codec.Malformed{}
	if l.FirstMalformed == nil {
		m = s.causeOf(i)
	}
	l.malformed(pos, m.Field, m.Reason)
}

func (s *prepared) causeOf(i int) codec.Malformed {
	for _, m := range s.cause {
		if int(m.Row) == i {
			return m
		}
	}
	panic("runner: a malformed record without a cause")
}

// cutRows keeps the output rows of the records before k.
func (s *prepared) cutRows(k int) {
	n := 0
	for n < len(s.final) && int(s.final[n]) < k {
		n++
	}
	r := &s.rows
	r.KeyEnds, r.ValueEnds, r.Times = r.KeyEnds[:n], r.ValueEnds[:n], r.Times[:n]
}

// recordAt is record i of a chunk; nil: it has none there, or none with bytes.
func recordAt(c *connector.Chunk, i int) []byte {
	if i >= len(c.Spans) || c.Spans[i].Len >= codec.HugeLen {
		return nil
	}
	return c.Data[c.Spans[i].Off : c.Spans[i].Off+c.Spans[i].Len]
}

// malformed is the error that stops the run at record i of a chunk.
func (r *Runner) malformed(f *flight, i int, m codec.Malformed) error {
	p, c := f.part, f.chunk
	where := fmt.Sprintf("%s, position %d", p.name(), c.Pos[i])
	try := "mend the query or the schema"
	if m.Field != "" {
		where += ", " + m.Field
	}
	switch span := c.Spans[i]; {
	case span.Len == codec.HugeLen:
		try = fmt.Sprintf("raise --max-record, which is %d", r.cfg.MaxRecord)
	case m.Field != "" && r.cfg.Admit != nil && span.Len < codec.HugeLen:
		if how := r.cfg.Admit(p.source, m, c.Data[span.Off:span.Off+span.Len]); how != "" {
			try = how
		}
	case m.Field == "" && r.cfg.Hint != nil:
		if how := r.cfg.Hint(p.source, recordAt(c, i), recordAt(c, i+1)); how != "" {
			return fault.New(fault.Data, "malformed record at "+where+": "+m.Reason, how)
		}
	}
	return fault.New(fault.Data, "malformed record at "+where+": "+m.Reason,
		try+", or pass over such records, counted, with --on-error skip")
}
