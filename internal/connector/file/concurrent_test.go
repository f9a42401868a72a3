package file

import (
	"context"
	"sync"
	"testing"

	"ubik/internal/connector"
	"ubik/internal/host"
)

func TestPartitionsAreReadAndListedAtTheSameTime(t *testing.T) {
	m := newDisk(t)
	const n, records = openMax + 30, 4500
	files(t, m, n, records)
	s, _ := opened(t, m, "/out/*.jsonl", connector.Options{})
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			got := make([]int, n)
			for left := true; left; { // a chunk of each in turn, so that files are closed and opened again
				left = false
				for i := w; i < n; i += 4 {
					if got[i] == records {
						continue
					}
					c, err := s.Read(bg, i)
					if err != nil {
						t.Error(err)
						return
					}
					got[i] += len(c.Spans)
					left = left || !c.End
					c.Release()
				}
				if _, err := s.Partitions(bg); err != nil {
					t.Error(err)
				}
			}
			for i := w; i < n; i += 4 {
				if got[i] != records {
					t.Errorf("file %d: %d records", i, got[i])
				}
			}
		})
	}
	wg.Wait()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// watched is a disk that tells when one of its files is closed.
type watched struct {
	host.Disk
	closing func()
}

type watchedFile struct {
	host.File
	closing func()
}

func (d watched) Open(name string) (host.File, error) {
	f, err := d.Disk.Open(name)
	if err != nil {
		return nil, err
	}
	return watchedFile{f, d.closing}, nil
}

func (f watchedFile) Close() error {
	f.closing()
	return f.File.Close()
}

// Who lists the files may inspect a followed one at any time, and reads it by the handle.
func TestAFollowedFileIsNotClosedWhileAnotherMayInspectIt(t *testing.T) {
	m := newDisk(t)
	put(t, m, "/out/a", "one\n")
	var s *source
	closed := 0
	disk := watched{m, func() {
		closed++
		if s != nil && s.parts[0].inspected.TryLock() {
			t.Error("the file is closed, and could be inspected meanwhile")
			s.parts[0].inspected.Unlock()
		}
	}}
	s = followed(t, disk, "/out/a", connector.Position{})
	ctx, stop := context.WithCancel(bg)
	if _, err := s.Read(ctx, 0); err != nil {
		t.Fatal(err)
	}
	closed = 0
	stop()
	if _, err := s.Read(ctx, 0); err != context.Canceled || closed != 1 {
		t.Errorf("%v, closed %d times", err, closed)
	}
}
