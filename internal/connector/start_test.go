package connector

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"ubik/internal/fault"
)

// seeker is a source that begins at the number of its start's form.
type seeker struct{ fake }

func (s *seeker) Seek(_ context.Context, start StartPoint, listed []Partition) ([]Position, error) {
	at := Earliest(listed)
	for i := range at {
		at[i].Offset = int64(100*start.At) + int64(listed[i].Index)
	}
	return at, nil
}

func TestEachOfSeveralSourcesBeginsAtItsOwnStart(t *testing.T) {
	a, b, c := &seeker{fake{name: "a", count: 2}}, &seeker{fake{name: "b", count: 1}}, &fake{name: "c", count: 1}
	s := Several(a, b, c)
	ctx := context.Background()
	ps, err := s.Partitions(ctx)
	if err != nil {
		t.Fatal(err)
	}
	ps[3].Earliest = 7
	ps[0], ps[2] = ps[2], ps[0]
	for _, x := range []struct {
		starts []StartPoint
		want   string
	}{
		{nil, "[0 0 0 7]"},
		{[]StartPoint{{At: StartLatest}}, "[0 101 100 7]"},
		{[]StartPoint{{At: StartLatest}, {At: StartTime}, {}}, "[200 101 100 7]"},
	} {
		at, err := Seek(ctx, s, x.starts, ps)
		var got []int64
		for _, p := range at {
			got = append(got, p.Offset)
			if p.Epoch != -1 {
				t.Errorf("%v: the epoch is %d", x.starts, p.Epoch)
			}
		}
		if err != nil || fmt.Sprint(got) != x.want {
			t.Errorf("%v: %v, %v, want %s", x.starts, got, err, x.want)
		}
	}
}

func TestASourceThatCannotSeekSaysSo(t *testing.T) {
	for start, want := range map[string]StartPoint{
		"latest":              {At: StartLatest},
		"2026-01-01 00:00:00": {At: StartTime, Time: 1767225600000000},
		"{0:5,7:1}":           {At: StartOffsets, Offsets: []PartitionOffset{{0, 5}, {7, 1}}},
	} {
		_, err := Seek(context.Background(), Several(&seeker{}, &fake{}), []StartPoint{want, want}, nil)
		var f *fault.Error
		if !errors.As(err, &f) || f.Class != fault.Usage || f.Msg != "--start "+start+": the source is read from its beginning only" ||
			f.Try != "leave --start away, or filter in the query" {
			t.Errorf("%s: %v", start, err)
		}
	}
}

func TestLatestIsWhereTheLogEndedAtTheMomentThatCounts(t *testing.T) {
	of := func(i int32, earliest, end int64) Partition {
		return Partition{PartitionID: PartitionID{Topic: "t", Index: i}, Earliest: earliest, End: end}
	}
	now := []Partition{of(0, 0, 10), of(1, 8, 20), of(2, 3, 30), of(3, 0, 4)}
	for _, c := range []struct {
		listed []Partition
		want   string
	}{
		{nil, "[10 20 30 4]"},
		{[]Partition{}, "[0 8 3 0]"},
		{[]Partition{of(0, 0, 7), of(1, 0, 5), of(3, 0, 9)}, "[7 8 3 4]"}, // grown; expired since; added since; shorter than it was, which others refuse
	} {
		s := StartPoint{At: StartLatest, Listed: c.listed}
		got := []int64{}
		for _, p := range s.asOf(now) {
			got = append(got, p.End)
		}
		if fmt.Sprint(got) != c.want || now[0].End != 10 {
			t.Errorf("%v: %v, want %s", c.listed, got, c.want)
		}
	}

	// With transactions open the last record lies behind the end.
	high := func(p Partition, last int64) Partition {
		p.High = last
		return p
	}
	now = []Partition{high(of(0, 0, 10), 15), high(of(1, 12, 12), 25), high(of(2, 3, 30), 40), high(of(3, 0, 4), 9)}
	s := StartPoint{At: StartLatest, Listed: []Partition{high(of(0, 0, 7), 12), high(of(1, 0, 5), 9), high(of(3, 0, 4), 4)}}
	got := []int64{}
	for _, p := range s.asOf(now) {
		got = append(got, p.End, p.Last())
	}
	if want := "[7 12 12 12 3 3 4 4]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}
