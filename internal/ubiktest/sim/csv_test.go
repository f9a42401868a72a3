package sim

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	csvrec "ubik/internal/codec/csv"
	"ubik/internal/runner"
	"ubik/internal/ubiktest/naive"
)

const exportSchema = "m VARCHAR, amount DECIMAL(18,2), note VARCHAR, n INTEGER, x DOUBLE, ts TIMESTAMP"

// exported is what exports hold: texts with all that is special in CSV, empty ones, NULL as null or not at all.
func exported(r *rand.Rand, i int) string {
	return pickOf(r, `,"m":"a"`, `,"m":"b"`, `,"m":"a"`, `,"m":"c, d"`, `,"m":null`, "", `,"m":""`, `,"m":"\u00e9"`) +
		pickOf(r, "", `,"note":""`, `,"note":"said \"no\""`, `,"note":"two\nlines; a, b"`, `,"note":"\\"`, `,"note":"it's"`, `,"note":"NULL"`, `,"note":" padded "`, `,"note":"5"`, `,"note":null`) +
		fmt.Sprintf(`,"amount":%s,"n":%d,"x":%s`, pickOf(r, "1.25", "-3", "1e2", "0.005", `"7.5"`, "null", "99999999.99"), r.IntN(7)-2, pickOf(r, "0.1", "-1e3", "2.5", "null"))
}

// mistyped now and then holds a text, or a number that is too large, for a number.
func mistyped(r *rand.Rand, i int) string {
	if r.IntN(8) > 0 {
		return exported(r, i)
	}
	return pickOf(r, `,"n":"no number"`, `,"n":3000000000,"m":"a"`, `,"x":"1,5","n":1`, `,"amount":"12 EUR","note":"a, b"`)
}

// csvWorlds are worlds whose records are spelled as CSV, in dialects with all that one can have.
func csvWorlds() []World {
	commas := &csvrec.Dialect{Delimiter: ',', Quote: '"', Escape: '"'}
	semicolons := &csvrec.Dialect{Delimiter: ';', Quote: '\'', Escape: '\\', Null: "NULL"}
	joined := joinWorlds()[1] // with malformed records
	joined.CSV = semicolons
	return []World{
		{
			Name: "headline of CSV", Sources: []Source{{"txns", exportSchema, 5e6, ""}}, Partitions: makeLog(51, 3, 40, 4*second, 3*second, exported), Tail: 2, CSV: commas,
			SQL: `SELECT m, TUMBLE(ts, INTERVAL 1 MINUTE) AS window, count(*) AS n, sum(amount) AS total FROM txns GROUP BY m, window`,
		}, {
			Name: "hop of malformed CSV", Sources: []Source{{"txns", exportSchema, 2e6, ""}}, Partitions: faulty(makeLog(52, 3, 40, 5*second, 10*second, mistyped)), CSV: commas,
			SQL: `SELECT HOP(ts, INTERVAL 10 SECONDS, INTERVAL 1 MINUTE) AS w, note, count(*) AS c, sum(n), max(m), min(amount), sum(x) FROM txns GROUP BY w, note`,
		}, {
			Name: "malformed CSV record by record", Sources: []Source{{"txns", exportSchema, 5e6, ""}}, Partitions: faulty(makeLog(53, 4, 40, 4*second, 3*second, mistyped)), Tail: 3, CSV: semicolons,
			SQL: `SELECT m, note, amount * 2 AS twice, ts, x, _offset, _key, _timestamp FROM txns WHERE n <> 0`,
		}, {
			Name: "files of CSV", Sources: []Source{{"txns", exportSchema, 1e6, ""}}, Partitions: files(makeLog(54, 3, 40, 2*second, 5*second, exported)), CSV: semicolons,
			SQL: `SELECT note, TUMBLE(ts, INTERVAL 15 SECONDS) AS w, count(*) AS c, count(m), avg(n) FROM txns WHERE m IS NOT NULL OR amount > 0 GROUP BY note, w`,
		},
		joined,
	}
}

// The same of logs whose records are CSV: the naive evaluator reads them as JSON.
func TestEveryScheduleOfCSVGivesTheSame(t *testing.T) {
	trySchedules(t, csvWorlds(), (*schedules+1)/2, 140)
}

// And of CSV in compressed files, whose ends are not known before they are reached: all runs are to the end.
func TestEveryScheduleOfPackedCSVGivesTheSame(t *testing.T) {
	n := uint64(*schedules+1) / 2
	total := 0
	for _, w := range csvWorlds() {
		want, err := w.Naive(true, true)
		if err != nil {
			t.Fatal(err)
		}
		h := NewHistory()
		for seed := *firstSeed; seed < *firstSeed+n; seed++ {
			o := Options{End: ToEnd, Packed: true, Skip: true, Checkpoint: seed%4 > 0, Crashes: int(seed % 5), StopFirst: seed%3 == 0}
			res, err := w.Run(seed, o)
			if err == nil {
				err = w.Check(res, want)
			}
			if err == nil {
				err = h.Add(res)
			}
			if err != nil {
				t.Fatalf("%s, seed %d\n%s\n%+v\n%v", w.Name, seed, w.SQL, o, err)
			}
		}
		total += len(h.Schedules)
		if h.Crashes == 0 || h.Again == 0 || h.Cuts == 0 {
			t.Errorf("%s: too little was tried: %d crashes, %d rows written again, %d cuts met more than once", w.Name, h.Crashes, h.Again, h.Cuts)
		}
	}
	t.Logf("%d distinct schedules", total)
	if *schedules >= 60 && total < 100 {
		t.Errorf("only %d distinct schedules", total)
	}
}

// The worlds of CSV hold what they are for.
func TestTheRecordsOfCSVWorldsAreOfEveryKind(t *testing.T) {
	kinds := map[string]int{}
	for _, w := range csvWorlds() {
		p, err := w.plan(runner.Bounded)
		if err != nil {
			t.Fatal(err)
		}
		parts, _ := w.arranged(p)
		for i, part := range w.spelled(p, parts) {
			d := w.dialect(p.Sources[part.Source].Name)
			for k, rec := range part.Records {
				countKinds(kinds, d, rec, parts[i].Records[k])
			}
		}
	}
	for _, kind := range []string{"quoted", "empty text", "NULL", "line feed within quotes", "escaped quote", "delimiter within quotes", "line end behind",
		"other number of fields", "bad quoting", "no UTF-8", "no fields", "no number", "tombstone"} {
		if kinds[kind] < 3 {
			t.Errorf("%d records: %s", kinds[kind], kind)
		}
	}
}

func countKinds(kinds map[string]int, d csvrec.Dialect, rec, of naive.Record) {
	if rec.Value == nil {
		kinds["tombstone"]++
		return
	}
	text := bytes.TrimSuffix(bytes.TrimSuffix(rec.Value, []byte("\n")), []byte("\r"))
	if len(text) < len(rec.Value) {
		kinds["line end behind"]++
	}
	fields, err := csvrec.Fields(d, text, nil)
	switch {
	case len(text) == 0:
		kinds["no fields"]++
	case err != nil:
		kinds["bad quoting"]++
	case len(fields) != len(d.Names):
		kinds["other number of fields"]++
	case strings.ToValidUTF8(string(text), "") != string(text):
		kinds["no UTF-8"]++
	case bytes.Contains(of.Value, []byte(`"no number"`)):
		kinds["no number"]++
	}
	if err != nil {
		return
	}
	for _, f := range fields {
		for kind, is := range map[string]bool{
			"quoted": f.Quoted, "NULL": f.Null, "empty text": f.Quoted && len(f.Text) == 0, "line feed within quotes": bytes.IndexByte(f.Text, '\n') >= 0,
			"escaped quote": bytes.IndexByte(f.Text, d.Quote) >= 0, "delimiter within quotes": bytes.IndexByte(f.Text, d.Delimiter) >= 0,
		} {
			if is {
				kinds[kind]++
			}
		}
	}
}
