package engine

import (
	"context"
	"path/filepath"
	"testing"

	"ubik/internal/checkpoint"

	"ubik/internal/connector"
	"ubik/internal/connector/file"
	"ubik/internal/fault"
	"ubik/internal/host"
	"ubik/internal/plan"
	"ubik/internal/runner"
)

// waiting is a source of two partitions that gives one only when the other has been read to its end.
type waiting struct {
	connector.Source
	part  int
	ended chan struct{}
}

func (w *waiting) Read(ctx context.Context, p int) (*connector.Chunk, error) {
	if p == w.part {
		select {
		case <-w.ended:
		case <-ctx.Done():
			return nil, fault.New(fault.Retryable, "waited for the other in vain", "")
		}
	}
	c, err := w.Source.Read(ctx, p)
	if err == nil && c.End && p != w.part {
		close(w.ended)
	}
	return c, err
}

// Where windows stay open the rows of a UNION ALL come into a file in any order of its branches, so that what the sink knows of the file differs
// from run to run; what is content does not.
func TestRunsWhoseRowsInterleaveHaveOneContent(t *testing.T) {
	logs := t.TempDir()
	writeLogs(t, logs)
	cols, err := plan.Schema("k VARCHAR, t TIMESTAMP")
	if err != nil {
		t.Fatal(err)
	}
	run := func(dir string, last int) (content [16]byte, sink string) {
		p, err := plan.Build(plan.Request{
			Query: "SELECT 'a' AS branch, k FROM a UNION ALL SELECT 'b', k FROM b",
			Sources: []plan.Source{
				{Name: "a", Log: "file a", Schema: cols, Format: "json", File: true},
				{Name: "b", Log: "file b", Schema: cols, Format: "json", File: true},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		opts := &connector.Options{Disk: host.OS, Fields: p.Output, KeepOpen: true}
		var sources []connector.Source
		for _, name := range []string{"0.log", "1.log"} {
			s, err := file.Kind.NewSource(filepath.Join(logs, name), opts)
			if err != nil {
				t.Fatal(err)
			}
			sources = append(sources, s)
		}
		job := newJob(t, dir, 1)
		job.Source = &waiting{connector.Several(sources...), last, make(chan struct{})}
		t.Cleanup(func() { job.Source.Close() })
		job.Runner.Plan, job.Runner.Mode = p, runner.KeepOpen
		path := filepath.Join(dir, "ckpt")
		withCheckpoint(t, job, path)
		if rep, err := Run(context.Background(), job); err != nil || rep.Status.Read != 40_000 {
			t.Fatalf("%+v, %v", rep, err)
		}
		f, err := checkpoint.Read(host.OS, path)
		if err != nil {
			t.Fatal(err)
		}
		u, err := runner.ReadUnit(f)
		if err != nil {
			t.Fatal(err)
		}
		return f.ContentHash(), string(u.Sink)
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "out.jsonl")
	content, sink := run(dir, 0)
	if err := host.OS.Remove(out); err != nil {
		t.Fatal(err)
	}
	if err := host.OS.Remove(filepath.Join(dir, "ckpt")); err != nil {
		t.Fatal(err)
	}
	again, other := run(dir, 1)
	if sink == other {
		t.Fatal("the rows came in the same order: nothing is shown")
	}
	if again != content {
		t.Errorf("the content is %x, then %x", content, again)
	}
}
