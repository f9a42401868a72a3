package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ubik/internal/ubiktest/broker"
	"ubik/internal/ubiktest/rawlog"
	"ubik/internal/ubiktest/txngen"
	"ubik/oracle/duck"
	"ubik/oracle/headline"
)

// shape is another query through the same mill. Its answer is asked of the tables that the headline oracle makes of the log.
type shape struct {
	schema, query string
	faults        []txngen.Fault
	windowless    bool
	oracle        headline.Query                                                     // what a record is, and what is filtered
	sql           string                                                             // over headline_judged; the columns of the output, and behind them what record needs
	record        func(topic string, row []string) (key, value string, millis int64) // the record that a row of the answer must be
	ledgers       func(t *testing.T, db *duck.DB, want []headline.Ledger)            // corrects the counts where the headline's rule is another
	lane          func(r rawlog.Record) string                                       // the lane of a row; between lanes there is no order
}

var shapeKills = map[string]int{atRandom: 2, "sink write": 1, "written": 1, "synced": 1, "renamed": 1}

func (s *shape) test(t *testing.T) {
	b := broker.Shared(t)
	seed := drawSeed(t)
	o := txngen.Usual(seed)
	o.Count, o.Span = 180_000, time.Hour
	o.Malformed, o.Faults = 3, s.faults
	f := newFeed(t, b, o.Partitions, txngen.Generate(o))
	j := newJob(t, b, f.topic)
	j.schema, j.query, j.more = s.schema, s.query, []string{"--on-error", "skip"}
	c := newCampaign(j, seed, f)
	if s.windowless {
		c.windowless, c.rows = true, 4000
	}
	c.run(shapeKills)
	c.finish()

	written := b.Dump(t, c.sink, broker.Committed)
	again, err := rawlog.Reemissions(written)
	if err != nil {
		t.Fatalf("rows of one key differ: %v", err)
	}
	t.Logf("%s; %d rows, %d of them written again", c, len(written), again)
	sameAsUninterrupted(t, c, written, s.lane)

	db := duck.ForTest(t)
	dump := b.Dump(t, f.topic, broker.Committed)
	answer, err := headline.Ask(db, s.oracle, headline.Log{Partitions: o.Partitions, Records: dump, Refused: headline.RefusedByHand(dump)})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.LoadRecords("log_times", dump); err != nil {
		t.Fatal(err)
	}
	s.compare(t, db, f.topic, rawlog.LatestPerKey(written))
	if s.ledgers != nil {
		s.ledgers(t, db, answer.Ledgers)
	}
	sameLedgers(t, c.unit(), answer.Ledgers)
}

// compare holds the sink's records against the answer, byte for byte.
func (s *shape) compare(t *testing.T, db *duck.DB, topic string, sink []rawlog.Record) {
	t.Helper()
	result, err := db.Query(s.sql)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]rawlog.Record, len(sink))
	for _, r := range sink {
		got[string(r.Key)] = r
	}
	rows := result.Text()
	if len(rows) < 1000 || len(got) != len(rows) {
		t.Errorf("%d keys in the sink, %d rows in DuckDB's answer", len(got), len(rows))
	}
	wrong := 0
	for _, row := range rows {
		for i := range row {
			row[i] = outputText(row[i])
		}
		key, value, millis := s.record(topic, row)
		r := got[key]
		if string(r.Value) != value || r.TimestampMillis != millis || len(r.Headers) != 0 {
			t.Errorf("key %s\ngot  %s time=%d\nwant %s time=%d", key, r.Value, r.TimestampMillis, value, millis)
			if wrong++; wrong == 5 {
				return
			}
		}
	}
}

// outputText makes the program's form of a value out of the oracle's: null, and times with as few fraction digits as they need, quoted.
func outputText(text string) string {
	if text == "NULL" {
		return "null"
	}
	if strings.HasSuffix(text, "Z") && !strings.HasPrefix(text, `"`) {
		if at, fraction, ok := strings.Cut(strings.TrimSuffix(text, "Z"), "."); ok {
			text = at + "." + strings.TrimSuffix(fraction, "000") + "Z"
		}
		return `"` + text + `"`
	}
	return text
}

func millisOf(t *testing.T, quoted string) int64 {
	at, err := time.Parse(`"`+time.RFC3339Nano+`"`, quoted)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMilli()
}

func TestAHopWithFilterAndHaving(t *testing.T) {
	s := shape{
		schema: "merchant VARCHAR, amount DECIMAL(18,2), currency VARCHAR, event_time TIMESTAMP",
		query: `SELECT merchant, HOP(event_time, INTERVAL 20 SECOND, INTERVAL 1 MINUTE) AS window, count(*) AS n,
			count(*) FILTER (WHERE currency = 'EUR') AS euros, sum(amount) FILTER (WHERE amount > 0) AS gains, max(amount) AS top
			FROM txns GROUP BY merchant, HOP(event_time, INTERVAL 20 SECOND, INTERVAL 1 MINUTE) HAVING count(*) > 2`,
		faults: txngen.AllFaults(),
		oracle: headline.Query{Precision: 18, Scale: 2, Window: time.Minute, Delay: 5 * time.Second, UntilEnd: true},
		sql: `SELECT "merchant", "start", count(*), count(*) FILTER (WHERE json_extract_string("json", '$."currency"') = 'EUR'),
				sum("amount") FILTER (WHERE "amount" > 0), max("amount")
			FROM (SELECT *, unnest([time_bucket(INTERVAL 20 SECOND, "event_time") - k * INTERVAL 20 SECOND FOR k IN range(3)]) AS "start"
				FROM "headline_judged" WHERE "ok")
			WHERE NOT coalesce("start" + INTERVAL 1 MINUTE <= "wm", false)
			GROUP BY "merchant", "start" HAVING count(*) > 2`,
		record: func(_ string, row []string) (key, value string, millis int64) {
			return fmt.Sprintf(`{"window":%s,"merchant":%s}`, row[1], row[0]),
				fmt.Sprintf(`{"merchant":%s,"window":%s,"n":%s,"euros":%s,"gains":%s,"top":%s}`, row[0], row[1], row[2], row[3], row[4], row[5]),
				millisOf(t, row[1]) + 60_000 - 1
		},
		// A record is late when it is so for the last of its windows.
		ledgers: func(t *testing.T, db *duck.DB, want []headline.Ledger) {
			result, err := db.Query(`SELECT "part", count(*) FILTER (WHERE time_bucket(INTERVAL 20 SECOND, "event_time") + INTERVAL 1 MINUTE <= "wm")
				FROM "headline_judged" WHERE "ok" GROUP BY "part"`)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range result.Rows {
				l := &want[row[0].(int64)]
				l.Used += l.Late - row[1].(int64)
				l.Late = row[1].(int64)
			}
		},
		lane: func(rawlog.Record) string { return "" },
	}
	s.test(t)
}

func TestAFilterRecordByRecord(t *testing.T) {
	s := shape{
		schema:     "merchant VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP",
		query:      `SELECT merchant, amount * 2 AS twice, event_time FROM txns WHERE amount > 1000`,
		windowless: true,
		// Without a window no column is the time column, so that one may be null.
		faults: slices.DeleteFunc(txngen.AllFaults(), func(f txngen.Fault) bool {
			return f == txngen.TimeNull || f == txngen.TimeAbsent || f == txngen.TimeRange
		}),
		oracle: headline.Query{Precision: 18, Scale: 2, Window: time.Minute, Delay: headline.Unlimited, UntilEnd: true, Filter: `"amount" > 1000`},
		sql: `SELECT "merchant", "amount" * 2, "event_time", "part", "off", "log_us" // 1000 FROM "headline_judged" JOIN "log_times" USING ("part", "off")
			WHERE "class" = 'used'`,
		record: func(topic string, row []string) (key, value string, millis int64) {
			_, err := fmt.Sscan(row[5], &millis)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf(`{"_topic":"%s","_partition":%s,"_offset":%s}`, topic, row[3], row[4]),
				fmt.Sprintf(`{"merchant":%s,"twice":%s,"event_time":%s}`, row[0], row[1], row[2]), millis
		},
		lane: func(r rawlog.Record) string {
			lane, _, _ := strings.Cut(string(r.Key), `,"_offset"`)
			return lane
		},
	}
	s.test(t)
}
