// Package bandjoin asks DuckDB for what a query over several references to sources must have written, and compares that with a sink: a band join of two
// topics, or a tree of joins, windows and unions. DuckDB gets raw records, dumped from a broker or straight from a generator; all judgement about them is SQL
// over their bytes:
//
//	log, err := bandjoin.Load(db, bandjoin.Reference{Name: "a", Source: auths}, bandjoin.Reference{Name: "s", Source: settlements})
//	answer, err := log.AskTree(tree)
//	err = answer.Compare(records)      // of the sink, each key once
//	err = answer.InOrder(firstWritten) // lane by lane
//
// A source is loaded once; each reference to it judges the records by a rule of its own, as late by a window function over their partition, and becomes a
// table of those it uses. Over these tables a query is a batch: joins are DuckDB's joins, a band two plain comparisons, a window a time_bucket. What remains
// are the time at which each row leaves, the order and the key, which are columns of the same statement. Query writes the statement for a join of two, of
// each kind; for a Tree it is written by hand.
//
// All sources have the columns auth_id VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP. A query must name them all of each source, since a record is
// malformed only by the columns that a query uses. The package knows nothing of how the program runs a query.
package bandjoin
