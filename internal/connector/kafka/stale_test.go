package kafka

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"ubik/internal/connector"
)

// A leader moves while an answer of the old one is still on its way; the new one's comes first. What the old answer says
// of transactions holds from the position it was asked for, which is passed by then.
func TestAnAnswerThatWasOvertakenIsNotUsed(t *testing.T) {
	l, err := newLink("kafka://h/t", &connector.Options{}, roleSource)
	if err != nil {
		t.Fatal(err)
	}
	s := openableSource(l, &connector.Options{})
	p := newPart(s, &connector.Start{From: connector.Position{Offset: 100}, Until: 122})
	s.parts, s.byIndex[0] = []*part{p}, p
	p.leader, p.waiting = 1, true
	rolledBack := written{first: 100, last: 109, attrs: attrTxn, producer: 7, offsets: []int64{100}, values: []string{"no"}}
	committed := written{first: 111, last: 120, attrs: attrTxn, producer: 7, offsets: []int64{111, 120}, values: []string{"a", "b"}}
	aborted := []kmsg.FetchResponseTopicPartitionAbortedTransaction{{ProducerID: 7, FirstOffset: 100}}
	answer := func(batches ...written) *kmsg.FetchResponse {
		resp := kmsg.NewPtrFetchResponse()
		resp.Version = 12
		rt := kmsg.NewFetchResponseTopic()
		rt.Topic = "t"
		rp := kmsg.NewFetchResponseTopicPartition()
		rp.HighWatermark, rp.LastStableOffset, rp.AbortedTransactions = 122, 122, aborted
		for _, w := range batches {
			rp.RecordBatches = append(rp.RecordBatches, w.encode()...)
		}
		rt.Partitions = append(rt.Partitions, rp)
		resp.Topics = append(resp.Topics, rt)
		return resp
	}
	before, after := &fetcher{source: s, broker: 1}, &fetcher{source: s, broker: 2}
	before.request()
	p.leader = 2
	after.request()
	after.answer(answer(rolledBack, marker(110, 7, false)))
	before.answer(answer(rolledBack, marker(110, 7, false), committed, marker(121, 7, true)))
	if p.fetchAt < 122 { // what is missing is asked for again
		aborted = nil
		after.request()
		after.answer(answer(committed, marker(121, 7, true)))
	}
	for _, lost := range []error{kerr.InvalidRequest, kerr.NotLeaderForPartition, kerr.OffsetOutOfRange} {
		refused := answer()
		refused.Topics[0].Partitions[0].ErrorCode = lost.(*kerr.Error).Code
		before.answer(refused)
		if s.failure() != nil || p.stale {
			t.Fatalf("%v of the old leader is believed: %v", lost, s.failure())
		}
	}
	rows, _ := readToEnd(t, s, 0)
	wantRows(t, rows, []row{{111, "a"}, {120, "b"}})
}
