package bandjoin

import (
	"fmt"
	"strings"
	"time"

	"ubik/oracle/duck"
)

// A record becomes a row of a table in steps, so that a mismatch can be looked into at each of them:
//
//	source_0_log   the raw records of a source
//	source_0_row   the typed columns; "formed" tells those without a value of the wrong type
//	auths_judged   the watermark before the row, and "class": malformed, filtered, late or used
//	auths          the used rows
//
// the first two once for each source, the others for each reference.

// rowSQL reads the columns. A field is malformed when it is there, is not null, and has no value of its type. CASE nests the tests: DuckDB evaluates the
// parts of an AND for all rows, and its JSON functions raise errors on text that is no JSON.
func rowSQL(table string) string {
	return fmt.Sprintf(`
CREATE TABLE %[1]s_row AS
SELECT *,
       coalesce("json" IS NOT NULL
         AND (coalesce(json_type("json", '$.amount'), 'NULL') = 'NULL' OR "amount" IS NOT NULL)
         AND (coalesce(json_type("json", '$.event_time'), 'NULL') = 'NULL' OR json_type("json", '$.event_time') = 'VARCHAR' AND "event_time" IS NOT NULL), false) AS "formed"
FROM (SELECT "part", "off", "log_us", "json",
             json_extract_string("json", '$.auth_id') AS "auth_id",
             TRY_CAST(json_extract("json", '$.amount') AS DECIMAL(18,2)) AS "amount",
             TRY_CAST(json_extract_string("json", '$.event_time') AS TIMESTAMPTZ) AT TIME ZONE 'UTC' AS "event_time"
      FROM (SELECT "part", "off", "log_us", CASE WHEN json_valid("text") THEN CASE WHEN json_type("text") = 'OBJECT' THEN "text" END END AS "json"
            FROM (SELECT "part", "off", "log_us", TRY(decode("value")) AS "text" FROM %[1]s_log)))`, table)
}

// judgedSQL applies what a record is tested for, in order. The watermark is that which all well-formed rows before it in its partition make.
func (r *Reference) judgedSQL(table string) string {
	delay, where := "NULL::INTERVAL", "true"
	if r.Source.Delay != Unlimited {
		delay = intervalSQL(r.Source.Delay)
	}
	if r.Where != "" {
		where = r.Where
	}
	return fmt.Sprintf(`
CREATE TABLE %s AS
SELECT *, CASE WHEN NOT "ok" THEN 'malformed' WHEN NOT coalesce(%s, false) THEN 'filtered' WHEN %s THEN 'late' ELSE 'used' END AS "class"
FROM (SELECT *,
             max(CASE WHEN "ok" THEN "event_time" END)
               OVER (PARTITION BY "part" ORDER BY "off" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) - %s AS "wm"
      FROM (SELECT *, %s AS "ok" FROM %s_row))`, duck.Quote(r.Name+"_judged"), where, r.late(), delay, r.wellFormed(), table)
}

func (r *Reference) usedSQL() string {
	return fmt.Sprintf(`CREATE TABLE %s AS SELECT "part", "off", "log_us", "auth_id", "amount", "event_time" FROM %s WHERE "class" = 'used'`,
		duck.Quote(r.Name), duck.Quote(r.Name+"_judged"))
}

func (r *Reference) ledgerSQL() string {
	return fmt.Sprintf(`
SELECT "part", count(*) FILTER ("class" = 'malformed'), count(*) FILTER ("class" = 'filtered'), count(*) FILTER ("class" = 'late'),
       count(*) FILTER ("class" = 'used'), count(*)
FROM %s GROUP BY "part"`, duck.Quote(r.Name+"_judged"))
}

func intervalSQL(d time.Duration) string {
	return fmt.Sprintf("INTERVAL '%d microseconds'", d.Microseconds())
}

// placeColumns are those of one side's place: its partition and offset.
func placeColumns(alias, name string) []string {
	return []string{alias + `.part AS "` + name + `_part"`, alias + `.off AS "` + name + `_off"`}
}

// rowsSQL gives the rows in the order they leave: the query's columns, then the time of leaving in µs, then the places of both sides.
func (q *Query) rowsSQL() string {
	key := "a.auth_id"
	if q.OfAuth != "" {
		key = "CASE WHEN " + q.OfAuth + " THEN a.auth_id END" // beside the key it would make an outer join of DuckDB's one of nested loops
	}
	on := []string{
		key + " = s.auth_id",
		"s.event_time >= a.event_time + " + intervalSQL(q.Lo),
		"s.event_time <= a.event_time + " + intervalSQL(q.Hi),
	}
	if q.Residual != "" {
		on = append(on, q.Residual)
	}
	var columns []string
	for _, c := range q.Columns {
		name := duck.Quote(c.Name)
		if c.Text {
			name = "CAST(" + name + " AS VARCHAR)"
		}
		columns = append(columns, name)
	}
	var (
		pair  = "greatest(a.event_time, s.event_time)"
		left  = "greatest(a.event_time, a.event_time + " + intervalSQL(q.Hi) + ")"
		right = "greatest(s.event_time, s.event_time - " + intervalSQL(q.Lo) + ")"
		from  string
	)
	more := placeColumns("a", "l")
	switch q.Kind {
	case Semi:
		// EXISTS says which rows; the pairs they have in the join say when.
		inner := *q
		inner.Kind, inner.Columns = Inner, nil
		pairs := inner.statement(on, append(placeColumns("a", "l"), pair+` AS "t"`))
		from = fmt.Sprintf(`(%s) NATURAL JOIN (SELECT "l_part", "l_off", min("t") AS "t", NULL AS "r_part", NULL AS "r_off" FROM (%s) GROUP BY "l_part", "l_off")`,
			q.statement(on, more), pairs)
	case Anti:
		from = "(" + q.statement(on, append(more, left+` AS "t"`, `NULL AS "r_part"`, `NULL AS "r_off"`)) + ")"
	default:
		more = append(append(more, placeColumns("s", "r")...), `CASE WHEN s.part IS NULL THEN `+left+` WHEN a.part IS NULL THEN `+right+` ELSE `+pair+` END AS "t"`)
		from = "(" + q.statement(on, more) + ")"
	}
	return fmt.Sprintf(`SELECT %s, epoch_us("t"), "l_part", "l_off", "r_part", "r_off" FROM %s
ORDER BY "t", "l_part" NULLS LAST, "l_off" NULLS LAST, "r_part" NULLS LAST, "r_off" NULLS LAST`, strings.Join(columns, ", "), from)
}
