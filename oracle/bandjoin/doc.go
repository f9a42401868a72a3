// Package bandjoin asks DuckDB for what a band join of two topics must have written, and compares that with a sink. DuckDB gets raw records, dumped from a
// broker or straight from a generator; all judgement about them is SQL over their bytes:
//
//	log, err := bandjoin.Load(db, auths, settlements)
//	answer, err := log.Ask(query)
//	err = answer.Compare(records) // of the sink, each key once
//
// A row is late by a window function over its own partition; the rows that are left are joined as a batch, each kind by DuckDB's join of that kind, the band
// two plain comparisons; what remains are the time at which each row leaves and the order, which are columns of the same statement.
//
// Both tables have the columns auth_id VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP. The package knows nothing of how the program joins.
package bandjoin
