package naive

import (
	"fmt"
	"math"
	"math/big"
	"sort"
)

const never = math.MinInt64 // a watermark before every time

// Evaluate computes the output of a query over partitions. A fault of the query, or what this package does not know, is
// an error; so is a malformed record (a *Malformed) unless the query skips them, and a value that fails at its emission.
func Evaluate(q Query, parts []Partition) (*Result, error) {
	if q.Join != nil {
		return evaluateJoin(q, parts)
	}
	p, err := compile(q)
	if err != nil {
		return nil, err
	}
	out := &Result{Behind: map[string][]Record{}}
	e := &evaluation{query: p, out: out, panes: map[string]*pane{}}
	final := int64(math.MaxInt64)
	for i := range parts {
		end, err := e.partition(i, &parts[i], q.Delay, e.record)
		if err != nil {
			return nil, err
		}
		final = min(final, end)
	}
	if q.Bounded {
		final = math.MaxInt64
	}
	if p.agg != nil {
		if err := e.emit(final); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// evaluation is what has been read so far.
type evaluation struct {
	*query
	out   *Result
	time  int64 // of the record in hand
	panes map[string]*pane
}

// pane is one group of one window.
type pane struct {
	span
	keys    []any
	rows    int
	values  [][]any // by aggregate, what it takes in
	records []Record
}

// tests are those on a record in their order: what becomes of it, and the reason if it is malformed.
type tests func(r *row, seen *int64, wm int64) (fate, string, error)

// partition reads a partition and returns its watermark at the end.
func (e *evaluation) partition(index int, part *Partition, delay int64, record tests) (int64, error) {
	l := Ledger{FirstMalformed: -1, FirstLate: -1, WorstLate: -1}
	seen := int64(never) // greatest time so far
	for i := range part.Records {
		rec := &part.Records[i]
		wm := int64(never)
		if seen != never && delay != Unlimited {
			wm = seen - delay
		}
		l.Read++
		fate, reason, err := record(&row{rec: rec, part: part}, &seen, wm)
		if err != nil {
			return 0, err
		}
		switch fate {
		case malformed:
			if !e.Skip {
				return 0, &Malformed{index, rec.Position, reason}
			}
			l.Malformed++
			if l.FirstMalformed < 0 {
				l.FirstMalformed = rec.Position
			}
		case filtered:
			l.Filtered++
		case unwindowed:
			l.Unwindowed++
		case late:
			behind := wm - e.time
			if l.Late++; l.FirstLate < 0 {
				l.FirstLate = rec.Position
			}
			if l.WorstLate < 0 || behind > l.WorstBehind {
				l.WorstLate, l.WorstBehind = rec.Position, behind
			}
		case partlyLate:
			l.PartlyLate++
			l.Used++
		default:
			l.Used++
		}
	}
	e.out.Ledgers = append(e.out.Ledgers, l)
	if seen == never || delay == Unlimited {
		return never, nil
	}
	return seen - delay, nil
}

// fate is what becomes of a record.
type fate int

const (
	used fate = iota
	partlyLate
	malformed
	filtered
	unwindowed
	late
)

// record runs the tests on a record in their order: decode and types, the time column, then it counts for the
// watermark, WHERE, windows, late, the other expressions.
func (e *evaluation) record(r *row, seen *int64, wm int64) (fate, string, error) {
	if err := decode(r, e.used); err != nil {
		return bad(err)
	}
	windows := []span{{0, math.MaxInt64}}
	if e.agg != nil && e.agg.win != nil {
		v, err := e.agg.win.time.eval(r)
		if err != nil {
			return bad(err)
		}
		t, ok := v.(int64)
		if !ok || !inRange(t) {
			return malformed, "no time", nil
		}
		e.time = t
		*seen = max(*seen, t)
		windows = e.agg.win.of(t)
	}
	if e.where != nil {
		v, err := e.where.eval(r)
		if err != nil {
			return bad(err)
		}
		if v != true {
			return filtered, "", nil
		}
	}
	if len(windows) == 0 {
		return unwindowed, "", nil
	}
	var open []span
	for _, w := range windows {
		if w.end > wm {
			open = append(open, w)
		}
	}
	if len(open) == 0 {
		return late, "", nil
	}
	err := e.take(r, open)
	if err != nil {
		return bad(err)
	}
	if len(open) < len(windows) {
		return partlyLate, "", nil
	}
	return used, "", nil
}

// bad is what becomes of a record with a value at fault; another error ends the evaluation.
func bad(err error) (fate, string, error) {
	if _, ok := err.(valueError); ok {
		return malformed, err.Error(), nil
	}
	return 0, "", err
}

// decode reads the columns of a record.
func decode(r *row, columns []use) error {
	if reason := checkRecord(r.rec.Value); reason != "" {
		return fault("%s", reason)
	}
	r.cols = map[string]any{}
	for _, u := range columns {
		v, err := column(r.rec.Value, u.path, u.typ)
		if err != nil {
			return err
		}
		r.cols[pathKey(u.path)] = v
	}
	return nil
}

// take brings a record into its groups, or writes its row.
func (e *evaluation) take(r *row, windows []span) error {
	if e.agg == nil {
		return e.write(r)
	}
	var keys []any
	name := ""
	for _, g := range e.agg.groups {
		v, err := g.node.eval(r)
		if err != nil {
			return err
		}
		if f, ok := v.(float64); ok && f == 0 {
			v = 0.0 // never −0
		}
		keys = append(keys, v)
		name += output(v, g.node.typ) + ","
	}
	values := make([][]any, len(e.agg.aggs))
	for i, a := range e.agg.aggs {
		counts := any(true)
		var v any
		var err error
		if a.filter != nil {
			if counts, err = a.filter.eval(r); err != nil {
				return err
			}
		}
		if a.arg != nil {
			if v, err = a.arg.eval(r); err != nil {
				return err
			}
		}
		if counts == true && (v != nil || a.arg == nil) {
			values[i] = []any{v}
		}
	}
	for _, w := range windows {
		id := fmt.Sprint(w.start, " ", w.end, " ", name)
		p := e.panes[id]
		if p == nil {
			p = &pane{span: w, keys: keys, values: make([][]any, len(values))}
			e.panes[id] = p
		}
		for i := range values {
			p.values[i] = append(p.values[i], values[i]...)
		}
		p.records = append(p.records, *r.rec)
	}
	return nil
}

// write writes the row of a record by itself.
func (e *evaluation) write(r *row) error {
	value, texts, err := e.value(r)
	if err != nil {
		return err
	}
	lane := r.part.Topic
	if r.part.Index >= 0 {
		lane += fmt.Sprintf("/%d", r.part.Index)
	}
	key := r.position()
	if e.key != nil {
		key = e.keyOf(texts)
	}
	ms := int64(0)
	if !r.part.Untimed {
		ms = floor(r.rec.Time, 1000)
	}
	e.out.Rows = append(e.out.Rows, Row{lane, key, value, ms})
	e.out.Behind[key] = append(e.out.Behind[key], *r.rec)
	return nil
}

// position is the key of a record by its place.
func (r *row) position() string {
	if r.part.Index < 0 {
		return fmt.Sprintf(`{"_topic":%s,"_offset":%d}`, quote(r.part.Topic), r.rec.Position)
	}
	return fmt.Sprintf(`{"_topic":%s,"_partition":%d,"_offset":%d}`, quote(r.part.Topic), r.part.Index, r.rec.Position)
}

// emit writes the rows of all windows that end at or before the watermark, by end, start and group key, NULLs last.
func (e *evaluation) emit(watermark int64) error {
	var panes []*pane
	for _, p := range e.panes {
		panes = append(panes, p)
	}
	if len(panes) == 0 && e.agg.win == nil && len(e.agg.groups) == 0 {
		panes = append(panes, &pane{span: span{0, math.MaxInt64}, values: make([][]any, len(e.agg.aggs))})
	}
	sort.Slice(panes, func(i, j int) bool { return e.before(panes[i], panes[j]) })
	for _, p := range panes {
		if p.end > watermark {
			continue
		}
		if err := e.emitPane(p); err != nil {
			return err
		}
	}
	return nil
}

func (e *evaluation) before(a, b *pane) bool {
	if a.end != b.end {
		return a.end < b.end
	}
	if a.start != b.start {
		return a.start < b.start
	}
	for i, g := range e.agg.groups {
		x, y := a.keys[i], b.keys[i]
		if (x == nil) != (y == nil) {
			return y == nil
		}
		if x != nil {
			if c := compare(x, y, g.node.typ); c != 0 {
				return c < 0
			}
		}
	}
	return false
}

func (e *evaluation) emitPane(p *pane) error {
	r := &row{start: p.start, end: p.end, keys: p.keys}
	for i := range e.agg.aggs {
		a := &e.agg.aggs[i]
		v, err := a.finish(p.values[i], len(p.values[i]))
		if err != nil {
			return err
		}
		r.results = append(r.results, v)
	}
	if e.having != nil {
		if v, err := e.having.eval(r); err != nil || v != true {
			return err
		}
	}
	value, texts, err := e.value(r)
	if err != nil {
		return err
	}
	var names, values []string
	ms := int64(0)
	if e.agg.win != nil {
		ms = new(big.Int).Div(big.NewInt(p.end-1000), big.NewInt(1000)).Int64()
		names, values = append(names, e.agg.start), append(values, output(p.start, timestamp))
	}
	for i, g := range e.agg.groups {
		names, values = append(names, g.name), append(values, output(p.keys[i], g.node.typ))
	}
	key := object(names, values)
	if e.key != nil {
		key = e.keyOf(texts)
	}
	e.out.Rows = append(e.out.Rows, Row{"", key, value, ms})
	e.out.Behind[key] = append(e.out.Behind[key], p.records...)
	return nil
}
