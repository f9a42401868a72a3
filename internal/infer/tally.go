package infer

import (
	"bytes"

	"ubik/internal/exact"
	"ubik/internal/expr"
)

// tally counts the values met in one place. Everything but odd is a function of their multiset.
type tally struct {
	nulls, bools, numbers, texts, objects, lists int
	opaque                                       int // objects and lists that were not looked into

	// Of the numbers:
	fractions int  // with a point, or not whole
	huge      int  // whole, beyond BIGINT but not HUGEINT
	beyond    int  // whole, beyond HUGEINT
	special   int  // nan and infinities; they are texts where there is no other number
	power     bool // one has an exponent; so does a text that looks like a number
	whole     int  // the most digits before the point, also of such texts
	scale     int  // the most digits behind it, likewise

	// Of the texts:
	dates, times int // that a cast to TIMESTAMP accepts, without and with a time of day, and whose years have all their digits
	early        int // of these, before the year 1000
	quoted       int // that look like numbers as they are, which in JSON are in quotes
	zeros, plus  int // of these, with a leading zero, with a leading plus

	tooLarge targets // types that do not take every number and text that looks like one

	spelling
	odd []byte // the beginning of the first text that is no time; nil: there is none
}

// yearThousand is 1000-01-01 in µs since 1970.
var yearThousand, _ = expr.ParseTimestamp([]byte("1000-01-01"))

const oddMax = 30 // bytes kept of an odd text

// plain returns the number of numbers but nan and infinities.
func (t *tally) plain() int { return t.numbers - t.special }

// scalars returns how many kinds of scalars were met, NULL apart.
func (t *tally) scalars() int {
	texts := t.texts
	if t.plain() == 0 {
		texts += t.special
	}
	kinds := 0
	for _, n := range [...]int{t.bools, t.plain(), texts} {
		if n > 0 {
			kinds++
		}
	}
	return kinds
}

// targets is a set of types that integers are read as: bits by the index in targetTypes.
type targets uint8

var targetTypes = [...]string{"BIGINT", "HUGEINT"}

// addLarge adds the number that a text is to those that decide on the target.
func (t *tally) addLarge(text []byte, n number) {
	if n.whole <= 18 && !n.power {
		return // every target takes it
	}
	switch x, whole, ok := exact.ParseNumber(trimBlanks(text)); {
	case !ok:
		t.tooLarge |= 1<<0 | 1<<1
	case whole && !x.IsInt64():
		t.tooLarge |= 1 << 0
	}
}

// target is the first type that takes all numbers, and texts that look like one: of fractions one that keeps their digits.
func (t *tally) target() string {
	if t.scale > 0 && !t.power && t.special == 0 {
		return decimalFor(t.whole, t.scale)
	}
	for i, name := range targetTypes {
		if t.scale == 0 && !t.power && t.special == 0 && t.tooLarge&(1<<i) == 0 {
			return name
		}
	}
	return "DOUBLE"
}

// addString adds a JSON string. Numbers that JSON has no other way to write are such, as in our own output.
func (t *tally) addString(text []byte) {
	switch string(text) {
	case "NaN", "Infinity", "-Infinity":
		t.addSpecial()
		return
	}
	t.addText(text)
}

func (t *tally) addSpecial() {
	t.numbers++
	t.special++
	t.not = stylesAll
}

// addText adds a text that is nothing but a text.
func (t *tally) addText(text []byte) {
	t.texts++
	t.spelling.add(text)
	if us, ok := expr.ParseTimestamp(text); ok && digits(trimBlanks(text)) >= 4 { // 31/12/25 is no day of the year 31
		if bytes.IndexByte(text, ':') < 0 { // every time of day has one
			t.dates++
		} else {
			t.times++
		}
		if us < yearThousand {
			t.early++
		}
		return
	}
	if t.odd == nil {
		t.odd = append([]byte{}, text[:min(len(text), oddMax)]...)
	}
	if n, ok := scanNumber(text); ok {
		t.quoted++
		t.whole = max(t.whole, n.whole)
		t.scale = max(t.scale, n.scale)
		t.power = t.power || n.power
		t.addLarge(text, n)
		if n.zero {
			t.zeros++
		}
		if n.plus {
			t.plus++
		}
	}
}

// addNumber adds a number.
func (t *tally) addNumber(text []byte) {
	t.numbers++
	t.spelling.add(text)
	n, _ := scanNumber(text)
	t.whole = max(t.whole, n.whole)
	t.scale = max(t.scale, n.scale)
	t.power = t.power || n.power
	t.addLarge(text, n)
	if n.point {
		t.fractions++
		return
	}
	if !n.power && n.whole <= 18 {
		return
	}
	x, whole, ok := exact.ParseNumber(trimBlanks(text))
	switch {
	case !ok:
		t.beyond++
	case !whole:
		t.fractions++
	case !x.IsInt64():
		t.huge++
	}
}

// addField adds a CSV field that is not NULL: a text that may look like something else.
func (t *tally) addField(text []byte) {
	switch n, ok := scanNumber(text); {
	case ok && !n.zero && !n.plus:
		t.addNumber(text)
		return
	case isSpecial(text):
		t.addSpecial()
		return
	}
	if _, ok := expr.ParseBool(text); ok && len(text) >= len("true") { // t, yes and 1 are left to who declares them
		t.bools++
		t.not = stylesAll
		return
	}
	t.addText(text)
}

func (t *tally) merge(u *tally) {
	t.nulls += u.nulls
	t.bools += u.bools
	t.numbers += u.numbers
	t.texts += u.texts
	t.objects += u.objects
	t.lists += u.lists
	t.opaque += u.opaque
	t.fractions += u.fractions
	t.huge += u.huge
	t.beyond += u.beyond
	t.special += u.special
	t.power = t.power || u.power
	t.whole = max(t.whole, u.whole)
	t.scale = max(t.scale, u.scale)
	t.dates += u.dates
	t.times += u.times
	t.early += u.early
	t.zeros += u.zeros
	t.quoted += u.quoted
	t.plus += u.plus
	t.tooLarge |= u.tooLarge
	t.spelling.merge(&u.spelling)
	if t.odd == nil {
		t.odd = u.odd
	}
}
