package vec

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestASpanIsWrittenAsADurationIsAndBeyond(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	most := int64(math.MaxInt64) / 1000
	for range 20000 {
		us := r.Int64N(most) >> r.IntN(63)
		if r.IntN(2) == 0 {
			us = -us
		}
		if r.IntN(3) == 0 {
			us -= us % 1_000_000
		}
		if got, want := Time(us).SpanText(), (time.Duration(us) * time.Microsecond).String(); got != want {
			t.Fatalf("seed %d: %d µs is %s, want %s", seed, us, got, want)
		}
	}
	for us, want := range map[Time]string{
		0: "0s", 1: "1µs", 3_600_000_000: "1h0m0s", -3_599_999_999: "-59m59.999999s",
		MaxTime - MinTime: "87649415h59m59.999999s", 10_000 * 365 * Day: "87600000h0m0s", -10_000*365*Day - 1: "-87600000h0m0.000001s",
		PosInf: "2562047788h0m54.775807s", NegInf: "-2562047788h0m54.775808s",
	} {
		if got := us.SpanText(); got != want {
			t.Errorf("%d µs is %s, want %s", int64(us), got, want)
		}
	}
}
