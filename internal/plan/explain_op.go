package plan

import (
	"fmt"
	"strings"
	"time"

	"ubik/internal/expr"
	"ubik/internal/op"
	"ubik/internal/vec"
)

// explainAggregate describes GROUP BY.
func (p *Plan) explainAggregate(e *explained, n *op.WindowAggregate) {
	in := &p.Inputs[0]
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
		groups = append(groups, described(k, in.Exprs[i].String()))
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
	e.say("watermark", "the least of all partitions: the newest time of a partition, less the delay")
	e.say("state", windowState(n, in.Delay)...)
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
func windowState(n *op.WindowAggregate, delay vec.Time) []string {
	w := n.Window
	of := "open window"
	if !w.Tumbles() {
		of = every(w.Pane()) + " of the open windows"
	}
	first := "a row of results for each group of each " + of
	if len(n.Keys) == 0 {
		first = "a row of results for each " + of
	}
	if delay == vec.Forever {
		return []string{first, "no window closes before the end of the input, so in the end it is all there are"}
	}
	most := w.MostOpen(delay)
	open := "1 window is"
	if most > 1 {
		open = fmt.Sprintf("%d windows are", most)
	}
	return []string{
		first,
		fmt.Sprintf("a window is open for %s (size + delay) of the slowest partition's time", sum(lengthText(w.Size), delay)),
		"at most " + open + " open while the partitions are equally far in time; what is read ahead comes on top"}
}

// sum is a length with a delay, "1 minute + 5 seconds".
func sum(length string, delay vec.Time) string { return length + " + " + spanText(delay) }

// explainJoin describes a band join.
func (p *Plan) explainJoin(e *explained, n *op.BandJoin) {
	l, r := p.alias(0), p.alias(1)
	e.title = fmt.Sprintf("band join of %s and %s", l, r)
	e.say("kind", n.Kind.String()+": "+map[op.JoinKind]string{
		op.Inner: "pairs",
		op.Left:  "pairs, and rows of " + l + " that are in none",
		op.Right: "pairs, and rows of " + r + " that are in none",
		op.Full:  fmt.Sprintf("pairs, and rows of %s and of %s that are in none", l, r),
		op.Semi:  fmt.Sprintf("rows of %s that match a row of %s, once each", l, r),
		op.Anti:  fmt.Sprintf("rows of %s that match no row of %s", l, r),
	}[n.Kind])
	var keys [][]string
	for i := range n.Keys {
		x, y := p.ofSide(0, p.Inputs[0].Exprs[i]), p.ofSide(1, p.Inputs[1].Exprs[i])
		keys = append(keys, []string{x.String() + " = " + y.String(), x.Type().String()})
	}
	e.table("keys", keys)
	lt, rt := p.ofSide(0, p.Inputs[0].Time).String(), p.ofSide(1, p.Inputs[1].Time).String()
	e.say("band", moved(lt, n.Lo)+" ≤ "+rt+" ≤ "+moved(lt, n.Hi))
	e.say("residual", whereText(n.Residual))
	e.say("where", whereText(n.Where))
	reach := [2]vec.Time{max(0, n.Hi), max(0, -n.Lo)}
	times := [2]string{lt, rt}
	var leaves []string
	switch n.Kind {
	case op.Semi:
		leaves = append(leaves, fmt.Sprintf("a row when the cursor has passed the least of its matches' times: of %s and %s the later", lt, rt))
	case op.Anti:
	default:
		leaves = append(leaves, fmt.Sprintf("a pair when the cursor has passed its time: of %s and %s the later", lt, rt))
	}
	for side, kinds := range [2][3]op.JoinKind{{op.Left, op.Full, op.Anti}, {op.Right, op.Full, op.Full}} {
		if n.Kind == kinds[0] || n.Kind == kinds[1] || n.Kind == kinds[2] {
			leaves = append(leaves, fmt.Sprintf("a row of %s without a match when the cursor has passed %s", p.alias(side), moved(times[side], reach[side])))
		}
	}
	e.say("leaves", leaves...)
	e.say("cursor", fmt.Sprintf("the least watermark of all partitions of %s and %s: the newest time of a partition, less the delay", l, r))
	var keeps []string
	for side := range reach {
		keeps = append(keeps, fmt.Sprintf("a row of %s until the cursor has passed %s", p.alias(side), moved(times[side], reach[side])))
	}
	e.say("keeps", keeps...)
	e.say("state", p.joinState(reach)...)
}

// joinState bounds the rows that a join keeps: those of a side that can have come since the cursor was at the last time
// at which the oldest one is needed.
func (p *Plan) joinState(reach [2]vec.Time) []string {
	delay := max(p.Inputs[0].Delay, p.Inputs[1].Delay)
	if delay == vec.Forever {
		var names []string
		for i := range p.Inputs {
			if p.Inputs[i].Delay == vec.Forever {
				names = append(names, p.alias(i))
			}
		}
		until := names[0] + ", whose delay is unlimited, has"
		if len(names) > 1 {
			until = fmt.Sprintf("%s and %s, whose delays are unlimited, have", names[0], names[1])
		}
		return []string{"every row, until " + until + " been read to the end"}
	}
	var out []string
	for side, d := range reach {
		out = append(out, fmt.Sprintf("rows of %s ≤ its rate × (%s)", p.alias(side), sum(spanText(d), delay)))
	}
	which := "the delay"
	if p.Inputs[0].Delay != p.Inputs[1].Delay {
		which = "the longer delay"
	}
	return append(out, "(reach of the band + "+which+") while the partitions are equally far in time; what is read ahead comes on top")
}

// ofSide names the columns of an expression with their source.
func (p *Plan) ofSide(side int, e expr.Expr) expr.Expr {
	return rewrite(e, func(c *expr.Column) *expr.Column {
		return &expr.Column{Index: c.Index, Name: p.alias(side) + "." + c.Name, T: c.T}
	})
}

// moved is the time t and a distance from it.
func moved(t string, d vec.Time) string {
	switch {
	case d < 0:
		return t + " - " + spanText(-d)
	case d > 0:
		return t + " + " + spanText(d)
	}
	return t
}
