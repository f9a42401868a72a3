package headline

import (
	"fmt"
	"time"

	"ubik/internal/ubiktest/rawlog"
	"ubik/internal/ubiktest/txngen"
)

// Reading says how DuckDB gets at the amount of a record.
type Reading uint8

const (
	Numbers Reading = iota // JSON numbers by DuckDB's own JSON functions: exact to 15 digits, and to the digits the type has behind the point
	Strings                // JSON strings, cast to DECIMAL
	Text                   // JSON numbers of any width by regexp_extract from the text, where `"amount":` must occur only once
)

// Query is a query of the headline's shape:
//
//	SELECT merchant, TUMBLE(event_time, Window) AS window, count(*) AS n, sum(amount) AS total [, sum(score) AS score]
//	FROM txns [WHERE Filter] GROUP BY merchant, TUMBLE(event_time, Window)
//
// over the columns merchant VARCHAR, amount DECIMAL(Precision, Scale), event_time TIMESTAMP and, with Score, score DOUBLE.
type Query struct {
	Amount           Reading
	Precision, Scale int
	Window           time.Duration // divides a day
	Delay            time.Duration // of the watermark; Unlimited for none
	Filter           string        // a predicate over the quoted column names, in DuckDB's SQL; "" for none
	Score            bool
	UntilEnd         bool // all windows close at the end of the log, else only those the watermark of the whole log closes
}

// Unlimited is the Delay under which nothing is late.
const Unlimited time.Duration = -1

// Log is what the query is asked over.
type Log struct {
	Partitions int // 0 … Partitions-1, those without records too
	Records    []rawlog.Record
	// Refused holds the positions of records that RFC 8259 (or a rule of the program's) calls malformed and DuckDB reads all the same: an expected set
	// made by hand. Those that DuckDB refuses need not be in it.
	Refused map[Position]bool
}

// Position is the place of a record in its topic.
type Position struct {
	Partition int32
	Offset    int64
}

// RefusedByHand gives the positions of the records that the generator made malformed in a way that DuckDB overlooks.
func RefusedByHand(records []rawlog.Record) map[Position]bool {
	lenient := make(map[string]bool)
	for _, f := range txngen.LenientFaults() {
		lenient[string(f)] = true
	}
	refused := make(map[Position]bool)
	for _, r := range records {
		if fault, ok := r.Header(txngen.FaultHeader); ok && lenient[string(fault)] {
			refused[Position{r.Partition, r.Offset}] = true
		}
	}
	return refused
}

func (q Query) check(log Log) error {
	switch {
	case q.Window <= 0 || (24*time.Hour)%q.Window != 0 || q.Window%time.Microsecond != 0:
		return fmt.Errorf("a window of %v: it must divide a day", q.Window)
	case q.Delay < 0 && q.Delay != Unlimited:
		return fmt.Errorf("a delay of %v", q.Delay)
	case q.Precision < 1 || q.Precision > 38 || q.Scale < 0 || q.Scale > q.Precision:
		return fmt.Errorf("an amount of type DECIMAL(%d,%d)", q.Precision, q.Scale)
	}
	for _, r := range log.Records {
		if r.Partition < 0 || int(r.Partition) >= log.Partitions {
			return fmt.Errorf("a record of partition %d in a log of %d partitions", r.Partition, log.Partitions)
		}
	}
	return nil
}
