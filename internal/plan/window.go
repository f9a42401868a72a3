package plan

import (
	"ubik/internal/expr"
	"ubik/internal/op"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// windows are the window functions and how they are written.
var windows = []struct{ name, form, planned string }{
	{name: "tumble", form: "TUMBLE(event_time, INTERVAL 1 MINUTE)"},
	{name: "hop", form: "HOP(event_time, INTERVAL 1 MINUTE, INTERVAL 1 HOUR): the slide, then the size"},
	{name: "cumulate", planned: "CUMULATE is not supported yet"},
	{name: "session", planned: "SESSION windows are not supported yet"},
}

func isWindow(c *sql.Call) bool {
	for _, w := range windows {
		if sql.SameName(w.name, c.Name.Name) {
			return true
		}
	}
	return false
}

// planWindow plans the window of GROUP BY and with it the time column.
func (g *grouping) planWindow(c *sql.Call) error {
	if err := plannedWindow(c, c.Name.Name); err != nil {
		return err
	}
	form := ""
	for _, w := range windows {
		if sql.SameName(w.name, c.Name.Name) {
			form = w.form
		}
	}
	hop := sql.SameName(c.Name.Name, "hop")
	least := 2
	if hop {
		least = 3
	}
	if len(c.Args) < least || len(c.Args) > least+1 || c.Star || c.Distinct || c.Filter != nil {
		return sql.Errorf(c, "%s takes a time column, %s and perhaps an offset", c.Name.Name, map[bool]string{false: "a size", true: "a slide, a size"}[hop]).
			WithHint("write %s", form)
	}
	var ivals []vec.IntervalValue
	for _, a := range c.Args[1:] {
		lit, ok := a.(*sql.IntervalLit)
		if !ok {
			return sql.Errorf(a, "a window is measured by a constant INTERVAL").WithHint("write %s", form)
		}
		ivals = append(ivals, vec.IntervalValue{Months: lit.Months, Days: lit.Days, Micros: lit.Micros})
	}
	w := &op.Window{Slide: ivals[0], Size: ivals[0]}
	if hop {
		w.Size = ivals[1]
	}
	if len(ivals) == least {
		w.Offset = ivals[least-1]
	}
	if err := w.Check(); err != nil {
		return sql.Errorf(c, "%s", err)
	}
	t, err := g.b.timeColumn(c.Args[0])
	if err != nil {
		return err
	}
	if err := g.b.comesBy(g.b.rel, t, c.Args[0], "window"); err != nil {
		return err
	}
	g.time, g.node.Window = t, w
	return nil
}

// castText writes an expression cast to TIMESTAMP.
func castText(e sql.Expr) string {
	switch e.(type) {
	case *sql.ColumnRef, *sql.Call, *sql.Field, *sql.Index:
		return sql.Format(e) + "::TIMESTAMP"
	}
	return "CAST(" + sql.Format(e) + " AS TIMESTAMP)"
}

// fromMillis is how the query makes a TIMESTAMP of a number of milliseconds.
func fromMillis(text string, t vec.Type) string {
	if t.Kind == vec.Double || t.Kind == vec.Decimal || t.Kind == vec.HugeInt {
		return "to_timestamp(" + text + " / 1000)"
	}
	return "epoch_ms(" + text + ")"
}

// timeColumn binds the time of a window and makes it a TIMESTAMP.
func (b *builder) timeColumn(e sql.Expr) (expr.Expr, error) {
	x, err := b.bindInput(e, "a window")
	if err != nil {
		return nil, err
	}
	text := sql.Format(e)
	switch t := x.Type(); {
	case t.Kind == vec.Timestamp, t.Kind == vec.TimestampTZ:
		if t.Kind == vec.Timestamp {
			return x, nil
		}
	case t.Kind == vec.Date:
	case t.IsNumeric():
		return nil, sql.Errorf(e, "a window needs a TIMESTAMP, %s is %s", text, t).
			WithHint("for seconds since 1970 write to_timestamp(%s), for milliseconds %s", text, fromMillis(text, t))
	default:
		wrong := sql.Errorf(e, "a window needs a TIMESTAMP, %s is %s", text, t)
		if t.Kind != vec.Varchar {
			return nil, wrong.WithHint("declare the column TIMESTAMP")
		}
		if src, path := b.p.sourceOf(b.rel, x); src != nil && src.Inferred {
			return nil, wrong.WithHint("%s", src.textHint(path, e))
		}
		return nil, wrong.WithHint("declare the column TIMESTAMP, or cast it: %s", castText(e))
	}
	return expr.NewCast(x, vec.TypeOf(vec.Timestamp), false)
}
