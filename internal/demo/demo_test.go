package demo

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"ubik/internal/runner"
)

// unitOf is a checkpoint behind so many records, with a state of so many bytes in the second of two operators.
func unitOf(records uint64, state int) *runner.Unit {
	u := &runner.Unit{Number: 7, States: [][][]byte{{}, {make([]byte, state)}}, Partitions: []runner.UnitPartition{{Clocks: make([]runner.UnitClock, 1)}}}
	u.Partitions[0].Clocks[0].Ledger.Read = records
	return u
}

func TestAKillWaitsForRecordsAndForAState(t *testing.T) {
	var out strings.Builder
	for _, s := range Scenarios {
		d := &demo{Scenario: s, out: &out}
		before := uint64(0)
		for i := range kills {
			share := uint64(s.records) * uint64(2*i+1) / 11
			if share <= before || share >= uint64(s.records) {
				t.Fatalf("kill %d comes at %d records", i, share)
			}
			before = share
			for name, c := range map[string]struct {
				u    *runner.Unit
				want bool
			}{
				"no checkpoint": {nil, false}, "one too early": {unitOf(share-1, 100), false}, "one that keeps nothing": {unitOf(share, 0), false}, "one in time": {unitOf(share, 1), true},
			} {
				if d.ripe(i, c.u) != c.want {
					t.Errorf("%s: kill %d at %d records, %s: ripe is not %v", s.Doc, i, share, name, c.want)
				}
			}
		}
		for _, u := range []*runner.Unit{nil, unitOf(before, 0)} {
			if err := d.left(u); err == nil || err.Error() != "the query was killed when it kept nothing" || out.Len() > 0 {
				t.Errorf("a kill that leaves nothing: %v; %s", err, out.String())
			}
		}
		if err := d.left(unitOf(9, 12)); err != nil {
			t.Error(err)
		}
		if want := "unit 7, 9 of "; !strings.Contains(out.String(), want) || !strings.HasSuffix(out.String(), " records, 0 rows, 12 bytes of state\n") {
			t.Errorf("it says %q", out.String())
		}
		out.Reset()
	}
}

// However slow the query is, records still flow in when it is killed.
func TestTheRecordsFlowInNoFasterThanTheyAreReadAndNoFasterThanTheirPace(t *testing.T) {
	now := time.UnixMilli(1_767_225_600_000)
	for _, s := range Scenarios {
		lastRipe := s.records * (2*kills - 1) / (2*kills + 1)
		f := &feed{Scenario: s, at: now}
		for name, c := range map[string]struct {
			made, read int
			after      time.Duration
			want       bool
		}{
			"the first":                         {0, 0, pace, true},
			"too soon":                          {0, 0, pace - 1, false},
			"not read yet":                      {s.records/10 + 1, 0, time.Hour, false},
			"read":                              {s.records/10 + 1, 1, pace, true},
			"none are left":                     {s.records, s.records, time.Hour, false},
			"the last, before the last kill":    {s.records - s.records/batches, lastRipe - 1, time.Hour, false},
			"the last, once everything is read": {s.records - s.records/batches, s.records - s.records/batches, pace, true},
		} {
			f.made = c.made
			if got := f.due(uint64(c.read), now.Add(c.after)); got != c.want {
				t.Errorf("%s: %s: due is %v", s.Doc, name, got)
			}
		}
	}
}

// The two topics are compared by what is in them: any difference is found, whichever it is.
func TestADifferenceBetweenTheTopicsIsFound(t *testing.T) {
	scenario, known := Find("join")
	if !known {
		t.Fatal("there is no demo of a join")
	}
	at := time.UnixMilli(1_767_225_600_000)
	row := func(key, value string) *kgo.Record {
		return &kgo.Record{Key: []byte(key), Value: []byte(value), Timestamp: at}
	}
	later := row("b", "2")
	later.Timestamp = at.Add(time.Millisecond)
	marked := row("b", "2")
	marked.Headers = []kgo.RecordHeader{{Key: "h"}}
	whole := []*kgo.Record{row("a", "1"), row("b", "2"), row("c", "3")}
	for name, c := range map[string]struct {
		killed []*kgo.Record
		want   string // the error
		says   string
	}{
		"equal, with rows written again": {[]*kgo.Record{row("a", "1"), row("b", "2"), row("b", "2"), row("a", "1"), row("c", "3")}, "",
			"rows written by the killed run        5, of them 2 written again, identical in key, value and timestamp\n" +
				"rows written by the uninterrupted run 3\nafter compaction                      3 keys each, equal byte for byte\n"},
		"another value":     {[]*kgo.Record{row("a", "1"), row("b", "20"), row("c", "3")}, "the topics differ: b is 20 and 2", ""},
		"another time":      {[]*kgo.Record{row("a", "1"), later, row("c", "3")}, "the topics differ: b is 2 and 2", ""},
		"a header":          {[]*kgo.Record{row("a", "1"), marked, row("c", "3")}, "the topics differ: b is 2 and 2", ""},
		"a row is missing":  {[]*kgo.Record{row("a", "1"), row("b", "2")}, "the topics differ: only the uninterrupted run has c", ""},
		"a row is too much": {append([]*kgo.Record{row("aa", "1")}, whole...), "the topics differ: only the killed run has aa", ""},
		"written again with another value": {[]*kgo.Record{row("a", "1"), row("b", "20"), row("b", "2"), row("c", "3")},
			"b was written twice with different content: 20 and 2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, scenario.sink, scenario.sink+"_uninterrupted"))
			if err != nil {
				t.Fatal(err)
			}
			defer cluster.Close()
			d := &demo{Scenario: scenario, ctx: t.Context(), out: &out, broker: cluster.ListenAddrs()[0]}
			produce(t, d.broker, d.sink, c.killed)
			produce(t, d.broker, d.reference(), whole)
			got := ""
			if err := d.compare(); err != nil {
				got = err.Error()
			}
			if got != c.want || !strings.Contains(out.String(), c.says) {
				t.Errorf("got %q, want %q; it says\n%s", got, c.want, out.String())
			}
		})
	}
}

// produce adds copies of records to a topic, those of one key in one partition.
func produce(t *testing.T, broker, topic string, records []*kgo.Record) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.DefaultProduceTopic(topic))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, r := range records {
		copied := *r
		if err := client.ProduceSync(context.Background(), &copied).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

// A demo that is ended while a query runs to its end, or before it is ripe to be killed, says why and leaves nothing.
func TestADemoThatIsEndedSaysWhy(t *testing.T) {
	exe := filepath.Join(t.TempDir(), "query")
	ran := filepath.Join(t.TempDir(), "ran")
	if err := os.WriteFile(exe, []byte("#!/bin/sh\necho > "+ran+"\nexec sleep 1000\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	if err := syscall.Mkfifo(ran, 0o600); err != nil {
		t.Fatal(err)
	}
	why := errors.New("enough")
	for name, show := range map[string]func(ctx context.Context) error{
		"before a kill": func(ctx context.Context) error { return Run(ctx, io.Discard, exe, Scenarios[0]) },
		"to the end": func(ctx context.Context) error {
			d := &demo{Scenario: Scenarios[0], ctx: ctx, exe: exe}
			if err := d.runToEnd("sink", "file"); err == nil || ctx.Err() == nil {
				t.Errorf("it ended by itself: %v", err)
			}
			return context.Cause(ctx)
		},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- show(ctx) }()
		if _, err := os.ReadFile(ran); err != nil { // which waits for the query
			t.Fatal(err)
		}
		cancel(why)
		if err := <-ended; err != why {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v behind, %v", left, err)
	}
}
