package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ubik/internal/ubiktest/naive"
	"ubik/internal/vec"
)

// makeSide makes the partitions of one source of a join. Times are whole seconds, many of them equal, some 1 µs beside,
// so that rows lie on the bounds of a band and next to them; now and then one is far behind. Keys are few, or NULL.
func makeSide(seed uint64, source, parts, n int, keys string) []naive.Partition {
	r := rand.New(rand.NewPCG(seed, uint64(source)+9))
	names := strings.Fields(keys)
	var out []naive.Partition
	for p := range parts {
		part := naive.Partition{Source: source, Topic: string(rune('a' + source)), Index: int32(p)}
		at, pos := base, int64(r.IntN(2))
		for i := range n {
			at += second * int64(r.IntN(4)/2*(1+r.IntN(3)))
			ts := at - second*int64(r.IntN(4)/3*r.IntN(4)) + int64(r.IntN(6)/4*(r.IntN(3)-1))
			if r.IntN(12) == 0 {
				ts -= 20 * second
			}
			key := names[r.IntN(len(names))]
			if key == "absent" {
				key = ""
			} else if key != "null" {
				key = `"` + key + `"`
			}
			if key != "" {
				key = `,"k":` + key
			}
			value := fmt.Sprintf(`{"ts":"%s"%s,"n":%s,"v":%d}`, stamp(ts), key, pickOf(r, "1", "2", "3", "null"), i)
			part.Records = append(part.Records, naive.Record{Position: pos, Time: at, Value: []byte(value)})
			pos += 1 + int64(r.IntN(5)/4*r.IntN(3))
		}
		out = append(out, part)
	}
	return out
}

// makeSides is a log of 3 × 2 partitions.
func makeSides(seed uint64, n int, keys string) []naive.Partition {
	return append(makeSide(seed, 0, 3, n, keys), makeSide(seed, 1, 2, n*3/2, keys)...)
}

const (
	sideSchema = "k VARCHAR, n INTEGER, v INTEGER, ts TIMESTAMP"
	fewKeys    = "x x y z null absent"
)

// joinWorld is a world that joins a to b; lo and hi are seconds.
func joinWorld(name string, delays [2]vec.Time, lo, hi int64, log []naive.Partition, sql string) World {
	return World{
		Name: name, Sources: []Source{{"a", sideSchema, delays[0], ""}, {"b", sideSchema, delays[1], ""}}, SQL: sql, Partitions: log,
		Bands: []naive.Band{{Times: [2]string{"ts", "ts"}, Lo: lo * second, Hi: hi * second}},
	}
}

// shortBy moves the bounds of a world's band inwards, in µs.
func (w World) shortBy(lo, hi int64) World {
	w.Bands[0].Lo += lo
	w.Bands[0].Hi -= hi
	return w
}

func delaysOf(left, right int64) [2]vec.Time {
	return [2]vec.Time{vec.Time(left * second), vec.Time(right * second)}
}

// joinWorlds are fixed logs of two sources and joins of them.
func joinWorlds() []World {
	const both = "a.k AS ak, b.k AS bk, a.ts AS at, b.ts AS bt, a.v AS av, b.v AS bv"
	out := []World{
		joinWorld("inner", delaysOf(3, 5), 0, 10, makeSides(1, 20, fewKeys),
			"SELECT "+both+", b.ts - a.ts AS took FROM a JOIN b ON a.k = b.k AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 10 SECONDS"),
		joinWorld("inner with strict bounds and conditions on each side", delaysOf(3, 1), -2, 6, faulty(makeSides(2, 20, "x y")),
			"SELECT "+both+" FROM a JOIN b ON a.k = b.k AND b.ts > a.ts - INTERVAL 2 SECONDS AND b.ts < a.ts + INTERVAL 6 SECONDS WHERE a.n > 1 AND b.v % 3 <> 1").shortBy(1, 1),
		joinWorld("inner of one key", delaysOf(2, 2), -1, 1, makeSides(3, 12, "x"),
			"SELECT "+both+" FROM a JOIN b ON a.k = b.k AND a.ts - b.ts BETWEEN INTERVAL '-1 second' AND INTERVAL 1 SECOND"),
		joinWorld("left", delaysOf(3, 0), -2, 10, makeSides(4, 20, fewKeys),
			"SELECT "+both+" FROM a LEFT JOIN b ON a.k = b.k AND b.ts BETWEEN a.ts - INTERVAL 2 SECONDS AND a.ts + INTERVAL 10 SECONDS"),
		joinWorld("left with a band ahead", delaysOf(6, 2), 4, 9, makeSides(5, 20, fewKeys),
			"SELECT "+both+" FROM a LEFT OUTER JOIN b ON b.k = a.k AND b.ts >= a.ts + INTERVAL 4 SECONDS AND a.ts + INTERVAL 9 SECONDS >= b.ts"),
		joinWorld("left with a residual", delaysOf(4, 4), -4, 4, makeSides(6, 20, fewKeys),
			"SELECT "+both+" FROM a LEFT JOIN b ON a.k = b.k AND b.ts BETWEEN a.ts - INTERVAL 4 SECONDS AND a.ts + INTERVAL 4 SECONDS AND a.n <= b.n"),
		joinWorld("right", delaysOf(0, 3), -10, 2, makeSides(7, 20, fewKeys),
			"SELECT "+both+" FROM a RIGHT JOIN b ON a.k = b.k AND a.ts BETWEEN b.ts - INTERVAL 2 SECONDS AND b.ts + INTERVAL 10 SECONDS"),
		joinWorld("right with a band behind", delaysOf(2, 5), -9, -3, makeSides(8, 20, fewKeys),
			"SELECT "+both+" FROM a RIGHT JOIN b ON a.k = b.k AND b.ts <= a.ts - INTERVAL 3 SECONDS AND b.ts >= a.ts - INTERVAL 9 SECONDS"),
		joinWorld("full", delaysOf(0, 7), -5, 5, makeSides(9, 20, fewKeys),
			"SELECT "+both+" FROM a FULL JOIN b ON a.k = b.k AND b.ts BETWEEN a.ts - INTERVAL 5 SECONDS AND a.ts + INTERVAL 5 SECONDS"),
		joinWorld("full with a band behind and two keys", delaysOf(5, 3), -15, -4, makeSides(10, 25, "x y null"),
			"SELECT "+both+" FROM a FULL JOIN b ON a.n = b.n AND upper(a.k) = upper(b.k) AND b.ts BETWEEN a.ts - INTERVAL 15 SECONDS AND a.ts - INTERVAL 4 SECONDS"),
		joinWorld("full of equal times", delaysOf(3, 3), 0, 0, makeSides(11, 20, "x y null"),
			"SELECT "+both+" FROM a FULL JOIN b ON a.k = b.k AND a.ts = b.ts"),
		joinWorld("full with a residual and a band ahead", delaysOf(4, 0), 2, 8, faulty(makeSides(12, 25, "x y null")),
			"SELECT "+both+" FROM a FULL JOIN b ON a.k = b.k AND b.ts BETWEEN a.ts + INTERVAL 2 SECONDS AND a.ts + INTERVAL 8 SECONDS AND b.v - a.v > 3"),
		joinWorld("semi", delaysOf(3, 5), -3, 3, makeSides(13, 20, fewKeys),
			"SELECT a.k, a.ts, v FROM a SEMI JOIN b ON a.k = b.k AND b.ts BETWEEN a.ts - INTERVAL 3 SECONDS AND a.ts + INTERVAL 3 SECONDS"),
		joinWorld("exists ahead", delaysOf(5, 2), 4, 12, makeSides(14, 20, fewKeys),
			"SELECT k, ts, v FROM a WHERE EXISTS (SELECT 1 FROM b WHERE a.k = b.k AND b.ts BETWEEN a.ts + INTERVAL 4 SECONDS AND a.ts + INTERVAL 12 SECONDS AND b.n <> a.n)"),
		joinWorld("exists behind", delaysOf(1, 4), -12, -4, makeSides(15, 20, fewKeys),
			"SELECT k, ts, v FROM a WHERE n > 0 AND EXISTS (SELECT 1 FROM b WHERE a.k = b.k AND b.ts BETWEEN a.ts - INTERVAL 12 SECONDS AND a.ts - INTERVAL 4 SECONDS)"),
		joinWorld("anti", delaysOf(3, 3), -1, 2, makeSides(16, 20, fewKeys),
			"SELECT a.k, a.ts, v FROM a ANTI JOIN b ON a.k = b.k AND b.ts BETWEEN a.ts - INTERVAL 1 SECOND AND a.ts + INTERVAL 2 SECONDS"),
		joinWorld("not exists behind", delaysOf(0, 6), -7, -1, faulty(makeSides(17, 25, "x y null")),
			"SELECT k, ts, v FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE a.k = b.k AND b.ts < a.ts AND a.ts - INTERVAL 7 SECONDS <= b.ts AND b.n = a.n)").shortBy(0, -second+1),
		joinWorld("an unlimited delay on one side", [2]vec.Time{vec.Forever, 2e6}, 0, 3, makeSides(18, 20, fewKeys),
			"SELECT "+both+" FROM a FULL JOIN b ON a.k = b.k AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 3 SECONDS"),
		joinWorld("an empty side", delaysOf(2, 2), -3, 3, append(makeSide(19, 0, 3, 20, fewKeys), naive.Partition{Source: 1, Topic: "b"}, naive.Partition{Source: 1, Topic: "b", Index: 1}),
			"SELECT "+both+" FROM a FULL JOIN b ON a.k = b.k AND b.ts BETWEEN a.ts - INTERVAL 3 SECONDS AND a.ts + INTERVAL 3 SECONDS"),
		joinWorld("a join with a key by name", delaysOf(2, 2), -3, 3, makeSides(20, 15, fewKeys),
			"SELECT a._partition AS ap, a._offset AS ao, b._partition AS bp, b._offset AS bo, a.k AS k FROM a FULL JOIN b ON a.k = b.k AND b.ts BETWEEN a.ts - INTERVAL 3 SECONDS AND a.ts + INTERVAL 3 SECONDS"),
		joinWorld("files against a topic", delaysOf(3, 3), -2, 5, append(files(makeSide(21, 0, 3, 20, fewKeys)), makeSide(21, 1, 2, 30, fewKeys)...),
			"SELECT "+both+" FROM a LEFT JOIN b ON a.k = b.k AND b.ts BETWEEN a.ts - INTERVAL 2 SECONDS AND a.ts + INTERVAL 5 SECONDS"),
	}
	for i := range out {
		out[i].Tail = int64(i % 3)
		if out[i].Name == "a join with a key by name" {
			out[i].Key = []string{"ap", "ao", "bp", "bo"}
		}
	}
	return out
}

// The logs hold what a join can go wrong at: late rows of either side, rows on the bounds of the band and 1 µs beside,
// equal times, rows without a partner. Else the schedules would prove little.
func TestTheLogsOfJoinsHoldTheHardCases(t *testing.T) {
	late, rows, edges := [2]int{}, 0, map[int64]int{}
	for _, w := range joinWorlds() {
		res, err := w.Naive(true, true)
		if err != nil {
			t.Errorf("%s: %v", w.Name, err)
			continue
		}
		if len(res.Rows) < 5 {
			t.Errorf("%s has only %d rows", w.Name, len(res.Rows))
		}
		rows += len(res.Rows)
		for i, l := range res.Ledgers {
			late[w.Partitions[i].Source] += l.Late
		}
		times := [2][]int64{}
		for _, p := range w.Partitions {
			for _, r := range p.Records {
				if i := slices.Index(r.Value, 'Z'); i > 26 {
					if us, ok := timeOf(string(r.Value[i-26 : i+1])); ok {
						times[p.Source] = append(times[p.Source], us)
					}
				}
			}
		}
		for _, l := range times[0] {
			for _, r := range times[1] {
				for _, d := range []int64{r - l - w.Bands[0].Lo, r - l - w.Bands[0].Hi} {
					if d >= -1 && d <= 1 {
						edges[d]++
					}
				}
			}
		}
	}
	if late[0] < 50 || late[1] < 50 || rows < 1000 || edges[-1] < 100 || edges[0] < 100 || edges[1] < 100 {
		t.Errorf("late rows left and right %v, %d output rows, pairs at a bound by distance %v", late, rows, edges)
	}
}

func timeOf(text string) (int64, bool) {
	at, err := time.Parse("2006-01-02T15:04:05.000000Z", text)
	return at.UnixMicro(), err == nil
}
