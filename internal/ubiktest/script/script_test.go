package script

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ubik/internal/ubiktest/golden"
)

// TestScripts runs testdata/*.txt. Every query goes through several executions and the naive evaluator.
func TestScripts(t *testing.T) {
	scripts, err := Load("testdata")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts ", err)
	}
	for _, s := range scripts {
		var got []string
		for i := range s.Cases {
			c := &s.Cases[i]
			got = append(got, c.Want)
			t.Run(filepath.Base(s.Path)+"/"+c.Name, func(t *testing.T) {
				o, err := c.Run()
				if err != nil {
					t.Fatalf("%s:%d: %s\n%v", s.Path, c.Line, c.SQL, err)
				}
				got[i] = o.Text
				if err := c.Check(o); err != nil {
					t.Errorf("%s:%d: %s\n%v", s.Path, c.Line, c.SQL, err)
				}
				if o.Text != c.Want && !*golden.Update {
					t.Errorf("%s:%d: %s\n---- got\n%s\n---- want\n%s", s.Path, c.Line, c.SQL, o.Text, c.Want)
				}
			})
		}
		if *golden.Update {
			if err := os.WriteFile(s.Path, []byte(s.Rewritten(got)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestAScriptIsWrittenBackAsItWasRead(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Parse(f, string(text))
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, c := range s.Cases {
			want = append(want, c.Want)
		}
		if got := s.Rewritten(want); got != string(text) {
			t.Errorf("%s is not in the form that -update writes", f)
		}
	}
}

func TestWhatAScriptCannotHold(t *testing.T) {
	for text, want := range map[string]string{
		"sauce t a INTEGER":                "x:1: no such setting: sauce t a INTEGER",
		"source t a INTEGER\n\nrows 1\n{}": "x:3: rows 1: partitions are numbered from 0",
		"band 1s 2s x":                     "x:1: band 1s 2s x: it is two durations, and two times if they are not named ts",
		"delay 1s":                         "x:1: delay 1s: there is no source \"\"",
		"source t a INTEGER\nwith u b INTEGER\ndelay v 1s": "x:1: delay v 1s: there is no source \"v\"",
		"source t a INTEGER\n\nrows v 0":                   "x:3: rows v 0: there is no source \"v\"",
		"source t a INTEGER\nwatermark u a 1s":             "x:1: watermark u a 1s: there is no source \"u\"",
		"source t a INTEGER\nwatermark t a":                "x:1: watermark t a: it is a source, and its time column and delay or none",
		"source t a INTEGER\nwatermark t":                  "x:1: watermark t: it is a source, and its time column and delay or none",
		"query q\nSELECT 1":                                "x:1: a query without a line of dashes",
		"source t a INTEGER\ndelay ten":                    `x:1: time: invalid duration "ten"`,
	} {
		_, err := Parse("x", text)
		if fmt.Sprint(err) != want {
			t.Errorf("%q\ngot  %v\nwant %s", text, err, want)
		}
	}
}
