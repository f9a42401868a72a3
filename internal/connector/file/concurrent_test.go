package file

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

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

// slow is a disk whose files, once it is held, are read when goOn is closed; it counts those that are open.
type slow struct {
	host.Disk
	open *atomic.Int64
	held *atomic.Bool
	goOn chan struct{}
}

type slowFile struct {
	host.File
	disk slow
}

func (d slow) Open(name string) (host.File, error) {
	f, err := d.Disk.Open(name)
	if err == nil {
		d.open.Add(1)
	}
	return slowFile{f, d}, err
}

func (f slowFile) ReadAt(b []byte, off int64) (int, error) {
	if f.disk.held.Load() {
		<-f.disk.goOn
	}
	return f.File.ReadAt(b, off)
}

func (f slowFile) Close() error {
	f.disk.open.Add(-1)
	return f.File.Close()
}

func TestNoMoreFilesAreOpenThanMayBeThoughAllAreReadAtOnce(t *testing.T) {
	const n = openMax + 30
	for _, follow := range []bool{false, true} {
		m := newDisk(t)
		files(t, m, n, 1)
		synctest.Test(t, func(t *testing.T) {
			disk := slow{m, new(atomic.Int64), new(atomic.Bool), make(chan struct{})}
			s := source0(t, disk, "/out/*.jsonl", connector.Options{Follow: follow})
			at := starts(t, s)
			for i := range at {
				if follow {
					at[i].Until = -1
				}
			}
			if err := s.Open(bg, at); err != nil {
				t.Fatal(err)
			}
			disk.held.Store(true)
			reads := make([]chan got, n)
			for i := range n {
				reads[i] = reading(t, s, i)
			}
			synctest.Wait()
			if open := disk.open.Load(); open != openMax {
				t.Errorf("follow %v: %d files are open", follow, open)
			}
			close(disk.goOn)
			for i := range n {
				if g := <-reads[i]; g.err != nil || len(g.recs) != 1 {
					t.Errorf("follow %v: %+v", follow, g)
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
