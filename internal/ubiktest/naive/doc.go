// Package naive evaluates a query in the plainest way, as a second opinion on everything fast: the whole log in memory,
// the syntax tree walked for every row, numbers of math/big, records read by encoding/json, joins by looking at every pair.
//
// It shares nothing with the engine but the parser. It is slow and short, and where it and the engine differ one of them
// is wrong.
//
//	result, err := naive.Evaluate(naive.Query{SQL: "SELECT k, count(*) FROM t GROUP BY ALL",
//		Sources: []naive.Source{{Name: "t", Schema: "k VARCHAR", Delay: naive.Unlimited}}, Bounded: true}, partitions)
//	for _, row := range result.Rows { fmt.Println(row.Key, row.Value) }
//
// Names that WITH and CREATE VIEW define are written out, as subqueries, before anything else is done.
//
// Its words: a reference is one mention of a source in the query; a query, or what FROM holds, has arms, one for each part
// of a UNION ALL; the base of an arm is what its rows are made by: a reference, a join, or an aggregate.
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
	Source  int // index in Query.Sources
	Topic   string
	Index   int32 // −1: a file, named by Topic alone
	Untimed bool  // its records have no time of the log
	Records []Record
}

// Unlimited is the delay under which nothing is late.
const Unlimited = math.MaxInt64

// Source is a source that the query may name, any number of times.
type Source struct {
	Name   string
	Schema string
	Delay  int64  // µs, or Unlimited
	Time   string // the column that it declares to be its time; "": none
}

// Query is a query with what decides its output.
type Query struct {
	SQL     string // a query, or CREATE VIEW … before it
	Sources []Source
	Bands   []Band   // of its joins, each EXISTS one of them, in the order in which their conditions end in the text written out
	Bounded bool     // the end of the log closes every window
	Skip    bool     // malformed records are counted; else Evaluate fails at the first one
	Key     []string // output columns that are the key; nil: the default
}

// Band decides when and in which order the rows of a join leave. It is stated here, not taken from the query; whether
// two rows match is for the query's condition alone.
type Band struct {
	Times  [2]string // the time of a left and of a right row, as expressions over what that side of the join names
	Lo, Hi int64     // µs: two rows match only where left time + Lo ≤ right time ≤ left time + Hi
}

// Row is one output row.
type Row struct {
	// Lane is "" where an aggregate or a join makes the row, else the partition. If the query has several branches it
	// is the number of the branch, from 1, or "2 topic/0".
	Lane  string
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

// Result is the output of a query: the rows of each lane in order, the lanes in the order of branches and partitions.
type Result struct {
	Rows    []Row
	Ledgers []Ledger            // by reference in the order of the text, then by partition of its source
	Behind  map[string][]Record // by key of a row: the records that made it, for messages
}

// Malformed is the error of Evaluate at a malformed record of a query that does not skip.
type Malformed struct {
	Partition int
	Position  int64
	Reason    string
}

func (m *Malformed) Error() string { return m.Reason }
