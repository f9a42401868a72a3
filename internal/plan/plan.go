// Package plan turns a query into operators: names and types resolved, everything typed before the first record.
//
//	SELECT merchant, count(*) FROM txns WHERE amount > 0 GROUP BY merchant, TUMBLE(event_time, INTERVAL 1 MINUTE)
//
// becomes one Input (time column, WHERE, the key and argument expressions over the source's columns) and one Stage, the
// operator. In general a plan is a list of branches, one for each part of a UNION ALL; a branch is the rows of an Input, or
// those of the last of a tree of stages:
//
//	SELECT a.region, TUMBLE(s.at, INTERVAL 1 HOUR) AS window, count(*)
//	FROM auths a JOIN settlements s ON a.id = s.id AND s.at BETWEEN a.at AND a.at + INTERVAL 10 MINUTE
//	GROUP BY a.region, TUMBLE(s.at, INTERVAL 1 HOUR)
//
//	auths ──── Input a ──► port 0 ┐
//	                              Stage 0: band join ──► port 0 Stage 1: aggregate ──► the branch's rows
//	settlements  Input s ─► port 1 ┘
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
	Schema  []vec.Field // its columns, in order; one of the zero Type is known by name only: * leaves it out
	Format  string      // "json"
	Bounded bool        // read to a fixed end
	File    bool        // its partitions are files: without a number; when bounded the default delay is unlimited
	Delay   vec.Time    // µs; vec.Forever: unlimited; negative: take the default
	Time    string      // the column that WATERMARK FOR names; "": none

	Stamped  bool        // its records have a time of their own, _timestamp
	Inferred bool        // the schema is what its first records look like
	Seen     []vec.Field // what they have, also what the query does not use; for messages, as far as it is known
	Texts    []TextTimes // of the columns and fields of it that are VARCHAR, likewise
}

// TextTimes says how far the texts that the first records have at a path are times.
type TextTimes struct {
	Path  []string
	Some  bool      // a cast reads some of them
	Odd   string    // the beginning of one that it does not read; "": there is none, as all are NULL
	Reads [2]string // the expression that reads them all, before and behind the column; "": none is known
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

// Reading is a source that the query reads, and what of its records. Each record is read and decoded once, for all
// references to the source.
type Reading struct {
	Source
	Columns []codec.Column // those the query names anywhere, decoded from the value
	Pseudo  []Pseudo
}

// Input is one reference to a source: how its records become rows of a stage, or output rows. Its expressions read a batch
// with the decoded Columns of the source first and its Pseudo columns behind them.
type Input struct {
	Source int    // index in Plan.Sources
	Alias  string // its name in the query; in positions of joined rows, where no two records of one row have the same
	Union  string // the name of the side of a join of which it is one of several parts, by UNION ALL; "": it is none. For people
	Branch int    // index in Plan.Branches
	Stage  int    // index in Plan.Stages of the operator that takes its rows; -1: none, they are the branch's rows
	Port   int    // which input of the stage: 0, or 1 for the right side of a join

	Time     expr.Expr   // TIMESTAMP; nil: no time column. Without Window and Strict it is that of WATERMARK FOR, and nothing is late
	TimeName string      // the time column as messages name it
	Delay    vec.Time    // µs, resolved; vec.Forever: unlimited
	Ahead    vec.Time    // µs that one partition may be taken in ahead of the others, by the newest times; vec.Forever: any
	Strict   bool        // a row before its watermark is late; else one whose windows are all done
	Where    expr.Expr   // BOOLEAN; nil: all rows
	Window   *op.Window  // of the stage, an aggregate; nil: none
	Exprs    []expr.Expr // what is handed on: the stage's key first, then arguments and filters or what the join keeps; or the output columns
	Keys     int         // how many of Exprs are the key
	KeyCols  []int       // record by record with --key: which of Exprs are the output key; nil: the position
}

// Stage is an operator of the plan and where its rows go. A stage stands behind those that feed it, and has one taker.
type Stage struct {
	Node   op.Node
	Branch int // index in Plan.Branches
	To     int // the stage that takes its rows; -1: none, they are the branch's rows
	Port   int // which input of it

	// The rest is of a stage with a taker. The columns that Node emits are then what Exprs are in an Input: the first
	// Keys of them the taker's key.
	Keys   int
	Timed  bool       // one more column, the last, is the row's time: TIMESTAMP, never NULL. It is not handed on
	Behind vec.Time   // µs, at least 0: the watermark handed on is the stage's own less that
	Window *op.Window // of the taker, an aggregate; nil: none
}

// Branch is a part of a UNION ALL, or the whole query. Its rows are one lane if they are a stage's, else a lane for each
// partition of its input's source.
type Branch struct {
	Input int         // record by record: the index of its only input; -1: its rows are a stage's
	Stage int         // the stage whose rows leave; -1: none
	Key   []vec.Field // columns of the output key; nil: the positions of the records that a row is made of
}

// Fact is one thing the output depends on, by a fixed name and a canonical value.
type Fact struct{ Name, Value string }

// Plan is a query ready to run.
type Plan struct {
	Sources  []Reading   // each once, in the order of their first mention
	Inputs   []Input     // one for each reference, in the order of the query text, branch by branch
	Stages   []Stage     // those that feed a stage come before it
	Branches []Branch    // at least one
	Output   []vec.Field // output columns in select-list order, the same for all branches
	Facts    []Fact      // the fingerprint
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
