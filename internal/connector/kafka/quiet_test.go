package kafka

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"ubik/internal/connector"
	"ubik/internal/ubiktest/broker"
)

// Positions that hold nothing readable are told when no record follows. Else a partition with nothing but transactions
// that were rolled back would stay at its last record, and retention, which takes what is behind it, would look like loss.
func TestAPositionMovesPastATailWithoutRecords(t *testing.T) {
	sc := &scripted{log: []written{data(0, 2, 0, 1, 2)}, lso: 3, hw: 3}
	b := script(t, sc)
	s := newTestSource(t, urlOf(b, "t"), connector.Options{Client: map[string]string{"fetch.wait.max.ms": "5"}})
	mustOpen(t, s, starts(t, s, false))
	if _, next := readRows(t, s, 0, 3); next.Offset != 3 {
		t.Fatalf("reading goes on at %d, want 3", next.Offset)
	}
	sc.mu.Lock()
	sc.log = append(sc.log, data(3, 9))
	sc.lso, sc.hw = 10, 10
	sc.mu.Unlock()
	c, err := s.Read(testContext(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Pos) != 0 || c.End || c.Next.Offset != 10 {
		t.Errorf("a chunk of %d records, End %v, Next %d; want no records, and 10", len(c.Pos), c.End, c.Next.Offset)
	}
	c.Release()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if c, err := s.Read(ctx, 0); err == nil {
		t.Errorf("without anything new there is a chunk with Next %d", c.Next.Offset)
	}
}

// A Read is open for every quiet partition, of which there may be thousands: none holds the memory of a chunk.
func TestAWaitingReadHoldsNoChunk(t *testing.T) {
	const parts = 400
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(parts, "t"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	b := &broker.Broker{Addr: c.ListenAddrs()[0]}
	s := newTestSource(t, urlOf(b, "t"), connector.Options{})
	mustOpen(t, s, starts(t, s, false))
	before := heap()
	ctx, cancel := context.WithCancel(testContext(t))
	var reads sync.WaitGroup
	for p := range parts {
		reads.Add(1)
		go func() {
			defer reads.Done()
			s.Read(ctx, p)
		}()
	}
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for waiting := 0; waiting < parts; {
		select {
		case <-look.C:
		case <-ctx.Done():
			t.Fatalf("%d Reads of %d wait", waiting, parts)
		}
		s.mu.Lock()
		waiting = 0
		for _, p := range s.parts {
			if p.waiting {
				waiting++
			}
		}
		s.mu.Unlock()
	}
	if grown := int64(heap()) - int64(before); grown > parts*chunkBytes/8 {
		t.Errorf("%d waiting Reads hold %d KiB", parts, grown>>10)
	}
	cancel()
	reads.Wait()
}

func heap() uint64 {
	runtime.GC()
	runtime.GC() // the first leaves what pools hold
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A broker that has just come back may not know its topics yet. To take that for a deletion would end the run for good.
func TestAKnownTopicIsNotTakenForDeletedAtOnce(t *testing.T) {
	c, b := fake(t, kfake.SeedTopics(1, "t"))
	s := newTestSource(t, urlOf(b, "t"), connector.Options{})
	s.link.tune.retryFirst = 1
	mustOpen(t, s, starts(t, s, false))
	left := 5
	c.ControlKey(3, func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		if left--; left < 0 {
			return nil, nil, false
		}
		c.KeepControl()
		req := kreq.(*kmsg.MetadataRequest)
		resp := req.ResponseKind().(*kmsg.MetadataResponse)
		for _, asked := range req.Topics {
			rt := kmsg.NewMetadataResponseTopic()
			rt.Topic, rt.ErrorCode = asked.Topic, kerr.UnknownTopicOrPartition.Code
			resp.Topics = append(resp.Topics, rt)
		}
		return resp, nil, true
	})
	if _, err := s.Partitions(testContext(t)); err != nil {
		t.Fatal(err)
	}
}
