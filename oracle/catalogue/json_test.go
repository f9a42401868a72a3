package catalogue

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ubik/oracle/duck"
)

// documents are texts to be read as JSON, most of them valid. Of numbers and escapes they have only what DuckDB, which
// writes both anew, leaves as it is; none has what DuckDB reads beyond RFC 8259.
var documents = []string{
	`"a"`, `""`, `null`, `true`, `17`, `-1.5`, `[]`, `{}`, ` [1, 2 ] `, "{\n\t\"a\" : {\"b\": [1,{\"c\":null}] }\r\n}", `{"a":1,"a":2}`, `{"":{"":3}}`, `{"a.b":7,"a":{"b":8}}`, `{"a\"b":{"c":4}}`,
	`{"a/b":3,"a~b":4}`, `{"a\\b":9}`, `{"é":"ü","🦆":["x\ty"]}`, `[10,[20,[30]],{"0":"x"}]`, `{"0":5,"01":6,"$":7,"a b":8,"-":9}`, `12345678901234567890123`, `{"a":"\u0001\n\""}`,
	``, ` `, `{`, `[1`, `{a:1}`, `{"a"}`, `{"a":1,,"b":2}`, `"\ud800"`, `"a`, `tru`, `01`, `1.`, `.5`, `+1`, `1e`, `[1] x`, `'a'`, "\"\x01\"", `{"a":}`, `-`, `"\x"`,
}

var paths = []string{
	"a", "b", "a.b", "", "$", "$.a", "$.a.b", "$.a.b[0]", "$.a.b[1].c", "$.a.b[-1]", "$.a.b[#-2]", "$[0]", "$[1][1][0]", "$[-1]", "$[-9]", "$[#]", "$[#-1]", "$[01]", "$[-0]", "$[7]", `$."a.b"`, `$."a"`, `$.""`,
	"/a", "/a/b/1", "/", "//", "/a~1b", "/a~0b", "/a~b", "/0", "/01", "/-", "/1/1", "/+1", `a"b`, `a"b/c`, `$."a\"b"`, `a\b`, `$.a\b`, `$."a\\b"`, "é", "$.🦆[0]", "$.a b", "0", "$.0", "$.-", `$."$"`, "$.a ",
	"$a", "$.", "$.a.", "$[", "$.a[]", "$[x]", "$['a']", `$["a"]`, "$ .a", "$[ 1]", "$[1", "$[+1]", "$[99999999999999999999]", "$[9999999999]", "$[#1]", "$[-]", "$[1]x", `$."a`, `$."a"b`,
}

// TestJSONAgreesWithDuckDB reads texts as JSON, and takes the values at all paths from each.
func TestJSONAgreesWithDuckDB(t *testing.T) {
	d := newTable(t, duck.ForTest(t), []column{{"t", "VARCHAR", append([]string{null}, documents...)}})
	check := func(e string) {
		if message := compare(e, d.engine(e), d.duckdb(e)); message != "" {
			t.Errorf("%s: %s", e, message)
		}
	}
	for _, e := range []string{
		"t::JSON", "t::JSON::VARCHAR", "TRY_CAST(t AS JSON)", "TRY_CAST(t AS JSON) IS NULL", "coalesce(TRY_CAST(t AS JSON), 'null')", "CASE WHEN TRY_CAST(t AS JSON) IS NULL THEN '{}' ELSE t::JSON END",
		"coalesce(NULL::JSON, '[1, 2]')", "if(t = '17', t::JSON, NULL)", "json_extract(TRY_CAST(t AS JSON), 0)", "json_extract_string(TRY_CAST(t AS JSON), -1)", "json_extract(TRY_CAST(t AS JSON), NULL)",
		`json_extract('{"\u0061": [3]}', '$.a[0]')`, `json_extract('{"\u0061": 3}', 'a')`, `json_extract('{"b": 1, "\u0061": 3}', '/a')`, `json_extract_string('{"\u0061": "\ud83d\ude00"}', 'a')`,
		"json_extract_string(json_extract(TRY_CAST(t AS JSON), 'a'), 'b')", "json_extract(t, 'a')", "json_extract_string(t, '$.a.b[0]')::BIGINT",
	} {
		check(e)
	}
	for _, p := range paths {
		for _, f := range []string{"json_extract", "json_extract_string"} {
			check(fmt.Sprintf("%s(TRY_CAST(t AS JSON), %s)", f, duck.Literal(p)))
		}
	}
}

// TestPathsIntoRandomJSONAgreeWithDuckDB takes random steps into random values.
func TestPathsIntoRandomJSONAgreeWithDuckDB(t *testing.T) {
	seed := seedOf(t)
	rng := rand.New(rand.NewPCG(seed, 7))
	names := []string{"a", "b", "", "a b", "é", "0", "x.y", "ab"}
	var value func(levels int) string
	value = func(levels int) string {
		kind := rng.IntN(8)
		if levels == 0 {
			kind %= 4
		}
		var parts []string
		switch kind {
		case 0:
			return fmt.Sprint(rng.IntN(100) - 50)
		case 1:
			return []string{"null", "true", "1.5", "[]", "{ }"}[rng.IntN(5)]
		case 2, 3:
			return []string{`"x"`, `""`, `"a, b"`, `"ü]}"`}[rng.IntN(4)]
		case 4, 5:
			for range 1 + rng.IntN(3) {
				parts = append(parts, value(levels-1))
			}
			return "[" + strings.Join(parts, ", ") + "]"
		}
		for range 1 + rng.IntN(3) {
			parts = append(parts, `"`+names[rng.IntN(len(names))]+`" : `+value(levels-1))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	var texts []string
	for range 200 {
		texts = append(texts, value(4))
	}
	d := newTable(t, duck.ForTest(t), []column{{"t", "VARCHAR", texts}})
	for range 150 {
		path := "$"
		for range 1 + rng.IntN(3) {
			switch rng.IntN(3) {
			case 0:
				path += fmt.Sprintf("[%d]", rng.IntN(5)-2)
			case 1:
				path += `."` + names[rng.IntN(len(names))] + `"`
			default:
				path += "." + []string{"a", "b", "ab", "0"}[rng.IntN(4)]
			}
		}
		if rng.IntN(3) == 0 {
			path = strings.NewReplacer("$.", "/", ".", "/", "$[", "/", "[", "/", "]", "", `"`, "").Replace(path)
		}
		for _, f := range []string{"json_extract", "json_extract_string"} {
			e := fmt.Sprintf("%s(t, %s)", f, duck.Literal(path))
			if message := compare(e, d.engine(e), d.duckdb(e)); message != "" {
				t.Errorf("seed %d: %s: %s", seed, e, message)
			}
		}
	}
}
