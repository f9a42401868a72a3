// Package duck runs SQL on DuckDB, the oracle of what a query means: an in-memory database with one thread and the zone UTC,
// records of a log loaded byte for byte, and results as text that two runs can be compared by.
//
//	db, err := duck.Open()
//	defer db.Close()
//	err = db.LoadRecords("log", records)      // table log(part, off, value, key, log_us)
//	result, err := db.Query(`SELECT "part", count(*) FROM "log" GROUP BY ALL ORDER BY ALL`)
//	fmt.Print(result)
//
// It links DuckDB's static library (cgo): this module alone does, never the program.
package duck
