package jsontext

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestPathsLeadToValues(t *testing.T) {
	const doc = ` { "a" : { "b c" : [ 1.50 , "x\n", { "d" : null } ] , "" : 2 } , "a.b" : 3, "a\"b": {"c": 4}, "\u0065": 5, "a/b":6, "a~b":7, "0":8, "a\\b":9, "$":10, "a" : 11, "01": 12 } `
	const none = "none"
	for path, want := range map[string]string{
		"a.b": "3", `$."a.b"`: "3", "$.a.b": none, "e": "5", "x": none, "0": "8", "$.0": "8", "$[0]": none, `a\b`: "9", `$."a\\b"`: "9", `$.a\b`: "9",
		`$.a."b c"[0]`: "1.50", "$.a.b c[1]": `"x\n"`, "$.a.b c[2].d": "null", "$.a.b c[-1]": `{ "d" : null }`, "$.a.b c[#-3]": "1.50", "$.a.b c[-4]": none,
		"$.a.b c[#]": none, "$.a.b c[3]": none, "$.a.b c[-0]": "1.50", "$.a.b c[001]": `"x\n"`, "$.a.b c.d": none, "$.a.b c[2].d.e": none,
		"/a/b c/0": "1.50", "/a/": "2", "/a~1b": "6", "/a~0b": "7", "/a~b": none, "/0": "8", "/01": "12", "/a/b c/01": none, "/a/b c/-": none, "/a/b c/3": none,
		`a"b`: `{"c": 4}`, `a"b/c`: "4", `$.a"b.c`: "4", `$."a\"b".c`: "4", `$."$"`: "10",
	} {
		p, err := ParsePath(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		got := none
		if v := p.Find([]byte(doc)); v != nil {
			got = string(v)
		}
		if got != want {
			t.Errorf("%s gives %s, want %s", path, got, want)
		}
	}
	for _, path := range []string{"", "$"} {
		if p, err := ParsePath(path); err != nil || string(p.Find([]byte(doc))) != strings.TrimSpace(doc) {
			t.Errorf("%q does not give the whole: %v", path, err)
		}
	}
	if got := ElementPath(-2).Find([]byte("[1,[2],3]")); string(got) != "[2]" {
		t.Errorf("the last but one is %s", got)
	}
	if got := memberPath("$.a").Find([]byte(`{"$.a":1}`)); string(got) != "1" {
		t.Errorf("the member $.a is %s", got)
	}
}

func TestPathsThatAreWrong(t *testing.T) {
	const element = "an element is written as in '$[0]', the last one '$[-1]', a member as in '$.a'"
	const several = "stands for several values; name one member or element"
	for path, want := range map[string]string{
		"$a":                      "the path '$a' is wrong at 'a'; a member is written as in '$.a', an element as in '$[0]'",
		"$.a.":                    `the path '$.a.' is wrong at '.'; a name follows a point, as in '$.a."b c"'`,
		`$.""`:                    `the path '$.""' is wrong at '.""'; a name follows a point, as in '$.a."b c"'`,
		`$."a`:                    `the path '$."a' is wrong at '."a'; a name follows a point, as in '$.a."b c"'`,
		`$."a"b`:                  `the path '$."a"b' is wrong at 'b'; a member is written as in '$.a', an element as in '$[0]'`,
		"$.a[1":                   "the path '$.a[1' is wrong at '[1'; a bracket is not closed",
		"$.a[]":                   "the path '$.a[]' is wrong at '[]'; " + element,
		"$[x]":                    "the path '$[x]' is wrong at '[x]'; " + element,
		"$[#1]":                   "the path '$[#1]' is wrong at '[#1]'; " + element,
		"$[-]":                    "the path '$[-]' is wrong at '[-]'; " + element,
		"$[+1]":                   "the path '$[+1]' is wrong at '[+1]'; " + element,
		"$[99999999999999999999]": "the path '$[99999999999999999999]' is wrong at '[99999999999999999999]'; " + element,
		"$[*]":                    "the path '$[*]' " + several,
		"$.*":                     "the path '$.*' " + several,
		"$..a":                    "the path '$..a' " + several,
		"$.a.**":                  "the path '$.a.**' " + several,
	} {
		if _, err := ParsePath(path); err == nil || err.Error() != want {
			t.Errorf("%s: %v\n want %s", path, err, want)
		}
	}
}

// naiveFind follows the steps by encoding/json.
func naiveFind(text []byte, steps []step) (json.RawMessage, bool) {
	for _, s := range steps {
		text = bytes.TrimSpace(text)
		found := false
		switch {
		case text[0] == '{' && s.member:
			dec := json.NewDecoder(bytes.NewReader(text))
			dec.Token()
			for dec.More() && !found {
				name, _ := dec.Token()
				var raw json.RawMessage
				dec.Decode(&raw)
				if name == s.name {
					text, found = raw, true
				}
			}
		case text[0] == '[' && s.elem:
			var list []json.RawMessage
			json.Unmarshal(text, &list)
			i := s.index
			if i < 0 {
				i += int64(len(list))
			}
			if i >= 0 && i < int64(len(list)) {
				text, found = list[i], true
			}
		}
		if !found {
			return nil, false
		}
	}
	return bytes.TrimSpace(text), true
}

func TestPathsFindWhatTheStandardLibraryDoes(t *testing.T) {
	hits := 0
	for seed := range uint64(30000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		text := []byte(randomValue(rng, 4))
		var p Path
		for range rng.IntN(4) {
			s := step{member: rng.IntN(2) == 0, name: []string{"", "a", "b", "a b", `\`, `"`, "😀", "0"}[rng.IntN(8)]}
			if !s.member || rng.IntN(4) == 0 {
				s.elem, s.index = true, int64(rng.IntN(7)-3)
			}
			p.steps = append(p.steps, s)
		}
		want, ok := naiveFind(text, p.steps)
		got := p.Find(text)
		if ok != (got != nil) || string(got) != string(want) {
			t.Fatalf("seed %d: %v in %s gives %s, want %s", seed, p.steps, text, got, want)
		}
		if ok && len(p.steps) > 0 {
			hits++
		}
	}
	if hits < 1000 {
		t.Errorf("only %d paths led to a value", hits)
	}
}

func FuzzPath(f *testing.F) {
	for _, s := range []string{"a.b", `$.a."b c"[0]`, "$[#-1]", "/a~1b/0", `a"b`, "$.a\\b", "$[*]", "$..a"} {
		f.Add(s, []byte(`{"a":{"b c":[1]},"a/b":[2]}`))
	}
	f.Fuzz(func(t *testing.T, path string, text []byte) {
		if len(text) > 1000 || !Valid(text) {
			return
		}
		p, err := ParsePath(path)
		if err != nil {
			return
		}
		want, ok := naiveFind(text, p.steps)
		if got := p.Find(text); ok != (got != nil) || string(got) != string(want) {
			t.Fatalf("%q in %q gives %q, want %q", path, text, got, want)
		}
	})
}
