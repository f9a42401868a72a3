package exact

import (
	"bytes"
	"testing"
)

func FuzzParseDecimal(f *testing.F) {
	for _, s := range numberCorpus {
		f.Add([]byte(s), uint8(18), uint8(2))
	}
	f.Fuzz(func(t *testing.T, b []byte, p, s uint8) {
		precision := 1 + int(p)%38
		scale := int(s) % (precision + 1)
		if len(b) > 200 {
			return
		}
		// The naive parser expands exponents; large ones have a test of their own.
		if at := bytes.IndexAny(b, "eE"); at >= 0 && len(b)-at > 5 {
			ParseDecimal(b, precision, scale)
			ParseNumber(b)
			return
		}
		checkParse(t, string(b), precision, scale)
		if v, ok := ParseDecimal(b, precision, scale); ok {
			text := v.AppendDecimal(nil, scale)
			if again, ok := ParseDecimal(text, precision, scale); !ok || again != v {
				t.Fatalf("%q is %s, which reads %v, %v", b, text, again, ok)
			}
		}
	})
}

func FuzzFloatSumsLoadState(f *testing.F) {
	for _, xs := range [][]float64{nil, {1}, {-1}, {12.34, 0.05}, {1e300, 1e-300}, {-5e-324}, {1.7e308, 1.7e308}} {
		var s FloatSums
		s.Grow(1)
		for _, x := range xs {
			s.Add(0, x)
		}
		f.Add(s.AppendState(nil, 0), s.AppendState(nil, 0))
	}
	f.Add([]byte{0, 0, 0x80}, []byte{7, 0, 0, 1})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var s FloatSums
		s.Grow(3)
		for g, src := range [][]byte{a, b} {
			rest, err := s.LoadState(uint32(g), src)
			if err != nil {
				return
			}
			if got := s.AppendState(nil, uint32(g)); !bytes.Equal(got, src[:len(src)-len(rest)]) {
				t.Fatalf("% x was saved as % x", src, got)
			}
			s.Sum(uint32(g))
			s.Mean(uint32(g), 3)
		}
		// a + b is b + a, and taking b in twice is as good as once twice as large.
		s.Merge(2, &s, 0)
		s.Merge(2, &s, 1)
		s.Merge(1, &s, 0)
		if x, y := s.AppendState(nil, 1), s.AppendState(nil, 2); !bytes.Equal(x, y) {
			t.Fatalf("% x by one order, % x by the other", x, y)
		}
	})
}
