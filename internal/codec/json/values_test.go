package jsonrec

import (
	"testing"

	"ubik/internal/vec"
)

func TestATextIsAValueOfItsType(t *testing.T) {
	for _, c := range []struct {
		typ        vec.Type
		text, want string
	}{
		{vec.TypeOf(vec.JSON), ` 1 `, ""}, {vec.TypeOf(vec.JSON), `[1,]`, `"[1,]" is not JSON`}, {vec.TypeOf(vec.JSON), ``, `"" is not JSON`},
		{listType, ` [1]`, ""}, {listType, `{"a":1}`, `"{"a":1}" is not a LIST`}, {listType, `[`, `"[" is not JSON`},
		{mapType, `{}`, ""}, {mapType, `null`, `"null" is not a MAP`}, {structType, `{"b":1}`, ""}, {structType, `"x"`, `""x"" is not a STRUCT`},
	} {
		if got := CheckText(c.typ, []byte(c.text)); got != c.want {
			t.Errorf("%s as %s: %s, want %s", c.text, c.typ, got, c.want)
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
}
