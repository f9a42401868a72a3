package kafka

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"ubik/internal/connector"
	"ubik/internal/fault"
)

// bufferBytes bounds what Write has handed to the client and no broker has acknowledged yet.
const bufferBytes = 32 << 20

// lookAgain bounds the look at the topic that ends a flush.
const lookAgain = 5 * time.Second

// sink implements connector.Sink; see the package comment.
type sink struct {
	link  *link
	fault func(phase string)

	id         topicID
	partitions int32
	ends       []int64 // of each partition the position behind the last row acknowledged; of the client's goroutine, but while none is under way
	replaced   error   // a row got the place of one acknowledged before; as ends
	absent     int     // answers that there is no such topic, in Open
	short      int     // answers that a partition ends before a row that was acknowledged, in Open
	largest    int     // max.message.bytes of the topic
	producer   *kgo.Client
	halt       context.CancelFunc // the producer sends nothing more

	handed   int64 // rows given to the client; of the caller's goroutine, like toldTime
	toldTime bool
	acked    atomic.Int64 // rows whose fate is known
	buffered atomic.Int64 // bytes of rows whose fate is not known
	waiting  atomic.Bool  // the caller waits for acknowledgements
	wake     chan struct{}

	mu  sync.Mutex
	err error // the first failure; it stays
}

func openableSink(l *link, o *connector.Options) *sink {
	return &sink{link: l, fault: o.Fault, wake: make(chan struct{}, 1)}
}

// Identity names the topic for a comparison with another connector.
func (s *sink) Identity(ctx context.Context) (string, error) { return s.link.identity(ctx) }

// startProducer makes the producing client, once the topic is known.
func (s *sink) startProducer() error {
	codecs := map[string]kgo.CompressionCodec{"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(),
		"snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression()}
	ctx, halt := context.WithCancel(context.Background())
	cl, err := s.link.newClient(
		kgo.WithContext(ctx),
		kgo.DefaultProduceTopic(s.link.topic),
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)), // murmur2, as the Java client
		kgo.ProducerBatchCompression(codecs[s.link.props.codec]),
		kgo.ProducerLinger(s.link.props.linger),
		kgo.ProducerBatchMaxBytes(int32(s.largest)),
		kgo.BrokerMaxWriteBytes(1<<30),
		kgo.MaxBufferedRecords(math.MaxInt32), // Write bounds the buffer itself, so that handing over never blocks
		kgo.UnknownTopicRetries(20),
		// No delivery timeout and no limit of retries: the client must not give up a batch that may have arrived.
	)
	if err != nil {
		halt()
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.producer, s.halt = cl, halt
	return nil
}

// Write implements connector.Sink. The rows are copied.
func (s *sink) Write(ctx context.Context, rows *connector.Rows) error {
	if s.producer == nil {
		panic("kafka: Write before Open")
	}
	n := rows.Len()
	own := connector.Rows{Keys: append([]byte{}, rows.Keys...), KeyEnds: rows.KeyEnds,
		Values: append([]byte{}, rows.Values...), ValueEnds: rows.ValueEnds}
	records := make([]kgo.Record, n)
	for i := range records {
		if s.buffered.Load() > bufferBytes {
			if err := s.wait(ctx, func() bool { return s.buffered.Load() <= bufferBytes/2 }); err != nil {
				return err
			}
		} else if err := s.failure(); err != nil {
			return err
		}
		r := &records[i]
		r.Key, r.Value = own.Key(i), own.Value(i)
		if !s.fits(len(r.Key), len(r.Value)) {
			return s.fail(s.tooLarge(r, kerr.MessageTooLarge))
		}
		r.Timestamp = s.timestamp(rows.Times[i])
		s.handed++
		s.buffered.Add(size(r))
		s.producer.Produce(context.Background(), r, s.delivered)
		if s.fault != nil {
			s.fault("sink write")
		}
	}
	return nil
}

func size(r *kgo.Record) int64 { return int64(len(r.Key) + len(r.Value) + 64) }

// The client computes timestamps in nanoseconds: these are the first and last ms it can write, in the years 1677 and 2262.
const (
	firstMs = math.MinInt64 / 1_000_000
	lastMs  = math.MaxInt64 / 1_000_000
)

// timestamp makes a row's time the client's. One that it cannot write becomes the nearest one that it can: still a
// function of the row, so that the row written again is the same.
func (s *sink) timestamp(ms int64) time.Time {
	if (ms < firstMs || ms > lastMs) && !s.toldTime {
		s.toldTime = true
		s.link.logf("topic %s: a row's timestamp %s lies outside 1677-09-21 to 2262-04-11 and is moved to the edge", s.link.topic, time.UnixMilli(ms).UTC().Format(time.RFC3339))
	}
	return time.UnixMilli(max(firstMs, min(lastMs, ms)))
}

// delivered is called by the client, in order for each partition, when a row is acknowledged or refused.
func (s *sink) delivered(r *kgo.Record, err error) {
	if err != nil {
		s.fail(s.refused(r, err))
	} else {
		s.acknowledged(r.Partition, r.Offset)
		if !s.link.permitted.Load() {
			s.link.permitted.Store(true)
		}
	}
	s.buffered.Add(-size(r))
	s.acked.Add(1)
	if s.waiting.Load() {
		signal(s.wake)
	}
}

// wait returns when done says so, with the failure if there is one, or when no broker has acknowledged anything for
// the delivery timeout.
func (s *sink) wait(ctx context.Context, done func() bool) error {
	s.waiting.Store(true)
	defer s.waiting.Store(false)
	limit := s.link.props.delivery
	tick := time.NewTicker(max(time.Millisecond, min(limit/8, s.link.tune.notice)))
	defer tick.Stop()
	progress, progressAt, toldAt := s.acked.Load(), time.Now(), time.Time{}
	for {
		enough := done() // asked first: the last row may be the one that is refused
		if err := s.failure(); err != nil {
			return err
		}
		if enough {
			s.link.waitsNoMore(writing)
			return nil
		}
		select {
		case <-s.wake:
			continue
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		now := time.Now()
		if a := s.acked.Load(); a != progress {
			progress, progressAt = a, now
			if s.failure() == nil { // the answer was no refusal
				s.link.waitsNoMore(writing)
			}
			continue
		}
		silent := now.Sub(progressAt)
		if silent >= limit {
			return s.fail(s.silence(silent))
		}
		if silent >= s.link.tune.notice && now.Sub(toldAt) >= s.link.tune.stallEvery {
			toldAt = now
			s.link.waits(writing, progressAt, "waiting for kafka at %s to acknowledge %d rows of topic %s …", s.link.address(), s.handed-s.acked.Load(), s.link.topic)
		}
	}
}

func (s *sink) silence(waited time.Duration) error {
	return fault.New(fault.Retryable,
		fmt.Sprintf("kafka at %s has not acknowledged rows of topic %s for %v (delivery.timeout.ms)", s.link.address(), s.link.topic, waited.Round(time.Millisecond)),
		"check that its brokers run and that enough replicas are in sync; then run the same command again")
}

// Flush implements connector.Sink.
func (s *sink) Flush(ctx context.Context) ([]byte, error) {
	if s.producer == nil {
		panic("kafka: Flush before Open")
	}
	if err := s.wait(ctx, func() bool { return s.acked.Load() == s.handed }); err != nil {
		return nil, err
	}
	if err := s.unchanged(ctx); err != nil {
		return nil, s.fail(err)
	}
	return appendState(nil, s.id, s.ends), nil
}

// unchanged fails when the topic is not the one that was opened any more, or has lost rows. It looks once: all rows have
// been taken just now, so an answer that fails or does not show the topic says nothing.
func (s *sink) unchanged(ctx context.Context) error {
	cl, err := s.link.client()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lookAgain)
	defer cancel()
	info, found, err := s.link.topicInfo(ctx, cl)
	if err != nil || !found {
		return s.replaced
	}
	switch n := int32(len(info.parts)); {
	case info.id != s.id:
		return fault.New(fault.Sink, fmt.Sprintf("topic %s was deleted and created again while it was written: the rows written before are gone", s.link.topic), startOverSink)
	case n != s.partitions:
		return fault.New(fault.Sink, fmt.Sprintf("topic %s has %d partitions, when the run began it had %d: keys would move", s.link.topic, n, s.partitions), startOverSink)
	}
	now, err := s.link.offsets(ctx, cl, &info, askEnd, 0)
	if err != nil || s.replaced != nil {
		return s.replaced
	}
	if lost := s.lost(s.ends, now); lost != nil {
		return fault.New(fault.Sink, lost.Error(), startOverSink)
	}
	return nil
}

func (s *sink) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// fail ends the sink. What waits to be sent then stays unsent, so that no row gets ahead of one that was refused.
func (s *sink) fail(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	if s.halt != nil {
		s.halt()
	}
	return s.err
}

// Close implements connector.Sink. Rows not yet acknowledged may or may not arrive.
func (s *sink) Close() error {
	s.fail(fault.New(fault.Retryable, "the sink is closed", ""))
	if s.producer != nil {
		s.producer.Close()
	}
	s.link.close()
	return nil
}
