package runner

import (
	"testing"

	"ubik/internal/codec"
	"ubik/internal/fault"
	"ubik/internal/op"
	"ubik/internal/plan"
	"ubik/internal/vec"
)

// running gives a runner that has read a record of the first partition, without its unit saved.
func running(t *testing.T) *Runner {
	t.Helper()
	r, err := New(testConfig(t, Unbounded, true), listed(5, 5), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Actions()
	r.Handle(Saved{})
	r.Actions()
	r.Handle(Got{Part: 0, Chunk: chunk(3, `{"k":"a","ts":"2026-01-01"}`)})
	for as := r.Actions(); len(as) > 0; as = r.Actions() {
		for _, a := range as {
			if task, ok := a.(*Task); ok {
				task.Run()
				r.Handle(Done{Task: task})
			}
		}
	}
	return r
}

// What was read may not be of the log that the checkpoint belongs to: it is not saved, however the change is found.
func TestALogThatChangedEndsTheRunWithoutAUnit(t *testing.T) {
	changed := fault.New(fault.LogChanged, "another log", "")
	for name, events := range map[string][]Event{
		"a Read":                         {Got{Part: 1, Err: changed}},
		"the list":                       {Stop{Err: changed}},
		"a Read while the run stops":     {Stop{}, Got{Part: 1, Err: changed}},
		"the list while the run stops":   {Stop{}, Stop{Err: changed}},
		"a Read after that of an outage": {Got{Part: 0, Err: fault.New(fault.Retryable, "outage", "")}, Got{Part: 1, Err: changed}},
	} {
		r := running(t)
		for _, ev := range events {
			r.Handle(ev)
		}
		as := r.Actions()
		if len(as) == 0 {
			t.Errorf("%s: the run goes on", name)
			continue
		}
		if f, ok := as[len(as)-1].(Finish); !ok || f.Err != changed {
			t.Errorf("%s: there is %s", name, names(as))
		}
	}
}

// A finished partition needs nothing of the log any more, whether the run goes on or is resumed.
func TestRetentionBehindAFinishedPartitionIsNoLoss(t *testing.T) {
	r, err := New(testConfig(t, Bounded, true), listed(10, 10), nil)
	if err != nil {
		t.Fatal(err)
	}
	u := r.Actions()[0].(Save).Unit
	u.Partitions[0].Next.Offset, u.Partitions[0].Finished = 10, true
	now := listed(30, 10)
	now[0].Earliest = 20
	if _, err := New(testConfig(t, Bounded, true), now, u); err != nil {
		t.Error(err)
	}
}

// A key that was too large to be kept is like a value that was.
func TestAKeyLargerThanPermittedIsMalformed(t *testing.T) {
	fields, err := plan.Schema("k VARCHAR")
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Build(plan.Request{Query: "SELECT _key AS key FROM t", Sources: []plan.Source{{Name: "t", Log: "test t", Schema: fields, Format: "json"}}})
	if err != nil {
		t.Fatal(err)
	}
	cfg := testConfig(t, Unbounded, false)
	cfg.Plan, cfg.Skip = p, true
	r, err := New(cfg, listed(5), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Actions()
	c := chunk(3, `{}`, `{}`)
	c.Data = append(c.Data, "ok"...)
	c.Keys = []vec.Span{{Len: codec.HugeLen}, {Off: uint32(len(c.Data) - 2), Len: 2}}
	r.Handle(Got{Chunk: c})
	rows := ""
	for i := 0; i < 3; i++ {
		for _, a := range r.Actions() {
			switch a := a.(type) {
			case *Task:
				a.Run()
				r.Handle(Done{Task: a})
			case Write:
				for i := range a.Rows.Len() {
					rows += string(a.Rows.Value(i))
				}
			}
		}
	}
	l := r.Status().Partitions[0].References[0].Ledger
	if rows != `{"key":"ok"}` || l.Malformed != 1 || l.Used != 1 {
		t.Fatalf("the rows are %s, the ledger %+v", rows, l)
	}
	if in := *l.FirstMalformed; in.Offset != 3 || in.Field != "_key" || in.Reason != "the record's key is larger than --max-record permits" {
		t.Errorf("the first malformed is %+v", in)
	}
}

// wide writes rows of a megabyte.
type wide struct{}

func (wide) AppendRows(dst []byte, ends []uint32, b *vec.Batch, sel []int32) ([]byte, []uint32) {
	for range b.N {
		dst = append(dst, make([]byte, 1<<20)...)
		ends = append(ends, uint32(len(dst)))
	}
	return dst, ends
}

// A shard pauses for the bytes of its rows, too: they are in memory until the merge has caught up, and counted in 32 bits.
func TestAShardPausesForManyBytes(t *testing.T) {
	s := &shard{value: wide{}, key: wide{}, budget: 1 << 20}
	e := &emitted{}
	o := &op.Out{Cols: &vec.Batch{N: 1}, Key: &vec.Batch{N: 1}, Order: []byte{1}, OrderEnds: []uint32{1}, Times: []int64{0}}
	for n := 1; ; n++ {
		if n > 16 {
			t.Fatalf("%d MiB are held", (len(e.values)+len(e.keys))>>20)
		}
		if !s.emit(e, o) {
			return
		}
	}
}
