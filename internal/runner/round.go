package runner

import (
	"bytes"

	"ubik/internal/op"
	"ubik/internal/vec"
)

// round is one advance of all operators of a branch, each to its cursor at one moment. An operator's shard advances when
// those that feed it have, and has applied what they emitted. The rows of the last operator leave merged, in lane order.
type round struct {
	branch *branch
	legs   []leg        // by stage
	queued [][]*emitted // by shard of the last stage: rows not merged yet
	done   []bool       // by shard of the last stage: no more rows will be queued
}

// leg is one operator's part of a round.
type leg struct {
	w    vec.Time
	mids [][]*midRows // by shard: rows of the operators that feed it, not yet applied
	done []bool       // by shard: it has advanced
	left int          // shards that have not
	bad  *op.RowError // the first row in lane order that a shard cannot emit; it has then done its part
}

// fail notes a row that cannot be emitted.
func (l *leg) fail(e *op.RowError) {
	if l.bad == nil || bytes.Compare(e.Order, l.bad.Order) < 0 {
		l.bad = e
	}
}

// fed reports whether nothing more comes from the operators that feed a stage.
func (r *round) fed(st *stage) bool {
	for _, f := range st.from {
		if r.legs[f.index].left > 0 {
			return false
		}
	}
	return true
}

// take hands out the rows that wait for a shard.
func (r *round) take(s *shard) []*midRows {
	l := &r.legs[s.stage.index]
	m := l.mids[s.index]
	l.mids[s.index] = nil
	return m
}

// next returns the shard whose next row comes first, or -1 with ready = false when a shard still has to report,
// ready = true when the round is at its end or at the row that cannot be emitted.
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
	if bad := r.bad(); best >= 0 && bad != nil && bytes.Compare(bad.Order, r.queued[best][0].order()) < 0 {
		return -1, true
	}
	return best, true
}

// bad is the row of the last operator at which the round is at its end before all rows have left, nil: there is none.
func (r *round) bad() *op.RowError {
	stages := r.branch.stages
	return r.legs[stages[len(stages)-1].index].bad
}
