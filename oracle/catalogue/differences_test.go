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

// differences is the list of all that are wanted.
var differences = []difference{
	{`^(sum|avg)\(x\) of DOUBLE`, ``, "`sum` and `avg` of DOUBLE are the exact sum, rounded once"},
	{``, `the engine gives FAULT .*(out of range for (TIMESTAMP|DATE)|outside the years|before the year 0001|within the years)`, "dates and times end with the years 0001 and 9999"},
	{`make_(date|timestamp)`, `no such date`, "hours end with 23, seconds before 60"},
	{`AS (DATE|TIMESTAMP|TIMESTAMPTZ|TIME)\)`, `the engine gives NULL`, "DuckDB reads the beginning of the text and overlooks the rest"},
	{`TRY_CAST\(.*varchar.* AS TIME\)`, ``, "that is a TIMESTAMP: cast it twice"},
	{`TRY_CAST\(.* AS (TINYINT|SMALLINT|INTEGER|BIGINT)\)`, `the engine gives NULL`, "in a text a number is decimal digits"},
	{``, `the engine gives FAULT true is out of range for DECIMAL\(5,5\)`, "1 has no place in the type"},
	{`(greatest|least)\(`, `INTERVAL|TIMESTAMP|DATE|VARCHAR`, "the order is that of <, for which a month is 30 days"},
	{`epoch\(.*(tz|TZ|timezone|to_timestamp)`, `e-0|9999`, "and so is all that has a TIMESTAMP WITH TIME ZONE"},
	{`(?i)tz|zone|to_timestamp`, `-00:00:00|23:59:59`, "and so is all that has a TIMESTAMP WITH TIME ZONE"},
	{``, `DuckDB FAULT Conversion Error: (Casting value|Could not cast value) .*DECIMAL\(38`, "Comparing a DECIMAL with a DECIMAL or HUGEINT never overflows"},
	{`%|mod\(`, `Overflow in division of -\d+ / -1`, "The remainder of the least integer by −1 is 0"},
	{`(substr|left|right)\(`, `DuckDB FAULT Out of Range Error: Substring`, "`substr` and `left` take any place and length"},
	{``, `the engine refuses it \(.*(out of range|no such date|overflow)`, "What is constant is computed while planning"},
}

// liberties are disagreements on what is computed at all, which DuckDB does not promise: it computes all of AND and OR, and
// leaves out what is beside a NULL that is constant.
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
