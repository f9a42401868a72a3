package runner

import (
	"testing"

	jsonrec "ubik/internal/codec/json"
	"ubik/internal/connector"
	"ubik/internal/plan"
	"ubik/internal/vec"
)

// joinConfig joins a file, which is read to its end, with a topic, which goes on.
func joinConfig(t *testing.T) Config {
	fields, err := plan.Schema("k VARCHAR, ts TIMESTAMP")
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Build(plan.Request{
		Query: "SELECT f.k FROM f JOIN t ON f.k = t.k AND t.ts BETWEEN f.ts AND f.ts + INTERVAL 1 MINUTE",
		Sources: []plan.Source{
			{Name: "f", Log: "file f", Schema: fields, Format: "json", Bounded: true, File: true, Delay: 0},
			{Name: "t", Log: "kafka t", Schema: fields, Format: "json", Delay: 0},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		Plan: p, NewDecoder: Decoders(jsonrec.Format), NewEncoder: jsonrec.Format.NewEncoder,
		Mode: Unbounded, Shards: 2, Checkpoint: true, Target: "test",
	}
}

// fileAndTopic is what the two logs show; the partitions have one name, which the source tells apart.
func fileAndTopic(fileEnd int64) []connector.Partition {
	id := connector.PartitionID{Topic: "same"}
	return []connector.Partition{
		{PartitionID: id, Source: 0, End: fileEnd},
		{PartitionID: id, Source: 1, End: 50},
	}
}

func TestAFileBesideATopicEndsForGood(t *testing.T) {
	r, err := New(joinConfig(t), fileAndTopic(10), nil)
	if err != nil {
		t.Fatal(err)
	}
	if at := r.Starts(); at[0].Until != 10 || at[1].Until != -1 || at[1].Source != 1 {
		t.Fatalf("read from %+v", at)
	}
	unit := r.Actions()[0].(Save).Unit
	r.Handle(Saved{})
	r.Actions()
	end := &connector.Chunk{Next: connector.Position{Offset: 10}, End: true, At: func(int) connector.Position { return connector.Position{} }}
	r.Handle(Got{Part: 0, Chunk: end})
	for _, a := range r.Actions() {
		if task, ok := a.(*Task); ok {
			task.Run()
			r.Handle(Done{task})
		}
	}
	as := r.Actions()
	if w := r.Status().Partitions[0].Watermark; w != vec.PosInf {
		t.Errorf("the file's watermark is %d at its end", w)
	}
	for _, a := range as {
		if _, over := a.(Finish); over {
			t.Error("the run is over though the topic goes on")
		}
	}

	// A file that has grown meanwhile is not read on: its end is part of unit 0.
	r, err = New(joinConfig(t), fileAndTopic(99), unit)
	if err != nil {
		t.Fatal(err)
	}
	if at := r.Starts(); at[0].Until != 10 || at[1].Until != -1 {
		t.Errorf("resumed, read from %+v", at)
	}
}

// The end at which a run with --keep-open stopped is not that of the run after it: a file ends where it does when it is first read for good.
func TestAFileEndsWhereItDoesWhenItIsFirstReadForGood(t *testing.T) {
	open := joinConfig(t)
	open.Mode = KeepOpen
	for i := range open.Plan.Sources {
		open.Plan.Sources[i].Bounded = false
	}
	r, err := New(open, fileAndTopic(10), nil)
	if err != nil {
		t.Fatal(err)
	}
	unit := r.Actions()[0].(Save).Unit
	if until := unit.Partitions[0].Until; until != 10 {
		t.Fatalf("the run with --keep-open reads up to %d", until)
	}

	r, err = New(joinConfig(t), fileAndTopic(20), unit)
	if err != nil {
		t.Fatal(err)
	}
	if at := r.Starts(); at[0].Until != 20 || at[1].Until != -1 {
		t.Fatalf("after --keep-open, read from %+v", at)
	}
	// That is decided once, and kept before a record is read.
	as := r.Actions()
	save, ok := as[0].(Save)
	if !ok {
		t.Fatalf("the end of the file is not saved first: %T", as[0])
	}
	r, err = New(joinConfig(t), fileAndTopic(99), save.Unit)
	if err != nil {
		t.Fatal(err)
	}
	if at := r.Starts(); at[0].Until != 20 {
		t.Errorf("resumed, read from %+v", at)
	}

	// From then on there is no way back.
	_, err = New(open, fileAndTopic(99), save.Unit)
	const want = "the checkpoint is of a run that reads same/0 to its end, which cannot be kept open"
	if err == nil || err.Error() != want {
		t.Errorf("kept open afterwards: %v", err)
	}
}
