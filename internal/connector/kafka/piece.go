package kafka

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// piece is what one answer brought for one part.
type piece struct {
	batches []byte // whole batches
	from    int64  // the position that was asked for
	next    int64  // the position behind the last batch: next > from
	epoch   int32  // leader epoch of the last batch, -1 when there is none
	aborts  aborts
	size    int // bytes accounted for
}

// aborts are the transactions that were rolled back, by producer: first offsets, ascending. A marker ends the first.
type aborts map[int64][]int64

// abortsOf does not rely on the broker's order: not all brokers sort.
func abortsOf(list []kmsg.FetchResponseTopicPartitionAbortedTransaction) aborts {
	if len(list) == 0 {
		return nil
	}
	a := make(aborts)
	for _, t := range list {
		a[t.ProducerID] = append(a[t.ProducerID], t.FirstOffset)
	}
	for _, firsts := range a {
		slices.Sort(firsts)
	}
	return a
}

// drops reports whether the records of b belong to a transaction that was rolled back.
func (a aborts) drops(b batch) bool {
	if len(a) == 0 || b.attrs()&attrTxn == 0 {
		return false
	}
	firsts := a[b.producer()]
	return len(firsts) > 0 && b.first() >= firsts[0]
}

// marker takes note of a control batch: an abort marker ends a transaction of its producer.
func (a aborts) marker(b batch) {
	if len(a) == 0 || !a.drops(b) {
		return
	}
	r, _, ok := readRecord(b.body())
	if !ok || len(r.key) < markerKeySize || r.key[2] != 0 || r.key[3] != markerAbort {
		return
	}
	if firsts := a[b.producer()]; len(firsts) > 1 {
		a[b.producer()] = firsts[1:]
	} else {
		delete(a, b.producer())
	}
}
