package bandjoin

import (
	"fmt"

	"ubik/oracle/duck"
)

// Variety counts what makes a reference's used records hard to join.
type Variety struct {
	Rows      int64
	NullKeys  int64 // of them without an id
	Hottest   int64 // of them with the most frequent id
	Repeated  int64 // ids that several have
	Twice     int64 // of them whose id, amount and time another one has too
	SameTimes int64 // of them whose time another one has too
}

// Variety is that of a reference.
func (l *Log) Variety(name string) (Variety, error) {
	shared := func(of, columns string) string {
		return fmt.Sprintf(`coalesce((SELECT %s FROM (SELECT count(*) AS "n" FROM %s WHERE "auth_id" IS NOT NULL GROUP BY %s) WHERE "n" > 1), 0)::BIGINT`, of, duck.Quote(name), columns)
	}
	result, err := l.db.Query(fmt.Sprintf(`SELECT count(*), count(*) FILTER ("auth_id" IS NULL), %s, %s, %s, %s FROM %s`,
		shared(`max("n")`, `"auth_id"`), shared(`count(*)`, `"auth_id"`), shared(`sum("n")`, `"auth_id", "amount", "event_time"`), shared(`sum("n")`, `"event_time"`), duck.Quote(name)))
	if err != nil {
		return Variety{}, err
	}
	n := func(i int) int64 { return result.Rows[0][i].(int64) }
	return Variety{n(0), n(1), n(2), n(3), n(4), n(5)}, nil
}
