package kafka

import (
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/ubiktest/broker"
)

// scripted is a log of one partition whose fetches are answered by the test: kfake never writes batches with gaps.
type scripted struct {
	mu      sync.Mutex
	log     []written
	aborted []kmsg.FetchResponseTopicPartitionAbortedTransaction
	lso, hw int64
	most    int     // batches of an answer
	id      []byte  // another topic id in the answers, if any
	errs    []int16 // of the next answers
	local   int64   // positions before it are in another storage of the broker
	silent  int     // so many of the next answers bring nothing
	asked   []int64 // positions asked for
}

// script makes a topic "t" of one partition whose fetches and ends come from the log.
func script(t *testing.T, sc *scripted) *broker.Broker {
	t.Helper()
	c, b := fake(t, kfake.SeedTopics(1, "t"))
	if sc.most == 0 {
		sc.most = 100
	}
	c.ControlKey(1, func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		return sc.answer(kreq.(*kmsg.FetchRequest)), nil, true
	})
	c.ControlKey(2, func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		req := kreq.(*kmsg.ListOffsetsRequest)
		resp := req.ResponseKind().(*kmsg.ListOffsetsResponse)
		rt := kmsg.NewListOffsetsResponseTopic()
		rt.Topic = req.Topics[0].Topic
		rp := kmsg.NewListOffsetsResponseTopicPartition()
		rp.Offset = 0
		sc.mu.Lock()
		switch req.Topics[0].Partitions[0].Timestamp {
		case askEnd:
			rp.Offset = sc.hw
			if req.IsolationLevel == 1 {
				rp.Offset = sc.lso
			}
		case askLocal:
			rp.Offset = sc.local
		}
		sc.mu.Unlock()
		rt.Partitions = append(rt.Partitions, rp)
		resp.Topics = append(resp.Topics, rt)
		return resp, nil, true
	})
	return b
}

func (sc *scripted) answer(req *kmsg.FetchRequest) kmsg.Response {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	from := req.Topics[0].Partitions[0].FetchOffset
	sc.asked = append(sc.asked, from)
	resp := req.ResponseKind().(*kmsg.FetchResponse)
	rt := kmsg.NewFetchResponseTopic()
	rt.Topic, rt.TopicID = req.Topics[0].Topic, req.Topics[0].TopicID
	copy(rt.TopicID[:], sc.id)
	rp := kmsg.NewFetchResponseTopicPartition()
	rp.HighWatermark, rp.LastStableOffset = sc.hw, sc.lso
	rp.RecordBatches = []byte{}
	if len(sc.errs) > 0 {
		rp.ErrorCode, sc.errs = sc.errs[0], sc.errs[1:]
	}
	if sc.silent > 0 {
		sc.silent--
	} else if rp.ErrorCode == 0 {
		n := 0
		for _, w := range sc.log {
			if w.last >= from && n < sc.most {
				rp.RecordBatches = append(rp.RecordBatches, w.encode()...)
				n++
			}
		}
		rp.AbortedTransactions = sc.aborted
	}
	rt.Partitions = append(rt.Partitions, rp)
	resp.Topics = append(resp.Topics, rt)
	return resp
}

func data(first, last int64, offsets ...int64) written {
	w := written{first: first, last: last, offsets: offsets, producer: -1}
	for range offsets {
		w.values = append(w.values, "v")
	}
	return w
}

func TestGapsOfEveryShapeArePassed(t *testing.T) {
	one := func(offsets ...int64) []row {
		var out []row
		for _, o := range offsets {
			out = append(out, row{o, "v"})
		}
		return out
	}
	cases := map[string]struct {
		log     []written
		end     int64
		aborted []kmsg.FetchResponseTopicPartitionAbortedTransaction
		want    []row
	}{
		"a batch with no data":             {[]written{data(0, 2, 0, 1, 2), data(3, 7), data(8, 9, 8, 9)}, 10, nil, one(0, 1, 2, 8, 9)},
		"the last batch without data":      {[]written{data(0, 2, 0, 1, 2), data(3, 9)}, 10, nil, one(0, 1, 2)},
		"nothing but batches without data": {[]written{data(0, 4), data(5, 9)}, 10, nil, nil},
		"the first offset not data":        {[]written{data(0, 4, 3, 4), data(5, 9, 7, 8, 9)}, 10, nil, one(3, 4, 7, 8, 9)},
		"the last offset not data":         {[]written{data(0, 4, 0, 1), data(5, 9, 5, 6)}, 10, nil, one(0, 1, 5, 6)},
		"a gap inside":                     {[]written{data(0, 9, 0, 4, 9)}, 10, nil, one(0, 4, 9)},
		"whole batches gone":               {[]written{data(2, 3, 2, 3), data(7, 9, 7, 8, 9)}, 10, nil, one(2, 3, 7, 8, 9)},
		"the last batches gone":            {[]written{data(0, 3, 0, 1, 2, 3)}, 10, nil, one(0, 1, 2, 3)},
		"everything gone":                  {nil, 10, nil, nil},
		"the end inside a gap":             {[]written{data(0, 3, 0, 1), data(50, 60, 50)}, 10, nil, one(0, 1)},
		"the end inside a batch":           {[]written{data(0, 30, 0, 9, 10, 11)}, 10, nil, one(0, 9)},
		"an aborted transaction at the end": {[]written{data(0, 1, 0, 1), {first: 2, last: 8, attrs: attrTxn, producer: 7, offsets: []int64{2, 8}, values: []string{"no", "no"}}, marker(9, 7, false)}, 10,
			[]kmsg.FetchResponseTopicPartitionAbortedTransaction{{ProducerID: 7, FirstOffset: 2}}, one(0, 1)},
	}
	for name, c := range cases {
		for _, most := range []int{1, 100} {
			t.Run(name, func(t *testing.T) {
				b := script(t, &scripted{log: c.log, lso: c.end, hw: c.end + 3, aborted: c.aborted, most: most})
				s := newTestSource(t, urlOf(b, "t"), connector.Options{})
				at := starts(t, s, true)
				if at[0].Until != c.end {
					t.Fatalf("the end is %d, want %d", at[0].Until, c.end)
				}
				mustOpen(t, s, at)
				rows, next := readToEnd(t, s, 0)
				wantRows(t, rows, c.want)
				if next.Offset != c.end {
					t.Errorf("reading ends at %d, want %d", next.Offset, c.end)
				}
			})
		}
	}
}

func TestAnAnswerOfAnotherTopicIsRefused(t *testing.T) {
	b := script(t, &scripted{log: []written{data(0, 2, 0, 1, 2)}, lso: 3, hw: 3, id: []byte("another topic id")})
	s := newTestSource(t, urlOf(b, "t"), connector.Options{})
	mustOpen(t, s, starts(t, s, true))
	wantError(t, readError(t, s, 0), fault.LogChanged, "topic t was deleted and created again: its positions mean other records than those read",
		"start over with a new checkpoint, or name the topic that has the old records")
}

func TestErrorsThatPassLoseAndRepeatNothing(t *testing.T) {
	for _, e := range []*kerr.Error{kerr.NotLeaderForPartition, kerr.FencedLeaderEpoch, kerr.UnknownLeaderEpoch, kerr.LeaderNotAvailable, kerr.ReplicaNotAvailable,
		kerr.KafkaStorageError, kerr.OffsetNotAvailable, kerr.UnknownTopicOrPartition, kerr.UnknownTopicID, kerr.InconsistentTopicID, kerr.UnknownServerError,
		kerr.CorruptMessage, kerr.RequestTimedOut, kerr.OffsetOutOfRange} {
		t.Run(e.Message, func(t *testing.T) {
			sc := &scripted{log: []written{data(0, 2, 0, 1, 2), data(3, 5, 3, 4, 5)}, lso: 6, hw: 6, most: 1, errs: []int16{e.Code, e.Code, 0, e.Code}}
			b := script(t, sc)
			s := newTestSource(t, urlOf(b, "t"), connector.Options{})
			s.link.tune.retryFirst = 1
			mustOpen(t, s, starts(t, s, true))
			rows, _ := readToEnd(t, s, 0)
			wantRows(t, rows, []row{{0, "v"}, {1, "v"}, {2, "v"}, {3, "v"}, {4, "v"}, {5, "v"}})
		})
	}
}

func TestAPositionOutOfRangeWhileReadingIsToldWithItsRange(t *testing.T) {
	sc := &scripted{log: []written{data(0, 2, 0, 1, 2)}, lso: 3, hw: 3}
	b := script(t, sc)
	s := newTestSource(t, urlOf(b, "t"), connector.Options{})
	mustOpen(t, s, starts(t, s, false))
	readRows(t, s, 0, 3)
	sc.mu.Lock()
	sc.errs = []int16{kerr.OffsetOutOfRange.Code}
	sc.hw, sc.lso = 1, 1 // the log was cut back behind the reader
	sc.mu.Unlock()
	wantError(t, readError(t, s, 0), fault.LogChanged, "t/0 ends at 1, before the recorded position 3",
		"start over with a new checkpoint: records that were read are not in the log any more")
}

func TestRefusedReadingNamesTheRight(t *testing.T) {
	b := script(t, &scripted{lso: 3, hw: 3, errs: []int16{kerr.TopicAuthorizationFailed.Code}})
	s := newTestSource(t, urlOf(b, "t"), connector.Options{})
	mustOpen(t, s, starts(t, s, true))
	wantError(t, readError(t, s, 0), fault.Usage,
		"topic t is not permitted to this user: TOPIC_AUTHORIZATION_FAILED: Not authorized to access topics: [Topic authorization failed.]",
		"the user needs READ and DESCRIBE on the topic")
}

// A broker that fetches from tiered storage for too long answers with nothing. That is not the end of the log.
func TestAnEmptyAnswerFromTieredStorageIsNoEnd(t *testing.T) {
	sc := &scripted{log: []written{data(0, 2, 0, 1, 2), data(3, 5, 3, 4, 5)}, lso: 6, hw: 6, most: 1, local: 6, silent: 5}
	b := script(t, sc)
	s := newTestSource(t, urlOf(b, "t"), connector.Options{})
	mustOpen(t, s, starts(t, s, true))
	rows, _ := readToEnd(t, s, 0)
	wantRows(t, rows, []row{{0, "v"}, {1, "v"}, {2, "v"}, {3, "v"}, {4, "v"}, {5, "v"}})
}
