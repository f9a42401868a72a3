package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ubik/internal/ubiktest/broker"
	"ubik/internal/ubiktest/rawlog"
)

// A script that declares everything: a topic with a watermark, a sink with a primary key, a view between them.
func TestAScriptDeclaresSourceAndSink(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	topic, sink := b.NewTopic(t, "txns", 2, nil), broker.FreshName("counts")
	b.RemoveTopic(t, sink)
	records := txns(2, 0, 130)
	records = append(records, txn(0, 3)) // late: its partition is at 2:09, less 5 s
	b.Produce(t, topic, records)
	script := filepath.Join(t.TempDir(), "counts.sql")
	text := fmt.Sprintf(`-- what each merchant takes
CREATE TABLE txns (
  merchant VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP,
  WATERMARK FOR event_time AS event_time - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = '%s', 'properties.bootstrap.servers' = '%s',
  'format' = 'json', 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset');
CREATE TABLE counts (window TIMESTAMP, merchant VARCHAR, total DECIMAL(38,2), PRIMARY KEY (merchant, window) NOT ENFORCED)
WITH ('connector' = 'kafka', 'topic' = '%s', 'bootstrap.servers' = '%s', 'partitions' = '2');
CREATE VIEW paid AS SELECT merchant, event_time, amount FROM txns WHERE amount > 0;
INSERT INTO counts
SELECT TUMBLE(event_time, INTERVAL 1 MINUTE) AS window, merchant, sum(amount) AS total
FROM paid GROUP BY merchant, TUMBLE(event_time, INTERVAL 1 MINUTE);
`, topic, b.Addr, sink, b.Addr)
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	ckpt := filepath.Join(t.TempDir(), "counts.ckpt")
	launch(t, "", "-f", script, "--resume", ckpt).ends(endWait, 0, "time_column=event_time delay=5s", "complete: 261 records, 3 rows")
	launch(t, "", "-f", script, "--resume", ckpt).ends(endWait, 0, "the run is complete already")
	var got []string
	for _, r := range b.Dump(t, sink, broker.Committed) {
		got = append(got, fmt.Sprintf("%s %s", r.Key, r.Value))
	}
	slices.Sort(got)
	want := []string{
		`{"merchant":"m","window":"2026-01-01T00:00:00Z"} {"window":"2026-01-01T00:00:00Z","merchant":"m","total":120.00}`,
		`{"merchant":"m","window":"2026-01-01T00:01:00Z"} {"window":"2026-01-01T00:01:00Z","merchant":"m","total":120.00}`,
		`{"merchant":"m","window":"2026-01-01T00:02:00Z"} {"window":"2026-01-01T00:02:00Z","merchant":"m","total":20.00}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if n := len(b.Ends(t, sink, broker.Committed)); n != 2 {
		t.Errorf("the sink has %d partitions", n)
	}
}

// A fault of the script is told with its place before a broker is asked, and no secret with it.
func TestAFaultOfAScriptHoldsNoSecret(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"option": "CREATE TABLE t (a BIGINT) WITH ('connector' = 'kafka', 'topic' = 't', 'bootstrap.servers' = 'localhost:1',\n'properties.sasl.password' = 'hunter2', 'properties.sasl.mechanizm' = 'PLAIN');\nSELECT a FROM t",
		"column": "CREATE TABLE t (a BIGINT) WITH ('connector' = 'kafka', 'topic' = 't', 'bootstrap.servers' = 'localhost:1', 'properties.security.protocol' = 'SASL_PLAINTEXT', 'properties.sasl.mechanism' = 'PLAIN', 'properties.sasl.username' = 'u', 'properties.sasl.password' = 'hunter2'); SELECT b FROM t",
	} {
		path := filepath.Join(dir, name+".sql")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		p := launch(t, "", "-f", path)
		p.ends(endWait, 2, path+":")
		if p.says("hunter2") {
			t.Errorf("%s:\n%s", name, &p.said)
		}
	}
}

// Each value is a CSV record, also one with a line break; rows are written so too, and to a file.
func TestATopicOfCSV(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	topic := b.NewTopic(t, "csv", 1, nil)
	b.Produce(t, topic, values(0, "m1;1.25;2026-01-01 00:00:01", "\"m;2\";2;2026-01-01 00:00:02", "\"two\nlines\";3;2026-01-01 00:00:03"))
	launch(t, "", "schema", "--format", "csv", "t="+url(b, topic)).ends(endWait, 0, "-- t: delimiter ';', quote '\"', no header, 3 columns\n",
		"CREATE TABLE t (column0 VARCHAR, column1 DOUBLE, column2 TIMESTAMP);\n")
	j := undeclared(t, b, topic, "SELECT column0 AS name, column1 AS n FROM txns")
	j.more = append(j.more, "--format", "csv", "--to-format", "csv")
	j.launch("--until-end").ends(endWait, 0, "complete: 3 records, 3 rows")
	var got []string
	for _, r := range b.Dump(t, j.sink, broker.Committed) {
		got = append(got, string(r.Value))
	}
	if want := []string{"m1,1.25", "m;2,2", "\"two\nlines\",3"}; !slices.Equal(got, want) {
		t.Errorf("the sink holds %q, want %q", got, want)
	}
	out := filepath.Join(t.TempDir(), "out.csv")
	launch(t, "", "--until-end", "--format", "csv", "--from", "t="+url(b, topic), "--schema", "name VARCHAR, n DECIMAL(9,2), at TIMESTAMP", "--to", out,
		"SELECT at, n, name FROM t WHERE n > 1.5").ends(endWait, 0, "complete: 3 records, 2 rows")
	if text, err := os.ReadFile(out); err != nil || string(text) != "at,n,name\n2026-01-01T00:00:02Z,2.00,m;2\n2026-01-01T00:00:03Z,3.00,\"two\nlines\"\n" {
		t.Errorf("the file holds %q %v", text, err)
	}
}

func TestPeekShowsWhatTheLogSaysOfARecord(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	topic := b.NewTopic(t, "peek", 2, nil)
	b.Produce(t, topic, values(0, `{"a":1}`, `{"a":`, `{"a":3}`))
	b.Produce(t, topic, []rawlog.Record{{Partition: 1, Value: []byte(`{"a":4,"b":"x"}`), TimestampMillis: startAt.UnixMilli() + 60_000}})
	line := func(partition, offset int, at, key, rest string) string {
		return fmt.Sprintf(`{"_topic":"%s","_partition":%d,"_offset":%d,"_timestamp":"2026-01-01T%sZ","_key":%s,%s}`, topic, partition, offset, at, key, rest)
	}
	first, third, fourth := line(0, 0, "00:00:00", `"k0"`, `"a":1,"b":null`), line(0, 2, "00:00:02", `"k2"`, `"a":3,"b":null`), line(1, 0, "00:01:00", "null", `"a":4,"b":"x"`)
	for _, c := range []struct {
		flags []string
		want  []string // in any order: what is malformed is said elsewhere
	}{
		{nil, []string{first, topic + "/0, position 1: malformed: byte 5: the record ends within an object or array", third, fourth}},
		{[]string{"-n", "1"}, []string{first}},
		{[]string{"--start", "{0:2,1:0}"}, []string{third, fourth}},
		{[]string{"--start", "2026-01-01 00:00:02"}, []string{third, fourth}},
		{[]string{"--start", "2026-01-01 00:00:03"}, []string{fourth}},
		{[]string{"--start", "latest"}, nil},
		{[]string{"--raw", "--start", "{0:1,1:0}"}, []string{line(0, 1, "00:00:01", `"k1"`, `"_value":"{\"a\":"`), line(0, 2, "00:00:02", `"k2"`, `"_value":"{\"a\":3}"`),
			line(1, 0, "00:01:00", "null", `"_value":"{\"a\":4,\"b\":\"x\"}"`)}},
		{[]string{"--schema", "a DECIMAL(9,2)", "-n", "1"}, []string{line(0, 0, "00:00:00", `"k0"`, `"a":1.00`)}},
	} {
		p := launch(t, "", append([]string{"peek", url(b, topic)}, c.flags...)...)
		p.ends(endWait, 0)
		var got []string
		if text := strings.TrimSuffix(p.said.String(), "\n"); text != "" {
			got = strings.Split(text, "\n")
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("peek %q:\n%s\nwant\n%s", c.flags, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
	launch(t, "", "peek", url(b, topic), "--start", "{7:0}").ends(endWait, 2, "ubik: --start {7:0}: ")
	launch(t, "", "peek", url(b, topic), "--start", "{0:9}").ends(endWait, 2, topic+"/0 has no position 9: it begins at 0 and ends at 3; ")
}

// --start counts at the first start alone; the columns are found at the beginning of the log wherever the run begins.
func TestARunBeginsWhereItIsToldAndResumesWhereItWas(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	for _, c := range []struct{ start, first, then string }{ // what the sink holds, of both partitions
		{"latest", "", "4 40"},
		{"{0:2}", "10 20 3 30", "10 20 3 30 4 40"},
		{"2026-01-01 00:00:01", "2 20 3 30", "2 20 3 30 4 40"},
		{"earliest", "1 10 2 20 3 30", "1 10 2 20 3 30 4 40"},
	} {
		topic := b.NewTopic(t, "begin", 2, nil)
		b.Produce(t, topic, append(values(0, `{"a":1}`, `{"a":2}`, `{"a":3}`), values(1, `{"a":10}`, `{"a":20}`, `{"a":30}`)...))
		j := undeclared(t, b, topic, "SELECT a FROM txns")
		holds := func(want string) {
			t.Helper()
			var got []string
			for _, r := range b.Dump(t, j.sink, broker.Committed) {
				got = append(got, strings.TrimSuffix(strings.TrimPrefix(string(r.Value), `{"a":`), "}"))
			}
			wanted := strings.Fields(want)
			slices.Sort(got)
			slices.Sort(wanted)
			if !slices.Equal(got, wanted) {
				t.Errorf("--start %s: the sink holds %s, want %s", c.start, got, wanted)
			}
		}
		j.launch("--start", c.start, "--keep-open").ends(endWait, 0, "stopped: ")
		holds(c.first)
		b.Produce(t, topic, append(values(0, `{"a":4}`), values(1, `{"a":40}`)...))
		j.launch("--start", "latest", "--keep-open").ends(endWait, 0, "stopped: ") // it has a checkpoint
		holds(c.then)
	}
}
