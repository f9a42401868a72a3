package expr

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// timeField is a specifier of strptime: what may stand in the text for it.
type timeField struct {
	letter byte

	// A number has 1 to so many digits and lies from low to high; 0 digits: it is no number.
	digits    int
	low, high int64

	bare bool // it may be written with %-, which means the same: leading zeros are never needed
	want string
}

// timeFields are all specifiers but %% and the short forms, in the order that errors list them.
var timeFields = []timeField{
	{'Y', 4, 0, 9999, false, "a year of up to 4 digits"},
	{'y', 2, 0, 99, true, "the last 2 digits of a year"},
	{'m', 2, 1, 12, true, "a month from 1 to 12"},
	{'d', 2, 1, 31, true, "a day from 1 to 31"},
	{'j', 3, 1, 366, true, "a day of the year from 1 to 366"},
	{'H', 2, 0, 23, true, "an hour from 0 to 23"},
	{'I', 2, 1, 12, true, "an hour from 1 to 12"},
	{'M', 2, 0, 59, true, "a minute from 0 to 59"},
	{'S', 2, 0, 59, true, "a second from 0 to 59"},
	{'f', 6, 0, 999999, false, "up to 6 digits of a fraction"},
	{'g', 3, 0, 999, false, "up to 3 digits of a fraction"},
	{'p', 0, 0, 0, false, "AM or PM"},
	{'b', 0, 0, 0, false, "a month such as Jan"},
	{'h', 0, 0, 0, false, "a month such as Jan"},
	{'B', 0, 0, 0, false, "a month such as January"},
	{'a', 0, 0, 0, false, "a day such as Mon"},
	{'A', 0, 0, 0, false, "a day such as Monday"},
	{'z', 0, 0, 0, false, "an offset such as +02, +0200 or +02:00, of at most 15:59"},
}

// timeShorts are specifiers that stand for a format.
var timeShorts = map[byte]string{'c': "%Y-%m-%d %H:%M:%S", 'x': "%Y-%m-%d", 'X': "%H:%M:%S", 'T': "%H:%M:%S"}

// timeStep reads one thing of a text.
type timeStep struct {
	kind      byte   // the letter of a specifier, or ' ' for a run of blanks, or 0 for literal
	literal   string // never with a blank
	digits    int
	low, high int64
	want      string // what errors say was expected
}

// timeFormat is a compiled format of strptime. It never changes, so programs share it.
type timeFormat struct {
	text    string
	steps   []timeStep
	zone    bool // there is %z, so the instant is known
	yearDay bool // %j is the day: there is neither %m nor %d, which go before it
}

// compileTimeFormat makes steps of a format of the function.
func compileTimeFormat(function, format string) (*timeFormat, error) {
	f := &timeFormat{text: format}
	if err := f.add(format); err != nil {
		return nil, fmt.Errorf("%s: %w", function, err)
	}
	switch {
	case len(f.steps) == 0:
		return nil, fmt.Errorf("%s: the format is empty; write one such as '%%Y-%%m-%%d %%H:%%M:%%S'", function)
	case f.steps[0].kind == ' ':
		return nil, fmt.Errorf("%s: the format begins with a blank, which no text fits, since blanks around a text are overlooked: remove it", function)
	case f.count("j") > 1:
		return nil, fmt.Errorf("%s: %%j occurs twice in the format", function)
	}
	f.zone = f.count("z") > 0
	f.yearDay = f.count("j") > 0 && f.count("md") == 0
	return f, nil
}

func (f *timeFormat) count(letters string) (n int) {
	for _, s := range f.steps {
		n += int(mark(s.kind > ' ' && strings.IndexByte(letters, s.kind) >= 0))
	}
	return n
}

// add appends the steps of a format.
func (f *timeFormat) add(format string) error {
	for i := 0; i < len(format); i++ {
		c := format[i]
		if isBlank(c) {
			f.blanks()
			continue
		}
		if c != '%' {
			f.literal(format[i : i+1])
			continue
		}
		start := i
		i++
		bare := i < len(format) && format[i] == '-'
		if bare {
			i++
		}
		if i >= len(format) {
			return noTimeField(format[start:])
		}
		if format[i] == '%' && !bare {
			f.literal("%")
			continue
		}
		if format[i] == 'Z' {
			return errors.New("the specifier %Z is refused: the name of a zone has no fixed offset; use %z for one such as +02:00, or write the name as it stands")
		}
		if short := timeShorts[format[i]]; short != "" && !bare {
			if err := f.add(short); err != nil {
				return err
			}
			continue
		}
		field := findTimeField(format[i])
		if field == nil || bare && !field.bare {
			_, size := utf8.DecodeRuneInString(format[i:])
			return noTimeField(format[start : i+size])
		}
		f.steps = append(f.steps, timeStep{kind: field.letter, digits: field.digits, low: field.low, high: field.high, want: field.want + " for " + format[start:i+1]})
	}
	return nil
}

// literal appends a byte that the text must have.
func (f *timeFormat) literal(c string) {
	if n := len(f.steps); n == 0 || f.steps[n-1].kind != 0 {
		f.steps = append(f.steps, timeStep{})
	}
	s := &f.steps[len(f.steps)-1]
	s.literal += c
	s.want = fmt.Sprintf("%q", s.literal)
}

// blanks appends a run of blanks, or makes one longer, which means the same.
func (f *timeFormat) blanks() {
	if n := len(f.steps); n == 0 || f.steps[n-1].kind != ' ' {
		f.steps = append(f.steps, timeStep{kind: ' ', want: "a blank"})
	}
}

func findTimeField(letter byte) *timeField {
	for i := range timeFields {
		if timeFields[i].letter == letter {
			return &timeFields[i]
		}
	}
	return nil
}

func noTimeField(written string) error {
	var all []string
	for _, f := range timeFields {
		all = append(all, "%"+string(f.letter))
	}
	return fmt.Errorf("no specifier %q; specifiers: %s %%c %%x %%X %%T %%%%, and %%-d %%-m %%-y %%-j %%-H %%-I %%-M %%-S, which mean the same as without -", written, strings.Join(all, " "))
}
