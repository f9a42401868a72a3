package plan

import (
	"ubik/internal/expr"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// A source can declare its time column, by WATERMARK FOR. Every reference to it then has that clock: a window or a band
// over another time of it is refused, and a reference without either has it nonetheless.

// clock notes a source's declared time, as a TIMESTAMP over its columns.
func (p *planner) clock(f *sql.TableName, source int) error {
	src := &p.plan.Sources[source]
	if src.Time == "" {
		p.clocks = append(p.clocks, nil)
		return nil
	}
	var c *expr.Column
	name := sql.QuoteName(src.Time)
	for _, field := range src.Schema {
		if sql.SameName(field.Name, src.Time) {
			c = &expr.Column{Index: src.decoded([]string{field.Name}, field.Type), Name: sql.QuoteName(field.Name), T: field.Type}
			break
		}
	}
	if k := pseudo(src.Time); c == nil && k >= 0 {
		c = &expr.Column{Index: pseudoBase + src.beside(Pseudo(k)), Name: pseudoNames[k], T: PseudoType(Pseudo(k))}
	}
	declares := sql.QuoteName(src.Name) + " declares WATERMARK FOR " + name
	switch {
	case c == nil:
		names := fieldNames(src.Schema)
		if near := sql.Nearest(src.Time, names); near != "" {
			return sql.Errorf(f, "%s, which is no column of it", declares).WithHint("did you mean %s?", sql.QuoteName(near))
		}
		return sql.Errorf(f, "%s, which is no column of it", declares).WithHint("its columns are: %s", sql.Listed(names))
	case !isInstant(c.T) && src.Inferred:
		return sql.Errorf(f, "%s, which is %s", declares, withoutTime(c.T)).WithHint("declare its type, TIMESTAMP, by --schema; of a number the query can make a time: leave WATERMARK FOR away and take to_timestamp(%s) or %s", name, fromMillis(name, c.T))
	case !isInstant(c.T):
		return sql.Errorf(f, "%s, which is %s", declares, withoutTime(c.T)).WithHint("declare it TIMESTAMP")
	}
	t, err := asTimestamp(c)
	if err != nil {
		panic("plan: " + err.Error()) // a time
	}
	p.clocks = append(p.clocks, t)
	return nil
}

func withoutTime(t vec.Type) string {
	if t.Kind == vec.Null {
		return "of no known type"
	}
	return t.String() + ", not a time"
}

// keepsClock checks that a time of an arm over a source is the declared one, if one is declared. what takes the time is a
// window or a band.
func (b *builder) keepsClock(r *relation, a *arm, t expr.Expr, at sql.Expr, what string) error {
	clock := b.p.clocks[a.ref.source]
	if clock == nil || sameTime(t, clock) {
		return nil
	}
	src := &b.p.plan.Sources[a.ref.source]
	e := sql.Errorf(at, "%s declares WATERMARK FOR %s, the %s uses %s", sql.QuoteName(src.Name), sql.QuoteName(src.Time), what, sql.Format(at))
	take := "take " + b.clockText(r, a, clock)
	if c, ok := instant(t).(*expr.Column); ok {
		return e.WithHint("%s, or declare WATERMARK FOR %s", take, c.Name)
	}
	return e.WithHint("%s, or leave WATERMARK FOR away and give the delay by --delay", take)
}

// clockText is the declared time of an arm as it is written where the relation is.
func (b *builder) clockText(r *relation, a *arm, clock expr.Expr) string {
	t := r.tables[0]
	write := func(column string) string {
		if b.rel == r {
			return sql.QuoteName(column)
		}
		return t.qualify(column)
	}
	if t.source != nil {
		for i, f := range t.source.Schema {
			if sql.SameName(f.Name, t.source.Time) {
				return write(t.fields[i].Name)
			}
		}
		return write(t.source.Time) // of the record, not of its value
	}
	for i, f := range t.fields {
		if isInstant(f.Type) && sameTime(a.cols[i], clock) {
			return write(f.Name)
		}
	}
	name := b.p.plan.Sources[a.ref.source].Time
	return write(name) + ", which the subquery has to select"
}
