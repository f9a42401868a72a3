package runner

import "testing"

// Whoever performs the actions has room for so many tasks, and need not wait for one to hand over another.
func TestNoMoreTasksAreOpenThanIsSaid(t *testing.T) {
	cfg := testConfig(t, Unbounded, true)
	cfg.Shards, cfg.ChunksMax = 3, 5
	r, err := New(cfg, listed(1<<40, 1<<40, 1<<40, 1<<40, 1<<40, 1<<40, 1<<40, 1<<40), nil)
	if err != nil {
		t.Fatal(err)
	}
	next := map[int]int64{}
	var open []*Task
	most := 0
	for range 200 {
		for as := r.Actions(); len(as) > 0; as = r.Actions() {
			for _, a := range as {
				switch a := a.(type) {
				case Save:
					r.Handle(Saved{})
				case Read:
					r.Handle(Got{Part: a.Part, Chunk: chunk(3+next[a.Part], `{"k":"a","ts":"2026-01-01"}`, `{"k":"b","ts":"2026-01-01"}`, `{"k":"c","ts":"2026-01-01"}`)})
					next[a.Part] += 3
				case *Task:
					open = append(open, a)
				case Write:
					r.Handle(Written{Rows: a.Rows})
				}
			}
			most = max(most, len(open))
		}
		if len(open) == 0 {
			t.Fatal("nothing more happens")
		}
		a := open[0]
		open = open[1:]
		a.Run()
		r.Handle(Done{Task: a})
	}
	if limit := cfg.TasksMost(); most > limit || most < cfg.ChunksMax {
		t.Errorf("%d tasks are open, at most %d are to be", most, limit)
	}
}
