package bandjoin

import (
	"fmt"
	"time"

	"ubik/internal/ubiktest/rawlog"
	"ubik/oracle/duck"
)

// Source is a topic, or a file of lines, with what it holds.
type Source struct {
	Topic      string // or the path of the file
	File       bool   // one partition, which has no number
	Partitions int    // 0 … Partitions-1, those without records too
	Delay      time.Duration
	Records    []rawlog.Record // as a cold dump gives them
}

// Unlimited is the Delay under which nothing is late.
const Unlimited time.Duration = -1

// Reference is one mention of a source in a query, which judges the records by a rule of its own. It becomes a table in DuckDB with the records that it uses.
type Reference struct {
	Name   string // of the table; where positions are keys, its name in the query too
	Source *Source
	Rule   Rule
	Window time.Duration // ByWindow: of its TUMBLE
	Where  string        // a condition on its columns: the records that do not meet it are filtered; "" for none
}

// Rule says which records are late.
type Rule uint8

const (
	ByBand   Rule = iota // those whose time is before the watermark
	ByWindow             // those whose window is over by the watermark
	Never                // none, and the time may be null: the rows are those of the output, record by record
)

// late is the rule as a condition, which is NULL, and the record not late, where there is no watermark.
func (r *Reference) late() string {
	switch r.Rule {
	case ByWindow:
		return fmt.Sprintf(`time_bucket(%[1]s, "event_time") + %[1]s <= "wm"`, intervalSQL(r.Window))
	case Never:
		return "false"
	}
	return `"event_time" < "wm"`
}

// wellFormed is what a record must be, as a condition.
func (r *Reference) wellFormed() string {
	if r.Rule == Never {
		return `"formed"`
	}
	return `"formed" AND "event_time" IS NOT NULL`
}

// Log is all sources of a query in a database.
type Log struct {
	Ledgers [][]Ledger // by reference, by partition

	db   *duck.DB
	refs []Reference
}

// Load makes a table of each reference in an empty database.
func Load(db *duck.DB, refs ...Reference) (*Log, error) {
	l := &Log{db: db, refs: refs}
	rows := map[*Source]string{}
	for i := range refs {
		r := &refs[i]
		table, loaded := rows[r.Source]
		if !loaded {
			table = fmt.Sprintf("source_%d", len(rows))
			rows[r.Source] = table
			if err := db.LoadRecords(table+"_log", r.Source.Records); err != nil {
				return nil, err
			}
			if err := db.Exec(rowSQL(table)); err != nil {
				return nil, err
			}
		}
		ledgers, err := l.judge(r, table)
		if err != nil {
			return nil, err
		}
		l.Ledgers = append(l.Ledgers, ledgers)
	}
	return l, nil
}

// judge makes the table of a reference and counts.
func (l *Log) judge(r *Reference, table string) ([]Ledger, error) {
	for _, statement := range []string{r.judgedSQL(table), r.usedSQL()} {
		if err := l.db.Exec(statement); err != nil {
			return nil, err
		}
	}
	result, err := l.db.Query(r.ledgerSQL())
	if err != nil {
		return nil, err
	}
	ledgers := make([]Ledger, r.Source.Partitions)
	for _, row := range result.Rows {
		ledgers[row[0].(int64)] = Ledger{Malformed: row[1].(int64), Filtered: row[2].(int64), Late: row[3].(int64), Used: row[4].(int64), Read: row[5].(int64)}
	}
	return ledgers, nil
}

// AtBound counts the pairs of one id whose times lie exactly a bound apart, and a microsecond less and more.
func (l *Log) AtBound(from, to string, bound time.Duration) (less, at, more int64, err error) {
	result, err := l.db.Query(fmt.Sprintf(`
SELECT count(*) FILTER ("d" = -1), count(*) FILTER ("d" = 0), count(*) FILTER ("d" = 1)
FROM (SELECT epoch_us(b."event_time") - epoch_us(a."event_time") - %d AS "d" FROM %s a JOIN %s b USING ("auth_id"))`,
		bound.Microseconds(), duck.Quote(from), duck.Quote(to)))
	if err != nil {
		return 0, 0, 0, err
	}
	row := result.Rows[0]
	return row[0].(int64), row[1].(int64), row[2].(int64), nil
}
