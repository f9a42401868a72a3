package naive

import (
	"math/big"

	"ubik/internal/sql"
)

// window is TUMBLE (slide = size) or HOP.
type window struct {
	time                *node
	slide, size, offset interval
}

// span is one window: [start, end).
type span struct{ start, end int64 }

// isWindow reports whether an expression is a call of a window function.
func isWindow(e sql.Expr) (*sql.Call, bool) {
	c, ok := e.(*sql.Call)
	return c, ok && (sql.SameName(c.Name.Name, "tumble") || sql.SameName(c.Name.Name, "hop"))
}

func (c *compiler) window(call *sql.Call) (*window, error) {
	t, err := c.expr(call.Args[0])
	if err != nil {
		return nil, err
	}
	w := &window{time: to(t, timestamp)}
	var ivs []interval
	for _, a := range call.Args[1:] {
		n, err := c.expr(a)
		if err != nil {
			return nil, err
		}
		iv, ok := n.lit.(interval)
		if !ok {
			return nil, unsupported("a window of %s", sql.Format(a))
		}
		ivs = append(ivs, iv)
	}
	w.slide, w.size = ivs[0], ivs[0]
	rest := ivs[1:]
	if sql.SameName(call.Name.Name, "hop") {
		w.size = ivs[1]
		rest = ivs[2:]
	}
	if len(rest) > 0 {
		w.offset = rest[0]
	}
	return w, nil
}

// of lists the windows that hold an instant, by ascending start: the starts are those of DuckDB's time_bucket, which
// counts widths from Monday 2000-01-03, widths in months from 2000-01-01.
func (w *window) of(us int64) []span {
	shifted := shiftAny(us, interval{-w.offset.months, -w.offset.days, -w.offset.micros})
	start := func(k int64) int64 {
		if w.slide.months != 0 {
			return monthStart(2000*12 + k*w.slide.months)
		}
		const monday = 10959 * day // 2000-01-03
		return monday + k*(w.slide.days*day+w.slide.micros)
	}
	end := func(k int64) int64 {
		if w.slide.months != 0 {
			return monthStart(2000*12 + k*w.slide.months + w.size.months)
		}
		return start(k) + w.size.days*day + w.size.micros
	}
	// The last start that is not behind the instant, by halving.
	reach := int64(1) << 57
	if w.slide.months != 0 {
		reach = 1 << 20
	}
	low, high := big.NewInt(-reach), big.NewInt(reach)
	behind := func(k int64) bool {
		if w.slide.months != 0 {
			return 2000*12+k*w.slide.months > months(shifted)
		}
		// The product may leave 64 bits.
		at := new(big.Int).Mul(big.NewInt(k), big.NewInt(w.slide.days*day+w.slide.micros))
		return at.Add(at, big.NewInt(10959*day)).Cmp(big.NewInt(shifted)) > 0
	}
	for new(big.Int).Sub(high, low).Cmp(big.NewInt(1)) > 0 {
		mid := new(big.Int).Add(low, high)
		mid.Rsh(mid, 1)
		if behind(mid.Int64()) {
			high = mid
		} else {
			low = mid
		}
	}
	var out []span
	for k := low.Int64(); end(k) > shifted; k-- {
		out = append([]span{{shiftAny(start(k), w.offset), shiftAny(end(k), w.offset)}}, out...)
	}
	return out
}
