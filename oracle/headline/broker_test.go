package headline

import (
	"fmt"
	"reflect"
	"testing"

	"ubik/internal/ubiktest/broker"
	"ubik/internal/ubiktest/rawlog"
	"ubik/internal/ubiktest/txngen"
	"ubik/oracle/duck"
)

func TestMain(m *testing.M) { broker.Main(m) }

// The way the program is judged by, without the program: transactions on a real broker, aborted ones among them; the answer over a cold dump; rows
// written to a topic, some of them twice; compacted by the broker; compared.
func TestTheAnswerOverADumpOfARealBroker(t *testing.T) {
	const seed = 4
	b := broker.Shared(t)
	o := txngen.Usual(seed)
	o.Malformed, o.Faults = 10, txngen.AllFaults()
	records := txngen.Generate(o)
	txns := b.NewTopic(t, "txns", o.Partitions, nil)
	for i, from := 0, 0; from < len(records); i++ {
		upTo := min(from+len(records)/10+1, len(records))
		if i%3 == 2 {
			b.ProduceAborted(t, txns, records[from:from+20])
			b.ProduceCommitted(t, txns, records[from:upTo])
		} else {
			b.Produce(t, txns, records[from:upTo])
		}
		from = upTo
	}
	dump := b.Dump(t, txns, broker.Committed)
	if len(dump) != len(records) || len(b.Dump(t, txns, broker.Uncommitted)) != len(records)+60 {
		t.Fatalf("%d records are readable, %d were committed", len(dump), len(records))
	}

	q := usual(o.Amount)
	fromDump, err := Ask(duck.ForTest(t), q, Log{Partitions: o.Partitions, Records: dump, Refused: RefusedByHand(dump)})
	if err != nil {
		t.Fatal(err)
	}
	direct, err := Ask(duck.ForTest(t), q, Log{Partitions: o.Partitions, Records: records, Refused: RefusedByHand(records)})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(fromDump.Rows, direct.Rows) || !reflect.DeepEqual(fromDump.Ledgers, direct.Ledgers) {
		t.Fatalf("seed %d: the answer over the dump is another than the one over the generated records:\n%+v\n%+v", seed, fromDump.Ledgers, direct.Ledgers)
	}

	var sink []rawlog.Record
	for i, row := range fromDump.Rows {
		r := q.Record(row)
		r.Partition = int32(i % 3)
		sink = append(sink, r)
	}
	counts := b.NewTopic(t, "txn_counts", 3, map[string]string{"cleanup.policy": "compact"})
	b.Produce(t, counts, sink[:len(sink)/2])
	b.Produce(t, counts, sink[len(sink)/3:])
	again, err := rawlog.Reemissions(b.Dump(t, counts, broker.Committed))
	if want := len(sink)/2 - len(sink)/3; err != nil || again != want {
		t.Fatalf("%d re-emissions, want %d; %v", again, want, err)
	}
	for how, compacted := range map[string][]rawlog.Record{
		"emulated": rawlog.LatestPerKey(b.Dump(t, counts, broker.Committed)), "by the broker": b.Compact(t, counts),
	} {
		if err := fromDump.Compare(compacted); err != nil {
			t.Error(fmt.Errorf("compaction %s: %w", how, err))
		}
	}
}
