package plan

import (
	"fmt"

	"ubik/internal/expr"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// insert gives the columns of the query the names, the order and the types of the columns of the table that they go to.
// A value is cast as the table declares it, whatever its type, if there is such a cast.
func (p *planner) insert(q *rows) error {
	columns, into := p.req.Columns, p.req.Into
	given := len(q.fields)
	switch {
	case columns == nil && into == nil:
		return nil
	case columns != nil && len(columns) != given:
		at := sql.Span{Pos: columns[0].Pos, End: columns[len(columns)-1].End}
		return sql.Errorf(at, "INSERT names %s, the query gives %d", counted(len(columns), "column"), given)
	case into == nil:
		for i, id := range columns {
			q.fields[i].Name = id.Name
		}
		return nil
	case columns == nil && given > len(into):
		return sql.Errorf(q.at[len(into)], "the table has %s, the query gives %d", counted(len(into), "column"), given).WithHint("its columns are: %s", sql.Listed(fieldNames(into)))
	case columns == nil && given < len(into):
		return sql.Errorf(q.at[given-1], "the table has %s, the query gives %d", counted(len(into), "column"), given).
			WithHint("name those that are given, and the others are NULL: INSERT INTO … (%s)", sql.Listed(fieldNames(into[:given])))
	}
	from := make([]int, len(into)) // the column of the query, −1: NULL
	for i := range from {
		from[i] = i
	}
	if columns != nil {
		var err error
		if from, err = p.place(columns); err != nil {
			return err
		}
	}
	return p.cast(q, from)
}

// place finds for each column of the table the one that INSERT names it for; −1: none.
func (p *planner) place(columns []sql.Ident) ([]int, error) {
	into := p.req.Into
	from := make([]int, len(into))
	for k := range from {
		from[k] = -1
	}
	for i, id := range columns {
		found := false
		for k, f := range into {
			if sql.SameName(f.Name, id.Name) {
				if from[k] >= 0 {
					return nil, sql.Errorf(id, "INSERT names %s twice", sql.QuoteName(id.Name))
				}
				from[k], found = i, true
			}
		}
		if !found {
			e := sql.Errorf(id, "the table has no column %s", sql.QuoteName(id.Name))
			if near := sql.Nearest(id.Name, fieldNames(into)); near != "" {
				return nil, e.WithHint("did you mean %s?", sql.QuoteName(near))
			}
			return nil, e.WithHint("its columns are: %s", sql.Listed(fieldNames(into)))
		}
	}
	return from, nil
}

// cast makes the rows those of the table, of whose columns from says where they come from.
func (p *planner) cast(q *rows, from []int) error {
	into := p.req.Into
	p.outputs = make([]int, len(q.fields))
	at := make([]sql.Node, len(into))
	for k, i := range from {
		if i >= 0 {
			p.outputs[i], at[k] = k, q.at[i]
		}
		if t := into[k].Type; t.Kind == vec.UUID {
			return fmt.Errorf("the column %s of the table is %s, which cannot be written yet; declare it VARCHAR", sql.QuoteName(into[k].Name), t)
		}
	}
	for _, a := range q.arms {
		cols := make([]expr.Expr, len(into))
		for k, i := range from {
			if i < 0 {
				cols[k] = expr.NewTypedNull(into[k].Type)
				continue
			}
			x, err := expr.NewCast(a.cols[i], into[k].Type, false)
			if err != nil {
				return sql.Errorf(at[k], "the column %s of the table is %s: %s", sql.QuoteName(into[k].Name), into[k].Type, err)
			}
			cols[k] = x
		}
		a.cols = cols
	}
	q.fields, q.at = append([]vec.Field{}, into...), at
	return nil
}

// output is the column of the output that a column of the query becomes.
func (p *planner) output(column int) int {
	if p.outputs == nil {
		return column
	}
	return p.outputs[column]
}

// uncast removes casts that give different values for different ones.
func uncast(e expr.Expr) expr.Expr {
	for {
		o, ok := e.(*expr.Op)
		if !ok || o.Name() != "CAST" || !tellsValuesApart(o.Args()[0].Type(), o.Type()) {
			return e
		}
		e = o.Args()[0]
	}
}

// tellsValuesApart reports whether different values of a type that can be cast to another give different values of that.
func tellsValuesApart(from, to vec.Type) bool {
	switch from.Kind {
	case vec.Bool:
		return to.IsInteger() || to.Kind == vec.Varchar
	case vec.Int8, vec.Int16, vec.Int32, vec.Int64, vec.HugeInt:
		return to.IsInteger() || to.Kind == vec.Decimal || to.Kind == vec.Varchar
	case vec.Decimal:
		return to.Kind == vec.Decimal && to.Scale >= from.Scale || to.Kind == vec.Varchar
	case vec.Timestamp, vec.TimestampTZ:
		return to.Kind == vec.Timestamp || to.Kind == vec.TimestampTZ || to.Kind == vec.Varchar
	case vec.Date:
		return isInstant(to) || to.Kind == vec.Varchar
	case vec.TimeOfDay:
		return to.Kind == vec.Varchar
	}
	return false
}
