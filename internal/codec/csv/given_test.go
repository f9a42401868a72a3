package csvrec

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func said(c byte) *byte { return &c }

func yes(b bool) *bool { return &b }

func word(s string) *string { return &s }

func TestWhatIsGivenRestrictsWhatIsFound(t *testing.T) {
	for _, c := range []struct {
		file  string
		given Given
		want  string
	}{
		{"a b\n\"x y\" 1\n\"\" 2\n", Given{Delimiter: said(' ')}, `delimiter ' ', quote '"', header [a b]`},
		{"a b\n\"x y\" 1\n\"\" 2\n", Given{Delimiter: said(' '), Header: yes(true)}, `delimiter ' ', quote '"', header [a b]`},
		{"a:b\n'x:y':1\n'z':2\n", Given{Delimiter: said(':')}, `delimiter ':', quote '\'', header [a b]`},
		{"a^b\n\"x\\\"^y\"^1\nz^2\n", Given{Delimiter: said('^')}, `delimiter '^', quote '"', escape '\\', header [a b]`},
		{"a;b\n%x;y%;1\n%z%%%;2\n", Given{Quote: said('%')}, `delimiter ';', quote '%', header [a b]`},
		{"a;b\n%x\\%;y%;1\n%z%;2\n", Given{Quote: said('%')}, `delimiter ';', quote '%', escape '\\', header [a b]`},
		{"a|b\n\"x~\"|y\"|1\nz|2\n", Given{Escape: said('~')}, `delimiter '|', quote '"', escape '~', header [a b]`},
		{"id;name\n1;'a'\n2;'b;c'\n", Given{Escape: said('\\')}, `delimiter ';', quote '\'', escape '\\', header [id name]`},
		{"id;name\n1;'a'\n2;'b;c'\n", Given{Escape: said('"')}, `delimiter ';', quote '\'', escape '"', header [id name]`},
		{"a|b\n'x~'|y'|1\nz|2\n", Given{Escape: said('~')}, `delimiter '|', quote '\'', escape '~', header [a b]`},
		{"a,b\n\"x,1\nz,\"2\n", Given{Quote: said(0)}, `delimiter ',', no quotes, header [a b]`},
		{"1;2\n3;4\n", Given{Header: yes(true)}, `delimiter ';', quote '"', header [1 2]`},
		{"a;b\n3;4\n", Given{Header: yes(false)}, `delimiter ';', quote '"', no header [column0 column1]`},
		{"a;b\n3;4\n", Given{Delimiter: said(','), Header: yes(true)}, `delimiter ',', quote '"', header [a;b]`},
		{"a;b\n'x;y';4\n", Given{Delimiter: said(';'), Quote: said('\''), Escape: said('\''), Header: yes(true), Null: word("-")}, `delimiter ';', quote '\'', header, NULL is "-" [a b]`},
		{"a,n\nx,NA\ny,7\n", Given{Null: word("NA")}, `delimiter ',', quote '"', header, NULL is "NA" [a n]`},
		{"1,x,y\n1,2\n1,2,3,4\n", Given{Delimiter: said(',')}, `delimiter ',', quote '"', no header [column0 column1 column2]`},
		{"name,2024,2025\nAnn,1,2\nBob,3,4\n", Given{Columns: []string{"name", "2024", "2025"}}, `delimiter ',', quote '"', header [name 2024 2025]`},
		{"word;lang\nhello;en\nword;en\n", Given{Columns: []string{"lang"}}, `delimiter ';', quote '"', header [word lang]`},
		{"word;lang\nhello;en\nword;en\n", Given{Columns: []string{"Lang"}}, `delimiter ';', quote '"', no header [column0 column1]`},
		{"word;lang\nhello;en\nword;en\n", Given{Columns: []string{"lang"}, Header: yes(false)}, `delimiter ';', quote '"', no header [column0 column1]`},
		{"sep=;\n1;2\n", Given{Header: yes(false)}, `delimiter ';', quote '"', no header [column0 column1]`},
		{"a\x00,b\n1,2\n", Given{Delimiter: said(','), Header: yes(true)}, `delimiter ',', quote '"', header [a` + "\x00" + ` b]`},
	} {
		d, err := c.given.Sniff([]byte(c.file), true)
		if got := fmt.Sprint(d, " ", d.Names); err != nil || got != c.want {
			t.Errorf("%q: %s, %v\nwant %s", c.file, got, err, c.want)
		}
	}
}

// Whatever is written in a dialect is found again when any part of the dialect is given.
func TestAnyPartOfADialectFindsTheRest(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 3))
		want := Dialect{Delimiter: ",;\t|"[rng.IntN(4)], Quote: "\"'"[rng.IntN(2)], Header: rng.IntN(2) == 0}
		want.Escape = []byte{want.Quote, '\\'}[rng.IntN(2)]
		g := Given{}
		if rng.IntN(2) == 0 {
			g.Delimiter = said(want.Delimiter)
		}
		if rng.IntN(2) == 0 {
			if g.Delimiter != nil {
				want.Delimiter = " :^"[rng.IntN(3)]
				g.Delimiter = said(want.Delimiter)
			}
			g.Quote = said(want.Quote)
		}
		if rng.IntN(2) == 0 {
			g.Escape = said(want.Escape)
		}
		if rng.IntN(2) == 0 {
			g.Header = yes(want.Header)
		}
		quoted := func(s string) string {
			return string(rune(want.Quote)) + s + string(rune(want.Quote))
		}
		delimiter, escaped := string(rune(want.Delimiter)), string(rune(want.Escape))+string(rune(want.Quote))
		file := ""
		if want.Header {
			file = "name" + delimiter + "n\n"
		}
		for i := range 5 + rng.IntN(5) {
			file += quoted(fmt.Sprintf("x%s%s%d", escaped, delimiter, i)) + delimiter + fmt.Sprint(i) + "\n"
		}
		d, err := g.Sniff([]byte(file), true)
		want.Names = d.Names
		if err != nil || d.String() != want.String() {
			t.Errorf("seed %d: %q given %+v: %s, %v\nwant %s", seed, file, g, d, err, want)
		}
	}
}

func TestATableThatBeginsFurtherDownIsToldWithItsPlace(t *testing.T) {
	for _, c := range []struct {
		file, given string
		want        string
		at          string // what is at the offset
	}{
		{"Report 2026\n\na,b\n1,2\n3,4\n", "", "the first record has 1 field, but 3 of the first 4 have 2 fields", "a,b\n1,2\n3,4\n"},
		{"Report 2026\n\na,b\n1,2\n3,4\n", "header", "the first record has 1 field, but 3 of the first 4 have 2 fields", "a,b\n1,2\n3,4\n"},
		{"\uFEFFReport \"x\"\r\n\r\na,b\r\n1,2\r\n3,4\r\n", "", "the first record is malformed (byte 7: a quote in a field that does not begin with one, at \"x\"), but 3 of the first 4 have 2 fields", "a,b\r\n1,2\r\n3,4\r\n"},
		{"a;b\n1;2;\n3;4;\n", "header", "the first record has 2 fields, but 2 of the first 3 have 3 fields", "1;2;\n3;4;\n"},
		{"sep=;\na;b\n1;2\n", "", "the first line, sep=;, tells spreadsheets the delimiter, and is no record", "a;b\n1;2\n"},
		{"\uFEFF\"sep=,\"\r\na,b\r\n", "", "the first line, sep=,, tells spreadsheets the delimiter, and is no record", "a,b\r\n"},
		{"SEP=|", "header", "the first line, SEP=|, tells spreadsheets the delimiter, and is no record", ""},
	} {
		g := Given{}
		if c.given == "header" {
			g.Header = yes(true)
		}
		_, err := g.Sniff([]byte(c.file), true)
		var head *HeadError
		if !errors.As(err, &head) || head.Error() != c.want || c.file[head.Offset:] != c.at || head.Sep != strings.Contains(c.want, "spreadsheets") {
			t.Errorf("%q: %v %+v\nwant %s", c.file, err, head, c.want)
		}
		g.Header = yes(false)
		if d, err := g.Sniff([]byte(c.file), true); err != nil || d.Header {
			t.Errorf("%q without a header: %v, %v", c.file, d, err)
		}
	}
	for _, file := range []string{"sep=\n1\n", "sep=;;\n1\n", "separator;x\n1;2\n", "a,b\n", "a,b\n1,2,3\n", "a,b\n1,2\n1,2,3\n1,2,3\n1,2,3\n"} {
		if _, err := (Given{Header: yes(true)}).Sniff([]byte(file), true); err != nil {
			t.Errorf("%q: %v", file, err)
		}
	}
}
