package sql

import (
	"fmt"
	"strings"
	"testing"
)

const wide = 100_000

func TestDeepNestingIsAnError(t *testing.T) {
	const want = "nested more than 200 levels deep"
	for name, text := range map[string]string{
		"parentheses":        "SELECT " + strings.Repeat("(", wide) + "a" + strings.Repeat(")", wide),
		"open parentheses":   "SELECT " + strings.Repeat("(", wide),
		"calls":              "SELECT " + strings.Repeat("f(", wide),
		"minus signs":        "SELECT " + strings.Repeat("- ", wide) + "a",
		"NOT":                "SELECT " + strings.Repeat("NOT ", wide) + "a",
		"CASE":               "SELECT " + strings.Repeat("CASE ", wide),
		"CAST":               "SELECT " + strings.Repeat("CAST(", wide),
		"index":              "SELECT " + strings.Repeat("a[", wide),
		"IN":                 "SELECT " + strings.Repeat("a IN (", wide),
		"INTERVAL":           "SELECT " + strings.Repeat("INTERVAL (", wide),
		"subqueries":         strings.Repeat("SELECT (", wide),
		"tables":             "SELECT * FROM " + strings.Repeat("(", wide) + "t" + strings.Repeat(")", wide),
		"subqueries in FROM": strings.Repeat("SELECT * FROM (", wide),
		"queries":            strings.Repeat("(", wide) + "SELECT 1" + strings.Repeat(")", wide),
		"types":              "SELECT a::" + strings.Repeat("STRUCT(a ", wide),
		"filters":            "SELECT " + strings.Repeat("f() FILTER (WHERE ", wide),
		"lists":              "SELECT " + strings.Repeat("[", wide),
		"WITH":               strings.Repeat("WITH a AS (", wide),
		"named arguments":    "FROM f(a = " + strings.Repeat("f(", wide),
		"table functions":    strings.Repeat("FROM f(a = (", wide),
	} {
		if _, err := Parse(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := ParseScript("SELECT 1;" + text); err == nil || err.Error() != want {
			t.Errorf("%s in a script: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"a computed column": "CREATE TABLE t (a AS " + strings.Repeat("(", wide),
		"a type":            "CREATE TABLE t (a " + strings.Repeat("STRUCT(a ", wide),
		"a watermark":       "CREATE TABLE t (WATERMARK FOR a AS " + strings.Repeat("(", wide),
		"a view":            "CREATE VIEW v AS " + strings.Repeat("(", wide),
		"an insert":         "INSERT INTO t " + strings.Repeat("(SELECT ", wide),
	} {
		if _, err := ParseScript(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNestingUpToTheLimitParsesAndFormats(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("(", 190) + "a" + strings.Repeat(")", 190),
		strings.Repeat("f(", 190) + "j ->> 'a' = 'b'" + strings.Repeat(")", 190),
		strings.Repeat("-(a + ", 90) + "a" + strings.Repeat(")", 90),
		strings.Repeat("(SELECT ", 90) + "1" + strings.Repeat(")", 90),
		strings.Repeat("[", 190) + "1" + strings.Repeat("]", 190),
		"(" + strings.Repeat("WITH a AS (", 190) + "SELECT 1" + strings.Repeat(") FROM a", 190) + ")",
		"(FROM f((a) = " + strings.Repeat("(", 190) + "1 + 1" + strings.Repeat(")", 190) + "))",
	} {
		x, err := ParseExpr(text)
		if err != nil {
			t.Errorf("%.40s…: %v", text, err)
			continue
		}
		if err := checkStable(x, Format(x)); err != nil {
			t.Errorf("%.40s…: %v", text, err)
		}
	}
}

func TestFlatChainsOfAMegabyteParse(t *testing.T) {
	for name, text := range map[string]string{
		"AND":         "SELECT a" + strings.Repeat(" AND a = 1", wide),
		"OR":          "SELECT a" + strings.Repeat(" OR a < 10", wide),
		"IN list":     "SELECT a IN (1" + strings.Repeat(", 1234567", wide) + ")",
		"CASE":        "SELECT CASE " + strings.Repeat("WHEN a THEN 1 ", wide) + "END",
		"arguments":   "SELECT f(1" + strings.Repeat(", 1234567", wide) + ")",
		"select list": "SELECT a" + strings.Repeat(", abc + 1", wide),
		"UNION ALL":   "SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", wide),
		"a name":      "SELECT " + strings.Repeat("abcdefghij", wide),
		"a string":    "SELECT '" + strings.Repeat("it''s long", wide) + "'",
		"a number":    "SELECT " + strings.Repeat("1234567890", wide),
		"comments":    "SELECT 1" + strings.Repeat("/* /**/ */", wide),
	} {
		s, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := checkStable(s, Format(s)); err != nil {
			t.Errorf("%s: %.200s", name, err)
		}
	}
}

func TestScriptsOfAMegabyteParse(t *testing.T) {
	var columns, options, named, keys strings.Builder
	for i := range wide {
		fmt.Fprintf(&columns, ", c%d INT", i)
		fmt.Fprintf(&options, ", 'o%d' = %d", i, i)
		fmt.Fprintf(&named, ", n%d = %d", i, i)
		fmt.Fprintf(&keys, ", k%d", i)
	}
	for name, text := range map[string]string{
		"statements": strings.Repeat("SELECT a + b + c FROM t;", wide),
		"semicolons": strings.Repeat("; ", wide),
		"columns":    "CREATE TABLE t (a INT" + columns.String() + ")",
		"options":    "CREATE TABLE t WITH (a = 1" + options.String() + ")",
		"keys":       "CREATE TABLE t (PRIMARY KEY (a" + keys.String() + "))",
		"arguments":  "FROM f(a = 1" + named.String() + ")",
		"list":       "SELECT [1" + strings.Repeat(", 1234567", wide) + "]",
		"tables":     "WITH a AS (SELECT 1)" + strings.ReplaceAll(keys.String(), ",", " AS (SELECT 1),")[len(" AS (SELECT 1)"):] + " AS (SELECT 1) FROM a",
	} {
		list, err := ParseScript(text)
		if err == nil {
			err = checkStableScript(list)
		}
		if err != nil {
			t.Errorf("%s: %.200s", name, err)
		}
	}
}

func TestLongChainsThatDeepenTheTreeAreAnError(t *testing.T) {
	const want = "more than 10000 operators in chains; AND, OR, IN lists and CASE arms may be of any length"
	for name, text := range map[string]string{
		"plus":         "SELECT a" + strings.Repeat(" + 1", wide),
		"casts":        "SELECT a" + strings.Repeat("::INT", wide),
		"indexes":      "SELECT a" + strings.Repeat("[1]", wide),
		"fields":       "SELECT f()" + strings.Repeat(".a", wide),
		"IS NULL":      "SELECT a" + strings.Repeat(" IS NULL", wide),
		"IN":           "SELECT a" + strings.Repeat(" IN (1)", wide),
		"arrows":       "SELECT a" + strings.Repeat("->'b'", wide),
		"joins":        "SELECT * FROM a" + strings.Repeat(" CROSS JOIN b", wide),
		"commas":       "SELECT * FROM a" + strings.Repeat(", b", wide),
		"lists":        "SELECT a::INT" + strings.Repeat("[]", wide),
		"UNION by two": "SELECT 1" + strings.Repeat(" UNION ALL SELECT 1 UNION SELECT 1", wide),
	} {
		if _, err := Parse(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Parse("SELECT a" + strings.Repeat(" + 1", 9_000)); err != nil {
		t.Error(err)
	}
}

func TestAnErrorFarInALongLineIsShownShort(t *testing.T) {
	text := "SELECT " + strings.Repeat("a, ", wide) + "b c d" + strings.Repeat(", e", wide)
	_, err := Parse(text)
	const want = `query:1:300012: error: expected end of query, found d
… , a, a, a, a, a, a, a, a, a, b c d, e, e, e, e, e, e, e, e, e, e, e, e, e, e, e, e, e, e, e, e, e, e …
                                   ^`
	if got := Describe(err, "query", text); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
