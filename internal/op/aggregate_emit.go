package op

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/zeebo/xxh3"

	"ubik/internal/agg"
	"ubik/internal/expr"
	"ubik/internal/vec"
)

// How much one emission batch holds.
const (
	emitRows     = 2048
	emitKeyBytes = 16 << 20

	// Of a pane so large that results of a full batch might not fit one arena, a batch has fewer rows.
	emitPaneLarge = 1 << 31
	emitFewRows   = 16
)

// emission is the window on its way out, and what emitting needs.
type emission struct {
	active bool
	window int64    // unset without Window
	from   *pane    // its groups
	large  bool     // they are so large that batches are kept small
	queue  []uint32 // the groups in the order they leave
	at     int      // those before it have left

	merged *pane // where the panes of a hopping window come together
	sorter sorter
	ids    []uint32 // of a pane that is merged: the groups there
	own    []uint32 // and its own

	batch   *vec.Batch
	having  *expr.Program
	selects []*expr.Program
	outKeys []*expr.Program
	stumble stumble
	kept    []int32
	out     Out
}

// Advance emits the windows that end at or before w, by (end, start), in each the groups by key bytes.
func (a *aggregate) Advance(w vec.Time, emit func(*Out) bool) (bool, error) {
	if w < a.w {
		panic("op: the watermark went back")
	}
	for {
		if a.active {
			if done, err := a.emit(emit); !done || err != nil {
				return false, err
			}
			a.close()
		}
		if w < a.due && w != vec.PosInf {
			break
		}
		if !a.open(w) {
			break
		}
	}
	if w != a.w {
		a.w = w
		if a.node.Window != nil {
			a.next = max(a.next, a.grid.after(w))
			a.drop()
		}
	}
	return true, nil
}

// open makes the next window that has groups and ends at or before w the active one; false when there is none.
func (a *aggregate) open(w vec.Time) bool {
	if a.node.Window == nil {
		return w == vec.PosInf && a.w != vec.PosInf && a.openWhole()
	}
	a.sortPanes()
	for {
		a.drop()
		if len(a.panes) == 0 {
			return false
		}
		j := max(a.next, a.grid.first(a.panes[0].id.pane))
		if a.due = a.grid.end(j); a.due > w {
			return false
		}
		a.next = j // rows of no earlier window can come
		if a.from = a.gather(j); a.from != nil {
			a.window = j
			a.start()
			return true
		}
		a.next = j + 1
	}
}

// openWhole is open without Window. A total without group keys has a row even without input; the shard that owns the
// empty key gives it.
func (a *aggregate) openWhole() bool {
	if len(a.panes) == 0 {
		empty := xxh3.Hash(nil)
		if len(a.node.Keys) > 0 || a.shard.Of(empty) != a.shard.Index {
			return false
		}
		p := a.paneOf(paneID{})
		p.table.add(empty, nil)
		p.grow()
		a.recount(p)
	}
	a.from = a.panes[0]
	a.start()
	return true
}

// gather brings the panes of window j together; nil when it has no rows.
func (a *aggregate) gather(j int64) *pane {
	behind := j*a.grid.slide + a.grid.size
	var one *pane
	many := false
	for _, p := range a.panes {
		if p.id.pane >= behind {
			break
		}
		if p.id.admit > j {
			continue
		}
		switch {
		case one == nil:
			one = p
			continue
		case !many:
			many = true
			if a.merged == nil {
				a.merged = a.newPane(paneID{})
			}
			a.merged.reset()
			a.merge(one)
		}
		a.merge(p)
	}
	if many {
		return a.merged
	}
	return one
}

// merge adds the groups of p to merged.
func (a *aggregate) merge(p *pane) {
	n := p.table.len()
	a.ids, a.own = a.ids[:0], a.own[:0]
	for g := uint32(0); g < uint32(n); g++ {
		a.own = append(a.own, g)
		a.ids = append(a.ids, a.merged.table.add(p.table.entries[g].hash, p.table.key(g)))
	}
	a.merged.grow()
	for i, acc := range a.merged.accs {
		acc.Merge(a.ids, p.accs[i], a.own)
	}
}

// start begins the window whose groups are in from.
func (a *aggregate) start() {
	a.active, a.at = true, 0
	a.large = a.from.size() > emitPaneLarge
	a.queue = a.sorter.byKey(&a.from.table, a.queue[:0])
	a.out.Major = a.out.Major[:0]
	if a.node.Window != nil {
		for _, t := range []vec.Time{a.grid.end(a.window), a.grid.begin(a.window)} {
			a.out.Major = binary.BigEndian.AppendUint64(a.out.Major, uint64(t)^1<<63)
		}
	}
}

// close ends the active window.
func (a *aggregate) close() {
	a.active, a.from = false, nil
	if a.node.Window != nil {
		a.next = a.window + 1
		return
	}
	a.remove(1)
	a.w = vec.PosInf
}

// drop recycles the panes that no window still to come needs.
func (a *aggregate) drop() {
	if len(a.panes) == 0 {
		a.due = vec.PosInf
		return
	}
	if a.next == firstOfAll || !a.sorted {
		return
	}
	n := 0
	for n < len(a.panes) && a.grid.last(a.panes[n].id.pane) < a.next {
		n++
	}
	if n > 0 {
		a.remove(n)
	}
}

// remove recycles the first n panes.
func (a *aggregate) remove(n int) {
	for i, p := range a.panes[:n] {
		delete(a.index, p.id)
		a.recycle(p)
		a.panes[i] = nil
	}
	a.panes = a.panes[n:]
	if len(a.panes) == 0 {
		a.due = vec.PosInf
	}
}

func (a *aggregate) sortPanes() {
	if a.sorted {
		return
	}
	slices.SortFunc(a.panes, func(p, q *pane) int {
		if p.id.less(q.id) {
			return -1
		}
		return 1
	})
	a.sorted = true
}

// emit hands out what is left of the active window, batch by batch; false when it was asked to stop.
func (a *aggregate) emit(emit func(*Out) bool) (bool, error) {
	for a.at < len(a.queue) {
		a.stumble.reset()
		n, sel := a.fill()
		a.at += n
		goOn := !a.project(sel) || emit(&a.out)
		if a.stumble.row >= 0 {
			return false, a.faulty()
		}
		if !goOn {
			return false, nil
		}
	}
	return true, nil
}

// fill makes the emission batch of the next groups, with their order bytes, and returns how many they are, and the rows of
// those before the first whose results do not fit (nil: all).
func (a *aggregate) fill() (int, []int32) {
	t := &a.from.table
	most := emitRows
	if a.large {
		most = emitFewRows
	}
	groups := a.queue[a.at:]
	groups = groups[:min(len(groups), most)]
	order, ends := a.out.Order[:0], a.out.OrderEnds[:0]
	for i, g := range groups {
		if i > 0 && len(order) > emitKeyBytes {
			groups = groups[:i]
			break
		}
		order = append(order, t.key(g)...)
		ends = append(ends, uint32(len(order)))
	}
	a.out.Order, a.out.OrderEnds = order, ends
	n := len(groups)

	b := a.batch
	b.Resize(n)
	for _, c := range b.Cols {
		c.Arena = c.Arena[:0]
	}
	a.out.Times = slices.Grow(a.out.Times[:0], n)[:n]
	start, end := b.Cols[ColWindowStart], b.Cols[ColWindowEnd]
	if a.node.Window == nil {
		start.SetAllNull()
		end.SetAllNull()
		clear(a.out.Times)
	} else {
		from, to := a.grid.begin(a.window), a.grid.end(a.window)
		for i := 0; i < n; i++ {
			start.I64[i], end.I64[i] = int64(from), int64(to)
			a.out.Times[i] = vec.FloorDiv(int64(to)-1000, 1000)
		}
	}
	keys := b.Cols[ColKeys : ColKeys+len(a.node.Keys)]
	off := uint32(0)
	for i, to := range ends {
		rest := order[off:to]
		off = to
		var err error
		for c, v := range keys {
			if rest, err = vec.DecodeKey(rest, v, i, c == len(keys)-1); err != nil {
				panic("op: the key bytes of a group do not read back")
			}
		}
	}
	var sel []int32
	for i, acc := range a.from.accs {
		if err := acc.Finish(groups, b.Cols[ColKeys+len(keys)+i]); err != nil {
			var o *agg.Overflow
			if !errors.As(err, &o) {
				panic("op: an aggregate failed with " + err.Error())
			}
			if a.stumble.row < 0 || o.Row < int(a.stumble.row) {
				sel = a.stumble.at(int32(o.Row), a.node.Aggs[i].Name, " "+o.Error(), sel)
			}
		}
	}
	return n, sel
}

// project computes the output of the rows of sel, up to the first that cannot leave; false when none does.
func (a *aggregate) project(sel []int32) bool {
	b, st := a.batch, &a.stumble
	if a.having != nil {
		a.kept = a.having.Filter(b, sel, slices.Grow(a.kept[:0], b.N), &st.errs)
		kept := st.after(a.node.Having, a.kept)
		if len(kept) == 0 {
			return false
		}
		if len(kept) < b.N {
			sel = kept
		}
	}
	sel = st.eval(a.out.Cols, a.selects, a.node.Select, b, sel)
	sel = st.eval(a.out.Key, a.outKeys, a.node.OutKey, b, sel)
	a.out.Sel = sel
	return sel == nil || len(sel) > 0
}
