package bandjoin

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"ubik/internal/ubiktest/rawlog"
	"ubik/oracle/duck"
)

// Log is both topics in a database.
type Log struct {
	Auths, Settlements []Ledger // by partition

	db     *duck.DB
	topics [2]string
}

// Load makes tables of two topics in an empty database.
func Load(db *duck.DB, auths, settlements Source) (*Log, error) {
	l := &Log{db: db, topics: [2]string{auths.Topic, settlements.Topic}}
	for i, s := range []Source{auths, settlements} {
		table, ledgers := []string{"auths", "settlements"}[i], []*[]Ledger{&l.Auths, &l.Settlements}[i]
		if err := db.LoadRecords(table+"_log", s.Records); err != nil {
			return nil, err
		}
		for _, statement := range []string{rowSQL(table), judgedSQL(table, s.Delay), usedSQL(table)} {
			if err := db.Exec(statement); err != nil {
				return nil, err
			}
		}
		result, err := db.Query(ledgerSQL(table))
		if err != nil {
			return nil, err
		}
		*ledgers = make([]Ledger, s.Partitions)
		for _, r := range result.Rows {
			(*ledgers)[r[0].(int64)] = Ledger{Malformed: r[1].(int64), Late: r[2].(int64), Used: r[3].(int64), Read: r[4].(int64)}
		}
	}
	return l, nil
}

// Answer is what a query gives over a log.
type Answer struct {
	Rows []rawlog.Record // as the program must write them, in the order it must; the partition and the offset are left open
}

// Ask answers a query.
func (l *Log) Ask(q *Query) (*Answer, error) {
	result, err := l.db.Query(q.rowsSQL())
	if err != nil {
		return nil, err
	}
	a := &Answer{Rows: make([]rawlog.Record, len(result.Rows))}
	n := len(q.Columns)
	for i, row := range result.Rows {
		a.Rows[i] = rawlog.Record{
			Key: l.key(row[n+1:]), Value: q.value(row[:n]), TimestampMillis: time.UnixMicro(row[n].(int64)).UnixMilli(),
		}
	}
	return a, nil
}

// key names the records that a row is made of.
func (l *Log) key(places []any) []byte {
	var sides []string
	for i, alias := range []string{"a", "s"} {
		if part := places[2*i]; part != nil {
			sides = append(sides, fmt.Sprintf(`"%s":{"_topic":"%s","_partition":%d,"_offset":%d}`, alias, l.topics[i], part, places[2*i+1]))
		}
	}
	return []byte("{" + strings.Join(sides, ",") + "}")
}

// value writes a row's columns.
func (q *Query) value(row []any) []byte {
	var b strings.Builder
	sep := byte('{')
	for i, c := range q.Columns {
		b.WriteByte(sep)
		fmt.Fprintf(&b, "%q:%s", c.Name, jsonText(row[i]))
		sep = ','
	}
	return []byte(b.String() + "}")
}

// jsonText writes a value as the program does. Texts are those of the generator: nothing but quotes must be escaped in them.
func jsonText(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return `"` + strings.ReplaceAll(v, `"`, `\"`) + `"`
	case duckdb.Decimal:
		return duck.Decimal(v.Value, int(v.Scale))
	case int64:
		return strconv.FormatInt(v, 10)
	case time.Time:
		text := strings.TrimSuffix(v.UTC().Format("2006-01-02T15:04:05.000000"), "000")
		return `"` + strings.TrimSuffix(text, ".000") + `Z"`
	}
	panic(fmt.Sprintf("bandjoin: no form for %T", v))
}
