package txngen

import (
	"fmt"
	"time"

	"ubik/internal/ubiktest/rawlog"
)

// Generate makes the records in the order they are to be produced in, each with the offset it gets in a topic that is empty before.
// The log timestamp is the time at which the transaction is, by its place in the order, expected. It panics on options that make no sense.
func Generate(o Options) []rawlog.Record {
	switch {
	case o.Count < 0 || o.Partitions < 1 || o.Merchants < 1:
		panic(fmt.Sprintf("txngen: %d transactions, %d partitions, %d merchants", o.Count, o.Partitions, o.Merchants))
	case o.LateMax < o.Disorder && o.Late > 0:
		panic(fmt.Sprintf("txngen: LateMax %v is less than Disorder %v", o.LateMax, o.Disorder))
	case o.Malformed > 0 && len(o.Faults) == 0:
		panic("txngen: a share of malformed records, and no fault")
	}
	g := generator{Options: o, random: random{o.Seed}, ranks: newZipf(o.Merchants)}
	records := make([]rawlog.Record, o.Count)
	for i := range records {
		records[i] = g.record(i)
	}
	rawlog.Number(records)
	return records
}

type generator struct {
	Options
	random
	ranks zipf
}

// record makes the i-th transaction.
func (g *generator) record(i int) rawlog.Record {
	partition := g.below(int64(g.Partitions))
	place := g.Start.UnixMicro() - partition*g.PartitionSkew.Microseconds()
	if g.Count > 1 {
		place += g.Span.Microseconds() * int64(i) / int64(g.Count-1)
	}
	record := rawlog.Record{Partition: int32(partition), TimestampMillis: floorDiv(place, 1000)}
	var fault Fault
	at := g.eventTime(place)
	if g.perMille(g.Malformed) {
		fault = g.Faults[g.below(int64(len(g.Faults)))]
		record.Headers = []rawlog.Header{{Name: FaultHeader, Value: []byte(fault)}}
		if g.below(4) == 0 {
			at += (10 * time.Minute).Microseconds() // were it to count for the watermark, everything after it would be late
		}
	}
	id := fmt.Sprintf("t-%08x", uint32(g.next()))
	record.Key = []byte(id)
	fields := breakFields(g.fields(id, at), fault)
	if g.perMille(g.Shuffle) {
		for i := len(fields) - 1; i > 0; i-- {
			j := g.below(int64(i + 1))
			fields[i], fields[j] = fields[j], fields[i]
		}
	}
	record.Value = breakText(g.object(fields), fault)
	return record
}

// eventTime draws the event time, in µs since 1970, of a transaction at a place in the order.
func (g *generator) eventTime(place int64) int64 {
	minute := time.Minute.Microseconds()
	disorder := g.Disorder.Microseconds()
	switch {
	case g.perMille(g.Late):
		return place - disorder - g.below(g.LateMax.Microseconds()-disorder+1)
	case g.perMille(g.Edge):
		edge := floorDiv(place, minute)*minute - g.below(2)
		if g.below(2) == 0 {
			edge += g.Delay.Microseconds()
		}
		return edge
	default:
		return place - g.below(disorder+1)
	}
}

// fields makes the members of a well-formed transaction, in the usual order.
func (g *generator) fields(id string, at int64) []field {
	fields := make([]field, 0, 16)
	add := func(name, value string) { fields = append(fields, field{name, value}) }
	optional := func(name, value string) {
		switch {
		case g.perMille(g.Null):
			add(name, "null")
		case g.perMille(g.Null):
		default:
			add(name, value)
		}
	}
	add("id", `"`+id+`"`)
	optional("merchant", quote(merchantName(g.ranks.draw(&g.random)), g.perMille(g.Escape)))
	optional("amount", amountText(&g.random, g.Amount))
	add("currency", []string{`"EUR"`, `"USD"`, `"JPY"`}[g.below(3)])
	add("event_time", quote(timeText(&g.random, at), g.perMille(g.Escape)))
	optional("score", scoreText(&g.random))
	add("channel", []string{`"pos"`, `"web"`, `"app"`}[g.below(3)])
	add("card", fmt.Sprintf(`{"bin":%d,"last4":"%s"}`, 400000+g.below(100000), anyDigits(&g.random, 4)))
	optional("note", g.note())
	add("level", []string{"1", "-2", "3.25e-7", "18446744073709551616", "0.0", "true", "false", "null", "[]", "{}"}[g.below(10)])
	if g.below(8) == 0 {
		add("meta", g.decoy())
	}
	return fields
}

// note makes a text nobody asks for.
func (g *generator) note() string {
	switch g.below(12) {
	case 0:
		return `"tab\tand\nnewline \u00e9 \/ \\"`
	case 1:
		return `"grüße 日本 😀 \ud83d\ude00"`
	case 2:
		if g.Amount != WideNumber {
			return `"quoted \"amount\": 1, \"merchant\": \"x\""`
		}
		return `"{\"merchant\":\"x\"}"`
	case 3:
		return `""`
	default:
		return `"batch ` + anyDigits(&g.random, 3) + `"`
	}
}

// decoy makes a nested value with members named like the ones that are asked for.
func (g *generator) decoy() string {
	if g.Amount == WideNumber {
		return `{"merchant":["x"],"event_time":null}`
	}
	return `[{"amount":"none","merchant":1,"event_time":[[{"deep":{}}]]}, 1 , {}]`
}

// object writes the members as one JSON object, with spaces now and then.
func (g *generator) object(fields []field) []byte {
	var colon, comma = ":", ","
	if g.below(16) == 0 {
		colon, comma = " : ", ",\t"
	}
	text := []byte{'{'}
	for i, f := range fields {
		if i > 0 {
			text = append(text, comma...)
		}
		escaped := g.perMille(g.Escape) && !(f.name == "amount" && g.Amount == WideNumber)
		text = append(text, quote(f.name, escaped)...)
		text = append(text, colon...)
		text = append(text, f.value...)
	}
	return append(text, '}')
}

// floorDiv divides rounding down, also below zero; b > 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
