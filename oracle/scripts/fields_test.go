package scripts

import (
	"reflect"
	"strings"
	"testing"

	"ubik/internal/ubiktest/script"
)

func TestARecordIsTakenApart(t *testing.T) {
	paths := [][]string{{"a"}, {"s", "b"}}
	for value, want := range map[string][]field{
		`{"a":1.50,"s":{"b":"x\n\u00e9"}}`:         {{"fraction", "1.50"}, {"string", "x\né"}},
		` {"b":2,"\u0061":1e2,"s":null} `:          {{"number", "1e2"}, {"null", "null"}},
		`{"a":{"x": [1, 2]},"s":{"B":1}}`:          {{"object", `{"x": [1, 2]}`}, {"null", ""}},
		`{"a":true,"s":{"b":[ ]}}`:                 {{"bool", "true"}, {"array", "[ ]"}},
		`{"a":"\ud83e\udd86 \\ud800","x":1,"x":2}`: {{"string", `🦆 \ud800`}, {"null", ""}},
		`{"a":null,"a":1}`:                         nil,
		`{"a":1,"s":{"b":1,"b":2}}`:                nil,
		`{"a":1,"s":3}`:                            nil,
		`{"a":"\ud800"}`:                           nil,
		`{"a":"\udd86\ud83e"}`:                     nil,
		`{"x":"\ud83ex\udd86"}`:                    nil,
		"{\"a\":\"\xff\"}":                         nil,
		`{"a":NaN}`:                                nil,
		`[1]`:                                      nil,
		``:                                         nil,
		strings.Repeat("[", 512) + strings.Repeat("]", 512):                 nil,
		`{"x":` + strings.Repeat("[", 512) + strings.Repeat("]", 512) + `}`: nil,
		`{"x":` + strings.Repeat("[", 511) + strings.Repeat("]", 511) + `}`: {{"null", ""}, {"null", ""}},
	} {
		got, ok := record([]byte(value), paths)
		if ok != (want != nil) || ok && !reflect.DeepEqual(got, want) {
			t.Errorf("%.80s: %v %v, want %v", value, got, ok, want)
		}
	}
}

func TestAValueAsAWhole(t *testing.T) {
	for value, want := range map[string]field{
		`{"a": {"b" : [1.50, "x y"] } }`: {"object", `{"b":[1.50,"x y"]}`}, `{"a":"\u00e9 \" "}`: {"string", `"\u00e9 \" "`}, `{"a": null}`: {"null", "null"}, `{}`: {kind: "null"},
		`{"a":[{"b":1},{"b":1}]}`: {"array", `[{"b":1},{"b":1}]`}, `{"a":1,"a":1}`: {}, `{"a":[{"b":1,"\u0062":1}]}`: {}, `{"a":{"b":{"c":1},"b":2}}`: {},
	} {
		if got, ok := whole([]byte(value), []string{"a"}); ok != (want != field{}) || ok && got != want {
			t.Errorf("%s: %v %v, want %v", value, got, ok, want)
		}
	}
}

// TestADifferenceIsSeen changes what a script expects, one thing at a time.
func TestADifferenceIsSeen(t *testing.T) {
	const want = `{"w":"2026-01-01T00:00:00Z","k":"a"} {"k":"a","w":"2026-01-01T00:00:00Z","s":0.30} 2026-01-01T00:00:59.999Z
{"w":"2026-01-01T00:01:00Z","k":null} {"k":null,"w":"2026-01-01T00:01:00Z","s":7.00} 2026-01-01T00:01:59.999Z
ledger 0: read 5, malformed 1, filtered 1, late 1, used 2
  first malformed at 3: it has no value
  first late at 4 by 1m5s
ledger 1: read 1, used 1`
	s, err := script.Parse("x", `source t k VARCHAR, d DECIMAL(18,2), ts TIMESTAMP

on-error skip
delay 5s

rows 0
{"k":"a","d":0.1,"ts":"2026-01-01T00:00:01Z"}
{"k":null,"d":7,"ts":"2026-01-01T00:01:10Z"}
{"k":"b","d":-1,"ts":"2026-01-01T00:01:10Z"}
{"k":"b","d":"x","ts":"2026-01-01T00:09:10Z"}
{"k":"b","d":1,"ts":"2026-01-01T00:00:00Z"}

rows 1
{"k":"a","d":0.20,"ts":"2026-01-01T01:00:59.99+01:00"}

query q
SELECT k, TUMBLE(ts, INTERVAL 1 MINUTE) AS w, sum(d) AS s FROM t WHERE d > 0 GROUP BY k, w
----
`+want)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Ask(open(t), &s.Cases[0])
	if err != nil {
		t.Fatal(err)
	}
	if message := agrees(a, want); message != "" {
		t.Fatal(message)
	}
	for _, change := range [][2]string{
		{`"s":0.30`, `"s":0.3`}, {`"k":null}`, `"k":"b"}`}, {"59.999Z", "59.998Z"}, {"late 1, used 2", "used 3"}, {"malformed at 3", "malformed at 2"}, {"by 1m5s", "by 1m4s"},
		{"ledger 1: read 1, used 1", "ledger 1: read 0"},
	} {
		if agrees(a, strings.Replace(want, change[0], change[1], 1)) == "" {
			t.Errorf("%s instead of %s is not seen", change[1], change[0])
		}
	}
}

// TestADifferenceInATreeIsSeen does the same with a self-join, where each side has late rows of its own.
func TestADifferenceInATreeIsSeen(t *testing.T) {
	const want = `{} {"l":1,"r":1,"w":"2026-01-01T00:00:00Z"} 2026-01-01T00:00:59.999Z
{} {"l":3,"r":1,"w":"2026-01-01T00:01:00Z"} 2026-01-01T00:01:59.999Z`
	s, err := script.Parse("x", `source t k VARCHAR, n INTEGER, ts TIMESTAMP, u TIMESTAMP

delay 5s
band -9s 9s a.ts b.u

rows 0
{"k":"x","n":1,"ts":"2026-01-01T00:00:10Z","u":"2026-01-01T00:00:10Z"}
{"k":"y","n":2,"ts":"2026-01-01T00:01:30Z","u":"2026-01-01T00:02:30Z"}
{"k":"x","n":3,"ts":"2026-01-01T00:01:29Z","u":"2026-01-01T00:01:29Z"}
{"k":"z","n":4,"ts":"2026-01-01T00:01:30Z","u":"2026-01-01T00:02:31Z"}
{"k":"x","n":5,"ts":"2026-01-01T00:00:19Z","u":"2026-01-01T00:01:20Z"}

query q
SELECT min(a.n) AS l, count(*) AS r, TUMBLE(a.ts, INTERVAL 1 MINUTE) AS w FROM t a LEFT JOIN t b ON a.k = b.k AND b.u BETWEEN a.ts - INTERVAL 9 SECONDS AND a.ts + INTERVAL 9 SECONDS WHERE a.k = 'x' GROUP BY w
----
`+want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Tree(open(t), &s.Cases[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{{"", ""}, {`"l":1`, `"l":2`}, {`"r":1,"w":"2026-01-01T00:01`, `"r":2,"w":"2026-01-01T00:01`}, {"\n", "\n{} {}\n"}, {want[:strings.Index(want, "\n")], ""}} {
		c := s.Cases[0]
		c.Want = strings.Replace(want, change[0], change[1], 1)
		message, err := treeAgrees(got, &c)
		if err != nil || (message == "") != (change[0] == "") {
			t.Errorf("%q instead of %q: %s%v", change[1], change[0], message, err)
		}
	}
}
