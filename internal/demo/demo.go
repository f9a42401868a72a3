// Package demo shows the guarantee: a query over a topic is killed with SIGKILL again and again, and what it leaves in
// the sink's topic is what one uninterrupted run leaves. The Kafka is an in-process one, so nothing needs installing.
package demo

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"ubik/internal/checkpoint"
	"ubik/internal/host"
	"ubik/internal/runner"
)

const (
	transactions = 400_000
	partitions   = 4
	kills        = 5
	topic        = "txns"
	killed       = "txn_counts"
	reference    = "txn_counts_uninterrupted"

	// A kill comes a good part of the interval after a checkpoint, so that there are rows to be written again.
	interval = 500 * time.Millisecond
	after    = 350 * time.Millisecond

	schema = "merchant VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP"
	query  = `SELECT merchant,
         TUMBLE(event_time, INTERVAL 1 MINUTE) AS window,
         count(*) AS n, sum(amount) AS total
  FROM txns
  GROUP BY merchant, TUMBLE(event_time, INTERVAL 1 MINUTE)`
)

// Run runs the demo with the program at exe as the child, and prints what happens to out. It fails when the two
// topics differ.
func Run(ctx context.Context, out io.Writer, exe string) error {
	dir, err := os.MkdirTemp("", "ubik-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(partitions, topic))
	if err != nil {
		return err
	}
	defer cluster.Close()
	d := &demo{ctx: ctx, out: out, exe: exe, broker: cluster.ListenAddrs()[0], file: filepath.Join(dir, "txns.ckpt")}

	d.printf("%d transactions flow into a topic of %d partitions (an in-process Kafka). One query counts and sums them per\nmerchant and minute. It is killed with SIGKILL %d times and started again with the same command line.\n\n  %s\n\n",
		transactions, partitions, kills, strings.ReplaceAll(query, "\n", "\n  "))

	fed := make(chan error, 1)
	feeding, stop := context.WithCancel(ctx)
	defer stop()
	go func() { fed <- feed(feeding, d.broker, transactions) }()
	for i := range kills {
		if err := d.runAndKill(i); err != nil {
			return err
		}
	}
	if err := <-fed; err != nil {
		return fmt.Errorf("producing the transactions: %w", err)
	}
	if err := d.runToEnd(killed, d.file); err != nil {
		return err
	}
	d.printf("started again, read to the end\n")
	if err := d.runToEnd(reference, filepath.Join(dir, "reference.ckpt")); err != nil {
		return err
	}
	d.printf("one uninterrupted run over the same topic, into another one\n\n")
	return d.compare()
}

type demo struct {
	ctx    context.Context
	out    io.Writer
	exe    string
	broker string
	file   string // the checkpoint
}

func (d *demo) printf(format string, args ...any) { fmt.Fprintf(d.out, format, args...) }

func (d *demo) args(to, file string, more ...string) []string {
	return append([]string{
		"run", "--from", "kafka://" + d.broker + "/" + topic, "--to", "kafka://" + d.broker + "/" + to, "--resume", file,
		"--schema", schema, "--checkpoint-interval", interval.String(), "--quiet",
	}, append(more, query)...)
}

// runAndKill starts the query and kills it when it has come through its share of the records, with windows open.
func (d *demo) runAndKill(i int) error {
	var said strings.Builder
	child := exec.CommandContext(d.ctx, d.exe, d.args(killed, d.file)...)
	child.Stdout, child.Stderr = &said, &said
	if err := child.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	target := uint64(transactions * (2*i + 1) / (2*kills + 1))
	for {
		select {
		case err := <-ended:
			return fmt.Errorf("the query ended by itself (%v): %s", err, said.String())
		case <-d.ctx.Done():
			<-ended
			return context.Cause(d.ctx)
		case <-time.After(3 * time.Millisecond):
		}
		u := d.unit()
		if u == nil || u.Read() < target || stateSize(u) == 0 {
			continue
		}
		select {
		case <-time.After(after):
		case err := <-ended:
			return fmt.Errorf("the query ended by itself (%v): %s", err, said.String())
		}
		if err := child.Process.Signal(syscall.SIGKILL); err != nil {
			return err
		}
		<-ended
		d.printf("killed with SIGKILL in the middle of a window; the checkpoint: unit %d, %d of %d records, %d rows\n", u.Number, u.Read(), transactions, u.Rows())
		return nil
	}
}

// unit reads the checkpoint while the child uses it; nil when there is none yet.
func (d *demo) unit() *runner.Unit {
	f, err := checkpoint.Read(host.OS, d.file)
	if err != nil {
		return nil
	}
	u, err := runner.ReadUnit(f)
	if err != nil {
		return nil
	}
	return u
}

func stateSize(u *runner.Unit) int {
	n := 0
	for _, stage := range u.States {
		for _, s := range stage {
			n += len(s)
		}
	}
	return n
}

func (d *demo) runToEnd(to, file string) error {
	out, err := exec.CommandContext(d.ctx, d.exe, d.args(to, file, "--until-end")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("the query failed (%v): %s", err, out)
	}
	return nil
}

// compare shows the two topics side by side.
func (d *demo) compare() error {
	got, err := dump(d.ctx, d.broker, killed)
	if err != nil {
		return err
	}
	want, err := dump(d.ctx, d.broker, reference)
	if err != nil {
		return err
	}
	again, err := got.rewritten()
	if err != nil {
		return err
	}
	d.printf("rows written by the killed run        %d, of them %d written again, identical in key, value and timestamp\n", len(got.records), again)
	d.printf("rows written by the uninterrupted run %d\n", len(want.records))
	if diff := got.differs(want); diff != "" {
		return fmt.Errorf("the topics differ: %s", diff)
	}
	d.printf("after compaction                      %d keys each, equal byte for byte\n\n", len(got.compacted))
	d.printf("On a topic of your own:\n\n  ubik --from kafka://localhost:9092/%s \\\n       --to   kafka://localhost:9092/%s \\\n       --resume ./txns.ckpt \\\n       --schema \"%s\" \\\n    \"%s\"\n", topic, killed, schema, strings.ReplaceAll(query, "\n", "\n   "))
	return nil
}
