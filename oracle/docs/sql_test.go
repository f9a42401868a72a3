package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ubik/oracle/duck"
)

func page(t *testing.T) string {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "SQL.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// value is the text of an expression as DuckDB casts it.
func value(t *testing.T, db *duck.DB, expression string) string {
	result, err := db.Query("SELECT (" + expression + ")::VARCHAR")
	if err != nil {
		t.Errorf("%s: %v", expression, err)
		return ""
	}
	if v := result.Rows[0][0]; v != nil {
		return v.(string)
	}
	return "NULL"
}

func TestDuckDBDiffersAsTheReferenceSays(t *testing.T) {
	db := duck.ForTest(t)
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]+) \\| ([^|]+) \\| [^|]+ \\|$")
	_, chapter, _ := strings.Cut(page(t), "\n## Where Ubik differs from DuckDB\n")
	found := rows.FindAllStringSubmatch(chapter, -1)
	if len(found) < 3 {
		t.Fatalf("docs/SQL.md has %d rows of differences", len(found))
	}
	for _, m := range found {
		expression, ubik, documented := strings.ReplaceAll(m[1], `\|`, "|"), m[2], m[3]
		if got := value(t, db, expression); got != documented {
			t.Errorf("%s: DuckDB gives %s, docs/SQL.md says %s", expression, got, documented)
		}
		if ubik == documented {
			t.Errorf("%s: no difference", expression)
		}
	}
}

func TestDuckDBAgreesWhereTheReferenceSaysSo(t *testing.T) {
	db := duck.ForTest(t)
	_, list, _ := strings.Cut(page(t), "\nThese are as in DuckDB,")
	list, _, _ = strings.Cut(list, "\n## ")
	found := regexp.MustCompile("(?m)^- `([^`]+)` is `([^`]+)`: ").FindAllStringSubmatch(list, -1)
	if len(found) < 3 {
		t.Fatalf("docs/SQL.md has %d rules shared with DuckDB", len(found))
	}
	for _, m := range found {
		if got := value(t, db, m[1]); got != m[2] {
			t.Errorf("%s: DuckDB gives %s, docs/SQL.md says %s", m[1], got, m[2])
		}
	}
}

// TestDuckDBTakesWhatTheReferenceRefuses runs the queries that only DuckDB takes, over an empty table of the columns they use.
func TestDuckDBTakesWhatTheReferenceRefuses(t *testing.T) {
	db := duck.ForTest(t)
	for _, statement := range []string{
		`CREATE TABLE txns (merchant VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP, n BIGINT, wait INTERVAL, j JSON)`,
		`CREATE MACRO TUMBLE(ts, size) AS time_bucket(size, ts)`,
	} {
		if err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	_, list, _ := strings.Cut(page(t), "\nDuckDB takes these queries, Ubik refuses them:\n")
	list, _, _ = strings.Cut(list, "\nFurther:")
	found := regexp.MustCompile("(?m)^- `([^`]+)` — ").FindAllStringSubmatch(list, -1)
	if len(found) < 3 {
		t.Fatalf("docs/SQL.md has %d refused queries", len(found))
	}
	for _, m := range found {
		if _, err := db.Query(m[1]); err != nil {
			t.Errorf("%v", err)
		}
	}
}
