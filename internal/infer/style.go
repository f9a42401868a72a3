package infer

import (
	"bytes"
	"strings"
)

// styles is a set of spellings, of numbers and dates, that no cast reads.
type styles uint16

const (
	styleComma      styles = 1 << iota // 1,234.5
	stylePoint                         // 1.234,5 and 12,5
	styleApostrophe                    // 1'234.5
	styleSpace                         // 1 234,5
	styleSpacePoint                    // 1 234.5
	styleDayDot                        // 31.12.2026
	styleDaySlash                      // 31/12/2026
	styleMonthSlash                    // 12/31/2026
	styleDayDash                       // 31-12-2026
	stylesAll       = 1<<iota - 1
)

// numberStyles are the spellings of numbers: the separator of thousands and the decimal mark.
var numberStyles = [...]struct {
	style       styles
	group, mark byte
	name        string
}{
	{styleComma, ',', '.', "separated thousands"},
	{stylePoint, '.', ',', "decimal commas"},
	{styleApostrophe, '\'', '.', "separated thousands"},
	{styleSpace, ' ', ',', "decimal commas"},
	{styleSpacePoint, ' ', '.', "separated thousands"},
}

// dateStyles are the spellings of dates: the separator, and whether the day comes first.
var dateStyles = [...]struct {
	style    styles
	sep      byte
	dayFirst bool
	name     string
}{
	{styleDayDot, '.', true, "dates with the day first"},
	{styleDaySlash, '/', true, "dates with the day first"},
	{styleMonthSlash, '/', false, "dates with the month first"},
	{styleDayDash, '-', true, "dates with the day first"},
}

// notStyles returns the spellings that a text is not of.
func notStyles(text []byte) styles {
	b := trimBlanks(text)
	if len(b) == 0 || len(b) > 64 {
		return stylesAll
	}
	not := styles(0)
	for _, s := range numberStyles {
		if !isGrouped(b, s.group, s.mark) {
			not |= s.style
		}
	}
	for _, s := range dateStyles {
		if !isDate(b, s.sep, s.dayFirst) {
			not |= s.style
		}
	}
	return not
}

// isGrouped reports whether b is a number whose thousands are separated by group, all of them or none, with a decimal
// mark.
func isGrouped(b []byte, group, mark byte) bool {
	if b[0] == '-' || b[0] == '+' {
		b = b[1:]
	}
	n := digits(b)
	if n == 0 {
		return false
	}
	first := n
	b = b[n:]
	for groups := 0; len(b) > 0 && b[0] == group; groups++ {
		if digits(b[1:]) != 3 || groups == 0 && first > 3 {
			return false
		}
		b = b[4:]
	}
	if len(b) > 0 && b[0] == mark {
		n = digits(b[1:])
		b = b[1+n:]
		return n > 0 && len(b) == 0
	}
	return len(b) == 0
}

// isDate reports whether b begins with a day, a month and a year of four digits, with nothing or a blank behind it.
func isDate(b []byte, sep byte, dayFirst bool) bool {
	var part [2]int
	for i := range part {
		n := digits(b)
		if n < 1 || n > 2 || len(b) == n || b[n] != sep {
			return false
		}
		for _, c := range b[:n] {
			part[i] = part[i]*10 + int(c-'0')
		}
		b = b[n+1:]
	}
	day, month := part[0], part[1]
	if !dayFirst {
		day, month = month, day
	}
	if day < 1 || day > 31 || month < 1 || month > 12 || digits(b) != 4 {
		return false
	}
	b = b[4:]
	return len(b) == 0 || b[0] == ' ' && bytes.IndexByte(b, ':') > 0
}

// castOf returns what texts of the spellings can have in common and the expression that reads them, "" without any.
// column is the column as SQL writes it.
func castOf(can styles, column string) (name, cast string) {
	for _, s := range numberStyles {
		if can&s.style == 0 {
			continue
		}
		x := "replace(" + column + ", " + literal(s.group) + ", '')"
		if s.mark != '.' {
			x = "replace(" + x + ", " + literal(s.mark) + ", '.')"
		}
		name = s.name
		if can&(styleComma|stylePoint) == styleComma|stylePoint {
			name = "separated thousands or decimal commas, which the sample does not tell"
		}
		return name, "CAST(" + x + " AS DOUBLE)"
	}
	for _, s := range dateStyles {
		if can&s.style == 0 {
			continue
		}
		name = s.name
		if can&(styleDaySlash|styleMonthSlash) == styleDaySlash|styleMonthSlash {
			name = "dates with the day or the month first, which the sample does not tell"
		}
		sep, order := string(s.sep), `\3-\2-\1`
		if s.sep == '.' {
			sep = `\.`
		}
		if !s.dayFirst {
			order = `\3-\1-\2`
		}
		pattern := `^ *(\d+)` + sep + `(\d+)` + sep + `(\d+)`
		return name, "CAST(regexp_replace(" + column + ", '" + pattern + "', '" + order + "') AS TIMESTAMP)"
	}
	return "", ""
}

func literal(c byte) string { return "'" + strings.ReplaceAll(string(c), "'", "''") + "'" }
