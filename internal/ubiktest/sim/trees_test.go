package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ubik/internal/ubiktest/naive"
	"ubik/internal/vec"
)

const treeSchema = "k VARCHAR, n INTEGER, v INTEGER, ts TIMESTAMP, u TIMESTAMP"

// treeSource makes the partitions of a source with two times, of which the second is some seconds behind or ahead of the
// first. Else it is as makeSide.
func treeSource(seed uint64, source, parts, n int, keys string) []naive.Partition {
	r := rand.New(rand.NewPCG(seed, uint64(source)+90))
	out := makeSide(seed, source, parts, n, keys)
	for p := range out {
		recs := out[p].Records
		for i := range recs {
			text := string(recs[i].Value)
			at, ok := timeOf(text[len(`{"ts":"`) : strings.IndexByte(text, 'Z')+1])
			if !ok {
				panic(text)
			}
			recs[i].Value = []byte(fmt.Sprintf(`%s,"u":%q}`, strings.TrimSuffix(text, "}"), stamp(at+second*int64(r.IntN(6)-1))))
		}
	}
	return out
}

// treeWorld is a world of sources a, b, c with some partitions of n records each.
func treeWorld(name string, seed uint64, n int, parts []int, bands []naive.Band, sql string) World {
	w := World{Name: name, SQL: sql, Bands: bands, Tail: int64(seed % 3)}
	for i, count := range parts {
		w.Sources = append(w.Sources, Source{string(rune('a' + i)), treeSchema, vec.Time(seed*uint64(i+3)%6) * 1e6, ""})
		w.Partitions = append(w.Partitions, treeSource(seed, i, count, n, fewKeys)...)
	}
	return w
}

func bandOf(left, right string, lo, hi int64) naive.Band {
	return naive.Band{Times: [2]string{left, right}, Lo: lo * second, Hi: hi * second}
}

// within is a condition: equal keys, and a band of seconds.
func within(l, lt, r, rt string, lo, hi int) string {
	return fmt.Sprintf("%s.k = %s.k AND %s BETWEEN %s + INTERVAL '%d seconds' AND %s + INTERVAL '%d seconds'", l, r, rt, lt, lo, lt, hi)
}

// treeWorlds are fixed logs, and queries of several operators or branches over them.
func treeWorlds() []World {
	ab := within("a", "a.ts", "b", "b.ts", 0, 6)
	abBand := bandOf("a.ts", "b.ts", 0, 6)
	window := func(kind, time string) string {
		return "SELECT TUMBLE(" + time + ", INTERVAL 5 SECONDS) AS w, a.k, count(*) AS n, sum(b.v) AS s, max(a.n) FROM a " + kind + " b ON " + ab + " GROUP BY ALL"
	}
	faultyTree := func(w World) World {
		w.Partitions = faulty(w.Partitions)
		return w
	}
	filed := func(w World) World {
		w.Partitions = files(w.Partitions)
		return w
	}
	keyed := func(w World, key ...string) World {
		w.Key = key
		return w
	}
	return []World{
		treeWorld("a self-join", 1, 25, []int{3}, []naive.Band{bandOf("o.ts", "s.u", 0, 6)},
			"SELECT o.k, o.v AS ov, s.v AS sv, s.u - o.ts AS took FROM a o JOIN a s ON "+within("o", "o.ts", "s", "s.u", 0, 6)+" WHERE o.n > 1 AND s.v % 3 <> 1"),
		treeWorld("a left self-join by one time", 2, 15, []int{2}, []naive.Band{bandOf("l.ts", "r.ts", 1, 4)},
			"SELECT l.k, l.v AS lv, r.v AS rv FROM a l LEFT JOIN a r ON "+within("l", "l.ts", "r", "r.ts", 1, 4)),
		faultyTree(treeWorld("a self-join of malformed records", 3, 30, []int{3}, []naive.Band{bandOf("l.ts", "r.u", -5, 5)},
			"SELECT l.k, l.v AS lv, r.v AS rv FROM a l FULL JOIN a r ON "+within("l", "l.ts", "r", "r.u", -5, 5)+" AND l.n < r.n")),
		treeWorld("a chain of three", 4, 16, []int{3, 2, 2}, []naive.Band{abBand, bandOf("b.ts", "c.u", -3, 3)},
			"SELECT a.v AS av, b.v AS bv, c.v AS cv FROM a JOIN b ON "+ab+" JOIN c ON "+within("b", "b.ts", "c", "c.u", -3, 3)+" WHERE a.n > 1 OR c.n > 1"),
		treeWorld("LEFT, then INNER", 5, 16, []int{2, 2, 2}, []naive.Band{abBand, bandOf("a.ts", "c.ts", -2, 4)},
			"SELECT a.k, a.v AS av, b.v AS bv, c.v AS cv FROM a LEFT JOIN b ON "+ab+" AND b.n > 1 JOIN c ON "+within("a", "a.ts", "c", "c.ts", -2, 4)),
		treeWorld("INNER, then LEFT, then a condition on each", 6, 16, []int{2, 2, 2}, []naive.Band{abBand, bandOf("b.ts", "c.ts", -8, -1)},
			"SELECT a.v AS av, b.v AS bv, c.v AS cv FROM a JOIN b ON "+ab+" LEFT JOIN c ON "+within("b", "b.ts", "c", "c.ts", -8, -1)+" WHERE a.n > 1 AND b.v > 2 AND coalesce(c.n, 2) > 1"),
		treeWorld("FULL, then FULL by the greatest time", 7, 20, []int{2, 2, 2}, []naive.Band{abBand, bandOf("greatest(a.ts, b.ts)", "c.ts", -3, 3)},
			"SELECT a.v AS av, b.v AS bv, c.v AS cv FROM a FULL JOIN b ON "+ab+" FULL JOIN c ON coalesce(a.k, b.k) = c.k AND c.ts BETWEEN greatest(a.ts, b.ts) - INTERVAL 3 SECONDS AND greatest(a.ts, b.ts) + INTERVAL 3 SECONDS"),
		treeWorld("a join on the right", 8, 15, []int{2, 2, 2}, []naive.Band{bandOf("b.ts", "c.ts", 0, 5), bandOf("a.ts", "c.ts", -4, 4)},
			"SELECT a.v AS av, b.v AS bv, c.v AS cv FROM a RIGHT JOIN (b JOIN c ON "+within("b", "b.ts", "c", "c.ts", 0, 5)+") ON "+within("a", "a.ts", "c", "c.ts", -4, 4)),
		treeWorld("a chain over one source", 9, 20, []int{2}, []naive.Band{bandOf("x.ts", "y.ts", 0, 4), bandOf("y.ts", "z.ts", 0, 4)},
			"SELECT x.v AS xv, y.v AS yv, z.v AS zv FROM a x JOIN a y ON "+within("x", "x.ts", "y", "y.ts", 0, 4)+" AND x.v < y.v JOIN a z ON "+within("y", "y.ts", "z", "z.ts", 0, 4)),
		treeWorld("EXISTS and NOT EXISTS", 10, 40, []int{2, 2, 2}, []naive.Band{bandOf("ts", "ts", -3, 3), bandOf("ts", "u", 0, 5)},
			"SELECT k, v FROM a WHERE EXISTS (SELECT 1 FROM b WHERE "+within("a", "a.ts", "b", "b.ts", -3, 3)+") AND n > 0 AND NOT EXISTS (SELECT 1 FROM c WHERE "+within("a", "a.ts", "c", "c.u", 0, 5)+" AND c.n = 2 AND c.v > 20)"),
		treeWorld("ANTI behind a join", 11, 26, []int{2, 2, 2}, []naive.Band{abBand, bandOf("b.ts", "c.ts", 0, 0)},
			"SELECT a.v AS av, b.v AS bv FROM a JOIN b ON "+ab+" ANTI JOIN c ON "+within("b", "b.ts", "c", "c.ts", 0, 0)),
		treeWorld("a window over a join by the right time", 12, 22, []int{3, 2}, []naive.Band{abBand}, window("JOIN", "b.ts")),
		treeWorld("a window over a join by the left time", 13, 30, []int{3, 2}, []naive.Band{abBand}, window("JOIN", "a.ts")),
		treeWorld("a window over a join by the greatest time", 14, 22, []int{3, 2}, []naive.Band{abBand}, window("JOIN", "greatest(a.ts, b.ts)")),
		treeWorld("a window over a left join by the left time", 15, 22, []int{3, 2}, []naive.Band{abBand}, window("LEFT JOIN", "a.ts")),
		treeWorld("a window over a full join by the greatest time", 16, 30, []int{3, 2}, []naive.Band{abBand}, window("FULL JOIN", "greatest(b.ts, a.ts)")),
		faultyTree(treeWorld("a window over a chain", 17, 45, []int{2, 2, 2}, []naive.Band{abBand, bandOf("b.ts", "c.ts", -3, 3)},
			"SELECT HOP(c.ts, INTERVAL 5 SECONDS, INTERVAL 15 SECONDS) AS w, count(*) AS n, sum(a.v + b.v + c.v) AS s FROM a JOIN b ON "+ab+" JOIN c ON "+within("b", "b.ts", "c", "c.ts", -3, 3)+" GROUP BY w HAVING count(*) > 1")),
		faultyTree(treeWorld("a window over a union", 18, 30, []int{3, 2}, nil,
			"SELECT HOP(at, INTERVAL 4 SECONDS, INTERVAL 12 SECONDS) AS w, who, k, count(*) AS n, sum(v) AS s FROM (SELECT 'a' AS who, k, v, ts AS at FROM a WHERE n > 1 UNION ALL SELECT k, 'b', v + 1, u FROM b) GROUP BY w, who, k")),
		treeWorld("a union of rows and windows", 19, 30, []int{3, 2}, nil,
			"SELECT k, v, 'row' AS what FROM a WHERE n > 1 UNION ALL SELECT k, count(*), 'window' FROM b GROUP BY k, TUMBLE(ts, INTERVAL 10 SECONDS)"),
		treeWorld("a union of rows of one topic", 20, 30, []int{3}, nil,
			"SELECT k, v FROM a WHERE n = 1 UNION ALL SELECT upper(k), n FROM a WHERE v % 2 = 0"),
		faultyTree(treeWorld("a union of everything", 21, 20, []int{2, 2}, []naive.Band{abBand},
			"SELECT k, v FROM a UNION ALL SELECT a.k, b.v FROM a LEFT JOIN b ON "+ab+" UNION ALL SELECT max(k), sum(n) FROM b GROUP BY TUMBLE(u, INTERVAL 7 SECONDS) UNION ALL FROM (SELECT k, n FROM b WHERE n > 2 UNION ALL SELECT k, -n FROM a)")),
		treeWorld("a union joined to a source", 22, 16, []int{2, 2, 2}, []naive.Band{bandOf("x.at", "c.ts", -2, 5)},
			"SELECT x.who, x.v AS xv, c.v AS cv FROM (SELECT 'a' AS who, k, v, ts AS at FROM a UNION ALL SELECT 'b', k, v, u FROM b WHERE n > 1) x LEFT JOIN c ON "+within("x", "x.at", "c", "c.ts", -2, 5)),
		treeWorld("a source joined to a union of a join and a source", 23, 16, []int{2, 2, 2}, []naive.Band{abBand, bandOf("c.ts", "x.at", 0, 4)},
			"SELECT x.v AS xv, c.v AS cv FROM c FULL JOIN (SELECT a.k, b.v, b.ts AS at FROM a JOIN b ON "+ab+" UNION ALL SELECT k, v, u FROM c) x ON "+within("c", "c.ts", "x", "x.at", 0, 4)),
		treeWorld("a window over a window", 24, 40, []int{3}, nil,
			"SELECT TUMBLE(e, INTERVAL 15 SECONDS) AS w, n, count(*) AS keys, sum(s) AS s FROM (SELECT k, TUMBLE_END(ts, INTERVAL 5 SECONDS) - INTERVAL 1 MICROSECOND AS e, count(*) AS n, sum(v) AS s FROM a GROUP BY k, TUMBLE(ts, INTERVAL 5 SECONDS) HAVING count(*) > 1) WHERE s > 3 GROUP BY w, n"),
		treeWorld("a window over a window over a join", 25, 40, []int{2, 2}, []naive.Band{abBand},
			"SELECT TUMBLE(e, INTERVAL 6 SECONDS) AS w, max(n) AS most, count(*) AS windows FROM (SELECT HOP_END(b.ts, INTERVAL 2 SECONDS, INTERVAL 4 SECONDS) - INTERVAL 1 MICROSECOND AS e, a.k, count(*) AS n FROM a JOIN b ON "+ab+" GROUP BY a.k, HOP(b.ts, INTERVAL 2 SECONDS, INTERVAL 4 SECONDS)) GROUP BY w"),
		treeWorld("a join without a match", 26, 15, []int{2, 2}, []naive.Band{bandOf("a.ts", "b.ts", 0, 6)},
			"SELECT a.v AS av, b.v AS bv FROM a JOIN b ON a.k = b.k || '!' AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 6 SECONDS"),
		keyed(treeWorld("a chain with a key by name", 27, 24, []int{2, 2, 1}, []naive.Band{abBand, bandOf("a.ts", "c.ts", 0, 3)},
			"SELECT a._partition AS ap, a._offset AS ao, b._partition AS bp, b._offset AS bo, c._partition AS cp, c._offset AS co FROM a JOIN b ON "+ab+" LEFT JOIN c ON "+within("a", "a.ts", "c", "c.ts", 0, 3)), "ap", "ao", "bp", "bo", "cp", "co"),
		treeWorld("row errors in queries in FROM", 29, 30, []int{2, 2}, []naive.Band{bandOf("x.ts", "b.ts", 0, 6)},
			"SELECT x.m, x.o, b.v FROM (SELECT k, (v + 110)::TINYINT AS m, (n + 126)::TINYINT AS o, (k || '?')::INTEGER AS never, ts FROM a) x LEFT JOIN b ON "+within("x", "x.ts", "b", "b.ts", 0, 6)+" AND (b.v + 115)::TINYINT > 0 WHERE x.m > 111"),
		faultyTree(treeWorld("row errors in a union", 30, 30, []int{2, 2}, nil,
			"SELECT m, count(*) AS n, TUMBLE(ts, INTERVAL 6 SECONDS) AS w FROM (SELECT (v + 110)::TINYINT AS m, ts FROM a UNION ALL SELECT n, u FROM b WHERE (v + 115)::TINYINT > 0) GROUP BY m, w UNION ALL SELECT (n + 126)::TINYINT, v, ts FROM a")),
		filed(treeWorld("a self-join of files, and their rows", 31, 15, []int{3}, []naive.Band{bandOf("l.ts", "r.u", -2, 2)},
			"SELECT l._offset AS lo, r._topic AS topic FROM a l LEFT JOIN a r ON "+within("l", "l.ts", "r", "r.u", -2, 2)+" UNION ALL SELECT _offset, _topic FROM a WHERE n > 1")),
		treeWorld("parts of different types", 32, 30, []int{2, 2, 2}, []naive.Band{bandOf("x.t", "c.ts", -3, 3)},
			"SELECT x.m, x.what, c.v FROM (SELECT n AS m, NULL AS what, ts AS t FROM a UNION ALL SELECT n * 1.50, k, u FROM b WHERE k <> 'x') x JOIN c ON x.m = c.n AND c.ts BETWEEN x.t - INTERVAL 3 SECONDS AND x.t + INTERVAL 3 SECONDS UNION ALL SELECT m, max(k), count(*) FROM (SELECT k, v / 2 AS m, ts FROM a UNION ALL SELECT k, n, ts FROM c) GROUP BY m, TUMBLE(ts, INTERVAL 20 SECONDS)"),
		treeWorld("queries in FROM", 28, 40, []int{2, 2}, []naive.Band{bandOf("p.at", "q.ts", -2, 6)},
			"SELECT upper(kk) AS k, twice FROM (SELECT p.kk, q.v * 2 AS twice, p.m FROM (SELECT k AS kk, u AS at, n + v AS m FROM (SELECT * FROM a WHERE n > 0) i WHERE v > 2) AS p JOIN (FROM b) AS q(k, m, v) ON p.kk = q.k AND q.ts BETWEEN p.at - INTERVAL 2 SECONDS AND p.at + INTERVAL 6 SECONDS WHERE q.m < 3) x WHERE m > 4 AND twice <> 10"),
	}
}

// Most of these worlds give rows, also before their end, and all operators and branches are met.
func TestTheLogsOfTreesHoldTheHardCases(t *testing.T) {
	late, partly, none := 0, 0, []string{}
	for _, w := range treeWorlds() {
		for _, closed := range []bool{true, false} {
			res, err := w.Naive(closed, true)
			if err != nil {
				t.Errorf("%s: %v", w.Name, err)
				continue
			}
			lanes := map[string]bool{}
			for _, r := range res.Rows {
				lanes[r.Lane] = true
			}
			if least := 5; len(res.Rows) < least && w.Name != "a join without a match" {
				none = append(none, fmt.Sprintf("%s (closed %v): %d", w.Name, closed, len(res.Rows)))
			}
			if branches := 1 + strings.Count(w.SQL, "UNION ALL"); strings.HasPrefix(w.Name, "a union of") && len(lanes) < branches {
				t.Errorf("%s: only lanes %v", w.Name, lanes)
			}
			for _, l := range res.Ledgers {
				late += l.Late
				partly += l.PartlyLate
			}
		}
	}
	if len(none) > 0 || late < 300 || partly < 10 {
		t.Errorf("few rows: %s; %d late, %d partly late", strings.Join(none, "; "), late, partly)
	}
	names := []string{}
	for _, w := range slices.Concat(worlds(), joinWorlds(), treeWorlds()) {
		names = append(names, w.Name)
	}
	slices.Sort(names)
	if n := len(names); len(slices.Compact(names)) != n {
		t.Error("two worlds have one name")
	}
}

// The same of worlds with several operators or branches.
func TestEveryScheduleOfATreeGivesTheSame(t *testing.T) {
	trySchedules(t, treeWorlds(), (*schedules+2)/3, 400)
}
