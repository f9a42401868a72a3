package bandjoin

import (
	"fmt"
	"strings"
	"time"

	"ubik/oracle/headline"
)

// Schema is that of both sources.
const Schema = "auth_id VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP"

// Kind is the kind of a join.
type Kind string

const (
	Inner Kind = "JOIN"
	Left  Kind = "LEFT JOIN"
	Right Kind = "RIGHT JOIN"
	Full  Kind = "FULL JOIN"
	Semi  Kind = "EXISTS"
	Anti  Kind = "NOT EXISTS"
)

// oneSided tells of the kinds whose rows are those of auths alone.
func (k Kind) oneSided() bool { return k == Semi || k == Anti }

// Column is an output column.
type Column struct {
	Name string
	Expr string // over auths a and settlements s
	Text bool   // an interval: DuckDB's text of it is what is written
}

// Query joins the references auths, as a, and settlements, as s, by auth_id where s.event_time - a.event_time is of the band from Lo to Hi, both inclusive. It must name the amounts
// of both, since a record is malformed only by the columns that a query uses.
type Query struct {
	Kind     Kind
	Columns  []Column
	Band     string // as the program is asked: a condition that is the band, in one of its spellings
	Lo, Hi   time.Duration
	Residual string // a further condition of ON, a comparison of both sides; "" for none
	OfAuth   string // a further condition of ON on a alone; "" for none
}

// SQL is the query as the program is asked.
func (q *Query) SQL() string {
	on := []string{"a.auth_id = s.auth_id", q.Band}
	for _, c := range []string{q.Residual, q.OfAuth} {
		if c != "" {
			on = append(on, c)
		}
	}
	return q.statement(on, nil)
}

// statement writes the query with these conditions, and more columns behind its own.
func (q *Query) statement(on, more []string) string {
	var columns []string
	for _, c := range q.Columns {
		columns = append(columns, c.Expr+" AS "+c.Name)
	}
	list, condition := strings.Join(append(columns, more...), ", "), strings.Join(on, " AND ")
	if q.Kind.oneSided() {
		return fmt.Sprintf("SELECT %s FROM auths a WHERE %s (SELECT 1 FROM settlements s WHERE %s)", list, q.Kind, condition)
	}
	return fmt.Sprintf("SELECT %s FROM auths a %s settlements s ON %s", list, q.Kind, condition)
}

// Ledger counts what became of the records of one partition.
type Ledger = headline.Ledger
