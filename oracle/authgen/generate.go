package authgen

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"ubik/internal/ubiktest/rawlog"
)

// Options say what to generate. A share is in records per thousand; all draws are independent.
type Options struct {
	Seed                        uint64
	Auths                       int // records, about; there are about as many settlements
	AuthParts, SettlementsParts int

	Start time.Time     // event time of the first authorisation
	Span  time.Duration // from the first to the last

	Disorder         time.Duration // how long, at most, an ordinary record is on its way
	AuthDelay        time.Duration // of the query, for records that are just late or just not
	SettlementsDelay time.Duration
	Late             int           // share of records that are longer on their way, up to LateMax
	LateMax          time.Duration // more than Disorder
	Edge             int           // share of records at their partition's watermark, and a microsecond beside it

	Bounds    []time.Duration // from an authorisation to its settlement, that are to be hit and just missed
	Bound     int             // share of settlements at one
	Hot       int             // share of authorisations with one of three ids
	Null      int             // share of ids that are null, and as many absent
	Twice     int             // share of records that are there twice
	Whole     int             // share of authorisations at a whole second
	Malformed int             // share of malformed records
}

// Usual gives options under which everything occurs: 150,000 authorisations over three hours in 3 partitions, settlements in 2, for delays of 5 s and 20 s.
func Usual(seed uint64) Options {
	return Options{
		Seed: seed, Auths: 150_000, AuthParts: 3, SettlementsParts: 2,
		Start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Span: 3 * time.Hour,
		Disorder: 4 * time.Second, AuthDelay: 5 * time.Second, SettlementsDelay: 20 * time.Second, Late: 20, LateMax: 4 * time.Minute, Edge: 5,
		Bounds: []time.Duration{0, 10 * time.Minute}, Bound: 60, Hot: 10, Null: 8, Twice: 15, Whole: 200, Malformed: 3,
	}
}

// event is a record before it is written.
type event struct {
	id      string // "": null; absent: not there
	absent  bool
	cents   int64
	at      int64 // event time in µs since 1970
	arrives int64
	part    int32
	edge    bool // at becomes the watermark of its partition, and a microsecond or none
}

type generator struct {
	Options
	random            *rand.Rand
	auths, settlement []event
}

// Generate makes the records of both topics, each in the order of arrival and without offsets.
func Generate(o Options) (auths, settlements []rawlog.Record) {
	g := &generator{Options: o, random: rand.New(rand.NewPCG(o.Seed, 11))}
	start := o.Start.UnixMicro()
	step := o.Span.Microseconds() / int64(o.Auths)
	for i := range o.Auths {
		at := start + int64(i)*step + g.random.Int64N(step)
		if g.perMille(o.Whole) {
			at -= at % 1_000_000
		}
		a := event{cents: g.random.Int64N(50_000), at: at, id: fmt.Sprintf("a-%06x", i)}
		g.name(&a)
		g.add(&g.auths, a, o.AuthParts)
		for range g.settlements() {
			s := a
			s.at = at + g.apart()
			if g.perMille(200) {
				s.cents += g.random.Int64N(2000) - 1000
			}
			if g.perMille(10) {
				s.id = fmt.Sprintf("of nothing %d", i)
			}
			g.add(&g.settlement, s, o.SettlementsParts)
		}
	}
	return g.write(g.auths, o.AuthDelay), g.write(g.settlement, o.SettlementsDelay)
}

func (g *generator) perMille(share int) bool { return g.random.IntN(1000) < share }

// name gives some events an id that others have, or none.
func (g *generator) name(e *event) {
	switch {
	case g.perMille(g.Hot):
		e.id = []string{"", `the "first"`, "the second", "le troisième"}[1+g.random.IntN(3)]
	case g.perMille(g.Null):
		e.id = ""
	case g.perMille(g.Null):
		e.id, e.absent = "", true
	}
}

// settlements is how many an authorisation has.
func (g *generator) settlements() int {
	switch n := g.random.IntN(100); {
	case n < 12:
		return 0
	case n < 88:
		return 1
	case n < 98:
		return 2
	}
	return 3
}

// apart is the time from an authorisation to a settlement of it.
func (g *generator) apart() int64 {
	minutes := func(from, to int64) int64 {
		return from*60_000_000 + g.random.Int64N((to-from)*60_000_000)
	}
	if g.perMille(g.Bound) {
		return g.Bounds[g.random.IntN(len(g.Bounds))].Microseconds() + g.random.Int64N(3) - 1
	}
	switch n := g.random.IntN(100); {
	case n < 3:
		return 0
	case n < 15:
		return -minutes(0, 12)
	case n < 25:
		return minutes(10, 25)
	case n < 60:
		return minutes(0, 2)
	}
	return minutes(0, 10)
}

// add sends an event on its way, and sometimes again.
func (g *generator) add(to *[]event, e event, parts int) {
	for again := true; again; again = g.perMille(g.Twice) {
		e.part = int32(g.random.IntN(parts))
		e.edge = g.perMille(g.Edge)
		e.arrives = e.at + g.random.Int64N(g.Disorder.Microseconds())
		if g.perMille(g.Late) {
			e.arrives = e.at + g.Disorder.Microseconds() + g.random.Int64N((g.LateMax - g.Disorder).Microseconds())
		}
		*to = append(*to, e)
	}
}

// write puts the events into the order of arrival and makes records of them.
func (g *generator) write(events []event, delay time.Duration) []rawlog.Record {
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.arrives, b.arrives) })
	newest := map[int32]int64{} // by partition, of the well-formed
	records := make([]rawlog.Record, len(events))
	for i, e := range events {
		if top, any := newest[e.part]; e.edge && any {
			e.at = top - delay.Microseconds() + g.random.Int64N(3) - 1
		}
		r := &records[i]
		*r = rawlog.Record{Partition: e.part, Key: fmt.Appendf(nil, "%d", i), TimestampMillis: e.arrives / 1000}
		if g.perMille(g.Malformed) {
			r.Value = g.malformed(e)
			continue
		}
		r.Value = fmt.Appendf(nil, `{%s"amount":%s,"event_time":%s}`, e.idMember(), g.amount(e.cents), g.time(e.at))
		newest[e.part] = max(newest[e.part], e.at)
	}
	return records
}
