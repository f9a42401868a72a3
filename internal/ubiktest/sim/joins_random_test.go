package sim

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ubik/internal/runner"
	"ubik/internal/ubiktest/naive"
	"ubik/internal/vec"
)

var joins = flag.Int("joins", 500, "random joins")

const randomSideSchema = "k VARCHAR, n INTEGER, b BIGINT, d DECIMAL(9,2), x DOUBLE, ts TIMESTAMP"

// duration is an INTERVAL of µs in one of its spellings.
func (g generator) duration(us int64) string {
	switch {
	case us%(60*second) == 0 && us != 0 && g.IntN(2) == 0:
		return fmt.Sprintf("INTERVAL '%d minutes'", us/(60*second))
	case us%second == 0 && us >= 0 && g.IntN(2) == 0:
		return g.of(fmt.Sprintf("INTERVAL %d SECONDS", us/second), fmt.Sprintf("INTERVAL '%d' SECOND", us/second), fmt.Sprintf("INTERVAL '%02d:%02d:%02d'", us/second/3600, us/second/60%60, us/second%60))
	case us%1000 == 0 && g.IntN(2) == 0:
		return fmt.Sprintf("INTERVAL '%d milliseconds'", us/1000)
	}
	return fmt.Sprintf("INTERVAL '%d microseconds'", us)
}

// moved is a time moved by µs.
func (g generator) moved(e string, us int64) string {
	switch {
	case us == 0 && g.IntN(3) > 0:
		return e
	case us < 0 && g.IntN(4) > 0:
		return e + " - " + g.duration(-us)
	case us > 0 && g.IntN(6) == 0:
		return e + " - " + g.duration(-us)
	case us > 0 && g.IntN(6) == 0:
		return g.duration(us) + " + " + e
	}
	return e + " + " + g.duration(us)
}

// atLeast says that x is at least y + us.
func (g generator) atLeast(x, y string, us int64) string {
	ge, le := ">=", "<="
	if g.IntN(3) == 0 {
		ge, le, us = ">", "<", us-1
	}
	both := int64(g.IntN(7)-3) * second
	switch g.IntN(7) {
	case 0:
		return fmt.Sprintf("%s %s %s", g.moved(y, us), le, x)
	case 1:
		return fmt.Sprintf("%s %s %s", g.moved(x, -us), ge, y)
	case 2:
		return fmt.Sprintf("%s - %s %s %s", x, y, ge, g.duration(us))
	case 3:
		return fmt.Sprintf("%s %s %s - %s", g.duration(-us), ge, y, x)
	case 4:
		return fmt.Sprintf("%s %s %s", g.moved(x, both), ge, g.moved(y, us+both))
	}
	return fmt.Sprintf("%s %s %s", x, ge, g.moved(y, us))
}

// band says that r is between l + lo and l + hi: in one term or two.
func (g generator) band(l, r string, lo, hi int64) []string {
	switch g.IntN(6) {
	case 0:
		return []string{fmt.Sprintf("%s BETWEEN %s AND %s", l, g.moved(r, -hi), g.moved(r, -lo))}
	case 1:
		return []string{fmt.Sprintf("%s - %s BETWEEN %s AND %s", r, l, g.duration(lo), g.duration(hi))}
	case 2:
		return []string{fmt.Sprintf("%s - %s BETWEEN %s AND %s", l, r, g.duration(-hi), g.duration(-lo))}
	case 3:
		return []string{fmt.Sprintf("%s BETWEEN %s AND %s", r, g.moved(l, lo), g.moved(l, hi))}
	}
	return []string{g.atLeast(r, l, lo), g.atLeast(l, r, -hi)}
}

func (g generator) equality() string {
	l, r, _ := strings.Cut(g.of("k k", "k k", "k k", "n n", "b b", "n b", "d n", "d d", "x n", "x x", "x d", "b d"), " ")
	l, r = "a."+l, "b."+r
	switch g.IntN(8) {
	case 0:
		if strings.HasSuffix(l, ".k") {
			l = fmt.Sprintf("upper(%s)", l)
			r = fmt.Sprintf("upper(%s)", r)
		}
	case 1:
		if l == "a.n" {
			l += " + 1"
		}
	case 2:
		if l == "a.k" {
			l = "coalesce(a.k, 'x')"
		}
	}
	if g.IntN(3) == 0 {
		l, r = r, l
	}
	return l + " = " + r
}

// join is a random join of a to b, and the band it has.
func (g generator) join() (sql string, lo, hi int64) {
	unit := []int64{second, second, second, 500000, 1}[g.IntN(5)]
	lo = int64(g.IntN(25)-12) * unit
	hi = lo + int64(g.IntN(13))*unit
	if g.IntN(12) == 0 {
		lo, hi = -60*second, 60*second
	}
	on := append([]string{g.equality()}, g.band("a.ts", "b.ts", lo, hi)...)
	if g.IntN(4) == 0 {
		on = append(on, g.equality())
	}
	if g.IntN(4) == 0 {
		on = append(on, g.of("a.n < b.n", "a.d <> b.d", "a.n > 1", "b.n > 1", "(a.k IS NOT NULL OR b.n = 2)", "a.n + b.n < 5"))
	}
	g.Shuffle(len(on), func(i, k int) { on[i], on[k] = on[k], on[i] })
	kind := g.of("JOIN", "INNER JOIN", "JOIN", "LEFT JOIN", "LEFT OUTER JOIN", "RIGHT JOIN", "FULL JOIN", "FULL OUTER JOIN", "SEMI JOIN", "ANTI JOIN", "EXISTS", "NOT EXISTS")
	leftOnly := strings.HasPrefix(kind, "SEMI") || strings.HasPrefix(kind, "ANTI") || strings.HasSuffix(kind, "EXISTS")
	var where, items []string
	columns := []string{"a.k", "a.ts", "a.n + 1", "a._offset", "coalesce(a.k, '-')", "a.d", "a.x", "upper(a.k)"}
	if g.IntN(4) == 0 {
		where = append(where, g.of("a.n > 1", "a.k <> 'y'", "(a.n IS NULL OR a.n < 3)"))
	}
	if !leftOnly {
		columns = append(columns, "b.k", "b.ts", "b.ts - a.ts", "coalesce(a.k, b.k)", "a.n + b.n", "b._offset", "b._partition", "b.d", "CASE WHEN a.k IS NULL THEN 'right' WHEN b.k IS NULL THEN 'left' ELSE 'both' END")
		if g.IntN(4) == 0 {
			where = append(where, g.of("b.n > 1", "b.k IS NULL", "b.k IS NOT NULL", "a.n <= b.n", "coalesce(b.n, 0) <> 2"))
		}
	}
	for i := range 1 + g.IntN(5) {
		items = append(items, fmt.Sprintf("%s AS c%d", g.of(columns...), i+1))
	}
	sql = "SELECT " + strings.Join(items, ", ") + " FROM a "
	if strings.HasSuffix(kind, "EXISTS") {
		where = append(where, fmt.Sprintf("%s (SELECT 1 FROM b WHERE %s)", kind, strings.Join(on, " AND ")))
	} else {
		sql += fmt.Sprintf("%s b ON %s", kind, strings.Join(on, " AND "))
	}
	if len(where) > 0 {
		sql += " WHERE " + strings.Join(where, " AND ")
	}
	if g.IntN(3) == 0 { // other names
		sql = strings.NewReplacer("a.", "lhs.", "b.", "rhs.", "FROM a ", "FROM a AS lhs ", " b ON", " b rhs ON", "FROM b ", "FROM b rhs ").Replace(sql)
	}
	return sql, lo, hi
}

// sides are small logs of both sources, their records at few times with few values.
func (g generator) sides() []naive.Partition {
	var out []naive.Partition
	for source, topic := range []string{"a", "b"} {
		for p := range 1 + g.IntN(3) {
			part := naive.Partition{Source: source, Topic: topic, Index: int32(p)}
			at, pos := base, int64(0)
			for range g.IntN(12) {
				at += second / 2 * int64(g.IntN(5))
				ts := at - second*int64(g.IntN(5)/4*g.IntN(10)) + int64(g.IntN(5)/4*(g.IntN(5)-2))
				value := fmt.Sprintf(`{"ts":%q,"k":%s,"n":%s,"b":%s,"d":%s,"x":%s}`, stamp(ts), g.of(`"x"`, `"x"`, `"y"`, `"X"`, "null", `""`),
					g.of("1", "2", "3", "null"), g.of("1", "2", "2", "null"), g.of("1", "2.00", "2.5", "null"), g.of("1", "2", "-0.0", "0.0", `"NaN"`, "null"))
				part.Records = append(part.Records, naive.Record{Position: pos, Time: at, Value: []byte(value)})
				pos += 1 + int64(g.IntN(4)/3)
			}
			out = append(out, part)
		}
	}
	return out
}

// Random joins in random spellings over small random logs, each through two or three schedules, give what the nested loop gives.
func TestRandomJoinsGiveWhatTheNestedLoopGives(t *testing.T) {
	refused, rows := 0, 0
	for seed := *firstSeed; seed < *firstSeed+uint64(*joins); seed++ {
		g := generator{rand.New(rand.NewPCG(seed, 6))}
		w := World{Sources: []Source{{"a", randomSideSchema, vec.Time(g.IntN(6)) * 1e6, ""}}, Partitions: g.sides()}
		w.Sources = append(w.Sources, Source{"b", randomSideSchema, vec.Time(g.IntN(6)) * 1e6, ""})
		band := naive.Band{Times: [2]string{"ts", "ts"}}
		w.SQL, band.Lo, band.Hi = g.join()
		w.Bands = []naive.Band{band}
		if _, err := w.plan(runner.Bounded); err != nil {
			refused++
			if *joins == 1 {
				t.Logf("%s\nis refused: %v", w.SQL, err)
			}
			continue
		}
		for k := range 2 + (seed%4)/3 { // the last, of many short runs, takes longest
			o := Options{End: End(k), Checkpoint: k > 0, Crashes: 2 * int(k), Pacing: Pacing(min(k, 1)), Skip: true}
			want, err := w.Naive(o.Closes(), true)
			var res *Result
			if err == nil {
				rows += len(want.Rows)
				res, err = w.Run(seed*3+k, o)
			}
			if err == nil {
				err = w.Check(res, want)
			}
			if err != nil {
				t.Fatalf("-run=RandomJoins -seed=%d -joins=1\n%s\nbounded %v, band %d to %d µs, delays %d and %d µs\n%v", seed, w.SQL, o.Closes(), band.Lo, band.Hi, w.Sources[0].Delay, w.Sources[1].Delay, err)
			}
		}
	}
	t.Logf("%d joins with %d rows, %d refused", *joins, rows, refused)
	if refused*5 > *joins {
		t.Errorf("%d of %d joins are refused", refused, *joins)
	}
	if *joins >= 100 && rows < 5**joins {
		t.Errorf("only %d rows came out", rows)
	}
}
