package txngen

import "time"

// Amount says how the amount of a transaction is written.
type Amount uint8

const (
	Number     Amount = iota // a JSON number of at most 15 digits and two decimals: a double holds it to the cent
	String                   // a JSON string with up to 38 digits, up to 6 of them decimals
	WideNumber               // a JSON number with up to 38 digits, up to 6 of them decimals; the text `"amount":` then occurs once in a record
)

// Options say what to generate. A share is in records per thousand; all draws are independent.
type Options struct {
	Seed       uint64
	Count      int // transactions, over all partitions
	Partitions int
	Merchants  int // distinct names, Zipf-like: the second as half as often as the first
	Amount     Amount

	Start         time.Time     // event time of the first transaction; of microseconds
	Span          time.Duration // from the first transaction to the last
	Disorder      time.Duration // how far, at most, an ordinary transaction lies behind its place in the order
	PartitionSkew time.Duration // how far partition p+1 lies behind partition p
	Delay         time.Duration // of the query the records are meant for: some times are aimed at the edges it makes

	Late    int           // share of transactions behind their place by Disorder to LateMax; not all of them are late for their window
	LateMax time.Duration // more than Disorder
	Edge    int           // share of transactions at a whole minute, a microsecond before it, and the same plus Delay
	Null    int           // share of each field that is null, and as many absent
	Shuffle int           // share of records with their fields in an order of their own
	Escape  int           // share of strings and names written with \u escapes where they need none

	Malformed int     // share of malformed records
	Faults    []Fault // which kinds of those, equally often; each is of AllFaults
}

// Usual gives options under which everything but malformed records occurs: 10,000 transactions in 4 partitions over 20 minutes, for a delay of 5 s.
func Usual(seed uint64) Options {
	return Options{
		Seed: seed, Count: 10_000, Partitions: 4, Merchants: 300, Amount: Number,
		Start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Span: 20 * time.Minute,
		Disorder: 4 * time.Second, PartitionSkew: 700 * time.Millisecond, Delay: 5 * time.Second,
		Late: 20, LateMax: 4 * time.Minute, Edge: 10, Null: 10, Shuffle: 100, Escape: 20,
	}
}
