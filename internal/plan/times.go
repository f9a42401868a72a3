package plan

import (
	"strings"

	"ubik/internal/expr"
	"ubik/internal/op"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// Rows of an operator come to the next one in the order in which they leave, and only some of their times go along with
// that: by how much a row can lie behind the watermark of the operator is then known. Such a time is one by which the rows
// come; a window or a band over the operator takes no other, or its rows could be late.
//
//	rows of            come by                  behind the operator's watermark by
//	a JOIN b           the time of a            the furthest that a row of b may be later: max(0, hi)
//	                   the time of b            the furthest that a row of a may be later: max(0, −lo)
//	                   the later of both        nothing
//	a window           its end less 1 µs        nothing
//
// A row of an outer join without a partner leaves when none can come any more, so its own time is behind by as much, also
// where it is the later of both.

// rowTime is a time by which the rows of an operator come, in two spellings, and what it lies behind.
type rowTime struct {
	x      expr.Expr // over the operator's columns
	text   string    // as it is written where the operator's own tables can be named
	behind vec.Time  // µs
}

// times are those by which the rows of an operator come.
func (o *operator) times() []rowTime {
	if o.agg != nil {
		return o.agg.times()
	}
	j := o.join
	reach := [2]vec.Time{max(0, j.hi), max(0, -j.lo)}
	left, right := rowTime{j.time[0], sql.Format(j.timeAt[0]), reach[0]}, rowTime{j.time[1], sql.Format(j.timeAt[1]), reach[1]}
	later, err := expr.NewCall("greatest", []expr.Expr{j.time[0], j.time[1]})
	if err != nil {
		panic("plan: " + err.Error()) // two of type TIMESTAMP
	}
	both := rowTime{later, "greatest(" + left.text + ", " + right.text + ")", 0}
	switch j.kind {
	case op.Left:
		both.behind = reach[0]
		return []rowTime{left, both}
	case op.Right:
		both.behind = reach[1]
		return []rowTime{right, both}
	case op.Full:
		both.behind = max(reach[0], reach[1])
		return []rowTime{both}
	case op.Semi, op.Anti:
		return []rowTime{left}
	}
	return []rowTime{left, right, both}
}

// times of a window: its end less 1 µs, the last time that a record in it can have.
func (g *grouping) times() []rowTime {
	if g.window == nil {
		return nil
	}
	last, err := expr.NewBinary("-", g.windowEnd(), expr.NewInterval(vec.IntervalValue{Micros: 1}))
	if err != nil {
		panic("plan: " + err.Error()) // a TIMESTAMP and an INTERVAL
	}
	return []rowTime{{last, g.endText() + lessOne, 0}}
}

const lessOne = " - INTERVAL 1 MICROSECOND"

// behind returns what a time over the operator's columns lies behind its watermark, and whether its rows come by it.
func (o *operator) behind(t expr.Expr) (vec.Time, bool) {
	for _, r := range o.times() {
		if sameTime(t, r.x) {
			return r.behind, true
		}
	}
	return 0, false
}

// sameTime reports whether two times are the same but for casts that change none, and for the order of arguments of greatest.
func sameTime(a, b expr.Expr) bool {
	a, b = instant(a), instant(b)
	if expr.Equal(a, b) {
		return true
	}
	x, y := greatestOf(a), greatestOf(b)
	return x != nil && y != nil && (sameTime(x[0], y[0]) && sameTime(x[1], y[1]) || sameTime(x[0], y[1]) && sameTime(x[1], y[0]))
}

func greatestOf(e expr.Expr) []expr.Expr {
	if o, ok := e.(*expr.Op); ok && o.Name() == "greatest" && len(o.Args()) == 2 {
		return o.Args()
	}
	return nil
}

// instant removes casts between times. Those to DATE change the instant and stay.
func instant(e expr.Expr) expr.Expr {
	for {
		o, ok := e.(*expr.Op)
		if !ok || o.Name() != "CAST" || !isInstant(o.Type()) || !isInstant(o.Args()[0].Type()) {
			return e
		}
		if o.Type().Kind == vec.Date && o.Args()[0].Type().Kind != vec.Date {
			return e
		}
		e = o.Args()[0]
	}
}

// comesBy checks that a TIMESTAMP over the relation, which what takes, is one by which its rows come. Of a source any is,
// unless it declares one.
func (b *builder) comesBy(r *relation, t expr.Expr, at sql.Expr, what string) error {
	for _, a := range r.arms {
		if a.op == nil {
			if err := b.keepsClock(r, a, a.over(t), at, what); err != nil {
				return err
			}
			continue
		}
		if _, ok := a.op.behind(a.over(t)); ok {
			continue
		}
		return a.op.late(a.over(t), at).WithHint("%s", r.timeAdvice(a))
	}
	return nil
}

// late is the error of a time by which an operator's rows do not come.
func (o *operator) late(t expr.Expr, at sql.Expr) *sql.Error {
	text := sql.Format(at)
	switch {
	case o.agg != nil && o.agg.window == nil:
		return sql.Errorf(at, "the rows of an aggregate without a window have no time by which they come")
	case o.agg != nil:
		return sql.Errorf(at, "by %s, rows could come late: those of a window leave when it has ended, so they come by its end", text)
	}
	j := o.join
	for side, x := range j.time {
		other := [2]op.JoinKind{op.Right, op.Left}[side]
		if (j.kind == other || j.kind == op.Full) && sameTime(t, x) {
			return sql.Errorf(at, "%s can be NULL: a row of %s without a partner has none", text, j.sides[1-side].text())
		}
	}
	which := "the times that its band compares"
	if j.visible() == leftSide {
		which = "the time that its band compares"
	}
	return sql.Errorf(at, "by %s, rows could come late: those of the join of %s and %s come by %s", text, j.sides[0].text(), j.sides[1].text(), which)
}

// timeAdvice says which times of an arm can be taken, as they are written where the relation is.
func (r *relation) timeAdvice(a *arm) string {
	texts := r.written(a)
	switch {
	case len(texts) == 1:
		return "take " + texts[0]
	case len(texts) > 1:
		return "take one of: " + strings.Join(texts, ", ")
	}
	for _, t := range a.op.times() {
		return "have the subquery select " + t.text + " AS at, and take " + r.tables[0].qualify("at")
	}
	return "give the aggregate a window"
}

// written are the times of an arm as they are written where the relation is.
func (r *relation) written(a *arm) []string {
	var out []string
	times := a.op.times()
	if r.join != nil && r.join == a.op.join {
		for _, t := range times {
			out = append(out, t.text)
		}
		return out
	}
	name := func(x expr.Expr) (string, bool) {
		for i, c := range a.cols[:len(r.tables[0].fields)] {
			if isInstant(c.Type()) && sameTime(c, x) {
				return r.tables[0].qualify(r.tables[0].fields[i].Name), true
			}
		}
		return "", false
	}
	for _, t := range times {
		text, ok := name(t.x)
		if args := greatestOf(t.x); !ok && args != nil {
			l, lok := name(args[0])
			r, rok := name(args[1])
			text, ok = "greatest("+l+", "+r+")", lok && rok
		}
		if !ok && a.op.agg != nil {
			text, ok = name(a.op.agg.windowEnd())
			text += lessOne
		}
		if ok {
			out = append(out, text)
		}
	}
	return out
}
