package e2e

import "ubik/internal/ubiktest/broker"

// feeds fill the topics of all sources of a query, in the order of the sources. What is produced is shared among them by what each has left, so they come to
// their ends together.
type feeds []*feed

func (fs feeds) produced() (n int) {
	for _, f := range fs {
		n += f.produced
	}
	return n
}

func (fs feeds) left() (n int) {
	for _, f := range fs {
		n += len(f.left)
	}
	return n
}

// share calls for each feed with its share of the next n records.
func (fs feeds) share(n int, each func(f *feed, n int)) {
	for i, f := range fs {
		mine := n
		if left := fs[i:].left(); left > 0 {
			mine = n * len(f.left) / left
		}
		n -= mine
		each(f, mine)
	}
}

func (fs feeds) stage(n int) { fs.share(n, (*feed).stage) }

// plainly produces the next n records, and waits for them to be in the log.
func (fs feeds) plainly(n int) {
	fs.share(n, func(f *feed, n int) { f.b.Produce(f.t, f.topic, f.take(n)) })
}

// openTail produces the next n records in transactions that stay open, and gives what commits them.
func (fs feeds) openTail(n int) (commit func()) {
	var tails []*broker.Transaction
	fs.share(n, func(f *feed, n int) { tails = append(tails, f.openTail(n)) })
	return func() {
		for _, tail := range tails {
			tail.Commit()
		}
		for _, f := range fs {
			settled(f.t, f.b, f.topic)
		}
	}
}

// finish produces what is left, with an aborted transaction at the very end.
func (fs feeds) finish() {
	fs.stage(fs.left())
	for _, f := range fs {
		f.abort()
	}
}

// ends gives the readable end of each partition, by source.
func (fs feeds) ends() []map[int32]int64 {
	var ends []map[int32]int64
	for _, f := range fs {
		ends = append(ends, f.ends())
	}
	return ends
}
