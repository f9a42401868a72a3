package plan

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"ubik/internal/vec"
)

func explainText(t *testing.T, delay vec.Time, query string) string {
	t.Helper()
	var r Request
	for _, name := range []string{"l", "r"} {
		if name == "r" && !strings.Contains(query, " r ") {
			continue
		}
		fields, err := Schema("k VARCHAR, ts TIMESTAMP")
		if err != nil {
			t.Fatal(err)
		}
		r.Sources = append(r.Sources, Source{Name: name, Log: "kafka " + name, Schema: fields, Format: "json", Delay: delay})
	}
	r.Query = query
	p, err := Build(r)
	if err != nil {
		t.Fatalf("%s\n%v", query, err)
	}
	return p.Explain(Surroundings{To: "out", From: []From{{"in", "none"}, {"in", "none"}}})
}

// factOf is what is said behind a label, its lines joined, where it stands first.
func factOf(text, label string) string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimLeft(line, "│ ")
		rest, found := strings.CutPrefix(line, label+" ")
		switch {
		case found && out == nil, out != nil && !found && !strings.Contains(factLabels, " "+strings.SplitN(line, " ", 2)[0]+" "):
			out = append(out, strings.TrimSpace(rest))
		case out != nil:
			return strings.Join(out, "\n")
		}
	}
	return strings.Join(out, "\n")
}

const factLabels = " kind keys band residual where leaves cursor keeps state ├─ └─ "

func TestEveryKindOfJoinIsExplained(t *testing.T) {
	const on = " r ON l.k = r.k AND r.ts BETWEEN l.ts - INTERVAL 1 MINUTE AND l.ts + INTERVAL 2 MINUTE"
	const exists = "EXISTS (SELECT 1 FROM r WHERE l.k = r.k AND r.ts BETWEEN l.ts - INTERVAL 1 MINUTE AND l.ts + INTERVAL 2 MINUTE)"
	const pair = "a pair when the cursor has passed its time: of l.ts and r.ts the later"
	const left = "a row of l without a match when the cursor has passed l.ts + 2 minutes"
	const right = "a row of r without a match when the cursor has passed r.ts + 1 minute"
	for _, c := range []struct{ query, kind, leaves string }{
		{"SELECT 1 FROM l JOIN" + on, "INNER: pairs", pair},
		{"SELECT 1 FROM l LEFT JOIN" + on, "LEFT: pairs, and rows of l that are in none", pair + "\n" + left},
		{"SELECT 1 FROM l RIGHT JOIN" + on, "RIGHT: pairs, and rows of r that are in none", pair + "\n" + right},
		{"SELECT 1 FROM l FULL JOIN" + on, "FULL: pairs, and rows of l and of r that are in none", pair + "\n" + left + "\n" + right},
		{"SELECT 1 FROM l WHERE " + exists, "SEMI: rows of l that match a row of r, once each",
			"a row when the cursor has passed the least of its matches' times: of l.ts and r.ts the later"},
		{"SELECT 1 FROM l WHERE NOT " + exists, "ANTI: rows of l that match no row of r", left},
	} {
		text := explainText(t, 3e6, c.query)
		for label, want := range map[string]string{
			"kind": c.kind, "leaves": c.leaves, "band": "l.ts - 1 minute ≤ r.ts ≤ l.ts + 2 minutes",
			"keeps": "a row of l until the cursor has passed l.ts + 2 minutes\na row of r until the cursor has passed r.ts + 1 minute",
			"state": "rows of l ≤ its rate × (2 minutes + 3 seconds)\nrows of r ≤ its rate × (1 minute + 3 seconds)\n" +
				"(reach of the band + the delay) while the partitions are equally far in time; what is read ahead comes on top",
		} {
			if got := factOf(text, label); got != want {
				t.Errorf("%s\n%s: %s\nwant %s", c.query, label, got, want)
			}
		}
	}
}

func TestAJoinWithoutADelayThatEndsKeepsEverything(t *testing.T) {
	text := explainText(t, vec.Forever, "SELECT 1 FROM l JOIN r ON l.k = r.k AND r.ts = l.ts")
	if got, want := factOf(text, "state"), "every row, until l and r, whose delays are unlimited, have been read to the end"; got != want {
		t.Errorf("state %s\nwant %s", got, want)
	}
	if got, want := factOf(text, "band"), "l.ts ≤ r.ts ≤ l.ts"; got != want {
		t.Errorf("band %s\nwant %s", got, want)
	}
}

func TestLengthsInWords(t *testing.T) {
	for want, iv := range map[string]vec.IntervalValue{
		"0 seconds":                      {},
		"1 second":                       {Micros: 1e6},
		"0.000001 seconds":               {Micros: 1},
		"1.5 seconds":                    {Micros: 1_500_000},
		"1 minute 30 seconds":            {Micros: 90e6},
		"1 day":                          {Micros: int64(vec.Day)},
		"3 days 1 hour":                  {Days: 2, Micros: int64(vec.Day) + 3600e6},
		"1 year 2 months":                {Months: 14},
		"23 hours 59 minutes 59 seconds": {Micros: 86399e6},
	} {
		if got := lengthText(iv); got != want {
			t.Errorf("%v: %s, want %s", iv, got, want)
		}
	}
}

// A fact is compared by its text, so that different delays must read differently: each is added up again from its words.
func TestALengthIsExactInWords(t *testing.T) {
	units := map[string]int64{"day": 86_400e6, "hour": 3600e6, "minute": 60e6, "second": 1e6}
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 10_000 {
		d := rng.Int64() >> rng.IntN(64)
		words := strings.Fields(spanText(vec.Time(d)))
		var sum int64
		for i := 0; i+1 < len(words); i += 2 {
			whole, fraction, _ := strings.Cut(words[i], ".")
			n, err := strconv.ParseInt(whole, 10, 64)
			f, _ := strconv.ParseInt((fraction + "000000")[:6], 10, 64)
			unit := units[strings.TrimSuffix(words[i+1], "s")]
			if err != nil || unit == 0 || f > 0 && unit != 1e6 {
				t.Fatalf("seed %d: %d µs is %q", seed, d, words)
			}
			sum += n*unit + f
		}
		if sum != d {
			t.Fatalf("seed %d: %d µs is %q, which is %d", seed, d, words, sum)
		}
		flag, ok := delayFlag(delayText(vec.Time(d)))
		if got, err := time.ParseDuration(flag); ok && (err != nil || got != time.Duration(d)*time.Microsecond) {
			t.Fatalf("seed %d: %d µs is --delay %s, which is %v, %v", seed, d, flag, got, err)
		}
		if holds := d < delayHours*3_600_000_000; ok != holds { // what a duration can hold
			t.Fatalf("seed %d: %d µs can be given as --delay %s: %v", seed, d, flag, ok)
		}
	}
	if got, ok := delayFlag(delayText(vec.Forever)); got != "unlimited" || !ok {
		t.Errorf("an unlimited delay is --delay %s", got)
	}
}

func TestTheTreeIsAlignedAndKeepsItsLines(t *testing.T) {
	n := &explained{title: "top\n"}
	n.table("é", [][]string{{"ä", "b"}, {"long", "c"}})
	n.table("nothing", nil)
	first := &explained{title: "one"}
	first.say("x", "y", "\x1b[2J")
	first.reads = []*explained{{title: "deep"}}
	n.reads = []*explained{first, {title: "two"}}
	want := `top\u000a
│  é        ä     b
│           long  c
│  nothing  none
├─ one
│  │  x        y
│  │           \u001b[2J
│  └─ deep
└─ two
`
	if got := n.String(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestADelayLongerThanAllOfTimeIsUnlimited(t *testing.T) {
	const query = "SELECT COUNT(*) FROM l GROUP BY TUMBLE(ts, INTERVAL '1' MINUTE)"
	unlimited := explainText(t, vec.Forever, query)
	for _, delay := range []vec.Time{vec.Forever - 1, vec.MaxTime - vec.MinTime + 1} {
		if got := explainText(t, delay, query); got != unlimited {
			t.Errorf("%d µs: %s", delay, got)
		}
	}
	if explainText(t, vec.MaxTime-vec.MinTime, query) == unlimited {
		t.Error("a delay as long as all of time is unlimited")
	}
}
