package kafka

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/ubiktest/broker"
)

// largestValue is the length of the longest value that fits beside the key.
func largestValue(s *sink, key int) int {
	n := s.largest
	for !s.fits(key, n) {
		n--
	}
	return n
}

func TestTheSizeOfARowIsThatOfTheClient(t *testing.T) {
	_, b := fake(t)
	topic := b.NewTopic(t, "sizes", 1, map[string]string{"max.message.bytes": "100000000"})
	times := []int64{0, 1_700_000_000_000, firstMs, lastMs}
	n := 0
	// Where the length of the value, or of the whole, takes a byte more, and beside that.
	for _, largest := range []int{1025, 5000, 8192 + 65, 8192 + 71, 8192 + 73, 8192 + 75, 1<<20 + 76, 1<<20 + 78, 1<<20 + 79} {
		for _, key := range []int{0, 1, 63, 64, 700} {
			s := &sink{largest: largest}
			edge := largestValue(s, key)
			for value := edge - 1; value <= edge+2; value++ {
				// Of a new client: one that has learned how a broker speaks may take three bytes more.
				cl := b.Client(t, kgo.ProducerBatchMaxBytes(int32(largest)), kgo.ProducerBatchCompression(kgo.NoCompression()))
				r := &kgo.Record{Topic: topic, Key: []byte(strings.Repeat("k", key)), Value: []byte(strings.Repeat("v", value)), Timestamp: time.UnixMilli(times[n%len(times)])}
				n++
				err := cl.ProduceSync(testContext(t), r).FirstErr()
				if err != nil && !errors.Is(err, kerr.MessageTooLarge) || (err == nil) != s.fits(key, value) {
					t.Errorf("of %d bytes, a key of %d and a value of %d: %v; fits: %v", largest, key, value, err, s.fits(key, value))
				}
				cl.Close()
			}
		}
	}
}

func TestTheSizeOfANumber(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 10_000 {
		n := rnd.Int32() >> (i % 31)
		if got, want := varintSize(int(n)), len(appendVarint(nil, int64(n))); got != want {
			t.Fatalf("%d: %d bytes, want %d", n, got, want)
		}
	}
}

// appendVarint writes a zigzag varint as the protocol says.
func appendVarint(dst []byte, n int64) []byte {
	u := uint64(n<<1) ^ uint64(n>>63)
	for ; u > 127; u >>= 7 {
		dst = append(dst, byte(u)|128)
	}
	return append(dst, byte(u))
}

// rowsOfSizes gives rows with the keys 0, 1, … and values of such lengths.
func rowsOfSizes(sizes ...int) *connector.Rows {
	r := &connector.Rows{First: 1}
	for i, n := range sizes {
		r.Keys = fmt.Appendf(r.Keys, "%d", i)
		r.KeyEnds = append(r.KeyEnds, uint32(len(r.Keys)))
		r.Values = append(r.Values, strings.Repeat("x", n)...)
		r.ValueEnds = append(r.ValueEnds, uint32(len(r.Values)))
		r.Times = append(r.Times, 1_700_000_000_000)
	}
	return r
}

// The broker takes the largest row that is handed over, and nothing behind one that is larger gets ahead of it.
func TestRowsBehindOneThatIsTooLargeAreNotWritten(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := b.NewTopic(t, "behind", 1, map[string]string{"cleanup.policy": "compact", "max.message.bytes": "5000"})
		k := newTestSink(t, b, topic, connector.Options{Client: map[string]string{"compression.type": "none", "linger.ms": "0"}})
		mustOpenSink(t, k, connector.Resume{})
		edge := largestValue(k, 1)
		for range 3 { // also once the client knows how the broker speaks
			if err := k.Write(testContext(t), rowsOfSizes(edge, edge-1, edge-2, edge-3, edge)); err != nil {
				t.Fatal(err)
			}
			mustFlush(t, k)
		}
		sizes := make([]int, 2000)
		sizes[2] = edge + 1
		err := k.Write(testContext(t), rowsOfSizes(sizes...))
		wantError(t, err, fault.Sink, fmt.Sprintf("a row of %d bytes is larger than topic %s takes (max.message.bytes=5000)", edge+2, topic), "raise max.message.bytes of the topic")
		if _, again := k.Flush(testContext(t)); again != err {
			t.Errorf("the flush says %v", again)
		}
		for i, r := range b.Dump(t, topic, broker.Committed) {
			if i >= 15 && string(r.Key) != fmt.Sprint(i-15) || i > 16 {
				t.Fatalf("record %d has the key %s", i, r.Key)
			}
		}
	})
}

// What the broker refuses ends the producer: what still waits to be sent stays unsent.
func TestWhatWaitsWhileARowIsRefusedStaysUnsent(t *testing.T) {
	c, b := fake(t)
	topic := b.NewTopic(t, "refused", 2, map[string]string{"cleanup.policy": "compact", "max.message.bytes": "5000"})
	k := newTestSink(t, b, topic, connector.Options{Client: map[string]string{"compression.type": "none"}})
	k.link.props.linger = time.Minute // the longest that the client takes
	mustOpenSink(t, k, connector.Resume{})
	asked, answer := make(chan bool, 10), make(chan bool)
	c.ControlKey(0, func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		asked <- true
		<-answer
		req := kreq.(*kmsg.ProduceRequest)
		resp := req.ResponseKind().(*kmsg.ProduceResponse)
		for _, rt := range req.Topics {
			pt := kmsg.NewProduceResponseTopic()
			pt.Topic, pt.TopicID = rt.Topic, rt.TopicID
			for _, rp := range rt.Partitions {
				pp := kmsg.NewProduceResponseTopicPartition()
				pp.Partition, pp.ErrorCode = rp.Partition, kerr.InvalidTimestamp.Code
				pt.Partitions = append(pt.Partitions, pp)
			}
			resp.Topics = append(resp.Topics, pt)
		}
		return resp, nil, true
	})
	put := func(key string, value int) {
		t.Helper()
		rows := &connector.Rows{Keys: []byte(key), KeyEnds: []uint32{uint32(len(key))}, Values: make([]byte, value), ValueEnds: []uint32{uint32(value)}, Times: []int64{1}}
		if err := k.Write(testContext(t), rows); err != nil {
			t.Fatal(err)
		}
	}
	put("21", 4000) // of partition 0
	put("21", 4000) // has no room beside it, so the first is sent
	<-asked
	put("a-little-bit-longer-string", 0) // of partition 1: it waits for others
	close(answer)
	_, err := k.Flush(testContext(t))
	if fault.ClassOf(err) != fault.Sink || !strings.Contains(err.Error(), "refuses a row's timestamp") {
		t.Errorf("the error is %v", err)
	}
	if k.producer.Context().Err() == nil {
		t.Error("the producer goes on behind the row that was refused")
	}
	k.producer.Close()
	if len(asked) > 0 {
		t.Error("a row is sent behind the one that was refused")
	}
}
