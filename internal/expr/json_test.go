package expr

import (
	"strings"
	"testing"

	"ubik/internal/vec"
)

var (
	listType   = vec.Type{Kind: vec.List, Fields: []vec.Field{{Type: bigintType}}}
	mapType    = vec.Type{Kind: vec.Map, Fields: []vec.Field{{Type: varcharType}, {Type: bigintType}}}
	structType = vec.Type{Kind: vec.Struct, Fields: []vec.Field{{Name: "a", Type: bigintType}}}
)

func TestJSONIsTheTextItIsCastFrom(t *testing.T) {
	for call, want := range map[string]string{
		`'"a"'::JSON::VARCHAR`:                 `"a"`,
		`' {"a": 1.50 } '::JSON`:               ` {"a": 1.50 } `,
		`'{"a":1,"a":2}'::JSON`:                `{"a":1,"a":2}`,
		`'null'::JSON`:                         `null`,
		`NULL::JSON`:                           `NULL`,
		`''::JSON`:                             `error: "" is not JSON`,
		`'{"a":1,}'::JSON`:                     `error: "{"a":1,}" is not JSON`,
		`'NaN'::JSON`:                          `error: "NaN" is not JSON`,
		`'"\ud800"'::JSON`:                     `error: ""\ud800"" is not JSON`,
		`coalesce(NULL, '[1, 2]'::JSON)`:       `[1, 2]`,
		`coalesce(NULL::JSON, '{"a":1}')`:      `{"a":1}`,
		`if(true, '[1]'::JSON, NULL)`:          `[1]`,
		`('{"a":[1,{"b":2}]}' -> '$.a[1]')`:    `{"b":2}`,
		`(('{"a":{"b":"x"}}' -> 'a') ->> 'b')`: `x`,
		`('{"a":"x"}' ->> NULL)`:               `NULL`,
		`(NULL -> 'a')`:                        `NULL`,
		`('{"a"' ->> 'a')`:                     `error: json_extract_string: "{"a"" is not JSON`,
		`('[1,2]'::JSON ->> -1)`:               `2`,
		`('[1]'::JSON -> '$.a[')`:              "error: json_extract: the path '$.a[' is wrong at '['; a bracket is not closed",
		`json_extract('[1]', 1.5)`:             `error: json_extract(VARCHAR, DECIMAL(2,1)): no such form; forms: json_extract(JSON, VARCHAR), json_extract(JSON, BIGINT)`,
		`json_extract(1, 'a')`:                 `error: json_extract(INTEGER, VARCHAR): no such form; forms: json_extract(JSON, VARCHAR), json_extract(JSON, BIGINT)`,
		`(('{"n":5}' ->> 'n')::BIGINT + 1)`:    `6`,
		`(('{"k":"v"}'::JSON ->> 'k') = 'v')`:  `true`,
		`coalesce('[1]'::JSON, 'a'::VARCHAR)`:  `error: the values of coalesce: JSON and VARCHAR have no type in common: cast one of them`,
		`coalesce('[1]'::JSON, 1)`:             `error: the values of coalesce: JSON and INTEGER have no type in common: cast one of them`,
		`coalesce('[1]'::JSON, 'x')`:           `error: "x" is not JSON`,
		`TIMESTAMP '2026-01-01'::JSON`:         `error: cannot cast TIMESTAMP to JSON: only text is read as JSON`,
		`('5'::JSON::BIGINT + 1)`:              `error: cannot cast JSON to BIGINT: cast it to VARCHAR first, or take the text of a member by ->>`,
		`('[1]'::JSON AND true)`:               `error: AND needs BOOLEAN, not JSON`,
	} {
		if got := valueOf(call); got != want {
			t.Errorf("%s = %q\n want %q", call, got, want)
		}
	}
}

func TestTryCastToJSONGivesNull(t *testing.T) {
	b := vec.NewBatch(varcharType)
	b.Resize(4)
	for i, s := range []string{`{"a":1}`, `{a:1}`, `7`} {
		b.Cols[0].AppendBytes(i, []byte(s))
	}
	b.Cols[0].SetNull(3)
	column := &Column{0, "c", varcharType}
	for _, c := range []struct {
		try    bool
		faults string
	}{{true, ""}, {false, `1: "{a:1}" is not JSON;`}} {
		var errs Errors
		v := Compile(must(NewCast(column, jsonType, c.try))).Eval(b, nil, &errs)
		got := ""
		for i := range 4 {
			got += valueText(v, i) + " "
		}
		faults := ""
		for _, f := range errs.Faults {
			faults += string(rune('0'+f.Row)) + ": " + f.Msg + ";"
		}
		if got != `{"a":1} NULL 7 NULL ` || faults != c.faults {
			t.Errorf("try %v: %s faults %s", c.try, got, faults)
		}
	}
}

// document is a batch of one column of a type that holds JSON texts: two values, and NULL.
func document(typ vec.Type, texts ...string) *vec.Batch {
	b := vec.NewBatch(typ)
	b.Resize(len(texts) + 1)
	for i, s := range texts {
		b.Cols[0].AppendBytes(i, []byte(s))
	}
	b.Cols[0].SetNull(len(texts))
	return b
}

func TestWholeValuesArePassedOnChosenAndTested(t *testing.T) {
	for _, typ := range []vec.Type{jsonType, listType, mapType, structType} {
		j := &Column{0, "j", typ}
		positive := must(NewIsNull(j, true))
		for _, c := range []struct {
			e    Expr
			want string
		}{
			{j, `[1] null NULL`},
			{must(NewIsNull(j, false)), `false false true`},
			{must(NewCoalesce(j, j)), `[1] null NULL`},
			{must(NewCoalesce(NewNull(), j)), `[1] null NULL`},
			{must(NewCase(nil, []When{{positive, j}}, nil)), `[1] null NULL`},
			{must(NewCast(j, jsonType, false)), `[1] null NULL`},
		} {
			if !c.e.Type().Equal(typ) && c.e.Type().Kind != vec.Bool && c.e.Type().Kind != vec.JSON {
				t.Errorf("%s has the type %s", c.e, c.e.Type())
			}
			for _, sel := range [][]int32{nil, {0, 1, 2}} {
				var errs Errors
				v := Compile(c.e).Eval(document(typ, "[1]", "null"), sel, &errs)
				if got := strings.Join([]string{valueText(v, 0), valueText(v, 1), valueText(v, 2)}, " "); got != c.want || len(errs.Faults) > 0 {
					t.Errorf("%s of %s gives %s %v, want %s", c.e, typ, got, errs.Faults, c.want)
				}
			}
		}
		text := must(NewCast(must(NewCast(j, jsonType, false)), varcharType, false))
		if got := text.String(); got != "CAST(CAST(j AS JSON) AS VARCHAR)" && typ.Kind != vec.JSON {
			t.Errorf("%s", got)
		}
		if text.fails() {
			t.Errorf("%s is thought to fail", text)
		}
	}
}

func TestWholeValuesAreNotCompared(t *testing.T) {
	j, l, s := &Column{0, "j", jsonType}, &Column{1, "l", listType}, &Column{2, "s", structType}
	one := func(_ Expr, err error) string {
		if err == nil {
			return ""
		}
		return err.Error()
	}
	const hint = ": cast it to VARCHAR, or take the text of a member by ->>"
	const nested = ": cast it to JSON, and that to VARCHAR for its text"
	for _, c := range []struct{ got, want string }{
		{one(NewBinary("=", j, j)), "JSON is not compared" + hint},
		{one(NewBinary("<", NewString("1"), j)), "JSON is not compared" + hint},
		{one(NewBinary("=", l, NewNull())), "BIGINT[] is not compared" + nested},
		{one(NewBinary(">=", s, s)), "STRUCT(a BIGINT) is not compared" + nested},
		{one(NewIsDistinct(j, NewNull(), true)), "JSON is not compared" + hint},
		{one(NewIn(j, []Expr{NewString("1")}, false)), "JSON is not compared" + hint},
		{one(NewBetween(j, j, j, false)), "JSON is not compared" + hint},
		{one(NewNullIf(j, NewString("1"))), "JSON is not compared" + hint},
		{one(NewCase(j, []When{{NewString("1"), NewInteger(1)}}, nil)), "JSON is not compared" + hint},
		{one(NewCall("greatest", []Expr{j, j})), "greatest: JSON is not compared" + hint},
		{one(NewLike(j, NewString("%a"), nil, false, false)), "LIKE needs VARCHAR, not JSON" + hint},
		{one(NewLike(NewString("a"), l, nil, true, true)), "NOT ILIKE needs VARCHAR, not BIGINT[]" + nested},
		{one(NewCall("lower", []Expr{j})), "lower(JSON): no such form; forms: lower(VARCHAR); of JSON: cast it to VARCHAR, or take the text of a member by ->>"},
		{one(NewCall("concat", []Expr{j, j})), "concat does not take JSON" + hint},
		{one(NewBinary("||", NewString("a"), l)), "|| does not take BIGINT[]" + nested},
		{one(NewBinary("+", j, NewInteger(1))), "JSON + INTEGER: no such operation; cast one of them"},
		{one(NewBinary("->", l, NewInteger(1))), "json_extract does not take BIGINT[]: cast it to JSON"},
		{one(NewBinary("->>", j, &Column{3, "p", varcharType})), "json_extract_string: the path must be a literal, a text or the number of an element"},
		{one(NewCast(l, varcharType, false)), "cannot cast BIGINT[] to VARCHAR: cast it to JSON first"},
		{one(NewCast(j, listType, false)), "cannot cast JSON to BIGINT[]"},
		{one(NewCast(NewString("[1]"), listType, false)), "cannot cast VARCHAR to BIGINT[]"},
		{one(NewCast(l, vec.Type{Kind: vec.List, Fields: []vec.Field{{Type: doubleType}}}, false)), "cannot cast BIGINT[] to DOUBLE[]"},
		{one(commonOf(j, l)), "JSON and BIGINT[] have no type in common: cast one of them"},
	} {
		if c.got != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
}

// commonOf is CommonType in the form of a constructor.
func commonOf(a, b Expr) (Expr, error) {
	_, err := CommonType(a, b)
	return nil, err
}

func TestPathsIntoColumns(t *testing.T) {
	j := &Column{0, "j", jsonType}
	b := document(jsonType, `{"a":"x\ty","n":[10, null]}`, `{"\u0061": {"b" : 1.50}}`, `[7]`)
	for _, c := range []struct {
		op   string
		path Expr
		want string
	}{
		{"->", NewString("a"), `"x\ty" {"b":1.50} NULL NULL`},
		{"->>", NewString("a"), "x\ty {\"b\":1.50} NULL NULL"},
		{"->", NewString("$.n[1]"), "null NULL NULL NULL"},
		{"->>", NewString("$.n[1]"), "NULL NULL NULL NULL"},
		{"->>", NewString("/n/0"), "10 NULL NULL NULL"},
		{"->>", NewInteger(-1), "NULL NULL 7 NULL"},
	} {
		e := must(NewBinary(c.op, j, c.path))
		for _, sel := range [][]int32{nil, {0, 1, 2, 3}} {
			p := Compile(e)
			for range 2 {
				var errs Errors
				v := p.Eval(b, sel, &errs)
				got := strings.Join([]string{valueText(v, 0), valueText(v, 1), valueText(v, 2), valueText(v, 3)}, " ")
				if got != c.want || len(errs.Faults) > 0 {
					t.Errorf("%s gives %q %v, want %q", e, got, errs.Faults, c.want)
				}
			}
		}
	}
	if got := must(NewBinary("->>", j, NewString("a"))).String(); got != "json_extract_string(j, 'a')" {
		t.Errorf("it is printed %s", got)
	}
}
