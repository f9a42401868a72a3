package runner

import (
	"fmt"
	"testing"

	"github.com/zeebo/xxh3"

	jsonrec "ubik/internal/codec/json"
	"ubik/internal/connector"
	"ubik/internal/plan"
	"ubik/internal/vec"
)

func testConfig(t *testing.T, mode Mode, checkpoint bool) Config {
	fields, err := plan.Schema("k VARCHAR, ts TIMESTAMP")
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Build(plan.Request{
		Query:   "SELECT k, TUMBLE(ts, INTERVAL 1 MINUTE) AS w, count(*) AS n FROM t GROUP BY ALL",
		Sources: []plan.Source{{Name: "t", Log: "test t", Schema: fields, Format: "json", Bounded: mode == Bounded, Delay: 5e6}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		Plan: p, NewDecoder: Decoders(jsonrec.Format), NewEncoder: jsonrec.Format.NewEncoder,
		Mode: mode, Shards: 2, Checkpoint: checkpoint, Target: "test", JobID: [16]byte{7},
	}
}

func listed(ends ...int64) []connector.Partition {
	var ps []connector.Partition
	for i, end := range ends {
		ps = append(ps, connector.Partition{PartitionID: connector.PartitionID{Topic: "t", Index: int32(i)}, LogID: "id", Earliest: 3, End: end})
	}
	return ps
}

// names lists the kinds of actions.
func names(as []Action) string {
	s := ""
	for _, a := range as {
		s += fmt.Sprintf("%T ", a)
	}
	return s
}

func TestUnitZeroIsDurableBeforeARecordIsRead(t *testing.T) {
	r, err := New(testConfig(t, Bounded, true), listed(10, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	first := r.Actions()
	if names(first) != "runner.Save " {
		t.Fatalf("the run begins with %s", names(first))
	}
	u := first[0].(Save).Unit
	if u.Number != 0 || u.JobID != [16]byte{7} || len(u.Facts) == 0 || len(u.Partitions) != 2 ||
		u.Partitions[0].From.Offset != 3 || u.Partitions[0].Next.Offset != 3 || u.Partitions[0].Until != 10 || u.Complete {
		t.Errorf("unit 0 is %+v", u)
	}
	r.Handle(Tick{Due: true, List: true})
	if as := r.Actions(); len(as) > 0 {
		t.Fatalf("before it is durable there is %s", names(as))
	}
	r.Handle(Saved{})
	if as := r.Actions(); names(as) != "runner.Read " {
		t.Errorf("behind it there is %s", names(as))
	}
}

func TestWithoutACheckpointReadingBeginsAtOnce(t *testing.T) {
	r, err := New(testConfig(t, Unbounded, false), listed(10, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	if as := r.Actions(); names(as) != "runner.Read runner.Read " {
		t.Errorf("the run begins with %s", names(as))
	}
}

// chunk is the records of a partition from a position on.
func chunk(from int64, values ...string) *connector.Chunk {
	c := &connector.Chunk{At: func(i int) connector.Position { return connector.Position{Offset: from + int64(i)} }}
	for i, v := range values {
		c.Spans = append(c.Spans, vec.Span{Off: uint32(len(c.Data)), Len: uint32(len(v))})
		c.Data = append(c.Data, v...)
		c.Pos = append(c.Pos, from+int64(i))
	}
	c.Next = connector.Position{Offset: from + int64(len(values))}
	return c
}

func TestACutIsSavedWhenEveryRowBeforeItIsDurable(t *testing.T) {
	r, err := New(testConfig(t, Unbounded, true), listed(5), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Actions()
	r.Handle(Saved{})
	sawWrite, flushed := false, false
	var pending []Action
	r.Actions()
	r.Handle(Got{Part: 0, Chunk: chunk(3, `{"k":"a","ts":"2026-01-01"}`, `{"k":"b","ts":"2026-01-01T00:02:00Z"}`)})
	due := 0
	for range 100 {
		pending = append(pending, r.Actions()...)
		if len(pending) == 0 {
			if due++; due > 1 {
				t.Fatal("no unit was saved")
			}
			r.Handle(Tick{Due: true})
			continue
		}
		a := pending[0]
		pending = pending[1:]
		switch a := a.(type) {
		case *Task:
			a.Run()
			r.Handle(Done{Task: a})
		case Write:
			sawWrite = true
			if flushed {
				t.Fatal("a row before the cut is written behind its flush")
			}
			r.Handle(Written{Rows: a.Rows})
		case Flush:
			flushed = true
			r.Handle(Flushed{State: []byte("where the sink is")})
		case Save:
			u := a.Unit
			if !sawWrite || !flushed || string(u.Sink) != "where the sink is" {
				t.Errorf("the unit is saved with written %v, flushed %v, the sink at %q", sawWrite, flushed, u.Sink)
			}
			if u.Number != 1 || u.Partitions[0].Next.Offset != 5 || u.Partitions[0].Clocks[0].Ledger.Read != 2 || u.Rows() != 1 || u.Watermark() != u.Partitions[0].Clocks[0].MaxTime-5e6 {
				t.Errorf("the unit is %+v", u)
			}
			return
		}
	}
	t.Fatal("no end")
}

func TestTheChainIsOfTheRowsHoweverTheyAreSplit(t *testing.T) {
	var whole connector.Rows
	add := func(to *connector.Rows, key, value string, at int64) {
		to.Keys = append(to.Keys, key...)
		to.KeyEnds = append(to.KeyEnds, uint32(len(to.Keys)))
		to.Values = append(to.Values, value...)
		to.ValueEnds = append(to.ValueEnds, uint32(len(to.Values)))
		to.Times = append(to.Times, at)
	}
	one, split := &lane{name: "t/0"}, &lane{name: "t/0"}
	var chain [16]byte
	for i := range 5 {
		key, value, at := fmt.Sprint("key ", i), fmt.Sprintf("{%d}", i*i), int64(i)*1000-2
		add(&whole, key, value, at)
		var single connector.Rows
		add(&single, key, value, at)
		split.take(&single)
		if single.Lane != "t/0" || single.First != uint64(i+1) {
			t.Errorf("row %d is number %d of lane %s", i, single.First, single.Lane)
		}
		var e vec.Encoder // as docs/CHECKPOINT.md has it
		e.Raw(chain[:])
		e.I64(at)
		e.String(key)
		e.Raw([]byte(value))
		chain = xxh3.Hash128(e.Buf).Bytes()
	}
	one.take(&whole)
	if one.chain != split.chain || one.chain != chain || one.number != 5 || split.number != 5 {
		t.Errorf("chains %x, %x, %x; numbers %d, %d", one.chain, split.chain, chain, one.number, split.number)
	}
	// A byte that moves from the key to the value is another row.
	a, b := &lane{}, &lane{}
	var left, right connector.Rows
	add(&left, "ab", "c", 0)
	add(&right, "a", "bc", 0)
	a.take(&left)
	b.take(&right)
	if a.chain == b.chain {
		t.Error("key and value run into each other")
	}
}

func TestWhatMayChangeBetweenRunsAndWhatMayNot(t *testing.T) {
	unitOf := func(mode Mode) *Unit {
		r, err := New(testConfig(t, mode, true), listed(10, 3), nil)
		if err != nil {
			t.Fatal(err)
		}
		return r.Actions()[0].(Save).Unit
	}
	for _, c := range []struct {
		name     string
		from, to Mode
		change   func(c *Config)
		want     string
	}{
		{"workers, room for chunks, skip, the text of the query", Unbounded, Unbounded, func(c *Config) { c.Shards, c.ChunksMax, c.Skip, c.Query = 16, 3, true, "…" }, ""},
		{"without an end and keep-open", Unbounded, KeepOpen, nil, ""},
		{"keep-open and without an end", KeepOpen, Unbounded, nil, ""},
		{"without an end and to the end", Unbounded, Bounded, nil, ""},
		{"keep-open and to the end", KeepOpen, Bounded, nil, ""},
		{"to the end and keep-open", Bounded, KeepOpen, nil, "the checkpoint is of a run to the end of its input, which cannot go on without an end"},
		{"to the end and without one", Bounded, Unbounded, nil, "the checkpoint is of a run to the end of its input, which cannot go on without an end"},
		{"the sink", Unbounded, Unbounded, func(c *Config) { c.Target = "elsewhere" }, "the checkpoint writes to test, this run to elsewhere"},
		{"a fact", Unbounded, Unbounded, func(c *Config) { c.Plan.Facts[0].Value = "2" }, "the checkpoint is of another query: its semantics are 1, here they are 2"},
		{"a fact less", Unbounded, Unbounded, func(c *Config) { c.Plan.Facts = c.Plan.Facts[1:] }, "the checkpoint is of another query: its semantics are 1, here they are none"},
		{"a fact more", Unbounded, Unbounded, func(c *Config) { c.Plan.Facts = append(c.Plan.Facts, plan.Fact{Name: "extras", Value: "x"}) },
			"the checkpoint is of another query: its extras are none, here they are x"},
	} {
		cfg := testConfig(t, c.to, true)
		if c.change != nil {
			c.change(&cfg)
		}
		_, err := New(cfg, listed(10, 3), unitOf(c.from))
		if got := fmt.Sprint(err); err != nil && got != c.want || err == nil && c.want != "" {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	grown := append(listed(10, 3), connector.Partition{PartitionID: connector.PartitionID{Topic: "t", Index: 2}, LogID: "id"})
	if _, err := New(testConfig(t, Unbounded, true), grown, unitOf(Unbounded)); fmt.Sprint(err) !=
		"t/2 was added to the source: this version cannot take up a partition in the middle of a run" {
		t.Errorf("an added partition: %v", err)
	}
}

func TestALogThatIsNotTheOneThatWasReadIsRefused(t *testing.T) {
	r, err := New(testConfig(t, Bounded, true), listed(10), nil)
	if err != nil {
		t.Fatal(err)
	}
	u := r.Actions()[0].(Save).Unit
	u.Partitions[0].Next.Offset = 6
	for want, change := range map[string]func(p *connector.Partition){
		"<nil>": func(p *connector.Partition) { p.Earliest, p.End = 6, 12 },
		"t/0 was deleted and made again: its id was id, now it is new":               func(p *connector.Partition) { p.LogID = "new" },
		"t/0 ends at position 5, before position 6, up to which it was read":         func(p *connector.Partition) { p.End = 5 },
		"t/0 ends at position 9, before its fixed end 10":                            func(p *connector.Partition) { p.End = 9 },
		"positions 6 to 7 of t/0 are gone before they were read: it begins at 8 now": func(p *connector.Partition) { p.Earliest = 8 },
		"t/0, which the checkpoint has read up to position 6, is gone":               func(p *connector.Partition) { p.Topic = "other" },
	} {
		now := listed(10)
		change(&now[0])
		if _, err := New(testConfig(t, Bounded, true), now, u); fmt.Sprint(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestARowOfALogWithoutTimestampsHasTheTimeZero(t *testing.T) {
	cfg := testConfig(t, Unbounded, false)
	fields, err := plan.Schema("k VARCHAR")
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Plan, err = plan.Build(plan.Request{Query: "SELECT k FROM t", Sources: []plan.Source{{Name: "t", Schema: fields, Format: "json"}}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		times []int64 // µs
		want  int64   // ms
	}{{nil, 0}, {[]int64{1999}, 1}, {[]int64{-1}, -1}} {
		r, err := New(cfg, listed(4), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Actions()
		records := chunk(3, `{"k":"a"}`)
		records.LogTime = c.times
		r.Handle(Got{Part: 0, Chunk: records})
		task := r.Actions()[0].(*Task)
		task.Run()
		r.Handle(Done{Task: task})
		rows := r.Actions()[0].(Write).Rows
		if rows.Len() != 1 || rows.Times[0] != c.want || string(rows.Key(0)) != `{"_topic":"t","_partition":0,"_offset":3}` || string(rows.Value(0)) != `{"k":"a"}` {
			t.Errorf("%v: got %s %s at %d", c.times, rows.Key(0), rows.Value(0), rows.Times)
		}
	}
}

func TestTheStatusNamesThePartitionThatHoldsTheWatermark(t *testing.T) {
	r, err := New(testConfig(t, Unbounded, false), listed(4, 4), nil)
	if err != nil {
		t.Fatal(err)
	}
	feed := func(part int, from int64, ts string) {
		r.Actions()
		r.Handle(Got{Part: part, Chunk: chunk(from, `{"k":"a","ts":"`+ts+`"}`)})
		for _, a := range r.Actions() {
			if task, ok := a.(*Task); ok {
				task.Run()
				r.Handle(Done{Task: task})
			}
		}
		r.Actions()
	}
	feed(0, 3, "2026-01-01T00:10:00Z")
	if s := r.Status(); s.Holder != 1 || s.Watermark != vec.NegInf {
		t.Errorf("partition %d holds the watermark at %d", s.Holder, s.Watermark)
	}
	feed(1, 3, "2026-01-01T00:20:00Z")
	if s := r.Status(); s.Holder != 0 || s.Watermark != s.Partitions[0].Watermark || s.Watermark >= s.Partitions[1].Watermark {
		t.Errorf("partition %d holds the watermark at %d", s.Holder, s.Watermark)
	}
}
