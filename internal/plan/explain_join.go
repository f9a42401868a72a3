package plan

import (
	"fmt"

	"ubik/internal/op"
	"ubik/internal/vec"
)

// explainJoin describes a band join.
func (p *Plan) explainJoin(e *explained, stage int, n *op.BandJoin) {
	l, r := p.side(stage, 0), p.side(stage, 1)
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
		x, y := p.taken(stage, 0, i), p.taken(stage, 1, i)
		keys = append(keys, []string{x + " = " + y, p.gives(p.feeders(stage, 0)[0])[i].Type().String()})
	}
	e.table("keys", keys)
	lt, rt := p.sideTime(stage, 0), p.sideTime(stage, 1)
	e.say("band", moved(lt, n.Lo)+" ≤ "+rt+" ≤ "+moved(lt, n.Hi))
	e.say("residual", whereText(n.Residual))
	e.say("where", whereText(n.Where))
	reach := [2]vec.Time{max(0, n.Hi), max(0, -n.Lo)}
	times, names := [2]string{lt, rt}, [2]string{l, r}
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
			leaves = append(leaves, fmt.Sprintf("a row of %s without a match when the cursor has passed %s", names[side], moved(times[side], reach[side])))
		}
	}
	e.say("leaves", leaves...)
	e.say("cursor", p.clockText(stage, fmt.Sprintf("the least watermark of all partitions of %s and %s: the newest time of a partition, less the delay", l, r)))
	var keeps []string
	for side := range reach {
		keeps = append(keeps, fmt.Sprintf("a row of %s until the cursor has passed %s", names[side], moved(times[side], reach[side])))
	}
	e.say("keeps", keeps...)
	e.say("state", p.joinState(stage, reach)...)
}

// joinState bounds the rows that a join keeps: those of a side that can have come since the cursor was at the last time
// at which the oldest one is needed.
func (p *Plan) joinState(stage int, reach [2]vec.Time) []string {
	var lags [2]vec.Time
	for port := range lags {
		lags[port] = p.portLag(stage, port)
	}
	delay := max(lags[0], lags[1])
	if delay == vec.Forever {
		return []string{"every row, " + p.untilRead(stage)}
	}
	var out []string
	for side, d := range reach {
		out = append(out, fmt.Sprintf("rows of %s ≤ its rate × (%s)", p.side(stage, side), sum(spanText(d), delay)))
	}
	which := "the delay"
	switch {
	case p.fedByStage(stage):
		which = "the most that rows lie behind the newest times"
	case lags[0] != lags[1]:
		which = "the longer delay"
	}
	return append(out, "(reach of the band + "+which+") while the partitions are equally far in time; what is read ahead comes on top")
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
