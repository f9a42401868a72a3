package op

import (
	"cmp"
	"slices"

	"ubik/internal/vec"
)

// joinSlice is the rows that settle next.
type joinSlice struct {
	slice  rowBucket
	sorter sorter // its items from at on are those that have not settled
	at     int
	until  vec.Time // no row earlier than that is pending

	tooLarge bool // the slice has more rows than there is room for among the settled ones

	touched int // items before it have their keys in the cache
	ahead   []uint32
}

const (
	itemsAhead = 128 // items whose keys are fetched before they settle
	dropEvery  = 64  // moments after which rows are dropped that leave no trace
)

// moment is one time at which rows settle or leave. Its candidates are made in lane order: by left position, then right
// position; behind each left row's pairs the row alone; behind all of them the right rows alone.
type moment struct {
	open    bool
	t       vec.Time
	moments int // so far

	fresh [2][]uint32 // rows that settled at t; on the right by key and position
	runs  []keySpan   // the fresh right rows, key by key, by the keys' cells

	lefts    []uint32 // the rows of those pairs, and those due, by position
	rights   []uint32 // those due that leave alone, by position
	left     int      // the next of lefts
	right    int      // the next of rights
	partners []uint32 // of lefts[left], by position, when begun
	begun    bool
	partner  int // the next of partners
}

// keySpan is the rows fresh[1][from:to], of one key.
type keySpan struct {
	key      uint32
	from, to int
}

// nextMoment opens the next moment before the target; false when there is none, or tooLarge.
func (j *bandJoin) nextMoment() bool {
	for !j.tooLarge {
		t := j.until
		if j.at < len(j.sorter.items) {
			t = vec.Time(j.sorter.items[j.at].word ^ 1<<63)
		}
		for side := range j.rings {
			if id := j.rings[side].first(); id != noRow && j.keeps[side] {
				t = min(t, j.due(side, j.store.row(id).ts()))
			}
		}
		if t < j.until {
			j.start(t)
			return true
		}
		if j.until == j.target {
			return false
		}
		j.slice.clear(&j.store)
		j.until = j.pending.take(j.target, &j.slice)
		if j.tooLarge = !j.store.holds(len(j.slice.pages)); j.tooLarge {
			break
		}
		j.sorter.sortByTime(&j.store, &j.slice)
		j.at, j.touched = 0, 0
	}
	return false
}

// start opens the moment t: its rows settle, and what can leave is listed.
func (j *bandJoin) start(t vec.Time) {
	m := &j.moment
	m.open, m.t = true, t
	m.left, m.right, m.begun = 0, 0, false
	m.lefts, m.rights = m.lefts[:0], m.rights[:0]
	m.fresh[0], m.fresh[1] = m.fresh[0][:0], m.fresh[1][:0]
	items := j.sorter.items
	if j.at >= j.touched && j.at < len(items) {
		j.touchNext()
	}
	for word := timeWord(t); j.at < len(items) && items[j.at].word == word; j.at++ {
		j.settle(items[j.at].group)
	}
	m.lefts = append(m.lefts, m.fresh[0]...)
	j.listRuns()
	for _, run := range m.runs {
		last := j.keys.at(run.key).last(0)
		for id := j.earliest(last); id != noRow; {
			l := j.store.row(id)
			ts := l.ts()
			if ts == t || j.from(ts) > t {
				break // fresh ones are listed
			}
			if j.to(ts) >= t && !(j.once() && l.matched()) {
				m.lefts = append(m.lefts, id)
			}
			if id == last {
				break
			}
			id = l.next()
		}
	}
	if j.keeps[0] {
		j.rings[0].each(func(id uint32, r joinRow) bool {
			ts := r.ts()
			if j.due(0, ts) != t {
				return false
			}
			if !r.matched() && ts != t {
				m.lefts = append(m.lefts, id)
			}
			return true
		})
	}
	m.lefts = j.byPlace(m.lefts)
	if j.keeps[1] {
		j.rings[1].each(func(id uint32, r joinRow) bool {
			due := j.due(1, r.ts()) == t
			if due {
				m.rights = append(m.rights, id)
			}
			return due
		})
		m.rights = j.byPlace(m.rights)
	}
}

// touchNext fetches the keys of the next items, then the rows of these keys that they may meet.
func (j *bandJoin) touchNext() {
	j.touched = min(j.at+itemsAhead, len(j.sorter.items))
	j.ahead = j.ahead[:0]
	for _, it := range j.sorter.items[j.at:j.touched] {
		j.ahead = append(j.ahead, j.store.row(it.group).key())
	}
	j.store.touch(j.ahead)
	n := len(j.ahead)
	for _, key := range j.ahead[:n] {
		for side := range j.rings {
			if last := j.keys.at(key).last(side); last != noRow {
				j.ahead = append(j.ahead, last)
			}
		}
	}
	j.store.touch(j.ahead[n:])
}

// settle moves a row of the slice to its ring and links it to its key's.
func (j *bandJoin) settle(id uint32) {
	r := j.store.row(id)
	side := r.side()
	id, r = j.rings[side].add(r)
	key := j.keys.at(r.key())
	if last := key.last(side); last != noRow {
		l := j.store.row(last)
		r.setNext(l.next())
		l.setNext(id)
	} else {
		r.setNext(id)
	}
	key.setLast(side, id)
	j.fresh[side] = append(j.fresh[side], id)
}

// earliest is the first of the rows of a key and side, whose last one is known.
func (j *bandJoin) earliest(last uint32) uint32 {
	if last == noRow {
		return noRow
	}
	return j.store.row(last).next()
}

// listRuns orders the fresh right rows by key and position and fills runs, but for keys that match nothing.
func (j *bandJoin) listRuns() {
	m := &j.moment
	m.runs = m.runs[:0]
	rows := m.fresh[1]
	if len(rows) > 1 {
		slices.SortFunc(rows, func(a, b uint32) int {
			x, y := j.store.row(a), j.store.row(b)
			if c := cmp.Compare(x.key(), y.key()); c != 0 {
				return c
			}
			return comparePlaces(x, y)
		})
	}
	for from := 0; from < len(rows); {
		key := j.store.row(rows[from]).key()
		to := from + 1
		for to < len(rows) && j.store.row(rows[to]).key() == key {
			to++
		}
		if !j.keys.at(key).null() {
			m.runs = append(m.runs, keySpan{key, from, to})
		}
		from = to
	}
}

// run is the fresh right rows of a key.
func (m *moment) run(key uint32) []uint32 {
	i, found := slices.BinarySearchFunc(m.runs, key, func(s keySpan, key uint32) int { return cmp.Compare(s.key, key) })
	if !found {
		return nil
	}
	return m.fresh[1][m.runs[i].from:m.runs[i].to]
}

// end closes the moment: rows that were due go.
func (j *bandJoin) end() {
	m := &j.moment
	m.open = false
	m.moments++
	for side, keeps := range j.keeps {
		// Those that leave alone must go before the next moment, the others when there are some of them.
		if keeps || m.moments%dropEvery == 0 {
			j.dropSide(side, m.t+1)
		}
	}
}

// dropBefore removes the settled rows that were due before t.
func (j *bandJoin) dropBefore(t vec.Time) {
	for side := range j.rings {
		j.dropSide(side, t)
	}
}

func (j *bandJoin) dropSide(side int, t vec.Time) {
	g := &j.rings[side]
	var rows, keys [keysAhead]uint32
	for {
		n := 0
		if g.first() != noRow {
			j.store.rows(g.pages[0], g.front, func(id uint32, r joinRow) bool {
				if n == len(rows) || j.due(side, r.ts()) >= t {
					return false
				}
				rows[n], keys[n] = id, r.key()
				n++
				return true
			})
		}
		if n == 0 {
			return
		}
		if n > 1 {
			j.keys.touchSlots(keys[:n])
		}
		for i, id := range rows[:n] {
			r, key := j.store.row(id), j.keys.at(keys[i])
			if last := key.last(side); last == id {
				key.setLast(side, noRow)
			} else {
				j.store.row(last).setNext(r.next())
			}
			j.keys.release(keys[i])
			g.drop(r)
		}
		j.stored[side] -= n
	}
}

// byPlace sorts rows of one side by position.
func (j *bandJoin) byPlace(ids []uint32) []uint32 {
	for i := 1; i < len(ids); i++ {
		if comparePlaces(j.store.row(ids[i-1]), j.store.row(ids[i])) >= 0 {
			slices.SortFunc(ids, func(a, b uint32) int { return comparePlaces(j.store.row(a), j.store.row(b)) })
			return slices.Compact(ids)
		}
	}
	return ids
}

// listPartners fills partners: the rows that l meets at this moment, or just one of them when one will do.
func (j *bandJoin) listPartners(l joinRow, one bool) {
	m := &j.moment
	m.partners = m.partners[:0]
	m.begun, m.partner = true, 0
	key := j.keys.at(l.key())
	if key.null() {
		return
	}
	ts := l.ts()
	from, to := j.from(ts), j.to(ts)
	if ts < m.t {
		if m.t >= from && m.t <= to {
			run := m.run(l.key())
			if one && len(run) > 1 {
				run = run[:1]
			}
			m.partners = append(m.partners, run...)
		}
		return
	}
	last := key.last(1)
	for id := j.earliest(last); id != noRow; {
		r := j.store.row(id)
		ts := r.ts()
		if ts > to {
			break
		}
		if ts >= from {
			if m.partners = append(m.partners, id); one {
				return
			}
		}
		if id == last {
			break
		}
		id = r.next()
	}
	m.partners = j.byPlace(m.partners)
}

// once reports whether a left row that has matched is of no more use.
func (j *bandJoin) once() bool { return j.node.Kind == Semi || j.node.Kind == Anti }

// list makes the moment's candidates until it has no more (true) or no more are taken.
func (j *bandJoin) list() bool {
	m := &j.moment
	sure, once := j.residual == nil, j.once()
	for ; m.left < len(m.lefts); m.left++ {
		id := m.lefts[m.left]
		l := j.store.row(id)
		if !m.begun {
			m.partners, m.partner, m.begun = m.partners[:0], 0, true
			if !(once && l.matched()) {
				j.listPartners(l, sure && once)
			}
		}
		if sure && once && len(m.partners) > 0 {
			if j.full() {
				return false
			}
			m.partners = m.partners[:0]
			l.setMatched()
			if j.node.Kind == Semi {
				j.candidate(id, noRow)
			}
		}
		for ; m.partner < len(m.partners); m.partner++ {
			if j.full() {
				return false
			}
			r := m.partners[m.partner]
			j.candidate(id, r)
			if sure {
				j.match(id, r)
			}
		}
		if j.keeps[0] && !l.matched() && j.due(0, l.ts()) == m.t {
			if j.full() {
				return false
			}
			j.candidate(id, noRow)
		}
		m.begun = false
	}
	for ; m.right < len(m.rights); m.right++ {
		if id := m.rights[m.right]; !j.store.row(id).matched() {
			if j.full() {
				return false
			}
			j.candidate(noRow, id)
		}
	}
	return true
}

// match notes that two rows have matched, on the sides where it is asked for later.
func (j *bandJoin) match(l, r uint32) {
	if j.tracks[0] {
		j.store.row(l).setMatched()
	}
	if j.tracks[1] {
		j.store.row(r).setMatched()
	}
}
