package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"
)

const (
	bandMax     = 10 * 60 * 1000 // ms from an authorisation to its settlement, at most, for those that match
	unsettled   = 50             // authorisations of a thousand that have no settlement; there is a settlement of nothing instead
	settledLate = 50             // authorisations of a thousand that are settled after the band: in up to twice its length
	ofNothing   = 1 << 40        // the first number of those that a settlement of nothing names
)

// event is an authorisation or a settlement.
type event struct {
	id          uint64 // of the authorisation
	cents       int64
	at, arrives int64 // ms since dataStart: its time, and its place in the file
}

// joinGenerator makes authorisations in the order of their file, each with a settlement, the same ones each time. Both arrive up to disorderMax after their time.
type joinGenerator struct {
	splitmix
	apart time.Duration // between neighbours in the file of authorisations
	n     uint64
}

func newJoinGenerator(perMinute int) *joinGenerator {
	return &joinGenerator{apart: time.Minute / time.Duration(perMinute)}
}

func (g *joinGenerator) next() (auth, settlement event) {
	auth.id = mix(g.n + 1)
	auth.cents = 1 + g.random(100)*g.random(2_000)
	auth.arrives = (time.Duration(g.n) * g.apart).Milliseconds()
	auth.at = auth.arrives - g.random(disorderMax+1)
	settlement = event{id: auth.id, cents: auth.cents, at: auth.at + g.random(bandMax+1)}
	switch lot := g.random(1000); {
	case lot < unsettled:
		settlement.id = mix(ofNothing + g.n)
	case lot < unsettled+settledLate:
		settlement.at = auth.at + bandMax + 1 + g.random(bandMax)
	}
	if g.random(10) == 0 { // less than was authorised
		settlement.cents = 1 + g.random(auth.cents)
	}
	settlement.arrives = settlement.at + g.random(disorderMax+1)
	g.n++
	return auth, settlement
}

// settlementsOf are the settlements in the order of their file.
func settlementsOf(rows, perMinute int) []event {
	g := newJoinGenerator(perMinute)
	events := make([]event, rows)
	for i := range events {
		_, events[i] = g.next()
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.arrives, b.arrives) })
	return events
}

func appendID(dst []byte, id uint64) []byte {
	var buf [16]byte
	text := strconv.AppendUint(buf[:0], id, 16)
	for i := len(text); i < len(buf); i++ {
		dst = append(dst, '0')
	}
	return append(dst, text...)
}

// appendMoney writes the members that both kinds of rows have.
func (e *event) appendMoney(b []byte) []byte {
	b = strconv.AppendInt(append(b, `,"amount":`...), e.cents/100, 10)
	b = appendPadded(append(b, '.'), e.cents%100, 2)
	at := dataStart.Add(time.Duration(e.at) * time.Millisecond)
	return append(at.AppendFormat(append(b, `,"currency":"EUR","event_time":"`...), "2006-01-02T15:04:05.000Z"), '"')
}

// appendAuth writes a row of the authorisations; what the query does not use follows from the id.
func (e *event) appendAuth(b []byte) []byte {
	more := splitmix{e.id}
	b = append(appendID(append(b, `{"auth_id":"`...), e.id), '"')
	b = appendPadded(append(b, `,"account":"a-`...), more.random(2_000_000), 7)
	b = append(merchantName(append(b, `","merchant":"`...), int(more.random(merchants))), '"')
	b = e.appendMoney(b)
	b = append(append(b, `,"channel":"`...), [...]string{"pos", "web", "app", "moto"}[more.random(4)]...)
	b = append(append(b, `","country":"`...), [...]string{"AT", "DE", "FR", "IT", "PL"}[more.random(5)]...)
	b = appendPadded(append(b, `","risk":0.`...), more.random(1000), 3)
	return appendNote(b)
}

// appendSettlement writes a row of the settlements, the n-th.
func (e *event) appendSettlement(b []byte, n int) []byte {
	more := splitmix{e.id}
	b = append(appendPadded(append(b, `{"id":"s-`...), int64(n), 12), '"')
	b = append(appendID(append(b, `,"auth_id":"`...), e.id), '"')
	b = e.appendMoney(b)
	b = appendPadded(append(b, `,"batch":"b-`...), int64(n/5_000), 6)
	b = append(append(b, `","scheme":"`...), [...]string{"blue", "green", "red"}[more.random(3)]...)
	b = appendPadded(append(b, `","fee":0.`...), more.random(100), 2)
	return appendNote(b)
}

// joinFiles are the two files of so many rows each, made now unless they are there.
func joinFiles(ctx context.Context, dir string, rows, perMinute int) (auths, settlements string, err error) {
	var (
		g      = newJoinGenerator(perMinute)
		row    []byte
		events []event
	)
	auths, err = keptFile(ctx, dir, fmt.Sprintf("auths-%d-%d.jsonl", rows, perMinute), rows, func(int) []byte {
		e, _ := g.next()
		row = e.appendAuth(row[:0])
		return row
	})
	if err != nil {
		return "", "", err
	}
	settlements, err = keptFile(ctx, dir, fmt.Sprintf("settlements-%d-%d.jsonl", rows, perMinute), rows, func(i int) []byte {
		if i == 0 {
			events = settlementsOf(rows, perMinute)
		}
		row = events[i].appendSettlement(row[:0], i)
		return row
	})
	return auths, settlements, err
}
