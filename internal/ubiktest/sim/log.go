package sim

import (
	"ubik/internal/codec"
	"ubik/internal/connector"
	"ubik/internal/ubiktest/naive"
	"ubik/internal/vec"
)

// logState is the log as far as it has come into being. It survives crashes.
type logState struct {
	parts []naive.Partition
	seen  []int                // by partition: records that are there
	begin []connector.Position // by partition: where the first start begins
	tail  int64
	odd   bool // the ends of every second partition are not known
}

func newLog(parts []naive.Partition, passed []int, tail int64, pacing Pacing) *logState {
	l := &logState{parts: parts, tail: tail}
	for i, p := range parts {
		n, begin := len(p.Records), connector.Position{Epoch: -1}
		if passed[i] > 0 {
			begin.Offset = p.Records[passed[i]-1].Position + 1
		}
		if pacing == Growing {
			n = passed[i]
		}
		l.seen, l.begin = append(l.seen, n), append(l.begin, begin)
	}
	return l
}

// whole reports whether all of the log is there.
func (l *logState) whole() bool {
	for i, p := range l.parts {
		if l.seen[i] < len(p.Records) {
			return false
		}
	}
	return true
}

// grow adds the next record of a partition that has one.
func (l *logState) grow(d *decider) {
	var open []int
	for i, p := range l.parts {
		if l.seen[i] < len(p.Records) {
			open = append(open, i)
		}
	}
	l.seen[open[d.pick(len(open))]]++
}

func (l *logState) fill() {
	for i, p := range l.parts {
		l.seen[i] = len(p.Records)
	}
}

// end is the position behind what there is of a partition, the tail included once it is whole.
func (l *logState) end(i int) int64 {
	end := int64(0)
	if n := l.seen[i]; n > 0 {
		end = l.parts[i].Records[n-1].Position + 1
	}
	if l.seen[i] == len(l.parts[i].Records) {
		end += l.tail
	}
	return end
}

func (l *logState) list() []connector.Partition {
	var out []connector.Partition
	for i, p := range l.parts {
		end := l.end(i)
		if l.odd && i%2 == 0 {
			end = connector.EndUnknown
		}
		out = append(out, connector.Partition{
			PartitionID: connector.PartitionID{Topic: p.Topic, Index: p.Index}, LogID: "id of " + p.Topic, End: end, Epoch: 7, Source: p.Source,
		})
	}
	return out
}

// reader reads the partitions in one life.
type reader struct {
	log   *logState
	at    []connector.Start
	next  []int64
	ended []bool
	style int // how long chunks are
}

func newReader(l *logState, at []connector.Start, d *decider) *reader {
	r := &reader{log: l, at: at, style: d.pick(4)}
	for _, s := range at {
		r.next = append(r.next, s.From.Offset)
		r.ended = append(r.ended, false)
	}
	return r
}

// waiting returns the records of a partition that are there to be read.
func (r *reader) waiting(p int) []naive.Record {
	var out []naive.Record
	for _, rec := range r.log.parts[p].Records[:r.log.seen[p]] {
		if rec.Position >= r.next[p] && (r.at[p].Until < 0 || rec.Position < r.at[p].Until) {
			out = append(out, rec)
		}
	}
	return out
}

// ready reports whether a Read of the partition would return.
func (r *reader) ready(p int) bool {
	return len(r.waiting(p)) > 0 || r.at[p].Until >= 0 && !r.ended[p]
}

// drained reports whether every record there is has been read.
func (r *reader) drained() bool {
	for p := range r.at {
		if len(r.waiting(p)) > 0 {
			return false
		}
	}
	return true
}

// read returns the next chunk of a partition.
func (r *reader) read(p int, d *decider) *connector.Chunk {
	recs := r.waiting(p)
	take := len(recs)
	if take > 0 {
		switch r.style {
		case 0:
			take = 1
		case 1:
			take = min(take, 1+d.pick(4))
		case 2:
			take = 1 + d.pick(take)
		}
	}
	until := r.at[p].Until
	c := &connector.Chunk{Next: connector.Position{Offset: r.next[p], Epoch: 7}}
	if take > 0 {
		c.Next.Offset = recs[take-1].Position + 1
	}
	if until >= 0 && take == len(recs) && (c.Next.Offset >= until || take == 0 || d.chance(2)) {
		if until != connector.EndUnknown {
			c.Next.Offset = until // past the gap at the end, if there is one
		}
		c.End, r.ended[p] = true, true
	}
	r.next[p] = c.Next.Offset
	fill(c, recs[:take], r.log.parts[p].Untimed)
	return c
}

// fill lays records out as a source does: values in one arena, which is spoiled when the chunk is given back.
func fill(c *connector.Chunk, recs []naive.Record, untimed bool) {
	c.Keys = []vec.Span{}
	put := func(b []byte) vec.Span {
		if b == nil {
			return vec.Span{Len: codec.NullLen}
		}
		off := len(c.Data)
		c.Data = append(append(c.Data, b...), '\n')
		return vec.Span{Off: uint32(off), Len: uint32(len(b))}
	}
	for _, rec := range recs {
		c.Spans = append(c.Spans, put(rec.Value))
		c.Keys = append(c.Keys, put(rec.Key))
		c.Pos = append(c.Pos, rec.Position)
		if !untimed {
			c.LogTime = append(c.LogTime, rec.Time)
		}
	}
	if !untimed && c.LogTime == nil {
		c.LogTime = []int64{}
	}
	pos := append([]int64{}, c.Pos...)
	c.At = func(i int) connector.Position { return connector.Position{Offset: pos[i], Epoch: 7} }
	c.Recycle = func() {
		for i := range c.Data {
			c.Data[i] = '#'
		}
		for i := range c.Pos {
			c.Pos[i] = -1
		}
		for i := range c.LogTime {
			c.LogTime[i] = -1
		}
	}
}
