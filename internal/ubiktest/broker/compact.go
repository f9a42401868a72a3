package broker

import (
	"fmt"
	"testing"
	"time"

	"ubik/internal/ubiktest/rawlog"
)

// compactWait bounds how long the broker's cleaner is waited for.
const compactWait = 60 * time.Second

// rollerKey is the key of the records Compact appends. No row of the code under test has it: its keys are JSON.
const rollerKey = "\x00roller"

// Compact makes the broker compact a topic and gives what it left, ordered by partition and offset. To emulate it on a dump: [rawlog.LatestPerKey].
//
// The cleaner never touches the segment that is being written, and a segment is only closed by an append. So the topic's segments are set to last a
// millisecond and one more record, its time behind all others', is appended to each partition. These records stay in the topic, and are left out here; do this last.
// Tombstones may be left: the cleaner keeps them for one more pass.
func (b *Broker) Compact(tb testing.TB, topic string) []rawlog.Record {
	tb.Helper()
	b.SetConfig(tb, topic, map[string]string{
		"cleanup.policy": "compact", "segment.ms": "1", "min.cleanable.dirty.ratio": "0", "min.compaction.lag.ms": "0", "delete.retention.ms": "0",
	})
	latest := time.Now().UnixMilli()
	for _, r := range b.Dump(tb, topic, Uncommitted) {
		latest = max(latest, r.TimestampMillis)
	}
	deadline := time.Now().Add(compactWait)
	again := time.NewTicker(300 * time.Millisecond)
	defer again.Stop()
	for round := int64(1); ; round++ {
		// A round before the settings have reached the log closes no segment; the next one does.
		var rollers []rawlog.Record
		for p := range b.Ends(tb, topic, Uncommitted) {
			rollers = append(rollers, rawlog.Record{Partition: p, Key: []byte(rollerKey), Value: []byte{}, TimestampMillis: latest + 2*round})
		}
		b.Produce(tb, topic, rollers)
		<-again.C
		left := withoutRollers(b.Dump(tb, topic, Committed))
		repeated := firstRepeated(left)
		if repeated == "" {
			return left
		}
		if time.Now().After(deadline) {
			tb.Fatalf("the topic %s is not compacted after %v: %s", topic, compactWait, repeated)
		}
	}
}

func withoutRollers(records []rawlog.Record) []rawlog.Record {
	kept := records[:0]
	for _, r := range records {
		if string(r.Key) != rollerKey {
			kept = append(kept, r)
		}
	}
	return kept
}

// firstRepeated says which key occurs twice in a partition; "" when none does.
func firstRepeated(records []rawlog.Record) string {
	type place struct {
		partition int32
		key       string
	}
	seen := make(map[place]bool)
	for _, r := range records {
		p := place{r.Partition, string(r.Key)}
		if seen[p] {
			return fmt.Sprintf("key %q is still there twice in partition %d", r.Key, r.Partition)
		}
		seen[p] = true
	}
	return ""
}
