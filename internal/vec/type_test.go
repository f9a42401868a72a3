package vec

import "testing"

func TestTypesThatHoldJSONTextAreStoredAsBytes(t *testing.T) {
	bigint, text := Field{Type: TypeOf(Int64)}, Field{Type: TypeOf(Varchar)}
	list := Type{Kind: List, Fields: []Field{bigint}}
	for _, c := range []struct {
		typ  Type
		want string
	}{
		{TypeOf(JSON), "JSON"},
		{list, "BIGINT[]"},
		{Type{Kind: List, Fields: []Field{{Type: list}}}, "BIGINT[][]"},
		{Type{Kind: Map, Fields: []Field{text, {Type: list}}}, "MAP(VARCHAR, BIGINT[])"},
		{Type{Kind: Struct, Fields: []Field{{Name: "a b", Type: list}}}, `STRUCT("a b" BIGINT[])`},
	} {
		if !c.typ.IsJSON() || c.typ.Phys() != PhysBytes || c.typ.String() != c.want {
			t.Errorf("%s is not %s as JSON text", c.typ, c.want)
		}
	}
	for k := Null; k < JSON; k++ {
		if TypeOf(k).IsJSON() {
			t.Errorf("%s is taken for JSON text", TypeOf(k))
		}
	}
}
