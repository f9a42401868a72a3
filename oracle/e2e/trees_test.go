package e2e

import (
	"fmt"
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

// treeCase is a query of several operators or branches that is killed and compared.
type treeCase struct {
	name       string
	references []mention // in the order of the text
	tree       bandjoin.Tree
	sinkParams string
	kills      map[string]int
	rows       int     // that a life writes in passing
	bounds     []bound // that pairs of records must hit and just miss
}

// mention is a reference to one of the sources of treeSources.
type mention struct {
	source string
	bandjoin.Reference
}

// bound is a distance of two references' times.
type bound struct {
	from, to string
	distance time.Duration
}

// order gives the names of the sources of a query in the order of their first mention.
func (k *treeCase) order() []string {
	var names []string
	for _, m := range k.references {
		if !slices.Contains(names, m.source) {
			names = append(names, m.source)
		}
	}
	return names
}

// campaign is the one of a case.
func (x treeSources) campaign(t *testing.T, b *broker.Broker, k *treeCase, seed uint64) *campaign {
	t.Helper()
	j := newJob(t, b, "")
	j.query, j.sinkParams = k.tree.SQL, k.sinkParams
	j.more = []string{"--on-error", "skip"}
	var feeds []*feed
	records := 0
	for _, name := range k.order() {
		s := x[name]
		in := input{name: name, schema: bandjoin.Schema}
		if s.feed == nil {
			in.path = s.Topic
		} else {
			in.topic = s.Topic
			j.more = append(j.more, "--delay", name+"="+s.Delay.String())
			feeds = append(feeds, s.feed)
			records += s.feed.produced
		}
		j.inputs = append(j.inputs, in)
	}
	c := newCampaign(j, seed, feeds...)
	unproduced := c.feeds.left()
	c.still, c.rows, c.interval = unproduced == 0, k.rows, joinInterval
	c.backlog = records / 3
	if !c.still {
		c.backlog = unproduced / 10
	}
	return c
}

// load reads the topics of a case, cold, and loads its references into a database.
func (x treeSources) load(t *testing.T, b *broker.Broker, k *treeCase) *bandjoin.Log {
	t.Helper()
	var refs []bandjoin.Reference
	for _, m := range k.references {
		s := x[m.source]
		if s.Records == nil {
			s.Records = b.Dump(t, s.Topic, broker.Committed)
			if len(s.Records) != s.feed.produced {
				t.Fatalf("%d records of %s are readable, %d were committed", len(s.Records), m.source, s.feed.produced)
			}
		}
		r := m.Reference
		r.Source = &s.Source
		refs = append(refs, r)
	}
	log, err := bandjoin.Load(duck.ForTest(t), refs...)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range k.bounds {
		less, at, more, err := log.AtBound(b.from, b.to, b.distance)
		if err != nil {
			t.Fatal(err)
		}
		if less == 0 || at == 0 || more == 0 {
			t.Errorf("%s: the topics try too little: %d, %d and %d pairs of %s and %s are a microsecond below, at and above the bound %v",
				k.name, less, at, more, b.from, b.to, b.distance)
		}
	}
	return log
}

// try kills and compares a case, and gives how many rows were written again.
func (x treeSources) try(t *testing.T, b *broker.Broker, k *treeCase, seed uint64, uninterrupted bool) int {
	t.Helper()
	began := time.Now()
	c := x.campaign(t, b, k, seed)
	c.run(k.kills)
	p := c.finish()

	written := b.Dump(t, c.sink, broker.Committed)
	again, err := rawlog.Reemissions(written)
	if err != nil {
		t.Fatalf("%s: rows of one key differ: %v", k.name, err)
	}
	killed := time.Since(began)
	log := x.load(t, b, k)
	answer, err := log.AskTree(&k.tree)
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.Rows) < 1000 {
		t.Errorf("%s: the topics try too little: %d rows", k.name, len(answer.Rows))
	}
	if err := answer.Compare(rawlog.LatestPerKey(written)); err != nil {
		t.Fatalf("%s: %v", k.name, err)
	}
	if err := answer.InOrder(firstPerKey(written)); err != nil {
		t.Errorf("%s: the order: %v", k.name, err)
	}
	u := c.unit()
	x.sameLanes(t, k, u, answer)
	x.sameLedgers(t, k, u, log, p)
	if uninterrupted {
		sameAsUninterrupted(t, c, written, answer.Lane)
	}
	t.Logf("%s: %s; %d rows, %d of them written again; %.1f s killed, %.1f s compared", k.name, c, len(written), again, killed.Seconds(), (time.Since(began) - killed).Seconds())
	return again
}

// sameLanes sees that the last unit is complete, numbers the rows of each lane without gaps, and keeps none in any operator.
func (x treeSources) sameLanes(t *testing.T, k *treeCase, u *runner.Unit, answer *bandjoin.Answer) {
	t.Helper()
	var want, got []uint64
	for _, n := range answer.Lanes() {
		want = append(want, n)
	}
	for _, l := range u.Lanes {
		got = append(got, l.Number)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !u.Complete || !slices.Equal(got, want) || windowOpen(u) {
		t.Errorf("%s: unit %d is complete: %v; its lanes have %d rows, DuckDB's answer %d; rows are kept: %v", k.name, u.Number, u.Complete, got, want, windowOpen(u))
	}
}

// sameLedgers compares the ledger of each reference. That each source is read once, however often it is mentioned, is seen at the positions: a partition is
// there once, and its records, counted by each reference, are those of the log.
func (x treeSources) sameLedgers(t *testing.T, k *treeCase, u *runner.Unit, log *bandjoin.Log, p *process) {
	t.Helper()
	partitions, records := 0, 0
	for source, name := range k.order() {
		s := x[name]
		partitions, records = partitions+s.Partitions, records+len(s.Records)
		var want [][]bandjoin.Ledger // by reference to this source
		for i, m := range k.references {
			if m.source == name {
				want = append(want, log.Ledgers[i])
			}
		}
		for _, part := range u.Partitions {
			if part.Source != source {
				continue
			}
			if len(part.Clocks) != len(want) {
				t.Fatalf("%s: partition %s/%d is counted by %d references of %d", k.name, part.Topic, part.Index, len(part.Clocks), len(want))
			}
			index := max(0, part.Index) // a file has none
			for i := range want {
				if got := ledgerOf(&part, i); got != want[i][index] {
					t.Errorf("%s: ledger of partition %s/%d, reference %d %q:\ngot    %+v\nDuckDB %+v", k.name, part.Topic, part.Index, i, part.Clocks[i].Alias, got, want[i][index])
				}
				m := k.mention(name, i)
				if l := want[i][index]; l.Malformed == 0 || l.Used == 0 || (l.Filtered == 0) != (m.Where == "") || l.Late == 0 && m.Rule != bandjoin.Never && s.Delay != bandjoin.Unlimited {
					t.Errorf("%s: the topics try too little: %s/%d, reference %d: %+v", k.name, part.Topic, part.Index, i, l)
				}
			}
		}
	}
	if len(u.Partitions) != partitions || u.Read() != uint64(records) {
		t.Errorf("%s: %d partitions and %d records were read; there are %d and %d", k.name, len(u.Partitions), u.Read(), partitions, records)
	}
	if complete := fmt.Sprintf("complete: %d records", records); !p.says(complete) {
		t.Errorf("%s: the program does not say %q:\n%s", k.name, complete, &p.said)
	}
}

// mention is the reference of this number to a source.
func (k *treeCase) mention(source string, number int) *mention {
	for i := range k.references {
		if k.references[i].source != source {
			continue
		}
		if number == 0 {
			return &k.references[i]
		}
		number--
	}
	panic("no such reference to " + source)
}

// Queries of several operators and branches: a chain of three topics that grow while it is killed, then the others over the same topics.
func TestATreeOfOperatorsIsTheSameHoweverOftenItIsKilled(t *testing.T) {
	b := broker.Shared(t)
	seed := drawSeed(t)
	o, r := treeOptions(seed)
	auths, settlements := authgen.Generate(o)
	_, refunds := authgen.Generate(r)
	x := treeSources{}
	x.topic(t, b, "auths", o.AuthParts, o.AuthDelay, auths)
	x.topic(t, b, "settlements", o.SettlementsParts, o.SettlementsDelay, settlements)
	x.topic(t, b, "refunds", r.SettlementsParts, r.SettlementsDelay, refunds)
	x.file(t, "refunded", refunds)

	reemitted := x.try(t, b, &chain, seed, true)
	for i := range otherTrees {
		reemitted += x.try(t, b, &otherTrees[i], seed+uint64(i)+1, i == 0)
	}
	if !t.Failed() && reemitted == 0 {
		t.Error("no row was written again: the kills proved nothing")
	}
}

// A topic joined to itself, which is read once, and grows meanwhile: it holds authorisations and settlements.
func TestAJoinOfATopicWithItselfIsTheSameHoweverOftenItIsKilled(t *testing.T) {
	b := broker.Shared(t)
	seed := drawSeed(t)
	o := authgen.Usual(seed)
	o.Auths, o.Span, o.Hot = 30_000, time.Hour, 6
	o.Bounds = []time.Duration{-time.Minute, 10 * time.Minute}
	auths, settlements := authgen.Generate(o)
	events := append(auths, settlements...)
	slices.SortStableFunc(events, func(a, b rawlog.Record) int { return int(a.TimestampMillis - b.TimestampMillis) })
	x := treeSources{}
	x.topic(t, b, "events", o.AuthParts, o.SettlementsDelay, events)
	if x.try(t, b, &selfJoin, seed, true) == 0 && !t.Failed() {
		t.Error("no row was written again: the kills proved nothing")
	}
}
