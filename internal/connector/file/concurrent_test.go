package file

import (
	"sync"
	"testing"

	"ubik/internal/connector"
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
