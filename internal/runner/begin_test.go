package runner

import (
	"fmt"
	"testing"

	"ubik/internal/connector"
)

func TestTheFirstStartBeginsWhereItIsToldAndKeepsThat(t *testing.T) {
	cfg := testConfig(t, Bounded, true)
	cfg.Begin = []connector.Position{{Offset: 7, Epoch: -1, Hash: [16]byte{9}}, {Offset: 3, Epoch: -1}, {Offset: 5, Epoch: -1}}
	r, err := New(cfg, listed(10, 3, 5), nil)
	if err != nil {
		t.Fatal(err)
	}
	at := r.Starts()
	for i, want := range cfg.Begin {
		if at[i].From != want {
			t.Errorf("partition %d is read from %+v, not %+v", i, at[i].From, want)
		}
	}
	u := r.Actions()[0].(Save).Unit
	for i, p := range u.Partitions {
		if p.From != cfg.Begin[i] || p.Next != cfg.Begin[i] || p.Finished != (i > 0) {
			t.Errorf("in unit 0 partition %d begins at %+v, goes on at %+v, is finished: %v", i, p.From, p.Next, p.Finished)
		}
	}
	// Only the one that begins before its end is read, from there on.
	r.Handle(Saved{})
	if as := r.Actions(); names(as) != "runner.Read " || as[0].(Read).Part != 0 {
		t.Errorf("behind unit 0 there is %s", names(as))
	}
	if s := r.Status().Partitions[0]; s.From != 7 || s.Next != 7 {
		t.Errorf("the status is %+v", s)
	}

	// What a later start is told has no effect, nor has the time between: where it began is in unit 0.
	u, err = ReadUnit(u.Sections())
	if err != nil {
		t.Fatal(err)
	}
	cfg.Begin = []connector.Position{{Offset: 10}, {Offset: 3}, {Offset: 5}}
	if r, err = New(cfg, listed(10, 3, 5), u); err != nil {
		t.Fatal(err)
	}
	if at := r.Starts()[0].From; at.Offset != 7 || at.Hash != [16]byte{9} {
		t.Errorf("resumed, read from %+v", at)
	}
	if as := r.Actions(); names(as) != "runner.Read " {
		t.Errorf("resumed, the run begins with %s", names(as))
	}
}

func TestWithoutABeginningTheFirstStartReadsAllThereIs(t *testing.T) {
	r, err := New(testConfig(t, Unbounded, true), listed(10, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range r.Starts() {
		if s.From != (connector.Position{Offset: 3, Epoch: -1}) {
			t.Errorf("partition %d is read from %+v", i, s.From)
		}
	}
	u := r.Actions()[0].(Save).Unit
	if fmt.Sprint(u.Partitions[0].From, u.Partitions[1].From) != fmt.Sprint(r.Starts()[0].From, r.Starts()[1].From) {
		t.Errorf("in unit 0 they begin at %+v and %+v", u.Partitions[0].From, u.Partitions[1].From)
	}
}

// Where a log with an open transaction can be read no further than End, a run may begin behind that.
func TestARunMayBeginBehindAnOpenTransaction(t *testing.T) {
	begin := []connector.Position{{Offset: 15, Epoch: -1}, {Offset: 3, Epoch: -1}}
	log := func(end, high int64) []connector.Partition {
		l := listed(10, 3)
		l[0].End, l[0].High = end, high
		return l
	}
	for _, mode := range []Mode{Unbounded, Bounded, KeepOpen} {
		cfg := testConfig(t, mode, true)
		cfg.Begin = begin
		r, err := New(cfg, log(10, 20), nil)
		if err != nil {
			t.Fatal(err)
		}
		u := r.Actions()[0].(Save).Unit
		ends := mode != Unbounded
		if p := u.Partitions[0]; p.Finished != ends || ends && p.Until != 15 || p.Next != begin[0] {
			t.Errorf("%v: in unit 0 there is %+v", mode, p)
		}
		// Nothing was read, so that an end before it says nothing; one of the whole log does.
		for _, c := range []struct {
			high int64
			want string
		}{
			{20, "<nil>"},
			{15, "<nil>"},
			{14, "t/0 ends at position 10, before position 15, up to which it was read"},
		} {
			if _, err := New(cfg, log(10, c.high), u); fmt.Sprint(err) != c.want {
				t.Errorf("%v: resumed, with a log up to %d: %v, want %s", mode, c.high, err, c.want)
			}
			if err := checkLog(r.parts[0], log(10, c.high)[0], 15); fmt.Sprint(err) != c.want {
				t.Errorf("%v: listed, with a log up to %d: %v, want %s", mode, c.high, err, c.want)
			}
		}
	}
}
