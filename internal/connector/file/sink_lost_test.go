package file

import (
	"context"
	"testing"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/host"
)

// What others do to the file while a run writes it is told before a checkpoint says that the rows are there.
func TestAFileLostWhileItIsWrittenIsTold(t *testing.T) {
	const path = "/out/a.jsonl"
	check := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		harm     func(t *testing.T, m *host.Mem)
		msg, try string
	}{
		"removed": {func(t *testing.T, m *host.Mem) { check(t, m.Remove(path)) },
			"/out/a.jsonl was removed while this run wrote it",
			"put it back as the checkpoint knows it, or start over with a new checkpoint and another file"},
		"replaced": {func(t *testing.T, m *host.Mem) {
			put(t, m, "/out/b.jsonl", "{\"n\":1}\n")
			check(t, m.Rename("/out/b.jsonl", path))
		},
			"/out/a.jsonl was replaced while this run wrote it",
			"put it back as the checkpoint knows it, or start over with a new checkpoint and another file"},
		"cut": {func(t *testing.T, m *host.Mem) { put(t, m, path, "") },
			"/out/a.jsonl was changed by others while this run wrote it: it has 0 bytes, the rows so far 8",
			"put it back as the checkpoint knows it, or start over with a new checkpoint and another file"},
		"appended to": {func(t *testing.T, m *host.Mem) { put(t, m, path, "{\"n\":1}\nnote\n") },
			"/out/a.jsonl was changed by others while this run wrote it: it has 13 bytes, the rows so far 8",
			"put it back as the checkpoint knows it, or start over with a new checkpoint and another file"},
	} {
		for _, flushed := range []bool{false, true} {
			m := newDisk(t)
			s, err := openSink(t, m, path, connector.Options{Checkpoint: "/out/job.ckpt"}, connector.Resume{})
			check(t, err)
			if flushed {
				check(t, s.Write(context.Background(), rowsOf([]string{`{"n":1}`})))
				_, err := s.Flush(context.Background())
				check(t, err)
			}
			t.Run(name, func(t *testing.T) {
				if !flushed && (name == "cut" || name == "appended to") {
					return // there is nothing to be cut yet
				}
				c.harm(t, m)
				if !flushed {
					check(t, s.Write(context.Background(), rowsOf([]string{`{"n":1}`})))
				}
				_, err := s.Flush(context.Background())
				told(t, err, fault.Sink, c.msg, c.try)
				if _, again := s.Flush(context.Background()); again != err {
					t.Fatalf("the next flush: %v", again)
				}
			})
		}
	}
}

// Rows that follow must not hide it: the size is right again when they are written over or behind what was changed.
func TestRowsAreNotWrittenBehindAChange(t *testing.T) {
	const path = "/out/a.jsonl"
	m := newDisk(t)
	s, err := openSink(t, m, path, connector.Options{Checkpoint: "/out/job.ckpt"}, connector.Resume{})
	if err != nil {
		t.Fatal(err)
	}
	row := rowsOf([]string{`{"n":1}`})
	if err := s.Write(context.Background(), row); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	put(t, m, path, "")
	if err := s.Write(context.Background(), row); err != nil {
		t.Fatal(err)
	}
	_, err = s.Flush(context.Background())
	told(t, err, fault.Sink, "/out/a.jsonl was changed by others while this run wrote it: it has 0 bytes, the rows so far 8",
		"put it back as the checkpoint knows it, or start over with a new checkpoint and another file")
	if got := contentOf(t, m, path); got != "" {
		t.Fatalf("written: %q", got)
	}
}

func TestAFileLostWithoutACheckpointIsToldToo(t *testing.T) {
	m := newDisk(t)
	s, err := openSink(t, m, "/out/a.jsonl", connector.Options{}, connector.Resume{})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Remove("/out/a.jsonl"); err != nil {
		t.Fatal(err)
	}
	_, err = s.Flush(context.Background())
	told(t, err, fault.Sink, "/out/a.jsonl was removed while this run wrote it", "start again with --fresh")
}
