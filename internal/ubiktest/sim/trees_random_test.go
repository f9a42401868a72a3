package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ubik/internal/plan"
	"ubik/internal/runner"
	"ubik/internal/ubiktest/naive"
	"ubik/internal/vec"
)

const randomTreeSchema = "k VARCHAR, n INTEGER, v INTEGER, ts TIMESTAMP, u TIMESTAMP"

// relation is what a random FROM holds, with the columns k, n and v in each of its tables.
type relation struct {
	text   string
	tables []string
	times  []string // those that an operator may use
	bands  []naive.Band
	where  []string // conditions of its joins that have none of their own
	joined bool
}

// trees writes random queries of trees.
type trees struct {
	generator
	names   int      // given so far
	defined []string // by WITH or CREATE VIEW
	with    []string // their definitions
	views   int      // so many of them are views
}

func (g *trees) source() string { return g.of("a", "b", "c") }

// define gives a query a name, which with WITH may be that of a source.
func (g *trees) define(view bool) {
	name := g.name()
	if source := g.source(); !view && g.IntN(3) == 0 && !slices.Contains(g.defined, source) {
		name = source
	}
	from := g.source()
	if len(g.defined) > 0 && g.IntN(2) == 0 {
		from = g.of(g.defined...)
	}
	columns, list := "(k, n, v)", g.of("k, n, v, ts, u", "upper(k), n, v + 1, ts, u", "k AS x, v AS x, n AS x, ts, u")
	text := fmt.Sprintf("SELECT %s FROM %s%s", list, from, g.of("", " WHERE n > 1", " WHERE k IS NOT NULL"))
	if g.IntN(4) == 0 {
		text += fmt.Sprintf(" UNION ALL SELECT k, v, n, %s FROM %s", g.of("ts, u", "u, ts", "ts, ts AS u"), g.source())
	}
	if view {
		g.with = append(g.with, fmt.Sprintf("CREATE VIEW %s%s AS %s; ", name, columns, text))
		g.views++
	} else {
		g.with = append(g.with, fmt.Sprintf("%s%s AS (%s)", name, columns, text))
	}
	g.defined = append(g.defined, name)
}

func (g *trees) name() string {
	g.names++
	return fmt.Sprint("t", g.names)
}

// leaf is a source, a query over one, or a union of such.
func (g *trees) leaf() relation {
	name := g.name()
	if len(g.defined) > 0 && g.IntN(3) == 0 {
		return relation{text: g.of(g.defined...) + " " + name, tables: []string{name}, times: []string{name + ".ts", name + ".u"}}
	}
	switch g.IntN(7) {
	case 0:
		return relation{text: fmt.Sprintf("(SELECT %s FROM %s%s) %s", g.of("*", "k, n, v, ts, u", "upper(k) AS k, n + 1 AS n, v, u AS ts, ts AS u"), g.source(), g.of("", " WHERE n > 1", " WHERE k IS NOT NULL AND v < 9"), name),
			tables: []string{name}, times: []string{name + ".ts", name + ".u"}}
	case 1:
		return relation{text: fmt.Sprintf("(SELECT k, n, v, ts, u FROM %s%s UNION ALL SELECT k, v, n, %s FROM %s%s) AS %s", g.source(), g.of("", " WHERE n > 1"), g.of("ts, u", "u, ts", "u AS x, u AS y"), g.source(), g.of("", " WHERE v > 2"), name),
			tables: []string{name}, times: []string{name + ".ts", name + ".u"}}
	case 2:
		return relation{text: g.source() + " AS " + name + "(k, n, v, at, by)", tables: []string{name}, times: []string{name + ".at", name + ".by"}}
	}
	return relation{text: g.source() + " " + name, tables: []string{name}, times: []string{name + ".ts", name + ".u"}}
}

// column is one of a relation's tables.
func (g *trees) column(r relation, name string) string { return g.of(r.tables...) + "." + name }

// condition is a condition on the rows of a relation.
func (g *trees) condition(r relation) string {
	return g.of(g.column(r, "n")+" > 1", g.column(r, "k")+" <> 'y'", g.column(r, "v")+" % 3 <> 1", fmt.Sprintf("(%s IS NULL OR %s < 3)", g.column(r, "n"), g.column(r, "n")),
		fmt.Sprintf("%s <= %s", g.column(r, "n"), g.column(r, "v")), g.column(r, "k")+" IS NOT NULL", fmt.Sprintf("coalesce(%s, 2) > 1", g.column(r, "n")))
}

// on is the condition of a join in its terms, and its band.
func (g *trees) on(l, r relation) ([]string, naive.Band) {
	unit := []int64{second, second, 500000, 1}[g.IntN(4)]
	b := naive.Band{Times: [2]string{g.of(l.times...), g.of(r.times...)}, Lo: int64(g.IntN(13)-6) * unit}
	b.Hi = b.Lo + int64(g.IntN(9))*unit
	col := g.of("k", "k", "k", "n")
	terms := append([]string{fmt.Sprintf("%s = %s", g.column(l, col), g.column(r, col))}, g.band(b.Times[0], b.Times[1], b.Lo, b.Hi)...)
	if g.IntN(3) == 0 {
		both := relation{tables: append(append([]string{}, l.tables...), r.tables...)}
		terms = append(terms, g.of(g.condition(l), g.condition(r), g.condition(both)))
	}
	g.Shuffle(len(terms), func(i, k int) { terms[i], terms[k] = terms[k], terms[i] })
	return terms, b
}

// join is a random tree of up to n joins.
func (g *trees) join(n int) relation {
	if n == 0 {
		return g.leaf()
	}
	var l, r relation
	if g.IntN(4) == 0 && n > 1 {
		l, r = g.leaf(), g.join(n-1)
	} else {
		l, r = g.join(n-1), g.leaf()
	}
	kind := g.of("JOIN", "JOIN", "INNER JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN")
	if l.where != nil && (kind == "RIGHT JOIN" || kind == "FULL JOIN") || r.where != nil { // WHERE cannot be theirs
		kind = "JOIN"
	}
	on, b := g.on(l, r)
	right := r.text
	if r.joined {
		right = "(" + right + ")"
	}
	out := relation{bands: append(append(l.bands, r.bands...), b), where: append(l.where, r.where...), joined: true}
	if out.text = fmt.Sprintf("%s %s %s ON %s", l.text, kind, right, strings.Join(on, " AND ")); kind == "INNER JOIN" {
		out.text, out.where = fmt.Sprintf("%s CROSS JOIN %s", l.text, right), append(out.where, on...)
		g.Shuffle(len(out.where), func(i, k int) { out.where[i], out.where[k] = out.where[k], out.where[i] })
	}
	lt, rt := b.Times[0], b.Times[1]
	greatest := g.of(fmt.Sprintf("greatest(%s, %s)", lt, rt), fmt.Sprintf("greatest(%s, %s)", rt, lt))
	switch kind {
	case "SEMI JOIN", "ANTI JOIN":
		out.times = []string{lt}
	case "LEFT JOIN":
		out.times = []string{lt, lt, greatest}
	case "RIGHT JOIN":
		out.times = []string{rt, rt, greatest}
	case "FULL JOIN":
		out.times = []string{greatest}
	default:
		out.times = []string{lt, rt, greatest}
	}
	out.tables = l.tables
	if kind != "SEMI JOIN" && kind != "ANTI JOIN" {
		out.tables = append(append([]string{}, l.tables...), r.tables...)
	}
	if g.IntN(4) > 0 {
		return out
	}
	// The same as a query, or as a part of one.
	name, time := g.name(), g.of(out.times...)
	where, more := "", ""
	if g.IntN(2) == 0 {
		out.where = append(out.where, g.condition(out))
	}
	if out.where != nil {
		where = " WHERE " + strings.Join(out.where, " AND ")
	}
	if g.IntN(4) == 0 {
		more = fmt.Sprintf(" UNION ALL SELECT k, v, n, %s FROM %s", g.of("ts", "u"), g.source())
	}
	out.text = fmt.Sprintf("(SELECT %s AS k, %s AS n, %s AS v, %s AS at FROM %s%s%s) %s", g.column(out, "k"), g.column(out, "n"), g.column(out, "v"), time, out.text, where, more, name)
	out.tables, out.times, out.where, out.joined = []string{name}, []string{name + ".at"}, nil, false
	return out
}

// branch is a SELECT of a text, two integers and their bands.
func (g *trees) branch() (string, []naive.Band) {
	r := g.join([]int{0, 0, 1, 1, 1, 2, 2}[g.IntN(7)])
	where, bands := r.where, r.bands
	if g.IntN(2) == 0 {
		where = append(where, g.condition(r))
	}
	if g.IntN(5) == 0 {
		for range 1 + g.IntN(2) {
			inner := g.leaf()
			on, b := g.on(r, inner)
			where, bands = append(where, fmt.Sprintf("%sEXISTS (SELECT 1 FROM %s WHERE %s)", g.of("", "NOT "), inner.text, strings.Join(on, " AND "))), append(bands, b)
			r.times = b.Times[:1]
		}
	}
	from := " FROM " + r.text
	if len(where) > 0 {
		from += " WHERE " + strings.Join(where, " AND ")
	}
	if g.IntN(2) == 0 {
		return fmt.Sprintf("SELECT %s AS c1, %s AS c2, %s AS c3%s", g.column(r, "k"), g.of(g.column(r, "n"), g.column(r, "n")+" + 1"), g.column(r, "v"), from), bands
	}
	window := func(time string) (start, end string) {
		call, rest, _ := strings.Cut(g.of("TUMBLE(%s, INTERVAL 5 SECONDS)", "TUMBLE(%s, INTERVAL 3 SECONDS)", "HOP(%s, INTERVAL 2 SECONDS, INTERVAL 6 SECONDS)", "HOP(%s, INTERVAL 4 SECONDS, INTERVAL 6 SECONDS)"), "(")
		return fmt.Sprintf(call+"("+rest, time), fmt.Sprintf(call+"_END("+rest, time)
	}
	start, end := window(g.of(r.times...))
	key := g.of(g.column(r, "k"), "upper("+g.column(r, "k")+")")
	inner := fmt.Sprintf("SELECT %s AS c1, count(*) AS c2, %s AS c3", key, g.of("sum", "max", "min")+"("+g.column(r, "v")+")")
	by := " GROUP BY " + key + ", " + start + g.of("", "", " HAVING count(*) > 1")
	if g.IntN(3) > 0 {
		return inner + from + by, bands
	}
	start, _ = window("e")
	return fmt.Sprintf("SELECT c1, sum(c2) AS c2, count(c3) AS c3 FROM (%s, %s - INTERVAL 1 MICROSECOND AS e%s%s) w%s GROUP BY c1, %s", inner, end, from, by, g.of("", " WHERE c2 <> 3"), start), bands
}

// query is a random query, of one branch or several, and the bands of its joins. It may use names that it defines.
func (g *trees) query() (string, []naive.Band) {
	for range max(0, g.IntN(5)-2) {
		g.define(true)
	}
	for range max(0, g.IntN(5)-2) {
		g.define(false)
	}
	text, bands := g.branches()
	prefix := strings.Join(g.with[:g.views], "")
	if names := g.with[g.views:]; len(names) > 0 {
		prefix += "WITH " + strings.Join(names, ", ") + " "
	}
	return prefix + text, bands
}

func (g *trees) branches() (string, []naive.Band) {
	text, bands := g.branch()
	for g.IntN(4) == 0 {
		more, b := g.branch()
		text, bands = text+" UNION ALL "+more, append(bands, b...)
	}
	if g.IntN(8) == 0 {
		text = fmt.Sprintf("SELECT c3, c1 FROM (%s) q%s", text, g.of("", " WHERE c2 > 1", " WHERE c1 <> 'y' AND c3 > 1"))
	}
	return text, bands
}

// log is a small log of a source, its records at few times with few values.
func (g *trees) log(source int, topic string) []naive.Partition {
	var out []naive.Partition
	for p := range 1 + g.IntN(2) {
		part := naive.Partition{Source: source, Topic: topic, Index: int32(p)}
		at, pos := base, int64(0)
		for i := range (4 + g.IntN(14)) * min(g.IntN(20), 1) {
			at += second / 2 * int64(g.IntN(4))
			ts := at - second*int64(g.IntN(6)/5*g.IntN(10)) + int64(g.IntN(5)/4*(g.IntN(5)-2))
			value := fmt.Sprintf(`{"ts":%q,"u":%q,"k":%s,"n":%s,"v":%d}`, stamp(ts), stamp(at+second*int64(g.IntN(4)-1)), g.of(`"x"`, `"x"`, `"x"`, `"y"`, `"X"`, "null"), g.of("1", "2", "2", "null"), i)
			if g.IntN(30) == 0 {
				value = g.of(`{`, `{"k":1}`, `{"ts":"x"}`, `{"k":"x","n":"no"}`)
			}
			part.Records = append(part.Records, naive.Record{Position: pos, Time: at, Value: []byte(value)})
			pos += 1 + int64(g.IntN(4)/3)
		}
		out = append(out, part)
	}
	return out
}

// randomTree is the world of a seed. It has the sources that its query uses, of which some declare their time.
func randomTree(seed uint64) World {
	g := &trees{generator: generator{rand.New(rand.NewPCG(seed, 7))}}
	var w World
	w.SQL, w.Bands = g.query()
	views, q := Statements(w.SQL)
	used := plan.Used(q, views)
	for _, name := range []string{"a", "b", "c"} {
		if used[name] != nil {
			w.Partitions = append(w.Partitions, g.log(len(w.Sources), name)...)
			w.Sources = append(w.Sources, Source{name, randomTreeSchema, vec.Time(g.IntN(5)) * 1e6, ""})
		}
	}
	for i := range w.Sources {
		if w.Sources[i].Time = g.of("", "ts", "u", "_timestamp"); w.Sources[i].Time == "" {
			continue
		}
		if _, err := w.plan(runner.Bounded); err != nil { // the query takes another one
			w.Sources[i].Time = ""
		}
	}
	return w
}

// Random trees over small random logs, each through two or three schedules, give what the naive evaluator gives.
func TestRandomTreesGiveWhatTheNaiveEvaluatorGives(t *testing.T) {
	refused, rows := 0, 0
	why := map[string]int{}
	for seed := *firstSeed; seed < *firstSeed+uint64(*queries); seed++ {
		w := randomTree(seed)
		if _, err := w.plan(runner.Bounded); err != nil {
			refused++
			why[err.Error()]++
			if *queries == 1 {
				t.Logf("%s\nis refused: %v", w.SQL, err)
			}
			continue
		}
		for k := range 2 + (seed%8)/7 {
			o := Options{End: End(k), Checkpoint: k > 0, Crashes: 2 * int(k), Pacing: Pacing(min(k, 1)), Skip: true}
			want, err := w.Naive(o.Closes(), true)
			var res *Result
			if err == nil {
				rows += len(want.Rows)
				res, err = w.Run(seed*2+k, o)
			}
			if err == nil {
				err = w.Check(res, want)
			}
			if err != nil {
				t.Fatalf("-run=RandomTrees -seed=%d -queries=1\n%s\nbounded %v, bands %+v, sources %+v\n%v", seed, w.SQL, o.Closes(), w.Bands, w.Sources, err)
			}
		}
	}
	t.Logf("%d trees with %d rows, %d refused", *queries, rows, refused)
	if refused*10 > *queries {
		t.Errorf("%d of %d trees are refused: %v", refused, *queries, why)
	}
	if *queries >= 100 && rows < 5**queries {
		t.Errorf("only %d rows came out", rows)
	}
}
