package connector

import (
	"context"
	"reflect"
	"testing"
)

// fake is a source that tells what it was asked.
type fake struct {
	name   string
	count  int
	opened []Start
	asked  []int
	closed bool
}

func (f *fake) Partitions(context.Context) ([]Partition, error) {
	var ps []Partition
	for i := range f.count {
		ps = append(ps, Partition{PartitionID: PartitionID{Topic: f.name, Index: int32(i)}})
	}
	return ps, nil
}

func (f *fake) Open(_ context.Context, at []Start) error { f.opened = at; return nil }
func (f *fake) Read(_ context.Context, p int) (*Chunk, error) {
	f.asked = append(f.asked, p)
	return &Chunk{}, nil
}
func (f *fake) Close() error { f.closed = true; return nil }

func TestSeveralSourcesAreReadAsOne(t *testing.T) {
	a, b := &fake{name: "a", count: 2}, &fake{name: "b", count: 3}
	s := Several(a, b)
	ctx := context.Background()
	ps, err := s.Partitions(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var at []Start
	for i, p := range ps {
		if want := []int{0, 0, 1, 1, 1}[i]; p.Source != want {
			t.Errorf("partition %d is of source %d, want %d", i, p.Source, want)
		}
		at = append(at, Start{Partition: p})
	}
	at = []Start{at[3], at[0], at[4], at[1]} // as a checkpoint may list them
	if err := s.Open(ctx, at); err != nil {
		t.Fatal(err)
	}
	for i := range at {
		if _, err := s.Read(ctx, i); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(a.opened, []Start{at[1], at[3]}) || !reflect.DeepEqual(b.opened, []Start{at[0], at[2]}) {
		t.Errorf("opened %v and %v", a.opened, b.opened)
	}
	if !reflect.DeepEqual(a.asked, []int{0, 1}) || !reflect.DeepEqual(b.asked, []int{0, 1}) {
		t.Errorf("read %v and %v", a.asked, b.asked)
	}
	if s.Close(); !a.closed || !b.closed {
		t.Error("a source stays open")
	}
}
