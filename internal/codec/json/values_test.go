package jsonrec

import (
	"encoding/json"
	"strings"
	"testing"

	"ubik/internal/vec"
)

func TestOneValueIsValidAsAMemberIs(t *testing.T) {
	for _, s := range []string{`{}`, `[1, {"a": null}]`, `"x\n"`, `-1.5e3`, ` true `, "\t null\n", ``, ` `, `{`, `1 2`, `01`, `nul`, `{"a":1,}`, `"a`, "\"\x01\"", `NaN`} {
		if got, want := Valid([]byte(s)), json.Valid([]byte(s)); got != want {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
	for levels, want := range map[int]bool{depthMax: true, depthMax + 1: false} {
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

func TestAValueAloneIsWrittenAsAMemberIs(t *testing.T) {
	typ := vec.TypeOf(vec.Timestamp)
	v := vec.NewVector(typ)
	v.Resize(2)
	v.I64[0] = 1767225660120000
	v.SetNull(1)
	got := AppendValue(AppendValue(nil, &typ, v, 0), &typ, v, 1)
	if want := `"2026-01-01T00:01:00.120Z"null`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := string(AppendCompact(nil, []byte(`{ "a b" : [1, 2] }`))); got != `{"a b":[1,2]}` {
		t.Errorf("got %s", got)
	}
}
