package op

import (
	"fmt"
	"slices"

	"ubik/internal/vec"
)

// applying is the scratch memory of Apply.
type applying struct {
	all    []int32  // 0, 1, 2 …
	at     []int32  // by selected row: its pane's place in panes
	panes  []*pane  // that the batch has rows for
	counts []int32  // by pane: how many, then where the next goes
	rows   []int32  // the rows, pane by pane
	groups []uint32 // of the rows of one pane

	filter       int      // column that the two below were made with, -1: none
	passed       []int32  // the rows of the pane that pass the filter
	passedGroups []uint32 // and their groups
}

// route is the rows that go to one pane: by time, and by own watermark.
type route struct {
	from, to vec.Time // from ≤ time < to
	low, end vec.Time // low ≤ own watermark < end
	at       int32    // place in applying.panes
}

// Apply adds the rows of sel to their panes. b.Time and b.WM are read only with a Window.
func (a *aggregate) Apply(_ int, b *Batch, sel []int32) error {
	if sel == nil {
		for i := len(a.apply.all); i < b.N; i++ {
			a.apply.all = append(a.apply.all, int32(i))
		}
		sel = a.apply.all[:b.N]
	}
	if len(sel) == 0 {
		return nil
	}
	if a.w == vec.PosInf {
		panic("op: a row after the end of the input")
	}
	if a.node.Window == nil {
		a.update(a.paneOf(paneID{}), b, sel)
		return nil
	}
	s := &a.apply
	s.panes, s.counts = s.panes[:0], s.counts[:0]
	s.at = slices.Grow(s.at[:0], len(sel))[:len(sel)]
	// Rows mostly go where the row before went, or the one before that.
	var now, before route
	for k, r := range sel {
		t, wm := b.Time[r], b.WM[r]
		if t < now.from || t >= now.to || wm < now.low || wm >= now.end {
			now, before = before, now
			if t < now.from || t >= now.to || wm < now.low || wm >= now.end {
				now = a.route(t, wm)
			}
		}
		s.at[k] = now.at
		s.counts[now.at]++
	}
	rows := sel
	if len(s.panes) > 1 {
		rows = s.scatter(sel)
	}
	from := 0
	for i, p := range s.panes {
		to := len(rows)
		if len(s.panes) > 1 {
			to = int(s.counts[i])
		}
		a.update(p, b, rows[from:to])
		p.touched = -1
		from = to
	}
	clear(s.panes)
	return nil
}

// scatter returns the rows of sel pane by pane; counts becomes where each pane's rows end.
func (s *applying) scatter(sel []int32) []int32 {
	s.rows = slices.Grow(s.rows[:0], len(sel))[:len(sel)]
	sum := int32(0)
	for i, n := range s.counts {
		s.counts[i], sum = sum, sum+n
	}
	for k, r := range sel {
		c := &s.counts[s.at[k]]
		s.rows[*c] = r
		*c++
	}
	return s.rows
}

// route finds the pane of a row.
func (a *aggregate) route(t, wm vec.Time) route {
	g := &a.grid
	p := g.pane(t)
	first, last := g.first(p), g.last(p)
	r := route{from: g.start(p), to: g.start(p + 1), low: vec.NegInf}
	id := paneID{p, max(first, g.after(wm))}
	if id.admit > last {
		panic(fmt.Sprintf("op: a row at %d is late for all its windows, its own watermark being %d", t, wm))
	}
	if id.admit < a.next {
		panic(fmt.Sprintf("op: a row at %d with the own watermark %d belongs to a window that was emitted at %d", t, wm, a.w))
	}
	if id.admit > first {
		r.low = g.end(id.admit - 1)
	}
	r.end = g.end(id.admit)
	q := a.paneOf(id)
	if q.touched < 0 {
		q.touched = len(a.apply.panes)
		a.apply.panes = append(a.apply.panes, q)
		a.apply.counts = append(a.apply.counts, 0)
	}
	r.at = int32(q.touched)
	return r
}

// update adds rows to one pane.
func (a *aggregate) update(p *pane, b *Batch, rows []int32) {
	s := &a.apply
	s.groups = slices.Grow(s.groups[:0], len(rows))[:len(rows)]
	p.table.find(&b.Keys, b.Hash, rows, s.groups)
	p.grow()
	s.filter = -1
	for i := range p.accs {
		call := &a.node.Aggs[i]
		var arg *vec.Vector
		if call.Arg >= 0 {
			arg = b.Cols[call.Arg]
		}
		if call.Filter < 0 {
			p.accs[i].Update(s.groups, arg, rows)
			continue
		}
		if s.filter != call.Filter {
			s.pass(call.Filter, b.Cols[call.Filter], rows)
		}
		if len(s.passed) > 0 {
			p.accs[i].Update(s.passedGroups, arg, s.passed)
		}
	}
	a.recount(p)
}

// pass keeps the rows, and their groups, where v is TRUE.
func (s *applying) pass(col int, v *vec.Vector, rows []int32) {
	s.filter = col
	s.passed, s.passedGroups = s.passed[:0], s.passedGroups[:0]
	if v.Type.Phys() != vec.PhysBool {
		return // a bare NULL
	}
	for k, r := range rows {
		if !v.IsNull(int(r)) && v.Bools[r] {
			s.passed = append(s.passed, r)
			s.passedGroups = append(s.passedGroups, s.groups[k])
		}
	}
}
