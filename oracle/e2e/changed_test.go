package e2e

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"ubik/internal/ubiktest/broker"
)

// readSome makes a topic with two minutes and a bit in two partitions and has the job come to its end; the program then has stopped.
func readSome(t *testing.T, b *broker.Broker) *job {
	t.Helper()
	topic := b.NewTopic(t, "txns", 2, nil)
	b.Produce(t, topic, txns(2, 0, 130))
	j := newJob(t, b, topic)
	p := j.launch(brisk...)
	j.comesTo(p, 260)
	p.signal(syscall.SIGTERM)
	p.ends(endWait, 0, "stopped: ")
	return j
}

// remake deletes a topic and creates it again, with records.
func remake(t *testing.T, b *broker.Broker, topic string) {
	t.Helper()
	remove(t, b, topic)
	b.CreateTopic(t, topic, 2, nil)
	b.Produce(t, topic, txns(2, 0, 300))
}

func remove(t *testing.T, b *broker.Broker, topic string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), endWait)
	defer cancel()
	if _, err := b.Admin(t).DeleteTopic(ctx, topic); err != nil {
		t.Fatal(err)
	}
	eventually(t, endWait, "the topic is still there", func() bool { return !exists(t, b, topic) })
}

func exists(t *testing.T, b *broker.Broker, topic string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), endWait)
	defer cancel()
	details, err := b.Admin(t).ListTopics(ctx, topic)
	if err != nil {
		t.Fatal(err)
	}
	return details.Has(topic)
}

func TestASourceMadeAgainWhileStopped(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	j := readSome(t, b)
	before := *j.unit()
	remake(t, b, j.source)
	j.launch().ends(endWait, 4, j.source, "was deleted and ")
	if j.unit().Number != before.Number {
		t.Error("the checkpoint was touched")
	}
}

func TestASourceMadeAgainWhileRunning(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	topic := b.NewTopic(t, "txns", 2, nil)
	b.Produce(t, topic, txns(2, 0, 130))
	j := newJob(t, b, topic)
	p := j.launch(brisk...)
	j.comesTo(p, 260)
	remake(t, b, topic)
	p.ends(endWait, 4, topic)
	if n := j.read(); n != 260 {
		t.Errorf("the checkpoint has consumed %d records: some are of the new topic", n)
	}
}

func TestASourceDeletedWhileRunning(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	topic := b.NewTopic(t, "txns", 2, nil)
	b.Produce(t, topic, txns(2, 0, 130))
	j := newJob(t, b, topic)
	p := j.launch(brisk...)
	j.comesTo(p, 260)
	remove(t, b, topic)
	p.ends(endWait, 4, "topic "+topic+" was deleted")
}

func TestRecordsDeletedBeforeTheyWereRead(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	j := readSome(t, b)
	b.Produce(t, j.source, txns(2, 130, 300))
	var offsets kadm.Offsets
	offsets.Add(kadm.Offset{Topic: j.source, Partition: 1, At: 200})
	ctx, cancel := context.WithTimeout(context.Background(), endWait)
	defer cancel()
	answer, err := b.Admin(t).DeleteRecords(ctx, offsets)
	if err == nil {
		err = answer.Error()
	}
	if err != nil {
		t.Fatal(err)
	}
	j.launch().ends(endWait, 4, fmt.Sprintf("positions 130 to 199 of %s/1 are gone", j.source))
}

// A partition that a source gets in the middle of a run must not go unread in silence.
func TestAPartitionAddedWhileRunning(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	topic := b.NewTopic(t, "txns", 2, nil)
	b.Produce(t, topic, txns(2, 0, 130))
	j := newJob(t, b, topic)
	p := j.launch(brisk...)
	j.comesTo(p, 260)
	ctx, cancel := context.WithTimeout(context.Background(), endWait)
	defer cancel()
	answer, err := b.Admin(t).UpdatePartitions(ctx, 3, topic)
	if err == nil {
		err = answer.Error()
	}
	if err != nil {
		t.Fatal(err)
	}
	added := time.Now()
	p.ends(endWait, 3, topic+"/2 was added to the source")
	t.Logf("the run stopped %v after the partition was added", time.Since(added).Round(time.Millisecond))
	j.launch().ends(endWait, 3, topic+"/2 was added to the source")
}

func TestASourceDeletedWhileStopped(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	j := readSome(t, b)
	remove(t, b, j.source)
	j.launch().ends(endWait, 4, "has no topic "+j.source+"; it is gone: the checkpoint has read 260 records from 2 of its partitions")
}

// cutSink has a job write and takes the end of the sink's log away, while the program runs or when it has stopped.
func cutSink(t *testing.T, stopped bool) (*job, *process) {
	t.Helper()
	b, own := broker.Shared(t), broker.StartOwn(t)
	topic := b.NewTopic(t, "txns", 2, nil)
	b.Produce(t, topic, txns(2, 0, 130))
	j := newJob(t, b, topic)
	j.sinkBroker, j.sinkParams = own, "?partitions=1"
	p := j.launch(brisk...)
	j.comesTo(p, 260)
	if stopped {
		p.signal(syscall.SIGTERM)
		p.ends(endWait, 0, "stopped: ")
	}
	own.Kill(t)
	own.CutLog(t, j.sink, 0, 20)
	own.Restart(t)
	return j, p
}

func TestASinkThatLostRowsWhileStopped(t *testing.T) {
	t.Parallel()
	j, _ := cutSink(t, true)
	j.launch().ends(endWait, 5, j.sink+"/0 ends at 0, before ", "rows are gone from the topic", "start over with a new checkpoint and another topic")
}

func TestASinkThatLostRowsWhileRunning(t *testing.T) {
	t.Parallel()
	j, p := cutSink(t, false)
	j.b.Produce(t, j.source, txns(2, 130, 300)) // a run that gets nothing makes no checkpoint
	p.ends(endWait, 5, "rows are gone from the topic")
}

func TestASinkMadeAgainWhileStopped(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	j := readSome(t, b)
	remake(t, b, j.sink)
	j.launch().ends(endWait, 5, "topic "+j.sink+" was deleted and created again since the checkpoint")
}

func TestASinkWithRowsAndNoCheckpoint(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	j := readSome(t, b)
	lost := *j
	lost.file += ".lost"
	lost.launch("--until-end").ends(endWait, 5, "topic "+j.sink+" already holds records", "--fresh")
	if lost.unit() != nil {
		t.Error("a refused run left a checkpoint")
	}
	lost.launch("--until-end", "--fresh").ends(endWait, 0, "complete: ")
	lost.holds(minutes(2, 130))
}

func TestATopicThatDoesNotExist(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	topic := b.NewTopic(t, "payments", 1, nil)
	j := newJob(t, b, strings.Replace(topic, "payments", "paymets", 1))
	p := j.launch("--until-end")
	p.ends(endWait, 2, "has no topic "+j.source, "did you mean "+topic)
	if exists(t, b, j.source) || exists(t, b, j.sink) {
		t.Error("the run created a topic")
	}
}

func TestASourceThatIsTheSink(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	topic := b.NewTopic(t, "txns", 1, nil)
	j := newJob(t, b, topic)
	j.sink = topic
	j.launch("--until-end").ends(endWait, 2, "source and sink are the same")
}
