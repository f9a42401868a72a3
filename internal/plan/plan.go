// Package plan turns a query into operators: names and types resolved, everything typed before the first record.
//
//	SELECT merchant, count(*) FROM txns WHERE amount > 0 GROUP BY merchant, TUMBLE(event_time, INTERVAL 1 MINUTE)
//
// becomes one Input (columns to decode, time column, WHERE, the key and argument expressions) and one operator node.
// A query over two sources becomes two Inputs and a band join:
//
//	SELECT a.id, s.amount FROM auths a JOIN settlements s ON a.id = s.id AND s.at BETWEEN a.at AND a.at + INTERVAL 1 HOUR
//
// The plan is built the same way every time; its Facts are what a checkpoint is bound to.
package plan

import (
	"ubik/internal/codec"
	"ubik/internal/expr"
	"ubik/internal/op"
	"ubik/internal/vec"
)

// Source is a source as the query sees it.
type Source struct {
	Name    string      // table name
	Log     string      // what it reads, as the fingerprint names it: "kafka txns", "file logs/*.jsonl"
	Schema  []vec.Field // declared columns, in order
	Format  string      // "json"
	Bounded bool        // read to a fixed end
	File    bool        // its partitions are files: without a number; when bounded the default delay is unlimited
	Delay   vec.Time    // µs; vec.Forever: unlimited; negative: take the default
}

// Pseudo is a column that comes with the record and not from its value.
type Pseudo uint8

const (
	PseudoTopic     Pseudo = iota // VARCHAR
	PseudoPartition               // INTEGER; NULL where the log does not number its partitions
	PseudoOffset                  // BIGINT
	PseudoTimestamp               // TIMESTAMP; NULL where the log has none
	PseudoKey                     // VARCHAR; NULL where the record has none
)

// Input is how the records of one source become rows for an operator, or output rows. Its expressions read a batch
// with the decoded Columns first and the Pseudo columns behind them.
type Input struct {
	Source   int // index in Plan.Sources
	Columns  []codec.Column
	Pseudo   []Pseudo
	Time     expr.Expr   // TIMESTAMP; nil: no time column
	TimeName string      // the time column as messages name it
	Delay    vec.Time    // µs, resolved; vec.Forever: unlimited
	Ahead    vec.Time    // µs that one partition may be read ahead of the others: the length of the window or band; 0: no matter
	Strict   bool        // a row before its watermark is late; else one whose windows are all done
	Where    expr.Expr   // BOOLEAN; nil: all rows
	Window   *op.Window  // nil: none
	Exprs    []expr.Expr // what is handed on; for an aggregate the group keys first, then arguments and filters
	Keys     int         // how many of Exprs are the group key
	KeyCols  []int       // record by record with --key: which of Exprs are the output key; nil: the position
}

// Fact is one thing the output depends on, by a fixed name and a canonical value.
type Fact struct{ Name, Value string }

// Plan is a query ready to run.
type Plan struct {
	Sources []Source    // those the query reads, in the order of FROM
	Aliases []string    // their names in the query, in the same order
	Inputs  []Input     // one for each source, in the same order; a join has two
	Root    op.Node     // nil: record by record, Input.Exprs are the output columns
	Output  []vec.Field // output columns in select-list order
	Key     []vec.Field // columns of the output key; nil for a record-by-record query: its position
	Facts   []Fact      // the fingerprint
}

// PseudoType returns the type of a pseudo-column.
func PseudoType(p Pseudo) vec.Type {
	switch p {
	case PseudoPartition:
		return vec.TypeOf(vec.Int32)
	case PseudoOffset:
		return vec.TypeOf(vec.Int64)
	case PseudoTimestamp:
		return vec.TypeOf(vec.Timestamp)
	}
	return vec.TypeOf(vec.Varchar)
}
