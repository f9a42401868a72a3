package vec

import (
	"math"
	"strconv"
	"time"
)

// Time is an event time or a watermark: µs since 1970-01-01 UTC. The two infinities are values of their own that
// absorb arithmetic; every other Time lies between MinTime and MaxTime, or at most a window's size beyond.
type Time int64

const (
	NegInf Time = math.MinInt64
	PosInf Time = math.MaxInt64

	MinTime Time = -62135596800000000      // 0001-01-01T00:00:00Z
	MaxTime Time = 253402300799999999      // 9999-12-31T23:59:59.999999Z
	Forever Time = math.MaxInt64           // a delay that is unlimited
	Day     Time = 24 * 3600 * 1000 * 1000 // µs
)

// Sub returns t − d for a delay d ≥ 0: −∞ where that is no Time, and for a delay of Forever; infinities stay.
func (t Time) Sub(d Time) Time {
	if t == NegInf || t == PosInf {
		return t
	}
	if d == Forever || t < NegInf+d {
		return NegInf
	}
	return t - d
}

// FloorDiv is a/b rounded down, for b > 0.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// InRange reports whether t is a time that a row may carry: 0001-01-01 to 9999-12-31.
func (t Time) InRange() bool { return t >= MinTime && t <= MaxTime }

// SpanText writes a distance in µs of any length, as time.Duration writes those up to 292 years: 2.5ms, 1m0.5s, 87000h0m0s.
func (t Time) SpanText() string {
	const hour = 3600 * 1000 * 1000 // µs
	if t <= -hour || t >= hour {
		hours := int64(t) / hour
		rest := time.Duration(int64(t)%hour) * time.Microsecond
		text := (time.Hour + rest.Abs()).String() // 1h…: minutes and seconds are written behind hours
		return strconv.FormatInt(hours, 10) + text[len("1"):]
	}
	return (time.Duration(t) * time.Microsecond).String()
}
