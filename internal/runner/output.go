package runner

import (
	"ubik/internal/connector"
	"ubik/internal/vec"
)

const (
	writesMax    = 8       // Writes open at a time
	rowsMax      = 4096    // rows in a Write, unless Config.RowsMax says otherwise
	rowsBytesMax = 1 << 18 // bytes of values in a Write, about
)

// drain lets the output queue's entries leave as far as they are ready and the sink keeps up.
func (r *Runner) drain() {
	for len(r.outputs) > 0 && r.writes < writesMax {
		o := r.outputs[0]
		switch {
		case o.flight != nil:
			r.writeChunk(o.flight, o.ref)
		case o.round != nil:
			if !r.merge(o.round) {
				return
			}
			if bad := o.round.bad(); bad != nil {
				r.fail(bad)
				return
			}
			o.round.branch.rounds--
		default:
			if o.cut.waiting > 0 {
				return
			}
			r.flush(o.cut)
		}
		r.outputs = append(r.outputs[:0], r.outputs[1:]...)
	}
}

// writeChunk writes the rows of a chunk of a record-by-record query, as one reference has made them. Their memory is the
// chunk's slot until Written.
func (r *Runner) writeChunk(f *flight, ref int) {
	rows := &f.slot.refs[ref].rows
	if rows.Len() == 0 {
		r.used(f)
		return
	}
	f.part.taps[ref].lane.take(rows)
	r.write(rows, f)
}

func (r *Runner) write(rows *connector.Rows, f *flight) {
	r.writes++
	r.dirty = true
	r.emitted += uint64(rows.Len())
	r.writing = append(r.writing, f)
	r.actions = append(r.actions, Write{rows})
}

// recycle takes the memory of written rows back. Writes are answered in their order.
func (r *Runner) recycle(rows *connector.Rows) {
	f := r.writing[0]
	r.writing = append(r.writing[:0], r.writing[1:]...)
	if f != nil {
		r.used(f)
		return
	}
	r.freeRow = append(r.freeRow, rows)
}

// merge writes the rows of a round as far as they are there, and reports whether the round is at its end.
func (r *Runner) merge(rd *round) bool {
	for r.writes < writesMax {
		rows := r.rows()
		ended := false
		for rows.Len() < r.cfg.rowsMax() && len(rows.Values) < rowsBytesMax {
			i, ready := rd.next()
			if i < 0 {
				ended = ready
				break
			}
			e := rd.queued[i][0]
			rows.Keys = append(rows.Keys, vec.Piece(e.keys, e.keyEnds, e.at)...)
			rows.KeyEnds = append(rows.KeyEnds, uint32(len(rows.Keys)))
			rows.Values = append(rows.Values, vec.Piece(e.values, e.valueEnds, e.at)...)
			rows.ValueEnds = append(rows.ValueEnds, uint32(len(rows.Values)))
			rows.Times = append(rows.Times, e.times[e.at])
			if e.at++; e.empty() {
				rd.queued[i] = append(rd.queued[i][:0], rd.queued[i][1:]...)
				r.freeOut = append(r.freeOut, e)
			}
		}
		if rows.Len() == 0 {
			r.freeRow = append(r.freeRow, rows)
			return ended
		}
		rd.branch.lane.take(rows)
		r.write(rows, nil)
		if ended {
			return true
		}
	}
	return false
}

func (r *Runner) rows() *connector.Rows {
	n := len(r.freeRow)
	if n == 0 {
		return new(connector.Rows)
	}
	w := r.freeRow[n-1]
	r.freeRow = r.freeRow[:n-1]
	w.Keys, w.KeyEnds, w.Values, w.ValueEnds, w.Times = w.Keys[:0], w.KeyEnds[:0], w.Values[:0], w.ValueEnds[:0], w.Times[:0]
	return w
}
