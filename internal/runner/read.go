package runner

import "ubik/internal/vec"

// queueMax is how many chunks of one partition may wait to be sequenced: enough for every worker to have one.
func (c *Config) queueMax() int { return 2*c.Shards + 2 }

// read opens Reads: for a partition at its end at once, since a record may come at any time; for those behind their end
// the one first that holds W back, and as many as the bound on chunks permits.
func (r *Runner) read() {
	if r.stopping || r.last || r.held >= r.cfg.chunksMax() {
		return // what is held leaves without anything being read
	}
	open := 0 // chunks that will soon be there
	for _, p := range r.parts {
		if p.reading && p.behind() && p.waited < quietTicks {
			open++
		}
	}
	for {
		var best *partition
		for _, p := range r.parts {
			if p.ended || p.damage != nil {
				continue
			}
			busy := p.reading || len(p.queue) >= r.cfg.queueMax() || p.behind() && r.held+open >= r.cfg.chunksMax()
			if !busy && (best == nil || p.newest() < best.newest() || p.newest() == best.newest() && len(p.queue) < len(best.queue) && !r.inOrder()) {
				best = p
			}
			if r.oneByOne() {
				break // the others come behind it
			}
		}
		if best == nil {
			return
		}
		best.reading = true
		if best.behind() {
			open++
		}
		r.actions = append(r.actions, Read{best.index})
	}
}

// oneByOne reports whether a partition is read only when those before it have been read: rows of a query without an
// aggregate leave in the order of reading, and so a sink without keys, such as a file, holds the same string after every
// run to the end.
func (r *Runner) oneByOne() bool { return len(r.stages) == 0 && r.cfg.Mode == Bounded }

// inOrder reports whether partitions are best read one after the other: files without a watermark.
func (r *Runner) inOrder() bool {
	for i := range r.cfg.Plan.Inputs {
		if r.cfg.Plan.Inputs[i].Delay != vec.Forever {
			return false
		}
	}
	return true
}
