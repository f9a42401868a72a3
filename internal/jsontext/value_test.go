package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// randomValue writes a value of JSON with white space anywhere and names that repeat now and then.
func randomValue(rng *rand.Rand, levels int) string {
	blank := func() string {
		return []string{"", "", "", " ", "\t", " \r\n "}[rng.IntN(6)]
	}
	text := func() string {
		return []string{`""`, `"a"`, `"b"`, `"\u0061"`, `"a b"`, `"\\"`, `"\""`, `"{[,:]}"`, `"käse und mehr als acht Zeichen"`, `"\ud83d\ude00"`, `"a.b"`, `"0"`}[rng.IntN(12)]
	}
	kind := rng.IntN(9)
	if levels == 0 {
		kind %= 5
	}
	switch kind {
	case 0, 1:
		return text()
	case 2:
		return []string{"0", "-1.50", "1e2", "12345678901234567890123"}[rng.IntN(4)]
	case 3:
		return []string{"true", "false", "null"}[rng.IntN(3)]
	case 4:
		return []string{"{}", "[]", "[ ]", "{ }"}[rng.IntN(4)]
	case 5, 6:
		var members []string
		for range 1 + rng.IntN(4) {
			members = append(members, blank()+text()+blank()+":"+blank()+randomValue(rng, levels-1)+blank())
		}
		if rng.IntN(20) == 0 {
			for i := range 3 * fewNames {
				members = append(members, fmt.Sprintf(`"%d":%d`, rng.IntN(1000), i))
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	var elements []string
	for range 1 + rng.IntN(4) {
		elements = append(elements, blank()+randomValue(rng, levels-1)+blank())
	}
	return "[" + strings.Join(elements, ",") + "]"
}

// naiveTwice reports whether an object in a value has a name twice, by encoding/json.
func naiveTwice(text []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var read func() bool
	read = func() bool {
		tok, _ := dec.Token()
		twice := false
		if tok == json.Delim('{') || tok == json.Delim('[') {
			names := map[json.Token]bool{}
			for dec.More() {
				if tok == json.Delim('{') {
					name, _ := dec.Token()
					twice = twice || names[name]
					names[name] = true
				}
				twice = read() || twice
			}
			dec.Token()
		}
		return twice
	}
	return read()
}

func checkWhole(t *testing.T, text []byte) {
	t.Helper()
	var want bytes.Buffer
	if err := json.Compact(&want, text); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if got := AppendCompact([]byte("x"), text); string(got) != "x"+want.String() {
		t.Fatalf("%q: compact is %q, want %q", text, got[1:], &want)
	}
	p := SkipSpace(text, 0, len(text))
	q, _ := SkipValue(text, p, len(text), 0)
	if got := behindValue(text, p); got != q {
		t.Fatalf("%q: the value ends at %d, not %d", text, q, got)
	}
	var w Whole
	for range 2 {
		spaced, twice := w.Look(text, p, q)
		if (twice != nil) != naiveTwice(text) {
			t.Fatalf("%q: the name found twice is %q", text, twice)
		}
		if twice == nil && spaced != (want.Len() != q-p) {
			t.Fatalf("%q: white space between tokens: %v", text, spaced)
		}
	}
}

func TestValidIsStrict(t *testing.T) {
	for _, s := range []string{`{}`, `[1, {"a": null}]`, `"x\n"`, `-1.5e3`, ` true `, "\t null\n", ``, ` `, `{`, `1 2`, `01`, `nul`, `{"a":1,}`, `"a`, "\"\x01\"", `NaN`} {
		if got, want := Valid([]byte(s)), json.Valid([]byte(s)); got != want {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
	for levels, want := range map[int]bool{DepthMax: true, DepthMax + 1: false} {
		if got := Valid([]byte(strings.Repeat("[", levels) + strings.Repeat("]", levels))); got != want {
			t.Errorf("%d levels: %v, want %v", levels, got, want)
		}
	}
	for _, s := range []string{"\"\xff\"", `"\ud800"`} {
		if Valid([]byte(s)) {
			t.Errorf("%q is valid", s)
		}
	}
}

func TestWholeValuesAsTheStandardLibraryHasThem(t *testing.T) {
	for seed := range uint64(20000) {
		text := randomValue(rand.New(rand.NewPCG(seed, 1)), 4)
		if !Valid([]byte(text)) {
			t.Fatalf("seed %d: %q is not valid", seed, text)
		}
		checkWhole(t, []byte(" "+text+"\n"))
	}
}

func TestANameThatOccursTwiceIsNamed(t *testing.T) {
	many := `{"0":0`
	for i := range 50 {
		many += fmt.Sprintf(`,"n%d":{"n":[]}`, i)
	}
	for text, want := range map[string]string{
		`{"a":1,"b":{"a":2}}`: "", `[{"a":1},{"a":2}]`: "", `{"a":1,"\u0061":2}`: "a", `{"x":[{"":1,"y":2,"":3}]}`: "",
		`{"b":1,"a":{"c":[{"d":1,"d":2}]},"b":2}`: "d", many + "}": "", many + `,"n7":1}`: "n7", many + `,"\u0030":1}`: "0",
	} {
		var w Whole
		_, twice := w.Look([]byte(text), 0, len(text))
		if string(twice) != want || (twice != nil) != naiveTwice([]byte(text)) {
			t.Errorf("%s: %q, want %q", text, twice, want)
		}
	}
}

func FuzzWhole(f *testing.F) {
	for seed := range uint64(20) {
		f.Add([]byte(randomValue(rand.New(rand.NewPCG(seed, 2)), 3)))
	}
	f.Add([]byte(`{"a":1,"\u0061":2}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if Valid(text) {
			checkWhole(t, text)
		}
	})
}
