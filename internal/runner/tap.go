package runner

import (
	"strconv"

	"ubik/internal/plan"
	"ubik/internal/vec"
)

// tap is a partition as one reference to its source sees it: with the reference's time column come a clock and a ledger
// of its own.
type tap struct {
	part *partition
	in   *plan.Input
	clock
	index    int   // in Runner.taps
	timeless bool  // no row of it waits for a time: it holds no watermark back, unless no reference has a time
	lane     *lane // record by record: where its rows leave
	// What a record's position begins with in a key: of a row that is the record, and of one that it is a part of.
	keyText, partText string
}

// clock is what a reference knows of a partition.
type clock struct {
	maxTime vec.Time // greatest time of a well-formed record, −∞ at first
	floor   vec.Time // −∞: none
	wm      vec.Time // partition watermark: max(maxTime − delay, floor); +∞ when finished in a run whose end counts
	ledger  Ledger
}

// tapAll makes the taps. Their numbers identify records: reference by reference, the partitions in their order.
func (r *Runner) tapAll() {
	for i := range r.cfg.Plan.Inputs {
		in := &r.cfg.Plan.Inputs[i]
		for _, p := range r.parts {
			if p.source != in.Source {
				continue
			}
			t := &tap{part: p, in: in, keyText: r.keyHead(in.Branch) + keyText(p.PartitionID)}
			t.partText = string(appendEscaped([]byte{'"'}, in.Alias)) + `":{` + keyText(p.PartitionID)
			t.maxTime, t.floor, t.wm = vec.NegInf, vec.NegInf, vec.NegInf
			t.index = len(r.taps)
			r.taps = append(r.taps, t)
			p.taps = append(p.taps, t)
			t.timeless = in.Time == nil && in.Stage < 0
			r.timed = r.timed || in.Time != nil
			if in.Stage < 0 {
				t.lane = &lane{name: r.laneName(in.Branch, p.name())}
			}
		}
	}
}

// aliasOf is the name of the reference of one of the partition's taps, "" when it is the only one.
func (p *partition) aliasOf(t *tap) string {
	if len(p.taps) == 1 {
		return ""
	}
	for _, other := range p.taps {
		if other != t && other.in.Alias == t.in.Alias {
			return t.in.Alias + " of branch " + strconv.Itoa(t.in.Branch+1)
		}
	}
	return t.in.Alias
}
