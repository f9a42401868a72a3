package expr

import (
	"math"
	"math/rand"
	"strconv"
	"strings"
	"testing"
	"time"

	"ubik/internal/vec"
)

// textOf stores a text as a value of a type and prints it again.
func textOf(t vec.Type, text string) string {
	v := vec.NewVector(t)
	v.Resize(1)
	if reason := CastText(v, 0, []byte(text)); reason != "" {
		return "error: " + reason
	}
	return string(AppendText(nil, v, 0))
}

func TestTextCasts(t *testing.T) {
	dec := vec.DecimalType(5, 2)
	for _, c := range []struct {
		t          vec.Type
		text, want string
	}{
		{bigintType, " 12 ", "12"}, {bigintType, "1.5", "2"}, {bigintType, "-2.5", "-3"}, {bigintType, "1e2", "100"}, {bigintType, "12x", `error: "12x" is not a BIGINT`}, {bigintType, "", `error: "" is not a BIGINT`},
		{intType, "3000000000", `error: "3000000000" is not an INTEGER`}, {vec.TypeOf(vec.HugeInt), "170141183460469231731687303715884105727", "170141183460469231731687303715884105727"},
		{dec, "1.005", "1.01"}, {dec, "1234.5", `error: "1234.5" is not a DECIMAL(5,2)`}, {vec.DecimalType(2, 2), "-.5", "-.50"}, {vec.DecimalType(30, 10), "1.5", "1.5000000000"},
		{doubleType, "1e400", "inf"}, {doubleType, "NaN", "nan"}, {doubleType, "-Infinity", "-inf"}, {doubleType, "1e16", "1e+16"}, {doubleType, "0.0001", "0.0001"}, {doubleType, "1e15", "1000000000000000.0"}, {doubleType, "x", `error: "x" is not a DOUBLE`},
		{boolType, "YES", "true"}, {boolType, "f", "false"}, {boolType, "on", `error: "on" is not a BOOLEAN`},
		{timestampType, "2026-01-01", "2026-01-01 00:00:00"}, {timestampType, "2026-01-01T00:01:00.5Z", "2026-01-01 00:01:00.5"}, {timestampType, "2026-01-01 00:01:00.123456789", "2026-01-01 00:01:00.123456"},
		{timestampType, "2026-01-01T00:00:00+02", "2025-12-31 22:00:00"}, {timestampType, "2026-01-01T00:00:00-03:30", "2026-01-01 03:30:00"}, {timestampType, "2026-01-01T00:00:00+0530", "2025-12-31 18:30:00"},
		{timestampType, "2026-01-01 24:00:00", "2026-01-02 00:00:00"}, {timestampType, "2026-01-01 00:00:60", `error: "2026-01-01 00:00:60" is not a TIMESTAMP`}, {timestampType, "2026-02-29T00:00:00Z", `error: "2026-02-29T00:00:00Z" is not a TIMESTAMP`},
		{timestampType, "0001-01-01T00:00:00+01", `error: "0001-01-01T00:00:00+01" is not a TIMESTAMP`}, {timestampType, "10000-01-01", `error: "10000-01-01" is not a TIMESTAMP`}, {timestampType, "2026-1-2 3:04", "2026-01-02 03:04:00"}, {timestampType, "2026/01/02", "2026-01-02 00:00:00"},
		{vec.TypeOf(vec.TimestampTZ), "2026-01-01T02:00:00+02:00", "2026-01-01 00:00:00+00"}, {dateType, "2026-01-01 10:00:00", "2026-01-01"}, {dateType, "0001-01-01", "0001-01-01"}, {vec.TypeOf(vec.TimeOfDay), "10:11:12.5", "10:11:12.5"},
		{intervalType, "1 year 2 mons -3 days", "1 year 2 months -3 days"}, {intervalType, "1.5 months", "1 month 15 days"}, {intervalType, "-01:00:00.5", "-01:00:00.5"}, {intervalType, "1h 30m ago", "-01:30:00"}, {intervalType, "3 fortnights", `error: "3 fortnights" is not an INTERVAL`},
		{vec.TypeOf(vec.Blob), `a\xFFb`, `a\xFFb`}, {vec.TypeOf(vec.Blob), "é", `error: "é" is not a BLOB`}, {varcharType, "é\x00", "é\x00"},
		{bigintType, strings.Repeat("é", 50), `error: "` + strings.Repeat("é", 30) + `…" is not a BIGINT`}, {bigintType, "a\n\xFFb", "error: \"a\uFFFD\uFFFDb\" is not a BIGINT"},
	} {
		if got := textOf(c.t, c.text); got != c.want {
			t.Errorf("%q as %s gives %s, want %s", c.text, c.t, got, c.want)
		}
	}
}

func TestJSONNumbers(t *testing.T) {
	for _, c := range []struct {
		t          vec.Type
		text, want string
	}{
		{bigintType, "1.0", "1"}, {bigintType, "1e2", "100"}, {bigintType, "-0", "0"}, {bigintType, "1.5", "1.5 is not a BIGINT"}, {intType, "1e10", "1e10 is not an INTEGER"},
		{vec.DecimalType(18, 2), "1.005", "1.01"}, {doubleType, "1e-2", "0.01"}, {varcharType, "1.50", "1.50"}, {boolType, "1", "1 is not a BOOLEAN"}, {timestampType, "1", "1 is not a TIMESTAMP"},
	} {
		v := vec.NewVector(c.t)
		v.Resize(1)
		got := CastNumber(v, 0, []byte(c.text))
		if got == "" {
			got = string(AppendText(nil, v, 0))
		}
		if got != c.want {
			t.Errorf("the number %s as %s gives %s, want %s", c.text, c.t, got, c.want)
		}
	}
}

// samples are values of each type as text, in the form that AppendText gives.
var samples = map[vec.Kind][]string{
	vec.Bool: {"true", "false"}, vec.Int8: {"-128", "0", "127"}, vec.Int16: {"-32768", "1"}, vec.Int32: {"-2147483648", "1"}, vec.Int64: {"-9223372036854775808", "1"},
	vec.HugeInt: {"-170141183460469231731687303715884105728", "1"}, vec.Double: {"1.0", "-0.5", "1e+300"}, vec.Varchar: {"1"}, vec.Timestamp: {"2026-01-02 03:04:05.6", "0001-01-01 00:00:00", "9999-12-31 23:59:59.999999"},
	vec.TimestampTZ: {"2026-01-02 03:04:05.6+00"}, vec.Date: {"2026-01-02", "1969-12-31"}, vec.TimeOfDay: {"03:04:05.6"}, vec.Interval: {"1 year 2 months -3 days -04:05:06.7", "00:00:00"}, vec.Blob: {`\x00a`},
}

func TestEveryTypeReadsItsOwnText(t *testing.T) {
	for kind, texts := range samples {
		for _, text := range texts {
			if got := textOf(vec.TypeOf(kind), text); got != text {
				t.Errorf("%q as %s prints %q", text, vec.TypeOf(kind), got)
			}
		}
	}
}

// Every pair of types either is refused when it is planned, or gives a value, NULL or a fault, and TRY_CAST never a
// fault; where a cast there and back gives a value, it is the first one or the same to a lossy type's precision.
func TestEveryPairOfCasts(t *testing.T) {
	types := []vec.Type{vec.DecimalType(5, 2), vec.DecimalType(30, 10), vec.DecimalType(4, 4)}
	for k := vec.Bool; k <= vec.Blob; k++ {
		if k != vec.Decimal {
			types = append(types, vec.TypeOf(k))
		}
	}
	pairs := 0
	for _, from := range types {
		texts := samples[from.Kind]
		if from.Kind == vec.Decimal {
			texts = []string{"0", ".25", "-.5"}
		}
		b := vec.NewBatch(from)
		b.Resize(len(texts) + 1)
		for i, s := range texts {
			if reason := CastText(b.Cols[0], i, []byte(s)); reason != "" {
				t.Fatal(reason)
			}
		}
		b.Cols[0].SetNull(len(texts))
		for _, to := range types {
			column := &Column{0, "c", from}
			e, err := NewCast(column, to, false)
			if err != nil {
				continue
			}
			pairs++
			try, _ := NewCast(column, to, true)
			var errs, none Errors
			v := Compile(e).Eval(b, nil, &errs)
			w := Compile(try).Eval(b, nil, &none)
			if len(none.Faults) > 0 {
				t.Errorf("TRY_CAST of %s to %s faults: %v", from, to, none.Faults)
			}
			if castIsTotal(from, to) && !from.Equal(to) && len(errs.Faults) > 0 {
				t.Errorf("the cast of %s to %s is said to be total: %v", from, to, errs.Faults)
			}
			for i := range texts {
				if valueText(v, i) != valueText(w, i) {
					t.Errorf("%s to %s: CAST gives %s, TRY_CAST %s", from, to, valueText(v, i), valueText(w, i))
				}
			}
			if !v.IsNull(len(texts)) {
				t.Errorf("NULL of %s to %s is not NULL", from, to)
			}
			// A wider type gives the value back.
			if back, err := NewCast(&Column{0, "c", to}, from, false); err == nil && (castIsTotal(from, to) && from.Kind != vec.Bool && to.Kind != vec.Bool && to.Kind != vec.Double && to.Kind != vec.Date && to.Kind != vec.TimeOfDay || to.Kind == vec.Varchar) {
				r := Compile(back).Eval(&vec.Batch{N: b.N, Cols: []*vec.Vector{v}}, nil, &errs)
				for i := range texts {
					if valueText(r, i) != valueText(b.Cols[0], i) {
						t.Errorf("%s to %s and back: %s becomes %s", from, to, valueText(b.Cols[0], i), valueText(r, i))
					}
				}
			}
		}
	}
	if pairs < 110 {
		t.Errorf("only %d pairs of types can be cast", pairs)
	}
}

func TestTimestampsAgreeWithTheStandardLibrary(t *testing.T) {
	const seed = 11
	rnd := rand.New(rand.NewSource(seed))
	lo, hi := int64(vec.MinTime), int64(vec.MaxTime)
	for n := 0; n < 20000; n++ {
		us := lo + rnd.Int63n(hi-lo)
		at := time.UnixMicro(us).UTC()
		text := string(appendTimestamp(nil, us))
		if want := at.Format("2006-01-02 15:04:05.999999"); text != want {
			t.Fatalf("seed %d: %d prints %s, want %s", seed, us, text, want)
		}
		zone := time.FixedZone("", (rnd.Intn(27)-13)*3600+rnd.Intn(4)*900)
		for _, layout := range []string{"2006-01-02T15:04:05.999999Z07:00", "2006-01-02 15:04:05.000000-0700", "2006-1-2 15:04:05.999999-07:00"} {
			s := at.In(zone).Format(layout)
			y := at.In(zone).Year()
			if got, ok := ParseTimestamp([]byte(s)); y >= 1 && y <= 9999 && (!ok || got != us) {
				t.Fatalf("seed %d: %s reads as %d %v, want %d", seed, s, got, ok, us)
			}
		}
		days, _ := floorDiv(us, microsPerDay)
		months := int64(rnd.Intn(400) - 200)
		y, m, d := CivilFromDays(addMonths(days, months))
		first := time.Date(at.Year(), at.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
		last := first.AddDate(0, 1, -1).Day()
		if int(y) != first.Year() || time.Month(m) != first.Month() || int(d) != min(at.Day(), last) {
			t.Fatalf("seed %d: %s and %d months is %d-%d-%d", seed, text, months, y, m, d)
		}
		iy, iw := isoWeek(days)
		if wy, ww := at.ISOWeek(); int(iy) != wy || int(iw) != ww || (weekday(days)+1)%7 != int64(at.Weekday()) {
			t.Fatalf("seed %d: the ISO week of %s is %d-%d", seed, text, iy, iw)
		}
	}
}

func TestISOFastPathAgreesWithTheSlowOne(t *testing.T) {
	const seed = 5
	rnd := rand.New(rand.NewSource(seed))
	letters := "0123456789-:T Z.+"
	for n := 0; n < 300000; n++ {
		b := []byte("2026-01-02T03:04:05.6+02:30"[:19+rnd.Intn(9)])
		for k := rnd.Intn(4); k > 0; k-- {
			b[rnd.Intn(len(b))] = letters[rnd.Intn(len(letters))]
		}
		fast, ok := parseISO(b)
		if !ok {
			continue
		}
		days, m, ok := parseDatePart(b)
		if !ok || m != 10 {
			t.Fatalf("seed %d: only the fast path takes the date of %q", seed, b)
		}
		clock, k, ok := parseClock(b[11:])
		offset, ok2 := parseOffset(b[11+k:])
		if !ok || !ok2 || days*microsPerDay+clock-offset != fast {
			t.Fatalf("seed %d: %q is %d by the fast path, %d %v by the slow one", seed, b, fast, days*microsPerDay+clock-offset, ok)
		}
	}
}

func TestDoublesPrintTheShortestTextThatReadsBack(t *testing.T) {
	const seed = 3
	rnd := rand.New(rand.NewSource(seed))
	for n := 0; n < 20000; n++ {
		f := math.Float64frombits(rnd.Uint64())
		if f != f || math.IsInf(f, 0) {
			continue
		}
		text := appendDouble(nil, f)
		back, ok := parseDouble(text)
		if !ok || back != f || len(text) > len(strconv.FormatFloat(f, 'e', -1, 64))+12 {
			t.Fatalf("seed %d: %v prints %s and reads %v", seed, f, text, back)
		}
	}
}

func TestParsersAllocateNothing(t *testing.T) {
	inputs := []string{"2026-01-02T03:04:05Z", "2026-01-02 03:04:05.678+02:00", "2026-01-02", "true", "1 day 2 hours", "1.25", "nan", "-1e10", "x"}
	if n := testing.AllocsPerRun(20, func() {
		for _, s := range inputs {
			b := []byte(s)
			_, _ = ParseTimestamp(b)
			_, _ = parseDate(b)
			_, _ = ParseTime(b)
			_, _ = ParseBool(b)
			_, _ = parseInterval(b)
		}
	}); n != 0 {
		t.Errorf("parsing dates, BOOLEANs and INTERVALs allocates %v times", n)
	}
	number := []byte("12345.678")
	if n := testing.AllocsPerRun(20, func() { _, _ = parseDouble(number) }); n != 0 {
		t.Errorf("parsing a DOUBLE allocates %v times", n)
	}
}
