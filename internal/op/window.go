package op

import (
	"fmt"

	"ubik/internal/expr"
	"ubik/internal/vec"
)

// Window is an assignment of rows to time windows [start, end): tumbling when Slide equals Size, else hopping. Starts
// are those of DuckDB's time_bucket(slide, ts, offset). With a slide greater than the size there are gaps. Immutable.
type Window struct {
	Size, Slide vec.IntervalValue
	Offset      vec.IntervalValue
}

// The limits of a window.
const (
	yearsMax      = 1000
	daysMax       = 365243 // 1,000 years of the calendar, rounded up
	windowsPerRow = 1_000_000
)

// Check reports in a sentence what is wrong with the window.
func (w *Window) Check() error {
	if err := checkWidth("size", w.Size); err != nil {
		return err
	}
	if err := checkWidth("slide", w.Slide); err != nil {
		return err
	}
	if (w.Size.Months == 0) != (w.Slide.Months == 0) {
		return fmt.Errorf("the slide of a window, %s, and its size, %s, are not both in months: give both in months and years, or both in shorter units",
			text(w.Slide), text(w.Size))
	}
	if n := tooLong(w.Offset); n != 0 {
		return fmt.Errorf("the offset of a window, %s, is longer than %d years", text(w.Offset), yearsMax)
	}
	if w.Size.Months == 0 && w.Offset.Months != 0 {
		return fmt.Errorf("the offset of a window, %s, is in months but its size, %s, is not: give the offset in days or shorter units",
			text(w.Offset), text(w.Size))
	}
	if w.Offset.Months != 0 && micros(w.Offset) != 0 {
		return fmt.Errorf("the offset of a window, %s, mixes months with shorter units: give it in one of them", text(w.Offset))
	}
	if g := w.grid(); g.size/g.slide > windowsPerRow {
		return fmt.Errorf("with a slide of %s and a size of %s each row would be in %d windows; at most %d are allowed: make the slide longer",
			text(w.Slide), text(w.Size), g.size/g.slide, windowsPerRow)
	}
	return nil
}

func checkWidth(what string, iv vec.IntervalValue) error {
	switch {
	case iv.Months != 0 && (iv.Days != 0 || iv.Micros != 0):
		return fmt.Errorf("the %s of a window, %s, mixes months with shorter units: give it in one of them", what, text(iv))
	case tooLong(iv) > 0:
		return fmt.Errorf("the %s of a window, %s, is longer than %d years", what, text(iv), yearsMax)
	case tooLong(iv) < 0 || iv.Months < 0 || iv.Months == 0 && micros(iv) <= 0:
		return fmt.Errorf("the %s of a window must be greater than zero, not %s", what, text(iv))
	}
	return nil
}

// tooLong is the sign of an interval longer than the limit, else 0.
func tooLong(iv vec.IntervalValue) int {
	const most = int64(daysMax) * microsPerDay
	us := iv.Micros
	switch {
	case iv.Days > 2*daysMax: // the sum with µs might overflow; that one makes up for the other is not worth telling
		us = most + 1
	case iv.Days < -2*daysMax:
		us = -most - 1
	case us >= -most && us <= most:
		us += int64(iv.Days) * microsPerDay
	}
	switch {
	case iv.Months > yearsMax*monthsPerYear || us > most:
		return 1
	case iv.Months < -yearsMax*monthsPerYear || us < -most:
		return -1
	}
	return 0
}

func text(iv vec.IntervalValue) string {
	v := expr.NewInterval(iv).Value()
	return string(expr.AppendText(nil, v, 0))
}

// String is the canonical text: windows with the same boundaries have the same.
func (w *Window) String() string {
	s := "TUMBLE(" + canonical(w.Size)
	if w.hops() {
		s = "HOP(" + canonical(w.Slide) + ", " + canonical(w.Size)
	}
	if w.Offset != (vec.IntervalValue{}) {
		s += ", " + canonical(w.Offset)
	}
	return s + ")"
}

func (w *Window) hops() bool { g := w.grid(); return g.slide != g.size }

// Tumbles reports whether each window begins where the one before it ends.
func (w *Window) Tumbles() bool { return !w.hops() }

// Gaps reports whether there is time between windows.
func (w *Window) Gaps() bool { g := w.grid(); return g.slide > g.size }

// Origin is the start of the window from which the boundaries are counted.
func (w *Window) Origin() vec.Time { g := w.grid(); return g.begin(0) }

// Pane is the length of the pieces of time for which results are kept: the longest that divides the size and the slide.
func (w *Window) Pane() vec.IntervalValue {
	g := w.grid()
	if g.months {
		return vec.IntervalValue{Months: int32(g.unit)}
	}
	return vec.IntervalValue{Days: int32(g.unit / microsPerDay), Micros: g.unit % microsPerDay}
}

// MostOpen bounds how many windows are open when times are newest at now and a window closes once now has passed its
// end by delay, which is finite and not negative. Of windows of months it may be one too many.
func (w *Window) MostOpen(delay vec.Time) int64 {
	g := w.grid()
	up := func(n, by int64) int64 { return (n + by - 1) / by }
	if g.months {
		const shortest = 28 * microsPerDay // a month
		return up(g.size, g.slide) + up(int64(delay), g.slide*g.unit*shortest)
	}
	return up(int64(delay)+g.size*g.unit, g.slide*g.unit)
}

// canonical is the text of a width, 24 hours being a day.
func canonical(iv vec.IntervalValue) string {
	us := micros(iv)
	return "INTERVAL '" + text(vec.IntervalValue{Months: iv.Months, Days: int32(us / microsPerDay), Micros: us % microsPerDay}) + "'"
}

// Longest is the greatest length of a window, in µs.
func (w *Window) Longest() vec.Time {
	g := w.grid()
	if !g.months {
		return vec.Time(micros(w.Size))
	}
	longest := vec.Time(0)
	const cycle = 400 * monthsPerYear // months until the calendar repeats
	for p := int64(0); p < cycle; p++ {
		longest = max(longest, g.start(p+g.size)-g.start(p))
	}
	return longest
}

// stretch is what Ends keeps of a pane: rows of the same one need no division.
type stretch struct {
	from, to    vec.Time // the pane
	first, last vec.Time // ends of its earliest and latest window
	gap         bool     // it is in no window
}

func (g *grid) stretch(t vec.Time) stretch {
	p := g.pane(t)
	s := stretch{from: g.start(p), to: g.start(p + 1)}
	a, b := g.first(p), g.last(p)
	if s.gap = a > b; !s.gap {
		s.first, s.last = g.end(a), g.end(b)
	}
	return s
}

// Ends stores for each row of sel (nil: all of ts) the end of the earliest and of the latest window that holds it, in
// first and last, and returns the rows that are in a window, appended to out (which may be sel[:0]); never nil.
func (w *Window) Ends(ts []vec.Time, sel []int32, first, last []vec.Time, out []int32) []int32 {
	g := w.grid()
	// Disorder is mostly to and fro between two panes.
	var now, before stretch
	n := len(sel)
	if sel == nil {
		n = len(ts)
	}
	for k := 0; k < n; k++ {
		i := int32(k)
		if sel != nil {
			i = sel[k]
		}
		t := ts[i]
		if t < now.from || t >= now.to {
			now, before = before, now
			if t < now.from || t >= now.to {
				now = g.stretch(t)
			}
		}
		if !now.gap {
			first[i], last[i] = now.first, now.last
			out = append(out, i)
		}
	}
	if out == nil {
		out = []int32{}
	}
	return out
}
