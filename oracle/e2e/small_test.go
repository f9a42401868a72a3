package e2e

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"ubik/internal/ubiktest/broker"
	"ubik/internal/ubiktest/rawlog"
)

// startAt is the event time that hand-made records count their seconds from.
var startAt = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// txn makes a transaction of merchant m with an amount of one, some seconds after startAt.
func txn(partition int32, second int) rawlog.Record {
	at := startAt.Add(time.Duration(second) * time.Second)
	return rawlog.Record{Partition: partition, Key: fmt.Appendf(nil, "%d", second), TimestampMillis: at.UnixMilli(),
		Value: fmt.Appendf(nil, `{"merchant":"m","amount":1,"event_time":"%s"}`, at.Format(time.RFC3339))}
}

// txns makes one transaction a second in each of the partitions 0 … partitions-1, from a second on up to another.
func txns(partitions, from, to int) []rawlog.Record {
	var records []rawlog.Record
	for second := from; second < to; second++ {
		for p := range partitions {
			records = append(records, txn(int32(p), second))
		}
	}
	return records
}

// minutes gives the values that must be in the sink for txns(partitions, 0, seconds), minute by minute.
func minutes(partitions, seconds int) []string {
	var want []string
	for from := 0; from < seconds; from += 60 {
		n := partitions * (min(from+60, seconds) - from)
		want = append(want, fmt.Sprintf(`{"merchant":"m","window":"%s","n":%d,"total":%d.00}`, startAt.Add(time.Duration(from)*time.Second).Format(time.RFC3339), n, n))
	}
	return want
}

// holds checks what a reader of the compacted sink sees, ordered by window.
func (j *job) holds(want []string) {
	j.t.Helper()
	written := j.to().Dump(j.t, j.sink, broker.Committed)
	if _, err := rawlog.Reemissions(written); err != nil {
		j.t.Error(err)
	}
	got := firstPerKey(written)
	slices.SortFunc(got, func(a, b rawlog.Record) int { return bytes.Compare(a.Key, b.Key) })
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			j.t.Fatalf("row %d is missing: %s", i, want[i])
		case i >= len(want):
			j.t.Fatalf("row %d is too much: %s", i, got[i])
		case string(got[i].Value) != want[i]:
			j.t.Fatalf("row %d\ngot  %s\nwant %s", i, got[i].Value, want[i])
		}
	}
}

// comesTo waits until a running program's checkpoint has consumed as many records.
func (j *job) comesTo(p *process, records int) {
	j.t.Helper()
	eventually(j.t, endWait, fmt.Sprintf("the program does not come to %d records", records), func() bool {
		if p.over() {
			j.t.Fatalf("the program ended by itself (%v):\n%s", p.err, &p.said)
		}
		return j.read() >= uint64(records)
	})
}

// brisk are flags that make a run save often.
var brisk = []string{"--checkpoint-interval", "100ms"}
