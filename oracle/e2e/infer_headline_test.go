package e2e

import (
	"bytes"
	"testing"
	"time"

	"ubik/internal/ubiktest/broker"
	"ubik/internal/ubiktest/rawlog"
	"ubik/internal/ubiktest/txngen"
	"ubik/oracle/duck"
	"ubik/oracle/headline"
)

// undeclared makes a job of a topic whose columns are to be found.
func undeclared(t *testing.T, b *broker.Broker, topic, query string) *job {
	t.Helper()
	j := newJob(t, b, topic)
	j.inputs = []input{} // none that is declared
	j.more = []string{"--from", "txns=kafka://" + b.Addr + "/" + topic}
	j.query = query
	return j
}

// The command as a user types it first, killed a few times: its rows are DuckDB's.
func TestTheHeadlineThatDeclaresNothing(t *testing.T) {
	t.Parallel()
	seed := drawSeed(t)
	b := broker.Shared(t)
	o := txngen.Usual(seed)
	o.Count, o.Span = 100_000, 90*time.Minute
	o.Malformed = 3
	o.Faults = []txngen.Fault{txngen.Tombstone, txngen.Empty, txngen.Truncated, txngen.NotAnObject, txngen.TrailingGarbage, txngen.ControlChar, txngen.InvalidUTF8,
		txngen.LoneSurrogate, txngen.LeadingZero, txngen.ByteOrderMark, txngen.Comment, txngen.TrailingComma, txngen.NaN, txngen.TooDeep}
	f := newFeed(t, b, o.Partitions, txngen.Generate(o))
	j := undeclared(t, b, f.topic, `SELECT merchant, TUMBLE(event_time, INTERVAL 1 MINUTE) AS window, count(*) AS n
		FROM txns GROUP BY merchant, TUMBLE(event_time, INTERVAL 1 MINUTE)`)
	j.more = append(j.more, "--on-error", "skip")
	c := newCampaign(j, seed, f)
	c.backlog = 20_000
	c.run(map[string]int{atRandom: 2, "sink write": 1, "written": 1, "synced": 1})
	p := c.finish()
	if p.says("CREATE TABLE") {
		t.Errorf("a resumed run has looked for the columns again:\n%s", &p.said)
	}
	t.Log(c)

	written := b.Dump(t, c.sink, broker.Committed)
	if again, err := rawlog.Reemissions(written); err != nil {
		t.Fatalf("rows of one key differ: %v", err)
	} else {
		t.Logf("%d rows, %d of them written again", len(written), again)
	}
	sameAsUninterrupted(t, c, written, func(rawlog.Record) string { return "" })

	dump := b.Dump(t, f.topic, broker.Committed)
	answer, err := headline.Ask(duck.ForTest(t), headline.Query{Precision: 18, Scale: 2, Window: time.Minute, Delay: 5 * time.Second, UntilEnd: true},
		headline.Log{Partitions: o.Partitions, Records: dump, Refused: headline.RefusedByHand(dump)})
	if err != nil {
		t.Fatal(err)
	}
	sameLedgers(t, c.unit(), answer.Ledgers)
	got := firstPerKey(written)
	if len(got) != len(answer.Rows) {
		t.Fatalf("%d different rows, DuckDB has %d", len(got), len(answer.Rows))
	}
	byKey := map[string]rawlog.Record{}
	for _, r := range got {
		byKey[string(r.Key)] = r
	}
	for _, row := range answer.Rows {
		want := answer.Query.Record(row)
		value, _, _ := bytes.Cut(want.Value, []byte(`,"total":`)) // which this query does not have
		r, ok := byKey[string(want.Key)]
		if !ok || string(r.Value) != string(value)+"}" || r.TimestampMillis != want.TimestampMillis {
			t.Fatalf("key %s\ngot    %s\nDuckDB %s}", want.Key, r, value)
		}
	}
}
