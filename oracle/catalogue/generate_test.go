package catalogue

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"ubik/internal/expr"
	"ubik/internal/vec"
)

// template is a way to write an expression. What stands in braces is replaced: the name of a sort by an expression of
// it; num, at and any by one of a number, of a DATE or TIMESTAMP, of any sort; same by one of a sort that is chosen once a
// template; the name of a word list by a word of it.
type template struct {
	of   sort
	text string
}

// operators are the templates of what is no function of the catalogue.
var operators = []template{
	{boolean, "({num} {compare} {num})"}, {boolean, "({num} {compare} {num})"}, {boolean, "({text} {compare} {text})"}, {boolean, "({at} {compare} {at})"}, {boolean, "({spans} {compare} {spans})"},
	{boolean, "({time} {compare} {time})"}, {boolean, "({bool} {compare} {bool})"},
	{boolean, "({bool} AND {bool})"}, {boolean, "({bool} OR {bool} OR {bool})"}, {boolean, "(NOT {bool})"},
	{boolean, "({any} IS NULL)"}, {boolean, "({any} IS NOT NULL)"}, {boolean, "({bool} IS TRUE)"}, {boolean, "({bool} IS NOT FALSE)"},
	{boolean, "({same} IS DISTINCT FROM {same})"}, {boolean, "({same} IS NOT DISTINCT FROM {same})"}, {boolean, "({num} IN ({num}, {num}, NULL))"}, {boolean, "({same} NOT IN ({same}, {same}))"},
	{boolean, "({same} BETWEEN {same} AND {same})"}, {boolean, "({same} NOT BETWEEN {same} AND {same})"},
	{boolean, "({text} LIKE {text})"}, {boolean, "({text} LIKE {like})"}, {boolean, "({text} NOT LIKE {like})"}, {boolean, "({text} ILIKE {like})"}, {boolean, "({text} LIKE {escaped} ESCAPE '$')"},
	{boolean, "CAST({num} AS BOOLEAN)"}, {boolean, "TRY_CAST({own} AS BOOLEAN)"}, {boolean, "({at} > '2020-02-29')"}, {boolean, "({num} = '1')"},
	{integer, "({int} {arithmetic} {int})"}, {integer, "({int} // {int})"}, {integer, "(-{int})"}, {integer, "({date} - {date})"},
	{integer, "CAST({num} AS {integers})"}, {integer, "TRY_CAST({number} AS {integers})"}, {integer, "TRY_CAST({own} AS {integers})"}, {integer, "CAST({bool} AS {integers})"},
	{decimal, "({dec} {arithmetic} {dec})"}, {decimal, "({int} {arithmetic} {dec})"}, {decimal, "({dec} {arithmetic} {int})"}, {decimal, "(-{dec})"},
	{decimal, "CAST({num} AS {decimals})"}, {decimal, "TRY_CAST({number} AS {decimals})"}, {decimal, "TRY_CAST({own} AS {decimals})"}, {decimal, "CAST({bool} AS {decimals})"},
	{double, "({num} / {num})"}, {double, "({double} {arithmetic} {num})"}, {double, "({num} {arithmetic} {double})"}, {double, "(-{double})"}, {double, "CAST({num} AS DOUBLE)"}, {double, "TRY_CAST({own} AS DOUBLE)"},
	{varchar, "({text} || {text})"}, {varchar, "CAST({any} AS VARCHAR)"}, {varchar, "({text} || {int}::VARCHAR)"},
	{timestamp, "({ts} + {iv})"}, {timestamp, "({ts} - {iv})"}, {timestamp, "({date} + {iv})"}, {timestamp, "({date} - {iv})"}, {timestamp, "CAST({date} AS TIMESTAMP)"}, {timestamp, "CAST({tz} AS TIMESTAMP)"},
	{timestamp, "TRY_CAST({own} AS TIMESTAMP)"}, {timestamp, "({tz} AT TIME ZONE 'UTC')"},
	{zoned, "({tz} + {plain})"}, {zoned, "({tz} - {plain})"}, {zoned, "CAST({ts} AS TIMESTAMPTZ)"}, {zoned, "CAST({date} AS TIMESTAMPTZ)"}, {zoned, "TRY_CAST({own} AS TIMESTAMPTZ)"},
	{date, "CAST({ts} AS DATE)"}, {date, "CAST({tz} AS DATE)"}, {date, "TRY_CAST({own} AS DATE)"}, {date, "({date} + {small})"}, {date, "({date} - {small})"},
	{clock, "CAST({ts} AS TIME)"}, {clock, "CAST({clocks} AS TIME)"},
	{interval, "({iv} + {iv})"}, {interval, "({iv} - {iv})"}, {interval, "(-{iv})"}, {interval, "({iv} * {small})"}, {interval, "({ts} - {ts})"}, {interval, "({date} - {ts})"},
	{interval, "TRY_CAST({own} AS INTERVAL)"}, {interval, "INTERVAL ({small}) {units}"}, {interval, "({iv} / {small})"},
	{"same", "CASE WHEN {bool} THEN {same} ELSE {same} END"}, {"same", "CASE WHEN {bool} THEN {same} WHEN {bool} THEN {same} END"}, {"same", "CASE {num} WHEN {num} THEN {same} ELSE {same} END"},
	{"same", "coalesce({same}, {same})"}, {"same", "nullif({column}, {ordered})"}, {"same", "greatest({ordered}, {ordered}, NULL)"}, {"same", "least({ordered}, {ordered})"}, {"same", "if({bool}, {same}, {same})"},
	{"same", "ifnull({same}, {same})"},
}

// special are the templates of functions that want a literal, or whose type depends on their arguments.
var special = []template{
	{boolean, "regexp_matches({text}, {pattern})"}, {boolean, "regexp_full_match({text}, {pattern})"}, {boolean, "regexp_matches({text}, {pattern}, 'i')"},
	{varchar, "regexp_extract({text}, {pattern})"}, {varchar, "regexp_extract({text}, '(.)(.)', {group})"}, {varchar, "regexp_replace({text}, {pattern}, {replacement})"},
	{varchar, "regexp_replace({text}, {pattern}, {replacement}, 'g')"},
	{varchar, "concat({any}, {any}, {text})"}, {varchar, "concat_ws({text}, {any}, {text})"}, {varchar, "strftime({ts}, {format})"}, {varchar, "strftime({date}, {format})"},
	{varchar, "repeat({text}, {small})"}, {varchar, "lpad({text}, {small}, {text})"}, {varchar, "rpad({text}, {small}, {text})"},
	{integer, "date_part({part}, {at})"}, {integer, "date_part({ivpart}, {iv})"}, {integer, "extract(hour FROM {time})"}, {integer, "date_diff({unit}, {ts}, {ts})"}, {integer, "date_diff({unit}, {date}, {date})"},
	{integer, "date_sub({unit}, {ts}, {ts})"}, {integer, "date_sub({unit}, {date}, {date})"}, {integer, "sign({num})"}, {integer, "abs({int})"}, {integer, "mod({int}, {int})"},
	{decimal, "abs({dec})"}, {decimal, "round({dec}, {group})"}, {decimal, "round({dec})"}, {decimal, "trunc({dec})"}, {decimal, "floor({dec})"}, {decimal, "ceil({dec})"}, {decimal, "mod({dec}, {int})"},
	{double, "abs({double})"}, {double, "round({double}, {group})"}, {double, "round({double})"}, {double, "trunc({double})"}, {double, "floor({double})"}, {double, "ceil({double})"},
	{integer, "round({int}, {places})"}, {integer, "round({int})"},
	{timestamp, "date_trunc({unit}, {ts})"}, {timestamp, "date_trunc({unit}, {date})"}, {zoned, "date_trunc({unit}, {tz})"}, {interval, "date_trunc({unit}, {iv})"},
	{timestamp, "time_bucket({width}, {ts})"}, {date, "time_bucket({width}, {date})"}, {timestamp, "time_bucket({width}, {ts}, {offset})"}, {timestamp, "time_bucket({width}, {ts}, TIMESTAMP '2020-02-01')"},
	{timestamp, "make_timestamp({year}, {month}, {day}, {hour}, {minute}, {second})"}, {date, "make_date({year}, {month}, {day})"}, {timestamp, "date_add({ts}, {iv})"},
	{timestamp, "timezone('UTC', {tz})"}, {zoned, "timezone('UTC', {ts})"}, {double, "pow({whole}, {group})"},
	{timestamp, "strptime(strftime({ts}, '%B %d %Y, %H%M%S%f'), '%B %d %Y, %H%M%S%f')"}, {timestamp, "strptime({stamp}, {reading})"}, {timestamp, "try_strptime({own}, {reading})"},
	{timestamp, "try_strptime({written}, {reading})"}, {zoned, "strptime({stamp}, {zoning})"}, {zoned, "try_strptime({written}, {zoning})"}, {timestamp, "strptime({date}::VARCHAR, '%Y-%m-%d')"},
	{varchar, "json_extract_string({document}, {path})"}, {varchar, "CAST(json_extract({document}, {path}) AS VARCHAR)"}, {varchar, "json_extract_string(json_extract({document}, {path}), {path})"},
}

var words = map[string][]string{
	"compare": {"=", "<>", "<", "<=", ">", ">="}, "arithmetic": {"+", "-", "*", "%"},
	"integers": {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"}, "decimals": {"DECIMAL(3,1)", "DECIMAL(18,2)", "DECIMAL(38,4)", "DECIMAL(9,0)", "DECIMAL(5,5)"},
	"units":   {"DAY", "MONTH", "HOUR", "SECOND", "MINUTE", "YEAR"},
	"like":    {"'%'", "'_%'", "'%o%'", "'a%'", "'%x'", "'H_llo%'", "''", "'%é%'", "'a%b_c'", "'___'", "'%a%a%'"},
	"escaped": {"'$%'", "'a$%b$_c'", "'%$_%'", "'$$'"},
	"pattern": {"'o'", "'^a'", "'[0-9]+'", "'(?i)h'", "'a|b'", "'.'", "'$'", "'é'", "'\\s+'", "'(a)(b)?'", "''"}, "replacement": {"'x'", "''", "'[\\0]'", "'é'"},
	"group": {"0", "1", "2"}, "places": {"-2", "-1", "0", "1", "30"}, "small": {"0", "1", "2", "3", "-1", "7", "12", "smallint_a % 50", "tinyint_b"}, "whole": {"2", "-2", "10", "0.5", "0"},
	"unit": {"'day'", "'month'", "'year'", "'hour'", "'minute'", "'second'", "'week'", "'quarter'", "'decade'", "'century'", "'millennium'", "'millisecond'", "'microsecond'"},
	"part": {"'year'", "'month'", "'day'", "'hour'", "'minute'", "'second'", "'week'", "'quarter'", "'decade'", "'century'", "'millennium'", "'millisecond'", "'microsecond'", "'dow'", "'isodow'", "'doy'",
		"'isoyear'", "'yearweek'", "'era'", "'epoch'", "'julian'"},
	"ivpart":  {"'year'", "'month'", "'day'", "'hour'", "'minute'", "'second'", "'quarter'", "'decade'", "'century'", "'millisecond'", "'microsecond'", "'epoch'"},
	"clocks":  {"'12:34:56'", "'1:2'", "'24:00:00'", "' 01:02:03.5 '", "'23:59:59.9999999'"},
	"spans":   {"interval_a", "interval_b", "INTERVAL '2 weeks'", "INTERVAL 90 SECONDS", "INTERVAL '1' MONTH"},
	"plain":   {"INTERVAL 1 DAY", "INTERVAL '1 month'", "INTERVAL '-1 year'", "INTERVAL '36 hours'", "INTERVAL 5 SECONDS"},
	"format":  {"'%Y-%m-%d'", "'%H:%M:%S.%f'", "'%a %A %b %B'", "'%-d/%-m/%y'", "'%I %p'", "'%j %U %W'", "'%w %u %V %G'", "'%%x'", "'%g %z'", "'%c'", "'%x %X'"},
	"stamp":   {"'10/Oct/2000:13:55:36 -0700'", "'2020-02-29 23:59:58.5'", "' 2020-02-29  3:04 '", "'mon JAN 5 2026'", "date_a::VARCHAR", "varchar_b"},
	"written": {"strftime(timestamp_a, '%Y-%m-%d %H:%M:%S.%f')", "strftime(timestamp_a, '%d/%b/%Y:%H:%M:%S +0000')", "date_a::VARCHAR", "varchar_b"},
	"reading": {"'%Y-%m-%d %H:%M:%S.%f'", "'%Y-%m-%d'", "'%Y-%m-%d %H:%M'", "'%a %b %d %Y'", "'%c'", "'%x %X.%f'"}, "zoning": {"'%d/%b/%Y:%H:%M:%S %z'", "'%Y-%m-%d %z'", "'%z'"},
	"width":  {"INTERVAL 1 MINUTE", "INTERVAL 7 MINUTES", "INTERVAL 1 DAY", "INTERVAL 1 WEEK", "INTERVAL 1 MONTH", "INTERVAL 5 MONTHS", "INTERVAL 1 YEAR", "INTERVAL '3 days'", "INTERVAL '1 microsecond'"},
	"offset": {"INTERVAL 1 HOUR", "INTERVAL '-3 days'", "INTERVAL 0 DAYS", "INTERVAL '90 minutes'"},
	"year":   {"2020", "1970", "1", "9999", "0", "smallint_a"}, "month": {"2", "12", "1", "13", "0", "tinyint_a"}, "day": {"29", "31", "1", "0", "tinyint_b"}, "hour": {"0", "23", "24", "tinyint_a"},
	"document": {"'[1, [\"x\", null]]'", "concat('[\"', bigint_a, '\", [', coalesce(integer_a, 0), ', true ]]')", "concat('[[', smallint_b, '], \"', double_a, '\"]')", "TRY_CAST(concat('[', date_a, ']') AS JSON)", "NULL::JSON"}, "path": {"0", "1", "-1", "'$'", "'$[0]'", "'$[1][0]'", "'$[-1][#-1]'", "'/1/0'", "'a'", "NULL"},
	"minute": {"0", "59", "60"}, "second": {"0", "59.999999", "60", "1.5", "0.0000005"},
}

// sortOf is the sort of a kind that a function takes.
var sortOf = map[vec.Kind]sort{
	vec.Bool: boolean, vec.Double: double, vec.Varchar: varchar, vec.Timestamp: timestamp, vec.TimestampTZ: zoned, vec.Date: date, vec.TimeOfDay: clock, vec.Interval: interval,
	vec.Int8: integer, vec.Int16: integer, vec.Int32: integer, vec.Int64: integer, vec.HugeInt: integer,
}

// generator writes random expressions.
type generator struct {
	*rand.Rand
	columns map[sort][]string
	of      map[sort][]template

	// each has every template once.
	each []template

	// outermost are templates of approximate functions: what would be computed from their last bit could be anything.
	outermost []template
}

func newGenerator(seed uint64, columns []column) *generator {
	g := &generator{rand.New(rand.NewPCG(seed, 1)), map[sort][]string{}, map[sort][]template{}, nil, nil}
	for i, c := range columns {
		g.columns[edges[i/2].sort] = append(g.columns[edges[i/2].sort], c.name)
	}
	for _, list := range [][]template{operators, special, functionTemplates()} {
		g.each = append(g.each, list...)
		for _, t := range list {
			if approximate.MatchString(t.text) {
				g.outermost = append(g.outermost, t)
			} else {
				g.of[t.of] = append(g.of[t.of], t)
			}
		}
	}
	return g
}

// functionTemplates are those of the functions whose forms the catalogue lists by types. The numbers of a function are
// BIGINT, so an argument that is a HUGEINT is left to casts.
func functionTemplates() []template {
	handled := map[string]bool{}
	for _, t := range special {
		name, _, _ := strings.Cut(t.text, "(")
		handled[name] = true
	}
	var out []template
	for _, f := range expr.Functions() {
		if handled[f.Name] {
			continue
		}
		for _, o := range f.Overloads {
			var args []string
			for _, k := range o.Args {
				switch k {
				case vec.Int64:
					args = append(args, "{long}")
				default:
					args = append(args, "{"+string(sortOf[k])+"}")
				}
			}
			out = append(out, template{sortOf[o.Result], f.Name + "(" + strings.Join(args, ", ") + ")"})
		}
	}
	return out
}

var sorts = []sort{boolean, integer, decimal, double, varchar, timestamp, zoned, date, clock, interval}

// nth writes the n-th expression: first one of each template, then any.
func (g *generator) nth(n int) string {
	if n < len(g.each) {
		t := g.each[n]
		if t.of == "same" {
			t.of = sorts[g.IntN(len(sorts))]
		}
		return g.fill(t.text, t.of, 0)
	}
	return g.any(sorts[n%len(sorts)], 1+n%3)
}

// any writes an expression of a sort, or sometimes a call of an approximate function.
func (g *generator) any(s sort, depth int) string {
	if s == double && g.IntN(4) == 0 {
		return g.fill(g.outermost[g.IntN(len(g.outermost))].text, s, 0)
	}
	return g.expression(s, depth)
}

// expression writes one of a sort, with operators at most so many levels deep.
func (g *generator) expression(s sort, depth int) string {
	if depth == 0 || g.IntN(4) == 0 {
		return g.leaf(s)
	}
	list := g.of[s]
	n := g.IntN(len(list) + len(list)/4 + 1)
	if n >= len(list) {
		list = g.of["same"]
		n = g.IntN(len(list))
	}
	return g.fill(list[n].text, s, depth-1)
}

func (g *generator) leaf(s sort) string {
	if l := literals[s]; g.IntN(3) == 0 {
		return l[g.IntN(len(l))]
	}
	c := g.columns[s]
	return c[g.IntN(len(c))]
}

// fill replaces what stands in braces. same is the sort that {same} stands for; in a template that does not say it by
// its own sort, one is chosen.
func (g *generator) fill(text string, same sort, depth int) string {
	if strings.HasPrefix(text, "({same}") {
		same = sorts[g.IntN(len(sorts)-1)] // not of an INTERVAL: see {ordered}
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, after, _ := strings.Cut(rest, "}")
		b.WriteString(g.part(name, same, depth))
		text = after
	}
}

func (g *generator) part(name string, same sort, depth int) string {
	one := func(list ...sort) string { return g.expression(list[g.IntN(len(list))], depth) }
	switch name {
	case "num":
		return one(integer, decimal, double)
	case "at":
		return one(timestamp, zoned, date)
	case "any":
		return one(sorts...)
	case "same":
		return g.expression(same, depth)
	case "column":
		return g.columns[same][g.IntN(len(g.columns[same]))]
	case "number":
		name = string([]sort{integer, decimal, double}[g.IntN(3)])
		return g.columns[sort(name)][g.IntN(len(g.columns[sort(name)]))]
	case "own":
		return g.columns[varchar][g.IntN(len(g.columns[varchar]))] // of nothing constant, which DuckDB would fold
	case "ordered":
		if same == interval {
			return "interval_a" // the order of INTERVALs is a difference, but for plain ones
		}
		return g.expression(same, depth)
	case "long":
		list := []string{"bigint_a", "bigint_b", "integer_a", "tinyint_a", "smallint_b", "0", "1", "2", "-1", "3"}
		return list[g.IntN(len(list))]
	}
	if list := words[name]; list != nil {
		return list[g.IntN(len(list))]
	}
	if g.columns[sort(name)] == nil {
		panic(fmt.Sprintf("no such placeholder: %s", name))
	}
	return g.expression(sort(name), depth)
}
