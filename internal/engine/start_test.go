package engine

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ubik/internal/connector"
	"ubik/internal/connector/file"
	"ubik/internal/fault"
	"ubik/internal/host"
	"ubik/internal/plan"
	"ubik/internal/runner"
)

// appendTo appends a record to a log.
func appendTo(t *testing.T, dir, name, line string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(line + "\n"); err != nil {
		t.Fatal(err)
	}
}

func TestAStartPointCountsAtTheFirstStartOnly(t *testing.T) {
	dir := t.TempDir()
	appendTo(t, dir, "a.log", `{"k":"old","t":"2026-01-01"}`)
	appendTo(t, dir, "b.log", `{"k":"old","t":"2026-01-01"}`)
	run := func(starts []connector.StartPoint, mode runner.Mode) (Report, string) {
		job := newJob(t, dir, 1)
		source, err := file.Kind.NewSource(filepath.Join(dir, "*.log"), &connector.Options{Disk: host.OS, KeepOpen: mode == runner.KeepOpen})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { source.Close() })
		job.Source, job.StatusEvery, job.Starts, job.Runner.Mode = source, 0, starts, mode
		if mode == runner.KeepOpen {
			job.Runner.Plan.Sources[0].Bounded = false
		}
		var said bytes.Buffer
		job.Log = slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
		withCheckpoint(t, job, filepath.Join(dir, "ckpt"))
		rep, err := Run(context.Background(), job)
		if err != nil {
			t.Fatal(err)
		}
		job.Store.Close()
		job.Sink.Close()
		return rep, said.String()
	}
	latest := []connector.StartPoint{{At: connector.StartLatest}}
	rep, said := run(latest, runner.KeepOpen)
	if rep.Status.Read != 0 || said != "" {
		t.Errorf("the first start reads %d records and says %q", rep.Status.Read, said)
	}
	appendTo(t, dir, "a.log", `{"k":"new","t":"2026-01-01"}`)
	rep, said = run(latest, runner.KeepOpen)
	if rep.Status.Read != 1 || said != "level=INFO msg=\"--start is ignored: the run goes on from the positions in its checkpoint\"\n" {
		t.Errorf("the second start has read %d records and says %q", rep.Status.Read, said)
	}
	appendTo(t, dir, "b.log", `{"k":"new","t":"2026-01-01"}`)
	rep, said = run(nil, runner.Bounded)
	if rep.Status.Read != 2 || said != "" {
		t.Errorf("the third start has read %d records and says %q", rep.Status.Read, said)
	}
	out, err := os.ReadFile(filepath.Join(dir, "out.jsonl"))
	if err != nil || strings.TrimSpace(string(out)) != `{"k":"new","n":2}` {
		t.Errorf("the output is %s, %v", out, err)
	}
}

func TestAStartPointThatTheLogDoesNotHaveEndsTheRunAtOnce(t *testing.T) {
	dir := t.TempDir()
	appendTo(t, dir, "a.log", `{"k":"a","t":"2026-01-01"}`)
	job := newJob(t, dir, 1)
	job.Starts = []connector.StartPoint{{At: connector.StartTime, Time: 0}}
	_, err := Run(context.Background(), job)
	if want := "--start 1970-01-01 00:00:00: " + dir + "/*.log has no times and no numbered partitions of its own"; fault.ClassOf(err) != fault.Usage || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// absent is a source of a log that does not exist.
type absent struct {
	connector.Source
	topic string
}

func (a absent) Partitions(context.Context) ([]connector.Partition, error) {
	return nil, &fault.Error{Class: fault.Usage, Msg: "there is no " + a.topic, Try: "create it", Err: connector.Absent{Topic: a.topic}}
}

func TestALogThatIsGoneAtAResumeHasChanged(t *testing.T) {
	dir := t.TempDir()
	appendTo(t, dir, "a.log", `{"k":"a","t":"2026-01-01"}`)
	appendTo(t, dir, "a.log", `{"k":"b","t":"2026-01-01"}`)
	run := func(topic string) error {
		job := newJob(t, dir, 1)
		withCheckpoint(t, job, filepath.Join(dir, "ckpt"))
		defer job.Store.Close()
		if topic != "" {
			job.Source = absent{job.Source, topic}
		}
		_, err := Run(context.Background(), job)
		return err
	}
	path := filepath.Join(dir, "a.log")
	if err := run(path); fault.ClassOf(err) != fault.Usage || err.Error() != "there is no "+path {
		t.Errorf("without a checkpoint: %v", err)
	}
	if err := run(""); err != nil {
		t.Fatal(err)
	}
	if err := run(path); fault.ClassOf(err) != fault.LogChanged || err.Error() != "there is no "+path+"; it is gone: the checkpoint has read 2 records from 1 of its partitions" {
		t.Errorf("with one: %v", err)
	}
	if err := run("other"); fault.ClassOf(err) != fault.Usage || err.Error() != "there is no other" {
		t.Errorf("of a log that was not read: %v", err)
	}
}

// A file that is read beside logs without an end ends for good where it ended when the job began.
func TestAFileThatHasGrownBesideOthersIsTold(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.log")
	appendTo(t, dir, "a.log", `{"k":"a","t":"2026-01-01"}`)
	appendTo(t, dir, "b.log", `{"k":"a","t":"2026-01-01"}`)
	for _, grows := range []bool{true, false} { // while it runs; it has, before the resume
		job := newJob(t, dir, 1)
		besideAFollowedFile(t, job, path, filepath.Join(dir, "b.log"))
		withCheckpoint(t, job, filepath.Join(dir, "ckpt"))
		told := make(toldLines, 10)
		stop := make(chan struct{})
		job.StatusEvery, job.Stop, job.Log = 0, stop, slog.New(slog.NewTextHandler(told, &slog.HandlerOptions{Level: slog.LevelWarn}))
		if grows {
			job.Opened = func() { appendTo(t, dir, "a.log", `{"k":"b","t":"2026-01-01"}`) }
		}
		ended := make(chan Report)
		go func() {
			rep, err := Run(context.Background(), job)
			if err != nil {
				t.Error(err)
			}
			ended <- rep
		}()
		select {
		case <-ended:
			t.Fatalf("grows %v: it has ended", grows)
		case line := <-told:
			if want := path + " has grown, to 54: it is read to position 27, where it ended when the job began; to take up what was added start over with a new checkpoint and an empty sink"; !strings.Contains(line, want) {
				t.Errorf("grows %v: %s", grows, line)
			}
		}
		close(stop)
		if rep := <-ended; rep.Status.Partitions[0].Lag() != 0 || len(told) > 0 {
			t.Errorf("grows %v: %+v, and it says %d lines more", grows, rep.Status, len(told))
		}
		job.Store.Close()
		job.Sink.Close()
	}
}

// besideAFollowedFile makes a job one that reads a file to its end and another on and on.
func besideAFollowedFile(t *testing.T, job *Job, path, followed string) {
	t.Helper()
	cols, err := plan.Schema("k VARCHAR")
	if err != nil {
		t.Fatal(err)
	}
	source := func(name string, bounded bool) plan.Source {
		return plan.Source{Name: name, Log: "file " + name, Schema: cols, Format: "json", Bounded: bounded, File: true}
	}
	p, err := plan.Build(plan.Request{Query: "SELECT k FROM a UNION ALL SELECT k FROM b", Sources: []plan.Source{source("a", true), source("b", false)}})
	if err != nil {
		t.Fatal(err)
	}
	var sources []connector.Source
	for _, s := range []struct {
		path   string
		follow bool
	}{{path, false}, {followed, true}} {
		in, err := file.Kind.NewSource(s.path, &connector.Options{Disk: host.OS, Follow: s.follow})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { in.Close() })
		sources = append(sources, in)
	}
	job.Runner.Plan, job.Runner.Mode, job.Source = p, runner.Unbounded, connector.Several(sources...)
}

// toldLines takes what is logged.
type toldLines chan string

func (l toldLines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}
