package engine

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode"

	"ubik/internal/screen"
	"ubik/internal/vec"
)

var moment = vec.Time(time.Date(2026, 1, 1, 0, 14, 55, 0, time.UTC).UnixMicro())

var progresses = []Progress{
	{Read: 8_123_450, Rows: 14_021, Rate: 812_345.6, Lag: 1234, Watermark: moment, Holder: "txns/3", OpenWindows: 2, Stored: 18_211,
		CheckpointAge: 600 * time.Millisecond, Left: -1},
	{Read: 8_123_450, Rows: 14_021, Rate: 812_345.6, Lag: 1234, Watermark: moment, Holder: "txns/3", OpenWindows: 2, Stored: 18_211,
		CheckpointAge: 600 * time.Millisecond, Left: 80 * time.Second, Done: 42, Size: 100},
	{Rate: -1, Lag: -1, Watermark: vec.NegInf, CheckpointAge: -1, Left: -1},
	{Rate: 3, Read: 12, Watermark: moment, Holder: "売上トランザクション記録東京支店と大阪支店/12", OpenWindows: 1, Stored: 1, Rows: 1, Late: 5, Malformed: 7, CheckpointAge: 75 * time.Second, Left: -1},
	{Rate: math.MaxFloat64, Read: math.MaxUint64, Rows: math.MaxUint64, Lag: math.MaxInt64, Watermark: vec.PosInf - 1, OpenWindows: math.MaxInt, Stored: math.MaxInt, Late: math.MaxUint64,
		Malformed: math.MaxUint64, CheckpointAge: math.MaxInt64, Left: math.MaxInt64, Done: math.MaxInt64 - 1, Size: math.MaxInt64, Holder: strings.Repeat("x", 300)},
	{Rate: 0, Watermark: vec.PosInf, CheckpointAge: -1, Left: 0, Done: 7, Size: 7},
}

// The widths of the golden lines, and the lines of each progress above for them.
var (
	widths = []int{20, 30, 40, 60, 80, 100, 120, 160, 200}
	lines  = [][]string{
		{
			"812k/s  lag 1.2k",
			"812k records/s  lag 1.2k",
			"812k records/s  lag 1.2k",
			"812k records/s  lag 1.2k  at 2026-01-01T00:14:55Z  ckpt 0.6s",
			"812k/s  lag 1.2k  at 2026-01-01T00:14:55Z  ckpt 0.6s  2 windows  18.2k stored",
			"812k/s  lag 1.2k  at 2026-01-01T00:14:55Z  ckpt 0.6s  2 windows  18.2k stored  14.0k rows  txns/3",
			"812k records/s  lag 1.2k  watermark 2026-01-01T00:14:55Z  ckpt 0.6s  2 windows  18.2k stored  14.0k rows  held by txns/3",
			"812k records/s  lag 1.2k  watermark 2026-01-01T00:14:55Z  checkpoint 0.6s ago  2 windows  18.2k stored  14.0k rows  held by txns/3",
			"812k records/s  lag 1.2k  watermark 2026-01-01T00:14:55Z  checkpoint 0.6s ago  2 windows  18.2k stored  14.0k rows  held by txns/3",
		},
		{
			"42%  1m20s  812k/s",
			"42%  1m20s left  812k/s",
			"[=====>        ] 42%  1m20s left  812k/s",
			"[=====>        ] 42%  1m20s  812k/s  at 2026-01-01T00:14:55Z",
			"[=====>      ] 42%  1m20s  812k/s  at 2026-01-01T00:14:55Z  ckpt 0.6s  2 windows",
			"[=====>       ] 42%  1m20s left  812k/s  at 2026-01-01T00:14:55Z  ckpt 0.6s  2 windows  18.2k stored",
			"[=====>       ] 42%  1m20s left  812k/s  at 2026-01-01T00:14:55Z  ckpt 0.6s  2 windows  18.2k stored  14.0k rows  txns/3",
			"[========>           ] 42%  1m20s left  812k records/s  watermark 2026-01-01T00:14:55Z  checkpoint 0.6s ago  2 windows  18.2k stored  14.0k rows  held by txns/3",
			"[============>                 ] 42%  1m20s left  812k records/s  watermark 2026-01-01T00:14:55Z  checkpoint 0.6s ago  2 windows  18.2k stored  14.0k rows  held by txns/3",
		},
		{
			"0 records",
			"0 records  watermark none yet",
			"0 records  watermark none yet",
			"0 records  watermark none yet",
			"0 records  watermark none yet",
			"0 records  watermark none yet",
			"0 records  watermark none yet",
			"0 records  watermark none yet",
			"0 records  watermark none yet",
		},
		{
			"3 records/s  lag 0",
			"3 records/s  lag 0",
			"3/s  lag 0  at 2026-01-01T00:14:55Z",
			"3/s  lag 0  at 2026-01-01T00:14:55Z  ckpt 1m15s  1 window",
			"3/s  lag 0  at 2026-01-01T00:14:55Z  ckpt 1m15s  1 window  1 stored  7 malformed",
			"3/s  lag 0  at 2026-01-01T00:14:55Z  ckpt 1m15s  1 window  1 stored  7 malformed  5 late  1 row",
			"3 records/s  lag 0  watermark 2026-01-01T00:14:55Z  checkpoint 1m15s ago  1 window  1 stored  7 malformed  5 late  1 row",
			"3 records/s  lag 0  watermark 2026-01-01T00:14:55Z  checkpoint 1m15s ago  1 window  1 stored  7 malformed  5 late  1 row  held by 売上トランザクション記録東京…",
			"3 records/s  lag 0  watermark 2026-01-01T00:14:55Z  checkpoint 1m15s ago  1 window  1 stored  7 malformed  5 late  1 row  held by 売上トランザクション記録東京…",
		},
		{
			"99%  >99d  1.0E/s",
			"[=========>] 99%  >99d  1.0E/s",
			"[==============>] 99%  >99d left  1.0E/s",
			"[============>] 99%  >99d  1.0E/s  at 294247-01-10T04:00:54Z",
			"[=========>] 99%  >99d left  1.0E/s  watermark 294247-01-10T04:00:54Z  ckpt >99d",
			"[=========>] 99%  >99d left  1.0E/s  at 294247-01-10T04:00:54Z  ckpt >99d  9.2E windows  9.2E stored",
			"[============>] 99%  >99d left  1.0E/s  at 294247-01-10T04:00:54Z  ckpt >99d  9.2E windows  9.2E stored  18.4E malformed",
			"[=============>] 99%  >99d left  1.0E records/s  watermark 294247-01-10T04:00:54Z  ckpt >99d  9.2E windows  9.2E stored  18.4E malformed  18.4E late  18.4E rows",
			"[===========>] 99%  >99d left  1.0E records/s  watermark 294247-01-10T04:00:54Z  checkpoint >99d ago  9.2E windows  9.2E stored  18.4E malformed  18.4E late  18.4E rows  xxxxxxxxxxxxxxxxxxxxxxxxxxxxx…",
		},
		{
			"100%  0s left  0/s",
			"[==============] 100%  0s  0/s",
			"[===========] 100%  0s left  0 records/s",
			"[==============================] 100%  0s left  0 records/s",
			"[==============================] 100%  0s left  0 records/s",
			"[==============================] 100%  0s left  0 records/s",
			"[==============================] 100%  0s left  0 records/s",
			"[==============================] 100%  0s left  0 records/s",
			"[==============================] 100%  0s left  0 records/s",
		},
	}
)

func TestTheLiveLineSaysWhatMattersFirst(t *testing.T) {
	for i := range progresses {
		for k, width := range widths {
			if got := progresses[i].Line(width); got != lines[i][k] {
				t.Errorf("progress %d, %d columns\ngot  %s\nwant %s", i, width, got, lines[i][k])
			}
		}
	}
}

func TestALineOfEveryWidthFits(t *testing.T) {
	const seed = 9
	rnd := rand.New(rand.NewPCG(seed, 0))
	for round := range 300 {
		p := Progress{
			Read: rnd.Uint64() >> rnd.IntN(64), Rows: rnd.Uint64() >> rnd.IntN(64), Rate: float64(rnd.Uint64()>>rnd.IntN(64)) - 1, Lag: rnd.Int64()>>rnd.IntN(64) - 1,
			Watermark: vec.Time(rnd.Int64() - rnd.Int64()), Holder: []string{"", "a\x1b[2J/1", "売上/2"}[rnd.IntN(3)], OpenWindows: rnd.IntN(3), Stored: rnd.IntN(10_000),
			Late: uint64(rnd.IntN(2)), Malformed: uint64(rnd.IntN(2)), CheckpointAge: time.Duration(rnd.Int64()>>rnd.IntN(64) - 1), Size: rnd.Int64() >> rnd.IntN(64),
			Left: time.Duration(rnd.Int64()>>rnd.IntN(64) - 1),
		}
		if p.Size > 0 {
			p.Done = rnd.Int64N(p.Size + max(0, min(1, math.MaxInt64-p.Size)))
		}
		for width := range 220 {
			line := p.Line(width)
			if got := screen.Width(line); got > width || width > 0 && line == "" || strings.ContainsFunc(line, unicode.IsControl) {
				t.Fatalf("seed %d round %d: %d columns: %q", seed, round, width, line)
			}
		}
	}
}

func TestNumbersAndTimesAreShort(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0", 999: "999", 1000: "1.0k", 1099: "1.0k", 99_999: "99.9k", 100_000: "100k", 999_999: "999k", 1_000_000: "1.0M", 5_500_000_000: "5.5G", math.MaxUint64: "18.4E",
	} {
		if got := countText(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		0: "0s", 59_400 * time.Millisecond: "59s", 59_600 * time.Millisecond: "1m00s", time.Hour: "1h00m", 25*time.Hour + time.Minute: "1d01h", 2400 * time.Hour: ">99d",
	} {
		if got := spanText(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
	for d, want := range map[time.Duration]string{0: "0.0s", 1999 * time.Millisecond: "1.9s", 9999 * time.Millisecond: "9.9s", 10 * time.Second: "10s"} {
		if got := ageText(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}
