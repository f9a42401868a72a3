package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"ubik/internal/ubiktest/naive"
	"ubik/internal/vec"
)

const second = int64(1e6)

// base is the time of the first records.
var base = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

func stamp(us int64) string { return time.UnixMicro(us).UTC().Format("2006-01-02T15:04:05.000000Z") }

// makeLog makes partitions of n records each. Times go up with some disorder; now and then one is far behind, positions
// have gaps. value writes the rest of a record.
func makeLog(seed uint64, parts, n int, step, disorder int64, value func(r *rand.Rand, i int) string) []naive.Partition {
	r := rand.New(rand.NewPCG(seed, 1))
	var out []naive.Partition
	for p := range parts {
		part := naive.Partition{Topic: "t", Index: int32(p)}
		at := base + int64(p)*step
		pos := int64(r.IntN(3))
		for i := range n {
			at += r.Int64N(2 * step)
			ts := at - r.Int64N(disorder+1)
			if r.IntN(10) == 0 {
				ts -= 4 * disorder
			}
			rec := naive.Record{Position: pos, Time: at, Value: []byte(`{"ts":"` + stamp(ts) + `"` + value(r, i) + `}`)}
			if r.IntN(4) == 0 {
				rec.Key = []byte(fmt.Sprint("k", r.IntN(3)))
			}
			part.Records = append(part.Records, rec)
			pos += 1 + int64(r.IntN(8)/6*r.IntN(4))
		}
		out = append(out, part)
	}
	return out
}

func pickOf(r *rand.Rand, choices ...string) string { return choices[r.IntN(len(choices))] }

// txn is a transaction: a merchant that may be NULL or absent, an amount in several spellings.
func txn(r *rand.Rand, i int) string {
	merchant := pickOf(r, `,"m":"a"`, `,"m":"b"`, `,"m":"a long name, with \"quotes\""`, `,"m":null`, "", `,"m":""`, `,"m":"\u00e9"`)
	return merchant + fmt.Sprintf(`,"amount":%s,"n":%d`, pickOf(r, "1.25", "-3", "1e2", "0.005", `"7.5"`, "null", "99999999.99"), r.IntN(7)-2)
}

const txnSchema = "m VARCHAR, amount DECIMAL(18,2), n INTEGER, ts TIMESTAMP, x DOUBLE, s STRUCT(a INTEGER)"

func doubles(r *rand.Rand, i int) string {
	return fmt.Sprintf(`,"m":%q,"x":%s`, pickOf(r, "a", "b"), pickOf(r, "1e100", "-1e100", "0.1", "0.2", "1e-300", "3", "-0.0", `"NaN"`, "1e308", "null"))
}

func mostlyDoubles(r *rand.Rand, i int) string {
	return fmt.Sprintf(`,"m":%q,"x":%s`, pickOf(r, "a", "b", "c"), pickOf(r, "1e100", "-1e100", "0.1", "0.2", "1e-300", "3", "-0.0", "1e16", "1"))
}

// faulty adds records of every malformed kind.
func faulty(log []naive.Partition) []naive.Partition {
	bad := []string{`{`, `{"ts":"2026-01-01"} x`, `{"ts":null}`, `{"ts":"no time"}`, `{"ts":"2026-01-01","n":"x"}`, `{"ts":"2026-01-01","m":"\ud800"}`,
		`{"ts":"0000-01-01"}`, `[1]`, `{"ts":"2026-01-01","ts":"2026-01-01"}`, "", `{"ts":"2026-01-01","amount":1e40}`}
	r := rand.New(rand.NewPCG(77, 1))
	for p := range log {
		recs := log[p].Records
		for i := range recs {
			if r.IntN(6) == 0 {
				recs[i].Value = []byte(bad[r.IntN(len(bad))])
			}
			if r.IntN(25) == 0 {
				recs[i].Value = nil
			}
		}
	}
	return log
}

// files makes the partitions files of odd names, which have no times.
func files(log []naive.Partition) []naive.Partition {
	for p, name := range []string{"a&b <1>.jsonl", "dir/\u2028\"quoted\".jsonl", "tab\t.jsonl"} {
		log[p].Topic, log[p].Index, log[p].Untimed = name, -1, true
	}
	return log
}

// worlds are the fixed logs and the queries over them.
func worlds() []World {
	minute := 60 * second
	return []World{
		{
			Name: "headline", Sources: []Source{{"txns", txnSchema, 5e6, ""}}, Partitions: makeLog(1, 3, 40, 4*second, 3*second, txn), Tail: 2,
			SQL: `SELECT m, TUMBLE(ts, INTERVAL 1 MINUTE) AS window, count(*) AS n, sum(amount) AS total FROM txns GROUP BY m, TUMBLE(ts, INTERVAL 1 MINUTE)`,
		}, {
			Name: "hop with partly late", Sources: []Source{{"txns", txnSchema, 2e6, ""}}, Partitions: makeLog(2, 2, 40, 5*second, 20*second, txn),
			SQL: `SELECT HOP(ts, INTERVAL 10 SECONDS, INTERVAL 1 MINUTE) AS w, m, count(*), sum(n), min(amount), max(m) FROM txns WHERE n > -2 GROUP BY ALL`,
		}, {
			Name: "hop with a slide that does not divide the size", Sources: []Source{{"txns", txnSchema, 7e6, ""}}, Partitions: makeLog(3, 3, 30, 6*second, 10*second, txn),
			SQL: `SELECT HOP(ts, INTERVAL 7 SECONDS, INTERVAL 20 SECONDS, INTERVAL 3 SECONDS) AS w, count(amount) AS c, avg(n) AS a FROM txns GROUP BY w`,
		}, {
			Name: "hop with gaps", Sources: []Source{{"txns", txnSchema, 4e6, ""}}, Partitions: makeLog(4, 4, 25, 3*second, 4*second, txn), Tail: 5,
			SQL: `SELECT n, HOP(ts, INTERVAL 30 SECONDS, INTERVAL 10 SECONDS) AS w, count(*) AS c, min(ts), max(ts) FROM txns GROUP BY n, w`,
		}, {
			Name: "filters and HAVING", Sources: []Source{{"txns", txnSchema, 1e6, ""}}, Partitions: makeLog(5, 3, 45, 2*second, 5*second, txn),
			SQL: `SELECT upper(m) AS um, n % 2 AS odd, TUMBLE(ts, INTERVAL 15 SECONDS) AS w, count(*) FILTER (WHERE amount > 0) AS pos,
				sum(amount) FILTER (WHERE n > 0) AS s, avg(amount) AS a, max(amount) - min(amount) AS spread, TUMBLE_END(ts, INTERVAL 15 SECONDS) AS e
				FROM txns GROUP BY upper(m), n % 2, w HAVING count(*) > 1 OR sum(n) > 2`,
		}, {
			Name: "doubles", Sources: []Source{{"t", txnSchema, 3e6, ""}}, Partitions: makeLog(6, 3, 40, 2*second, 2*second, mostlyDoubles),
			SQL: `SELECT m, TUMBLE(ts, INTERVAL 20 SECONDS) AS w, sum(x) AS s, avg(x) AS a, min(x) AS lo, max(x) AS hi FROM t GROUP BY m, w`,
		}, {
			Name: "doubles with NaN and keys of doubles", Sources: []Source{{"t", txnSchema, 3e6, ""}}, Partitions: makeLog(7, 2, 40, 2*second, 2*second, doubles),
			SQL: `SELECT x, TUMBLE(ts, INTERVAL 1 MINUTE) AS w, count(*) AS c, max(x) AS hi, sum(x) AS s FROM t GROUP BY x, w`,
		}, {
			Name: "malformed", Sources: []Source{{"txns", txnSchema, 5e6, ""}}, Partitions: faulty(makeLog(8, 3, 40, 4*second, 3*second, txn)), Tail: 1,
			SQL: `SELECT m, TUMBLE(ts, INTERVAL 1 MINUTE) AS window, count(*) AS n, sum(amount) AS total, max(n) FROM txns GROUP BY m, window`,
		}, {
			Name: "row errors", Sources: []Source{{"txns", txnSchema, 5e6, ""}}, Partitions: makeLog(9, 3, 40, 4*second, 10*second, txn),
			SQL: `SELECT TUMBLE(ts, INTERVAL 10 SECONDS) AS window, count(*) AS c, sum((n + 100)::TINYINT + 24::TINYINT) AS total FROM txns
				WHERE n <> 4 OR (m || '')::INTEGER > 0 GROUP BY window`,
		}, {
			Name: "no window", Sources: []Source{{"txns", txnSchema, vec.Forever, ""}}, Partitions: makeLog(10, 3, 30, 4*second, 3*second, txn),
			SQL: `SELECT m, count(*) AS c, sum(amount) AS total, sum(n) FROM txns WHERE amount IS NOT NULL GROUP BY m`,
		}, {
			Name: "no window and no group", Sources: []Source{{"txns", txnSchema, 5e6, ""}}, Partitions: makeLog(11, 2, 20, 4*second, 3*second, txn),
			SQL: `SELECT count(*), sum(amount), min(m), avg(n) FROM txns`,
		}, {
			Name: "record by record", Sources: []Source{{"txns", txnSchema, 5e6, ""}}, Partitions: faulty(makeLog(12, 3, 40, 4*second, 3*second, txn)), Tail: 3,
			SQL: `SELECT m, amount * 2 AS twice, ts, _offset, _key, _timestamp, CASE WHEN n > 0 THEN 'up' ELSE 'down' END AS way FROM txns WHERE n <> 0`,
		}, {
			Name: "files", Sources: []Source{{"txns", txnSchema, 5e6, ""}}, Partitions: files(makeLog(14, 3, 20, 4*second, 3*second, txn)),
			SQL: `SELECT m, n, _topic, _partition, _offset, _timestamp FROM txns WHERE n > 0`,
		}, {
			Name: "a key by name", Sources: []Source{{"txns", txnSchema, 5e6, ""}}, Partitions: makeLog(15, 3, 30, 4*second, 3*second, txn), Key: []string{"w", "m"},
			SQL: `SELECT m, count(*) AS c, TUMBLE(ts, INTERVAL 1 MINUTE) AS w FROM txns GROUP BY m, w`,
		}, {
			Name: "record by record with a key by name", Sources: []Source{{"txns", txnSchema, 5e6, ""}}, Partitions: makeLog(16, 2, 30, 4*second, 3*second, txn), Key: []string{"_partition", "at"},
			SQL: `SELECT m, _offset AS at, _partition FROM txns`,
		}, {
			Name: "an empty log", Sources: []Source{{"txns", txnSchema, 5e6, ""}}, Partitions: []naive.Partition{{Topic: "t"}, {Topic: "t", Index: 1}},
			SQL: `SELECT m, TUMBLE(ts, INTERVAL 1 MINUTE) AS window, count(*) AS n FROM txns GROUP BY m, window`,
		}, {
			Name: "months", Sources: []Source{{"txns", txnSchema, 3600e6, ""}}, Partitions: makeLog(13, 2, 40, 5*24*60*minute, 2*24*60*minute, txn),
			SQL: `SELECT HOP(ts, INTERVAL 1 MONTH, INTERVAL 1 QUARTER) AS w, count(*) AS n, max(ts) FROM txns GROUP BY w`,
		},
	}
}

// unbounded reports whether a world's query may run without an end.
func (w *World) unbounded() bool { return !strings.HasPrefix(w.Name, "no window") }
