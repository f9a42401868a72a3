package plan

import (
	"fmt"
	"strings"
	"testing"

	"ubik/internal/sql"
	"ubik/internal/vec"
)

// refusal is what a user reads of a query over t(a INTEGER, at TIMESTAMP, and more).
func refusal(t *testing.T, schema, query string) string {
	t.Helper()
	fields, err := Schema(schema)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Build(Request{
		Query:   query,
		Sources: []Source{{Name: "t", Log: "test t", Schema: fields, Format: "json", File: true, Bounded: true, Delay: vec.Forever}},
	})
	if err == nil {
		return ""
	}
	return sql.Describe(err, "query", query)
}

func TestAnAliasThatCannotStandThereIsTold(t *testing.T) {
	for query, want := range map[string]string{
		"SELECT a AS k, count(*) AS n FROM t GROUP BY k HAVING n > 1": "query:1:55: error: t has no column n\n" +
			"SELECT a AS k, count(*) AS n FROM t GROUP BY k HAVING n > 1\n" + strings.Repeat(" ", 54) + "^\n" +
			"hint: a name of the select list can be used in GROUP BY alone; write what it stands for: count(*)",
		"SELECT a * 2 AS d FROM t WHERE D > 1": "query:1:32: error: t has no column D\n" +
			"SELECT a * 2 AS d FROM t WHERE D > 1\n" + strings.Repeat(" ", 31) + "^\n" +
			"hint: a name of the select list can be used in GROUP BY alone; write what it stands for: a * 2",
		"SELECT a AS k, k + 1 AS e FROM t": "query:1:16: error: t has no column k\n" +
			"SELECT a AS k, k + 1 AS e FROM t\n" + strings.Repeat(" ", 15) + "^\n" +
			"hint: a name of the select list can be used in GROUP BY alone; write what it stands for: a",
		"SELECT kk + 1 AS kk FROM t": "query:1:8: error: t has no column kk\n" +
			"SELECT kk + 1 AS kk FROM t\n       ^~\n" +
			"hint: its columns are: a, at",
	} {
		if got := strings.TrimSpace(refusal(t, "a INTEGER, at TIMESTAMP", query)); got != want {
			t.Errorf("%s\n%s\nwant\n%s", query, got, want)
		}
	}
}

func TestOfManyColumnsSomeAreListed(t *testing.T) {
	var schema, names []string
	for i := range 500 {
		schema = append(schema, fmt.Sprintf("c%d INTEGER", i))
		names = append(names, fmt.Sprintf("c%d", i))
	}
	got := refusal(t, strings.Join(schema, ", "), "SELECT nothing FROM t")
	if want := "hint: its columns are: " + strings.Join(names[:20], ", ") + " and 480 more"; !strings.HasSuffix(strings.TrimSpace(got), want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	got = refusal(t, "s STRUCT("+strings.Join(schema, ", ")+")", "SELECT s.nothing FROM t")
	if want := "hint: its fields are: " + strings.Join(names[:20], ", ") + " and 480 more"; !strings.HasSuffix(strings.TrimSpace(got), want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
