package op

import (
	"bytes"
	"slices"

	"github.com/zeebo/xxh3"

	"ubik/internal/vec"
)

// The state of a key group, frozen:
//
//	i64      the watermark last advanced to; the same in every key group
//	uvarint  number of panes that hold groups of this key group, at least 1; then each, by (start, admission):
//	  i64      start of the pane, 0 without Window
//	  i64      end of the first window that the rows belong to, 0 without Window
//	  uvarint  number of groups, at least 1
//	  …        the key of each, by (hash, key bytes): uvarint length and the bytes
//	  …        of each aggregate: the states of the groups, in the same order
//
// Nothing in it depends on where a group lies in its table.

// saving is the scratch memory of Save.
type saving struct {
	runs, byGroup []run
	body          vec.Encoder
	saved         int    // bytes, last time
	check         []byte // a loaded key, written again
}

// run is the groups of one key group in one pane.
type run struct {
	group    int // key group
	pane     *pane
	from, to uint32 // in pane.order
}

func (a *aggregate) Save(e *vec.Encoder) {
	if a.active {
		panic("op: a state saved in the middle of a window")
	}
	a.sortPanes()
	a.listRuns()
	e.Buf = slices.Grow(e.Buf, a.saved+a.saved/16)
	before := len(e.Buf)
	for runs := a.byGroup; len(runs) > 0; {
		n := 1
		for n < len(runs) && runs[n].group == runs[0].group {
			n++
		}
		a.body.Buf = a.body.Buf[:0]
		a.saveGroup(&a.body, runs[:n])
		e.Uvarint(uint64(runs[0].group))
		e.Bytes(a.body.Buf)
		runs = runs[n:]
	}
	a.saved = len(e.Buf) - before
	clear(a.runs)
	clear(a.byGroup)
}

// listRuns fills byGroup: by key group, in each by pane.
func (a *aggregate) listRuns() {
	var at [KeyGroups + 1]int
	a.runs = a.runs[:0]
	for _, p := range a.panes {
		// Groups are only ever added, so an order of as many groups as there are is still right.
		if len(p.order) != p.table.len() {
			p.order, p.runs = a.sorter.byHash(&p.table, p.order[:0], p.runs[:0])
			a.recount(p)
		}
		from := uint32(0)
		for _, r := range p.runs {
			a.runs = append(a.runs, run{int(r.group), p, from, r.to})
			at[int(r.group)+1]++
			from = r.to
		}
	}
	for g := range KeyGroups {
		at[g+1] += at[g]
	}
	a.byGroup = slices.Grow(a.byGroup[:0], len(a.runs))[:len(a.runs)]
	for _, r := range a.runs {
		a.byGroup[at[r.group]] = r
		at[r.group]++
	}
}

func (a *aggregate) saveGroup(e *vec.Encoder, runs []run) {
	e.I64(int64(a.w))
	e.Uvarint(uint64(len(runs)))
	for _, r := range runs {
		start, end := a.bounds(r.pane.id)
		e.I64(int64(start))
		e.I64(int64(end))
		groups := r.pane.order[r.from:r.to]
		e.Uvarint(uint64(len(groups)))
		r.pane.table.saveKeys(e, groups)
		for _, acc := range r.pane.accs {
			acc.Save(e, groups)
		}
	}
}

// saveKeys appends the keys of groups. They lie anywhere in a table that may be large: those of some groups are fetched
// at once before they are copied.
func (t *table) saveKeys(e *vec.Encoder, groups []uint32) {
	var some [keysAhead]uint32
	for len(groups) > 0 {
		n := min(len(groups), len(some))
		for i, g := range groups[:n] {
			some[i] = g + 1
		}
		t.touch(some[:n])
		for _, g := range groups[:n] {
			e.Bytes(t.key(g))
		}
		groups = groups[n:]
	}
}

// bounds are the times that stand for a pane in the state.
func (a *aggregate) bounds(id paneID) (start, end vec.Time) {
	if a.node.Window == nil {
		return 0, 0
	}
	return a.grid.start(id.pane), a.grid.end(id.admit)
}

// idOf is the reverse of bounds, and false for times that stand for no pane that could be open.
func (a *aggregate) idOf(start, end vec.Time) (paneID, bool) {
	if a.node.Window == nil {
		return paneID{}, start == 0 && end == 0
	}
	if !near(start) || !near(end) {
		return paneID{}, false
	}
	id := paneID{pane: a.grid.pane(start)}
	var ok bool
	id.admit, ok = a.grid.endingAt(end)
	first, last := a.grid.first(id.pane), a.grid.last(id.pane)
	return id, ok && a.grid.start(id.pane) == start && id.admit >= first && id.admit <= last && last >= a.next
}

// near reports whether t could bound a window: no further from the times of rows than a window may be long, and moved
// by an offset.
func near(t vec.Time) bool {
	const margin = 2 * (daysMax + 1) * vec.Day
	return t >= vec.MinTime-margin && t <= vec.MaxTime+margin
}

// Load reads a saved state. It believes nothing: bytes that Save cannot have written give an error.
func (a *aggregate) Load(d *vec.Decoder) error {
	last := -1
	var w vec.Time
	for len(d.Buf) > 0 && d.Err == nil {
		group := d.Uvarint()
		body := vec.Decoder{Buf: d.Bytes()}
		if d.Err != nil {
			break
		}
		if group >= KeyGroups || int(group) <= last {
			return vec.ErrState
		}
		t := vec.Time(body.I64())
		if body.Err != nil || last >= 0 && t != w || t == vec.PosInf {
			return vec.ErrState
		}
		if last < 0 {
			w = t
			a.w = w
			if a.node.Window != nil {
				a.next = a.grid.after(w)
			}
		}
		last = int(group)
		if a.shard.Owns(last) {
			a.loadGroup(&body, last)
			if err := body.Done(); err != nil {
				return err
			}
		}
	}
	for _, p := range a.panes {
		a.recount(p)
	}
	return d.Err
}

func (a *aggregate) loadGroup(d *vec.Decoder, group int) {
	count := d.Count(18)
	if count == 0 {
		d.Refuse()
	}
	var before paneID
	for i := 0; i < count && d.Err == nil; i++ {
		start, end := vec.Time(d.I64()), vec.Time(d.I64())
		n := d.Count(1)
		if d.Err != nil {
			return
		}
		id, ok := a.idOf(start, end)
		if !ok || n == 0 || i > 0 && !before.less(id) {
			d.Refuse()
			return
		}
		before = id
		p := a.paneOf(id)
		if a.loadKeys(d, p, group, n); d.Err != nil {
			return
		}
		for _, acc := range p.accs {
			if acc.Load(d, n); d.Err != nil {
				return
			}
		}
	}
}

// loadKeys adds n keys to the pane's table. They must be in order, so all are new.
func (a *aggregate) loadKeys(d *vec.Decoder, p *pane, group, n int) {
	var hashBefore uint64
	var keyBefore []byte
	for i := 0; i < n && d.Err == nil; i++ {
		key := d.Bytes()
		if d.Err != nil {
			return
		}
		h := xxh3.Hash(key)
		inOrder := i == 0 || hashBefore < h || hashBefore == h && bytes.Compare(keyBefore, key) < 0
		if int(h>>56) != group || !inOrder || !a.validKey(key) {
			d.Refuse()
			return
		}
		p.table.add(h, key)
		hashBefore, keyBefore = h, key
	}
}

// validKey reports whether the bytes are those of a key of the node's types.
func (a *aggregate) validKey(key []byte) bool {
	valid, _ := validKey(key, a.batch.Cols[ColKeys:ColKeys+len(a.node.Keys)], &a.check)
	return valid
}

// validKey reports whether the bytes are those of a key of the types of cols, and whether one of its values is NULL. It
// uses cols and scratch.
func validKey(key []byte, cols []*vec.Vector, scratch *[]byte) (valid, null bool) {
	rest, again := key, (*scratch)[:0]
	for i, v := range cols {
		v.Resize(1)
		v.Arena = v.Arena[:0]
		last := i == len(cols)-1
		var err error
		if rest, err = vec.DecodeKey(rest, v, 0, last); err != nil {
			return false, false
		}
		if v.IsNull(0) {
			null = true
		} else if !vec.Valid(v, 0) {
			return false, false
		}
		again = vec.AppendKey(again, v, 0, last)
	}
	*scratch = again
	return bytes.Equal(again, key), null
}
