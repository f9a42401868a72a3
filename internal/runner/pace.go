package runner

import "ubik/internal/vec"

// The order in which chunks are taken in has no effect on the output, so it is chosen by what is kept: partitions go
// together in time, since what one brings early waits in the state for the others. So open windows are those of a
// window's length and the delay, and a join stores what the band and the delay span, and a chunk.

// nextPart is the partition whose next chunk is taken in: of those that are not held back the one that is least far. nil:
// there is none, or none may be.
func (r *Runner) nextPart() *partition {
	if r.oneByOne() {
		for _, p := range r.parts {
			if !p.finished {
				if len(p.queue) > 0 && p.queue[0].prepared {
					return p
				}
				return nil
			}
		}
		return nil
	}
	if r.crowded() {
		return nil
	}
	waiting := 0
	for _, p := range r.parts {
		waiting += len(p.queue)
	}
	room := waiting < r.cfg.chunksMax() // now, or when chunks have left that are taken in already
	slowest := vec.PosInf
	for _, p := range r.parts {
		if p.comes(room) {
			slowest = min(slowest, p.newest())
		}
	}
	var best *partition
	for _, p := range r.parts {
		if len(p.queue) > 0 && p.queue[0].prepared && !p.tooFar(slowest) && (best == nil || p.newest() < best.newest()) {
			best = p
		}
	}
	return best
}

// quietTicks is for how many ticks a Read of a partition that seems to be behind may be open before the others stop
// waiting for it: its last positions may hold nothing that can be read.
const quietTicks = 3

// comes reports whether a chunk of the partition is ready, or sure to be soon: it is being prepared or read, or there is
// room to read it.
func (p *partition) comes(room bool) bool {
	switch {
	case len(p.queue) > 0:
		return p.queue[0].slot != nil
	case !p.behind() || p.damage != nil:
		return false
	case p.reading:
		return p.waited < quietTicks
	}
	return room
}

// tooFar reports whether every reference is further ahead of the slowest partition than it may be.
func (p *partition) tooFar(slowest vec.Time) bool {
	newest := p.newest()
	if newest == vec.NegInf {
		return false
	}
	timed := false
	for _, t := range p.taps {
		if t.in.Time == nil {
			continue
		}
		timed = true
		if t.in.Ahead == vec.Forever || slowest != vec.NegInf && newest-slowest <= t.in.Ahead {
			return false
		}
	}
	return timed
}

// How many rounds of a branch may be on their way. Where rows are stored a round follows each chunk, and no chunk comes
// in before the one behind the last is: so no more is stored than one chunk beyond what the cursors call for.
const (
	roundsOfWindows = 1
	roundsOfJoins   = 2
)

// crowded reports whether a branch that stores rows has to let some go before more come.
func (r *Runner) crowded() bool {
	for _, b := range r.branches {
		if b.stores && b.rounds >= roundsOfJoins && b.moved() {
			return true
		}
	}
	return false
}
