package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"ubik/internal/ubiktest/broker"
	"ubik/internal/ubiktest/rawlog"
)

// values makes records of a partition, a second apart from startAt on.
func values(partition int32, texts ...string) []rawlog.Record {
	var records []rawlog.Record
	for i, text := range texts {
		r := rawlog.Record{Partition: partition, Key: fmt.Appendf(nil, "k%d", i), TimestampMillis: startAt.UnixMilli() + int64(i)*1000, Value: []byte(text)}
		if text == "" {
			r.Value = nil
		}
		records = append(records, r)
	}
	return records
}

// url is that of a topic.
func url(b *broker.Broker, topic string) string { return "kafka://" + b.Addr + "/" + topic }

func TestColumnsAreFoundInEachPartitionInTheirOrder(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	topic := b.NewTopic(t, "found", 3, nil)
	b.Produce(t, topic, values(2, `{"z":true,"n":1}`))
	b.Produce(t, topic, values(0, "", `{"n":`, `[1]`, `{"late":"2026-01-01","n":1}`)) // a tombstone and two that are malformed come first
	many := make([]string, 1000)
	for i := range many {
		many[i] = fmt.Sprintf(`{"n":%d}`, i)
	}
	b.Produce(t, topic, append(values(1, many...), values(1, `{"n":"text","beyond":1}`)...)) // beyond the first thousand
	launch(t, "", "schema", "t="+url(b, topic)).ends(endWait, 0, "-- t: 3 of the first 1005 records are malformed\n", "CREATE TABLE t (late DATE, n BIGINT, z BOOLEAN);\n")

	j := undeclared(t, b, topic, "SELECT count(*) AS n, sum(n) AS total FROM txns WHERE n >= 0")
	j.launch("--until-end").ends(endWait, 3, "CREATE TABLE txns (n BIGINT /* not typed: late, z */);", topic+"/", "malformed record")
	j.launch("--until-end", "--on-error", "skip").ends(endWait, 0, "complete: 1006 records, 1 row")
	j.holds([]string{`{"n":1002,"total":499502}`})
	if p := j.launch("--until-end", "--on-error", "skip"); p.code(endWait) != 0 || p.says("CREATE TABLE") {
		t.Errorf("the columns are looked for again:\n%s", &p.said)
	}
}

func TestAnEmptyTopicIsWaitedForVisiblyAndNotForEver(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	topic := b.NewTopic(t, "empty", 2, nil)
	const waiting = "waiting for the first records of txns, in which its columns are found; --schema declares them"
	j := undeclared(t, b, topic, "SELECT a FROM txns")
	// A wait of 300ms may be over when the topic has been looked at for the first time, so that nothing is said of it.
	waits := func() *process {
		t.Helper()
		p := j.launch("--infer-wait", "10m", "--checkpoint-interval", "100ms")
		eventually(t, endWait, "it does not say that it waits", func() bool { return p.says(waiting) })
		return p
	}
	p := waits()
	p.signal(syscall.SIGTERM)
	p.ends(endWait, 0, "stopped before anything was read")
	j.launch("--infer-wait", "300ms").ends(endWait, 2,
		`ubik: txns has had no records for 300ms (--infer-wait), so its columns cannot be found; declare its columns: --schema "txns=column TYPE, …"`)
	b.ProduceAborted(t, topic, values(0, `{"a":"aborted"}`)) // a log with positions, and nothing to read
	settled(t, b, topic)
	j.launch("--infer-wait", "300ms").ends(endWait, 2, "has had no records for 300ms (--infer-wait)")
	if j.unit() != nil {
		t.Fatal("there is a checkpoint")
	}
	p = waits()
	b.Produce(t, topic, values(1, `{"a":1}`))
	j.comesTo(p, 1)
	if !p.says("CREATE TABLE txns (a BIGINT);") {
		t.Errorf("the columns are found as:\n%s", &p.said)
	}
}

func TestATopicOfNothingButMalformedRecordsHasNoColumns(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	topic := b.NewTopic(t, "hopeless", 1, nil)
	b.Produce(t, topic, values(0, `{"a":`, "", "a;b"))
	undeclared(t, b, topic, "SELECT a FROM txns").launch().ends(endWait, 3,
		`ubik: none of the first 3 records of txns is json, so its columns cannot be found: byte 5: the record ends within an object or array; declare its columns: --schema "txns=column TYPE, …", or name another format with --format`)
}

// Killed behind the finding of the columns and before the first unit, the run finds them again; killed behind that unit and
// before the first record it never does, though the topic then holds records that say otherwise.
func TestAResumeOverATopicTakesTheColumnsOfTheCheckpoint(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	topic := b.NewTopic(t, "grows", 1, nil)
	j := undeclared(t, b, topic, "SELECT a FROM txns")
	die := func(phase, says string) {
		t.Helper()
		p := launch(t, phase, j.args("--checkpoint-interval", "50ms")...)
		if !p.killed(endWait) || !p.says(says) {
			t.Fatalf("it was to be killed at %s having said %s:\n%s", phase, says, &p.said)
		}
	}
	b.Produce(t, topic, values(0, `{"a":1}`))
	die("written:1", "CREATE TABLE txns (a BIGINT);")
	if j.unit() != nil {
		t.Fatal("there is a checkpoint")
	}
	b.Produce(t, topic, values(0, `{"a":2.5}`))
	die("dirsynced:1", "CREATE TABLE txns (a DOUBLE);")
	if u := j.unit(); u == nil || u.Number != 0 || u.Read() != 0 {
		t.Fatalf("the unit is not that of before the first record: %+v", u)
	}
	b.Produce(t, topic, values(0, `{"a":"x"}`))
	j.launch().ends(endWait, 3, `a: "x" is not a DOUBLE; declare columns that take it: --schema "a VARCHAR", with a new checkpoint and an empty sink, or `)
	j.launch("--until-end", "--on-error", "skip").ends(endWait, 0, "complete: 3 records, 2 rows")
	var got []string
	for _, r := range b.Dump(t, j.sink, broker.Committed) {
		got = append(got, string(r.Value))
	}
	if strings.Join(got, "") != `{"a":1}{"a":2.5}` {
		t.Errorf("the sink holds %s", got)
	}
}
