package e2e

import (
	"slices"
	"testing"
	"time"

	"ubik/internal/runner"
	"ubik/internal/ubiktest/broker"
	"ubik/internal/ubiktest/rawlog"
	"ubik/oracle/authgen"
	"ubik/oracle/bandjoin"
	"ubik/oracle/duck"
)

// bandCase is a join that is killed and compared.
type bandCase struct {
	name  string
	query bandjoin.Query
	kills map[string]int
}

var (
	pairColumns = []bandjoin.Column{
		{Name: "auth_id", Expr: "a.auth_id"},
		{Name: "authorised", Expr: "a.amount"},
		{Name: "settled", Expr: "s.amount"},
		{Name: "took", Expr: "s.event_time - a.event_time", Text: true},
	}
	bothColumns = []bandjoin.Column{
		{Name: "id", Expr: "coalesce(a.auth_id, s.auth_id)"},
		{Name: "left_at", Expr: "a.event_time"},
		{Name: "right_at", Expr: "s.event_time"},
		{Name: "less", Expr: "a.amount - s.amount"},
	}
	authColumns = []bandjoin.Column{
		{Name: "auth_id", Expr: "a.auth_id"},
		{Name: "amount", Expr: "a.amount"},
		{Name: "event_time", Expr: "a.event_time"},
	}
)

// innerJoin is the query that everything is tried on first.
var innerJoin = bandCase{
	name: "inner",
	query: bandjoin.Query{Kind: bandjoin.Inner, Columns: pairColumns, Hi: 10 * time.Minute,
		Band: "s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 10 MINUTE"},
	kills: map[string]int{atRandom: 8, "sink write": 3, "written": 2, "synced": 1, "renamed": 2, "dirsynced": 1},
}

// otherJoins are the other kinds, and each kind once more, all with a band, and a spelling of it, of their own.
var otherJoins = []bandCase{
	{name: "inner, wholly positive", query: bandjoin.Query{Kind: bandjoin.Inner, Columns: pairColumns, Lo: 90 * time.Second, Hi: 8 * time.Minute,
		Band: "a.event_time BETWEEN s.event_time - INTERVAL 8 MINUTE AND s.event_time - INTERVAL 90 SECOND", Residual: "s.amount >= a.amount"},
		kills: map[string]int{atRandom: 1, "sink write": 1}},
	{name: "left, asymmetric and strict", query: bandjoin.Query{Kind: bandjoin.Left, Columns: pairColumns, Lo: -2 * time.Minute, Hi: 7*time.Minute - time.Microsecond,
		Band:     "s.event_time >= a.event_time - INTERVAL 2 MINUTE AND s.event_time < a.event_time + INTERVAL 7 MINUTE",
		Residual: "s.amount <= a.amount", OfAuth: "a.amount > 10"},
		kills: map[string]int{atRandom: 2, "sink write": 1, "written": 1}},
	{name: "left, wholly negative", query: bandjoin.Query{Kind: bandjoin.Left, Columns: pairColumns, Lo: -6 * time.Minute, Hi: -30 * time.Second,
		Band: "a.event_time - s.event_time >= INTERVAL 30 SECOND AND a.event_time - s.event_time <= INTERVAL 6 MINUTE"},
		kills: map[string]int{atRandom: 1, "sink write": 1}},
	{name: "right, wholly negative", query: bandjoin.Query{Kind: bandjoin.Right, Columns: bothColumns, Lo: -8 * time.Minute, Hi: -time.Minute,
		Band: "s.event_time - a.event_time BETWEEN INTERVAL '-8 minutes' AND INTERVAL '-1 minute'"},
		kills: map[string]int{atRandom: 2, "sink write": 1, "renamed": 1}},
	{name: "right, asymmetric", query: bandjoin.Query{Kind: bandjoin.Right, Columns: bothColumns, Lo: -3 * time.Minute, Hi: 5 * time.Minute,
		Band: "s.event_time >= a.event_time - INTERVAL 3 MINUTE AND a.event_time >= s.event_time - INTERVAL 5 MINUTE", Residual: "s.amount <= a.amount"},
		kills: map[string]int{atRandom: 1, "sink write": 1}},
	{name: "full, mirrored", query: bandjoin.Query{Kind: bandjoin.Full, Columns: bothColumns, Lo: -time.Minute, Hi: 10 * time.Minute,
		Band:   "a.event_time <= s.event_time + INTERVAL 1 MINUTE AND a.event_time >= s.event_time - INTERVAL 600 SECOND",
		OfAuth: "a.amount > 10"},
		kills: map[string]int{atRandom: 2, "sink write": 1, "synced": 1}},
	{name: "full, wholly positive", query: bandjoin.Query{Kind: bandjoin.Full, Columns: bothColumns, Lo: time.Microsecond, Hi: 2 * time.Minute,
		Band: "s.event_time > a.event_time AND s.event_time <= a.event_time + INTERVAL 2 MINUTE"},
		kills: map[string]int{atRandom: 1, "sink write": 1}},
	{name: "exists, wholly positive", query: bandjoin.Query{Kind: bandjoin.Semi, Columns: authColumns, Lo: time.Minute + time.Microsecond, Hi: 3 * time.Minute,
		Band: "s.event_time > a.event_time + INTERVAL 1 MINUTE AND s.event_time <= a.event_time + INTERVAL 3 MINUTE", Residual: "s.amount = a.amount"},
		kills: map[string]int{atRandom: 2, "sink write": 1, "dirsynced": 1}},
	{name: "exists, asymmetric", query: bandjoin.Query{Kind: bandjoin.Semi, Columns: authColumns, Lo: -4 * time.Minute, Hi: 6 * time.Minute,
		Band: "a.event_time BETWEEN s.event_time - INTERVAL 6 MINUTE AND s.event_time + INTERVAL 4 MINUTE", Residual: "s.amount >= a.amount"},
		kills: map[string]int{atRandom: 1, "sink write": 1}},
	{name: "not exists, asymmetric", query: bandjoin.Query{Kind: bandjoin.Anti, Columns: authColumns, Lo: -30 * time.Second, Hi: 10 * time.Minute,
		Band: "s.event_time BETWEEN a.event_time - INTERVAL 30 SECOND AND a.event_time + INTERVAL 10 MINUTE", Residual: "s.amount >= a.amount"},
		kills: map[string]int{atRandom: 2, "sink write": 1, "renamed": 1}},
	{name: "not exists, wholly negative", query: bandjoin.Query{Kind: bandjoin.Anti, Columns: authColumns, Lo: -9 * time.Minute, Hi: -time.Microsecond,
		Band: "s.event_time < a.event_time AND s.event_time >= a.event_time - INTERVAL 9 MINUTE", Residual: "s.amount <= a.amount"},
		kills: map[string]int{atRandom: 1, "sink write": 1}},
}

func bandCases() []bandCase { return append([]bandCase{innerJoin}, otherJoins...) }

// What a life of a join is like: the time between its checkpoints, in which many thousand records are read and joined already, and the rows it
// writes in passing.
const (
	joinInterval = 20 * time.Millisecond
	joinRows     = 4000
)

// bandOptions are topics whose settlements hit every bound of these bands.
func bandOptions(seed uint64) authgen.Options {
	o := authgen.Usual(seed)
	o.Auths, o.Bound, o.Bounds = 60_000, 120, nil
	for _, c := range bandCases() {
		o.Bounds = append(o.Bounds, c.query.Lo, c.query.Hi)
	}
	return o
}

// bandTopics are both topics on a broker.
type bandTopics struct {
	options           authgen.Options
	auths, settlement *feed
	log               *bandjoin.Log // once they are complete
}

// job is the one for a query.
func (x *bandTopics) job(t *testing.T, b *broker.Broker, q *bandjoin.Query) *job {
	j := newJob(t, b, "")
	j.inputs = []input{{name: "auths", topic: x.auths.topic, schema: bandjoin.Schema}, {name: "settlements", topic: x.settlement.topic, schema: bandjoin.Schema}}
	j.query = q.SQL()
	j.more = []string{"--on-error", "skip", "--delay", "auths=" + x.options.AuthDelay.String(), "--delay", "settlements=" + x.options.SettlementsDelay.String()}
	return j
}

// dump loads both topics, cold, into a database.
func (x *bandTopics) dump(t *testing.T, b *broker.Broker, want int) {
	t.Helper()
	auths, settlements := b.Dump(t, x.auths.topic, broker.Committed), b.Dump(t, x.settlement.topic, broker.Committed)
	if len(auths)+len(settlements) != want {
		t.Fatalf("%d and %d records are readable, %d were committed", len(auths), len(settlements), want)
	}
	var err error
	x.log, err = bandjoin.Load(duck.ForTest(t),
		bandjoin.Reference{Name: "auths", Source: &bandjoin.Source{Topic: x.auths.topic, Partitions: x.options.AuthParts, Delay: x.options.AuthDelay, Records: auths}},
		bandjoin.Reference{Name: "settlements", Source: &bandjoin.Source{Topic: x.settlement.topic, Partitions: x.options.SettlementsParts, Delay: x.options.SettlementsDelay, Records: settlements}})
	if err != nil {
		t.Fatal(err)
	}
}

// The join of two topics, killed over and over mid-band while they grow; then each other kind of join over the same topics.
func TestABandJoinIsTheSameHoweverOftenItIsKilled(t *testing.T) {
	b := broker.Shared(t)
	seed := drawSeed(t)
	x := &bandTopics{options: bandOptions(seed)}
	auths, settlements := authgen.Generate(x.options)
	x.auths = newFeedOf(t, b, "auths", x.options.AuthParts, auths)
	x.settlement = newFeedOf(t, b, "settlements", x.options.SettlementsParts, settlements)

	c := newCampaign(x.job(t, b, &innerJoin.query), seed, x.auths, x.settlement)
	c.backlog, c.rows, c.interval, c.bothSides = 12_000, joinRows, joinInterval, true
	c.run(innerJoin.kills)
	c.finish()
	mustAim(t, c)
	x.dump(t, b, len(auths)+len(settlements))
	x.tries(t)
	written, reemitted := x.compare(t, c, &innerJoin, func([]rawlog.Record) []rawlog.Record { return b.Compact(t, c.sink) })
	sameAsUninterrupted(t, c, written, func(rawlog.Record) string { return "" })

	for i, o := range otherJoins {
		c := newCampaign(x.job(t, b, &o.query), seed+uint64(i)+1, x.auths, x.settlement)
		c.still, c.backlog, c.rows, c.interval, c.bothSides = true, x.auths.produced, joinRows, joinInterval, true
		c.run(o.kills)
		c.finish()
		_, again := x.compare(t, c, &o, func([]rawlog.Record) []rawlog.Record { return b.Compact(t, c.sink) })
		reemitted += again
	}
	if !t.Failed() && reemitted == 0 {
		t.Error("no row was written again: the kills proved nothing")
	}
}

// tries sees that the topics try everything: pairs at each bound of each band and a microsecond beside it, and in either topic ids that many records have, none, records
// that are there twice, equal times, late records and malformed ones.
func (x *bandTopics) tries(t *testing.T) {
	t.Helper()
	for _, c := range bandCases() {
		for _, bound := range []time.Duration{c.query.Lo, c.query.Hi} {
			less, at, more, err := x.log.AtBound("auths", "settlements", bound)
			if err != nil {
				t.Fatal(err)
			}
			if least := int64(10); less < least || at < least || more < least {
				t.Errorf("%s: the topics try too little: %d, %d and %d pairs are a microsecond below, at and above the bound %v", c.name, less, at, more, bound)
			}
		}
	}
	for _, name := range []string{"auths", "settlements"} {
		v, err := x.log.Variety(name)
		if err != nil {
			t.Fatal(err)
		}
		if v.NullKeys < v.Rows/200 || v.Hottest < v.Rows/500 || v.Repeated < v.Rows/100 || v.Twice < v.Rows/100 || v.SameTimes < v.Twice+50 {
			t.Errorf("the topics try too little: %s: %+v", name, v)
		}
		t.Logf("%s: %+v", name, v)
	}
	for _, l := range slices.Concat(x.log.Ledgers...) {
		if l.Late == 0 || l.Malformed == 0 {
			t.Errorf("the topics try too little: %+v", l)
		}
	}
}

// compare holds what a killed job wrote against DuckDB's answer: before compaction every row that was written again is the same, and the rows where they were
// first written are in order; behind compaction the rows are DuckDB's; the checkpoint has the ledgers of both topics, counts each row once, and keeps none.
func (x *bandTopics) compare(t *testing.T, c *campaign, j *bandCase, compact func([]rawlog.Record) []rawlog.Record) (written []rawlog.Record, again int) {
	t.Helper()
	written = c.b.Dump(t, c.sink, broker.Committed)
	again, err := rawlog.Reemissions(written)
	if err != nil {
		t.Fatalf("%s: rows of one key differ: %v", j.name, err)
	}
	t.Logf("%s: %s; %d rows, %d of them written again", j.name, c, len(written), again)
	answer, err := x.log.Ask(&j.query)
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.Rows) < 1000 {
		t.Errorf("%s: the topics try too little: %d rows", j.name, len(answer.Rows))
	}
	if err := answer.Compare(compact(written)); err != nil {
		t.Fatalf("%s: %v", j.name, err)
	}
	if err := answer.InOrder(firstPerKey(written)); err != nil {
		t.Errorf("%s: the order: %v", j.name, err)
	}
	u := c.unit()
	if len(u.Lanes) != 1 || u.Lanes[0].Number != uint64(len(answer.Rows)) || windowOpen(u) {
		t.Errorf("%s: the lanes of the last unit are %+v, DuckDB's answer has %d rows; rows are kept: %v", j.name, u.Lanes, len(answer.Rows), windowOpen(u))
	}
	x.sameLedgers(t, j.name, u)
	return written, again
}

func (x *bandTopics) sameLedgers(t *testing.T, name string, u *runner.Unit) {
	t.Helper()
	want := x.log.Ledgers
	if !u.Complete || len(u.Partitions) != len(want[0])+len(want[1]) {
		t.Fatalf("%s: unit %d is complete: %v, and has %d partitions", name, u.Number, u.Complete, len(u.Partitions))
	}
	for _, p := range u.Partitions {
		if got := ledgerOf(&p, 0); got != want[p.Source][p.Index] {
			t.Errorf("%s: ledger of partition %s/%d:\ngot    %+v\nDuckDB %+v", name, p.Topic, p.Index, got, want[p.Source][p.Index])
		}
	}
}
