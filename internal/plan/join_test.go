package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ubik/internal/codec"
	"ubik/internal/expr"
	"ubik/internal/op"
	"ubik/internal/vec"
)

const joinSelect = `SELECT a.auth_id, a.amount AS authorised, s.amount AS settled, s.event_time - a.event_time AS took FROM auths a `

func joinRequest(t *testing.T, query string) Request {
	t.Helper()
	source := func(name, schema string) Source {
		fields, err := Schema(schema)
		if err != nil {
			t.Fatal(err)
		}
		return Source{Name: name, Log: "kafka " + name, Schema: fields, Format: "json", Delay: -1}
	}
	return Request{Query: query, Sources: []Source{
		source("auths", "auth_id VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP, made DATE, n INTEGER, valid INTERVAL, zoned TIMESTAMP WITH TIME ZONE"),
		source("settlements", "auth_id VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP, made DATE, m BIGINT, zoned TIMESTAMP WITH TIME ZONE, booked TIMESTAMP"),
	}}
}

func joined(t *testing.T, query string) (*Plan, *op.BandJoin) {
	t.Helper()
	p := build(t, joinRequest(t, query))
	return p, p.Stages[0].Node.(*op.BandJoin)
}

// joinText is the parts of a plan that say what is joined to what.
func joinText(p *Plan) string {
	n := p.Stages[0].Node.(*op.BandJoin)
	var b strings.Builder
	part := func(name string, e expr.Expr) {
		if e != nil {
			fmt.Fprintf(&b, " %s %s", name, e)
		}
	}
	fmt.Fprintf(&b, "%s %d..%d", n.Kind, n.Lo, n.Hi)
	for i, in := range p.Inputs {
		var keys []string
		for _, k := range in.Exprs[:in.Keys] {
			keys = append(keys, k.String())
		}
		fmt.Fprintf(&b, " | %s: %s BY %s", p.Inputs[i].Alias, in.Time, strings.Join(keys, ", "))
		part("WHERE", in.Where)
	}
	b.WriteString(" |")
	part("PAIR", n.Residual)
	part("AFTER", n.Where)
	return b.String()
}

func TestAJoinPlansOneInputForEachSource(t *testing.T) {
	p, n := joined(t, joinSelect+`JOIN settlements s ON a.n = s.m AND a.auth_id = s.auth_id
		AND s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 10 MINUTE AND s.amount <= a.amount`)
	if got := strings.Join([]string{p.Inputs[0].Alias, p.Inputs[1].Alias, p.Sources[0].Name, p.Sources[1].Name}, " "); got != "a s auths settlements" {
		t.Errorf("the sources are %s", got)
	}
	for i, want := range []string{"[CAST(n AS BIGINT) auth_id auth_id amount event_time]", "[m auth_id amount event_time]"} {
		in := p.Inputs[i]
		if got := fmt.Sprint(in.Exprs); got != want || in.Keys != 2 || in.Source != i || !in.Strict || in.Window != nil || in.Delay != DefaultDelay {
			t.Errorf("input %d hands on %s, want %s; it is %+v", i, got, want, in)
		}
		for k, c := range in.Exprs[2:] {
			if !c.Type().Equal(n.Columns[i][k]) {
				t.Errorf("input %d: column %d is %s, the operator has %s", i, k, c.Type(), n.Columns[i][k])
			}
		}
	}
	// Left then right columns, each where the operator reads it.
	all := append(slices.Clone(p.Inputs[0].Exprs[2:]), p.Inputs[1].Exprs[2:]...)
	for _, e := range append(slices.Clone(n.Select), n.Residual) {
		each(e, func(c *expr.Column) {
			if _, name, _ := strings.Cut(c.Name, "."); all[c.Index].String() != name || !all[c.Index].Type().Equal(c.T) {
				t.Errorf("%s reads %s as %s", e, all[c.Index], c.Name)
			}
		})
	}
	var types []string
	for _, f := range p.Output {
		types = append(types, f.Name+" "+f.Type.String())
	}
	if got, want := strings.Join(types, ", "), "auth_id VARCHAR, authorised DECIMAL(18,2), settled DECIMAL(18,2), took INTERVAL"; got != want {
		t.Errorf("the output is %s, want %s", got, want)
	}
}

func TestTheFactsOfAJoinNameItsSources(t *testing.T) {
	r := joinRequest(t, `SELECT a.auth_id AS id, s._offset AS at FROM auths a LEFT JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 10 MINUTE WHERE a.n > 1`)
	r.Sources[1].Delay = vec.Forever
	p := build(t, r)
	want := `semantics: 1
source of a: kafka auths as json
source of s: kafka settlements as json
output: id VARCHAR, at BIGINT
key: position
time column of a: event_time
delay of a: 5 seconds
time column of s: event_time
delay of s: unlimited
WHERE of a: (n > 1)
WHERE of s: none
expressions of a: auth_id, auth_id
expressions of s: auth_id, _offset
operator: ` + p.Stages[0].Node.Describe() + `
columns of a: auth_id VARCHAR, event_time TIMESTAMP, n INTEGER
columns of s: auth_id VARCHAR, event_time TIMESTAMP
`
	if got := factsText(p); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestEverySpellingOfABandIsTheSamePlan(t *testing.T) {
	for want, spellings := range map[string][]string{
		"0..600000000": {
			"s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 10 MINUTE",
			"s.event_time BETWEEN a.event_time AND INTERVAL '10 minutes' + a.event_time",
			"s.event_time >= a.event_time AND s.event_time <= a.event_time + INTERVAL 600 SECOND",
			"a.event_time <= s.event_time AND a.event_time >= s.event_time - INTERVAL 10 MINUTE",
			"a.event_time BETWEEN s.event_time - INTERVAL 10 MINUTE AND s.event_time",
			"s.event_time - a.event_time BETWEEN INTERVAL 0 SECOND AND INTERVAL 10 MINUTE",
			"a.event_time - s.event_time BETWEEN -INTERVAL 10 MINUTE AND INTERVAL 0 DAY",
			"s.event_time > a.event_time - INTERVAL 1 MICROSECOND AND s.event_time < a.event_time + INTERVAL '10 minutes 1 us'",
			"INTERVAL 10 MINUTE >= s.event_time - a.event_time AND INTERVAL 0 MINUTE <= s.event_time - a.event_time",
			"NOT (s.event_time < a.event_time OR s.event_time > a.event_time + INTERVAL 10 MINUTE)",
			"NOT (s.event_time NOT BETWEEN a.event_time AND a.event_time + INTERVAL (10) MINUTE)",
			"NOT NOT s.event_time >= a.event_time AND NOT a.event_time + to_minutes(10) < s.event_time",
			"s.event_time + INTERVAL 1 HOUR BETWEEN a.event_time + INTERVAL 1 HOUR AND a.event_time + INTERVAL 70 MINUTE",
			"s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 5 MINUTE * 2",
			"(s.event_time - a.event_time) + INTERVAL 1 DAY BETWEEN INTERVAL 24 HOUR AND INTERVAL '1 day 10 minutes'",
			"s.event_time BETWEEN a.event_time - INTERVAL 1 DAY AND a.event_time + INTERVAL 10 MINUTE AND s.event_time >= a.event_time AND s.event_time < a.event_time + (INTERVAL 1 YEAR - INTERVAL 1 YEAR) + INTERVAL 1 DAY",
			"s.event_time::TIMESTAMP BETWEEN CAST(a.event_time AS TIMESTAMP) AND a.event_time + INTERVAL 10 MINUTE",
			"s.event_time - TIMESTAMP '2020-01-01' BETWEEN a.event_time - TIMESTAMP '2020-01-01' AND a.event_time - TIMESTAMP '2019-12-31 23:50:00'",
			"s.event_time - a.event_time BETWEEN '0 seconds' AND '10 minutes'",
			"s.event_time BETWEEN a.event_time AND date_add(a.event_time, INTERVAL 10 MINUTE)",
			"date_add(s.event_time, -to_minutes(10)) <= a.event_time AND s.event_time >= date_add(a.event_time, least(INTERVAL 0 DAYS, INTERVAL 1 DAY))",
			"s.event_time AT TIME ZONE 'UTC' BETWEEN a.event_time AND a.event_time AT TIME ZONE 'UTC' + to_seconds(length('x') * 600)",
			"SETTLEMENTS.EVENT_TIME BETWEEN A.Event_Time AND a.event_time + INTERVAL 10 MINUTE",
		},
		"-7200000000..-1": {
			"s.event_time >= a.event_time - INTERVAL 2 HOUR AND s.event_time < a.event_time",
			"a.event_time - s.event_time <= INTERVAL 2 HOUR AND a.event_time > s.event_time",
		},
		"3600000001..1209600000000": {
			"s.event_time - INTERVAL 1 HOUR > a.event_time AND s.event_time <= a.event_time + INTERVAL 2 WEEK",
		},
		"0..0": {
			"s.event_time = a.event_time",
			"a.event_time - s.event_time = INTERVAL 0 SECOND",
			"s.event_time BETWEEN a.event_time AND a.event_time",
		},
	} {
		first := ""
		for _, on := range spellings {
			on = strings.ReplaceAll(on, "SETTLEMENTS.", "S.")
			p, n := joined(t, joinSelect+"JOIN settlements s ON a.auth_id = s.auth_id AND "+on)
			if got := fmt.Sprintf("%d..%d", n.Lo, n.Hi); got != want {
				t.Errorf("%s\nis the band %s, want %s", on, got, want)
			}
			if text := factsText(p); first == "" {
				first = text
			} else if text != first {
				t.Errorf("%s\ngives the facts\n%s\nwant\n%s", on, text, first)
			}
		}
	}
}

func TestABandIsOfAnyTimes(t *testing.T) {
	for on, want := range map[string]string{
		"s.made BETWEEN a.made AND a.made + 3":                                                       "INNER 0..259200000000 | a: CAST(made AS TIMESTAMP) BY auth_id | s: CAST(made AS TIMESTAMP) BY auth_id |",
		"s.made - a.made BETWEEN -1 AND 1":                                                           "INNER -86400000000..86400000000 | a: CAST(made AS TIMESTAMP) BY auth_id | s: CAST(made AS TIMESTAMP) BY auth_id |",
		"s.zoned BETWEEN a.made AND a.made + INTERVAL 1 DAY":                                         "INNER 0..86400000000 | a: CAST(made AS TIMESTAMP) BY auth_id | s: CAST(zoned AS TIMESTAMP) BY auth_id |",
		"s.event_time >= a.zoned AND s.event_time::TIMESTAMPTZ <= a.zoned":                           "INNER 0..0 | a: CAST(zoned AS TIMESTAMP) BY auth_id | s: event_time BY auth_id |",
		"to_timestamp(s.m) BETWEEN a.event_time AND a.event_time + INTERVAL 1 SECOND":                "INNER 0..1000000 | a: event_time BY auth_id | s: CAST(to_timestamp(CAST(m AS DOUBLE)) AS TIMESTAMP) BY auth_id |",
		"s._timestamp BETWEEN a._timestamp AND a._timestamp + INTERVAL 1 SECOND":                     "INNER 0..1000000 | a: _timestamp BY auth_id | s: _timestamp BY auth_id |",
		"a.made = s.made AND s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 1 SECOND": "INNER 0..1000000 | a: event_time BY auth_id, made | s: event_time BY auth_id, made |",
		"s.booked >= a.event_time AND s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 1 SECOND": "INNER 0..1000000 | a: event_time BY auth_id | s: event_time BY auth_id |" +
			" PAIR (s.booked >= a.event_time)",
		"s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 1 HOUR AND s.event_time <= a.event_time + a.valid AND s.event_time < a.event_time + INTERVAL 1 MONTH": "INNER 0..3600000000 | a: event_time BY auth_id | s: event_time BY auth_id |" +
			" PAIR ((s.event_time <= (a.event_time + a.valid)) AND (s.event_time < (a.event_time + '1 month'::INTERVAL)))",
	} {
		p, _ := joined(t, joinSelect+"JOIN settlements s ON a.auth_id = s.auth_id AND "+on)
		if got := joinText(p); got != want {
			t.Errorf("%s\nis  %s\nwant %s", on, got, want)
		}
	}
}

func TestConditionsApplyWhereSQLSays(t *testing.T) {
	const on = "a.auth_id = s.auth_id AND s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 1 SECOND AND a.n > 1 AND s.m > 2 AND a.n < s.m"
	const a, s = " | a: event_time BY auth_id", " | s: event_time BY auth_id"
	for query, want := range map[string]string{
		"FROM auths a JOIN settlements s ON " + on + " WHERE a.n > 3 AND s.m > 4 AND a.n <> s.m": "INNER 0..1000000" + a + " WHERE ((n > 1) AND (n > 3))" + s +
			" WHERE ((m > 2::BIGINT) AND (m > 4::BIGINT)) | PAIR ((CAST(a.n AS BIGINT) < s.m) AND (CAST(a.n AS BIGINT) <> s.m))",
		"FROM auths a JOIN settlements s ON " + on + " AND FALSE AND s.m > 9 AND a.n = s.m WHERE a.n > 3 AND s.m > 4": "INNER 0..1000000 | a: event_time BY auth_id, NULL::BIGINT WHERE (n > 1) | s: event_time BY auth_id, NULL::BIGINT" +
			" WHERE (m > 2::BIGINT) | PAIR ((CAST(a.n AS BIGINT) < s.m) AND FALSE)",
		"FROM auths a LEFT JOIN settlements s ON " + on + " AND NULL AND s.m > 9 WHERE a.n > 3": "LEFT 0..1000000" + a + " WHERE (n > 3)" + s +
			" WHERE (m > 2::BIGINT) | PAIR ((a.n > 1) AND (CAST(a.n AS BIGINT) < s.m) AND NULL::BOOLEAN)",
		"FROM auths a, settlements s WHERE " + on:           "INNER 0..1000000" + a + " WHERE (n > 1)" + s + " WHERE (m > 2::BIGINT) | PAIR (CAST(a.n AS BIGINT) < s.m)",
		"FROM auths a CROSS JOIN settlements s WHERE " + on: "INNER 0..1000000" + a + " WHERE (n > 1)" + s + " WHERE (m > 2::BIGINT) | PAIR (CAST(a.n AS BIGINT) < s.m)",
		"FROM auths a LEFT JOIN settlements s ON " + on + " WHERE a.n > 3 AND s.m > 4 AND s.auth_id IS NULL AND a.n <> s.m": "LEFT 0..1000000" + a + " WHERE (n > 3)" + s +
			" WHERE (m > 2::BIGINT) | PAIR ((a.n > 1) AND (CAST(a.n AS BIGINT) < s.m)) AFTER ((s.m > 4::BIGINT) AND (s.auth_id IS NULL) AND (CAST(a.n AS BIGINT) <> s.m))",
		"FROM auths a RIGHT JOIN settlements s ON " + on + " WHERE a.n > 3 AND s.m > 4": "RIGHT 0..1000000" + a + " WHERE (n > 1)" + s +
			" WHERE (m > 4::BIGINT) | PAIR ((s.m > 2::BIGINT) AND (CAST(a.n AS BIGINT) < s.m)) AFTER (a.n > 3)",
		"FROM auths a FULL OUTER JOIN settlements s ON " + on + " WHERE a.n > 3 AND s.m > 4": "FULL 0..1000000" + a + s +
			" | PAIR ((a.n > 1) AND (s.m > 2::BIGINT) AND (CAST(a.n AS BIGINT) < s.m)) AFTER ((a.n > 3) AND (s.m > 4::BIGINT))",
		"FROM auths a SEMI JOIN settlements s ON " + on + " WHERE a.n > 3":                     "SEMI 0..1000000" + a + " WHERE ((n > 1) AND (n > 3))" + s + " WHERE (m > 2::BIGINT) | PAIR (CAST(a.n AS BIGINT) < s.m)",
		"FROM auths a ANTI JOIN settlements s ON " + on + " WHERE a.n > 3":                     "ANTI 0..1000000" + a + " WHERE (n > 3)" + s + " WHERE (m > 2::BIGINT) | PAIR ((a.n > 1) AND (CAST(a.n AS BIGINT) < s.m))",
		"FROM auths a WHERE a.n > 3 AND EXISTS (SELECT 1 FROM settlements s WHERE " + on + ")": "SEMI 0..1000000" + a + " WHERE ((n > 1) AND (n > 3))" + s + " WHERE (m > 2::BIGINT) | PAIR (CAST(a.n AS BIGINT) < s.m)",
		"FROM auths a WHERE NOT EXISTS (SELECT s.booked, * FROM settlements s WHERE " + on + ") AND n > 3": "ANTI 0..1000000" + a + " WHERE (n > 3)" + s +
			" WHERE (m > 2::BIGINT) | PAIR ((a.n > 1) AND (CAST(a.n AS BIGINT) < s.m))",
	} {
		query = "SELECT a.amount " + query
		p, _ := joined(t, query)
		if got := joinText(p); got != want {
			t.Errorf("%s\nis   %s\nwant %s", query, got, want)
		}
		// What is named anywhere is read, and a record where it is wrong is malformed.
		booked := slices.ContainsFunc(p.Sources[1].Columns, func(c codec.Column) bool { return c.Path[0] == "booked" })
		if booked != strings.Contains(query, "booked") {
			t.Errorf("%s\nbooked is read: %v", query, booked)
		}
	}
}

// A name without a table is looked for inside EXISTS first.
func TestNamesInExistsAreThoseOfItsOwnSourceFirst(t *testing.T) {
	p, _ := joined(t, `SELECT amount FROM auths WHERE EXISTS (SELECT booked FROM settlements
		WHERE auth_id = auths.auth_id AND event_time BETWEEN auths.event_time AND auths.event_time + INTERVAL 1 SECOND AND m > 1 AND n > 2 AND amount > auths.amount)`)
	want := "SEMI 0..1000000 | auths: event_time BY auth_id WHERE (n > 2) | settlements: event_time BY auth_id WHERE (m > 1::BIGINT) | PAIR (settlements.amount > auths.amount)"
	if got := joinText(p); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestUsingGivesAColumnOnce(t *testing.T) {
	const band = " WHERE s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 1 SECOND"
	names := func(p *Plan) string {
		var out []string
		for _, f := range p.Output {
			out = append(out, f.Name)
		}
		return strings.Join(out, " ")
	}
	build := func(query string) (*Plan, *op.BandJoin) {
		r := joinRequest(t, query)
		r.Sources[0].Schema = append(r.Sources[0].Schema[:1:1], r.Sources[0].Schema[2:5]...) // auth_id, event_time, made, n
		r.Sources[1].Schema = append(r.Sources[1].Schema[4:5:5], r.Sources[1].Schema[:4]...) // m, auth_id, amount, event_time, made
		r.Sources[0].Schema[2].Type, r.Sources[1].Schema[4].Type = vec.TypeOf(vec.Varchar), vec.TypeOf(vec.Varchar)
		p := build(t, r)
		return p, p.Stages[0].Node.(*op.BandJoin)
	}
	p, n := build("SELECT * FROM auths a JOIN settlements s USING (auth_id, event_time, made)")
	if got, want := names(p), "auth_id event_time made n m amount"; got != want || n.Lo != 0 || n.Hi != 0 || n.Keys != 2 {
		t.Errorf("the output is %s, want %s; %d keys, band %d..%d", got, want, n.Keys, n.Lo, n.Hi)
	}
	for kind, want := range map[string]string{
		"": "[a.auth_id a.event_time]", "LEFT": "[a.auth_id a.event_time]", "RIGHT": "[s.auth_id s.event_time]", "SEMI": "[a.auth_id a.event_time]",
		"FULL": "[coalesce(a.auth_id, s.auth_id) coalesce(a.event_time, s.event_time)]",
	} {
		p, n := build("SELECT Auth_ID, event_time FROM auths a " + kind + " JOIN settlements s USING (auth_id, event_time)")
		if got := fmt.Sprint(n.Select); got != want || names(p) != "auth_id event_time" {
			t.Errorf("%s JOIN: the columns are %s named %s, want %s", kind, got, names(p), want)
		}
	}
	p, _ = build("SELECT s.*, a.n FROM auths a JOIN settlements s USING (auth_id)" + band)
	if got, want := names(p), "m auth_id amount event_time made n"; got != want {
		t.Errorf("the output is %s, want %s", got, want)
	}
}

func TestAKeyOfAJoinNamesThePositionsOfBothSources(t *testing.T) {
	const pair = "JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time = a.event_time"
	r := joinRequest(t, "SELECT a._partition AS p, a._offset AS o, s._partition AS q, s._offset AS u, a.n FROM auths a "+pair)
	r.Key = strings.Split("u,q,o,p", ",")
	p := build(t, r)
	n := p.Stages[0].Node.(*op.BandJoin)
	if got := fmt.Sprint(n.OutKey); got != "[s._offset s._partition a._offset a._partition]" || len(p.Branches[0].Key) != 4 || p.Branches[0].Key[0].Name != "u" {
		t.Errorf("the key is %s, its columns %v", got, p.Branches[0].Key)
	}
	r.Key = []string{"p", "o", "u", "n"}
	_, err := Build(r)
	const want = "--key p,o,u,n: two rows could have the same key, so the result would depend on the order of writing; a join is keyed by the positions of its records (leave --key away, or name a._partition, a._offset, s._partition, s._offset among the columns)"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	r = joinRequest(t, "SELECT _topic, _offset FROM auths a SEMI "+pair)
	r.Key = []string{"_topic", "_offset"}
	r.Sources[0].File = true
	if p := build(t, r); len(p.Branches[0].Key) != 2 {
		t.Errorf("a semi-join's key is %v", p.Branches[0].Key)
	}
}

func TestAPlanOfAJoinIsBuiltTheSameWayEveryTime(t *testing.T) {
	query := "SELECT a.n, s.m, s._offset, a._key, upper(a.auth_id) AS id FROM auths a FULL JOIN settlements s ON a.n + 1 = s.m AND s.auth_id = a.auth_id AND s.event_time - a.event_time BETWEEN INTERVAL 1 SECOND AND INTERVAL 2 SECOND AND a.made < s.made"
	first, _ := joined(t, query)
	for range 50 {
		p, _ := joined(t, query)
		if a, b := fmt.Sprint(first.Facts, first.Sources[0].Columns, first.Sources[1].Columns, first.Sources[1].Pseudo), fmt.Sprint(p.Facts, p.Sources[0].Columns, p.Sources[1].Columns, p.Sources[1].Pseudo); a != b {
			t.Fatalf("got\n%s\nthe first was\n%s", b, a)
		}
	}
}
