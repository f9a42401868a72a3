package infer

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

const notesMax = 3 // notes of a column; what is beyond is left out

const twiceNote = "a record has the name twice: it is malformed"

// clash notes the other names that differ from that of a path in case alone.
func (d *decider) clash(path, others []string) {
	for _, other := range others {
		d.loses = true
		d.note(path, "also spelled "+quoteName(other)+", which SQL cannot tell from it: only the first is read")
	}
}

// note notes something about the place of a path.
func (d *decider) note(path []string, text string) {
	if len(d.notes) > notesMax {
		return
	}
	if len(path) > 1 {
		text = shown(path) + ": " + text
	}
	for _, n := range d.notes {
		if n == text {
			return
		}
	}
	d.notes = append(d.notes, text)
}

// joined returns the notes on one line.
func (d *decider) joined() string {
	if len(d.notes) > notesMax {
		return printable(strings.Join(d.notes[:notesMax], "; ") + "; and more")
	}
	return printable(strings.Join(d.notes, "; "))
}

// mixed names the kinds that were met in one place.
func mixed(t *tally) string {
	texts := t.texts
	if t.plain() == 0 {
		texts += t.special
	}
	var kinds []string
	for _, k := range [...]struct {
		n    int
		name string
	}{{t.objects, "objects"}, {t.lists, "lists"}, {texts, "texts"}, {t.plain(), "numbers"}, {t.bools, "booleans"}} {
		if k.n > 0 {
			kinds = append(kinds, k.name)
		}
	}
	last := len(kinds) - 1
	return strings.Join(kinds[:last], ", ") + " and " + kinds[last]
}

// moneyNote says how fractions are kept as they are written, "" where a value is NaN or an infinity, as no amount is.
func moneyNote(t *tally) string {
	if t.special > 0 {
		return ""
	}
	typ := decimalFor(t.whole, t.scale)
	if t.power || typ == "DOUBLE" {
		typ = "DECIMAL"
	}
	return "fractions: declare " + typ + " for money"
}

// asTimes records how far the texts of a VARCHAR are times. Of what is in a list there is no expression.
func (d *decider) asTimes(n *node, path []string) {
	if slices.Contains(path[1:], "[]") {
		return
	}
	t := Texts{Path: path, Times: n.dates + n.times, Odd: printable(strings.ToValidUTF8(string(n.odd), ""))}
	if n.not != stylesAll && n.bools == 0 {
		const column = "\x00"
		if _, reads, times := n.advice(column); times {
			t.Reads[0], t.Reads[1], _ = strings.Cut(reads, column)
		}
	}
	d.texts = append(d.texts, t)
}

// advise notes how the texts of a VARCHAR can be read as what they look like.
func (d *decider) advise(n *node, path []string) {
	d.asTimes(n, path)
	column := shown(path)
	inList := strings.Contains(column, "[]") // there is no expression for what is in it
	reads := func(what, cast string) {
		if inList {
			d.note(path, what)
			return
		}
		d.note(path, what+": "+cast)
	}
	total := n.texts + n.numbers + n.bools
	target := n.target()
	switch looks := n.plain() + n.quoted; {
	case n.quoted == n.texts && n.zeros > 0 && n.bools == 0:
		reads("leading zeros, kept", "CAST("+column+" AS "+target+") reads numbers")
	case n.quoted == n.texts && n.plus > 0 && n.bools == 0:
		reads("leading signs, kept", "CAST("+column+" AS "+target+") reads numbers")
	case n.quoted == n.texts && n.bools == 0 && n.numbers == 0:
		reads("numbers in quotes", "CAST("+column+" AS "+target+") reads them")
	case n.not != stylesAll && n.bools == 0 && n.quoted < n.texts:
		name, cast, _ := n.advice(column)
		reads(name, cast+" reads them")
	case 2*(n.dates+n.times) > total:
		reads(few(total-n.dates-n.times, total, "no time", n.odd), "TRY_CAST("+column+" AS TIMESTAMP) makes them NULL")
	case 2*looks > total && n.bools == 0 && looks < total:
		reads(few(total-looks, total, "no number", n.odd), "TRY_CAST("+column+" AS "+target+") makes them NULL")
	case n.scalars() > 1:
		d.note(path, mixed(&n.tally)+": VARCHAR")
	}
}

// few says that some of the values are not what the others are, and shows one.
func few(some, all int, what string, odd []byte) string {
	text := strconv.Itoa(some) + " of " + strconv.Itoa(all) + " are " + what
	if some == 1 {
		text = "one of " + strconv.Itoa(all) + " is " + what
	}
	if odd != nil {
		text += `, "` + printable(string(odd)) + `"`
	}
	return text
}

// printable replaces what would not stay on its line.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// shown returns a path as SQL writes it, what lies in a list or map behind brackets.
func shown(path []string) string {
	var b strings.Builder
	for i, name := range path {
		if name == "[]" && i > 0 {
			b.WriteString("[]")
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(quoteName(name))
	}
	return b.String()
}
