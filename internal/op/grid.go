package op

import (
	"math"

	"ubik/internal/expr"
	"ubik/internal/vec"
)

// DuckDB's time_bucket counts from these: Monday 2000-01-03 00:00 for widths of days and µs, 2000-01-01 for months.
const (
	originMicros  = vec.Time(946857600) * 1e6
	originYear    = 2000
	farPast       = vec.Time(math.MinInt64 / 2) // no row and no window lies before it or after farFuture, and
	farFuture     = vec.Time(math.MaxInt64 / 2) // arithmetic on them cannot overflow
	noWindow      = math.MaxInt64
	firstOfAll    = math.MinInt64
	microsPerDay  = int64(vec.Day)
	monthsPerYear = 12
)

// grid is the arithmetic of a Window. Time is cut into panes, the longest pieces that no window boundary divides; pane
// p is [start(p), start(p+1)). Window j consists of the panes j·slide to j·slide + size − 1.
//
//	TUMBLE            pane 0 | pane 1 | pane 2      window j is pane j
//	HOP, 2 by 3      0 | 1 | 2 | 3 | 4              window 0 is panes 0..2, window 1 panes 2..4
//
// All windows are of one number of panes, so by j they are in order of end, and of start.
type grid struct {
	months bool
	unit   int64    // length of a pane, in µs or months
	slide  int64    // panes
	size   int64    // panes
	origin vec.Time // where pane 0 starts; for months the µs that every start is moved by
	moved  int64    // months: where pane 0 starts, in months since 2000-01
}

// micros is a width or offset of days and µs in µs.
func micros(iv vec.IntervalValue) int64 { return int64(iv.Days)*microsPerDay + iv.Micros }

func (w *Window) grid() grid {
	if w.Size.Months != 0 {
		unit := gcd(int64(w.Size.Months), int64(w.Slide.Months))
		return grid{
			months: true, unit: unit,
			slide: int64(w.Slide.Months) / unit, size: int64(w.Size.Months) / unit,
			origin: vec.Time(micros(w.Offset)), moved: int64(w.Offset.Months),
		}
	}
	size, slide := micros(w.Size), micros(w.Slide)
	unit := gcd(size, slide)
	return grid{unit: unit, slide: slide / unit, size: size / unit, origin: originMicros + vec.Time(micros(w.Offset))}
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// start is where pane p begins.
func (g *grid) start(p int64) vec.Time {
	if !g.months {
		return g.origin + vec.Time(p*g.unit)
	}
	m := p*g.unit + g.moved
	year := vec.FloorDiv(m, monthsPerYear)
	days := expr.DaysFromCivil(originYear+year, m-year*monthsPerYear+1, 1)
	return vec.Time(days*microsPerDay) + g.origin
}

// pane is the pane that holds a finite time.
func (g *grid) pane(t vec.Time) int64 {
	t = min(max(t, farPast), farFuture)
	if !g.months {
		return vec.FloorDiv(int64(t-g.origin), g.unit)
	}
	year, month, _ := expr.CivilFromDays(vec.FloorDiv(int64(t-g.origin), microsPerDay))
	return vec.FloorDiv((year-originYear)*monthsPerYear+month-1-g.moved, g.unit)
}

// first and last are the earliest and the latest window that pane p is part of; none when first > last.
func (g *grid) first(p int64) int64 { return vec.FloorDiv(p-g.size, g.slide) + 1 }
func (g *grid) last(p int64) int64  { return vec.FloorDiv(p, g.slide) }

// begin and end are the bounds of window j.
func (g *grid) begin(j int64) vec.Time { return g.start(j * g.slide) }
func (g *grid) end(j int64) vec.Time   { return g.start(j*g.slide + g.size) }

// after is the earliest window that ends after w: the first one still open when the watermark is w.
func (g *grid) after(w vec.Time) int64 {
	switch w {
	case vec.NegInf:
		return firstOfAll
	case vec.PosInf:
		return noWindow
	}
	// Window j ends after w when the pane behind it lies after the pane of w, so when j·slide + size > pane(w).
	return g.first(g.pane(w))
}

// endingAt is the window that ends at t, and false when none does.
func (g *grid) endingAt(t vec.Time) (int64, bool) {
	p := g.pane(t) - g.size
	j := vec.FloorDiv(p, g.slide)
	return j, g.end(j) == t
}
