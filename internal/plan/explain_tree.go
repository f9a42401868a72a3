package plan

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"ubik/internal/vec"
)

// explained is a node of the tree that Explain prints: a title, what is said about it, and what it reads.
type explained struct {
	title string
	facts []explainedFact
	reads []*explained
}

// explainedFact is a label and the lines beside it, each in columns.
type explainedFact struct {
	label string
	lines [][]string
}

// say adds a fact of one line or more.
func (n *explained) say(label string, lines ...string) {
	f := explainedFact{label: label}
	for _, l := range lines {
		f.lines = append(f.lines, []string{l})
	}
	n.facts = append(n.facts, f)
}

// table adds a fact whose lines have columns; one without lines is said to be none.
func (n *explained) table(label string, lines [][]string) {
	if len(lines) == 0 {
		lines = [][]string{{"none"}}
	}
	n.facts = append(n.facts, explainedFact{label, lines})
}

// String is the tree. All labels are in one column of the width of the longest.
func (n *explained) String() string {
	var b strings.Builder
	n.print(&b, "", "", n.labelWidth())
	return b.String()
}

func (n *explained) labelWidth() int {
	w := 0
	for _, f := range n.facts {
		w = max(w, utf8.RuneCountInString(f.label))
	}
	for _, r := range n.reads {
		w = max(w, r.labelWidth())
	}
	return w
}

// print writes the node: its title behind first, all below it behind rest.
func (n *explained) print(b *strings.Builder, first, rest string, width int) {
	b.WriteString(first + visible(n.title) + "\n")
	bar := "   "
	if len(n.reads) > 0 {
		bar = "│  "
	}
	for _, f := range n.facts {
		label := f.label
		for _, line := range aligned(f.lines) {
			fmt.Fprintf(b, "%s%s%-*s  %s\n", rest, bar, width, label, line)
			label = ""
		}
	}
	for i, r := range n.reads {
		if i == len(n.reads)-1 {
			r.print(b, rest+"└─ ", rest+"   ", width)
		} else {
			r.print(b, rest+"├─ ", rest+"│  ", width)
		}
	}
}

// aligned writes lines with their columns below each other.
func aligned(lines [][]string) []string {
	var widths []int
	for _, l := range lines {
		for i, cell := range l {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(visible(cell)))
		}
	}
	var out []string
	for _, l := range lines {
		var b strings.Builder
		for i, cell := range l {
			if i > 0 {
				b.WriteString("  ")
			}
			cell = visible(cell)
			b.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)))
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}

// visible replaces what would break a line, or a terminal, such as a line feed in a text of the query.
func visible(s string) string {
	if strings.IndexFunc(s, unicode.IsControl) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// lengthText writes a length of time in words: 1 hour 30 minutes.
func lengthText(iv vec.IntervalValue) string {
	days := int64(iv.Days) + iv.Micros/int64(vec.Day)
	us := iv.Micros % int64(vec.Day)
	var parts []string
	put := func(n int64, fraction, unit string) {
		if n == 0 && fraction == "" {
			return
		}
		if n != 1 || fraction != "" {
			unit += "s"
		}
		parts = append(parts, fmt.Sprintf("%d%s %s", n, fraction, unit))
	}
	put(int64(iv.Months/12), "", "year")
	put(int64(iv.Months%12), "", "month")
	put(days, "", "day")
	put(us/3_600_000_000, "", "hour")
	put(us/60_000_000%60, "", "minute")
	fraction := ""
	if f := us % 1_000_000; f > 0 {
		fraction = strings.TrimRight(fmt.Sprintf(".%06d", f), "0")
	}
	put(us/1_000_000%60, fraction, "second")
	if len(parts) == 0 {
		return "0 seconds"
	}
	return strings.Join(parts, " ")
}

// spanText writes a length in µs, at least 0; vec.Forever has no text.
func spanText(d vec.Time) string { return lengthText(vec.IntervalValue{Micros: int64(d)}) }
