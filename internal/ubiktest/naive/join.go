package naive

import (
	"cmp"
	"math"
	"sort"

	"ubik/internal/sql"
)

// input is one side of a join.
type input struct {
	names *compiler // its table and schema, and the columns that the query reads
	delay int64
	time  *node
	where []*node // conjuncts that name this side alone and remove rows before they are joined
	own   []*node // sides of equalities: what a row computes by itself
	rows  []*joinRow
}

// joinRow is a row that takes part in a join.
type joinRow struct {
	row
	time    int64
	partner int64 // SEMI: the smallest time of its pairs
	matched bool
}

// join is a query over two sources, ready to be evaluated.
type join struct {
	*query
	kind   sql.JoinKind
	inputs [2]*input
	on     *node // nil: all pairs
	pairs  *compiler
	joined []joined
}

// joined is one row to be written.
type joined struct {
	time  int64
	sides [2]*joinRow // nil: absent
}

// evaluateJoin computes a join by looking at every pair of rows.
func evaluateJoin(q Query, parts []Partition) (*Result, error) {
	j, err := compileJoin(q)
	if err != nil {
		return nil, err
	}
	e := &evaluation{query: j.query, out: &Result{Behind: map[string][]Record{}}}
	cursor := int64(math.MaxInt64)
	for i := range parts {
		side := parts[i].Source
		in := j.inputs[side]
		end, err := e.partition(i, &parts[i], in.delay, func(r *row, seen *int64, wm int64) (fate, string, error) {
			return in.record(e, r, side, seen, wm)
		})
		if err != nil {
			return nil, err
		}
		cursor = min(cursor, end)
	}
	if q.Bounded {
		cursor = math.MaxInt64
	}
	if err := j.match(); err != nil {
		return nil, err
	}
	sort.Slice(j.joined, func(a, b int) bool { return j.joined[a].before(&j.joined[b]) })
	for i := range j.joined {
		if p := &j.joined[i]; p.time < cursor {
			if err := j.write(e.out, p); err != nil {
				return nil, err
			}
		}
	}
	return e.out, nil
}

// record runs the tests on a record of one side.
func (in *input) record(e *evaluation, r *row, side int, seen *int64, wm int64) (fate, string, error) {
	if err := decode(r, in.names.used); err != nil {
		return bad(err)
	}
	v, err := in.time.eval(r)
	if err != nil {
		return bad(err)
	}
	t, ok := v.(int64)
	if !ok || !inRange(t) {
		return malformed, "no time", nil
	}
	e.time = t
	*seen = max(*seen, t)
	jr := &joinRow{row: *r, time: t}
	alone := &row{}
	alone.sides[side] = &jr.row
	for _, w := range in.where {
		v, err := w.eval(alone)
		if err != nil {
			return bad(err)
		}
		if v != true {
			return filtered, "", nil
		}
	}
	if t < wm {
		return late, "", nil
	}
	for _, x := range in.own {
		if _, err := x.eval(alone); err != nil {
			return bad(err)
		}
	}
	in.rows = append(in.rows, jr)
	return used, "", nil
}

// match finds the pairs, and the rows without one.
func (j *join) match() error {
	left, right := j.inputs[0].rows, j.inputs[1].rows
	for _, l := range left {
		for _, r := range right {
			if j.on != nil {
				v, err := j.on.eval(&row{sides: [2]*row{&l.row, &r.row}})
				if err != nil {
					return err
				}
				if v != true {
					continue
				}
			}
			t := max(l.time, r.time)
			if !l.matched || t < l.partner {
				l.partner = t
			}
			l.matched, r.matched = true, true
			if j.kind != sql.SemiJoin && j.kind != sql.AntiJoin {
				j.joined = append(j.joined, joined{t, [2]*joinRow{l, r}})
			}
		}
	}
	for _, l := range left {
		switch {
		case j.kind == sql.SemiJoin && l.matched:
			j.joined = append(j.joined, joined{l.partner, [2]*joinRow{l, nil}})
		case !l.matched && (j.kind == sql.LeftJoin || j.kind == sql.FullJoin || j.kind == sql.AntiJoin):
			j.joined = append(j.joined, joined{max(l.time, l.time+j.Join.Hi), [2]*joinRow{l, nil}})
		}
	}
	for _, r := range right {
		if !r.matched && (j.kind == sql.RightJoin || j.kind == sql.FullJoin) {
			j.joined = append(j.joined, joined{max(r.time, r.time-j.Join.Lo), [2]*joinRow{nil, r}})
		}
	}
	return nil
}

// before orders rows by time, then by the left and the right record's place, an absent one last.
func (p *joined) before(q *joined) bool {
	if p.time != q.time {
		return p.time < q.time
	}
	for i, a := range p.sides {
		b := q.sides[i]
		switch {
		case a == nil && b == nil:
			continue
		case a == nil || b == nil:
			return b == nil
		}
		c := cmp.Or(cmp.Compare(a.part.Topic, b.part.Topic), cmp.Compare(a.part.Index, b.part.Index), cmp.Compare(a.rec.Position, b.rec.Position))
		if c != 0 {
			return c < 0
		}
	}
	return false
}

// write writes a joined row, unless WHERE removes it.
func (j *join) write(out *Result, p *joined) error {
	r := &row{}
	var names, places []string
	var behind []Record
	for i, s := range p.sides {
		if s != nil {
			r.sides[i] = &s.row
			names, places = append(names, j.inputs[i].names.table), append(places, s.position())
			behind = append(behind, *s.rec)
		}
	}
	if j.where != nil {
		if v, err := j.where.eval(r); err != nil || v != true {
			return err
		}
	}
	value, texts, err := j.value(r)
	if err != nil {
		return err
	}
	key := object(names, places)
	if j.key != nil {
		key = j.keyOf(texts)
	}
	out.Rows = append(out.Rows, Row{"", key, value, floor(p.time, 1000)})
	out.Behind[key] = append(out.Behind[key], behind...)
	return nil
}
