package runner

import (
	"testing"

	"ubik/internal/plan"
)

// When W has moved while a round was on its way, the next round does not wait for anything to happen: the record that
// moved it may be one that WHERE removes, and leaves the shards idle.
func TestARoundFollowsARoundAtOnce(t *testing.T) {
	cfg := testConfig(t, Unbounded, false)
	cfg.Shards = 1
	fields, err := plan.Schema("k VARCHAR, ts TIMESTAMP")
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Plan, err = plan.Build(plan.Request{
		Query:   "SELECT k, TUMBLE(ts, INTERVAL 1 MINUTE) AS w, count(*) AS n FROM t WHERE k = 'a' GROUP BY ALL",
		Sources: []plan.Source{{Name: "t", Log: "test t", Schema: fields, Format: "json", Delay: 5e6}},
	}); err != nil {
		t.Fatal(err)
	}
	r, err := New(cfg, listed(3), nil)
	if err != nil {
		t.Fatal(err)
	}
	var tasks []*Task
	take := func() {
		for _, a := range r.Actions() {
			if task, ok := a.(*Task); ok {
				tasks = append(tasks, task)
			}
		}
	}
	work := func() {
		task := tasks[0]
		tasks = tasks[1:]
		task.Run()
		r.Handle(Done{Task: task})
		take()
	}
	take()
	r.Handle(Got{Chunk: chunk(3, `{"k":"a","ts":"2026-01-01"}`)})
	take()
	work() // the chunk is prepared: its rows and a round go to the shard
	r.Handle(Got{Chunk: chunk(4, `{"k":"no","ts":"2026-01-01T00:00:30Z"}`)})
	take()
	shard := tasks[0]
	tasks = tasks[1:]
	work() // the next one is prepared, too, while the shard is busy
	if len(tasks) != 0 {
		t.Fatalf("%d tasks are there, want none", len(tasks))
	}
	shard.Run()
	r.Handle(Done{Task: shard})
	take()
	for len(tasks) > 0 {
		work()
	}
	if asked := r.stages[0].asked; asked != r.w {
		t.Errorf("the shards were asked to advance to %d, the watermark is %d", asked, r.w)
	}
}
