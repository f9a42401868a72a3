package scripts

import (
	"fmt"
	"strings"
	"time"

	"ubik/internal/sql"
	"ubik/internal/ubiktest/script"
	"ubik/internal/vec"
	"ubik/oracle/duck"
)

// Answer is what a query gives: the rows as a script has them, by lane, and the ledgers.
type Answer struct {
	Rows    []string
	Ledgers []Ledger
	// Refused says why there are no rows: an error in what is emitted.
	Refused error
}

// Ledger counts what became of the records of a partition. Places are −1 where there is none.
type Ledger struct {
	Read, Malformed, Filtered, Unwindowed, Late, Used, PartlyLate int64
	FirstMalformed, FirstLate, WorstLate                          int64 // positions
	FirstBehind, WorstBehind                                      vec.Time
}

// Ask loads the records of a case and answers its query. What an earlier call left in the database is replaced.
func Ask(db *duck.DB, c *script.Case) (*Answer, error) {
	for _, t := range []string{"raw", "row", "judged", "window", "class", "used"} {
		if err := db.Exec(`DROP TABLE IF EXISTS "scripts_` + t + `"`); err != nil {
			return nil, err
		}
	}
	q, err := take(db, c)
	if err != nil {
		return nil, err
	}
	// All is translated first, so that the fields it uses are known.
	where, at := "", ""
	if q.sel.Where != nil {
		where = q.t.expr(q.sel.Where)
	}
	switch {
	case q.window != nil:
		at = q.t.expr(q.window.Args[0])
	case q.src.Time != "": // declared, so each row has one
		at = q.t.column(&sql.ColumnRef{Parts: []sql.Ident{{Name: q.t.shown(q.src.Time)}}})
	}
	wanted := q.wanted()
	if q.t.err != nil {
		return nil, q.t.err
	}
	for _, step := range []func(*duck.DB) error{
		q.rawTable, q.rowTable,
		func(db *duck.DB) error { return q.judgedTable(db, at, where) },
		q.windowTable,
		func(db *duck.DB) error { return q.usedTable(db, wanted) },
	} {
		if err := step(db); err != nil {
			return nil, err
		}
	}
	a := &Answer{}
	if err := a.ledgers(db, len(q.parts)); err != nil {
		return nil, err
	}
	if q.agg {
		err = a.emitted(db, q)
	} else {
		err = a.rowByRow(db, q)
	}
	return a, err
}

// wanted are the expressions that a row computes when it is used: group keys, arguments and filters of aggregates, or
// the select list.
func (q *query) wanted() []string {
	var out []string
	if !q.agg {
		for _, it := range q.items {
			out = append(out, q.t.expr(it.expr))
		}
		return out
	}
	for _, g := range q.groups {
		out = append(out, q.t.expr(g.expr))
	}
	emitted := []sql.Expr{}
	for _, it := range q.items {
		emitted = append(emitted, it.expr)
	}
	if q.sel.Having != nil {
		emitted = append(emitted, q.sel.Having)
	}
	for _, x := range emitted {
		sql.WalkExprs(x, func(x sql.Expr) bool {
			c, ok := x.(*sql.Call)
			if !ok || !isAggregate(sql.FoldName(c.Name.Name)) {
				return true
			}
			for _, a := range c.Args {
				out = append(out, q.t.expr(a))
			}
			if c.Filter != nil {
				out = append(out, q.t.expr(c.Filter))
			}
			return false
		})
	}
	return out
}

func (a *Answer) ledgers(db *duck.DB, partitions int) error {
	a.Ledgers = make([]Ledger, partitions)
	for i := range a.Ledgers {
		a.Ledgers[i].FirstMalformed, a.Ledgers[i].FirstLate, a.Ledgers[i].WorstLate = -1, -1, -1
	}
	result, err := db.Query(`SELECT "__part", "__off", "__class", "__partly", epoch_us("__wm") - epoch_us("__time") FROM "scripts_class" ORDER BY "__part", "__off"`)
	if err != nil {
		return err
	}
	for _, r := range result.Rows {
		l, at := &a.Ledgers[r[0].(int64)], r[1].(int64)
		l.Read++
		switch r[2].(string) {
		case "malformed":
			l.Malformed++
			if l.FirstMalformed < 0 {
				l.FirstMalformed = at
			}
		case "filtered":
			l.Filtered++
		case "unwindowed":
			l.Unwindowed++
		case "late":
			l.Late++
			behind := vec.Time(r[4].(int64))
			if l.FirstLate < 0 {
				l.FirstLate, l.FirstBehind = at, behind
			}
			if l.WorstLate < 0 || behind > l.WorstBehind {
				l.WorstLate, l.WorstBehind = at, behind
			}
		case "used":
			l.Used++
			if r[3].(bool) {
				l.PartlyLate++
			}
		}
	}
	return nil
}

// String is the ledger as a script has it, but for the reason of the first malformed record.
func (l *Ledger) String() string {
	s := fmt.Sprintf("read %d", l.Read)
	for _, part := range []struct {
		n    int64
		what string
	}{{l.Malformed, "malformed"}, {l.Filtered, "filtered"}, {l.Unwindowed, "unwindowed"}, {l.Late, "late"}, {l.Used, "used"}, {l.PartlyLate, "partly late"}} {
		if part.n > 0 {
			s += fmt.Sprintf(", %s %d", part.what, part.n)
		}
	}
	if l.FirstMalformed >= 0 {
		s += fmt.Sprintf("\n  first malformed at %d", l.FirstMalformed)
	}
	if l.FirstLate >= 0 {
		s += fmt.Sprintf("\n  first late at %d by %s", l.FirstLate, l.FirstBehind.SpanText())
	}
	if l.WorstLate != l.FirstLate {
		s += fmt.Sprintf("\n  worst late at %d by %s", l.WorstLate, l.WorstBehind.SpanText())
	}
	return s
}

// Lines are the rows and ledgers as a script has them.
func (a *Answer) Lines() string {
	lines := append([]string(nil), a.Rows...)
	for i := range a.Ledgers {
		lines = append(lines, fmt.Sprintf("ledger %d: %s", i, &a.Ledgers[i]))
	}
	return strings.Join(lines, "\n")
}

func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

// rowByRow writes the rows of a query without an aggregate: a lane for each partition, keyed by position unless the
// case names columns.
func (a *Answer) rowByRow(db *duck.DB, q *query) error {
	columns := []string{`"r"."_topic"`, `"r"."_partition"`, `"r"."_offset"`, `"r"."__log_us"`}
	for _, it := range q.items {
		columns = append(columns, q.t.expr(it.expr))
	}
	t, err := tableOf(db, "SELECT "+strings.Join(columns, ", "), ` FROM "scripts_used" AS "r"`, ` ORDER BY "__part", "__off"`)
	if err != nil {
		return err
	}
	for _, r := range t.rows {
		key := object(pseudo[:3], r[:3])
		if q.c.Key != nil {
			key = q.namedKey(r[4:])
		}
		a.Rows = append(a.Rows, fmt.Sprintf("%s %s %s", key, object(namesOf(q.items), r[4:]), stamp(t.micros(r, 3)/1000)))
	}
	return nil
}

// emitted writes the rows of a query with aggregates, of the windows that are closed.
func (a *Answer) emitted(db *duck.DB, q *query) error {
	emission := translator{schema: q.t.schema, alias: q.t.alias, renamed: q.t.renamed, aggs: true, grouped: q.keys(), double: func(arg string) bool {
		return typeOf(db, arg, "scripts_used") == "DOUBLE"
	}}
	keys := []string{}
	if q.window != nil {
		keys = append(keys, `"r"."__end"`, `"r"."__start"`)
	}
	for i := range q.groups {
		keys = append(keys, fmt.Sprintf(`"r"."__g%d"`, i))
	}
	columns := append([]string(nil), keys...)
	for _, it := range q.items {
		columns = append(columns, emission.expr(it.expr))
	}
	rest := ` FROM "scripts_used" AS "r"` + a.closed(q)
	if len(keys) > 0 {
		rest += " GROUP BY " + strings.Join(keys, ", ")
	}
	if q.sel.Having != nil {
		rest += " HAVING " + emission.expr(q.sel.Having)
	}
	if emission.err != nil {
		return emission.err
	}
	order := ""
	if len(keys) > 0 {
		order = " ORDER BY "
		for i := range keys {
			order += fmt.Sprintf("%d NULLS LAST, ", i+1)
		}
		order = strings.TrimSuffix(order, ", ")
	}
	t, err := tableOf(db, "SELECT "+strings.Join(columns, ", "), rest, order)
	if err != nil {
		a.Refused = err
		return nil
	}
	for _, r := range t.rows {
		var names, values []string
		ms, from := int64(0), 0
		if q.window != nil {
			names, values, from = []string{q.start}, []string{r[1]}, 2
			ms = t.micros(r, 0)/1000 - 1
			if t.micros(r, 0)%1000 < 0 {
				ms--
			}
		}
		names, values = append(names, namesOf(q.groups)...), append(values, r[from:len(keys)]...)
		key := object(names, values)
		if q.c.Key != nil {
			key = q.namedKey(r[len(keys):])
		}
		a.Rows = append(a.Rows, fmt.Sprintf("%s %s %s", key, object(namesOf(q.items), r[len(keys):]), stamp(ms)))
	}
	return nil
}

// closed selects the rows of closed windows: all at the end of the log, else those that end at or before the least of
// the partitions' watermarks. A partition without a row that counts holds all open.
func (a *Answer) closed(q *query) string {
	if q.c.Bounded {
		return ""
	}
	if q.src.Delay == vec.Forever {
		return " WHERE false"
	}
	return fmt.Sprintf(` WHERE "r"."__end" <= (SELECT CASE WHEN count(top) = %d THEN min(top) - INTERVAL '%d microseconds' END
FROM (SELECT max(CASE WHEN "__counts" THEN "__time" END) AS top FROM "scripts_judged" GROUP BY "__part"))`, len(q.parts), q.src.Delay)
}

func namesOf(items []item) []string {
	var out []string
	for _, it := range items {
		out = append(out, it.name)
	}
	return out
}

// namedKey is the key of the columns that the case names.
func (q *query) namedKey(values []string) string {
	var names, parts []string
	for _, k := range q.c.Key {
		for i, it := range q.items {
			if sql.SameName(it.name, k) {
				names, parts = append(names, it.name), append(parts, values[i])
				break
			}
		}
	}
	return object(names, parts)
}
