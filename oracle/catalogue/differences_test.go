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
	{``, `the engine gives FAULT true is out of range for DECIMAL\(5,5\)`, "1 has no place in the type"},
	{`epoch['(].*(tz|TZ|timezone|to_timestamp)`, `the engine gives "-?[0-9.e+-]*"`, "and so is all that has a TIMESTAMP WITH TIME ZONE"},
	{``, `DuckDB ".*-nan`, "NaN has no sign, as text too"},
	{``, `DuckDB (FAULT |refuses it \()Conversion Error: (Casting value|Could not cast value) .*DECIMAL\(38`, "Comparing a DECIMAL with a DECIMAL or HUGEINT never overflows"},
	{``, `the engine gives FAULT -?\d{39} is out of range for DECIMAL\(38`, "A HUGEINT of 39 digits beside a DECIMAL is an overflow in arithmetic"},
	{`round\(`, `rounded is out of range|the engine gives "-?\d{19,39}" ?, DuckDB "-?\d{19,39}"`, "`round` to tens of an integer never wraps"},
	{`NULL|CASE`, `the engine's type is (TINYINT|SMALLINT|INTEGER), DuckDB's (SMALLINT|INTEGER|BIGINT)$`, "An integer as written takes the narrower type"},
	{`%|mod\(`, `Overflow in division of -\d+ / -1`, "The remainder of the least integer by −1 is 0"},
	{`(substr|left|right)\(`, `DuckDB FAULT Out of Range Error: Substring`, "`substr` and `left` take any place and length"},
	{``, `the engine refuses it \(.*(out of range|outside|no such date|overflow|negative number|there is none|defined from|no code point|is empty|before the year|is not an? |does not fit )`, "What is constant is computed while planning"},
}

// liberties are disagreements on what is computed at all, which DuckDB does not promise: it computes all of AND and OR, and
// leaves out what is beside a NULL that is constant.
var liberties = []difference{
	{`chr\(`, `no code point, DuckDB NULL`, ""},
	{` (AND|OR) `, `DuckDB FAULT`, ""},
	{`(%|//) 0(\.0)?\)|mod\(.*, 0(\.0)?\)`, `the engine gives FAULT|the engine's type|the engine refuses`, ""},
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
