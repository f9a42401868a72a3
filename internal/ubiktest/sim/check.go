package sim

import (
	"fmt"
	"strings"

	"ubik/internal/runner"
	"ubik/internal/ubiktest/naive"
)

// Check compares what an execution left behind with the naive evaluator's result. The error shows the keys that differ,
// both values, and the records behind them.
func (w *World) Check(res *Result, want *naive.Result) error {
	if err := diffRows(res.Rows, want); err != nil {
		return err
	}
	for i := range want.Ledgers {
		if got := ledger(&res.Ledgers[i]); got != want.Ledgers[i] {
			return failure("ledger %d differs\n\trunner %+v\n\tnaive  %+v", i, got, want.Ledgers[i])
		}
	}
	return nil
}

// ledger is the runner's ledger in the naive evaluator's words.
func ledger(l *runner.Ledger) naive.Ledger {
	out := naive.Ledger{
		Read: int(l.Read), Malformed: int(l.Malformed), Filtered: int(l.Filtered), Unwindowed: int(l.Unwindowed), Late: int(l.Late),
		Used: int(l.Used), PartlyLate: int(l.PartlyLate), FirstMalformed: -1, FirstLate: -1, WorstLate: -1,
	}
	if l.LateByFloor != 0 {
		out.Late = -1 // no floor is ever raised here
	}
	if in := l.FirstMalformed; in != nil {
		out.FirstMalformed = in.Offset
	}
	if in := l.FirstLate; in != nil {
		out.FirstLate = in.Offset
	}
	if in := l.WorstLate; in != nil {
		out.WorstLate, out.WorstBehind = in.Offset, int64(in.Behind)
	}
	return out
}

func diffRows(got []naive.Row, want *naive.Result) error {
	same := len(got) == len(want.Rows)
	for i := 0; same && i < len(got); i++ {
		same = got[i] == want.Rows[i]
	}
	if same {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "the rows differ: the runner has %d, the naive evaluator %d", len(got), len(want.Rows))
	byKey := map[string]naive.Row{}
	for _, r := range want.Rows {
		byKey[r.Key] = r
	}
	shown := 0
	report := func(key, left, right string) {
		if shown++; shown > 5 {
			return
		}
		fmt.Fprintf(&b, "\nkey %s\n\trunner %s\n\tnaive  %s", key, left, right)
		for _, rec := range want.Behind[key] {
			fmt.Fprintf(&b, "\n\tfrom position %d: %s", rec.Position, rec.Value)
		}
	}
	for _, r := range got {
		w, ok := byKey[r.Key]
		delete(byKey, r.Key)
		switch {
		case !ok:
			report(r.Key, show(r), "no such row")
		case w != r:
			report(r.Key, show(r), show(w))
		}
	}
	for _, r := range want.Rows {
		if _, missing := byKey[r.Key]; missing {
			report(r.Key, "no such row", show(r))
		}
	}
	for i := 0; shown == 0 && i < min(len(got), len(want.Rows)); i++ {
		if got[i] != want.Rows[i] {
			fmt.Fprintf(&b, "\nthe order differs from row %d on:\n\trunner %s\n\tnaive  %s", i+1, show(got[i]), show(want.Rows[i]))
			break
		}
	}
	return failure("%s", b.String())
}

// History holds what executions of one world have in common.
type History struct {
	Schedules map[uint64]bool
	Crashes   int
	Stops     int // lives that ended cleanly before the end
	Again     int // rows written again
	cuts      map[string][16]byte
	Cuts      int // cuts met more than once
}

// NewHistory returns an empty one.
func NewHistory() *History {
	return &History{Schedules: map[uint64]bool{}, cuts: map[string][16]byte{}}
}

// Add compares the units of an execution with those of others at equal cuts.
func (h *History) Add(res *Result) error {
	h.Schedules[res.Schedule] = true
	h.Crashes += res.Crashes
	h.Stops += res.Lives - res.Crashes - 1
	h.Again += res.Writes - len(res.Rows)
	for at, hash := range res.Cuts {
		old, ok := h.cuts[at]
		if ok && old != hash {
			return failure("two executions differ in content at the cut %s", at)
		}
		if ok {
			h.Cuts++
		}
		h.cuts[at] = hash
	}
	return nil
}
