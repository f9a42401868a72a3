package sim

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"ubik/internal/ubiktest/naive"
)

var (
	schedules = flag.Int("schedules", 60, "schedules of each world")
	firstSeed = flag.Uint64("seed", 1, "the first seed; with -schedules=1 one execution is repeated")
	only      = flag.String("world", "", "run this world only")
)

// optionsOf turns a seed into what may happen, so that seeds go through all combinations.
func optionsOf(w *World, seed uint64) Options {
	o := Options{Skip: true, Checkpoint: seed%8 != 7}
	ends := []End{ToEnd, Open, KeepOpen, OpenToEnd}
	if !w.unbounded() {
		ends = ends[:1]
	}
	o.End = ends[seed%uint64(len(ends))]
	o.Packed = seed/16%2 > 0
	if seed/4%3 > 0 {
		o.Pacing = Growing
	}
	o.Crashes = []int{0, 3, 8}[seed/5%3]
	o.Stops = int(seed / 3 % 3)
	if !o.Checkpoint && (o.End == OpenToEnd || o.End == KeepOpen) {
		o.End = ToEnd
	}
	return o
}

// TestEveryScheduleGivesTheSame runs each world through many schedules. All must give the rows and the ledger of the
// naive evaluator, and the same checkpoint content at equal cuts.
func TestEveryScheduleGivesTheSame(t *testing.T) { trySchedules(t, worlds(), *schedules, 500) }

// The same of worlds with two sources.
func TestEveryScheduleOfAJoinGivesTheSame(t *testing.T) {
	trySchedules(t, joinWorlds(), (*schedules+1)/2, 300)
}

// trySchedules runs each world through n schedules, which must be least distinct ones in all.
func trySchedules(t *testing.T, worlds []World, n, least int) {
	began := time.Now()
	total, crashes, stops, again, cuts := 0, 0, 0, 0, 0
	for _, w := range worlds {
		if *only != "" && *only != w.Name {
			continue
		}
		t.Run(w.Name, func(t *testing.T) {
			want := map[bool]*naive.Result{}
			for _, closed := range []bool{true, false} {
				r, err := w.Naive(closed, true)
				if err != nil {
					t.Fatal(err)
				}
				want[closed] = r
			}
			h := NewHistory()
			for seed := *firstSeed; seed < *firstSeed+uint64(n); seed++ {
				o := optionsOf(&w, seed)
				res, err := w.Run(seed, o)
				if err == nil {
					err = w.Check(res, want[o.Closes()])
				}
				if err == nil {
					err = h.Add(res)
				}
				if err != nil {
					t.Fatalf("-world=%q -seed=%d -schedules=1\n%s\n%+v\n%v", w.Name, seed, w.SQL, o, err)
				}
			}
			total += len(h.Schedules)
			crashes, stops, again, cuts = crashes+h.Crashes, stops+h.Stops, again+h.Again, cuts+h.Cuts
		})
	}
	summary := fmt.Sprintf("%d distinct schedules, %d crashes, %d clean stops in the middle, %d rows written again, %d cuts met more than once, in %v",
		total, crashes, stops, again, cuts, time.Since(began).Round(time.Millisecond))
	t.Log(summary)
	if *only == "" && (total < least || crashes == 0 || again == 0 || cuts == 0) {
		t.Errorf("too little was tried: %s", summary)
	}
}
