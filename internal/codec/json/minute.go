package jsonrec

import (
	"ubik/internal/expr"
	"ubik/internal/jsontext"
)

// minuteCache reads the usual spelling of a time, 2026-01-01T00:01:30.250Z: 'T' or a blank in the middle, no fraction
// or one of up to nine digits of which those past µs are cut, with or without 'Z'. The 16 bytes up to the minute are
// looked up in a small table, since the times of a log are close together.
type minuteCache [16]minute

type minute struct {
	w0, w1 uint64 // the 16 bytes
	micros int64  // µs since 1970
}

const microsPerSecond = 1_000_000

// parse returns µs since 1970 UTC, and false for text of another spelling, which is not to say that it is wrong.
func (m *minuteCache) parse(b []byte) (int64, bool) {
	if len(b) < 19 || b[16] != ':' {
		return 0, false
	}
	hi, lo := b[17]-'0', b[18]-'0'
	if hi > 5 || lo > 9 {
		return 0, false
	}
	seconds := int64(hi*10+lo) * microsPerSecond
	w0, w1 := jsontext.Load8(b, 0), jsontext.Load8(b, 8)
	e := &m[w1>>56&15]
	if e.w0 != w0 || e.w1 != w1 {
		t, ok := expr.ParseTimestamp(b[:19])
		if !ok || !minuteIsPlain(b) {
			return 0, false
		}
		*e = minute{w0, w1, t - seconds}
	}
	t := e.micros + seconds
	b = b[19:]
	if n := len(b); n > 0 && b[n-1] == 'Z' {
		b = b[:n-1]
	}
	if len(b) == 0 {
		return t, true
	}
	if b[0] != '.' || len(b) == 1 || len(b) > 10 {
		return 0, false
	}
	unit := int64(microsPerSecond)
	for _, c := range b[1:] {
		c -= '0'
		if c > 9 {
			return 0, false
		}
		unit /= 10
		t += int64(c) * unit
	}
	return t, true
}

// minuteIsPlain reports whether the first 16 bytes of b, which begins with a valid time, are all of it but the seconds
// and whether any second may follow: 24:00 has only one.
func minuteIsPlain(b []byte) bool {
	return b[4] == '-' && b[7] == '-' && (b[10] == 'T' || b[10] == ' ') && b[13] == ':' && b[15]-'0' <= 9 &&
		string(b[11:13]) != "24"
}
