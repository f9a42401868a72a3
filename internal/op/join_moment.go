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
	runs  []keySpan   // the fresh right rows, key by key

	lefts    []uint32 // the rows of those pairs, and those due, by position
	rights   []uint32 // those due that leave alone, by position
	left     int      // the next of lefts
	right    int      // the next of rights
	partners []uint32 // of lefts[left], by position, when begun
	begun    bool
	partner  int // the next of partners
}

// keySpan is the rows fresh[1][from:to], of one key.
type keySpan struct{ from, to int }

// nextMoment opens the next moment before the target; false when there is none.
func (j *bandJoin) nextMoment() bool {
	for {
		t := j.until
		if j.at < len(j.sorter.items) {
			t = vec.Time(j.sorter.items[j.at].word ^ 1<<63)
		}
		for side := range j.rings {
			if id := j.rings[side].first(); id != noRow && j.keeps[side] {
				t = min(t, j.due(side, j.pool.row(id).ts))
			}
		}
		if t < j.until {
			j.start(t)
			return true
		}
		if j.until == j.target {
			return false
		}
		j.slice.clear(&j.pool)
		j.until = j.pending.take(j.target, &j.slice)
		j.sorter.sortByTime(&j.pool, &j.slice)
		j.at, j.touched = 0, 0
	}
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
		key := &j.keys.entries[j.pool.row(m.fresh[1][run.from]).key]
		for id := key.first[0]; id != noRow; {
			l := j.pool.row(id)
			if l.ts == t || j.from(l.ts) > t {
				break // fresh ones are listed
			}
			if j.to(l.ts) >= t && !(j.once() && l.matched()) {
				m.lefts = append(m.lefts, id)
			}
			id = l.next
		}
	}
	if j.keeps[0] {
		j.rings[0].each(func(id uint32) bool {
			r := j.pool.row(id)
			if j.due(0, r.ts) != t {
				return false
			}
			if !r.matched() && r.ts != t {
				m.lefts = append(m.lefts, id)
			}
			return true
		})
	}
	m.lefts = j.byPlace(m.lefts)
	if j.keeps[1] {
		j.rings[1].each(func(id uint32) bool {
			due := j.due(1, j.pool.row(id).ts) == t
			if due {
				m.rights = append(m.rights, id)
			}
			return due
		})
		m.rights = j.byPlace(m.rights)
	}
}

// touchNext fetches the keys of the next items.
func (j *bandJoin) touchNext() {
	j.touched = min(j.at+itemsAhead, len(j.sorter.items))
	j.ahead = j.ahead[:0]
	for _, it := range j.sorter.items[j.at:j.touched] {
		j.ahead = append(j.ahead, j.pool.row(it.group).key+1)
	}
	j.keys.touch(j.ahead)
}

// settle moves a row of the slice to its ring and links it to its key's.
func (j *bandJoin) settle(id uint32) {
	side := j.pool.row(id).side()
	id = j.rings[side].add(id)
	r := j.pool.row(id)
	r.next = noRow
	key := &j.keys.entries[r.key]
	if last := key.last[side]; last != noRow {
		j.pool.row(last).next = id
	} else {
		key.first[side] = id
	}
	key.last[side] = id
	j.fresh[side] = append(j.fresh[side], id)
}

// listRuns orders the fresh right rows by key and position and fills runs, but for keys that match nothing.
func (j *bandJoin) listRuns() {
	m := &j.moment
	m.runs = m.runs[:0]
	rows := m.fresh[1]
	if len(rows) > 1 {
		slices.SortFunc(rows, func(a, b uint32) int {
			x, y := j.pool.row(a), j.pool.row(b)
			if c := cmp.Compare(x.key, y.key); c != 0 {
				return c
			}
			return comparePlaces(x, y)
		})
	}
	for from := 0; from < len(rows); {
		key := j.pool.row(rows[from]).key
		to := from + 1
		for to < len(rows) && j.pool.row(rows[to]).key == key {
			to++
		}
		if e := &j.keys.entries[key]; !e.null {
			m.runs = append(m.runs, keySpan{from, to})
			e.run = uint32(len(m.runs))
		}
		from = to
	}
}

// end closes the moment: rows that were due go.
func (j *bandJoin) end() {
	m := &j.moment
	for _, run := range m.runs {
		j.keys.entries[j.pool.row(m.fresh[1][run.from]).key].run = 0
	}
	m.runs = m.runs[:0]
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
	for {
		id := g.first()
		if id == noRow {
			return
		}
		b := j.pool.blocks[id>>blockBits]
		rows := b.rows[g.front:b.n]
		var keys [keysAhead]uint32
		n := 0
		for n < len(rows) && n < len(keys) && j.due(side, rows[n].ts) < t {
			keys[n] = rows[n].key
			n++
		}
		if n == 0 {
			return
		}
		if n > 1 {
			j.keys.touchSlots(keys[:n])
		}
		for i := range rows[:n] {
			key := &j.keys.entries[rows[i].key]
			if key.first[side] = rows[i].next; key.first[side] == noRow {
				key.last[side] = noRow
			}
			j.keys.release(rows[i].key)
			j.retired = g.drop(j.retired)
		}
		j.stored -= n
	}
}

func comparePlaces(a, b *joinRow) int {
	if c := cmp.Compare(a.part, b.part); c != 0 {
		return c
	}
	return cmp.Compare(a.pos, b.pos)
}

// byPlace sorts rows of one side by position.
func (j *bandJoin) byPlace(ids []uint32) []uint32 {
	for i := 1; i < len(ids); i++ {
		if comparePlaces(j.pool.row(ids[i-1]), j.pool.row(ids[i])) >= 0 {
			slices.SortFunc(ids, func(a, b uint32) int { return comparePlaces(j.pool.row(a), j.pool.row(b)) })
			return slices.Compact(ids)
		}
	}
	return ids
}

// listPartners fills partners: the rows that l meets at this moment, or just one of them when one will do.
func (j *bandJoin) listPartners(l *joinRow, one bool) {
	m := &j.moment
	m.partners = m.partners[:0]
	m.begun, m.partner = true, 0
	key := &j.keys.entries[l.key]
	if key.null {
		return
	}
	from, to := j.from(l.ts), j.to(l.ts)
	if l.ts < m.t {
		if key.run != 0 && m.t >= from && m.t <= to {
			run := m.runs[key.run-1]
			if one {
				run.to = run.from + 1
			}
			m.partners = append(m.partners, m.fresh[1][run.from:run.to]...)
		}
		return
	}
	for id := key.first[1]; id != noRow; {
		r := j.pool.row(id)
		if r.ts > to {
			break
		}
		if r.ts >= from {
			if m.partners = append(m.partners, id); one {
				return
			}
		}
		id = r.next
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
		l := j.pool.row(id)
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
		if j.keeps[0] && !l.matched() && j.due(0, l.ts) == m.t {
			if j.full() {
				return false
			}
			j.candidate(id, noRow)
		}
		m.begun = false
	}
	for ; m.right < len(m.rights); m.right++ {
		if id := m.rights[m.right]; !j.pool.row(id).matched() {
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
		j.pool.row(l).setMatched()
	}
	if j.tracks[1] {
		j.pool.row(r).setMatched()
	}
}
