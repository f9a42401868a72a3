package runner

import "ubik/internal/vec"

// queueMax is how many chunks of one partition may wait to be sequenced: enough for every worker to have one.
func (c *Config) queueMax() int { return 2*c.Shards + 2 }

// quietTicks is for how many ticks a Read of a partition that seems to be behind may be open before the others stop
// waiting for it and leaving room for its chunk: its last positions may hold nothing that can be read.
const quietTicks = 3

// read opens Reads: for a partition at its end at once, since a record may come at any time; for those behind their end
// the one first that holds W back, and as many as the bound on chunks permits.
//
// The order has no effect on the output. It bounds the open windows: a partition further ahead than the others by
// more than a window and the delay waits for them.
func (r *Runner) read() {
	if r.stopping || r.last || r.held >= r.cfg.chunksMax() {
		return // what is held leaves without anything being read
	}
	open := 0 // chunks that are there or will soon be
	slowest := vec.PosInf
	for _, p := range r.parts {
		if !p.behind() || p.waited >= quietTicks || p.damage != nil {
			continue // no chunk of it is expected, or none any more
		}
		if p.reading {
			open++
		}
		slowest = min(slowest, p.newest())
	}
	for {
		var best *partition
		for _, p := range r.parts {
			if p.ended || p.damage != nil {
				continue
			}
			busy := p.reading || len(p.queue) >= r.cfg.queueMax() || p.behind() && (r.held+open >= r.cfg.chunksMax() || r.tooFar(p, slowest))
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

// tooFar reports whether every reference is further ahead of the slowest partition than it may be.
func (r *Runner) tooFar(p *partition, slowest vec.Time) bool {
	newest := p.newest()
	if newest == vec.NegInf || slowest == vec.PosInf {
		return false
	}
	timed := false
	for _, t := range p.taps {
		if t.in.Time == nil {
			continue
		}
		timed = true
		switch {
		case t.in.Ahead == 0 || t.in.Delay == vec.Forever:
			return false
		case slowest != vec.NegInf && newest-slowest <= t.in.Ahead+t.in.Delay+minAhead:
			return false
		}
	}
	return timed
}

// minAhead is how far a partition may always run ahead: a second.
const minAhead = vec.Time(1e6)
