package main

import (
	"errors"
	"fmt"
	"strings"

	"ubik/internal/plan"
	"ubik/internal/sql"
)

// joined plans a query over the sources that the examples of joins read. None of them has an end, but for plans, a file
// without times.
func joined(query string) (*plan.Plan, error) {
	r := plan.Request{Query: query}
	if strings.Contains(query, "plans") {
		fields, err := plan.Schema("id VARCHAR, fee DECIMAL(18,2)")
		if err != nil {
			return nil, err
		}
		r.Sources = append(r.Sources, plan.Source{Name: "plans", Log: "file plans", Schema: fields, Format: "csv", Delay: -1, File: true, Bounded: true})
	}
	for _, name := range []string{"auths", "settlements", "refunds"} {
		if !strings.Contains(query, name) {
			continue // a source that is not used is refused
		}
		fields, err := plan.Schema("id VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP, booked TIMESTAMP, wait INTERVAL")
		if err != nil {
			return nil, err
		}
		r.Sources = append(r.Sources, plan.Source{Name: name, Log: "kafka " + name, Schema: fields, Format: "json", Delay: -1})
	}
	return plan.Build(r)
}

// band is the condition of the examples: a settlement comes within ten minutes.
const band = "s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 10 MINUTE"

const joinExample = `SELECT a.id, a.amount AS authorised, s.amount AS settled
FROM auths a JOIN settlements s
  ON a.id = s.id
 AND ` + band

// kinds are the joins: how each is written, what its plan calls it, and what it gives.
var kinds = []struct{ from, kind, gives string }{
	{"auths a JOIN settlements s ON …", "INNER", "the pairs; INNER may be written"},
	{"auths a LEFT JOIN settlements s ON …", "LEFT", "the pairs, and the rows of a without a partner, with NULL for the columns of s; OUTER may be written"},
	{"auths a RIGHT JOIN settlements s ON …", "RIGHT", "the pairs, and the rows of s without a partner"},
	{"auths a FULL JOIN settlements s ON …", "FULL", "the pairs, and the rows of both sides without a partner"},
	{"auths a SEMI JOIN settlements s ON …", "SEMI", "the rows of a that have a partner, each once; columns of s cannot be named"},
	{"auths a ANTI JOIN settlements s ON …", "ANTI", "the rows of a that have none"},
	{"auths a WHERE EXISTS (SELECT 1 FROM settlements s WHERE …)", "SEMI", "the same as SEMI JOIN"},
	{"auths a WHERE NOT EXISTS (SELECT 1 FROM settlements s WHERE …)", "ANTI", "the same as ANTI JOIN"},
	{"auths a, settlements s WHERE …", "INNER", "the same as JOIN"},
	{"auths a JOIN settlements s USING (id) WHERE …", "INNER", "equal columns of one name, which is then one column; the band stands in WHERE"},
}

// bands are spellings of a band, and what of them s.event_time − a.event_time may be.
var bands = []struct {
	text   string
	lo, hi string // µs, as the plan's fact has them
	means  string
}{
	{band, "0", "600000000", "0 to 10 minutes"},
	{"s.event_time >= a.event_time AND s.event_time <= a.event_time + INTERVAL 10 MINUTE", "0", "600000000", "0 to 10 minutes"},
	{"a.event_time BETWEEN s.event_time - INTERVAL 10 MINUTE AND s.event_time", "0", "600000000", "0 to 10 minutes"},
	{"s.event_time - a.event_time BETWEEN INTERVAL 0 SECOND AND INTERVAL 600 SECOND", "0", "600000000", "0 to 10 minutes"},
	{"s.event_time - a.event_time BETWEEN '0 seconds' AND '10 minutes'", "0", "600000000", "0 to 10 minutes"},
	{"s.event_time BETWEEN a.event_time AND date_add(a.event_time, to_minutes(10))", "0", "600000000", "0 to 10 minutes"},
	{"s.event_time > a.event_time AND s.event_time < a.event_time + INTERVAL 10 MINUTE", "1", "599999999", "1 µs to 10 minutes less 1 µs"},
	{"s.event_time BETWEEN a.event_time - INTERVAL 1 DAY AND a.event_time - INTERVAL 1 HOUR", "-86400000000", "-3600000000", "a day to an hour before"},
	{"s.event_time BETWEEN a.event_time - INTERVAL 5 SECOND AND a.event_time + INTERVAL 1 HOUR", "-5000000", "3600000000", "5 seconds before to an hour after"},
	{"s.event_time = a.event_time", "0", "0", "nothing: equal times"},
}

// refusedJoins are conditions that are no keys and band, each refused for one thing.
var refusedJoins = []string{
	"SELECT 1 FROM auths a JOIN settlements s ON a.id = s.id",
	"SELECT 1 FROM auths a JOIN settlements s ON a.id = s.id AND s.event_time >= a.event_time",
	"SELECT 1 FROM auths a JOIN settlements s ON a.id = s.id AND s.event_time BETWEEN a.event_time AND a.event_time + a.wait",
	"SELECT 1 FROM auths a JOIN settlements s ON a.id = s.id AND s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 1 MONTH",
	"SELECT 1 FROM auths a JOIN settlements s ON a.id = s.id AND s.event_time BETWEEN a.event_time + INTERVAL 1 HOUR AND a.event_time",
	"SELECT 1 FROM auths a JOIN settlements s ON " + band,
	"SELECT 1 FROM auths a JOIN settlements s ON a.event_time = s.event_time",
	"SELECT 1 FROM auths a JOIN settlements s ON a.wait = s.wait AND " + band,
	"SELECT 1 FROM auths JOIN auths USING (id)",
	"SELECT 1 FROM auths a CROSS JOIN settlements s",
	"SELECT 1 FROM auths a WHERE a.amount > 9 OR EXISTS (SELECT 1 FROM settlements s WHERE s.id = a.id AND " + band + ")",
}

// trees are queries of several operators.
var trees = []struct{ query, about string }{
	{"SELECT a.id FROM auths a JOIN auths later ON a.id = later.id AND later.event_time > a.event_time AND later.event_time <= a.event_time + INTERVAL 1 MINUTE",
		"a source joined with itself, under two names. It is read once"},
	{"SELECT a.id FROM auths a JOIN settlements s ON a.id = s.id AND " + band + " LEFT JOIN refunds r ON r.id = s.id AND r.event_time BETWEEN s.event_time AND s.event_time + INTERVAL 1 DAY",
		"a chain: from left to right, or as parentheses say. Each join has an equality and a band of its own, between the new source and any one before"},
	{"SELECT a.id FROM auths a JOIN settlements s ON a.id = s.id AND " + band + " WHERE NOT EXISTS (SELECT 1 FROM refunds r WHERE r.id = a.id AND r.event_time BETWEEN s.event_time AND s.event_time + INTERVAL 1 DAY)",
		"EXISTS over a join"},
	{"SELECT TUMBLE(s.event_time, INTERVAL 1 HOUR) AS window, count(*) AS n FROM auths a JOIN settlements s ON a.id = s.id AND " + band + " GROUP BY window",
		"windows over a join"},
	{"SELECT TUMBLE(at, INTERVAL 1 DAY) AS day, max(n) AS most FROM (SELECT TUMBLE_END(event_time, INTERVAL 1 HOUR) - INTERVAL 1 MICROSECOND AS at, count(*) AS n FROM auths GROUP BY TUMBLE(event_time, INTERVAL 1 HOUR)) GROUP BY day",
		"windows over windows"},
	{"SELECT u.id FROM (SELECT id, event_time FROM auths UNION ALL SELECT id, booked FROM refunds) u JOIN settlements s ON u.id = s.id AND s.event_time BETWEEN u.event_time AND u.event_time + INTERVAL 10 MINUTE",
		"a side that is a subquery, here the rows of two sources"},
}

// refusedTrees are trees that are refused, but for their times.
var refusedTrees = []string{
	"SELECT a.id FROM auths a JOIN settlements s ON a.id = s.id AND " + band + " JOIN refunds r ON r.id = a.id",
	"SELECT id FROM auths WHERE EXISTS (SELECT id FROM settlements UNION ALL SELECT id FROM refunds)",
}

// unions are queries of several parts.
var unions = []struct{ query, about string }{
	{"SELECT id, amount FROM auths UNION ALL SELECT id, -amount FROM refunds", "the rows of both"},
	{"SELECT 'one' AS what, amount FROM auths WHERE amount > 1000 UNION ALL SELECT 'hour', sum(amount) FROM auths GROUP BY TUMBLE(event_time, INTERVAL 1 HOUR)", "two queries over one source, which is read once"},
	{"SELECT TUMBLE(at, INTERVAL 1 HOUR) AS window, sum(amount) AS total FROM (SELECT event_time AS at, amount FROM auths UNION ALL SELECT event_time, -amount FROM refunds) GROUP BY window", "one window over the rows of both"},
}

var refusedUnions = []string{
	"SELECT id, amount FROM auths UNION ALL SELECT id FROM refunds",
	"SELECT id, amount FROM auths UNION ALL SELECT id, event_time FROM refunds",
	"SELECT id FROM auths UNION SELECT id FROM refunds",
}

func joins(w *writer) {
	if _, err := joined(joinExample); err != nil {
		w.fail(err)
	}
	w.printf("## Joins\n\nA join pairs the rows of two tables whose keys are equal and whose times lie within a fixed distance of each other, the **band**:\n\n```\n%s\n```\n\n", joinExample)
	w.printf("| FROM | gives |\n|---|---|\n")
	for _, k := range kinds {
		condition := "a.id = s.id AND " + band
		if strings.Contains(k.from, "USING") {
			condition = band
		}
		if got := operatorOf(w, "SELECT a.amount FROM "+strings.Replace(k.from, "…", condition, 1)); !strings.HasPrefix(got, "BAND JOIN "+k.kind+" ") {
			w.fail(fmt.Errorf("%s is %s", k.from, got))
		}
		w.printf("| %s | %s |\n", cell(k.from), k.gives)
	}
	w.printf(`
- **Keys**: at least one equality of an expression of one side with one of the other. Several are joined by AND. A NULL equals nothing.
- **The band**: a bound on both sides for the distance of a time of one side from a time of the other: of TIMESTAMP, TIMESTAMP WITH TIME ZONE or DATE, a column or an expression. Both bounds belong to it.
- **Further conditions** apply where SQL says: in ON they decide which rows are partners, in WHERE they remove joined rows.

Equal bands are one plan, however they are spelled:

| condition | s.event_time − a.event_time |
|---|---|
`)
	for _, b := range bands {
		if got := operatorOf(w, "SELECT a.amount FROM auths a JOIN settlements s ON a.id = s.id AND "+b.text); !strings.Contains(got, " FROM "+b.lo+" TO "+b.hi+" ") {
			w.fail(fmt.Errorf("%s is %s", b.text, got))
		}
		w.printf("| %s | %s |\n", cell(b.text), b.means)
	}
	w.printf("\nRefused:\n\n")
	refusedOf(w, refusedJoins)
	timeless(w)
	w.printf("\n### Joins of joins, and windows over them\n\n")
	planned(w, trees)
	times(w)
	w.printf("Refused:\n\n")
	refusedOf(w, refusedTrees)
	w.printf("\n### UNION ALL\n\n")
	planned(w, unions)
	w.printf(`
Names are those of the first part. The types of a column are brought to a common one, as by CASE. Where whole queries are united, the number of the part stands in
[the keys and the names of the lanes](SEMANTICS.md#15-trees-of-operators), and --key cannot be given. Refused:

`)
	refusedOf(w, refusedUnions)
	w.printf("\n")
}

const timelessExample = `SELECT a.id, a.amount, p.fee
FROM auths a JOIN (SELECT *, TIMESTAMP '1600-01-01' AS since FROM plans) p
  ON a.id = p.id
 AND a.event_time BETWEEN p.since AND p.since + INTERVAL 292194 DAY`

// timeless says how a source without times is joined.
func timeless(w *writer) {
	p, err := joined(timelessExample)
	if err != nil {
		w.fail(err)
		return
	}
	text := p.Explain(plan.Surroundings{From: []plan.From{{Log: "kafka auths"}, {Log: "plans.csv"}}})
	const state = "every row, until p, whose delay is unlimited, has been read to the end"
	if !strings.Contains(text, state) {
		w.fail(fmt.Errorf("the state of %s is another:\n%s", timelessExample, text))
	}
	w.printf(`
### A side without times

A file of zones, plans or prices, in which no time stands, is given a constant one in a subquery, and a band from it that all times of the other side lie in:

%s

- **Completeness**: a row of a leaves when plans has been read to its end and the watermark of auths has passed the row's time, so it meets every row of plans, wherever in the file that is.
- **State**, as 'ubik explain' says it: %s. From then on rows of a are kept only for as long as their watermark needs, and
  all of plans is, until the band ends: it has to fit into memory.
- **A file that grows later**: a run reads plans to the end that it has at the first start. What is added then takes a new run, with a new checkpoint and an empty sink. Read on and on, with
  --follow or --keep-open, it would hold the join back, since a constant time never moves on: no row would leave. Give its rows the time from which they hold, and a band as
  long as they do; the records of a topic have one, `+"`_timestamp`"+`.
`, "```\n"+timelessExample+"\n```", state)
}

// planned lists queries that are planned while the page is written.
func planned(w *writer, list []struct{ query, about string }) {
	for _, t := range list {
		if _, err := joined(t.query); err != nil {
			w.fail(fmt.Errorf("%s: %w", t.query, err))
		}
		w.printf("- %s — %s.\n", code(t.query), t.about)
	}
}

// operatorOf is how the plan of a query calls its first operator.
func operatorOf(w *writer, query string) string {
	p, err := joined(query)
	if err != nil {
		w.fail(fmt.Errorf("%s: %w", query, err))
		return ""
	}
	for _, f := range p.Facts {
		if f.Name == "operator" {
			return f.Value
		}
	}
	w.fail(fmt.Errorf("%s has no operator", query))
	return ""
}

func refusedOf(w *writer, list []string) {
	for _, query := range list {
		_, err := joined(query)
		var e *sql.Error
		if !errors.As(err, &e) {
			w.fail(fmt.Errorf("%s: %v", query, err))
			continue
		}
		text := e.Msg
		if e.Hint != "" {
			text += "; " + e.Hint
		}
		w.printf("- %s — %s\n", code(query), text)
	}
}

// times is the table of the times by which joined rows come, asked of the planner.
func times(w *writer) {
	const lo, hi = "INTERVAL 5 MINUTE", "INTERVAL 10 MINUTE"
	const minute = 60_000_000
	columns := []string{"a.event_time", "s.event_time", "greatest(a.event_time, s.event_time)"}
	w.printf(`
A window or a band over the rows of an operator takes a time by which these come in order, since no row may be late there. Of a window that is its end less a microsecond. Of a join it is
one of the times that its band compares, or the greater of both; how long such a window waits beyond its end, that is how far this time can lie behind the join, is here for the band %s:

| | %s |
|---|---|---|---|
`, code("s.event_time BETWEEN a.event_time - "+lo+" AND a.event_time + "+hi), strings.Join(func() (out []string) {
		for _, c := range columns {
			out = append(out, code(c))
		}
		return out
	}(), " | "))
	for _, kind := range []string{"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN"} {
		var cells []string
		for _, c := range columns {
			query := "SELECT count(*) FROM auths a " + kind + " settlements s ON a.id = s.id AND s.event_time BETWEEN a.event_time - " + lo + " AND a.event_time + " + hi +
				" GROUP BY TUMBLE(" + c + ", INTERVAL 1 HOUR)"
			p, err := joined(query)
			var e *sql.Error
			switch {
			case err == nil && p.Stages[0].Behind%minute == 0:
				cells = append(cells, fmt.Sprintf("%d minutes", p.Stages[0].Behind/minute))
			case errors.As(err, &e) && strings.Contains(e.Msg, "can be NULL"):
				cells = append(cells, "refused: can be NULL")
			case errors.As(err, &e) && strings.Contains(e.Msg, "cannot be named"):
				cells = append(cells, "refused: not in its rows")
			default:
				w.fail(fmt.Errorf("%s: %v", query, err))
			}
		}
		w.printf("| %s | %s |\n", kind, strings.Join(cells, " | "))
	}
	w.printf("\n")
}
