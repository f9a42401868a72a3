package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"ubik/internal/fault"
)

// refresher asks for metadata whenever a part could not be read, with a growing pause as long as that stays so. It is
// what notices that the topic is another now and that an outage has lasted too long.
func (s *source) refresher() {
	defer fault.Guard()
	cl, err := s.link.client()
	if err != nil {
		s.fail(err)
		return
	}
	pause := s.link.tune.retryFirst
	var toldAt, episode time.Time
	for {
		select {
		case <-s.refresh:
		case <-s.failedSignal:
			return
		case <-s.ctx.Done():
			return
		}
		err := s.refreshOnce(cl)
		if s.ctx.Err() != nil {
			return
		}
		if err != nil {
			if final := s.link.permanent(err); final != nil {
				s.fail(final)
				return
			}
			signal(s.refresh)
		}
		since, why, waiting := s.longestFailure()
		if !waiting {
			pause = s.link.tune.retryFirst
			continue
		}
		if err == nil {
			err = why
		}
		if !since.Equal(episode) {
			episode, pause = since, s.link.tune.retryFirst
		}
		now := time.Now()
		if now.Sub(since) >= s.link.tune.notice && now.Sub(toldAt) >= s.link.tune.stallEvery {
			toldAt = now
			s.tellFailure(err)
		}
		if now.Sub(since) >= s.link.tune.outage {
			s.fail(s.link.outageError(err, now.Sub(since).Round(time.Second)))
			return
		}
		select {
		case <-time.After(pause):
		case <-s.ctx.Done():
			return
		}
		pause = min(2*pause, s.link.tune.retryMost)
	}
}

func (s *source) refreshOnce(cl *kgo.Client) error {
	ctx, cancel := context.WithTimeout(s.ctx, s.link.tune.patience)
	defer cancel()
	info, found, err := s.link.topicInfo(ctx, cl)
	if err != nil {
		return err
	}
	if found {
		if err := s.know(info.id); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !found {
		if s.gone++; s.gone >= s.link.tune.absentTimes {
			return s.link.deleted()
		}
		return fmt.Errorf("there is no topic %s", s.link.topic)
	}
	s.gone = 0
	for _, p := range s.parts {
		if int(p.id) >= len(info.parts) {
			return s.link.recreated()
		}
	}
	s.assign(&info)
	return nil
}

// longestFailure returns since when some part could not be read, and why.
func (s *source) longestFailure() (since time.Time, why error, failing bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failing()
}

// failing is longestFailure. Under mu.
func (s *source) failing() (since time.Time, why error, failing bool) {
	for _, p := range s.parts {
		if !p.failedAt.IsZero() && (!failing || p.failedAt.Before(since)) {
			since, why, failing = p.failedAt, p.failed, true
		}
	}
	return since, why, failing
}

// tellFailure tells that the broker is waited for, and the last reason, unless all parts have been read by now.
func (s *source) tellFailure(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if since, _, failing := s.failing(); failing {
		s.link.waits(reading, since, "waiting for kafka at %s … (%v)", s.link.address(), why)
	}
}

// noFailure notes that a part is no reason to wait. Under mu.
func (s *source) noFailure(p *part) {
	if p.failedAt.IsZero() {
		return
	}
	p.failed, p.failedAt = nil, time.Time{}
	if _, _, failing := s.failing(); !failing {
		s.link.waitsNoMore(reading)
	}
}

// doubtful lists the broker's parts whose leader has changed since they were read.
func (f *fetcher) doubtful() []*part {
	s := f.source
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*part
	for _, p := range s.parts {
		if p.leader == f.broker && !p.stale && p.doubtful {
			list = append(list, p)
		}
	}
	return list
}

// settle compares the new leader's history with what was read; after it the parts are readable, stale, or the run ends.
func (f *fetcher) settle(cl *kgo.Client, parts []*part) {
	s := f.source
	err := s.compareHistory(s.ctx, cl, f.broker, parts)
	if err != nil {
		f.failed(parts, err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range parts {
		p.doubtful = false
	}
}

// compareHistories does compareHistory for all leaders.
func (s *source) compareHistories(ctx context.Context, cl *kgo.Client, parts []*part, info *topicInfo) error {
	byLeader := make(map[int32][]*part)
	for _, p := range parts {
		p.epoch = info.parts[p.id].epoch
		leader := info.parts[p.id].leader
		byLeader[leader] = append(byLeader[leader], p)
	}
	for leader, list := range byLeader {
		if err := s.compareHistory(ctx, cl, leader, list); err != nil {
			return err
		}
	}
	return nil
}

// compareHistory asks the leader where the leader epoch of the last batch read ended. When that lies before the position,
// records that were read have been lost since, and others may have their place: an unclean election.
func (s *source) compareHistory(ctx context.Context, cl *kgo.Client, leader int32, parts []*part) error {
	req := kmsg.NewOffsetForLeaderEpochRequest()
	req.ReplicaID = -1
	t := kmsg.NewOffsetForLeaderEpochRequestTopic()
	t.Topic = s.link.topic
	at := make(map[int32]int64)
	s.mu.Lock()
	for _, p := range parts {
		if p.fetchEpoch < 0 {
			continue // nothing read yet, or a position without an epoch: there is nothing to compare
		}
		rp := kmsg.NewOffsetForLeaderEpochRequestTopicPartition()
		rp.Partition, rp.CurrentLeaderEpoch, rp.LeaderEpoch = p.id, p.epoch, p.fetchEpoch
		t.Partitions = append(t.Partitions, rp)
		at[p.id] = p.fetchAt
	}
	s.mu.Unlock()
	if len(t.Partitions) == 0 {
		return nil
	}
	req.Topics = []kmsg.OffsetForLeaderEpochRequestTopic{t}
	resp, err := req.RequestWith(ctx, cl.Broker(int(leader)))
	if err != nil {
		return err
	}
	for i := range resp.Topics {
		for j := range resp.Topics[i].Partitions {
			rp := &resp.Topics[i].Partitions[j]
			from, asked := at[rp.Partition]
			if err := kerr.ErrorForCode(rp.ErrorCode); err != nil && !errors.Is(err, kerr.UnsupportedVersion) {
				return err
			}
			if !asked || rp.EndOffset < 0 {
				continue // the leader does not know that epoch any more
			}
			delete(at, rp.Partition)
			if rp.EndOffset < from {
				return s.link.diverged(rp.Partition, from, rp.EndOffset)
			}
		}
	}
	return nil
}
