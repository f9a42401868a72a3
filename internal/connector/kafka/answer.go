package kafka

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"ubik/internal/fault"
)

// part takes the answer for one part, which was asked for at a position. total is the number of record bytes in the
// whole answer; only says that the request asked for nothing else.
func (f *fetcher) part(p *part, rp *kmsg.FetchResponseTopicPartition, at int64, total int, only bool) error {
	if err := kerr.ErrorForCode(rp.ErrorCode); err != nil {
		return f.partError(p, at, err)
	}
	if !f.source.link.permitted.Load() {
		f.source.link.permitted.Store(true)
	}
	nothing, err := f.take(p, rp, at, total, only)
	if nothing {
		f.passTail(p, at)
	}
	return err
}

// take puts the batches of the answer into the part's queue. nothing reports that there seems to be none up to the end.
func (f *fetcher) take(p *part, rp *kmsg.FetchResponseTopicPartition, at int64, total int, only bool) (nothing bool, err error) {
	s := f.source
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.fetchAt != at {
		// The leader moved while the answer was under way, and the new one has answered already. What this one says of
		// transactions holds from at on only.
		return false, nil
	}
	p.ranges = 0
	s.noFailure(p)
	w := walkBatches(rp.RecordBatches, p.fetchAt)
	if w.whole == 0 && w.wrong != "" {
		return false, s.link.damaged(p.id, p.fetchAt, w.wrong)
	}
	switch {
	case w.next > p.fetchAt:
		p.alone = false
		p.stalledLSO = -1
		p.maxBytes = s.link.props.partBytes
		x := piece{batches: rp.RecordBatches[:w.whole:w.whole], from: p.fetchAt, next: w.next, epoch: w.epoch, aborts: abortsOf(rp.AbortedTransactions), size: w.whole}
		if 2*w.whole < total {
			x.batches = bytes.Clone(x.batches) // else a small piece would keep the whole answer in memory
		}
		p.push(x)
	case len(rp.RecordBatches) > 0 && w.whole == 0:
		if p.maxBytes >= 1<<30 {
			return false, s.link.damaged(p.id, p.fetchAt, "it is larger than 1 GiB")
		}
		p.maxBytes *= 2 // a broker before 0.10.1, or a proxy: not even the first batch came whole
	case len(rp.RecordBatches) > 0:
		// Batches, but all before the position. Asking again at once could go on for ever.
		s.stale(p, fmt.Errorf("the broker answers with batches before position %d", p.fetchAt))
	default:
		return s.empty(p, rp, total, only), nil
	}
	return false, nil
}

// empty takes an answer without batches, and reports whether it says that nothing is left to be read. Under mu.
//
// The log of a bounded part may end in a gap: the cleaner took the last batches and the segment behind them is empty. No
// batch will then ever show that the end is reached. But an answer to a request for this part alone that brings nothing,
// though the last stable offset lies ahead, shows that nothing readable is left before it. It counts only alone, since a
// broker leaves a part out for which an answer had no room; and only if passTail confirms it.
func (s *source) empty(p *part, rp *kmsg.FetchResponseTopicPartition, total int, only bool) (nothing bool) {
	lso := rp.LastStableOffset
	if lso < 0 {
		lso = rp.HighWatermark
	}
	if p.until >= 0 && p.fetchAt < p.until && lso >= p.until && total == 0 {
		nothing = only && p.alone
		p.alone = !nothing
		return nothing
	}
	p.alone = false
	if p.fetchAt > lso {
		s.park(p)
	}
	if p.fetchAt >= lso && lso < rp.HighWatermark {
		s.stalled(p, lso, rp.HighWatermark)
	} else {
		p.stalledLSO = -1
	}
	return false
}

// park leaves a part alone for a moment that begins behind an open transaction: a broker does not always hold the answer
// back then. Under mu.
func (s *source) park(p *part) {
	p.parked = true
	time.AfterFunc(s.link.tune.retryFirst, func() {
		defer fault.Guard()
		s.mu.Lock()
		defer s.mu.Unlock()
		p.parked = false
		s.wakeFetcher(p.leader)
	})
}

// passTail moves a bounded part from a position to its end, behind which nothing was found, unless the position lies
// in tiered storage: from there a broker brings nothing, too, when fetching takes it too long. Then it is asked again.
func (f *fetcher) passTail(p *part, at int64) {
	s := f.source
	local, err := f.localStart(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		s.stale(p, err)
	case p.fetchAt == at && local <= at:
		p.push(piece{from: at, next: p.until, epoch: -1})
	}
}

// localStart asks for the first position that is not in tiered storage; 0 where a broker knows of none.
func (f *fetcher) localStart(p *part) (int64, error) {
	s := f.source
	cl, err := s.link.client()
	if err != nil {
		return 0, err
	}
	req := kmsg.NewListOffsetsRequest()
	req.ReplicaID = -1
	t := kmsg.NewListOffsetsRequestTopic()
	t.Topic = s.link.topic
	rp := kmsg.NewListOffsetsRequestTopicPartition()
	rp.Partition, rp.Timestamp = p.id, askLocal
	t.Partitions = append(t.Partitions, rp)
	req.Topics = append(req.Topics, t)
	resp, err := req.RequestWith(s.ctx, cl.Broker(int(f.broker)))
	if err != nil {
		return 0, err
	}
	if resp.Version < tieredVersion {
		return 0, nil
	}
	if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return 0, fmt.Errorf("the broker answers not for %s/%d alone", s.link.topic, p.id)
	}
	answer := resp.Topics[0].Partitions[0]
	return answer.Offset, kerr.ErrorForCode(answer.ErrorCode)
}

// tieredVersion is the first version of ListOffsets that knows of tiered storage.
const tieredVersion = 8

// stalled reports, not too often, that an open transaction holds reading back. Under mu.
func (s *source) stalled(p *part, lso, hw int64) {
	now := time.Now()
	if p.stalledLSO != lso {
		p.stalledLSO, p.stalledAt = lso, now
		return
	}
	if now.Sub(p.stalledAt) < s.link.tune.stallEvery {
		return
	}
	p.stalledAt = now
	s.link.logf("%s/%d: an open transaction of a producer holds reading at position %d; the log goes on to %d", s.link.topic, p.id, lso, hw)
}

// partError takes an error of one part's answer, which was asked for at a position: it returns what ends the run, else
// the part is asked for again once there is new metadata.
func (f *fetcher) partError(p *part, at int64, err error) error {
	s := f.source
	s.mu.Lock()
	overtaken := p.fetchAt != at
	s.mu.Unlock()
	if overtaken {
		return nil // as in take; the old leader may have lost the partition by now
	}
	switch err {
	case kerr.OffsetOutOfRange:
		return f.checkRange(p, at)
	case kerr.UnknownTopicID, kerr.InconsistentTopicID, kerr.UnknownTopicOrPartition:
		// The new metadata tells whether the topic is another now, or this broker merely late.
	default:
		if final := s.link.permanent(err); final != nil {
			return final
		}
		if !kerr.IsRetriable(err) && err != kerr.UnknownServerError && err != kerr.FencedLeaderEpoch {
			return fault.Wrap(fault.Retryable, err, "look into the broker's log", "kafka at %s cannot give position %d of %s/%d", s.link.address(), at, s.link.topic, p.id)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.fetchAt == at {
		s.stale(p, err)
	}
	return nil
}

// checkRange finds the words for a position that the broker says is out of range.
func (f *fetcher) checkRange(p *part, at int64) error {
	s := f.source
	cl, err := s.link.client()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.link.tune.patience)
	defer cancel()
	info, found, err := s.link.topicInfo(ctx, cl)
	if err == nil && !found {
		err = kerr.UnknownTopicOrPartition
	}
	if err == nil && info.id != s.id {
		return s.link.recreated()
	}
	var earliest, end []int64
	if err == nil {
		earliest, err = s.link.offsets(ctx, cl, &info, askEarliest, 0)
	}
	if err == nil {
		end, err = s.link.offsets(ctx, cl, &info, askEnd, 0)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.fetchAt != at {
		return nil // another leader has answered meanwhile
	}
	if err != nil {
		s.stale(p, err)
		return nil
	}
	if int(p.id) >= len(earliest) {
		return s.link.recreated()
	}
	if err := s.link.outOfRange(p.id, at, earliest[p.id], end[p.id]); err != nil {
		return err
	}
	// In range after all: a leader that is still catching up. That passes, or it is a defect of the broker.
	if p.ranges++; p.ranges > 20 {
		return fault.New(fault.Retryable, fmt.Sprintf("kafka at %s says again and again that position %d of %s/%d is out of range, though the log reaches from %d to %d",
			s.link.address(), at, s.link.topic, p.id, earliest[p.id], end[p.id]), "look into the broker's log")
	}
	s.stale(p, kerr.OffsetOutOfRange)
	return nil
}
