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
// A query over two sources has the second one set by with NAME COLUMNS (with none: no more), the delay of each by
// delay NAME DURATION, its records by rows NAME 0, and for the naive evaluator what the band comes to, right time minus
// left time, and the names of the two times if they are not ts:
//
//	with settlements id VARCHAR, event_time TIMESTAMP
//	delay settlements 2s
//	band 0s 10m ts event_time
//
// A record's position is one more than that of the one before unless it is given; its time in the log is its position in
// seconds after the start of 2026. A value that is no text is written hex=7b7d. A query has a name, and behind a line of
// dashes what comes of it: the rows (key, value, timestamp) by lane, and the ledger of each partition; or the whole
// message of a rejection:
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
