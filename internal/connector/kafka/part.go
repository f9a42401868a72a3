package kafka

import (
	"time"

	"ubik/internal/connector"
)

// part is an open partition. Its reader goroutine owns the first group of fields, source.mu guards the second.
//
//	at ≤ fetchAt; both only grow. Records before at were given; those from at to fetchAt are in cur or queue.
type part struct {
	id     int32
	until  int64 // exclusive; -1: none
	wake   chan struct{}
	source *source

	// Of the reader.
	at      int64 // where reading continues
	atEpoch int32 // leader epoch of the batch before at, -1 where unknown
	cur     piece // the piece being read; no batches: none
	rest    []byte
	plain   []byte // what is left of the records of the batch being read
	buffer  []byte // what plain is part of, when it was decompressed
	open    batch  // the batch being read
	left    int32  // its records that are still in plain

	// Under source.mu.
	queue      []piece
	queued     int   // bytes in cur and queue
	fetchAt    int64 // the next position to ask for
	fetchEpoch int32
	leader     int32 // -1: none known
	epoch      int32 // its leader epoch
	stale      bool  // not to be asked before the next metadata
	doubtful   bool  // the leader changed: its history is compared first
	parked     bool  // not to be asked for a moment
	waiting    bool  // the reader waits for a piece
	reads      int   // pieces taken, to see whether the reader is at work
	seenReads  int   // reads when the last request was made
	alone      bool  // to be asked for on its own, see source.empty
	maxBytes   int32 // largest answer to ask for; grows when a batch does not fit
	ranges     int   // OFFSET_OUT_OF_RANGE answers in a row, though the position lies in the log's range
	failed     error // why it is stale
	failedAt   time.Time
	stalledLSO int64 // the last stable offset at which reading stalled, -1: it did not
	stalledAt  time.Time
}

func newPart(s *source, st *connector.Start) *part {
	return &part{id: st.Index, until: st.Until, wake: make(chan struct{}, 1), source: s,
		at: st.From.Offset, atEpoch: st.From.Epoch,
		fetchAt: st.From.Offset, fetchEpoch: st.From.Epoch,
		leader: -1, epoch: -1, maxBytes: s.link.props.partBytes, stalledLSO: -1}
}

// fetched reports whether everything to be read has been asked for. Under source.mu.
func (p *part) fetched() bool { return p.until >= 0 && p.fetchAt >= p.until }

// push adds a piece and wakes the reader. Under source.mu.
func (p *part) push(x piece) {
	p.queue = append(p.queue, x)
	p.queued += x.size
	p.source.queued += x.size
	p.fetchAt = x.next
	if x.epoch >= 0 {
		p.fetchEpoch = x.epoch
	}
	p.signal()
}

func (p *part) signal() { signal(p.wake) }

// signal sends on a channel with room for one, unless a signal is waiting there already.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
