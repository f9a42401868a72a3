package op

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"
	"time"

	"ubik/internal/vec"
)

const (
	second = int64(1e6)
	minute = 60 * second
	hour   = 60 * minute
)

func us(n int64) vec.IntervalValue   { return vec.IntervalValue{Micros: n} }
func days(n int32) vec.IntervalValue { return vec.IntervalValue{Days: n} }
func mon(n int32) vec.IntervalValue  { return vec.IntervalValue{Months: n} }

func tumble(size vec.IntervalValue) *Window { return &Window{Size: size, Slide: size} }

func at(t testing.TB, s string) vec.Time {
	x, err := time.Parse("2006-01-02 15:04:05.999999", s)
	if err != nil {
		t.Fatal(err)
	}
	return vec.Time(x.UnixMicro())
}

func show(t vec.Time) string {
	return time.UnixMicro(int64(t)).UTC().Format("2006-01-02 15:04:05.999999")
}

// The values of DuckDB's time_bucket.
func TestWindowsBeginWhereTimeBucketDoes(t *testing.T) {
	for _, c := range []struct {
		w           Window
		ts          string
		start, ends string
	}{
		{*tumble(us(minute)), "2026-01-01 00:00:59.999999", "2026-01-01 00:00:00", "2026-01-01 00:01:00"},
		{*tumble(us(minute)), "1969-12-31 23:59:59.999999", "1969-12-31 23:59:00", "1970-01-01 00:00:00"},
		{*tumble(us(minute)), "1970-01-01 00:00:00", "1970-01-01 00:00:00", "1970-01-01 00:01:00"},
		{*tumble(days(1)), "1600-02-29 12:00:00", "1600-02-29 00:00:00", "1600-03-01 00:00:00"},
		{*tumble(days(7)), "2026-01-01 10:00:00", "2025-12-29 00:00:00", "2026-01-05 00:00:00"},
		{*tumble(days(7)), "1969-12-31 10:00:00", "1969-12-29 00:00:00", "1970-01-05 00:00:00"},
		{*tumble(us(7 * minute)), "2026-01-01 00:00:00", "2025-12-31 23:59:00", "2026-01-01 00:06:00"},
		{*tumble(us(7 * minute)), "2000-01-03 00:06:59", "2000-01-03 00:00:00", "2000-01-03 00:07:00"},
		{*tumble(us(7 * minute)), "2000-01-02 23:59:59", "2000-01-02 23:53:00", "2000-01-03 00:00:00"},
		{*tumble(mon(1)), "2024-02-29 23:59:59", "2024-02-01 00:00:00", "2024-03-01 00:00:00"},
		{*tumble(mon(1)), "1900-02-28 00:00:00", "1900-02-01 00:00:00", "1900-03-01 00:00:00"},
		{*tumble(mon(3)), "1999-12-31 00:00:00", "1999-10-01 00:00:00", "2000-01-01 00:00:00"},
		{*tumble(mon(5)), "1999-12-31 00:00:00", "1999-08-01 00:00:00", "2000-01-01 00:00:00"},
		{*tumble(mon(12)), "0001-06-01 00:00:00", "0001-01-01 00:00:00", "0002-01-01 00:00:00"},
		{*tumble(mon(84)), "1995-06-01 00:00:00", "1993-01-01 00:00:00", "2000-01-01 00:00:00"},
		{Window{us(hour), us(hour), us(15 * minute)}, "2026-01-01 00:14:59", "2025-12-31 23:15:00", "2026-01-01 00:15:00"},
		{Window{us(hour), us(hour), us(-15 * minute)}, "2026-01-01 00:45:00", "2026-01-01 00:45:00", "2026-01-01 01:45:00"},
		{Window{days(7), days(7), days(-1)}, "2026-01-04 10:00:00", "2026-01-04 00:00:00", "2026-01-11 00:00:00"},
		{Window{mon(1), mon(1), days(14)}, "2026-03-14 23:00:00", "2026-02-15 00:00:00", "2026-03-15 00:00:00"},
		{Window{mon(12), mon(12), mon(3)}, "2026-03-31 23:00:00", "2025-04-01 00:00:00", "2026-04-01 00:00:00"},
	} {
		if err := c.w.Check(); err != nil {
			t.Fatal(err)
		}
		var got string
		for start, end := range windowsOf(&c.w, at(t, c.ts)) {
			got += show(start) + " " + show(end) + ";"
		}
		if want := c.start + " " + c.ends + ";"; got != want {
			t.Errorf("%s of %s: %s, want %s", c.w.String(), c.ts, got, want)
		}
	}
}

// plainWindows lists the windows that hold t by trying starts from far below, one slide after the other.
func plainWindows(w *Window, t vec.Time) (out [][2]vec.Time) {
	if w.Size.Months == 0 {
		slide, size := vec.Time(micros(w.Slide)), vec.Time(micros(w.Size))
		start := originMicros + vec.Time(micros(w.Offset))
		step := slide
		for step < max(t-start, start-t) {
			step *= 2
		}
		for ; step >= slide; step /= 2 { // jumps of many slides, then of few
			for start > t {
				start -= step
			}
			for start+step <= t {
				start += step
			}
		}
		start -= size/slide*slide + 3*slide
		for ; start <= t; start += slide {
			if t < start+size {
				out = append(out, [2]vec.Time{start, start + size})
			}
		}
		return out
	}
	month := func(m int) vec.Time {
		d := time.Date(2000, time.Month(1+m+int(w.Offset.Months)), 1+int(w.Offset.Days), 0, 0, 0, 0, time.UTC)
		return vec.Time(d.UnixMicro() + w.Offset.Micros)
	}
	k, size := int(w.Slide.Months), int(w.Size.Months)
	for m := -(100*12)/k*k - k; month(m) <= t; m += k {
		if t < month(m+size) {
			out = append(out, [2]vec.Time{month(m), month(m + size)})
		}
	}
	return out
}

func TestEndsAreThoseOfTheWindowsListedOneByOne(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	widths := []int64{1, 7, 1000, second, 7 * second, minute, 10 * minute, hour, 24 * hour}
	for round := 0; round < 400; round++ {
		var w Window
		var span int64
		if round%4 == 0 {
			w = Window{Size: mon(1 + r.Int32N(14)), Slide: mon(1 + r.Int32N(14))}
			if r.IntN(2) == 0 {
				w.Offset = mon(r.Int32N(9) - 4)
			} else if r.IntN(2) == 0 {
				w.Offset = vec.IntervalValue{Days: r.Int32N(40) - 20, Micros: r.Int64N(hour)}
			}
			span = 900 * 24 * hour
		} else {
			unit := widths[r.IntN(len(widths))]
			w = Window{Size: us(unit * (1 + r.Int64N(9))), Slide: us(unit * (1 + r.Int64N(9)))}
			if r.IntN(2) == 0 {
				w.Offset = us(r.Int64N(6*unit) - 3*unit)
			}
			span = unit * 40
		}
		if err := w.Check(); err != nil {
			t.Fatal(err)
		}
		base := at(t, []string{"2000-01-03 00:00:00", "2026-02-27 23:00:00", "1999-12-31 00:00:00"}[r.IntN(3)])
		ts := make([]vec.Time, 40)
		var sel []int32
		for i := range ts {
			ts[i] = base + vec.Time(r.Int64N(span)-span/2)
			if r.IntN(3) > 0 {
				sel = append(sel, int32(i))
			}
		}
		if round%5 == 0 {
			sel = nil
			for i := range ts {
				sel = append(sel, int32(i))
			}
		}
		first, last := make([]vec.Time, len(ts)), make([]vec.Time, len(ts))
		arg := sel
		if round%5 == 0 {
			arg = nil
		}
		out := w.Ends(ts, arg, first, last, nil)
		if out == nil {
			t.Fatal("Ends returned nil")
		}
		for _, i := range sel {
			want := plainWindows(&w, ts[i])
			var got [][2]vec.Time
			for s, e := range windowsOf(&w, ts[i]) {
				got = append(got, [2]vec.Time{s, e})
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("seed %d: %s of %s: %v, want %v", seed, w.String(), show(ts[i]), got, want)
			}
			if len(want) == 0 {
				continue
			}
			if len(out) == 0 || out[0] != i {
				t.Fatalf("seed %d: %s: row %d left out", seed, w.String(), i)
			}
			out = out[1:]
			if first[i] != want[0][1] || last[i] != want[len(want)-1][1] {
				t.Fatalf("seed %d: %s of %s: ends %s and %s, want %v", seed, w.String(), show(ts[i]), show(first[i]), show(last[i]), want)
			}
		}
		if len(out) > 0 {
			t.Fatalf("seed %d: rows in no window were kept", seed)
		}
	}
}

func TestTheFirstOpenWindowIsTheFirstThatEndsAfterTheWatermark(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, w := range []*Window{tumble(us(minute)), {Size: us(7), Slide: us(3)}, {Size: us(3), Slide: us(7)}, tumble(mon(2)), {Size: mon(5), Slide: mon(2), Offset: days(3)}} {
		g := w.grid()
		for range 2000 {
			x := at(t, "1999-12-20 00:00:00") + vec.Time(r.Int64N(40*24*hour))
			if j := g.after(x); g.end(j) <= x || g.end(j-1) > x {
				t.Fatalf("%s: after %s comes window %d, which ends %s", w.String(), show(x), j, show(g.end(j)))
			}
			j := g.after(x)
			if k, ok := g.endingAt(g.end(j)); !ok || k != j {
				t.Fatalf("%s: window %d is not found by its end", w.String(), j)
			}
			if _, ok := g.endingAt(g.end(j) - 1); ok && g.unit > 1 {
				t.Fatalf("%s: a window is found by a time that is no end", w.String())
			}
		}
	}
}

func TestCheckSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		w    Window
		want string
	}{
		{*tumble(us(0)), "the size of a window must be greater than zero, not 00:00:00"},
		{*tumble(us(-minute)), "the size of a window must be greater than zero, not -00:01:00"},
		{Window{Size: us(minute)}, "the slide of a window must be greater than zero, not 00:00:00"},
		{*tumble(mon(-1)), "the size of a window must be greater than zero, not -1 month"},
		{*tumble(vec.IntervalValue{Months: 1, Days: 1}), "the size of a window, 1 month 1 day, mixes months with shorter units: give it in one of them"},
		{*tumble(mon(12001)), "the size of a window, 1000 years 1 month, is longer than 1000 years"},
		{*tumble(days(2147483647)), "the size of a window, 2147483647 days, is longer than 1000 years"},
		{*tumble(us(1<<63 - 1)), "the size of a window, 2562047788:00:54.775807, is longer than 1000 years"},
		{Window{Size: mon(1), Slide: days(1)}, "the slide of a window, 1 day, and its size, 1 month, are not both in months: give both in months and years, or both in shorter units"},
		{Window{Size: days(1), Slide: us(1)}, "with a slide of 00:00:00.000001 and a size of 1 day each row would be in 86400000000 windows; at most 1000000 are allowed: make the slide longer"},
		{Window{Size: days(1), Slide: days(1), Offset: mon(1)}, "the offset of a window, 1 month, is in months but its size, 1 day, is not: give the offset in days or shorter units"},
		{Window{Size: mon(1), Slide: mon(1), Offset: vec.IntervalValue{Months: 1, Days: 1}}, "the offset of a window, 1 month 1 day, mixes months with shorter units: give it in one of them"},
		{Window{Size: mon(1), Slide: mon(1), Offset: days(-400000)}, "the offset of a window, -400000 days, is longer than 1000 years"},
		{*tumble(mon(12000)), ""},
		{*tumble(vec.IntervalValue{Days: 2, Micros: -hour}), ""},
	} {
		got := ""
		if err := c.w.Check(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestWindowTextIsTheSameForTheSameBoundaries(t *testing.T) {
	for _, c := range []struct {
		w    Window
		want string
	}{
		{*tumble(us(minute)), "TUMBLE(INTERVAL '00:01:00')"},
		{*tumble(us(24 * hour)), "TUMBLE(INTERVAL '1 day')"},
		{*tumble(days(1)), "TUMBLE(INTERVAL '1 day')"},
		{Window{Size: us(hour), Slide: us(minute)}, "HOP(INTERVAL '00:01:00', INTERVAL '01:00:00')"},
		{Window{Size: us(hour), Slide: us(hour), Offset: us(5)}, "TUMBLE(INTERVAL '01:00:00', INTERVAL '00:00:00.000005')"},
		{*tumble(mon(12)), "TUMBLE(INTERVAL '1 year')"},
	} {
		if got := c.w.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestLongestIsTheLengthOfTheLongestWindow(t *testing.T) {
	for _, c := range []struct {
		w    *Window
		want vec.Time
	}{{tumble(us(minute)), vec.Time(minute)}, {tumble(mon(1)), 31 * vec.Day}, {tumble(mon(12)), 366 * vec.Day}, {tumble(mon(2)), 62 * vec.Day}} {
		if got := c.w.Longest(); got != c.want {
			t.Errorf("%s: %d, want %d", c.w.String(), got, c.want)
		}
	}
}

func TestHowManyWindowsAreOpenIsTheMostThatThereAre(t *testing.T) {
	const minute = vec.Time(60e6)
	day := vec.IntervalValue{Days: 1}
	month := func(n int32) vec.IntervalValue { return vec.IntervalValue{Months: n} }
	span := func(d vec.Time) vec.IntervalValue { return vec.IntervalValue{Micros: int64(d)} }
	for _, c := range []struct {
		w     Window
		delay vec.Time
		step  vec.Time // of the times tried
		want  int64
	}{
		{Window{Size: span(minute), Slide: span(minute)}, 0, 1e6, 1},
		{Window{Size: span(minute), Slide: span(minute)}, 5e6, 1e6, 2},
		{Window{Size: span(minute), Slide: span(minute)}, minute, 1e6, 2},
		{Window{Size: span(minute), Slide: span(minute)}, minute + 1e6, 1e6, 3},
		{Window{Size: span(10 * minute), Slide: span(minute)}, 0, 1e6, 10},
		{Window{Size: span(10 * minute), Slide: span(3 * minute)}, 5 * minute, 1e6, 5},
		{Window{Size: span(minute), Slide: span(10 * minute), Offset: span(7e6)}, 25 * minute, 1e6, 3},
		{Window{Size: day, Slide: day}, 36 * 60 * minute, 60 * minute, 3},
		{Window{Size: month(1), Slide: month(1)}, 0, vec.Day / 2, 1},
		{Window{Size: month(3), Slide: month(1)}, vec.Day, vec.Day / 2, 4},
	} {
		if got := c.w.MostOpen(c.delay); got != c.want {
			t.Errorf("%s, delay %d: %d, want %d", &c.w, c.delay, got, c.want)
		}
		from, most := c.w.Origin(), 0
		for now := from; now < from+2000*c.step; now += c.step {
			open := map[vec.Time]bool{}
			for at := now - c.delay - 3*c.w.Longest(); at <= now; at += c.step {
				for start, end := range windowsOf(&c.w, at) {
					if end > now-c.delay && start <= now {
						open[start] = true
					}
				}
			}
			most = max(most, len(open))
			if most == int(c.want) {
				break
			}
		}
		if most != int(c.want) {
			t.Errorf("%s, delay %d: at most %d seen, want %d", &c.w, c.delay, most, c.want)
		}
	}
}

func TestTheOriginAndThePiecesOfAWindow(t *testing.T) {
	iv := func(months, days int32, us int64) vec.IntervalValue {
		return vec.IntervalValue{Months: months, Days: days, Micros: us}
	}
	const monday, first = vec.Time(946857600e6), vec.Time(946684800e6) // 2000-01-03, 2000-01-01
	for _, c := range []struct {
		w            Window
		origin       vec.Time
		pane         vec.IntervalValue
		tumbles, gap bool
	}{
		{Window{Size: iv(0, 1, 0), Slide: iv(0, 0, 86400e6)}, monday, iv(0, 1, 0), true, false},
		{Window{Size: iv(0, 0, 90e6), Slide: iv(0, 0, 60e6), Offset: iv(0, 0, 5e6)}, monday + 5e6, iv(0, 0, 30e6), false, false},
		{Window{Size: iv(0, 0, 60e6), Slide: iv(0, 0, 90e6)}, monday, iv(0, 0, 30e6), false, true},
		{Window{Size: iv(6, 0, 0), Slide: iv(4, 0, 0)}, first, iv(2, 0, 0), false, false},
		{Window{Size: iv(1, 0, 0), Slide: iv(1, 0, 0), Offset: iv(0, 2, 0)}, first + 2*vec.Day, iv(1, 0, 0), true, false},
	} {
		if got := c.w.Origin(); got != c.origin {
			t.Errorf("%s: origin %d, want %d", &c.w, got, c.origin)
		}
		if got := c.w.Pane(); got != c.pane {
			t.Errorf("%s: pieces of %v, want %v", &c.w, got, c.pane)
		}
		if c.w.Tumbles() != c.tumbles || c.w.Gaps() != c.gap {
			t.Errorf("%s: tumbles %v, has gaps %v", &c.w, c.w.Tumbles(), c.w.Gaps())
		}
	}
}

// windowsOf lists the windows [start, end) that hold a time, by start.
func windowsOf(w *Window, t vec.Time) iter.Seq2[vec.Time, vec.Time] {
	return func(yield func(start, end vec.Time) bool) {
		g := w.grid()
		p := g.pane(t)
		for j := g.first(p); j <= g.last(p); j++ {
			if !yield(g.begin(j), g.end(j)) {
				return
			}
		}
	}
}
