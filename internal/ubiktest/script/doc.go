// Package script runs SQL scripts: rows in, a query, rows out, as text that is read and reviewed.
//
// A script is blocks separated by blank lines. A block of settings holds for all queries behind it:
//
//	source txns merchant VARCHAR, amount DECIMAL(18,2), ts TIMESTAMP
//	delay 5s
//	open
//
// The settings are source NAME COLUMNS, delay DURATION or unlimited, bounded or open, on-error stop or skip, and
// key COLUMNS or default. They start as bounded, unlimited, stop and default. The records of a partition follow a line
// with its number, which drops what it held before; rows none drops all partitions:
//
//	rows 0
//	{"merchant":"a","amount":1.25,"ts":"2026-01-01T00:00:03Z"}
//	@7 key=x {"merchant":"b"}
//	tombstone
//
// A query may name several sources: with NAME COLUMNS adds one (with none: no more than the first), whose delay is set by
// delay NAME DURATION, and its records by rows NAME 0. For the naive evaluator there is a line for each join, in the
// order in which the conditions end in the text, of what its band comes to, right time minus left time, and the two times
// as they can be written over each side, if they are not named ts; band none takes them away:
//
//	with settlements id VARCHAR, event_time TIMESTAMP
//	delay settlements 2s
//	band 0s 10m a.ts event_time
//	band -5s 5s
//
// A query may have CREATE VIEW … before it. What WITH and views define counts at each place that names it: joins in it need
// their bands, references in it are told apart, as if it stood there. A source that declares its time, as WATERMARK FOR does,
// has a line with column and delay; none takes the declaration away and leaves the delay:
//
//	watermark settlements event_time 2s
//
// A record's position is one more than that of the one before unless it is given; its time in the log is its position in
// seconds after the start of 2026. A value that is no text is written hex=7b7d. A query has a name, and behind a line of
// dashes what comes of it: the rows (key, value, timestamp) by lane, and the ledger of each partition; or the whole
// message of a rejection. A ledger is named by its source where there are several, and where the query names that source
// more than once, by which of them it belongs to: ledger a (2) 0.
//
//	query counts by merchant
//	SELECT merchant, count(*) FROM txns GROUP BY ALL
//	----
//	{"merchant":"a"} {"merchant":"a","count_star()":1} 1970-01-01T00:00:00.000Z
//	ledger 0: read 1, used 1
//
// Lines beginning with # between blocks are comments. The expected part is rewritten by go test -update.
//
// The module oracle compares every query with DuckDB. Where DuckDB gives something else on purpose, a comment right above
// the query says so: # duckdb: differs, because it drops the zone offset of the text
package script
