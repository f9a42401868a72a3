package e2e

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ubik/internal/checkpoint"
	"ubik/internal/host"
	"ubik/internal/op"
	"ubik/internal/runner"
	"ubik/internal/ubiktest/broker"
	"ubik/internal/vec"
)

const (
	headlineSchema = "merchant VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP"
	headlineQuery  = `SELECT merchant,
              TUMBLE(event_time, INTERVAL 1 MINUTE) AS window,
              count(*) AS n, sum(amount) AS total
       FROM txns
       GROUP BY merchant, TUMBLE(event_time, INTERVAL 1 MINUTE)`
)

// job is a command line, but for what changes from life to life.
type job struct {
	t          *testing.T
	b          *broker.Broker // of the source
	sinkBroker *broker.Broker // where it is another
	source     string         // topic
	sink       string         // topic
	sinkParams string         // of the sink's URL: "" or ?…
	file       string         // the checkpoint
	schema     string
	query      string
	inputs     []input // instead of source and schema
	more       []string
}

// input is one of several sources.
type input struct {
	name, schema string
	topic        string
	path         string // of a file, where it is no topic
}

func (in *input) url(b *broker.Broker) string {
	if in.path != "" {
		return in.path
	}
	return "kafka://" + b.Addr + "/" + in.topic
}

// newJob makes the headline job from a topic into one that the program is to create.
func newJob(t *testing.T, b *broker.Broker, source string) *job {
	t.Helper()
	j := &job{t: t, b: b, source: source, sink: broker.FreshName("txn_counts"), file: filepath.Join(t.TempDir(), "txns.ckpt"), schema: headlineSchema, query: headlineQuery}
	b.RemoveTopic(t, j.sink)
	return j
}

// args is the command line with some more flags.
func (j *job) args(more ...string) []string {
	args := []string{"--to", "kafka://" + j.to().Addr + "/" + j.sink + j.sinkParams, "--resume", j.file}
	if j.inputs == nil {
		args = append(args, "--from", "txns=kafka://"+j.b.Addr+"/"+j.source, "--schema", j.schema)
	}
	for _, in := range j.inputs {
		args = append(args, "--from", in.name+"="+in.url(j.b), "--schema", in.name+"="+in.schema)
	}
	args = append(append(args, j.more...), more...)
	return append(args, j.query)
}

// to is the broker of the sink.
func (j *job) to() *broker.Broker {
	if j.sinkBroker != nil {
		return j.sinkBroker
	}
	return j.b
}

func (j *job) launch(more ...string) *process {
	j.t.Helper()
	return launch(j.t, "", j.args(more...)...)
}

// again is the same job into another topic, with a checkpoint of its own.
func (j *job) again() *job {
	other := *j
	other.sink = broker.FreshName("txn_counts_again")
	other.file = filepath.Join(j.t.TempDir(), "again.ckpt")
	j.b.RemoveTopic(j.t, other.sink)
	return &other
}

// unit reads the checkpoint, also while the program uses it; nil when there is none. One that is damaged fails the test.
func (j *job) unit() *runner.Unit {
	j.t.Helper()
	if _, err := os.Stat(j.file); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	file, err := checkpoint.Read(host.OS, j.file)
	if err != nil {
		j.t.Fatalf("the checkpoint cannot be read: %v", err)
	}
	u, err := runner.ReadUnit(file)
	if err != nil {
		j.t.Fatalf("the unit of the checkpoint cannot be read: %v", err)
	}
	return u
}

// read is how many records the checkpoint has consumed.
func (j *job) read() uint64 {
	if u := j.unit(); u != nil {
		return u.Read()
	}
	return 0
}

// unread counts the positions of the topics between a unit and their ends.
func unread(u *runner.Unit, ends []map[int32]int64) int64 {
	var n int64
	for _, p := range u.Partitions {
		if p.Source < len(ends) { // else it is one of the files, which come last
			n += ends[p.Source][p.Index] - p.Next.Offset
		}
	}
	return n
}

// windowOpen tells from a unit whether a window was open then, or a row kept for a partner: some group is in the state. In a run without an end there is then one at all times
// after, too: the newest record of the partition that holds the watermark is not late, and its window is not over.
func windowOpen(u *runner.Unit) bool {
	var size int
	for _, stage := range u.States {
		for _, s := range stage {
			size += len(s)
		}
	}
	return size > 0 && u.Watermark() != vec.PosInf
}

// everyOperatorHolds tells from a unit whether each operator of the query held something: rows that came out of one and have not come out of the next.
func everyOperatorHolds(u *runner.Unit) bool {
	for _, stage := range u.States {
		size := 0
		for _, s := range stage {
			size += len(s)
		}
		if size == 0 {
			return false
		}
	}
	return windowOpen(u)
}

// bothSidesHeld tells from a unit whether each join of the query kept rows of both its sides, and that there is one.
func bothSidesHeld(t *testing.T, u *runner.Unit) bool {
	t.Helper()
	joins, stage := 0, 0
	for _, f := range u.Facts {
		if !strings.HasPrefix(f.Name, "operator") {
			continue
		}
		if placed, isJoin := op.PlacedSides(f.Value); isJoin {
			sides, err := op.JoinStored(bytes.Join(u.States[stage], nil), placed)
			if err != nil {
				t.Fatalf("the state of %s cannot be read: %v", f.Name, err)
			}
			if joins++; sides[0].Rows == 0 || sides[1].Rows == 0 {
				return false
			}
		}
		stage++
	}
	return joins > 0
}

func workers(n int) []string { return []string{"--workers", strconv.Itoa(n)} }
