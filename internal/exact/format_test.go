package exact

import (
	"math"
	"math/big"
	"math/rand"
	"strings"
	"testing"
)

// naiveDecimal writes v / 10^scale by way of big.Int and strings.
func naiveDecimal(v *big.Int, scale int) string {
	s := new(big.Int).Abs(v).String()
	if scale > 0 {
		for len(s) <= scale {
			s = "0" + s
		}
		s = s[:len(s)-scale] + "." + s[len(s)-scale:]
	}
	if v.Sign() < 0 {
		s = "-" + s
	}
	return s
}

func TestAppendDecimalWritesExactlyScaleDecimals(t *testing.T) {
	for _, c := range []struct {
		v     int64
		scale int
		want  string
	}{
		{-5, 2, "-0.05"}, {0, 0, "0"}, {0, 2, "0.00"}, {123, 0, "123"}, {-123, 1, "-12.3"},
		{math.MinInt64, 18, "-9.223372036854775808"}, {7, 38, "0." + strings.Repeat("0", 37) + "7"},
	} {
		if got := string(FromInt64(c.v).AppendDecimal(nil, c.scale)); got != c.want {
			t.Errorf("AppendDecimal(%d, %d) = %q, want %q", c.v, c.scale, got, c.want)
		}
	}
	r := rng(t)
	try := func(v Int128, scale int) {
		want := "x" + naiveDecimal(toBig(v), scale)
		if got := string(v.AppendDecimal([]byte("x"), scale)); got != want {
			t.Fatalf("AppendDecimal(%v, %d) = %q, want %q", v, scale, got, want)
		}
		if v.IsInt64() {
			if got := string(AppendDecimal64([]byte("x"), v.Int64(), scale)); got != want {
				t.Fatalf("AppendDecimal64(%v, %d) = %q, want %q", v, scale, got, want)
			}
		}
	}
	for _, v := range edges128 {
		for scale := range 45 {
			try(v, scale)
		}
		if v.String() != toBig(v).String() {
			t.Errorf("String of %v", toBig(v))
		}
	}
	for range 100_000 {
		try(randInt128(r), r.Intn(39))
	}
}

func TestDecimalTextReadsBackAsItself(t *testing.T) {
	r := rng(t)
	for range 100_000 {
		v, scale := randInt128(r), r.Intn(39)
		if got, ok := ParseInt128([]byte(v.String())); !ok || got != v {
			t.Fatalf("ParseInt128(%v) = %v, %v", v, got, ok)
		}
		if !FitsDecimal(v, 38) {
			continue
		}
		text := v.AppendDecimal(nil, scale)
		if got, ok := ParseDecimal(text, 38, scale); !ok || got != v {
			t.Fatalf("ParseDecimal(%s, 38, %d) = %v, %v", text, scale, got, ok)
		}
	}
}

// randNumber writes number text of many shapes, some of it broken.
func randNumber(r *rand.Rand) string {
	digits := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "0123456789"[r.Intn(10)]
			if r.Intn(3) == 0 {
				b[i] = "0005999"[r.Intn(7)]
			}
		}
		return string(b)
	}
	var s strings.Builder
	s.WriteString([]string{"", "", "", "-", "+"}[r.Intn(5)])
	s.WriteString(digits(r.Intn([]int{4, 9, 20, 45}[r.Intn(4)])))
	if r.Intn(3) > 0 {
		s.WriteString("." + digits(r.Intn([]int{3, 9, 45}[r.Intn(3)])))
	}
	if r.Intn(4) == 0 {
		s.WriteString([]string{"e", "E"}[r.Intn(2)] + []string{"", "-", "+"}[r.Intn(3)] + digits(r.Intn(3)))
	}
	out := s.String()
	if r.Intn(20) == 0 && out != "" {
		b := []byte(out)
		b[r.Intn(len(b))] = byte(r.Intn(256))
		out = string(b)
	}
	return out
}
