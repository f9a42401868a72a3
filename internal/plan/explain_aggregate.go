package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ubik/internal/op"
	"ubik/internal/vec"
)

// explainAggregate describes GROUP BY.
func (p *Plan) explainAggregate(e *explained, stage int, n *op.WindowAggregate) {
	w := n.Window
	e.title = "aggregate"
	if w == nil {
		e.say("window", "none: all rows are in one, which closes at the end of the input")
	} else {
		e.title = "aggregate over windows"
		e.say("window", windowText(w))
		origin := time.UnixMicro(int64(w.Origin())).UTC().Format("2006-01-02 15:04:05.999999") + " UTC"
		e.say("boundaries", fmt.Sprintf("a window starts at %s, others every %s before and after it", origin, every(w.Slide)))
	}
	var groups, calls [][]string
	for i, k := range n.Keys {
		groups = append(groups, described(k, p.taken(stage, 0, i)))
	}
	for _, a := range n.Aggs {
		line := []string{a.Name, a.Fn.Result.String()}
		if a.Arg >= 0 {
			line = append(line, "of "+a.Fn.Arg.String())
		}
		calls = append(calls, line)
	}
	e.table("groups", groups)
	e.table("aggregates", calls)
	e.say("having", whereText(n.Having))
	switch {
	case w == nil && len(n.Keys) == 0:
		e.say("leaves", "one row, at the end of the input")
		e.say("state", "one row of results")
		return
	case w == nil:
		e.say("leaves", "a row for each group, at the end of the input")
		e.say("state", "a row of results for each group there is")
		return
	case len(n.Keys) == 0:
		e.say("leaves", "a row for each window that has records, once, when the watermark has reached its end")
	default:
		e.say("leaves", "a row for each group of a window, once, when the watermark has reached the window's end")
	}
	e.say("watermark", p.clockText(stage, "the least of all partitions: the newest time of a partition, less the delay"))
	e.say("state", p.windowState(stage, n)...)
}

func windowText(w *op.Window) string {
	if w.Tumbles() {
		return "tumbling, of " + lengthText(w.Size)
	}
	text := fmt.Sprintf("hopping, of %s, one every %s", lengthText(w.Size), every(w.Slide))
	if w.Gaps() {
		return text + ": a record between two is in none"
	}
	return text
}

// every is a length behind that word: every minute, every 5 minutes.
func every(iv vec.IntervalValue) string {
	text := lengthText(iv)
	if unit, one := strings.CutPrefix(text, "1 "); one && !strings.Contains(unit, " ") {
		return unit
	}
	return text
}

// windowState says what the state of a window can grow to.
func (p *Plan) windowState(stage int, n *op.WindowAggregate) []string {
	delay := p.lag(stage)
	what := "size + delay"
	if p.fedByStage(stage) {
		what = "size + what its rows lie behind the newest times"
	}
	w := n.Window
	of := "open window"
	if !w.Tumbles() {
		of = every(w.Pane()) + " of the open windows"
	}
	first := "a row of results for each group of each " + of
	if len(n.Keys) == 0 {
		first = "a row of results for each " + of
	}
	under := p.under(stage)
	switch {
	case delay == vec.Forever && slices.ContainsFunc(under, func(i int) bool { return p.Inputs[i].Delay != vec.Forever }):
		return []string{first, "no window closes " + p.untilRead(stage)}
	case delay == vec.Forever:
		return []string{first, "no window closes before the end of the input, so in the end it is all there are"}
	}
	most := w.MostOpen(delay)
	open := "1 window is"
	if most > 1 {
		open = fmt.Sprintf("%d windows are", most)
	}
	return []string{
		first,
		fmt.Sprintf("a window is open for %s (%s) of the slowest partition's time", sum(lengthText(w.Size), delay), what),
		"at most " + open + " open while the partitions are equally far in time; what is read ahead comes on top"}
}

// sum is a length with a delay, "1 minute + 5 seconds".
func sum(length string, delay vec.Time) string { return length + " + " + spanText(delay) }
