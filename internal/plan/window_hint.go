package plan

import (
	"strings"

	"ubik/internal/sql"
)

// windowOf is the window of which a call is the start or end, by the name of its function.
func windowOf(bound *sql.Call, name string) string {
	w := *bound
	w.Name = sql.Ident{Name: strings.ToUpper(name)}
	return sql.Format(&w)
}

// plannedWindow is the error of a window that is not there yet, nil of one that is.
func plannedWindow(at sql.Node, name string) error {
	for _, w := range windows {
		if sql.SameName(w.name, name) && w.planned != "" {
			return sql.Errorf(at, "%s", w.planned).WithHint("use TUMBLE or HOP")
		}
	}
	return nil
}

// boundOutside is the error of the start or end of a window where none can stand, as in GROUP BY.
func boundOutside(c *sql.Call, window string) error {
	if err := plannedWindow(c, window); err != nil {
		return err
	}
	return sql.Errorf(c, "%s stands in the select list and HAVING of a query that groups by its window", c.Name.Name).
		WithHint("write %s in GROUP BY, and %s in the select list", windowOf(c, window), sql.Format(c))
}

// windowGuess is the window that a query without one is likely about: one whose start or end it names, or one over a time that
// there is.
func (g *grouping) windowGuess() string {
	guess := ""
	for _, it := range g.b.items {
		sql.WalkExprs(it.expr, func(x sql.Expr) bool {
			if c, ok := x.(*sql.Call); ok && guess == "" {
				if window, _, bound := boundOf(c); bound {
					guess = windowOf(c, window)
				}
			}
			return guess == ""
		})
	}
	if guess != "" {
		return guess
	}
	time, ok := g.b.rel.timeGuess(len(g.b.rel.shown(false)) == 1)
	if !ok {
		time = "<time>"
	}
	return "TUMBLE(" + time + ", INTERVAL 1 MINUTE)"
}

// withWindow is GROUP BY with a window besides.
func (g *grouping) withWindow(window string) string {
	by := []string{window}
	switch gb := g.b.sel.GroupBy; {
	case gb == nil:
	case gb.All:
		for _, it := range g.b.items {
			if !hasAggregate(it.expr) && !hasWindowBound(it.expr) {
				by = append(by, sql.Format(it.expr))
			}
		}
	default:
		for _, e := range gb.Items {
			by = append(by, sql.Format(e))
		}
	}
	return "GROUP BY " + strings.Join(by, ", ")
}

// toItsEnd is how a relation with a source that has no end is read to one.
func (p *planner) toItsEnd(r *relation) string {
	files := true
	for _, a := range r.arms {
		a.references(func(r *reference) {
			s := &p.plan.Sources[r.source]
			files = files && (s.Bounded || s.File)
		})
	}
	if files {
		return "to the end, without --follow and --keep-open"
	}
	return "to the end with --until-end"
}
