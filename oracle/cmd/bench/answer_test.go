package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDuckAnswersWhatAPlainLoopCounts(t *testing.T) {
	const rows = 20_000
	file, err := dataFile(context.Background(), t.TempDir(), rows)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "answer.jsonl")
	if err := askDuck(file, to); err != nil {
		t.Fatal(err)
	}
	want := plainAnswer(rows)
	if err := want.compare(to); err != nil {
		t.Fatal(err)
	}
}

func plainAnswer(rows int) answer {
	a := answer{}
	g := newGenerator()
	for range rows {
		m := g.next()
		key := group{string(merchantName(nil, m.merchant)), m.at.Unix() / 60 * 60}
		a[key] = total{a[key].n + 1, a[key].cents + m.cents}
	}
	return a
}

func TestAWrongAnswerIsFound(t *testing.T) {
	right := `{"merchant":"m-1","window":"2026-01-01T00:01:00Z","n":2,"total":12.50}` + "\n" +
		`{"merchant":"m-2","window":"2026-01-01 00:01:00","n":1,"total":0.1}` + "\n"
	want := answer{{"m-1", 1767225660}: {2, 1250}, {"m-2", 1767225660}: {1, 10}}
	for _, c := range []struct{ name, text, message string }{
		{"right", right, ""},
		{"another count", strings.Replace(right, `"n":1`, `"n":2`, 1), "m-2, window 2026-01-01T00:01:00Z: expected 1 records and 10 cents, got 2 and 10 (2 rows expected, 2 there)"},
		{"another total", strings.Replace(right, "12.50", "12.51", 1), "m-1, window 2026-01-01T00:01:00Z: expected 2 records and 1250 cents, got 2 and 1251 (2 rows expected, 2 there)"},
		{"a row missing", right[:strings.IndexByte(right, '\n')+1], "m-2, window 2026-01-01T00:01:00Z: expected 1 records and 10 cents, got 0 and 0 (2 rows expected, 1 there)"},
		{"a row too many", right + `{"merchant":"m-3","window":"2026-01-01T00:01:00Z","n":1,"total":1}` + "\n", "2 rows expected, 3 there"},
	} {
		path := filepath.Join(t.TempDir(), "answer.jsonl")
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := want.compare(path); err != nil {
			got = err.Error()
		}
		if got != c.message {
			t.Errorf("%s: got %q, want %q", c.name, got, c.message)
		}
	}
	twice := answer{}
	line := []byte(right[:strings.IndexByte(right, '\n')])
	if err := twice.add(line); err != nil {
		t.Fatal(err)
	}
	if err := twice.add(line); err == nil {
		t.Error("a group that is there twice is not found")
	}
}

func TestMediansAndRatiosAreOfPairs(t *testing.T) {
	if m := median([]float64{3, 1, 2}); m != 2 {
		t.Errorf("median %v", m)
	}
	if m := median([]float64{4, 1, 2, 3}); m != 2.5 {
		t.Errorf("median %v", m)
	}
	a := &contestant{costs: []cost{{peak: 10}, {peak: 30}, {peak: 20}}}
	b := &contestant{costs: []cost{{peak: 10}, {peak: 10}, {peak: 10}}}
	if r := ratio(a, b, func(c cost) float64 { return float64(c.peak) }); r != 2 {
		t.Errorf("ratio %v", r)
	}
}
