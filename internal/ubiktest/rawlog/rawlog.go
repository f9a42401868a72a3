// Package rawlog holds records of a Kafka topic as plain values, for tests: what a generator makes, what a broker is given,
// what a cold dump of a topic finds, what an oracle is loaded with. It is pure and knows no client library.
//
//	dump := broker.Dump(t, "txn_counts", broker.Committed)
//	again, err := rawlog.Reemissions(dump)   // every pair of records of one key must be identical
//	table := rawlog.LatestPerKey(dump)       // what a reader of the compacted topic sees
package rawlog

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// Record is one record of a topic. Partition and Offset are its identity in its topic; a record that was not yet produced has the offset 0.
// A nil Value is a tombstone, an empty one is an empty value; likewise for Key. TimestampMillis is the log timestamp, in milliseconds since 1970 UTC.
type Record struct {
	Partition       int32
	Offset          int64
	Key             []byte
	Value           []byte
	Headers         []Header
	TimestampMillis int64
}

// Header is one header of a record. Kafka allows a name more than once; the order is kept.
type Header struct {
	Name  string
	Value []byte
}

// Header gives the value of the first header of that name, and whether there is one.
func (r Record) Header(name string) ([]byte, bool) {
	for _, h := range r.Headers {
		if h.Name == name {
			return h.Value, true
		}
	}
	return nil, false
}

// String shows the record on one line, bytes quoted, for messages of failing tests.
func (r Record) String() string {
	var headers strings.Builder
	for _, h := range r.Headers {
		fmt.Fprintf(&headers, " %s=%q", h.Name, h.Value)
	}
	return fmt.Sprintf("%d/%d key=%s value=%s time=%d%s", r.Partition, r.Offset, quoted(r.Key), quoted(r.Value), r.TimestampMillis, headers.String())
}

func quoted(b []byte) string {
	if b == nil {
		return "null"
	}
	return fmt.Sprintf("%q", b)
}

// SameContent tells whether two records agree in key, value, headers and timestamp: all that a reader of the topic can see but for the position.
func SameContent(a, b Record) bool {
	if !sameBytes(a.Key, b.Key) || !sameBytes(a.Value, b.Value) || a.TimestampMillis != b.TimestampMillis || len(a.Headers) != len(b.Headers) {
		return false
	}
	for i, h := range a.Headers {
		if h.Name != b.Headers[i].Name || !sameBytes(h.Value, b.Headers[i].Value) {
			return false
		}
	}
	return true
}

// sameBytes tells null from empty.
func sameBytes(a, b []byte) bool {
	return (a == nil) == (b == nil) && bytes.Equal(a, b)
}

// Reemissions counts the records that repeat the key of an earlier one. The error names the first pairs, at most five, of one key that differ in
// value, headers or timestamp, or that lie in different partitions; a record without a key is an error too. Records are expected in the order of a dump.
func Reemissions(records []Record) (int, error) {
	first := make(map[string]Record)
	var again int
	var faults []string
	fault := func(format string, args ...any) {
		if len(faults) < 5 {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	for _, r := range records {
		if r.Key == nil {
			fault("a record without key: %s", r)
			continue
		}
		f, seen := first[string(r.Key)]
		if !seen {
			first[string(r.Key)] = r
			continue
		}
		again++
		if f.Partition != r.Partition || !SameContent(f, r) {
			fault("one key, two contents:\n\t%s\n\t%s", f, r)
		}
	}
	if len(faults) > 0 {
		return again, fmt.Errorf("%s", strings.Join(faults, "\n"))
	}
	return again, nil
}

// LatestPerKey is an emulated compaction: of each key in each partition the record with the highest offset, tombstones and what they delete left out,
// ordered by partition and offset. Records without a key, which a broker refuses in a compacted topic, are kept.
func LatestPerKey(records []Record) []Record {
	type place struct {
		partition int32
		key       string
	}
	last := make(map[place]int64)
	for _, r := range records {
		p := place{r.Partition, string(r.Key)}
		if at, seen := last[p]; !seen || r.Offset > at {
			last[p] = r.Offset
		}
	}
	var kept []Record
	for _, r := range records {
		if r.Key == nil || r.Value != nil && last[place{r.Partition, string(r.Key)}] == r.Offset {
			kept = append(kept, r)
		}
	}
	SortByPosition(kept)
	return kept
}

// SortByPosition orders records by partition, then offset, in place.
func SortByPosition(records []Record) {
	sort.SliceStable(records, func(i, j int) bool {
		if records[i].Partition != records[j].Partition {
			return records[i].Partition < records[j].Partition
		}
		return records[i].Offset < records[j].Offset
	})
}

// Number gives each record the offset it would have in a topic that holds just these records, appended in this order without gaps, in place.
func Number(records []Record) {
	next := make(map[int32]int64)
	for i := range records {
		p := records[i].Partition
		records[i].Offset = next[p]
		next[p]++
	}
}
