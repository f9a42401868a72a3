// Package runner decides everything that decides the output: which partition to read next, what a record counts as,
// when to cut, what to write, what to save, when to stop.
//
// It is a state machine without goroutines and clocks. Its inputs are events (a chunk was read, a task is done, rows
// were written, a unit is durable, a tick of the clock), its outputs are actions (read, run this task, write, flush,
// save, finish). A shell performs the actions, with goroutines in production and from a seeded script in tests:
//
//	r, err := runner.New(cfg, listed, unit)
//	for !finished {
//		for _, a := range r.Actions() { perform(a) }
//		r.Handle(<-events)
//	}
//
// A chunk's way: Read → prepare (a task: decode, WHERE, window, expressions; any order) → sequence (here: the only place
// where the order of a partition's records matters: watermark, lateness, ledger) → apply (a task of each shard) → rows
// of an advance, merged in lane order → Write. A cut is a set of positions behind sequenced chunks; it travels the
// shards' queues and the output queue like everything else, so what is saved belongs to exactly those positions.
package runner
