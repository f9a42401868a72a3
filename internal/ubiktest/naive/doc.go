// Package naive evaluates a query in the plainest way, as a second opinion on everything fast: the whole log in memory,
// the syntax tree walked for every row, numbers of math/big, records read by encoding/json.
//
// It shares nothing with the engine but the parser. It is slow and short, and where it and the engine differ one of them
// is wrong.
//
//	result, err := naive.Evaluate(naive.Query{SQL: "SELECT k, count(*) FROM t GROUP BY ALL", Table: "t", Schema: "k VARCHAR",
//		Bounded: true, Delay: naive.Unlimited}, partitions)
//	for _, row := range result.Rows { fmt.Println(row.Key, row.Value) }
//
// What it does not know (a function, a clause) is an error that says so, never a guess.
package naive

import "math"

// Record is one record of a partition.
type Record struct {
	Position int64
	Value    []byte // nil: a tombstone
	Key      []byte // nil: none
	Time     int64  // of the log, µs since 1970
}

// Partition is one partition, its records by ascending position.
type Partition struct {
	Source  int // of a join: 0 the left source, 1 the right one
	Topic   string
	Index   int32 // −1: a file, named by Topic alone
	Untimed bool  // its records have no time of the log
	Records []Record
}

// Unlimited is the delay under which nothing is late.
const Unlimited = math.MaxInt64

// Query is a query with what decides its output.
type Query struct {
	SQL     string
	Table   string // name of the one source
	Schema  string
	Delay   int64    // µs, or Unlimited
	Bounded bool     // the end of the log closes every window
	Skip    bool     // malformed records are counted; else Evaluate fails at the first one
	Key     []string // output columns that are the key; nil: the default
	Join    *Join    // nil: the query reads one source
}

// Join is the second source of a query that joins two, with what decides when and in which order its rows leave. The
// band is stated here, not taken from the query; whether two rows match is for the query's condition alone.
type Join struct {
	Table  string
	Schema string
	Delay  int64     // µs, or Unlimited
	Times  [2]string // the time of a left and of a right row, as expressions over it
	Lo, Hi int64     // µs: two rows match only where left time + Lo ≤ right time ≤ left time + Hi
}

// Row is one output row.
type Row struct {
	Lane  string // "" for an aggregate or a join, else the partition
	Key   string
	Value string
	Time  int64 // ms since 1970
}

// Ledger is what became of a partition's records. The six counts behind Read add up to it.
type Ledger struct {
	Read, Malformed, Filtered, Unwindowed, Late, Used int
	PartlyLate                                        int
	FirstMalformed                                    int64 // position, −1: none
	FirstLate                                         int64 // position, −1: none
	WorstLate                                         int64 // position, −1: none
	WorstBehind                                       int64 // µs
}

// Result is the output of a query: the rows of each lane in order, the lanes in the order of the partitions.
type Result struct {
	Rows    []Row
	Ledgers []Ledger            // by partition
	Behind  map[string][]Record // by key of a row: the records that made it, for messages
}

// Malformed is the error of Evaluate at a malformed record of a query that does not skip.
type Malformed struct {
	Partition int
	Position  int64
	Reason    string
}

func (m *Malformed) Error() string { return m.Reason }
