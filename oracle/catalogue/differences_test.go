package catalogue

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// difference is a kind of expressions that the engine understands otherwise than DuckDB, on purpose.
type difference struct {
	of  *regexp.Regexp // the expressions
	doc string         // the words of docs/SQL.md that say so
}

// differences is the list of them.
var differences = []difference{
	{regexp.MustCompile(`^(sum|avg)\(x\) of DOUBLE`), "`sum` and `avg` of DOUBLE are the exact sum, rounded once"},
}

// wanted tells whether a difference of an expression is on purpose.
func wanted(list []difference, expression string) bool {
	for _, d := range list {
		if d.of.MatchString(expression) {
			return true
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
		if !strings.Contains(chapter, d.doc) {
			t.Errorf("docs/SQL.md does not say: %s", d.doc)
		}
	}
}
