// Package headline answers the headline query (transactions counted and summed a merchant and window) in batch, with DuckDB, from the raw bytes of a log:
// the oracle that the program's output is compared with. The late rule is a window function over each partition; nothing here knows the program's code.
//
//	answer, err := headline.Ask(db, headline.Query{Amount: headline.Numbers, Precision: 18, Scale: 2, Window: time.Minute, Delay: 5 * time.Second},
//		headline.Log{Partitions: 4, Records: dump, Refused: headline.RefusedByHand(dump)})
//	err = answer.Compare(rawlog.LatestPerKey(sink))   // names keys, both values, and the records behind them
//	ledger := answer.Ledgers[0]                       // what became of the records of partition 0
//
// DuckDB reads JSON fractions through a double. So the amounts are read in one of three ways: numbers of at most 15 digits by its JSON functions,
// wide decimals from JSON strings, or wide decimals written as JSON numbers cut out of the text by a pattern.
package headline
