package sim

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ubik/internal/ubiktest/naive"
)

// failing is a query some of whose rows cannot be written: x and y of its columns go into TINYINT, which holds values
// to 127. With INTEGER they all can be. The first that cannot is that of rows, another query of such columns.
type failing struct {
	name, sql, rows string
	prefix          bool // the rows before that one leave
	about           func(r naive.Row) string
}

func (f *failing) world(seed uint64, typ, sql string) World {
	var bands []naive.Band
	parts := []int{3}
	if strings.Contains(sql, "JOIN") {
		bands, parts = append(bands, bandOf("a.ts", "b.ts", 0, 6)), append(parts, 2)
	}
	return treeWorld(f.name, seed, 30, parts, bands, strings.NewReplacer("INT8", typ).Replace(sql))
}

// aboutPair is how a message names a joined row, by its key; … stands for the name of a reference, where there are several.
func aboutPair(r naive.Row) string {
	var at struct {
		A, B struct {
			Topic     string `json:"_topic"`
			Partition int    `json:"_partition"`
			Offset    int    `json:"_offset"`
		}
	}
	if err := json.Unmarshal([]byte(r.Key), &at); err != nil {
		panic(err)
	}
	return fmt.Sprintf(" of %s/%d…, position %d and %s/%d…, position %d: ", at.A.Topic, at.A.Partition, at.A.Offset, at.B.Topic, at.B.Partition, at.B.Offset)
}

// aboutGroup is how a message names the row of a group, by its key.
func aboutGroup(r naive.Row) string {
	var at struct{ W, K string }
	if err := json.Unmarshal([]byte(r.Key), &at); err != nil {
		panic(err)
	}
	start := strings.TrimSuffix(strings.Replace(at.W, "T", " ", 1), "Z")
	if at.K == "" {
		return " of window " + start + " to "
	}
	return fmt.Sprintf(" of window %s to ", start) + "…" + fmt.Sprintf(" and key (k = %q): ", at.K)
}

// Which row ends a run that meets some that cannot be written, and what left before it, is the same for every schedule:
// of one operator it is the first in the order in which its rows leave.
func TestTheRowAtWhichARunEndsIsTheFirst(t *testing.T) {
	ab := within("a", "a.ts", "b", "b.ts", 0, 6)
	pairs := "SELECT (a.v + 120)::INT8 AS x, (b.n + b.v + 117)::INT8 AS y FROM a JOIN b ON " + ab
	windows := "SELECT TUMBLE(ts, INTERVAL 10 SECONDS) AS w, k, (sum(v) + 100)::INT8 AS x, (sum(n) + 110)::INT8 AS y FROM a GROUP BY w, k"
	for _, f := range []failing{
		{"columns of a join", pairs, pairs, true, aboutPair},
		{"conditions of a join", pairs + " AND (a.n + b.v + 116)::INT8 > 0 WHERE (b.v + 119)::INT8 > 0",
			"SELECT x, y FROM (SELECT (a.v + 120)::INT8 AS x, (b.n + b.v + 117)::INT8 AS y, (a.n + b.v + 116)::INT8 AS v, (b.v + 119)::INT8 AS w FROM a JOIN b ON " + ab + ")", false, nil},
		{"columns of windows", windows, windows, true, aboutGroup},
		{"columns of a join below windows", "SELECT TUMBLE(at, INTERVAL 10 SECONDS) AS w, x, y, count(*) AS n FROM (SELECT b.ts AS at, " + strings.TrimPrefix(pairs, "SELECT ") + ") GROUP BY ALL", pairs, false, aboutPair},
		{"a join among others", "SELECT v AS x, n AS y FROM a UNION ALL " + pairs, pairs, false, aboutPair},
	} {
		t.Run(f.name, func(t *testing.T) {
			ended := 0
			for data := range uint64(4) {
				whole := f.world(data, "INTEGER", f.rows)
				want, err := whole.Naive(true, true)
				if err != nil {
					t.Fatal(err)
				}
				before := 0
				for before < len(want.Rows) && fits(want.Rows[before].Value) {
					before++
				}
				if before == len(want.Rows) {
					continue
				}
				ended++
				w := f.world(data, "TINYINT", f.sql)
				messages := map[string]bool{}
				for seed := range uint64(40) {
					x, err := newExecution(&w, seed, Options{Skip: true, Checkpoint: true, End: ToEnd, Crashes: int(seed % 3 * 2), Workers: []int{1, 2, 3, 16}})
					if err != nil {
						t.Fatal(err)
					}
					err = x.lives(&Result{})
					if err == nil || !strings.Contains(err.Error(), "a result cannot be written: ") {
						t.Fatalf("log %d, seed %d: the run ended with %v", data, seed, err)
					}
					messages[err.Error()] = true
					if f.about != nil && !containsInOrder(err.Error(), strings.Split(f.about(want.Rows[before]), "…")) {
						t.Fatalf("log %d, seed %d: the first is%s\n%v", data, seed, f.about(want.Rows[before]), err)
					}
					if !f.prefix {
						continue
					}
					rows, err := x.sink.rows(x.lanes())
					if err != nil {
						t.Fatal(err)
					}
					if err := diffRows(rows, &naive.Result{Rows: want.Rows[:before], Behind: want.Behind}); err != nil {
						t.Fatalf("log %d, seed %d: %v", data, seed, err)
					}
				}
				if len(messages) > 1 {
					t.Errorf("log %d: %d messages: %v", data, len(messages), messages)
				}
			}
			if ended == 0 {
				t.Error("no log has such a row")
			}
		})
	}
}

// fits reports whether all numbers of a row fit TINYINT.
func fits(value string) bool {
	var cols map[string]any
	if err := json.Unmarshal([]byte(value), &cols); err != nil {
		panic(err)
	}
	for _, v := range cols {
		if n, ok := v.(float64); ok && n > 127 {
			return false
		}
	}
	return true
}

func containsInOrder(s string, parts []string) bool {
	for _, p := range parts {
		_, after, found := strings.Cut(s, p)
		if !found {
			return false
		}
		s = after
	}
	return true
}
