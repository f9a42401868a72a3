package headline

import (
	"database/sql/driver"
	"fmt"
	"math/big"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"ubik/oracle/duck"
)

// Row is one row of the answer.
type Row struct {
	Merchant *string // nil: the group of NULL
	Window   time.Time
	N        int64
	Total    *string  // with exactly Scale decimals; nil: NULL, no amount in the group
	Score    *float64 // the exact sum, correctly rounded; nil: NULL
}

// Ledger counts what became of the records of one partition: the first that applies, each record once, so that the first six add up to Read.
// With windows that tumble none is Unwindowed, and without floors none is LateByFloor.
type Ledger struct {
	Malformed, Filtered, Unwindowed, Late, LateByFloor, Used int64
	Read                                                     int64
}

// Answer is what the query gives over the log. It stays tied to the database, which holds the tables it was made from.
type Answer struct {
	Query   Query
	Rows    []Row    // ordered as the program emits them: window end, window, merchant with NULL last
	Ledgers []Ledger // by partition

	db *duck.DB
}

// Ask loads the log and answers the query. What an earlier call left in the database is replaced.
func Ask(db *duck.DB, q Query, log Log) (*Answer, error) {
	if err := q.check(log); err != nil {
		return nil, fmt.Errorf("the headline oracle is asked for %w", err)
	}
	for _, t := range []string{"log", "object", "row", "judged"} {
		if err := db.Exec("DROP TABLE IF EXISTS " + duck.Quote(tables+t)); err != nil {
			return nil, err
		}
	}
	rows := make([][]driver.Value, len(log.Records))
	for i, r := range log.Records {
		var value driver.Value
		if r.Value != nil {
			value = r.Value
		}
		rows[i] = []driver.Value{int64(r.Partition), r.Offset, value, log.Refused[Position{r.Partition, r.Offset}]}
	}
	if err := db.LoadRows(tables+"log", `"part" BIGINT, "off" BIGINT, "value" BLOB, "refused" BOOLEAN`, rows); err != nil {
		return nil, err
	}
	for _, statement := range []string{objectSQL, q.rowSQL(), q.judgedSQL()} {
		if err := db.Exec(statement); err != nil {
			return nil, err
		}
	}
	a := &Answer{Query: q, Ledgers: make([]Ledger, log.Partitions), db: db}
	if err := a.readRows(log.Partitions); err != nil {
		return nil, err
	}
	return a, a.readLedgers()
}

func (a *Answer) readRows(partitions int) error {
	result, err := a.db.Query(a.Query.closedSQL(partitions))
	if err != nil {
		return err
	}
	for _, r := range result.Rows {
		row := Row{Window: r[1].(time.Time).UTC(), N: r[2].(int64)}
		if r[0] != nil {
			merchant := r[0].(string)
			row.Merchant = &merchant
		}
		if r[3] != nil {
			total := duck.Decimal(r[3].(duckdb.Decimal).Value, a.Query.Scale)
			row.Total = &total
		}
		if a.Query.Score {
			row.Score = exactSum(r[4].([]any))
		}
		a.Rows = append(a.Rows, row)
	}
	return nil
}

func (a *Answer) readLedgers() error {
	result, err := a.db.Query(ledgerSQL)
	if err != nil {
		return err
	}
	for _, r := range result.Rows {
		a.Ledgers[r[0].(int64)] = Ledger{
			Malformed: r[1].(int64), Filtered: r[2].(int64), Late: r[3].(int64), Used: r[4].(int64), Read: r[5].(int64),
		}
	}
	return nil
}

// exactSum adds finite doubles without any rounding but a last one; DuckDB's own sum rounds at every step. nil when all are NULL.
// 2,200 bits hold the sum of 2⁹⁰ doubles, from the least bit of the least to the highest of the greatest.
func exactSum(values []any) *float64 {
	sum := new(big.Float).SetPrec(2200)
	var any bool
	for _, v := range values {
		if v != nil {
			any = true
			sum.Add(sum, new(big.Float).SetFloat64(v.(float64)))
		}
	}
	if !any {
		return nil
	}
	rounded, _ := sum.Float64()
	if rounded == 0 {
		rounded = 0 // the sum of negative zeros is written without its sign
	}
	return &rounded
}
