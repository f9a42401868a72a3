package naive

import (
	"fmt"
	"strings"
	"testing"

	"ubik/internal/sql"
)

func TestPathsIntoJSON(t *testing.T) {
	const text = `{"a" : [10, {"b c":"x"}, null] , "":{"":1}, "d.e":2, "f/g":3, "h~i":4, "0":5, "p\"q":6, "é":7, "a":8}`
	for path, want := range map[string]string{
		"": compact([]byte(text)), "$": compact([]byte(text)), "a": `[10,{"b c":"x"},null]`, "$.a[0]": "10", "$.a[-1]": "null", "$.a[#-2]": `{"b c":"x"}`,
		`$.a[1]."b c"`: `"x"`, "/a/1/b c": `"x"`, "/": `{"":1}`, "//": "1", "d.e": "2", `$."d.e"`: "2", "/f~1g": "3", "h~i": "4", "/h~0i": "4", "/0": "5", "0": "5",
		`p"q`: "6", `/p"q`: "6", "é": "7", "$.a[3]": "none", "$.a[-4]": "none", "/a/-1": "none", "/a/00": "none", "$.a.b": "none", "$[0]": "none", "b": "none", "/a/0/x": "none",
		"$.a[*]": "no path", "$.*": "no path", "$a": "no path", "$.": "no path", "$[": "no path", "$[x]": "no path", "$..a": "no path", "$[#1]": "no path",
	} {
		steps, ok := pathOf(path)
		got := "no path"
		if ok {
			got = "none"
			if found := walk([]byte(text), steps); found != nil {
				got = compact(found)
			}
		}
		if got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
}

func TestANameTwiceIsAFaultAtAnyDepth(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"A":1,"b":{"a":1}}`: "<nil>", `[{"a":1},{"a":1}]`: "<nil>", `"{\"a\":1,\"a\":2}"`: "<nil>", `7`: "<nil>", `{}`: "<nil>",
		`{"a":1,"a":1}`: `"a" occurs twice`, `{"a":1,"\u0061":1}`: `"a" occurs twice`, `[[{"x":{"b":1,"c":2,"b":3}}]]`: `"b" occurs twice`, `{"":1,"":1}`: `"" occurs twice`,
	} {
		if got := fmt.Sprint(distinctNames([]byte(text))); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// What a query means with its names written out.
func TestNamesAreWrittenOut(t *testing.T) {
	for text, want := range map[string]string{
		"WITH v AS (SELECT k FROM a) SELECT k FROM v, v AS w":                                  "SELECT k FROM (SELECT k FROM a) AS v, (SELECT k FROM a) AS w",
		"WITH v(p, q) AS (SELECT k, n FROM a) SELECT * FROM v AS w(r)":                         "SELECT * FROM (SELECT k, n FROM a) AS w(r, q)",
		"WITH v(p) AS (SELECT k, n FROM a) SELECT * FROM v AS w(r, s)":                         "SELECT * FROM (SELECT k, n FROM a) AS w(r, s)",
		"WITH a AS (SELECT k FROM a), b AS (SELECT k FROM a) SELECT k FROM b":                  "SELECT k FROM (SELECT k FROM (SELECT k FROM a) AS a) AS b",
		"WITH v AS (SELECT k FROM a) SELECT k FROM (WITH v AS (SELECT k FROM b) FROM v) x, V":  "SELECT k FROM (SELECT * FROM (SELECT k FROM b) AS v) AS x, (SELECT k FROM a) AS v",
		"WITH v AS (SELECT k FROM a) SELECT k FROM v UNION ALL SELECT k FROM v":                "SELECT k FROM (SELECT k FROM a) AS v UNION ALL SELECT k FROM (SELECT k FROM a) AS v",
		"CREATE VIEW v AS SELECT k FROM a; CREATE VIEW w(x) AS FROM v; SELECT x FROM w":        "SELECT x FROM (SELECT * FROM (SELECT k FROM a) AS v) AS w(x)",
		"CREATE VIEW v AS FROM a; CREATE VIEW IF NOT EXISTS v AS FROM b; SELECT k FROM v":      "SELECT k FROM (SELECT * FROM a) AS v",
		"WITH v AS (FROM b) SELECT k FROM a WHERE n > 1 AND NOT EXISTS (FROM v WHERE k = a.k)": "SELECT k FROM a WHERE n > 1 AND NOT EXISTS (SELECT * FROM (SELECT * FROM b) AS v WHERE k = a.k)",
	} {
		got, err := statement(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		wanted, err := sql.Parse(want)
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		if g, w := sql.Format(got), sql.Format(wanted); g != w {
			t.Errorf("%s\ngot  %s\nwant %s", text, g, w)
		}
	}
	for text, want := range map[string]string{
		"CREATE TABLE t (k VARCHAR); SELECT k FROM t": "naive: not supported: CREATE TABLE", "SELECT k FROM a; SELECT k FROM a": "naive: not supported: SELECT k FROM a", "": "naive: not supported: no query",
	} {
		if _, err := statement(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// A row needs the declared time even where nothing takes it, and before WHERE.
func TestADeclaredTimeThatIsAbsentIsMalformed(t *testing.T) {
	q := Query{SQL: "SELECT k FROM t WHERE k = 'a'", Sources: []Source{{"t", "k VARCHAR, ts TIMESTAMP", 0, "TS"}}, Bounded: true, Skip: true}
	part := Partition{Topic: "t"}
	for i, v := range []string{`{"k":"a","ts":"2026-01-01"}`, `{"k":"b"}`, `{"k":"a","ts":null}`, `{"k":"b","ts":"2026-01-01"}`, `{"k":"a","ts":"1-1-1 00:00:00+01"}`, `{"k":"a","ts":"2025-01-01"}`} {
		part.Records = append(part.Records, Record{Position: int64(i), Value: []byte(v)})
	}
	res, err := Evaluate(q, []Partition{part})
	if err != nil {
		t.Fatal(err)
	}
	if l := res.Ledgers[0]; l.Malformed != 3 || l.FirstMalformed != 1 || l.Filtered != 1 || l.Used != 2 || l.Late != 0 {
		t.Errorf("%+v", l)
	}
}
