package sql

import (
	"fmt"
	"strings"
	"testing"
)

func TestInvalidUTF8IsAnErrorWhereverItStands(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT \xff": "query:1:8: error: byte 0xFF is not valid UTF-8\nSELECT \uFFFD\n       ^",
		"SELECT 'ü\xc3' FROM t": "query:1:10: error: byte 0xC3 is not valid UTF-8\n" +
			"SELECT 'ü\uFFFD' FROM t\n         ^",
		"SELECT '\uFFFD' -- \xed\xa0\x80": "query:1:15: error: byte 0xED is not valid UTF-8\n" +
			"SELECT '\uFFFD' -- \uFFFD\uFFFD\uFFFD\n              ^",
	} {
		_, err := Parse(text)
		if got := Describe(err, "query", text); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestAnErrorOfThePlannerPointsAtItsNode(t *testing.T) {
	const text = "SELECT merchnat\r\nFROM txns"
	s, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	column := s.(*Select).Items[0].Expr
	err = fmt.Errorf("plan: %w", Errorf(column, "no column %s", Format(column)).WithHint("did you mean %s?", Nearest("merchnat", []string{"merchant"})))
	const want = "query:1:8: error: no column merchnat\nSELECT merchnat\n       ^~~~~~~~\nhint: did you mean merchant?"
	if got := Describe(err, "query", text); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := err.Error(), "plan: no column merchnat; did you mean merchant?"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := Describe(fmt.Errorf("other"), "query", text); got != "other" {
		t.Errorf("got %s", got)
	}
}

func TestAnErrorOutsideItsTextRendersAtTheEnd(t *testing.T) {
	e := &Error{Pos: 100, End: 200, Msg: "far"}
	if got, want := e.Render("query", "ab\ncd"), "query:2:3: error: far\ncd\n  ^"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestFormatWritesThePartsOfATree(t *testing.T) {
	s, err := Parse(`SELECT CASE WHEN a THEN b END AS "x y" FROM t AS u(v) GROUP BY a, 2 ORDER BY a DESC`)
	if err != nil {
		t.Fatal(err)
	}
	q := s.(*Select)
	for n, want := range map[Node]string{
		q.GroupBy:                        "GROUP BY a, 2",
		q.From:                           "t AS u(v)",
		q.From.(*TableName).Alias:        "u(v)",
		*q.Items[0].Alias:                `"x y"`,
		&TypeName{Name: "DATE"}:          "DATE",
		q.Items[0]:                       `CASE WHEN a THEN b END AS "x y"`,
		q.OrderBy[0]:                     "a DESC",
		q.Items[0].Expr.(*Case).Whens[0]: "WHEN a THEN b",
	} {
		if got := Format(n); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestMarksStandBelowWhatTheyMark(t *testing.T) {
	for before, columns := range map[string]int{
		"abc": 3, "売上": 4, "🚀🚀": 4, "⏰": 2, "か\u3099": 2, "gro\u0308ß": 4, "\u1112\u1161\u11ab": 2, "\t": 4, "\u200b": 1, "…": 1,
	} {
		text := "'" + before + "' || nope"
		e := &Error{Pos: len(text) - 4, End: len(text), Msg: "no"}
		mark := strings.Split(e.Render("q", text), "\n")[2]
		if want := strings.Repeat(" ", columns+6) + "^~~~"; mark != want {
			t.Errorf("%q: the mark is %q, want %q", before, mark, want)
		}
	}
}
