package kafka

import (
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"ubik/internal/fault"
)

// fetcher asks one broker for the parts it leads, one request at a time.
type fetcher struct {
	source *source
	broker int32
	wake   chan struct{}
	turn   int             // rotates which part comes first, since an answer may not hold all
	at     map[int32]int64 // the positions that the last request asked for
}

// waitShort is how long a broker may hold an answer back while a part with a busy reader is left out of the request for
// its full queue: it is to be asked again soon.
const waitShort = 10 * time.Millisecond

// wakeFetcher tells the broker's fetcher that something has changed. Under mu.
func (s *source) wakeFetcher(broker int32) {
	if f := s.fetchers[broker]; f != nil {
		signal(f.wake)
	}
}

// assign takes over leaders and leader epochs, and starts fetchers of brokers that have none. Under mu.
func (s *source) assign(info *topicInfo) {
	for _, p := range s.parts {
		now := info.parts[p.id]
		if now.epoch != p.epoch {
			p.doubtful = true
		}
		p.leader, p.epoch = now.leader, now.epoch
		if p.leader < 0 {
			s.stale(p, kerr.LeaderNotAvailable)
			continue
		}
		p.stale = false
		if p.queued > 0 || p.fetched() {
			s.noFailure(p) // nobody waits for it, and it may not be asked for long: no outage
		}
		if s.fetchers[p.leader] == nil && s.ctx.Err() == nil {
			f := &fetcher{source: s, broker: p.leader, wake: make(chan struct{}, 1)}
			s.fetchers[p.leader] = f
			s.wg.Go(f.run)
		}
		s.wakeFetcher(p.leader)
	}
}

// stale takes a part out until there is new metadata. Under mu.
func (s *source) stale(p *part, why error) {
	p.stale = true
	p.failed = why
	if p.failedAt.IsZero() {
		p.failedAt = time.Now()
	}
	signal(s.refresh)
}

func (f *fetcher) run() {
	s := f.source
	defer fault.Guard()
	cl, err := s.link.client()
	if err != nil {
		s.fail(err)
		return
	}
	for {
		if s.ctx.Err() != nil || s.failure() != nil {
			return
		}
		if doubtful := f.doubtful(); len(doubtful) > 0 {
			f.settle(cl, doubtful)
			continue
		}
		req, asked := f.request()
		if len(asked) == 0 {
			select {
			case <-f.wake:
			case <-s.failedSignal:
			case <-s.ctx.Done():
			}
			continue
		}
		resp, err := req.RequestWith(s.ctx, cl.Broker(int(f.broker)))
		if s.ctx.Err() != nil {
			return
		}
		if err == nil {
			err = kerr.ErrorForCode(resp.ErrorCode)
		}
		if err != nil {
			f.failed(asked, err)
			continue
		}
		f.answer(resp)
	}
}

// failed takes the parts out that a request asked for.
func (f *fetcher) failed(asked []*part, err error) {
	s := f.source
	if final := s.link.permanent(err); final != nil {
		s.fail(final)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range asked {
		s.stale(p, err)
	}
}

// wants reports whether the part is to be asked for. full reports that only its full queue forbids it. Under mu.
func (s *source) wants(p *part) (wanted, full bool) {
	if p.stale || p.doubtful || p.parked || p.fetched() {
		return false, false
	}
	if p.queued == 0 && p.waiting {
		return true, false
	}
	room := max(1, s.link.tune.budget/max(1, len(s.parts)))
	room = min(room, s.link.tune.partBudget)
	if p.queued+int(p.maxBytes) <= room || p.queued == 0 {
		if s.queued < s.link.tune.budget {
			return true, false
		}
	}
	return false, true
}

// request makes the next request, and the list of parts it asks for.
func (f *fetcher) request() (*kmsg.FetchRequest, []*part) {
	s := f.source
	s.mu.Lock()
	defer s.mu.Unlock()
	var asked []*part
	wait := s.link.props.fetchWait
	n := len(s.parts)
	for i := range n {
		p := s.parts[(f.turn+i)%n]
		if p.leader != f.broker {
			continue
		}
		wanted, full := s.wants(p)
		if full && p.reads != p.seenReads {
			wait = min(wait, waitShort)
		}
		p.seenReads = p.reads
		if wanted && p.alone {
			asked = append(asked[:0], p)
			wait = min(wait, waitShort)
			break
		}
		if wanted {
			asked = append(asked, p)
		}
	}
	f.turn++
	if len(asked) == 0 {
		return nil, nil
	}
	req := kmsg.NewFetchRequest()
	req.MaxWaitMillis = int32(max(1, wait.Milliseconds()))
	req.MinBytes = 1
	req.MaxBytes = s.link.props.fetchBytes
	req.IsolationLevel = 1
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.TopicID = s.link.topic, s.id
	for _, p := range asked {
		rp := kmsg.NewFetchRequestTopicPartition()
		rp.Partition = p.id
		rp.CurrentLeaderEpoch = p.epoch
		rp.FetchOffset = p.fetchAt
		rp.PartitionMaxBytes = p.maxBytes
		req.MaxBytes = max(req.MaxBytes, p.maxBytes)
		t.Partitions = append(t.Partitions, rp)
	}
	req.Topics = []kmsg.FetchRequestTopic{t}
	f.at = make(map[int32]int64, len(asked))
	for _, p := range asked {
		f.at[p.id] = p.fetchAt
	}
	return &req, asked
}

// answer puts what came into the queues.
func (f *fetcher) answer(resp *kmsg.FetchResponse) {
	s := f.source
	total := 0
	for i := range resp.Topics {
		for j := range resp.Topics[i].Partitions {
			total += len(resp.Topics[i].Partitions[j].RecordBatches)
		}
	}
	for i := range resp.Topics {
		t := &resp.Topics[i]
		if resp.Version >= 13 && topicID(t.TopicID) != s.id || resp.Version < 13 && t.Topic != s.link.topic {
			s.fail(s.link.recreated())
			return
		}
		for j := range t.Partitions {
			rp := &t.Partitions[j]
			p := s.byIndex[rp.Partition]
			at, ok := f.at[rp.Partition]
			if !ok {
				continue
			}
			if err := f.part(p, rp, at, total, len(f.at) == 1); err != nil {
				s.fail(err)
				return
			}
		}
	}
}
