// Package scripts answers the queries of the SQL scripts in batch, with DuckDB, from the raw bytes of their records:
// what the scripts expect must be what DuckDB gives.
//
//	answer, err := scripts.Ask(db, &c)      // c is a script.Case that is not rejected
//	answer.Lines()                          // rows and ledgers, as a script has them
//
// A query becomes tables, each made from the one before, so that a difference can be looked into at every step:
//
//	scripts_raw      the records: is it an object of JSON, and kind and text of each field that the query uses
//	scripts_row      the typed columns; "ok" tells the well-formed
//	scripts_judged   the time, the watermark before the row, what WHERE says
//	scripts_window   a line for each row and window it lies in
//	scripts_class    what becomes of each record: malformed, filtered, unwindowed, late, used
//	scripts_used     the rows that count, with their group keys
//
// A query of several references to sources (joins, UNION ALL, queries in FROM) is answered by Tree: DuckDB runs its very
// text over a table for each reference, which holds the rows that are not late. So it is with WITH, and with views, which
// DuckDB is given, too.
//
// The translation of one SELECT goes from syntax tree to text and shares nothing with the planner. TUMBLE is time_bucket, HOP a join
// with the windows that a slide makes, the late rule a window function over the partition. JSON is taken apart by
// encoding/json, since DuckDB reads fractions through a double; all casts are DuckDB's. What is used as a whole (JSON, STRUCT,
// LIST, MAP) is a column of the type JSON, and in a tree of the type that is declared.
package scripts
