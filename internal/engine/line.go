package engine

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ubik/internal/screen"
	"ubik/internal/vec"
)

// part is one thing that a live line may say.
type part struct {
	full, short string
}

const (
	between = "  " // parts
	barMin  = 10   // columns between the brackets
	barMax  = 30
	barFrom = 40 // columns of a line that has a bar
	nameMax = 30 // columns of a partition's name
)

// Line returns the progress as one line of at most width columns. What matters most comes first and is said at every
// width: how much is done and when it will be, or the rate; the rest is added, then said in more words, as there is room.
func (p *Progress) Line(width int) string {
	parts := p.parts()
	known := p.Size > 0
	if known && width >= barFrom {
		parts[0].short = parts[0].full
	}
	used, n := -len(between), 0
	for _, q := range parts {
		if w := len(between) + screen.Width(q.short); n == 0 || used+w <= width {
			used, n = used+w, n+1
			continue
		}
		break
	}
	parts = parts[:n]
	for i := range parts {
		if more := screen.Width(parts[i].full) - screen.Width(parts[i].short); used+more <= width {
			used, parts[i].short = used+more, parts[i].full
		}
	}
	if known && parts[0].short == parts[0].full {
		parts[0].short = p.bar(min(barMin+width-used, barMax))
	}
	var b []byte
	for i, q := range parts {
		if i > 0 {
			b = append(b, between...)
		}
		b = append(b, q.short...)
	}
	b, _, _ = screen.AppendCut(nil, string(b), width)
	return string(b)
}

// parts are what there is to say, the most important first.
func (p *Progress) parts() []part {
	var out []part
	add := func(full, short string) { out = append(out, part{full, short}) }
	if p.Size > 0 {
		add(p.bar(barMin), p.percent())
		if p.Left >= 0 {
			add(spanText(p.Left)+" left", spanText(p.Left))
		}
	}
	if p.Rate >= 0 {
		rate := countText(uint64(min(p.Rate, 1e18)))
		add(rate+" records/s", rate+"/s")
	} else {
		add(countText(p.Read)+" records", countText(p.Read)+" records")
	}
	if p.Lag >= 0 && p.Size == 0 {
		lag := "lag " + countText(uint64(p.Lag))
		add(lag, lag)
	}
	switch {
	case p.Watermark == vec.PosInf:
	case p.Watermark != vec.NegInf:
		at := time.UnixMicro(int64(p.Watermark)).UTC().Format("2006-01-02T15:04:05Z")
		add("watermark "+at, "at "+at)
	case p.Size == 0: // with an end it is often none before it
		add("watermark none yet", "no watermark")
	}
	if p.CheckpointAge >= 0 {
		age := ageText(p.CheckpointAge)
		add("checkpoint "+age+" ago", "ckpt "+age)
	}
	if p.OpenWindows > 0 {
		text := plural(uint64(p.OpenWindows), "window")
		add(text, text)
	}
	if p.Stored > 0 {
		text := countText(uint64(p.Stored)) + " stored"
		add(text, text)
	}
	if p.Malformed > 0 {
		text := countText(p.Malformed) + " malformed"
		add(text, text)
	}
	if p.Late > 0 {
		text := countText(p.Late) + " late"
		add(text, text)
	}
	if p.Rows > 0 {
		text := plural(p.Rows, "row")
		add(text, text)
	}
	if p.Holder != "" && p.Watermark != vec.PosInf && !(p.Watermark == vec.NegInf && p.Size > 0) {
		name, _, _ := screen.AppendCut(nil, p.Holder, nameMax)
		add("held by "+string(name), string(name))
	}
	return out
}

// bar is the percentage with so many columns of a bar before it.
func (p *Progress) bar(columns int) string {
	n, head := columns, ""
	if p.Done < p.Size {
		n, head = min(int(float64(p.Done)/float64(p.Size)*float64(columns)), columns-1), ">"
	}
	return "[" + strings.Repeat("=", n) + head + strings.Repeat(" ", columns-n-len(head)) + "] " + p.percent()
}

// percent is a whole number, 100 only at the end.
func (p *Progress) percent() string {
	n := int(float64(p.Done) / float64(p.Size) * 100)
	if p.Done < p.Size {
		n = min(n, 99)
	}
	return strconv.Itoa(n) + "%"
}

// countText is a number of at most five columns: three digits count, and thousands have letters.
func countText(n uint64) string {
	if n < 1000 {
		return strconv.FormatUint(n, 10)
	}
	const letters = "kMGTPE"
	unit, i := uint64(1000), 0
	for i+1 < len(letters) && n/unit >= 1000 {
		unit *= 1000
		i++
	}
	if whole := n / unit; whole >= 100 {
		return strconv.FormatUint(whole, 10) + letters[i:i+1]
	}
	return fmt.Sprintf("%d.%d%c", n/unit, n%unit/(unit/10), letters[i])
}

func plural(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return countText(n) + " " + what + "s"
}

// spanText is a time to come: two units at most.
func spanText(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s < 86_400:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	case s < 100*86_400:
		return fmt.Sprintf("%dd%02dh", s/86_400, s/3600%24)
	}
	return ">99d"
}

// ageText is a time gone by, to a tenth of a second while it is short.
func ageText(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1fs", d.Truncate(100*time.Millisecond).Seconds())
	}
	return spanText(d)
}
