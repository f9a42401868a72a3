package broker

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// callWait bounds each operation on the broker.
const callWait = 60 * time.Second

func callContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), callWait)
}

// newClient makes a client that may ask for the metadata as often as it likes. By default it keeps them for seconds, and a first
// record to a topic just created, whose partitions the broker may not know for some more milliseconds, would wait that long.
func (b *Broker) newClient(opts ...kgo.Opt) (*kgo.Client, error) {
	return kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(b.Addr), kgo.MetadataMinAge(20 * time.Millisecond)}, opts...)...)
}

// Client gives a client of the broker, closed when the test is over.
func (b *Broker) Client(tb testing.TB, opts ...kgo.Opt) *kgo.Client {
	tb.Helper()
	client, err := b.newClient(opts...)
	if err != nil {
		tb.Fatalf("a client of the test broker: %v", err)
	}
	tb.Cleanup(client.Close)
	return client
}

// Admin gives an administrative client of the broker, closed when the test is over.
func (b *Broker) Admin(tb testing.TB) *kadm.Client {
	tb.Helper()
	return kadm.NewClient(b.Client(tb))
}

// NewTopic creates a topic whose name begins with base and is of no other test, and gives the name. It is removed when the test is over.
// Records never expire by time, unless config says otherwise.
func (b *Broker) NewTopic(tb testing.TB, base string, partitions int, config map[string]string) string {
	tb.Helper()
	name := FreshName(base)
	b.CreateTopic(tb, name, partitions, config)
	return name
}

// FreshName makes a topic name that begins with base and that no other test, of this run or another, will have.
func FreshName(base string) string {
	var id [6]byte
	rand.Read(id[:]) // never fails
	return base + "-" + hex.EncodeToString(id[:])
}

// CreateTopic creates a topic of exactly that name; that there is one already is an error. It is removed when the test is over.
func (b *Broker) CreateTopic(tb testing.TB, name string, partitions int, config map[string]string) {
	tb.Helper()
	configs := map[string]*string{"retention.ms": kadm.StringPtr("-1")}
	for k, v := range config {
		configs[k] = kadm.StringPtr(v)
	}
	admin := b.Admin(tb)
	ctx, cancel := callContext()
	defer cancel()
	if _, err := admin.CreateTopic(ctx, int32(partitions), 1, configs, name); err != nil {
		tb.Fatalf("creating the topic %s: %v", name, err)
	}
	tb.Cleanup(func() { b.removeTopic(name) })
}

// RemoveTopic deletes a topic that the code under test created, when the test is over. That it does not exist then is no error.
func (b *Broker) RemoveTopic(tb testing.TB, name string) {
	tb.Cleanup(func() { b.removeTopic(name) })
}

// removeTopic only tidies: a broker of our own is about to lose all its data, so there it does nothing, and a failure elsewhere fails no test.
func (b *Broker) removeTopic(name string) {
	if b.own != nil {
		return
	}
	client, err := b.newClient()
	if err != nil {
		return
	}
	defer client.Close()
	ctx, cancel := callContext()
	defer cancel()
	_, _ = kadm.NewClient(client).DeleteTopic(ctx, name)
}

// SetConfig changes settings of a topic.
func (b *Broker) SetConfig(tb testing.TB, topic string, config map[string]string) {
	tb.Helper()
	var changes []kadm.AlterConfig
	for k, v := range config {
		changes = append(changes, kadm.AlterConfig{Op: kadm.SetConfig, Name: k, Value: kadm.StringPtr(v)})
	}
	ctx, cancel := callContext()
	defer cancel()
	answers, err := b.Admin(tb).AlterTopicConfigs(ctx, changes, topic)
	if err == nil {
		_, err = answers.On(topic, func(r *kadm.AlterConfigsResponse) error { return r.Err })
	}
	if err != nil {
		tb.Fatalf("changing the settings of the topic %s: %v", topic, err)
	}
}

// Ends gives the end of each partition: with Committed the last stable offset, with Uncommitted the high watermark.
func (b *Broker) Ends(tb testing.TB, topic string, isolation Isolation) map[int32]int64 {
	tb.Helper()
	if isolation == Uncommitted {
		return b.offsets(tb, topic, (*kadm.Client).ListEndOffsets)
	}
	return b.offsets(tb, topic, (*kadm.Client).ListCommittedOffsets)
}

// Starts gives the first offset of each partition that can still be read.
func (b *Broker) Starts(tb testing.TB, topic string) map[int32]int64 {
	tb.Helper()
	return b.offsets(tb, topic, (*kadm.Client).ListStartOffsets)
}

// offsets asks with a client of its own, closed at once: tests ask again and again until something holds.
func (b *Broker) offsets(tb testing.TB, topic string, list func(*kadm.Client, context.Context, ...string) (kadm.ListedOffsets, error)) map[int32]int64 {
	tb.Helper()
	client, err := b.newClient()
	if err != nil {
		tb.Fatalf("a client of the test broker: %v", err)
	}
	defer client.Close()
	ctx, cancel := callContext()
	defer cancel()
	listed, err := list(kadm.NewClient(client), ctx, topic)
	if err == nil {
		err = listed.Error()
	}
	if err != nil {
		tb.Fatalf("asking for the offsets of the topic %s: %v", topic, err)
	}
	offsets := make(map[int32]int64)
	listed.Each(func(o kadm.ListedOffset) { offsets[o.Partition] = o.Offset })
	if len(offsets) == 0 {
		tb.Fatalf("asking for the offsets of the topic %s: the broker names no partition", topic)
	}
	return offsets
}
