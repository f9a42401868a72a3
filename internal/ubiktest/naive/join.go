package naive

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"ubik/internal/sql"
)

// join is the pairs of two sides, and depending on its kind the rows without a partner.
type join struct {
	Band
	kind  sql.JoinKind
	sides [2][]*arm
	on    []*node    // over a joined row
	own   [2][]*node // of one side, over a joined row that has it alone: what a row computes by itself
	times [2][]*node // by side and arm
	ids   [2]string  // of the times, as seen behind the join

	empty  bool // its condition is true for no pair, and there are no rows without a partner
	labels map[*reference]string
	named  [2][]*node // columns of each side that were compiled last
}

// leaf is one record that a row is made of; without a reference it is absent.
type leaf struct {
	ref   *reference
	index int // of its partition among those of the source
	part  *Partition
	rec   *Record
}

// joinRow is a row that takes part in a join.
type joinRow struct {
	*row
	at      int64
	partner int64 // SEMI: the smallest time of its pairs
	matched bool
}

// feed evaluates the join by looking at every pair of rows. The cursor is the least watermark of all arms, and a row
// leaves when the cursor is past its time.
func (j *join) feed(e *evaluation, a *arm, t *taker) (int64, error) {
	var rows [2][]*joinRow
	cursor := int64(math.MaxInt64)
	for side, arms := range j.sides {
		for k, in := range arms {
			wm, err := in.base.feed(e, in, j.taker(side, k, &rows[side]))
			if err != nil {
				return 0, err
			}
			cursor = min(cursor, wm)
		}
	}
	joined, err := j.match(rows[0], rows[1])
	if err != nil {
		return 0, err
	}
	sort.SliceStable(joined, func(a, b int) bool { return joined[a].before(joined[b]) })
	for _, r := range joined {
		if r.time < cursor {
			if err := t.row(a, r); err != nil {
				return 0, err
			}
		}
	}
	return j.handedOn(t.time, cursor)
}

// taker takes the rows of an arm of one side.
func (j *join) taker(side, arm int, rows *[]*joinRow) *taker {
	over := func(r *row) *row {
		r.arm = arm
		alone := &row{}
		alone.sides[side] = r
		return alone
	}
	return &taker{
		time: j.times[side][arm], strict: true,
		take: func(r *row, at int64, _ []span) error {
			for _, x := range j.own[side] {
				if _, err := x.eval(over(r)); err != nil {
					return err
				}
			}
			*rows = append(*rows, &joinRow{row: r, at: at})
			return nil
		},
	}
}

// match finds the pairs, and the rows without one.
func (j *join) match(left, right []*joinRow) ([]*row, error) {
	var out []*row
	for _, l := range left {
		for _, r := range right {
			pair := pairOf(l.row, r.row, max(l.at, r.at))
			on, err := chain(sql.OpAnd, j.on).eval(pair)
			if err != nil {
				return nil, err
			}
			if on != true {
				continue
			}
			if !l.matched || pair.time < l.partner {
				l.partner = pair.time
			}
			l.matched, r.matched = true, true
			if j.kind != sql.SemiJoin && j.kind != sql.AntiJoin {
				out = append(out, pair)
			}
		}
	}
	for _, l := range left {
		switch {
		case j.kind == sql.SemiJoin && l.matched:
			out = append(out, pairOf(l.row, nil, l.partner))
		case !l.matched && (j.kind == sql.LeftJoin || j.kind == sql.FullJoin || j.kind == sql.AntiJoin):
			out = append(out, pairOf(l.row, nil, max(l.at, l.at+j.Hi)))
		}
	}
	for _, r := range right {
		if !r.matched && (j.kind == sql.RightJoin || j.kind == sql.FullJoin) {
			out = append(out, pairOf(nil, r.row, max(r.at, r.at-j.Lo)))
		}
	}
	return out, nil
}

// pairOf is a joined row of that time. A side that is nil is absent.
func pairOf(l, r *row, at int64) *row {
	out := &row{sides: [2]*row{l, r}, time: at}
	for _, s := range out.sides {
		if s == nil {
			out.leaves = append(out.leaves, leaf{})
			continue
		}
		out.leaves = append(out.leaves, s.leaves...)
		out.behind = append(out.behind, s.behind...)
	}
	return out
}

// before orders rows by time, then by their records one after the other, absent ones last.
func (r *row) before(s *row) bool {
	if r.time != s.time {
		return r.time < s.time
	}
	return slices.CompareFunc(r.leaves, s.leaves, func(a, b leaf) int {
		switch {
		case a.ref == nil && b.ref == nil:
			return 0
		case a.ref == nil:
			return 1
		case b.ref == nil:
			return -1
		}
		return cmp.Or(cmp.Compare(a.ref.index, b.ref.index), cmp.Compare(a.index, b.index), cmp.Compare(a.rec.Position, b.rec.Position))
	}) < 0
}

// handedOn is the watermark of the join's rows for a time that their taker uses: the cursor, less how much later than
// that time a row may leave.
func (j *join) handedOn(time *node, cursor int64) (int64, error) {
	if time == nil || cursor == never || cursor == math.MaxInt64 {
		return cursor, nil
	}
	hi, lo := max(0, j.Hi), max(0, -j.Lo) // what a left row and a right row may wait
	left := j.kind != sql.RightJoin && j.kind != sql.FullJoin
	right := j.kind == sql.InnerJoin || j.kind == sql.CrossJoin || j.kind == sql.RightJoin
	greatest := map[sql.JoinKind]int64{sql.LeftJoin: hi, sql.RightJoin: lo, sql.FullJoin: max(hi, lo)}
	switch l, r := j.ids[0], j.ids[1]; {
	case left && time.id == l:
		return cursor - hi, nil
	case right && time.id == r:
		return cursor - lo, nil
	case j.kind != sql.SemiJoin && j.kind != sql.AntiJoin && (time.id == "greatest("+l+","+r+")" || time.id == "greatest("+r+","+l+")"):
		return cursor - greatest[j.kind], nil
	}
	return 0, unsupported("a time that the join does not hand on: %s of %s and %s", time.id, j.ids[0], j.ids[1])
}
