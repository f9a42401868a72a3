package file

import (
	"context"
	"errors"
	"testing"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/host"
)

func put(t *testing.T, disk host.Disk, path, content string) {
	t.Helper()
	f, err := disk.OpenRW(path, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
}

// told pins class, message and advice of an error.
func told(t *testing.T, err error, class fault.Class, msg, try string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Fatalf("not a fault: %v", err)
	}
	if f.Class != class || f.Msg != msg || f.Try != try {
		t.Fatalf("%v: %q, %q\nwant %v: %q, %q", f.Class, f.Msg, f.Try, class, msg, try)
	}
}

func openSink(t *testing.T, disk host.Disk, url string, o connector.Options, r connector.Resume) (connector.Sink, error) {
	t.Helper()
	o.Disk = disk
	s, err := Kind.NewSink(url, &o)
	if err != nil {
		return nil, err
	}
	return s, s.Open(context.Background(), r)
}

func TestASinkIsRefusedForWhatItHolds(t *testing.T) {
	state := State{Path: "/out/a.jsonl", Length: 10, Tail: 1}.Append(nil)
	back := "put the file back as it was, or start over with a new checkpoint and another file"
	for name, c := range map[string]struct {
		content  string
		resume   connector.Resume
		url      string
		class    fault.Class
		msg, try string
	}{
		"rows without a checkpoint": {"{}\n", connector.Resume{}, "/out/a.jsonl", fault.Sink,
			"/out/a.jsonl already holds 3 bytes and there is no checkpoint to continue from",
			"name another file, use the checkpoint that belongs to it, or empty it with --fresh"},
		"gone": {"", connector.Resume{Resumed: true, State: state}, "/out/a.jsonl", fault.Sink,
			"/out/a.jsonl is gone; the checkpoint knows 10 bytes of it", back},
		"shorter": {"{}\n", connector.Resume{Resumed: true, State: state}, "/out/a.jsonl", fault.Sink,
			"/out/a.jsonl is shorter (3 bytes) than the 10 bytes that the checkpoint knows", back},
		"other content": {"{}\n{}\n{}\n{}\n", connector.Resume{Resumed: true, State: state}, "/out/a.jsonl", fault.Sink,
			"/out/a.jsonl holds other content before byte 10 than the checkpoint knows", back},
		"another file": {"", connector.Resume{Resumed: true, State: state}, "/out/b.jsonl", fault.Sink,
			"/out/b.jsonl is gone; the checkpoint knows 10 bytes of it",
			"the checkpoint belongs to /out/a.jsonl: name that file, or move its content here"},
		"a damaged state": {"", connector.Resume{Resumed: true, State: []byte{9}}, "/out/a.jsonl", fault.Checkpoint,
			"the state of the sink /out/a.jsonl in the checkpoint: state bytes are damaged or of another layout",
			"start over with a new checkpoint"},
		"no directory": {"", connector.Resume{}, "/nowhere/a.jsonl", fault.Usage,
			"there is no directory for /nowhere/a.jsonl", "create /nowhere first, or name another file"},
		"a directory": {"", connector.Resume{}, "/out", fault.Sink,
			"/out is a directory", "name a file in it, such as /out/out.jsonl"},
		"a pattern": {"", connector.Resume{}, "/out/*.jsonl", fault.Usage,
			"a sink is one file, and /out/*.jsonl is a pattern", "name one file without *, ? and ["},
		"no name": {"", connector.Resume{}, "file://", fault.Usage,
			`"file://" names no file`, "write a path, such as logs/a.jsonl or file:///srv/logs/a.jsonl"},
		"the checkpoint": {"", connector.Resume{}, "/out/./job.ckpt", fault.Usage,
			"/out/job.ckpt is both the output and the checkpoint", "give the output another name"},
		"the checkpoint by another name": {"", connector.Resume{}, "/out/link", fault.Usage,
			"/out/link is both the output and the checkpoint", "give the output another name"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newDisk(t)
			if c.content != "" {
				put(t, m, "/out/a.jsonl", c.content)
			}
			put(t, m, "/out/job.ckpt", "checkpoint")
			if err := m.Symlink("job.ckpt", "/out/link"); err != nil {
				t.Fatal(err)
			}
			_, err := openSink(t, m, c.url, connector.Options{Checkpoint: "/out/job.ckpt"}, c.resume)
			told(t, err, c.class, c.msg, c.try)
			if got := contentOf(t, m, "/out/a.jsonl"); got != c.content {
				t.Fatalf("the refused file holds %q", got)
			}
		})
	}
}

func TestFreshEmptiesTheFile(t *testing.T) {
	m := newDisk(t)
	put(t, m, "/out/a.jsonl", "{}\n")
	if _, err := openSink(t, m, "/out/a.jsonl", connector.Options{}, connector.Resume{Fresh: true}); err != nil {
		t.Fatal(err)
	}
	if got := contentOf(t, m, "/out/a.jsonl"); got != "" {
		t.Fatalf("%q", got)
	}
}

func TestTwoRunsDoNotWriteOneFile(t *testing.T) {
	m := newDisk(t)
	first, err := openSink(t, m, "/out/a.jsonl", connector.Options{}, connector.Resume{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = openSink(t, m, "/out/a.jsonl", connector.Options{}, connector.Resume{})
	told(t, err, fault.Sink, "/out/a.jsonl is being written by another run", "stop that run, or name another file")
	first.Close()
	if _, err = openSink(t, m, "/out/a.jsonl", connector.Options{}, connector.Resume{}); err != nil {
		t.Fatal(err)
	}
}

func TestTheHookIsCalledAfterEachRow(t *testing.T) {
	calls := 0
	s, err := openSink(t, newDisk(t), "/out/a.jsonl", connector.Options{Fault: func(phase string) {
		if phase == "sink write" {
			calls++
		}
	}}, connector.Resume{})
	if err != nil {
		t.Fatal(err)
	}
	s.Write(context.Background(), rowsOf(units[0]))
	if calls != len(units[0]) {
		t.Fatalf("%d calls", calls)
	}
}

func TestARealFileIsWrittenAndContinued(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	url := "file://" + dir + "/out.jsonl"
	s, err := openSink(t, host.OS, url, connector.Options{}, connector.Resume{})
	if err != nil {
		t.Fatal(err)
	}
	s.Write(ctx, rowsOf(units[0]))
	state, err := s.Flush(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s.Write(ctx, rowsOf(units[3]))
	if _, err := s.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	s.Close()
	s, err = openSink(t, host.OS, url, connector.Options{}, connector.Resume{Resumed: true, State: state})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range units[1:] {
		s.Write(ctx, rowsOf(u))
	}
	if _, err := s.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := contentOf(t, host.OS, dir+"/out.jsonl"); got != output(len(units)) {
		t.Fatalf("%q", got)
	}
}

func TestADamagedStateIsAnErrorNeverAPanic(t *testing.T) {
	whole := State{Path: "/out/a.jsonl", Length: 1 << 40, Tail: 7}.Append(nil)
	if s, err := ParseState(whole); err != nil || s != (State{"/out/a.jsonl", 1 << 40, 7}) {
		t.Fatalf("%v %v", s, err)
	}
	for n := range whole {
		if _, err := ParseState(whole[:n]); err == nil {
			t.Fatalf("%d bytes of %d are accepted", n, len(whole))
		}
	}
	if _, err := ParseState(append(whole, 0)); err == nil {
		t.Fatal("bytes behind the state are accepted")
	}
}
