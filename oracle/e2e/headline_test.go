package e2e

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ubik/internal/runner"
	"ubik/internal/ubiktest/broker"
	"ubik/internal/ubiktest/rawlog"
	"ubik/internal/ubiktest/txngen"
	"ubik/oracle/duck"
	"ubik/oracle/headline"
)

// The headline query, killed over and over, in the ways an amount can be written and DuckDB can read it, and with a sum of doubles.
func TestTheHeadlineIsTheSameHoweverOftenItIsKilled(t *testing.T) {
	seed := drawSeed(t)
	var reemitted atomic.Int64
	variants := []variant{
		{name: "numbers of at most 15 digits", amount: txngen.Number, realCompaction: true},
		{name: "wide decimals as strings", amount: txngen.String, sinkParams: "?partitions=3"},
		{name: "wide decimals as numbers", amount: txngen.WideNumber},
		{name: "and doubles", amount: txngen.Number, score: true, sinkParams: "?partitions=2"},
	}
	for i, v := range variants {
		v.seed, v.reemitted = seed+uint64(i), &reemitted
		t.Run(v.name, v.test)
	}
	if !t.Failed() && reemitted.Load() == 0 {
		t.Error("no row was written again: the kills proved nothing")
	}
}

type variant struct {
	name           string
	amount         txngen.Amount
	score          bool
	realCompaction bool
	sinkParams     string
	seed           uint64
	reemitted      *atomic.Int64
}

// query is the one for DuckDB.
func (v *variant) query() headline.Query {
	q := headline.Query{Precision: 18, Scale: 2, Window: time.Minute, Delay: 5 * time.Second, Score: v.score, UntilEnd: true}
	switch v.amount {
	case txngen.String:
		q.Amount, q.Precision = headline.Strings, 38
	case txngen.WideNumber:
		q.Amount, q.Precision = headline.Text, 38
	}
	return q
}

// job is the one for the program.
func (v *variant) job(t *testing.T, b *broker.Broker, source string) *job {
	j := newJob(t, b, source)
	j.sinkParams = v.sinkParams
	j.more = []string{"--on-error", "skip"}
	switch {
	case v.score:
		j.schema = "merchant VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP, score DOUBLE"
		j.query = `SELECT merchant, TUMBLE(event_time, INTERVAL 1 MINUTE) AS window, count(*) AS n, sum(amount) AS total, sum(score) AS score
			FROM txns GROUP BY merchant, TUMBLE(event_time, INTERVAL 1 MINUTE)`
	case v.amount != txngen.Number:
		j.schema = "merchant VARCHAR, amount DECIMAL(38,2), event_time TIMESTAMP"
	}
	return j
}

// transactions are a few hundred thousand over several hours, so that windows close all the time.
func (v *variant) transactions() txngen.Options {
	o := txngen.Usual(v.seed)
	o.Count, o.Span, o.Amount = 320_000, 3*time.Hour, v.amount
	o.Malformed, o.Faults = 3, txngen.AllFaults()
	return o
}

func (v *variant) test(t *testing.T) {
	b := broker.Shared(t)
	o := v.transactions()
	f := newFeed(t, b, o.Partitions, txngen.Generate(o))
	c := newCampaign(v.job(t, b, f.topic), v.seed, f)
	c.run(map[string]int{atRandom: 6, "sink write": 2, "written": 1, "synced": 1, "renamed": 1, "dirsynced": 1})
	c.finish()
	t.Log(c)
	mustAim(t, c)

	written := b.Dump(t, c.sink, broker.Committed)
	again, err := rawlog.Reemissions(written)
	if err != nil {
		t.Fatalf("rows of one key differ: %v", err)
	}
	v.reemitted.Add(int64(again))
	t.Logf("%d rows, %d of them written again", len(written), again)
	sameAsUninterrupted(t, c, written, func(rawlog.Record) string { return "" })

	compacted := rawlog.LatestPerKey(written)
	if v.realCompaction {
		compacted = b.Compact(t, c.sink)
	}
	db := duck.ForTest(t)
	dump := b.Dump(t, f.topic, broker.Committed)
	if len(dump) != o.Count {
		t.Fatalf("%d records are readable, %d were committed", len(dump), o.Count)
	}
	answer, err := headline.Ask(db, v.query(), headline.Log{Partitions: o.Partitions, Records: dump, Refused: headline.RefusedByHand(dump)})
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Compare(compacted); err != nil {
		t.Error(err)
	}
	sameLedgers(t, c.unit(), answer.Ledgers)
	for _, l := range answer.Ledgers {
		if l.Late == 0 || l.Malformed == 0 {
			t.Errorf("the log tries too little: %+v", l)
		}
	}
}

// sameLedgers compares the ledger of a checkpoint with DuckDB's counts, by partition.
func sameLedgers(t *testing.T, u *runner.Unit, want []headline.Ledger) {
	t.Helper()
	if !u.Complete || len(u.Partitions) != len(want) {
		t.Fatalf("unit %d is complete: %v, and has %d partitions of %d", u.Number, u.Complete, len(u.Partitions), len(want))
	}
	for _, p := range u.Partitions {
		if got := ledgerOf(&p, 0); got != want[p.Index] {
			t.Errorf("ledger of partition %d:\ngot    %+v\nDuckDB %+v", p.Index, got, want[p.Index])
		}
	}
}

// ledgerOf is the ledger of a partition as a reference to its source has it.
func ledgerOf(p *runner.UnitPartition, reference int) headline.Ledger {
	l := p.Clocks[reference].Ledger
	return headline.Ledger{Malformed: int64(l.Malformed), Filtered: int64(l.Filtered), Unwindowed: int64(l.Unwindowed), Late: int64(l.Late),
		LateByFloor: int64(l.LateByFloor), Used: int64(l.Used), Read: int64(l.Read)}
}

// sameAsUninterrupted runs the job over the whole log in one life, into another topic, and compares what the killed one wrote with that: each row where it
// was first written gives the same sequence in each lane and partition; the lanes end in the same number and chain. lane names that of a row.
func sameAsUninterrupted(t *testing.T, c *campaign, written []rawlog.Record, lane func(rawlog.Record) string) {
	t.Helper()
	j := c.again()
	p := j.launch("--until-end")
	p.ends(endWait, 0, "complete: ")
	took := time.Since(p.began)
	t.Logf("uninterrupted: %d records in %v from start to exit, %.0f records/s", j.read(), took.Round(time.Millisecond), float64(j.read())/took.Seconds())
	want, got := c.b.Dump(t, j.sink, broker.Committed), firstPerKey(written)
	for _, rows := range [][]rawlog.Record{want, got} {
		slices.SortStableFunc(rows, func(a, b rawlog.Record) int { return strings.Compare(lane(a), lane(b)) })
	}
	if len(got) != len(want) {
		t.Errorf("%d different rows, %d in the topic of the uninterrupted run", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i].Partition != want[i].Partition || !rawlog.SameContent(got[i], want[i]) {
			t.Fatalf("row %d differs from the uninterrupted run's:\ngot  %s\nwant %s", i, got[i], want[i])
		}
	}
	a, b := c.unit(), j.unit()
	for i, l := range a.Lanes {
		if l != b.Lanes[i] {
			t.Errorf("lane %q: number %d and chain %x, uninterrupted %d and %x", l.Name, l.Number, l.Chain, b.Lanes[i].Number, b.Lanes[i].Chain)
		}
	}
	if len(a.Lanes) != len(b.Lanes) {
		t.Errorf("%d lanes, uninterrupted %d", len(a.Lanes), len(b.Lanes))
	}
}

// firstPerKey keeps of each key the record that was written first.
func firstPerKey(records []rawlog.Record) []rawlog.Record {
	seen := make(map[string]bool)
	var first []rawlog.Record
	for _, r := range records {
		if !seen[string(r.Key)] {
			seen[string(r.Key)] = true
			first = append(first, r)
		}
	}
	return first
}
