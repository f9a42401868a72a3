package csvrec

import (
	"strings"
	"testing"
)

// A dialect is guessed from exactly 1,000 records: columns are what at least half of them have.
func TestADialectIsGuessedFromAThousandRecords(t *testing.T) {
	file := "1,2\n" + strings.Repeat("x\n", 500) + strings.Repeat("1,2\n", 499)
	for _, c := range []struct {
		what, file string
		columns    int
	}{
		{"the thousandth is the 500th with two fields", file, 2},
		{"what is behind does not count", file + strings.Repeat("x\n", 5000), 2},
		{"the thousandth has one field", strings.TrimSuffix(file, "1,2\n") + "x\n1,2\n1,2\n", 1},
		{"empty lines are no records", strings.ReplaceAll(file, "x\n", "\n\r\nx\n") + "x\n", 2},
	} {
		for _, whole := range []bool{true, false} {
			if d, err := Sniff([]byte(c.file), whole); err != nil || len(d.Names) != c.columns {
				t.Errorf("%s: %q, %v; want %d columns", c.what, d.Names, err, c.columns)
			}
		}
	}
}

func TestAGivenQuoteIsEscapedByItselfUnlessAnEscapeIsGiven(t *testing.T) {
	one := func(c byte) *byte { return &c }
	for _, c := range []struct {
		given Given
		want  string
	}{
		{Given{}, `delimiter ',', quote '"', escape '\\', no header`},
		{Given{Quote: one('\'')}, `delimiter ',', quote '\'', no header`},
		{Given{Quote: one('"')}, `delimiter ',', quote '"', escape '\\', no header`}, // the same one
		{Given{Quote: one('\''), Escape: one('\\')}, `delimiter ',', quote '\'', escape '\\', no header`},
		{Given{Escape: one('^')}, `delimiter ',', quote '"', escape '^', no header`},
		{Given{Quote: one(0)}, `delimiter ',', no quotes, no header`},
	} {
		d := Dialect{Delimiter: ',', Quote: '"', Escape: '\\'}
		c.given.Over(&d)
		if got := d.String(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.given, got, c.want)
		}
		if d.Quote == 0 && d.Escape != 0 {
			t.Errorf("%+v: there is nothing to escape, but by %q", c.given, d.Escape)
		}
	}
}
