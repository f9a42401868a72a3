package bandjoin

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ubik/internal/ubiktest/rawlog"
	"ubik/oracle/authgen"
	"ubik/oracle/duck"
)

// Each reference judges the records of the one source by its own rule.
func TestTheLedgersOfAReferenceAreThoseOfALoop(t *testing.T) {
	for seed := range uint64(6) {
		o := authgen.Usual(seed)
		o.Auths, o.Span, o.Malformed, o.Edge = 1500, 20*time.Minute, 20, 50
		auths, _ := authgen.Generate(o)
		rawlog.Number(auths)
		delayed := Source{Topic: "topic", Partitions: o.AuthParts, Delay: o.AuthDelay, Records: auths}
		patient := delayed
		patient.Delay = Unlimited
		var refs []Reference
		for _, source := range []*Source{&delayed, &patient} {
			for _, where := range []string{"", `"amount" > 100`} {
				refs = append(refs, Reference{Source: source, Where: where}, Reference{Source: source, Where: where, Rule: ByWindow, Window: 10 * time.Second},
					Reference{Source: source, Where: where, Rule: Never})
			}
		}
		for i := range refs {
			refs[i].Name = fmt.Sprintf("reference %d", i)
		}
		db, err := duck.Open()
		if err != nil {
			t.Fatal(err)
		}
		log, err := Load(db, refs...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range refs {
			used, want := judge(&refs[i])
			if !slices.Equal(log.Ledgers[i], want) {
				t.Errorf("seed %d, %+v:\nDuckDB %+v\nloop   %+v", seed, refs[i], log.Ledgers[i], want)
			}
			result, err := db.Query(`SELECT part, off FROM ` + duck.Quote(refs[i].Name) + ` ORDER BY rowid`)
			if err != nil {
				t.Fatal(err)
			}
			places := map[[2]int64]bool{}
			for _, row := range result.Rows {
				places[[2]int64{row[0].(int64), row[1].(int64)}] = true
			}
			for _, row := range used {
				if !places[row.place] {
					t.Errorf("seed %d, %+v: the record %v is not used", seed, refs[i], row.place)
				}
			}
			if len(used) != len(places) {
				t.Errorf("seed %d, %+v: %d records are used, by the loop %d", seed, refs[i], len(places), len(used))
			}
		}
		db.Close()
	}
}

// lines makes a source of values in one partition.
func lines(topic string, file bool, values ...string) *Source {
	s := &Source{Topic: topic, File: file, Partitions: 1, Delay: Unlimited}
	for i, v := range values {
		s.Records = append(s.Records, rawlog.Record{Offset: int64(i), Value: []byte(v), TimestampMillis: int64(7 * i)})
	}
	return s
}

func TestKeysOfATreeAreOfEachBranchAndPlace(t *testing.T) {
	db := duck.ForTest(t)
	a := lines("t.a", false, `{"auth_id":"x","amount":1,"event_time":"2026-01-01T00:00:01Z"}`, `{"auth_id":"y","amount":2,"event_time":null}`)
	f := lines("dir/f.jsonl", true, `{"auth_id":"x","amount":3,"event_time":"2026-01-01T00:00:02.5Z"}`)
	log, err := Load(db, Reference{Name: "a", Source: a, Rule: Never}, Reference{Name: "f", Source: f})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := log.AskTree(&Tree{Parts: []Part{
		{SQL: "SELECT auth_id, amount, event_time, log_us, part, off FROM a ORDER BY part, off", Columns: []string{"id", "n", "at"}, Of: []string{"a"}, Records: true},
		{SQL: "SELECT a.auth_id, f.amount, f.event_time, 5999::BIGINT, a.part, a.off, f.part, f.off FROM a LEFT JOIN f USING (auth_id) ORDER BY auth_id", Columns: []string{"id", "n", "at"}, Of: []string{"a", "f"}},
		{SQL: "SELECT 'w', count(*), NULL, 1000000::BIGINT, TIMESTAMP '2026-01-01 00:00:00' FROM f", Columns: []string{"id", "n", "at"}, Key: []string{"window"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, r := range answer.Rows {
		got = append(got, fmt.Sprintf("%s %s %d lane %s", r.Key, r.Value, r.TimestampMillis, answer.lanes[i]))
	}
	want := `{"_branch":1,"_topic":"t.a","_partition":0,"_offset":0} {"id":"x","n":1.00,"at":"2026-01-01T00:00:01Z"} 0 lane "_branch":1 0
{"_branch":1,"_topic":"t.a","_partition":0,"_offset":1} {"id":"y","n":2.00,"at":null} 7 lane "_branch":1 0
{"_branch":2,"a":{"_topic":"t.a","_partition":0,"_offset":0},"f":{"_topic":"dir/f.jsonl","_offset":0}} {"id":"x","n":3.00,"at":"2026-01-01T00:00:02.500Z"} 5 lane "_branch":2
{"_branch":2,"a":{"_topic":"t.a","_partition":0,"_offset":1}} {"id":"y","n":null,"at":null} 5 lane "_branch":2
{"_branch":3,"window":"2026-01-01T00:00:00Z"} {"id":"w","n":1,"at":null} 1000 lane "_branch":3`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}

	written := slices.Clone(answer.Rows) // in two partitions, which lie behind each other
	for i := range written {
		written[i].Partition = int32(i / 2 % 2)
	}
	slices.SortStableFunc(written, func(a, b rawlog.Record) int { return int(a.Partition - b.Partition) })
	if err := answer.InOrder(written); err != nil {
		t.Error(err)
	}
	slices.Reverse(written)
	if err := answer.InOrder(written); err == nil {
		t.Error("rows of one lane and partition in another order pass")
	}
	if err := answer.InOrder(answer.Rows[1:]); err == nil {
		t.Error("a row that is missing passes")
	}
}
