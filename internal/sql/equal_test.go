package sql

import (
	"fmt"
	"strings"
	"testing"
)

func mustExpr(t *testing.T, text string) Expr {
	t.Helper()
	x, err := ParseExpr(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return x
}

func TestEqualIgnoresSpansCaseQuotesAndSpelling(t *testing.T) {
	for _, pair := range [][2]string{
		{"TUMBLE(event_time, INTERVAL 1 MINUTE)", `tumble ( "Event_Time" , INTERVAL '60 seconds')`},
		{"a == b AND c != d", "(A = B) AND (C <> D)"},
		{"CAST(x AS INT)", "x::integer"},
		{"EXTRACT(hour FROM ts)", "date_part('hour', ts)"},
		{"2 ** 3", "2 ^ 3"},
		{"a AND (b AND c)", "a AND b AND c"},
	} {
		if !Equal(mustExpr(t, pair[0]), mustExpr(t, pair[1])) {
			t.Errorf("%s differs from %s", pair[0], pair[1])
		}
	}
}

// Every two of these expressions differ.
func TestEqualTellsStructuresApart(t *testing.T) {
	texts := strings.Split(`a|b|a.b|(a).b|a[1]|1|1.0|'1'|'a'|'A'|TRUE|FALSE|NULL|INTERVAL 1 DAY|INTERVAL 24 HOURS|INTERVAL 1 MONTH
-a|+a|NOT a|a + b|a - b|b + a|a AND b|a OR b|a AND b AND c|a IS NULL|a IS NOT NULL|a IS TRUE|a IS FALSE|a IS NOT TRUE
a IN (1)|a NOT IN (1)|a IN (1, 2)|a IN (SELECT 1)|a BETWEEN 1 AND 2|a NOT BETWEEN 1 AND 2|a BETWEEN 1 AND 3
a LIKE b|a NOT LIKE b|a ILIKE b|a LIKE b ESCAPE c|CASE WHEN a THEN b END|CASE WHEN a THEN b ELSE c END|CASE a WHEN a THEN b END
a::INT|TRY_CAST(a AS INT)|a::BIGINT|a::DECIMAL(5,1)|a::DECIMAL(5,2)|a::INT[]|a::STRUCT(x INT)|a::STRUCT(y INT)
f()|f(*)|f(a)|f(DISTINCT a)|f(a, b)|f(a) FILTER (WHERE b)|f(a ORDER BY b)|f(a ORDER BY b DESC)|g(a)
(SELECT 1)|(SELECT 2)|EXISTS (SELECT 1)|(SELECT DISTINCT 1)|(SELECT 1 AS a)|(SELECT 1 FROM a)|(SELECT 1 FROM a b)|(SELECT 1 FROM 'a')
(SELECT 1 FROM a())|(SELECT 1 FROM (SELECT 1))|(SELECT 1 FROM a, b)|(SELECT 1 FROM a JOIN b ON c)|(SELECT 1 FROM a JOIN b USING (c))|(SELECT 1 FROM a LEFT JOIN b ON c)
(SELECT 1 WHERE a)|(SELECT 1 GROUP BY a)|(SELECT 1 GROUP BY ALL)|(SELECT 1 HAVING a)|(SELECT 1 ORDER BY a)|(SELECT 1 LIMIT 1)|(SELECT 1 OFFSET 1)
(SELECT 1 UNION SELECT 1)|(SELECT 1 UNION ALL SELECT 1)|(SELECT *)|(SELECT a.*)`, "|")
	texts = strings.Split(strings.ReplaceAll(strings.Join(texts, "|"), "\n", "|"), "|")
	exprs := make([]Expr, len(texts))
	for i, text := range texts {
		exprs[i] = mustExpr(t, text)
	}
	for i, a := range exprs {
		for j, b := range exprs {
			if Equal(a, b) != (i == j) {
				t.Errorf("Equal(%s, %s) is %v", texts[i], texts[j], i != j)
			}
		}
		if Equal(a, nil) || Equal(nil, a) {
			t.Errorf("%s equals nothing", texts[i])
		}
	}
	if !Equal(nil, nil) {
		t.Error("nothing does not equal nothing")
	}
}

func TestWalkVisitsEveryNodeInOrderOfTheText(t *testing.T) {
	s, err := Parse(`SELECT a, f(b ORDER BY c) FILTER (WHERE d), CASE e WHEN g THEN h ELSE i END
		FROM t JOIN (SELECT j) ON k CROSS JOIN fn(l) WHERE m IN (n, o) AND p IN (SELECT q) AND r BETWEEN s AND u
		AND v LIKE w ESCAPE x GROUP BY y HAVING EXISTS (SELECT z) ORDER BY aa::INT, -bb[cc].dd, (SELECT ee) IS NULL LIMIT ff OFFSET gg`)
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	Walk(s, func(n Node) bool {
		switch n := n.(type) {
		case *ColumnRef:
			seen = append(seen, n.Parts[0].Name)
		case *TableName:
			seen = append(seen, n.Parts[0].Name)
		}
		return true
	})
	const want = "a b c d e g h i t j k l m n o p q r s u v w x y z aa bb cc ee ff gg"
	if got := strings.Join(seen, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestWalkExprsStaysOutOfSubqueries(t *testing.T) {
	var seen []string
	WalkExprs(mustExpr(t, "a + (SELECT b) = c AND d IN (SELECT e)"), func(x Expr) bool {
		seen = append(seen, strings.TrimPrefix(fmt.Sprintf("%T", x), "*sql."))
		return true
	})
	if got, want := strings.Join(seen, " "), "Logic Binary Binary ColumnRef Subquery ColumnRef In ColumnRef"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
