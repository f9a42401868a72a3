// Package demo shows the guarantee: a query over a topic is killed with SIGKILL again and again, and what it leaves in
// the sink's topic is what one uninterrupted run leaves. The Kafka is an in-process one, so nothing needs installing.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"ubik/internal/checkpoint"
	"ubik/internal/host"
	"ubik/internal/runner"
)

const (
	kills = 5

	// A kill comes a good part of the interval after a checkpoint, so that there are rows to be written again.
	interval = 500 * time.Millisecond
	after    = 350 * time.Millisecond
)

// Run shows a scenario with the program at exe as the child, and prints what happens to out. It fails when the topic of
// the killed run differs from that of an uninterrupted one, and with the cause of ctx when that ends before the demo does:
// the child is gone then, and what the demo kept on disk.
func Run(ctx context.Context, out io.Writer, exe string, s *Scenario) error {
	dir, err := os.MkdirTemp("", "ubik-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var topics []string
	for _, src := range s.sources {
		topics = append(topics, src.topic)
	}
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(partitions, topics...))
	if err != nil {
		return err
	}
	defer cluster.Close()
	d := &demo{Scenario: s, ctx: ctx, out: out, exe: exe, broker: cluster.ListenAddrs()[0], file: filepath.Join(dir, "killed.ckpt")}
	err = d.show(filepath.Join(dir, "reference.ckpt"))
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx) // whatever it was that did not come to its end
	}
	return err
}

// show is the demo from its introduction to the comparison; reference is the checkpoint of the uninterrupted run.
func (d *demo) show(reference string) error {
	d.printf(d.intro+"\n\n  %s\n\n", kills, strings.ReplaceAll(d.query, "\n", "\n  "))

	f, err := d.newFeed(d.broker)
	if err != nil {
		return err
	}
	defer f.client.Close()
	for i := range kills {
		if err := d.runAndKill(i, f); err != nil {
			return err
		}
	}
	if err := f.rest(d.ctx); err != nil {
		return fmt.Errorf("producing the records: %w", err)
	}
	if err := d.runToEnd(d.sink, d.file); err != nil {
		return err
	}
	d.printf("started again, read to the end\n")
	if err := d.runToEnd(d.reference(), reference); err != nil {
		return err
	}
	d.printf("one uninterrupted run over the same records, into another topic\n\n")
	return d.compare()
}

type demo struct {
	*Scenario
	ctx    context.Context
	out    io.Writer
	exe    string
	broker string
	file   string // the checkpoint
}

func (d *demo) printf(format string, args ...any) { fmt.Fprintf(d.out, format, args...) }

// reference is the topic of the uninterrupted run.
func (d *demo) reference() string { return d.sink + "_uninterrupted" }

func (d *demo) args(to, file string, more ...string) []string {
	args := []string{"run"}
	for _, src := range d.sources {
		args = append(args, "--from", "kafka://"+d.broker+"/"+src.topic, "--schema", src.topic+"="+src.schema)
	}
	args = append(args, "--to", "kafka://"+d.broker+"/"+to, "--resume", file, "--checkpoint-interval", interval.String(), "--quiet")
	return append(append(args, more...), d.query)
}

// runAndKill starts the query, has the records flow in and kills it.
func (d *demo) runAndKill(i int, f *feed) error {
	l, err := d.begin()
	if err != nil {
		return err
	}
	c, err := startChild(d.ctx, d.exe, d.args(d.sink, d.file))
	if err != nil {
		return err
	}
	look := time.NewTicker(3 * time.Millisecond)
	defer look.Stop()
	for ripe := false; !ripe; {
		select {
		case <-c.ended:
			return c.endedByItself()
		case <-look.C:
		}
		if ripe, err = d.look(i, l, f); err != nil {
			_ = c.kill() // it may be gone
			return err
		}
	}
	if err := c.kill(); err != nil {
		return c.endedByItself()
	}
	return d.left(d.unit())
}

// life is what is known of a query since its start.
type life struct {
	rows    uint64    // in the checkpoint that it began with
	written int64     // in the sink's topic then
	ripe    time.Time // when it could first be killed by its last checkpoint; zero: not yet
}

func (d *demo) begin() (*life, error) {
	l := &life{}
	if u := d.unit(); u != nil {
		l.rows = u.Rows()
	}
	var err error
	l.written, err = written(d.ctx, d.broker, d.sink)
	return l, err
}

// look has a batch flow in when one is due, and tells whether to kill the query now: it is ripe, and a while later has rows
// in the topic that its checkpoint does not have, which will be written again. Where it makes none any more, as no records
// are left, the checkpoint is all that it can be killed by.
func (d *demo) look(i int, l *life, f *feed) (kill bool, err error) {
	now, u := time.Now(), d.unit()
	if l.ripe.IsZero() && d.ripe(i, u) {
		l.ripe = now
	}
	if !l.ripe.IsZero() && now.Sub(l.ripe) >= after {
		n, err := written(d.ctx, d.broker, d.sink)
		if err != nil {
			return false, err
		}
		u = d.unit() // behind that number, so that it has no row too few
		if u != nil && (l.rows+uint64(n-l.written) > u.Rows() || u.Read() == uint64(f.records)) {
			return true, nil
		}
	}
	var read uint64
	if u != nil {
		read = u.Read()
	}
	if f.due(read, now) {
		return false, f.batch(d.ctx, now)
	}
	return false, nil
}

// ripe tells whether the query can be killed for the i-th time, from 0, by its last checkpoint: it has come through its
// share of the records, and has something that it could lose.
func (d *demo) ripe(i int, u *runner.Unit) bool {
	return u != nil && u.Read() >= uint64(d.records*(2*i+1)/(2*kills+1)) && stateSize(u) > 0
}

// left shows the checkpoint that a kill has left. One that came when nothing was kept would show nothing.
func (d *demo) left(u *runner.Unit) error {
	if u == nil || stateSize(u) == 0 {
		return errors.New("the query was killed when it kept nothing")
	}
	d.printf("killed with SIGKILL %s; the checkpoint: unit %d, %d of %d records, %d rows, %d bytes of state\n", d.killed, u.Number, u.Read(), d.records, u.Rows(), stateSize(u))
	return nil
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
	c, err := startChild(d.ctx, d.exe, d.args(to, file, "--until-end"))
	if err != nil {
		return err
	}
	if <-c.ended; c.err != nil {
		return fmt.Errorf("the query failed (%v): %s", c.err, c.said.String())
	}
	return nil
}

// compare shows the two topics side by side.
func (d *demo) compare() error {
	got, err := dump(d.ctx, d.broker, d.sink)
	if err != nil {
		return err
	}
	want, err := dump(d.ctx, d.broker, d.reference())
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
	own := "On topics of your own:\n\n  ubik"
	for _, src := range d.sources {
		own += fmt.Sprintf(" --from kafka://localhost:9092/%s \\\n      ", src.topic)
	}
	own += fmt.Sprintf(" --to   kafka://localhost:9092/%s \\\n       --resume ./%s.ckpt \\\n", d.sink, d.sink)
	for _, src := range d.sources {
		columns := src.schema
		if len(d.sources) > 1 {
			columns = src.topic + "=" + columns
		}
		own += fmt.Sprintf("       --schema \"%s\" \\\n", columns)
	}
	d.printf("%s    \"%s\"\n", own, strings.ReplaceAll(d.query, "\n", "\n   "))
	return nil
}
