package naive

import (
	"strings"
	"testing"
)

// joinParts are two left partitions and one right one. The times are seconds of 2026-01-01.
func joinParts(left0, left1, right string) []Partition {
	part := func(source int, topic string, index int32, text string) Partition {
		p := Partition{Source: source, Topic: topic, Index: index}
		for i, f := range strings.Fields(text) {
			k, at, _ := strings.Cut(f, "@")
			key := `"` + k + `"`
			if k == "-" {
				key = "null"
			}
			p.Records = append(p.Records, Record{Position: int64(i), Value: []byte(`{"k":` + key + `,"ts":"2026-01-01 00:00:` + at + `"}`)})
		}
		return p
	}
	return []Partition{part(0, "a", 0, left0), part(0, "a", 1, left1), part(1, "b", 0, right)}
}

func joinQuery(sql string, bounded bool) Query {
	const schema = "k VARCHAR, ts TIMESTAMP"
	return Query{
		SQL: sql, Sources: []Source{{"a", schema, 5e6, ""}, {"b", schema, 0, ""}}, Bounded: bounded,
		Bands: []Band{{Times: [2]string{"ts", "ts"}, Lo: -2e6, Hi: 10e6}},
	}
}

const joinOn = "ON a.k = b.k AND b.ts BETWEEN a.ts - INTERVAL 2 SECONDS AND a.ts + INTERVAL 10 SECONDS"

// By hand: x@01 of partition 0 meets x@00 (1 s inside the band) and x@11 (its end), x@20 is alone, the row without a key too;
// y@03 meets nothing but y@14, which is 1 s beyond. Of the right rows y@14 and z@30 are alone; y@13 is late.
func TestJoinsByHand(t *testing.T) {
	parts := joinParts("x@01 -@02 x@20", "y@03", "x@00 x@11 y@14 y@13 z@30")
	type c struct{ head, tail, want string }
	show := "a.k AS lk, a.ts AS l, b.ts AS r"
	for _, c := range []c{
		{"SELECT " + show + " FROM a JOIN b", joinOn, "0/0+0@01 0/0+1@11"},
		{"SELECT " + show + " FROM a LEFT JOIN b", joinOn, "0/0+0@01 0/0+1@11 0/1@12 1/0@13 0/2@30"},
		{"SELECT " + show + " FROM a RIGHT JOIN b", joinOn, "0/0+0@01 0/0+1@11 +2@16 +4@32"},
		{"SELECT " + show + " FROM a FULL JOIN b", joinOn, "0/0+0@01 0/0+1@11 0/1@12 1/0@13 +2@16 0/2@30 +4@32"},
		{"SELECT k FROM a SEMI JOIN b", joinOn, "0/0@01"},
		{"SELECT k FROM a ANTI JOIN b", joinOn, "0/1@12 1/0@13 0/2@30"},
		{"SELECT k FROM a", "WHERE EXISTS (SELECT 1 FROM b WHERE k = a.k AND b.ts <= a.ts + INTERVAL 10 SECONDS AND a.ts - INTERVAL 2 SECONDS <= ts)", "0/0@01"},
		{"SELECT k FROM a", "WHERE a.k <> 'y' AND NOT EXISTS (FROM b WHERE k = a.k AND ts - a.ts BETWEEN INTERVAL '-2 seconds' AND INTERVAL 10 SECONDS)", "0/2@30"},
		{"SELECT " + show + " FROM a LEFT JOIN b", joinOn + " WHERE b.k IS NULL AND a.k IS NOT NULL", "1/0@13 0/2@30"},
	} {
		res, err := Evaluate(joinQuery(c.head+" "+c.tail, true), parts)
		if err != nil {
			t.Errorf("%s %s: %v", c.head, c.tail, err)
			continue
		}
		if got := places(res.Rows); got != c.want {
			t.Errorf("%s %s\ngot  %s\nwant %s", c.head, c.tail, got, c.want)
		}
		if l := res.Ledgers[2]; l.Late != 1 || l.FirstLate != 3 || l.WorstBehind != 1e6 || l.Used != 4 {
			t.Errorf("%s: the right ledger is %+v", c.head, l)
		}
	}
}

// The watermarks at the end are 15, 13 and 30 s, so the cursor is 13 s: what has t = 13 s stays.
func TestAJoinWithoutAnEndHoldsWhatIsNotBehindTheCursor(t *testing.T) {
	parts := joinParts("x@01 -@02 x@20", "y@03 y@18", "x@00 x@11 y@14 y@13 z@30")
	res, err := Evaluate(joinQuery("SELECT a.k AS lk FROM a FULL JOIN b "+joinOn, false), parts)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := places(res.Rows), "0/0+0@01 0/0+1@11 0/1@12"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// places shows each row as left partition/position + right position @ second.
func places(rows []Row) string {
	var out []string
	for _, r := range rows {
		s := strings.NewReplacer(`{"a":{"_topic":"a","_partition":`, "", `,"_offset":`, "/", `},"b":{"_topic":"b","_partition":0,"_offset":`, "+",
			`{"b":{"_topic":"b","_partition":0,"_offset":`, "+", "}", "").Replace(r.Key)
		out = append(out, s+"@"+instantText(r.Time*1000, " ")[17:])
	}
	return strings.Join(out, " ")
}
