package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ubik/internal/runner"
	"ubik/internal/ubiktest/naive"
)

// A run without skip stops at a malformed record and names it; a later run with skip goes on to what skip from the
// start gives, whatever happened before.
func TestARunThatStoppedAtAMalformedRecordGoesOnWithSkip(t *testing.T) {
	for _, w := range slices.Concat(worlds(), joinWorlds(), treeWorlds()) {
		want := map[bool]*naive.Result{}
		malformed := 0
		for _, closed := range []bool{true, false} {
			r, err := w.Naive(closed, true)
			if err != nil {
				t.Fatal(err)
			}
			want[closed] = r
			malformed = 0
			for _, l := range r.Ledgers {
				malformed += l.Malformed
			}
		}
		if malformed == 0 {
			continue
		}
		t.Run(w.Name, func(t *testing.T) {
			for seed := range uint64(40) {
				o := optionsOf(&w, seed)
				o.Checkpoint, o.StopFirst = true, true
				res, err := w.Run(seed, o)
				if err == nil {
					err = w.Check(res, want[o.Closes()])
				}
				if err == nil {
					err = w.namesTheRecord(res, want[true])
				}
				if err != nil {
					t.Fatalf("seed %d\n%+v\n%v", seed, o, err)
				}
			}
		})
	}
}

// namesTheRecord checks that the run stopped once, at the first malformed record of a partition.
func (w *World) namesTheRecord(res *Result, want *naive.Result) error {
	if len(res.Stopped) != 1 {
		return fmt.Errorf("it stopped %d times", len(res.Stopped))
	}
	msg := res.Stopped[0].Error()
	readers, err := w.Readers()
	if err != nil {
		return err
	}
	for i, l := range want.Ledgers {
		part := &w.Partitions[readers[i].At]
		if strings.HasPrefix(msg, fmt.Sprintf("malformed record at %s/%d, position %d", part.Topic, part.Index, l.FirstMalformed)) {
			return nil
		}
	}
	return fmt.Errorf("it names no first malformed record: %s", msg)
}

// The last positions of a partition may hold nothing that can be read (the marks of transactions), so a Read of it may
// stay open for ever though the log seems to hold more. However little room for chunks there is, the others go on.
func TestPartitionsThatSeemToHaveMoreDoNotStopTheOthers(t *testing.T) {
	rec := func(pos int64) naive.Record {
		return naive.Record{Position: pos, Value: []byte(fmt.Sprintf(`{"ts":%q}`, stamp(base+pos*second)))}
	}
	w := World{Sources: []Source{{"t", "ts TIMESTAMP", 0, ""}}, SQL: "SELECT TUMBLE(ts, INTERVAL 1 SECOND) AS w, count(*) AS n FROM t GROUP BY w", Tail: 4}
	for p := range 12 {
		part := naive.Partition{Topic: "t", Index: int32(p), Records: []naive.Record{rec(0)}}
		if p == 11 {
			for pos := range int64(20) {
				part.Records = append(part.Records, rec(pos+1))
			}
		}
		w.Partitions = append(w.Partitions, part)
	}
	want, err := w.Naive(false, false)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(20) {
		res, err := w.Run(seed, Options{Pacing: Growing, End: Open, Workers: []int{1}})
		if err == nil {
			err = w.Check(res, want)
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// A decision that the log contradicts is refused at the start: here a unit of a run to the end, without the end.
func TestABoundedRunIsNotResumedUnbounded(t *testing.T) {
	w := worlds()[0]
	o := Options{Checkpoint: true, Skip: true, End: ToEnd, Workers: []int{2}}
	var x *execution
	for seed := uint64(0); x == nil || x.file == nil; seed++ {
		var err error
		if x, err = newExecution(&w, seed, o); err != nil {
			t.Fatal(err)
		}
		l, err := x.start(runner.Bounded, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		if crashed, err := l.run(30, -1); !crashed || err != nil {
			t.Fatal(crashed, err)
		}
	}
	u, err := x.unit()
	if err != nil {
		t.Fatal(err)
	}
	_, err = x.start(runner.Unbounded, u, true)
	const wantErr = "a life cannot begin: the checkpoint is of a run to the end of its input, which cannot go on without an end"
	if err == nil || err.Error() != wantErr {
		t.Errorf("got  %v\nwant %s", err, wantErr)
	}
	w.Sources[0].Delay = 6e6
	_, err = x.start(runner.Bounded, u, true)
	const wantDelay = "a life cannot begin: the checkpoint is of another query: its delay is 5 seconds, here it is 6 seconds"
	if err == nil || err.Error() != wantDelay {
		t.Errorf("got  %v\nwant %s", err, wantDelay)
	}
}
