package engine

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ubik/internal/checkpoint"
	jsonrec "ubik/internal/codec/json"
	"ubik/internal/connector"
	"ubik/internal/connector/file"
	"ubik/internal/fault"
	"ubik/internal/host"
	"ubik/internal/plan"
	"ubik/internal/runner"
)

// newJob makes a job that counts records by k in files of a folder, into out.jsonl there.
func newJob(t *testing.T, dir string, workers int) *Job {
	t.Helper()
	cols, err := plan.Schema("k VARCHAR, t TIMESTAMP")
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Build(plan.Request{
		Query:   "SELECT k, count(*) AS n FROM logs GROUP BY k, TUMBLE(t, INTERVAL 1 SECOND)",
		Sources: []plan.Source{{Name: "logs", Log: "file logs", Schema: cols, Format: "json", Bounded: true, File: true, Delay: 0}},
	})
	if err != nil {
		t.Fatal(err)
	}
	opts := &connector.Options{Disk: host.OS, Fields: p.Output}
	source, err := file.Kind.NewSource(filepath.Join(dir, "*.log"), opts)
	if err != nil {
		t.Fatal(err)
	}
	sink, err := file.Kind.NewSink(filepath.Join(dir, "out.jsonl"), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		source.Close()
		sink.Close()
	})
	return &Job{
		Runner: runner.Config{Plan: p, NewDecoder: runner.Decoders(jsonrec.Format), NewEncoder: jsonrec.Format.NewEncoder, Mode: runner.Bounded, Shards: workers},
		Source: source, Sink: sink, Interval: time.Millisecond, StatusEvery: time.Millisecond, ShutdownTimeout: time.Minute,
		Clock: host.Wall, Log: slog.New(slog.DiscardHandler),
	}
}

func withCheckpoint(t *testing.T, job *Job, path string) {
	t.Helper()
	store, unit, err := checkpoint.Open(host.OS, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	job.Store, job.Runner.Checkpoint = store, true
	if unit != nil {
		if job.Unit, err = runner.ReadUnit(unit); err != nil {
			t.Fatal(err)
		}
	}
}

func writeLogs(t *testing.T, dir string) {
	t.Helper()
	for f := range 3 {
		var b bytes.Buffer
		for i := range 20_000 {
			fmt.Fprintf(&b, `{"k":"k%d","t":"2026-01-01T00:%02d:%02d.%03dZ"}`+"\n", i*7%11, i/6000, i/100%60, i%100*10)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(f, ".log")), b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWorkersGiveOneOutput(t *testing.T) {
	var want string
	for _, workers := range []int{1, 4} {
		dir := t.TempDir()
		writeLogs(t, dir)
		job := newJob(t, dir, workers)
		withCheckpoint(t, job, filepath.Join(dir, "ckpt"))
		rep, err := Run(context.Background(), job)
		if err != nil || !rep.Complete || rep.Abandoned || rep.Status.Read != 60_000 {
			t.Fatalf("%+v, %v", rep, err)
		}
		out, err := os.ReadFile(filepath.Join(dir, "out.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = string(out)
		}
		if string(out) != want || strings.Count(want, "\n") != 200*11 {
			t.Errorf("%d workers give %d bytes, 1 gives %d, or they differ", workers, len(out), len(want))
		}
	}
}

// stuck is a source whose log does not answer.
type stuck struct{ connector.Source }

func (stuck) Partitions(ctx context.Context) ([]connector.Partition, error) {
	<-ctx.Done()
	return nil, fault.New(fault.Retryable, "the log did not answer", "")
}

func TestStopEndsTheOpeningCleanly(t *testing.T) {
	job := newJob(t, t.TempDir(), 1)
	job.Source = stuck{job.Source}
	stop := make(chan struct{})
	job.Stop = stop
	close(stop)
	if rep, err := Run(context.Background(), job); err != nil || rep.Status.Partitions != nil {
		t.Errorf("%+v, %v", rep, err)
	}
}

// blocked is a sink whose Write never returns, as a pipe's that nobody reads.
type blocked struct {
	connector.Sink
	began chan struct{}
}

func (b blocked) Write(context.Context, *connector.Rows) error {
	close(b.began)
	select {}
}

func TestARunWithABlockedSinkIsAbandoned(t *testing.T) {
	for _, how := range []string{"timeout", "abort"} {
		dir := t.TempDir()
		writeLogs(t, dir)
		job := newJob(t, dir, 2)
		sink := blocked{job.Sink, make(chan struct{})}
		stop := make(chan struct{})
		job.Sink, job.Stop, job.ShutdownTimeout = sink, stop, time.Millisecond
		ctx, abort := context.WithCancelCause(context.Background())
		defer abort(nil)
		want := "the run did not end within the shutdown timeout of 1ms"
		go func() {
			<-sink.began
			if how == "abort" {
				abort(fmt.Errorf("enough"))
			} else {
				close(stop)
			}
		}()
		if how == "abort" {
			want = "aborted: enough"
		}
		rep, err := Run(ctx, job)
		if !rep.Abandoned || fault.ClassOf(err) != fault.Retryable || err.Error() != want {
			t.Errorf("%s: abandoned is %v, %v", how, rep.Abandoned, err)
		}
	}
}

// aborting is a sink in the middle of whose rows the run is aborted, and that then stands idle.
type aborting struct {
	connector.Sink
	abort context.CancelCauseFunc
}

func (a aborting) Write(ctx context.Context, rows *connector.Rows) error {
	a.abort(fmt.Errorf("second signal"))
	return a.Sink.Write(ctx, rows)
}

// What a sink has buffered may have nobody who reads it, so a run that is cut short leaves it alone, also when nothing of the
// run is stuck.
func TestARunThatIsCutShortIsAbandonedThoughNothingIsStuck(t *testing.T) {
	dir := t.TempDir()
	writeLogs(t, dir)
	job := newJob(t, dir, 1)
	ctx, abort := context.WithCancelCause(context.Background())
	defer abort(nil)
	job.Sink = aborting{job.Sink, abort}
	rep, err := Run(ctx, job)
	if !rep.Abandoned || fault.ClassOf(err) != fault.Retryable || err.Error() != "aborted: second signal" {
		t.Errorf("abandoned is %v, %v", rep.Abandoned, err)
	}
}
