package kafka

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"ubik/internal/connector"
	"ubik/internal/fault"
)

// source implements connector.Source; see the package comment.
type source struct {
	link      *link
	maxRecord int
	wantKeys  bool

	decompressor kgo.Decompressor
	plain        *plainBytes

	parts   []*part // in Open's order; set once
	byIndex map[int32]*part

	ctx    context.Context // ends at Close
	cancel context.CancelFunc
	wg     sync.WaitGroup // fetchers and the refresher

	refresh      chan struct{} // room for one: metadata is wanted
	failedSignal chan struct{} // closed when err is set

	mu       sync.Mutex
	id       topicID // of the topic as it was first seen
	known    bool    // id is set
	accepted bool    // the topic's configuration was looked at
	fetchers map[int32]*fetcher
	queued   int // bytes in all parts
	err      error
	gone     int // metadata answers in a row without the topic
	drops    int // records dropped since they did not ascend
	told     bool
}

func openableSource(l *link, o *connector.Options) *source {
	s := &source{link: l, maxRecord: o.MaxRecord, wantKeys: o.WantKeys, plain: &plainBytes{},
		byIndex: make(map[int32]*part), fetchers: make(map[int32]*fetcher),
		refresh: make(chan struct{}, 1), failedSignal: make(chan struct{})}
	s.decompressor = kgo.DefaultDecompressor(s.plain)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Identity names the topic for a comparison with another connector.
func (s *source) Identity(ctx context.Context) (string, error) { return s.link.identity(ctx) }

// Partitions implements connector.Source.
func (s *source) Partitions(ctx context.Context) ([]connector.Partition, error) {
	info, earliest, end, high, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]connector.Partition, len(info.parts))
	for i := range out {
		out[i] = connector.Partition{
			PartitionID: connector.PartitionID{Topic: s.link.topic, Index: int32(i)},
			LogID:       info.id.String(), Earliest: earliest[i], End: end[i], High: high[i], Epoch: info.parts[i].epoch,
		}
	}
	return out, nil
}

// look asks for the topic and the range of each partition, and fails when it is not the one that was seen before or
// when a range has left an open partition's position behind.
func (s *source) look(ctx context.Context) (info topicInfo, earliest, end, high []int64, err error) {
	cl, err := s.link.client()
	if err != nil {
		return info, nil, nil, nil, err
	}
	if err := s.failure(); err != nil {
		return info, nil, nil, nil, err
	}
	at := s.positions()
	absent := 0
	err = s.link.patient(ctx, func(ctx context.Context) error {
		var found bool
		var err error
		if info, found, err = s.link.topicInfo(ctx, cl); err != nil {
			return err
		}
		if !found {
			// A broker that has just started may not know all topics yet: ask again, and longer for one that was there.
			known, times := s.isKnown(), 2
			if known {
				times = s.link.tune.absentTimes
			}
			if absent++; absent < times {
				return fmt.Errorf("there is no topic %s", s.link.topic)
			}
			if known {
				return s.link.deleted()
			}
			return s.link.absent(ctx, cl)
		}
		if err := s.know(info.id); err != nil {
			return err
		}
		if err := s.accept(ctx, cl); err != nil {
			return err
		}
		if earliest, err = s.link.offsets(ctx, cl, &info, askEarliest, 1); err != nil {
			return err
		}
		if end, err = s.link.offsets(ctx, cl, &info, askEnd, 1); err != nil {
			return err
		}
		high, err = s.link.offsets(ctx, cl, &info, askEnd, 0)
		return err
	})
	if err == nil {
		err = s.compare(at, earliest)
	}
	if err != nil && fault.ClassOf(err) == fault.LogChanged {
		err = s.fail(err)
	}
	return info, earliest, end, high, err
}

// positions returns where each open, unfinished partition will be read next from the log.
func (s *source) positions() map[int32]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := make(map[int32]int64)
	for _, p := range s.parts {
		if !p.fetched() {
			at[p.id] = p.fetchAt
		}
	}
	return at
}

// compare fails when a partition, perhaps one that is not being read, has lost records that were still to come.
func (s *source) compare(at map[int32]int64, earliest []int64) error {
	for i, begin := range earliest {
		if from, ok := at[int32(i)]; ok && from < begin {
			return s.link.outOfRange(int32(i), from, begin, begin)
		}
	}
	return nil
}

func (s *source) isKnown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known
}

// know fixes the topic's id at the first call and compares at each later one.
func (s *source) know(id topicID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.known: // written once: the fetchers, which start later, read the id without the lock
		s.id, s.known = id, true
	case s.id != id:
		return s.link.recreated()
	}
	return nil
}

// accept refuses a compacted topic, once.
func (s *source) accept(ctx context.Context, cl *kgo.Client) error {
	s.mu.Lock()
	done := s.accepted
	s.mu.Unlock()
	if done || s.link.compacted {
		return nil
	}
	c, ok, err := s.link.configs(ctx, cl)
	if err != nil {
		return err
	}
	if !ok {
		s.link.logf("topic %s: whether it is compacted is not known, since this user may not see its configuration (DESCRIBE_CONFIGS)", s.link.topic)
	} else if policies := strings.Split(c["cleanup.policy"], ","); slices.ContainsFunc(policies, func(p string) bool { return strings.TrimSpace(p) == "compact" }) {
		return fault.New(fault.Usage,
			fmt.Sprintf("topic %s is compacted (cleanup.policy=%s): older records of a key vanish at any time, so reading it again gives another result", s.link.topic, c["cleanup.policy"]),
			"to read it all the same, write kafka://"+s.link.address()+"/"+s.link.topic+"?compacted=yes")
	}
	s.mu.Lock()
	s.accepted = true
	s.mu.Unlock()
	return nil
}

// Open implements connector.Source.
func (s *source) Open(ctx context.Context, at []connector.Start) error {
	if s.parts != nil {
		panic("kafka: source opened twice")
	}
	info, earliest, end, high, err := s.look(ctx)
	if err != nil {
		return err
	}
	for i := range at {
		if err := s.verify(&at[i], &info, earliest, end, high); err != nil {
			return err
		}
	}
	parts := make([]*part, 0, len(at))
	for i := range at {
		p := newPart(s, &at[i])
		if s.byIndex[p.id] != nil {
			panic(fmt.Sprintf("kafka: partition %d opened twice", p.id))
		}
		s.byIndex[p.id] = p
		parts = append(parts, p)
	}
	cl, err := s.link.client()
	if err != nil {
		return err
	}
	// The history is compared now, so that a log that changed is told at the start.
	again := false
	err = s.link.patient(ctx, func(ctx context.Context) error {
		if again { // leaders and their epochs may be others by now
			now, err := s.sameTopic(ctx, cl, len(info.parts))
			if err != nil {
				return err
			}
			info = now
		}
		again = true
		return s.compareHistories(ctx, cl, parts, &info)
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.parts = parts
	for _, p := range parts {
		p.epoch = info.parts[p.id].epoch
	}
	s.assign(&info)
	s.mu.Unlock()
	s.link.begun.Store(true)
	s.wg.Go(s.refresher)
	return nil
}

// sameTopic asks for the topic once more, which must be the one that was seen before, with all its partitions.
func (s *source) sameTopic(ctx context.Context, cl *kgo.Client, partitions int) (topicInfo, error) {
	info, found, err := s.link.topicInfo(ctx, cl)
	if err != nil {
		return info, err
	}
	if !found || len(info.parts) < partitions {
		return info, fmt.Errorf("the broker does not know all partitions of topic %s", s.link.topic)
	}
	return info, s.know(info.id)
}

// verify compares one start with the log as it is now.
func (s *source) verify(st *connector.Start, info *topicInfo, earliest, end, high []int64) error {
	l := s.link
	if st.Topic != l.topic {
		return logChanged(startOver, "the recorded positions belong to topic %s, not to %s", st.Topic, l.topic)
	}
	if st.LogID != info.id.String() {
		return l.recreated()
	}
	if st.Index < 0 || int(st.Index) >= len(info.parts) {
		return logChanged(startOver, "%s/%d is not there any more: the topic now has %d partitions", l.topic, st.Index, len(info.parts))
	}
	e, z := earliest[st.Index], end[st.Index]
	if st.Until >= 0 && st.From.Offset >= st.Until {
		return nil // nothing is to be read
	}
	last := z
	if st.From.Epoch < 0 { // nothing was read yet, so that an open transaction may be before it
		last = max(z, high[st.Index])
	}
	if err := l.outOfRange(st.Index, st.From.Offset, e, last); err != nil {
		return err
	}
	if st.Until > z {
		return logChanged(startOver+": records of the run are not in the log any more",
			"%s/%d ends at %d, before the recorded end %d of the run", l.topic, st.Index, z, st.Until)
	}
	return nil
}

// failure returns what ended the source, if anything.
func (s *source) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// fail ends the source: every Read returns the first failure from now on. It returns that.
func (s *source) fail(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failLocked(err)
}

func (s *source) failLocked(err error) error {
	if s.err == nil {
		s.err = err
		close(s.failedSignal)
	}
	return s.err
}

// dropped counts a record that did not ascend.
func (s *source) dropped(partition int32, offset, at int64) {
	s.mu.Lock()
	s.drops++
	first := !s.told
	s.told = true
	s.mu.Unlock()
	if first {
		s.link.logf("%s/%d: the broker gave position %d again where %d was to come; it is dropped, and so are others like it", s.link.topic, partition, offset, at)
	}
}

// Close implements connector.Source. All goroutines have ended when it returns.
func (s *source) Close() error {
	s.cancel()
	s.wg.Wait()
	s.link.close()
	return nil
}
