package runner

import "testing"

// While nothing leaves, no more chunks are taken in than there is room for, also of partitions that are at their ends as
// far as the log was last asked.
func TestPartitionsAtTheirEndsAreBoundedByTheRoomForChunks(t *testing.T) {
	cfg := testConfig(t, Unbounded, false)
	cfg.ChunksMax = 2
	r, err := New(cfg, listed(3, 3, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := 0
	next := []int64{3, 3, 3}
	for as := r.Actions(); len(as) > 0; as = r.Actions() {
		for _, a := range as {
			if read, ok := a.(Read); ok { // tasks are never done
				r.Handle(Got{Part: read.Part, Chunk: chunk(next[read.Part], `{"k":"a","ts":"2026-01-01"}`)})
				next[read.Part]++
				got++
			}
		}
	}
	if most := cfg.ChunksMax + len(next); got > most {
		t.Errorf("%d chunks were taken in, want at most %d", got, most)
	}
}
