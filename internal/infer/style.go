package infer

import (
	"bytes"
	"strconv"
	"strings"

	"ubik/internal/expr"
)

// styles is a set of spellings, of numbers and dates, that no cast reads by itself. The first bits are those of
// numberStyles; behind them are, of each of dateStyles, those of clocks; then those of timeFormats.
type styles uint64

const (
	styleComma styles = 1 << iota // 1,234.5
	stylePoint                    // 1.234,5 and 12,5

	stylesAll = 1<<(len(numberStyles)+len(dateStyles)*len(clocks)+len(timeFormats)) - 1
)

// numberStyles are the spellings of numbers: the separator of thousands and the decimal mark.
var numberStyles = [...]struct {
	group, mark byte
	name        string
}{
	{',', '.', "separated thousands"},
	{'.', ',', "decimal commas"},
	{'\'', '.', "separated thousands"},
	{' ', ',', "decimal commas"},
	{' ', '.', "separated thousands"},
}

// units are what may stand before or behind an amount.
var units = [...]string{"$", "€", "£", "¥", "EUR", "USD", "GBP", "CHF"}

// dateStyle is a spelling of dates: the separator, whether the day comes first, and how many digits the year has behind it. Of
// two digits it is one from 2000 to 2068, as strptime has it.
type dateStyle struct {
	sep      byte
	dayFirst bool
	year     int
	name     string
}

// dateStyles are the spellings of dates; where the day and the month may change places, one behind the other.
var dateStyles = [...]dateStyle{
	{'.', true, 4, "dates with the day first"},
	{'/', true, 4, "dates with the day first"},
	{'/', false, 4, "dates with the month first"},
	{'-', true, 4, "dates with the day first"},
	{'.', true, 2, "dates with the day first and years of two digits"},
	{'/', true, 2, "dates with the day first and years of two digits"},
	{'/', false, 2, "dates with the month first and years of two digits"},
	{'-', true, 2, "dates with the day first and years of two digits"},
}

// clocks are what follows a date: what a cast reads, or nothing; or twelve hours, in a format of strptime.
var clocks = [...]string{"", " %I:%M %p", " %I:%M:%S %p", " %I:%M%p", " %I:%M:%S%p"}

// timeFormats are the other spellings of times, as strptime reads them; where the day and the month may change places, one
// behind the other.
var timeFormats = [...]struct{ format, name string }{
	{"%d.%m.%Y %H:%M:%S %z", "times with the day first and an offset"},
	{"%d/%m/%Y %H:%M:%S %z", "times with the day first and an offset"},
	{"%m/%d/%Y %H:%M:%S %z", "times with the month first and an offset"},
	{"%d-%m-%Y %H:%M:%S %z", "times with the day first and an offset"},
	{"%Y-%m-%d %H:%M:%S %z", "times with a blank before the offset"},
	{"%Y-%m-%d %H:%M:%S.%f %z", "times with a blank before the offset"},
	{"%d/%b/%Y:%H:%M:%S %z", "times of a web log"},
	{"%a, %d %b %Y %H:%M:%S %z", "times of mail"},
	{"%a %b %d %H:%M:%S %Y", "times with names of days and months"},
	{"%d %b %Y %H:%M:%S", "times with names of months"},
	{"%d-%b-%Y %H:%M:%S", "times with names of months"},
	{"%d %b %Y", "dates with names of months"},
	{"%d-%b-%Y", "dates with names of months"},
	{"%b %d, %Y", "dates with names of months"},
}

// timeReaders read what timeFormats are.
var timeReaders = func() (out [len(timeFormats)]func([]byte) (int64, bool)) {
	for i, f := range timeFormats {
		var err error
		if out[i], err = expr.TimeReader(f.format); err != nil {
			panic("infer: " + err.Error())
		}
	}
	return out
}()

func numberStyle(i int) styles { return 1 << i }

func dateBit(i, clock int) styles { return 1 << (len(numberStyles) + i*len(clocks) + clock) }

func formatBit(i int) styles { return 1 << (len(numberStyles) + len(dateStyles)*len(clocks) + i) }

// spelling is what the numbers and texts of one place have in common.
type spelling struct {
	not   styles                 // spellings that one of them is not of
	units uint8                  // that some of them have
	whole [len(numberStyles)]int // the most digits before the mark, by each spelling
	scale [len(numberStyles)]int // and behind it
}

// add takes another number or text.
func (s *spelling) add(text []byte) {
	if s.not == stylesAll {
		return
	}
	if len(text) > 64 {
		s.not = stylesAll
		return
	}
	amount, unit := withoutUnit(text)
	s.units |= unit
	amount = trimBlanks(amount)
	for i, style := range numberStyles {
		whole, scale, ok := isGrouped(amount, style.group, style.mark)
		if !ok {
			s.not |= numberStyle(i)
		}
		s.whole[i], s.scale[i] = max(s.whole[i], whole), max(s.scale[i], scale)
	}
	for i, style := range dateStyles {
		fits := style.clockOf(text)
		for clock := range clocks {
			if clock != fits {
				s.not |= dateBit(i, clock)
			}
		}
	}
	for i, reads := range timeReaders {
		if s.not&formatBit(i) != 0 {
			continue
		}
		if us, ok := reads(text); !ok || us < yearThousand { // a year of two digits is none of the first century
			s.not |= formatBit(i)
		}
	}
}

func (s *spelling) merge(u *spelling) {
	s.not |= u.not
	s.units |= u.units
	for i := range numberStyles {
		s.whole[i], s.scale[i] = max(s.whole[i], u.whole[i]), max(s.scale[i], u.scale[i])
	}
}

// withoutUnit takes a unit away that stands before an amount, before or behind its sign, or behind it; and tells which.
func withoutUnit(text []byte) ([]byte, uint8) {
	for i, unit := range units {
		at := bytes.Index(text, []byte(unit))
		if at < 0 {
			continue
		}
		before, behind := text[:at], text[at+len(unit):]
		if b := trimBlanks(before); len(trimBlanks(behind)) > 0 && len(b) > 0 && string(b) != "-" && string(b) != "+" {
			return text, 0
		}
		return append(append([]byte{}, before...), behind...), 1 << i
	}
	return text, 0
}

// isGrouped reports whether b is a number whose thousands are separated by group, all of them or none, with a decimal
// mark; and how many digits it has before and behind that.
func isGrouped(b []byte, group, mark byte) (whole, scale int, ok bool) {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	n := digits(b)
	if n == 0 {
		return 0, 0, false
	}
	whole = n
	b = b[n:]
	for groups := 0; len(b) > 0 && b[0] == group; groups++ {
		if digits(b[1:]) != 3 || groups == 0 && whole > 3 {
			return whole, 0, false
		}
		whole += 3
		b = b[4:]
	}
	if len(b) > 0 && b[0] == mark {
		scale = digits(b[1:])
		return whole, scale, scale > 0 && len(b) == 1+scale
	}
	return whole, 0, len(b) == 0
}

// clockOf returns which of clocks follows the date that b begins with; −1: it does not begin so, the day is none, or
// something else follows.
func (s *dateStyle) clockOf(b []byte) int {
	for len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	var part [2][]byte
	for i := range part {
		n := digits(b)
		if n < 1 || n > 2 || len(b) == n || b[n] != s.sep {
			return -1
		}
		part[i], b = b[:n], b[n+1:]
	}
	if digits(b) != s.year {
		return -1
	}
	if s.dayFirst {
		part[0], part[1] = part[1], part[0]
	}
	var century []byte
	if s.year == 2 {
		if string(b[:2]) > "68" {
			return -1
		}
		century = []byte("20")
	}
	date := append(append(append(append(append(century, b[:s.year]...), '-'), part[0]...), '-'), part[1]...)
	b = b[s.year:]
	if _, ok := expr.ParseTimestamp(append(date, b...)); ok {
		return 0
	}
	if _, ok := expr.ParseTimestamp(date); !ok {
		return -1
	}
	return halfDay(b)
}

// halfDay returns which of clocks a time of day of twelve hours is, with the blank before it; −1: none.
func halfDay(b []byte) int {
	take := func(low, high, least int) bool {
		n, value := digits(b), 0
		if n < least || n > 2 {
			return false
		}
		for _, c := range b[:n] {
			value = value*10 + int(c-'0')
		}
		b = b[n:]
		return value >= low && value <= high
	}
	sign := func(c byte) bool {
		ok := len(b) > 0 && b[0] == c
		if ok {
			b = b[1:]
		}
		return ok
	}
	clock := 1
	if !sign(' ') || !take(1, 12, 1) || !sign(':') || !take(0, 59, 2) {
		return -1
	}
	if sign(':') {
		if clock++; !take(0, 59, 2) {
			return -1
		}
	}
	if !sign(' ') {
		clock += 2
	}
	if half := strings.ToUpper(string(b)); half != "AM" && half != "PM" {
		return -1
	}
	return clock
}

// advice is what the texts have in common and the expression that reads every one of them, "" without any, and whether as
// times. column is the column as SQL writes it.
func (s *spelling) advice(column string) (name, reads string, times bool) {
	can := stylesAll &^ s.not
	for i, style := range numberStyles {
		if can&numberStyle(i) == 0 {
			continue
		}
		x := column
		for u, unit := range units {
			if s.units&(1<<u) != 0 {
				x = "replace(" + x + ", '" + unit + "', '')"
			}
		}
		x = "replace(" + x + ", " + literal(style.group) + ", '')"
		if style.mark != '.' {
			x = "replace(" + x + ", " + literal(style.mark) + ", '.')"
		}
		name = style.name
		switch {
		case can&(styleComma|stylePoint) == styleComma|stylePoint && s.scale[0] != s.scale[1]:
			name = "separated thousands or decimal commas, which the sample does not tell"
		case s.units != 0:
			name = "amounts with a currency"
		}
		return name, "CAST(" + x + " AS " + decimalFor(s.whole[i], s.scale[i]) + ")", false
	}
	for i, style := range dateStyles {
		for clock, format := range clocks {
			if can&dateBit(i, clock) == 0 {
				continue
			}
			name = style.name
			if i+1 < len(dateStyles) && !dateStyles[i+1].dayFirst && can&dateBit(i+1, clock) != 0 {
				name = strings.Replace(name, "the day first", "the day or the month first", 1) + ", which the sample does not tell"
			}
			return name, style.reader(column, format), true
		}
	}
	for i, f := range timeFormats {
		if can&formatBit(i) == 0 {
			continue
		}
		name = f.name
		if i+1 < len(timeFormats) && can&formatBit(i+1) != 0 {
			name = strings.Replace(name, "the day first", "the day or the month first", 1) + ", which the sample does not tell"
		}
		return name, "strptime(" + column + ", '" + f.format + "')", true
	}
	return "", "", false
}

// reader is the expression that reads dates with a clock.
func (s *dateStyle) reader(column, clock string) string {
	sep, year, century := string(s.sep), "%Y", ""
	if s.year == 2 {
		year, century = "%y", "20"
	}
	if clock != "" {
		order := "%m" + sep + "%d"
		if s.dayFirst {
			order = "%d" + sep + "%m"
		}
		return "strptime(" + column + ", '" + order + sep + year + clock + "')"
	}
	mark, order := sep, century+`\3-\2-\1`
	if s.sep == '.' {
		mark = `\.`
	}
	if !s.dayFirst {
		order = century + `\3-\1-\2`
	}
	pattern := `^ *(\d+)` + mark + `(\d+)` + mark + `(\d+)`
	return "CAST(regexp_replace(" + column + ", '" + pattern + "', '" + order + "') AS TIMESTAMP)"
}

// decimalFor is a type that keeps amounts of so many digits before and behind the point, as many of them as there are; DOUBLE
// where none does, or that many digits are no amount.
func decimalFor(whole, scale int) string {
	scale = max(scale, 2)
	switch {
	case scale > 10 || whole+scale > 38:
		return "DOUBLE"
	case whole+scale > 18:
		return "DECIMAL(38," + strconv.Itoa(scale) + ")"
	}
	return "DECIMAL(18," + strconv.Itoa(scale) + ")"
}

func literal(c byte) string { return "'" + strings.ReplaceAll(string(c), "'", "''") + "'" }
