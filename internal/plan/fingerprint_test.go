package plan

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ubik/internal/expr"
	"ubik/internal/vec"
)

const (
	schemaText = `merchant VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP, n INTEGER, made DATE, s STRUCT(a INTEGER, b INTEGER), "s.a" INTEGER, started TIMESTAMP`
	headline   = `SELECT merchant, TUMBLE(event_time, INTERVAL 1 MINUTE) AS window, count(*) AS n, sum(amount) AS total
		FROM txns WHERE amount > 0 GROUP BY merchant, TUMBLE(event_time, INTERVAL 1 MINUTE)`
)

// request asks for a query over a topic read to its end, so that every kind of query is allowed.
func request(t *testing.T, query string) Request {
	fields, err := Schema(schemaText)
	if err != nil {
		t.Fatal(err)
	}
	return Request{Query: query, Sources: []Source{{Name: "txns", Log: "kafka txns", Schema: fields, Format: "json", Bounded: true, Delay: -1}}}
}

func build(t *testing.T, r Request) *Plan {
	p, err := Build(r)
	if err != nil {
		t.Fatalf("%s\n%v", r.Query, err)
	}
	return p
}

func factsText(p *Plan) string {
	var b strings.Builder
	for _, f := range p.Facts {
		fmt.Fprintf(&b, "%s: %s\n", f.Name, f.Value)
	}
	return b.String()
}

// changed names the facts that differ, those that only one plan has included.
func changed(a, b *Plan) []string {
	before := map[string]string{}
	for _, f := range a.Facts {
		before[f.Name] = f.Value
	}
	var names []string
	for _, f := range b.Facts {
		if v, ok := before[f.Name]; !ok || v != f.Value {
			names = append(names, f.Name)
		}
		delete(before, f.Name)
	}
	for _, f := range a.Facts {
		if _, left := before[f.Name]; left {
			names = append(names, f.Name)
		}
	}
	return names
}

func TestTheFactsAreCanonical(t *testing.T) {
	const want = `semantics: 1
source: kafka txns as json
output: merchant VARCHAR, window TIMESTAMP, n BIGINT, total DECIMAL(38,2)
key: window, merchant
time column: event_time
delay: 5 seconds
WHERE: (amount > 0.00::DECIMAL(18,2))
expressions: merchant, amount
operator: AGGREGATE WINDOW TUMBLE(INTERVAL '00:01:00') BY merchant VARCHAR CALLS count(*) = count_star(), sum(amount) = sum(DECIMAL(18,2)) OF #1 SELECT merchant, window start, count(*), sum(amount) KEY window start, merchant
columns: amount DECIMAL(18,2), event_time TIMESTAMP, merchant VARCHAR
`
	if got := factsText(build(t, request(t, headline))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTheSameQuerySpelledDifferentlyHasTheSameFacts(t *testing.T) {
	want := factsText(build(t, request(t, headline)))
	for _, query := range []string{
		`select MERCHANT, tumble(EVENT_TIME, interval 1 minute) as window, COUNT(*) as n, SUM(Amount) as total from TXNS where AMOUNT > 0 group by Merchant, Tumble(Event_Time, Interval 1 Minute);`,
		`SELECT x.merchant, TUMBLE(x.event_time, INTERVAL 1 MINUTE) AS window, count(*) AS n, sum(x.amount) AS total FROM txns AS x WHERE x.amount > 0 GROUP BY x.merchant, window`,
		`SELECT merchant, TUMBLE(event_time, INTERVAL '1 minute') AS window, count(*) AS n, sum(amount) AS total FROM txns WHERE amount > 0 GROUP BY 1, 2`,
		`SELECT merchant, TUMBLE(event_time, INTERVAL '1' MINUTE) AS window, count(*) AS n, sum(amount) AS total FROM txns WHERE amount > 0 GROUP BY ALL`,
		`SELECT merchant, TUMBLE(event_time, INTERVAL 60 SECONDS) AS window, count(*) AS n, sum(amount) AS total FROM txns WHERE amount > 0 GROUP BY window, merchant`,
		`FROM txns SELECT "merchant", TUMBLE("event_time", INTERVAL 1 MINUTE) AS "window", count(*) AS n, sum(("amount")) AS total WHERE (((amount) > 0)) GROUP BY merchant, merchant, window, TUMBLE(event_time, INTERVAL '60 seconds')`,
		`SELECT /* who */ txns.merchant AS merchant, TUMBLE(event_time, INTERVAL 1 MINUTE) window, -- when
			count(*) n, sum(amount) total FROM txns WHERE amount > 0 GROUP BY merchant, window`,
	} {
		if got := factsText(build(t, request(t, query))); got != want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", query, got, want)
		}
	}
}

func TestWhatTheQueryDoesNotUseIsNoFact(t *testing.T) {
	want := factsText(build(t, request(t, headline)))
	for name, change := range map[string]func(s *Source){
		"a column more":             func(s *Source) { s.Schema = append(s.Schema, vec.Field{Name: "z", Type: vec.TypeOf(vec.Bool)}) },
		"columns declared reversed": func(s *Source) { slices.Reverse(s.Schema) },
		"another unused type":       func(s *Source) { s.Schema[3].Type = vec.TypeOf(vec.Int64) },
		"the default delay given":   func(s *Source) { s.Delay = DefaultDelay },
	} {
		r := request(t, headline)
		change(&r.Sources[0])
		if got := factsText(build(t, r)); got != want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", name, got, want)
		}
	}
	const plain = "SELECT merchant FROM txns"
	r := request(t, plain)
	r.Sources[0].Delay = 7
	if c := changed(build(t, request(t, plain)), build(t, r)); c != nil {
		t.Errorf("without a window the delay changes %q", c)
	}
}

func TestEveryChangeThatMattersIsNamedByAFact(t *testing.T) {
	from := func(a, b string) func(r *Request) {
		return func(r *Request) {
			if !strings.Contains(r.Query, a) {
				t.Fatalf("%q is not in %s", a, r.Query)
			}
			r.Query = strings.ReplaceAll(r.Query, a, b)
		}
	}
	source := func(f func(s *Source)) func(r *Request) {
		return func(r *Request) { f(&r.Sources[0]) }
	}
	type change struct {
		what string
		make func(r *Request)
		fact string // one that must differ
	}
	seen := map[string]string{}
	check := func(query string, changes []change) {
		base := build(t, request(t, query))
		for _, c := range append([]change{{"nothing", func(*Request) {}, ""}}, changes...) {
			r := request(t, query)
			c.make(&r)
			p := build(t, r)
			names := changed(base, p)
			if c.fact != "" && !slices.Contains(names, c.fact) {
				t.Errorf("%s: %s: the fact %q is as it was; changed are %q", query, c.what, c.fact, names)
			}
			if c.fact == "" && names != nil {
				t.Errorf("%s: nothing was changed, but %q differ", query, names)
			}
			text := factsText(p)
			if other, ok := seen[text]; ok {
				t.Errorf("%s and %s have the same facts", c.what, other)
			}
			seen[text] = c.what
		}
	}
	check(headline, []change{
		{"the log", source(func(s *Source) { s.Log = "kafka other" }), "source"},
		{"the format", source(func(s *Source) { s.Format = "csv" }), "source"},
		{"the type of a column", source(func(s *Source) { s.Schema[1].Type = vec.DecimalType(18, 3) }), "columns"},
		{"the spelling of a column, which is the member's name", source(func(s *Source) { s.Schema[0].Name = "Merchant" }), "columns"},
		{"the delay", source(func(s *Source) { s.Delay = 6e6 }), "delay"},
		{"no delay", source(func(s *Source) { s.Delay = 0 }), "delay"},
		{"an unlimited delay", source(func(s *Source) { s.Delay = vec.Forever }), "delay"},
		{"a file read to its end, whose delay is unlimited", source(func(s *Source) { s.File, s.Log = true, "file txns" }), "delay"},
		{"the time column", from("event_time", "started"), "time column"},
		{"the time column's expression", from("TUMBLE(event_time", "TUMBLE(event_time + INTERVAL 1 SECOND"), "time column"},
		{"WHERE", from("amount > 0", "amount >= 0"), "WHERE"},
		{"a constant of WHERE", from("amount > 0", "amount > 0.01"), "WHERE"},
		{"no WHERE", from("WHERE amount > 0", ""), "WHERE"},
		{"the group", from("merchant", "made"), "expressions"},
		{"an argument", from("sum(amount)", "sum(amount * 2)"), "expressions"},
		{"an aggregate", from("sum(amount)", "max(amount)"), "operator"},
		{"a filter", from("count(*)", "count(*) FILTER (WHERE n > 1)"), "expressions"},
		{"an aggregate filtered or not", from("count(*) AS n, sum(amount)", "count(*) AS n, sum(amount) FILTER (WHERE amount > 0)"), "operator"},
		{"the window's size", from("1 MINUTE", "2 MINUTES"), "operator"},
		{"the window's offset", from("INTERVAL 1 MINUTE", "INTERVAL 1 MINUTE, INTERVAL 1 SECOND"), "operator"},
		{"the window's kind", from("TUMBLE(event_time,", "HOP(event_time, INTERVAL 10 SECONDS,"), "operator"},
		{"the window's slide", from("TUMBLE(event_time,", "HOP(event_time, INTERVAL 20 SECONDS,"), "operator"},
		{"no window", func(r *Request) {
			r.Query = `SELECT merchant, count(*) AS n, sum(amount) AS total FROM txns WHERE amount > 0 GROUP BY merchant`
		}, "time column"},
		{"HAVING", from("WHERE amount > 0 GROUP BY merchant, TUMBLE(event_time, INTERVAL 1 MINUTE)", "WHERE amount > 0 GROUP BY ALL HAVING count(*) > 1"), "operator"},
		{"the order of the select list", from("count(*) AS n, sum(amount) AS total", "sum(amount) AS total, count(*) AS n"), "output"},
		{"which output has which value", from("count(*) AS n, sum(amount) AS total", "count(*) AS total, sum(amount) AS n"), "output"},
		{"an output's name", from("AS total", "AS sum"), "output"},
		{"an output's cast", from("count(*) AS n", "count(*)::INTEGER AS n"), "output"},
		{"the key", func(r *Request) { r.Key = []string{"merchant", "window"} }, "key"},
		{"the key's columns", func(r *Request) { r.Key = []string{"window", "merchant", "n"} }, "key"},
		{"the name of the window in the key", from("AS window", "AS w"), "key"},
	})
	check("SELECT merchant, s.a AS x FROM txns WHERE n > 1", []change{
		{"a name with a dot for a field", from("s.a", `"s.a"`), "expressions"},
		{"another field", from("s.a", "s.b"), "columns"},
		{"a pseudo-column", from("merchant", "_key AS merchant"), "expressions"},
		{"the key of a record", func(r *Request) {
			r.Query, r.Key = "SELECT merchant, s.a AS x, _partition, _offset FROM txns WHERE n > 1", []string{"_partition", "_offset"}
		}, "key"},
		{"an aggregate", func(r *Request) { r.Query = "SELECT merchant, min(s.a) AS x FROM txns WHERE n > 1 GROUP BY merchant" }, "operator"},
		{"a text for a number", func(r *Request) { r.Query = "SELECT merchant, '1' AS x FROM txns WHERE n > 1" }, "expressions"},
		{"a number for a text", func(r *Request) { r.Query = "SELECT merchant, 1 AS x FROM txns WHERE n > 1" }, "expressions"},
		{"a decimal for a number", func(r *Request) { r.Query = "SELECT merchant, 1.0 AS x FROM txns WHERE n > 1" }, "expressions"},
		{"NULL for a text of that name", func(r *Request) { r.Query = "SELECT merchant, 'NULL' AS x FROM txns WHERE n > 1" }, "expressions"},
		{"NULL", func(r *Request) { r.Query = "SELECT merchant, NULL AS x FROM txns WHERE n > 1" }, "expressions"},
		{"texts that a comma joins", func(r *Request) { r.Query = "SELECT merchant, 'a'', ''b' AS x FROM txns WHERE n > 1" }, "expressions"},
	})
}

// The text of the operator names columns, so a group that is named like a window's bound or like an aggregate must not
// be mistaken for it.
func TestAGroupIsToldFromTheWindowWhateverItsName(t *testing.T) {
	for name, other := range map[string]string{
		"window_start": "TUMBLE(event_time, INTERVAL 1 MINUTE)", "window_end": "TUMBLE_END(event_time, INTERVAL 1 MINUTE)",
		"window start": "TUMBLE(event_time, INTERVAL 1 MINUTE)", "max(started)": "max(started)",
	} {
		const query = `SELECT started AS "%s", TUMBLE(event_time, INTERVAL 1 MINUTE) AS w, %s AS a, %s AS b FROM txns GROUP BY started, TUMBLE(event_time, INTERVAL 1 MINUTE)`
		one := build(t, request(t, fmt.Sprintf(query, name, "started", other)))
		two := build(t, request(t, fmt.Sprintf(query, name, other, "started")))
		if a, b := factsText(one), factsText(two); a == b {
			t.Errorf("a group named %s: two queries have the same facts:\n%s", name, a)
		}
	}
}

// shape is what of a plan can be compared: expressions by text and type.
func shape(p *Plan) []any {
	in := &p.Inputs[0]
	out := []any{p.Sources[0].Columns, p.Sources[0].Pseudo, in.TimeName, in.Delay, in.Window, in.Keys, in.KeyCols, p.Output, p.Branches[0].Key}
	for _, e := range append([]expr.Expr{in.Time, in.Where}, in.Exprs...) {
		if e != nil {
			out = append(out, e.String(), e.Type())
		}
	}
	return out
}

func TestAPlanIsBuiltTheSameWayEveryTime(t *testing.T) {
	queries := []string{headline,
		`SELECT *, _key, _offset FROM txns WHERE n IN (3, 1, 2) OR merchant LIKE 'a%'`,
		`SELECT HOP(event_time, INTERVAL 1 MINUTE, INTERVAL 1 HOUR) AS w, upper(merchant) AS m, n % 7, count(*), sum(n) FILTER (WHERE amount > 1), avg(amount), min(made), max(s.a)
			FROM txns GROUP BY ALL HAVING sum(n) > 3 AND count(*) < 1000`,
	}
	for _, q := range queries {
		r := request(t, q)
		if strings.Contains(q, "*,") { // a STRUCT cannot be used as a whole
			r.Sources[0].Schema = r.Sources[0].Schema[:5]
		}
		first := build(t, r)
		for i := range 100 {
			p := build(t, r)
			if !reflect.DeepEqual(p.Facts, first.Facts) {
				t.Fatalf("%s\nbuild %d has other facts:\n%s\nthe first had\n%s", q, i, factsText(p), factsText(first))
			}
			if a, b := shape(first), shape(p); !reflect.DeepEqual(a, b) {
				t.Fatalf("%s\nbuild %d is\n%+v\nthe first was\n%+v", q, i, b, a)
			}
		}
	}
}

func TestTheDefaultDelayIsUnlimitedForFilesReadToTheirEnd(t *testing.T) {
	for _, c := range []struct {
		file, bounded bool
		given, want   vec.Time
	}{
		{true, true, -1, vec.Forever}, {true, false, -1, 5e6}, {false, true, -1, 5e6}, {false, false, -1, 5e6},
		{true, true, 0, 0}, {true, false, vec.Forever, vec.Forever}, {false, false, 7, 7},
	} {
		r := request(t, headline)
		s := &r.Sources[0]
		s.File, s.Bounded, s.Delay = c.file, c.bounded, c.given
		if got := build(t, r).Inputs[0].Delay; got != c.want {
			t.Errorf("file %v, read to its end %v, --delay %d: got %d µs, want %d", c.file, c.bounded, c.given, got, c.want)
		}
	}
}
