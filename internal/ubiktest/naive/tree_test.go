package naive

import (
	"fmt"
	"strings"
	"testing"
)

// tree is a query over sources a, b and c, whose records are written k@second, or k@second/second with a second time u.
func tree(t *testing.T, sql string, bounded bool, bands []Band, logs ...string) *Result {
	t.Helper()
	const schema = "k VARCHAR, ts TIMESTAMP, u TIMESTAMP"
	q := Query{SQL: sql, Bands: bands, Bounded: bounded}
	var parts []Partition
	for i, log := range logs {
		name := string(rune('a' + i))
		q.Sources = append(q.Sources, Source{name, schema, 0, ""})
		part := Partition{Source: i, Topic: name}
		for pos, f := range strings.Fields(log) {
			k, at, _ := strings.Cut(f, "@")
			ts, u, ok := strings.Cut(at, "/")
			if !ok {
				u = ts
			}
			part.Records = append(part.Records, Record{Position: int64(pos), Value: []byte(`{"k":"` + k + `","ts":"2026-01-01 00:00:` + ts + `","u":"2026-01-01 00:00:` + u + `"}`)})
		}
		parts = append(parts, part)
	}
	res, err := Evaluate(q, parts)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return res
}

// brief shows each row as lane:key=value@second, without what is the same everywhere.
func brief(rows []Row) string {
	short := strings.NewReplacer(`{"_topic":`, "", `,"_partition":0,"_offset":`, "", `"_topic":`, "", `"`, "", "2026-01-01T00:00:", "", "{", "", "}", "")
	var out []string
	for _, r := range rows {
		out = append(out, strings.TrimPrefix(r.Lane+":", ":")+short.Replace(r.Key)+"="+short.Replace(r.Value)+"@"+instantText(r.Time*1000, " ")[17:])
	}
	return strings.Join(out, " ")
}

func band(left, right string, lo, hi int64) Band {
	return Band{Times: [2]string{left, right}, Lo: lo * second, Hi: hi * second}
}

func within(l, r string, lo, hi string) string {
	return l + ".k = " + r + ".k AND " + r + ".ts BETWEEN " + l + ".ts - INTERVAL " + lo + " SECONDS AND " + l + ".ts + INTERVAL " + hi + " SECONDS"
}

func TestTreesByHand(t *testing.T) {
	ab, bc := within("a", "b", "0", "5"), within("b", "c", "1", "1")
	for _, c := range []struct {
		name, sql string
		bands     []Band
		logs      []string
		want      string
	}{
		// y meets itself, x@02 and x@03 the u of x@02; that of x@03 is more than 5 s from all.
		{"a self-join", "SELECT l.k AS k FROM a l JOIN a r ON l.k = r.k AND r.u BETWEEN l.ts AND l.ts + INTERVAL 5 SECONDS", []Band{band("l.ts", "r.u", 0, 5)},
			[]string{"y@01/02 x@02/04 x@03/09"}, "l:a0,r:a0=k:y@02 l:a1,r:a1=k:x@04 l:a2,r:a1=k:x@04"},
		// The pair of a and b has t = 2; c@04 is too far from b@02.
		{"a chain", "SELECT a.k FROM a JOIN b ON " + ab + " JOIN c ON " + bc, []Band{band("a.ts", "b.ts", 0, 5), band("b.ts", "c.ts", -1, 1)},
			[]string{"x@01", "x@02", "x@01 x@03 x@04"}, "a:a0,b:b0,c:c0=k:x@02 a:a0,b:b0,c:c1=k:x@03"},
		// z has no b, but a c.
		{"LEFT, then INNER by the left time", "SELECT a.k, b.ts AS b FROM a LEFT JOIN b ON " + ab + " JOIN c ON " + within("a", "c", "0", "1"), []Band{band("a.ts", "b.ts", 0, 5), band("a.ts", "c.ts", 0, 1)},
			[]string{"x@01 z@02", "x@02", "x@02 z@02"}, "a:a0,b:b0,c:c0=k:x,b:02Z@02 a:a1,c:c1=k:z,b:null@02"},
		{"FULL twice", "SELECT a.k AS a, b.k AS b, c.k AS c FROM a FULL JOIN b ON " + within("a", "b", "0", "0") + " FULL JOIN c ON a.k = c.k AND c.ts = a.ts", []Band{band("a.ts", "b.ts", 0, 0), band("coalesce(a.ts, b.ts)", "c.ts", 0, 0)},
			[]string{"x@01 y@01", "x@01 z@01", "x@01 w@01"}, "a:a0,b:b0,c:c0=a:x,b:x,c:x@01 a:a1=a:y,b:null,c:null@01 b:b1=a:null,b:z,c:null@01 c:c1=a:null,b:null,c:w@01"},
		{"windows over a join", "SELECT TUMBLE(b.ts, INTERVAL 10 SECONDS) AS w, count(*) AS n FROM a JOIN b ON " + ab + " GROUP BY w", []Band{band("a.ts", "b.ts", 0, 5)},
			[]string{"x@01 x@08", "x@02 x@06 x@12"}, "w:00Z=w:00Z,n:2@09.999 w:10Z=w:10Z,n:1@19.999"},
		{"windows over a union", "SELECT TUMBLE(at, INTERVAL 10 SECONDS) AS w, who, count(*) AS n FROM (SELECT ts AS at, 'a' AS who FROM a UNION ALL SELECT u, k FROM b) GROUP BY w, who", nil,
			[]string{"x@01 x@11", "y@02/03 a@04"}, "w:00Z,who:a=w:00Z,who:a,n:2@09.999 w:00Z,who:y=w:00Z,who:y,n:1@09.999 w:10Z,who:a=w:10Z,who:a,n:1@19.999"},
		{"a union joined", "SELECT x.n, c.k FROM (SELECT k, ts, 1 AS n FROM a UNION ALL SELECT k, ts, 2 FROM b) x JOIN c ON x.k = c.k AND c.ts = x.ts", []Band{band("x.ts", "c.ts", 0, 0)},
			[]string{"x@01", "x@01", "x@01"}, "x.1:a0,c:c0=n:1,k:x@01 x.2:b0,c:c0=n:2,k:x@01"},
		{"branches", "SELECT k FROM a WHERE k = 'x' UNION ALL SELECT max(k) FROM b GROUP BY TUMBLE(ts, INTERVAL 10 SECONDS) UNION ALL SELECT b.k FROM a JOIN b ON " + ab, []Band{band("a.ts", "b.ts", 0, 5)},
			[]string{"x@01 y@02", "y@03 z@04"}, "1 a/0:_branch:1,a0=k:x@00 2:_branch:2,window:00Z=k:z@09.999 3:_branch:3,a:a1,b:b0=k:y@03"},
		{"windows over windows", "SELECT TUMBLE(e, INTERVAL 20 SECONDS) AS w, max(n) AS most, count(*) AS c FROM (SELECT k, TUMBLE_END(ts, INTERVAL 10 SECONDS) - INTERVAL 1 MICROSECOND AS e, count(*) AS n FROM a GROUP BY k, TUMBLE(ts, INTERVAL 10 SECONDS)) WHERE n > 1 GROUP BY w", nil,
			[]string{"x@01 x@02 y@03 x@11 x@11 x@12 y@12 y@20"}, "w:00Z=w:00Z,most:3,c:2@19.999"},
		{"EXISTS twice", "SELECT k FROM a WHERE EXISTS (SELECT 1 FROM b WHERE " + ab + ") AND k <> 'w' AND NOT EXISTS (SELECT 1 FROM c WHERE k = a.k AND c.ts = a.ts)", []Band{band("ts", "ts", 0, 5), band("ts", "ts", 0, 0)},
			[]string{"x@01 y@02 w@02", "x@01 y@02 w@02", "x@01"}, "a:a1=k:y@02"},
		{"queries without a name", "SELECT unnamed_subquery.k, l FROM (SELECT k, ts FROM a) JOIN (SELECT k AS l, u FROM b) ON k = l AND ts = unnamed_subquery2.u", []Band{band("ts", "u", 0, 0)},
			[]string{"x@01", "x@01"}, "unnamed_subquery:a0,unnamed_subquery2:b0=k:x,l:x@01"},
		{"USING", "SELECT *, k AS one FROM a JOIN b USING (k) JOIN c USING (k) WHERE b.ts = a.ts AND c.ts = a.ts", []Band{band("a.ts", "b.ts", 0, 0), band("a.ts", "c.ts", 0, 0)},
			[]string{"x@01 y@02", "x@01 y@02", "x@01"}, "a:a0,b:b0,c:c0=k:x,ts:01Z,u:01Z,ts:01Z,u:01Z,ts:01Z,u:01Z,one:x@01"},
		{"all conditions in WHERE", "SELECT a.k FROM a, b, c WHERE c.k = b.k AND " + ab + " AND c.ts = b.ts AND a.k = c.k", []Band{band("a.ts", "b.ts", 0, 5), band("b.ts", "c.ts", 0, 0)},
			[]string{"x@01 y@02", "x@02 y@02", "x@02 y@03"}, "a:a0,b:b0,c:c0=k:x@02"},
		{"a join in a query in FROM", "SELECT q.ka, c.k FROM (SELECT a.k AS ka, b.ts AS tb FROM a JOIN b ON " + ab + ") AS q(ka, at) JOIN c ON q.ka = c.k AND c.ts = q.at", []Band{band("a.ts", "b.ts", 0, 5), band("at", "ts", 0, 0)},
			[]string{"x@01", "x@02", "x@02"}, "q.a:a0,q.b:b0,c:c0=ka:x,k:x@02"},
	} {
		if got := brief(tree(t, c.sql, true, c.bands, c.logs...).Rows); got != c.want {
			t.Errorf("%s\n%s\ngot  %s\nwant %s", c.name, c.sql, got, c.want)
		}
	}
}

// Each reference has its own time column, so its own late records, and its own WHERE.
func TestEachReferenceHasItsOwnLedger(t *testing.T) {
	res := tree(t, "SELECT l.k FROM a l JOIN a r ON l.k = r.k AND r.u = l.ts WHERE r.k <> 'y'", true, []Band{band("l.ts", "r.u", 0, 0)}, "x@05/01 x@03/02 y@06/02")
	l, r := res.Ledgers[0], res.Ledgers[1]
	if l.Late != 1 || l.FirstLate != 1 || l.Used != 2 || l.Filtered != 0 || r.Late != 0 || r.Filtered != 1 || r.Used != 2 {
		t.Errorf("left %+v, right %+v", l, r)
	}
}

// The cursor of the join is 20 s. What a window over it may still wait for is the time it uses, less how long after that
// a row of the join may leave.
func TestAJoinHandsOnItsCursorLessWhatARowMayWait(t *testing.T) {
	logs := []string{"x@01 x@05 x@10 x@15 x@20", "x@01 x@05 x@10 x@15 x@20"}
	for _, c := range []struct{ kind, time, want string }{
		{"JOIN", "a.ts", "00 05 10"}, {"JOIN", "b.ts", "00 05 10 15"}, {"JOIN", "greatest(a.ts, b.ts)", "00 05 10 15"},
		{"LEFT JOIN", "a.ts", "00 05 10"}, {"LEFT JOIN", "greatest(b.ts, a.ts)", "00 05 10"},
		{"RIGHT JOIN", "b.ts", "00 05 10 15"}, {"RIGHT JOIN", "greatest(a.ts, b.ts)", "00 05 10 15"},
		{"FULL JOIN", "greatest(a.ts, b.ts)", "00 05 10"}, {"SEMI JOIN", "a.ts", "00 05 10"},
	} {
		q := "SELECT HOP(" + c.time + ", INTERVAL 5 SECONDS, INTERVAL 5 SECONDS) AS w, count(*) AS n FROM a " + c.kind + " b ON " + within("a", "b", "0", "5") + " GROUP BY w"
		var starts []string
		for _, r := range tree(t, q, false, []Band{band("a.ts", "b.ts", 0, 5)}, logs...).Rows {
			starts = append(starts, r.Key[len(`{"w":"2026-01-01T00:00:`):][:2])
		}
		if got := strings.Join(starts, " "); got != c.want {
			t.Errorf("%s over %s: windows from %s left, want %s", c.kind, c.time, got, c.want)
		}
	}
}

// However a condition on one source is written, where nothing is left of a row that fails it, it removes the record.
func TestAConditionOnOneSourceAppliesToItsRecords(t *testing.T) {
	ab, ac := within("a", "b", "0", "5"), within("a", "c", "0", "5")
	bands := []Band{band("a.ts", "b.ts", 0, 5), band("a.ts", "c.ts", 0, 5)}
	sub := []Band{band("ts", "ts", 0, 5), band("x.ts", "c.ts", 0, 5)}
	for _, c := range []struct {
		sql   string
		bands []Band
		want  [3]int // filtered
	}{
		{"SELECT 1 FROM a JOIN b ON " + ab + " JOIN c ON " + ac + " WHERE a.k <> 'y' AND b.k <> 'y'", bands, [3]int{1, 1, 0}},
		{"SELECT 1 FROM a JOIN b ON " + ab + " JOIN c ON " + ac + " AND a.k <> 'y' AND c.k <> 'y'", bands, [3]int{1, 0, 1}},
		{"SELECT 1 FROM a JOIN b ON " + ab + " LEFT JOIN c ON " + ac + " AND a.k <> 'y' AND c.k <> 'y'", bands, [3]int{0, 0, 1}},
		{"SELECT 1 FROM a LEFT JOIN b ON " + ab + " LEFT JOIN c ON " + ac + " WHERE a.k <> 'y' AND b.k <> 'y' AND c.k <> 'y'", bands, [3]int{1, 0, 0}},
		{"SELECT 1 FROM a JOIN b ON " + ab + " RIGHT JOIN c ON " + ac + " AND b.k <> 'y' AND a.k <> b.k WHERE c.k <> 'y'", bands, [3]int{0, 1, 1}},
		{"SELECT 1 FROM a FULL JOIN b ON " + ab + " AND a.k <> 'y' JOIN c ON " + within("a", "c", "0", "5") + " WHERE a.k <> 'y'", []Band{bands[0], band("greatest(a.ts, b.ts)", "c.ts", 0, 5)}, [3]int{0, 0, 0}},
		{"SELECT 1 FROM a WHERE EXISTS (SELECT 1 FROM b WHERE " + ab + " AND a.k <> 'y') AND NOT EXISTS (SELECT 1 FROM c WHERE " + ac + " AND c.k <> 'y' AND a.k <> 'x')", bands, [3]int{1, 0, 1}},
		{"SELECT 1 FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE " + ab + ") AND EXISTS (SELECT 1 FROM c WHERE " + ac + " AND a.k <> 'y')", bands, [3]int{1, 0, 0}},
		{"SELECT 1 FROM (SELECT a.k AS k, b.k AS l, a.ts AS ts FROM a JOIN b ON " + ab + ") x JOIN c ON " + within("x", "c", "0", "5") + " AND x.l <> 'y' WHERE x.k <> 'y'", sub, [3]int{1, 1, 0}},
		{"SELECT 1 FROM (SELECT k || l AS k FROM (SELECT a.k AS k, b.k AS l FROM a JOIN b ON " + ab + ") x) y WHERE k <> 'yy'", bands[:1], [3]int{0, 0, 0}},
	} {
		res := tree(t, c.sql, true, c.bands, "x@01 y@02 z@03", "x@01 y@02", "x@01 y@02")
		got := [3]int{}
		for i, l := range res.Ledgers {
			got[i] = l.Filtered
		}
		if got != c.want {
			t.Errorf("%s: filtered %v, want %v", c.sql, got, c.want)
		}
	}
}

func TestEachJoinIsToldItsBand(t *testing.T) {
	const text = "SELECT 1 FROM t a JOIN t b ON a.k = b.k"
	one := Band{Times: [2]string{"a.ts", "b.ts"}}
	for n, want := range map[int]string{0: "naive: not supported: a join without a band told", 1: "<nil>", 3: "naive: not supported: 2 bands more than joins"} {
		q := Query{SQL: text, Sources: []Source{{"t", "k VARCHAR, ts TIMESTAMP", Unlimited, ""}}, Bounded: true}
		for range n {
			q.Bands = append(q.Bands, one)
		}
		if _, err := Evaluate(q, nil); fmt.Sprint(err) != want {
			t.Errorf("%d bands: %v, want %s", n, err, want)
		}
	}
}
