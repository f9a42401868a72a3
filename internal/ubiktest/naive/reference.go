package naive

import (
	"fmt"
	"math"
)

// source is a source with what all references to it use of its records.
type source struct {
	Source
	index  int
	schema []Column
	used   []use // columns named anywhere in the query
}

// reference is one mention of a source in the query.
type reference struct {
	*source
	index   int   // in the order of the text
	clock   *node // the time that the source declares, TIMESTAMP; nil: none
	ledgers []Ledger
}

func (ref *reference) id() string { return fmt.Sprint(ref.index, ".") }

// taker is what takes the rows of an arm.
type taker struct {
	time    *node                 // nil: none
	strict  bool                  // a record before its watermark is late; else one whose windows are all done
	windows func(at int64) []span // nil: one window for all
	take    func(r *row, at int64, windows []span) error
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

// feed reads the partitions, each record through the tests, and returns their least watermark at the end.
func (ref *reference) feed(e *evaluation, a *arm, t *taker) (int64, error) {
	final, n := int64(math.MaxInt64), 0
	for i := range e.parts {
		if e.parts[i].Source != ref.source.index {
			continue
		}
		end, err := ref.partition(e, a, t, i, n)
		if err != nil {
			return 0, err
		}
		final = min(final, end)
		n++
	}
	if e.Bounded {
		final = math.MaxInt64
	}
	return final, nil
}

// partition reads a partition, the n-th of its source.
func (ref *reference) partition(e *evaluation, a *arm, t *taker, index, n int) (int64, error) {
	part := &e.parts[index]
	l := Ledger{FirstMalformed: -1, FirstLate: -1, WorstLate: -1}
	seen := int64(never) // greatest time so far
	for i := range part.Records {
		rec := &part.Records[i]
		wm := int64(never)
		if seen != never && ref.Delay != Unlimited {
			wm = seen - ref.Delay
		}
		l.Read++
		r := &row{rec: rec, part: part, behind: []Record{*rec}}
		r.leaves = []leaf{{ref, n, part, rec}}
		fate, at, err := ref.record(a, t, r, wm, &seen)
		if _, value := err.(valueError); value {
			fate = malformed
		} else if err != nil {
			return 0, err
		}
		switch fate {
		case malformed:
			if !e.Skip {
				return 0, &Malformed{index, rec.Position, err.Error()}
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
			behind := wm - at
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
	ref.ledgers = append(ref.ledgers, l)
	if seen == never || ref.Delay == Unlimited {
		return never, nil
	}
	return seen - ref.Delay, nil
}

// record runs the tests on a record in their order: decode and types, the time column, then it counts for the
// watermark, WHERE, windows, late, the other expressions. A valueError says that it is malformed.
func (ref *reference) record(a *arm, t *taker, r *row, wm int64, seen *int64) (fate, int64, error) {
	if err := decode(r, ref.used); err != nil {
		return 0, 0, err
	}
	at, err := t.at(r)
	if t.time == nil && ref.clock != nil { // a row has it, whether it is used or not
		_, err = (&taker{time: ref.clock}).at(r)
	}
	if err != nil {
		return 0, 0, err
	}
	if t.time != nil {
		*seen = max(*seen, at)
	}
	if ok, err := all(a.where, r); err != nil || !ok {
		return filtered, at, err
	}
	windows := t.windowsOf(at)
	var open []span
	for _, w := range windows {
		if w.end > wm {
			open = append(open, w)
		}
	}
	switch {
	case len(windows) == 0:
		return unwindowed, at, nil
	case len(open) == 0, t.strict && at < wm:
		return late, at, nil
	}
	if err := t.take(r, at, open); err != nil {
		return 0, at, err
	}
	if len(open) < len(windows) {
		return partlyLate, at, nil
	}
	return used, at, nil
}

// row takes a row that a join or an aggregate has made, unless a condition of the arm removes it. It is never late.
func (t *taker) row(a *arm, r *row) error {
	if ok, err := all(a.where, r); err != nil || !ok {
		return err
	}
	at, err := t.at(r)
	if err != nil {
		return err
	}
	if windows := t.windowsOf(at); len(windows) > 0 {
		return t.take(r, at, windows)
	}
	return nil
}

// at is a row's time, 0 if the taker has no use for one.
func (t *taker) at(r *row) (int64, error) {
	if t.time == nil {
		return 0, nil
	}
	v, err := t.time.eval(r)
	if err != nil {
		return 0, err
	}
	at, ok := v.(int64)
	if !ok || !inRange(at) {
		return 0, fault("no time")
	}
	return at, nil
}

func (t *taker) windowsOf(at int64) []span {
	if t.windows == nil {
		return []span{{0, math.MaxInt64}}
	}
	return t.windows(at)
}

// all reports whether all conditions are true for a row, up to the first that is not.
func all(conditions []*node, r *row) (bool, error) {
	for _, n := range conditions {
		if v, err := n.eval(r); err != nil || v != true {
			return false, err
		}
	}
	return true, nil
}

// decode reads the columns of a record.
func decode(r *row, columns []use) error {
	if reason := checkRecord(r.rec.Value); reason != "" {
		return fault("%s", reason)
	}
	r.cols = map[string]any{}
	for _, u := range columns {
		v, err := field(r.rec.Value, u.path, u.typ)
		if err != nil {
			return err
		}
		r.cols[pathKey(u.path)] = v
	}
	return nil
}
