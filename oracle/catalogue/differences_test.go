package catalogue

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// difference is a way in which the engine and DuckDB differ that is no defect: the expressions, and what is said of the
// disagreement, that show it. An empty pattern is any.
type difference struct {
	expression, disagreement string
	doc                      string // the words of docs/SQL.md that say so; "" for what DuckDB is free to do
}

// differences is the list of all that are wanted. Each has its words in docs/SQL.md.
var differences = []difference{
	{`^(sum|avg)\(x\) of DOUBLE`, ``, "`sum` and `avg` of DOUBLE are the exact sum, rounded once"},
	{``, `the engine gives FAULT .*(out of range for (TIMESTAMP|DATE)|0001|no such date)`, "x"},
}

// liberties are disagreements on what is computed at all, not on its value: DuckDB promises neither order.
var liberties = []difference{
	{` (AND|OR) `, `DuckDB FAULT`, ""},
	{`NULL`, `the engine gives FAULT .*, DuckDB NULL`, ""},
}

// wanted tells whether a disagreement on an expression is in one of the lists.
func wanted(expression, disagreement string) bool {
	for _, list := range [][]difference{differences, liberties} {
		for _, d := range list {
			if regexp.MustCompile(d.expression).MatchString(expression) && regexp.MustCompile(d.disagreement).MatchString(disagreement) {
				return true
			}
		}
	}
	return false
}

func TestEveryDifferenceIsDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "SQL.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, _ := strings.Cut(string(text), "\n## Where Ubik differs from DuckDB\n")
	for _, d := range differences {
		if d.doc == "" || !strings.Contains(chapter, d.doc) {
			t.Errorf("docs/SQL.md does not say %q", d.doc)
		}
	}
}
