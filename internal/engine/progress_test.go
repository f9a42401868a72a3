package engine

import (
	"context"
	"math"
	"path/filepath"
	"testing"
	"time"

	"ubik/internal/connector"
	"ubik/internal/runner"
	"ubik/internal/vec"
)

func statusOf(parts ...runner.PartStatus) *runner.Status {
	return &runner.Status{Read: 10, Emitted: 3, Watermark: 5, Holder: 0, OpenWindows: 2, Groups: 4, Partitions: parts}
}

// stored is a Meter of the partitions it has.
type stored map[int][2]int64

func (s stored) Stored(p int) (read, size int64) { return s[p][0], s[p][1] }

func TestProgressIsCountedInPositionsOfAllPartitions(t *testing.T) {
	id := func(i int32) connector.PartitionID { return connector.PartitionID{Topic: "t", Index: i} }
	for name, c := range map[string]struct {
		st              *runner.Status
		base            []int64
		done, size, lag int64
		holder          string
	}{
		"two partitions":         {statusOf(runner.PartStatus{PartitionID: id(0), From: 10, Next: 30, Until: 110, End: 200}, runner.PartStatus{PartitionID: id(1), From: 0, Next: 60, Until: 50, End: 60}), nil, 70, 150, 80, "t/0"},
		"one alone is no holder": {statusOf(runner.PartStatus{PartitionID: id(0), Next: 1, Until: 4, End: 4}), nil, 1, 4, 3, ""},
		"from where it resumes":  {statusOf(runner.PartStatus{PartitionID: id(0), Next: 95, Until: 100, End: 100}), []int64{90}, 5, 10, 5, ""},
		"one has no end":         {statusOf(runner.PartStatus{PartitionID: id(0), Next: 5, Until: 50, End: 50}, runner.PartStatus{PartitionID: id(1), Next: 5, Until: -1, End: 9}), nil, 0, 0, 49, "t/0"},
		"compressed files": {statusOf(runner.PartStatus{PartitionID: id(0), Next: 4, Until: 10, End: 10}, runner.PartStatus{PartitionID: id(1), Next: 500, Until: connector.EndUnknown, End: connector.EndUnknown},
			runner.PartStatus{PartitionID: id(2), Next: 500, Until: connector.EndUnknown, End: connector.EndUnknown, Finished: true}), nil, 4 + 30 + 100, 10 + 40 + 100, -1, "t/0"},
		"standard input": {statusOf(runner.PartStatus{Next: 5, Until: connector.EndUnknown, End: connector.EndUnknown}), nil, 0, 0, -1, ""},
		"empty":          {statusOf(runner.PartStatus{}), nil, 0, 0, 0, ""},
		"more than a number holds": {statusOf(runner.PartStatus{PartitionID: id(0), Next: math.MaxInt64 - 1, Until: math.MaxInt64 - 1, End: math.MaxInt64 - 1},
			runner.PartStatus{PartitionID: id(1), Next: 0, Until: math.MaxInt64 - 1, End: math.MaxInt64 - 1}), nil, math.MaxInt64 - 1, math.MaxInt64, math.MaxInt64 - 1, "t/0"},
	} {
		p := progressOf(c.st, c.base, stored{1: {30, 40}, 2: {5, 100}})
		if p.Done != c.done || p.Size != c.size || p.Lag != c.lag || p.Holder != c.holder || p.Read != 10 || p.Rows != 3 || p.Stored != 4 || p.OpenWindows != 2 || p.Watermark != vec.Time(5) {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestTheRateIsThatOfTheLastTwoSecondsAndTheTimeLeftOfTheLastTen(t *testing.T) {
	var m meter
	at := time.Unix(1000, 0)
	m.add(sample{at: at})
	read, done := uint64(0), int64(0)
	for step := 1; step <= 1000; step++ {
		at = at.Add(showEvery)
		speed := uint64(100) // a step
		if step > 500 {
			speed = 10
		}
		read, done = read+speed, done+int64(speed)
		p := Progress{Read: read, Done: done, Size: 200_000, Rate: -1, Left: -1}
		m.measure(at, &p)
		wantRate, wantLeft := 500.0, time.Duration(float64(p.Size-p.Done)/500*1e9)
		switch {
		case step < 5:
			wantLeft = -1
		case step > 550:
			wantRate, wantLeft = 50, time.Duration(float64(p.Size-p.Done)/50*1e9)
		case step > 510:
			wantRate, wantLeft = 50, p.Left
		case step > 500:
			continue
		}
		if d := p.Left - wantLeft; math.Abs(p.Rate-wantRate) > 1e-9 || d < -time.Microsecond || d > time.Microsecond {
			t.Fatalf("step %d: %v records/s, %v left; want %v and %v", step, p.Rate, p.Left, wantRate, wantLeft)
		}
		if len(m.samples) > 52 {
			t.Fatalf("step %d: %d samples are kept", step, len(m.samples))
		}
	}
	p := Progress{Read: read, Done: done, Size: 200_000, Rate: -1, Left: -1}
	m.measure(at.Add(time.Hour), &p)
	if p.Rate != 0 || p.Left != -1 {
		t.Errorf("standing still: %v records/s, %v left", p.Rate, p.Left)
	}
}

// gated is a source that reads nothing until the gate is open.
type gated struct {
	connector.Source
	gate <-chan struct{}
}

func (g gated) Read(ctx context.Context, p int) (*connector.Chunk, error) {
	<-g.gate
	return g.Source.Read(ctx, p)
}

func TestARunIsShownWhileItGoes(t *testing.T) {
	dir := t.TempDir()
	writeLogs(t, dir)
	job := newJob(t, dir, 2)
	withCheckpoint(t, job, filepath.Join(dir, "ckpt"))
	gate := make(chan struct{})
	job.Source = gated{job.Source, gate}
	var shown []Progress
	job.Show = func(p Progress) {
		if shown = append(shown, p); len(shown) == 2 {
			close(gate)
		}
	}
	rep, err := Run(context.Background(), job)
	if err != nil || !rep.Complete || len(shown) < 2 {
		t.Fatalf("%d shown, %+v, %v", len(shown), rep, err)
	}
	for i, p := range shown[:2] {
		if p.Read != 0 || p.Done != 0 || p.Size == 0 || p.Size != p.Lag || p.CheckpointAge < 0 || p.Rate != 0 || p.Left != -1 || p.Holder == "" {
			t.Errorf("the %d. shown is %+v", i, p)
		}
	}
}
