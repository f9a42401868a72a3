package plan

import (
	"ubik/internal/expr"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// union plans UNION ALL: the arms of all parts, with their columns brought to one type each. Names are those of the first.
func (p *planner) union(u *sql.Union, at place, free int) (*rows, error) {
	if !u.All {
		return nil, sql.Errorf(u, "UNION, which removes duplicates, is not supported").WithHint("write UNION ALL, which keeps all rows")
	}
	if err := refuseTail(&u.Tail); err != nil {
		return nil, err
	}
	var parts []*rows
	for i, q := range u.Inputs {
		if i > 0 {
			free = anyName
		}
		r, err := p.query(q, at, free)
		if err != nil {
			return nil, err
		}
		if n, want := len(r.fields), len(parts); want > 0 && n != len(parts[0].fields) {
			return nil, sql.Errorf(q, "the parts of UNION ALL must have as many columns: the first has %d, this one %d", len(parts[0].fields), n)
		}
		parts = append(parts, r)
	}
	out := &rows{at: parts[0].at}
	for i, f := range parts[0].fields {
		t := typed(parts[0], i)
		for _, r := range parts[1:] {
			common, err := expr.CommonType(t, typed(r, i))
			if err != nil {
				return nil, sql.Errorf(r.at[i], "column %d of UNION ALL, %s: %s", i+1, sql.QuoteName(f.Name), err)
			}
			t = &expr.Column{T: common}
		}
		out.fields = append(out.fields, vec.Field{Name: f.Name, Type: t.Type()})
	}
	for _, r := range parts {
		for _, a := range r.arms {
			for i, f := range out.fields {
				if a.cols[i].Type().Equal(f.Type) {
					continue
				}
				x, err := expr.NewCast(a.cols[i], f.Type, false)
				if err != nil {
					return nil, sql.Errorf(r.at[i], "column %d of UNION ALL, %s: %s", i+1, sql.QuoteName(f.Name), err)
				}
				a.cols[i] = x
			}
			out.arms = append(out.arms, a)
		}
	}
	return out, nil
}

// typed stands for a column of which only the type counts.
func typed(r *rows, i int) expr.Expr { return &expr.Column{T: r.fields[i].Type} }
