package e2e

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"ubik/internal/ubiktest/broker"
	"ubik/internal/ubiktest/rawlog"
)

func TestSIGTERMEndsARunCleanlyAndTheNextGoesOn(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	topic := b.NewTopic(t, "txns", 2, nil)
	j := newJob(t, b, topic)
	produced := 0
	for _, upTo := range []int{100, 200, 250} {
		b.Produce(t, topic, txns(2, produced, upTo))
		produced = upTo
		p := j.launch() // with the default of a second between checkpoints: the last one is that of the end
		eventually(t, endWait, "the program does not start", func() bool { return p.says("msg=\"reading ") })
		p.signal(syscall.SIGTERM)
		p.ends(endWait, 0, "stopped: ")
		if u := j.unit(); u.Complete {
			t.Fatalf("unit %d is complete", u.Number)
		}
	}
	p := j.launch("--until-end")
	p.ends(endWait, 0, "complete: 500 records, 5 rows")
	j.holds(minutes(2, 250))
	j.launch("--until-end").ends(endWait, 0, "the run is complete already")
}

func TestABoundedRunEndsWhereTheLogEnds(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	for _, c := range []struct {
		name string
		tail func(topic string)
		want int // seconds of transactions that count
	}{
		{"in aborted records", func(topic string) { b.ProduceAborted(t, topic, txns(2, 130, 140)) }, 130},
		{"in an open transaction", func(topic string) {
			x := b.Begin(t, broker.FreshName("open"))
			x.Produce(topic, txns(2, 130, 140))
			b.Produce(t, topic, txns(2, 140, 150)) // behind it: cannot be read before it ends
		}, 130},
		{"in a committed transaction", func(topic string) {
			b.ProduceCommitted(t, topic, txns(2, 130, 140))
			settled(t, b, topic)
		}, 140},
	} {
		t.Run(c.name, func(t *testing.T) {
			topic := b.NewTopic(t, "txns", 2, nil)
			b.Produce(t, topic, txns(2, 0, 130))
			c.tail(topic)
			j := newJob(t, b, topic)
			j.launch("--until-end").ends(endWait, 0, "complete: ")
			j.holds(minutes(2, c.want))
		})
	}
}

func TestARunGoesOnWhenAnOpenTransactionEnds(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	topic := b.NewTopic(t, "txns", 2, nil)
	j := newJob(t, b, topic)
	b.Produce(t, topic, txns(2, 0, 70))
	x := b.Begin(t, broker.FreshName("slow"))
	x.Produce(topic, txns(2, 70, 100))
	b.Produce(t, topic, txns(2, 100, 130))
	p := j.launch(brisk...)
	j.comesTo(p, 140)
	x.Commit()
	j.comesTo(p, 260)
	p.signal(syscall.SIGTERM)
	p.ends(endWait, 0, "stopped: 260 records")
	j.launch("--until-end").ends(endWait, 0, "complete: 260 records, 3 rows")
	j.holds(minutes(2, 130))
}

// The source's topic has gaps at its beginning, in its middle and at its end once the cleaner has been there.
func TestATopicWithGaps(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	topic := b.NewTopic(t, "txns", 1, map[string]string{"cleanup.policy": "compact"})
	records := txns(1, 0, 130)
	b.Produce(t, topic, append(txns(1, 0, 50), records...)) // the first fifty come again, so the log will begin in a gap
	left := b.Compact(t, topic)
	if len(left) != len(records) || left[0].Offset == 0 {
		t.Fatalf("the cleaner left %d records, from offset %d on", len(left), left[0].Offset)
	}
	refused := newJob(t, b, topic)
	refused.launch("--until-end").ends(endWait, 2, "topic "+topic+" is compacted (cleanup.policy=compact)", "?compacted=yes")

	j := newJob(t, b, topic+"?compacted=yes")
	j.more = []string{"--on-error", "skip"} // the records that had the cleaner come are no transactions
	j.launch("--until-end").ends(endWait, 0, "complete: ")
	j.holds(minutes(1, 130))
	if p := j.unit().Partitions[0]; p.Clocks[0].Ledger.Used != 130 || p.Next.Offset < 180 {
		t.Errorf("%+v", p)
	}
}

func TestATopicOfMalformedRecordsOnly(t *testing.T) {
	t.Parallel()
	b := broker.Shared(t)
	topic := b.NewTopic(t, "txns", 2, nil)
	var records []rawlog.Record
	for i := range 5000 {
		records = append(records, rawlog.Record{Partition: int32(i % 2), Value: []byte(`{"merchant":"m","amount":"much"}`), TimestampMillis: 1})
	}
	b.Produce(t, topic, records)
	j := newJob(t, b, topic)
	j.launch("--until-end").ends(endWait, 3, topic+"/", "position 0", "amount")
	if n := j.read(); n != 0 {
		t.Fatalf("%d records are consumed, and the first one stops the run", n)
	}
	j.launch("--until-end", "--on-error", "skip").ends(endWait, 0, "complete: 5000 records, 0 rows")
	for _, p := range j.unit().Partitions {
		if p.Clocks[0].Ledger.Malformed != 2500 || p.Clocks[0].Ledger.Read != 2500 {
			t.Errorf("%+v", p.Clocks[0].Ledger)
		}
	}
	j.holds(nil)
}

// The broker goes down in the middle of a run and comes back: the run survives that, or ends as an outage and is started again by its supervisor.
func TestABrokerThatGoesDownInTheMiddle(t *testing.T) {
	t.Parallel()
	b := broker.StartOwn(t)
	const seconds = 60_000
	records := txns(2, 0, seconds)
	for i := range records {
		// A broker that starts forgets the producers whose last record is older than a day by its timestamp, and with them what it needs to tell what is
		// repeated or out of order: the log that is fed here must not have such records twice, or in another order.
		records[i].TimestampMillis = time.Now().UnixMilli()
	}
	f := newFeed(t, b, 2, records)
	j := newJob(t, b, f.topic)
	flags := append(brisk, "-X", "fetch.message.max.bytes="+fetchBytes)
	p := j.launch(flags...)
	restarts := 0
	alive := func() {
		if p.over() {
			p.ends(endWait, 75)
			if restarts++; restarts > 20 {
				t.Fatalf("the program ended again and again:\n%s", &p.said)
			}
			p = j.launch(flags...)
		}
	}
	for _, down := range []func(){func() {}, func() { b.Kill(t) }} { // in good order, and with SIGKILL
		target := j.read() + 1
		f.stage(30_000)
		eventually(t, endWait, "the program does not come on", func() bool { alive(); return j.read() >= target })
		down()
		b.Restart(t)
		f.stage(20_000)
		eventually(t, endWait, "the program does not come on behind the restart of the broker", func() bool { alive(); return j.read() >= uint64(f.produced) })
	}
	t.Logf("two restarts of the broker; the program was started again %d times", restarts)
	f.stage(len(f.left))
	p.signal(syscall.SIGTERM)
	p.ends(endWait, 0, "stopped: ")
	j.launch("--until-end").ends(endWait, 0, "complete: ")
	j.holds(minutes(2, seconds))

	whileTheSinkIsDown(t, b)
}

// whileTheSinkIsDown has a run come to rows for a broker that is down and stays so; the source's is another. It ends as an outage, and goes on when started again.
func whileTheSinkIsDown(t *testing.T, b *broker.Broker) {
	source := broker.Shared(t)
	topic := source.NewTopic(t, "txns", 2, nil)
	source.Produce(t, topic, txns(2, 0, 100))
	j := newJob(t, source, topic)
	j.sinkBroker = b
	p := j.launch(append(brisk, "-X", "delivery.timeout.ms=1000")...) // else two minutes
	j.comesTo(p, 200)
	b.Kill(t)
	source.Produce(t, topic, txns(2, 100, 200))
	p.ends(endWait, 75, "kafka at "+b.Addr+" has not acknowledged rows of topic "+j.sink, "run the same command again")
	b.Restart(t)
	j.launch("--until-end").ends(endWait, 0, "complete: ")
	j.holds(minutes(2, 200))
}

func TestAnUnreachableBrokerIsWaitedForVisiblyAndNotForEver(t *testing.T) {
	t.Parallel()
	addr := broker.Nobody(t)
	j := &job{t: t, b: &broker.Broker{Addr: addr}, source: "txns", sink: "txn_counts", file: filepath.Join(t.TempDir(), "txns.ckpt"), schema: headlineSchema, query: headlineQuery}
	stopped := j.launch()
	p := j.launch("--until-end", "--resume", j.file+".2")
	for _, waiting := range []*process{stopped, p} {
		eventually(t, endWait, "the program does not say that it waits", func() bool { return waiting.says("waiting for kafka at " + addr) })
	}
	stopped.signal(syscall.SIGTERM)
	stopped.ends(endWait, 0, "stopped before anything was read") // a wait to its end would be an outage, as the other's is
	p.ends(endWait, 75, "kafka at "+addr+" could not be used for 30s", "connection refused")
	t.Logf("the other ended after %v", time.Since(p.began))
}
