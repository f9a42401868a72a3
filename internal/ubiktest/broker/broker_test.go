package broker

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"ubik/internal/ubiktest/rawlog"
)

func TestMain(m *testing.M) { Main(m) }

// numbered makes records that differ, in one partition, with log timestamps far in the past.
func numbered(partition int32, from, to int) []rawlog.Record {
	var records []rawlog.Record
	for i := from; i < to; i++ {
		records = append(records, rawlog.Record{
			Partition: partition, Key: fmt.Appendf(nil, "k%d", i), Value: fmt.Appendf(nil, "v%d", i), TimestampMillis: 1_000_000 + int64(i),
			Headers: []rawlog.Header{{Name: "n", Value: fmt.Append(nil, i)}, {Name: "n", Value: []byte{}}},
		})
	}
	return records
}

func values(records []rawlog.Record) string {
	var all []string
	for _, r := range records {
		all = append(all, string(r.Value))
	}
	return strings.Join(all, " ")
}

func TestDumpGivesBackWhatWasProduced(t *testing.T) {
	b := Shared(t)
	topic := b.NewTopic(t, "plain", 3, nil)
	records := append(numbered(2, 0, 3), numbered(0, 3, 5)...)
	records = append(records, rawlog.Record{Partition: 0, Key: []byte("gone")}, rawlog.Record{Partition: 0, Value: []byte{}})
	produced := b.Produce(t, topic, records)
	rawlog.SortByPosition(produced)
	if got := b.Dump(t, topic, Committed); !reflect.DeepEqual(got, produced) {
		t.Fatalf("got  %v\nwant %v", got, produced)
	}
	if got, want := b.Ends(t, topic, Committed), map[int32]int64{0: 4, 1: 0, 2: 3}; !reflect.DeepEqual(got, want) {
		t.Fatalf("ends %v, want %v", got, want)
	}
}

func TestDumpTellsCommittedFromAbortedAndOpen(t *testing.T) {
	b := Shared(t)
	topic := b.NewTopic(t, "transactions", 1, nil)
	b.Produce(t, topic, numbered(0, 0, 1))
	b.ProduceAborted(t, topic, numbered(0, 1, 3))
	b.ProduceCommitted(t, topic, numbered(0, 3, 5))
	first, second := b.Begin(t, FreshName("a")), b.Begin(t, FreshName("b"))
	first.Produce(topic, numbered(0, 5, 7)) // aborted records are the last ones before the stable end: nothing readable marks it
	second.Produce(topic, numbered(0, 7, 8))
	first.Abort()
	b.Produce(t, topic, numbered(0, 8, 9))

	if got := values(b.Dump(t, topic, Committed)); got != "v0 v3 v4" {
		t.Errorf("committed, one transaction open: %s", got)
	}
	if got := values(b.Dump(t, topic, Uncommitted)); got != "v0 v1 v2 v3 v4 v5 v6 v7 v8" {
		t.Errorf("uncommitted: %s", got)
	}
	second.Commit()
	if got := values(b.Dump(t, topic, Committed)); got != "v0 v3 v4 v7 v8" {
		t.Errorf("committed, none open: %s", got)
	}
}

func TestCompactLeavesTheLatestOfEachKey(t *testing.T) {
	b := Shared(t)
	topic := b.NewTopic(t, "compacted", 2, map[string]string{"cleanup.policy": "compact"})
	b.Produce(t, topic, append(numbered(0, 0, 200), numbered(1, 0, 10)...))
	b.Produce(t, topic, append(numbered(0, 50, 100), numbered(0, 60, 70)...))
	want := rawlog.LatestPerKey(b.Dump(t, topic, Committed))
	if got := b.Compact(t, topic); !reflect.DeepEqual(got, want) {
		t.Fatalf("got  %v\nwant %v", got, want)
	}
}

func TestABrokerComesBackWithItsRecordsAfterAKill(t *testing.T) {
	b := StartOwn(t)
	topic := b.NewTopic(t, "survivor", 1, nil)
	b.Produce(t, topic, numbered(0, 0, 3))
	b.Kill(t)
	b.Restart(t)
	b.Produce(t, topic, numbered(0, 3, 4))
	b.Restart(t)
	if got := values(b.Dump(t, topic, Committed)); got != "v0 v1 v2 v3" {
		t.Fatalf("after a kill and a restart: %s", got)
	}
}

func TestABrokerThatDoesNotStartSaysWhy(t *testing.T) {
	b := StartOwn(t)
	b.Kill(t)
	config, err := os.OpenFile(b.own.home.path("server.properties"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(config, "process.roles=spectator")
	config.Close()
	err = b.own.start()
	if err == nil || !strings.Contains(err.Error(), "its process ended (exit status 1)") || !strings.Contains(err.Error(), "spectator") {
		t.Fatalf("got %v", err)
	}
}

func TestTheHomeOfADeadRunIsSwept(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dead, err := newHome()
	if err != nil {
		t.Fatal(err)
	}
	dead.held.Close() // as the kernel does when the process ends
	alive, err := newHome()
	if err != nil {
		t.Fatal(err)
	}
	defer alive.remove()
	if _, err := os.Stat(dead.dir); !os.IsNotExist(err) {
		t.Errorf("the home of a dead run is still there (%v)", err)
	}
	sweep()
	if _, err := os.Stat(alive.dir); err != nil {
		t.Errorf("a home in use was swept: %v", err)
	}
}
