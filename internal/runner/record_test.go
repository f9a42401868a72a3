package runner

import (
	"strings"
	"testing"

	"ubik/internal/codec"
	jsonrec "ubik/internal/codec/json"
	"ubik/internal/connector"
	"ubik/internal/plan"
	"ubik/internal/vec"
)

func TestTheLargestRecordMayOnlyBeRaisedAndOnlyWhileNoneWasMalformed(t *testing.T) {
	for _, c := range []struct {
		was, is   int
		malformed uint64
		ok        bool
	}{
		{100, 100, 0, true}, {100, 100, 5, true}, {100, 200, 0, true}, {100, 200, 1, false}, {100, 50, 0, false},
	} {
		cfg := testConfig(t, Unbounded, true)
		cfg.MaxRecord = c.is
		u := &Unit{Facts: cfg.Plan.Facts, Target: "test", MaxRecord: c.was, Partitions: []UnitPartition{{Clocks: []UnitClock{{Ledger: Ledger{Malformed: c.malformed}}}}}}
		err := u.matches(&cfg)
		if c.ok != (err == nil) || err != nil && !strings.Contains(err.Error(), "--max-record") {
			t.Errorf("from %d to %d with %d malformed: %v", c.was, c.is, c.malformed, err)
		}
	}
}

// A record without a timestamp has a NULL one, and its row the start of 1970.
func TestARecordWithoutATimestamp(t *testing.T) {
	fields, err := plan.Schema("k VARCHAR")
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Build(plan.Request{Query: "SELECT k, _timestamp AS at FROM t", Sources: []plan.Source{{Name: "t", Schema: fields, Format: "json", Delay: -1}}})
	if err != nil {
		t.Fatal(err)
	}
	s := newSlot(&Config{Plan: p, NewDecoder: Decoders(jsonrec.Format), NewEncoder: jsonrec.Format.NewEncoder, Shards: 1}, 0)
	data := []byte(`{"k":"a"}{"k":"b"}`)
	c := &connector.Chunk{
		Records: codec.Records{Data: data, Spans: []vec.Span{{Off: 0, Len: 9}, {Off: 9, Len: 9}}},
		Pos:     []int64{1, 2}, LogTime: []int64{1_500_000, connector.NoTime},
	}
	part := newPartition(0, connector.Partition{PartitionID: connector.PartitionID{Topic: "t"}})
	part.taps = []*tap{{part: part, in: &p.Inputs[0]}}
	s.prepare(c, part)
	rows := &s.refs[0].rows
	for i, want := range []string{`{"k":"a","at":"1970-01-01T00:00:01.500Z"}`, `{"k":"b","at":null}`} {
		if got := string(rows.Value(i)); got != want {
			t.Errorf("row %d is %s, want %s", i, got, want)
		}
	}
	if rows.Times[0] != 1500 || rows.Times[1] != 0 {
		t.Errorf("the rows' times are %v", rows.Times)
	}
}

func TestMilestonesOfManyPartitionsAreFewer(t *testing.T) {
	for _, c := range []struct{ partitions, most int }{{1, 64}, {1024, 64}, {4096, 16}, {100_000, 8}} {
		var ms []Milestone
		for n := range 100 {
			ms = thin(append(ms, Milestone{Unit: uint64(n + 1), Next: make([]int64, c.partitions)}))
		}
		if len(ms) != c.most || ms[0].Unit != 1 || ms[len(ms)-1].Unit != 100 {
			t.Errorf("%d partitions: %d milestones, units %d to %d; want %d", c.partitions, len(ms), ms[0].Unit, ms[len(ms)-1].Unit, c.most)
		}
	}
}
