package plan

import (
	"strings"

	"ubik/internal/sql"
)

// Usage is what of a source's columns a query names.
type Usage struct {
	All   bool                // it has a * that stands for them
	paths map[string][]string // of columns and of fields in them, from the outside in, by their folded names
}

// Uses reports whether the type of a column, or of a field in it, is needed: whether it is named, or something around or
// in it is.
func (u *Usage) Uses(path []string) bool { return u.around(path) || u.All || u.within(path) }

// around reports whether the path is named, or something around it.
func (u *Usage) around(path []string) bool {
	for i := range path {
		if _, ok := u.paths[pathKey(path[:i+1])]; ok {
			return true
		}
	}
	return false
}

func (u *Usage) within(path []string) bool {
	prefix := pathKey(path)
	for key := range u.paths {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

func pathKey(path []string) string {
	var b strings.Builder
	for _, name := range path {
		b.WriteString(sql.FoldName(name))
		b.WriteByte(0)
	}
	return b.String()
}

// Used returns what of each source a query names, by the source's name in lower case (sql.FoldName). It is found without
// knowing a schema, so that only these columns need one, and holds whatever Build decodes for such a query, apart from
// Source.Time. A name that could be a column of several sources counts for all of them. Views, and tables of WITH, count
// where they are used.
func Used(q sql.Query, views []*sql.CreateView) map[string]*Usage {
	u := &usedNames{of: map[string]*Usage{}, done: map[*named]bool{}}
	u.query(q, viewsOf(views), nil, false)
	return u.of
}

// usedNames walks queries.
type usedNames struct {
	of   map[string]*Usage
	done map[*named]bool
}

// shownTable is a source that a SELECT can name.
type shownTable struct {
	alias string
	of    *Usage
}

// shown are the sources that can be named at a place; outer are those of the SELECTs around it.
type shown struct {
	outer  *shown
	tables []shownTable
}

// query notes what a query names. exists tells that nothing is taken of its select list.
func (u *usedNames) query(q sql.Query, at place, outer *shown, exists bool) {
	at = at.with(tail(q).With)
	switch q := q.(type) {
	case *sql.Union:
		for _, in := range q.Inputs {
			u.query(in, at, outer, false)
		}
		for _, o := range q.OrderBy {
			u.expr(o.Expr, at, outer)
		}
	case *sql.Select:
		u.selection(q, at, outer, exists)
	}
}

func (u *usedNames) selection(s *sql.Select, at place, outer *shown, exists bool) {
	v := &shown{outer: outer}
	var joins []*sql.Join
	u.from(s.From, at, v, &joins)
	for _, j := range joins {
		u.expr(j.On, at, v)
		for _, id := range j.Using {
			v.name([]string{id.Name})
		}
	}
	for _, it := range s.Items {
		if star, ok := it.Expr.(*sql.Star); ok {
			if !exists {
				v.star(star)
			}
			continue
		}
		u.expr(it.Expr, at, v)
	}
	u.expr(s.Where, at, v)
	if s.GroupBy != nil {
		for _, e := range s.GroupBy.Items {
			u.expr(e, at, v)
		}
	}
	u.expr(s.Having, at, v)
	for _, o := range s.OrderBy {
		u.expr(o.Expr, at, v)
	}
}

// from adds the tables of FROM to those that can be named.
func (u *usedNames) from(t sql.TableExpr, at place, v *shown, joins *[]*sql.Join) {
	switch t := t.(type) {
	case *sql.TableName:
		if len(t.Parts) == 1 {
			u.table(t.Parts[0].Name, t.Alias, at, v)
		}
	case *sql.SubqueryTable:
		u.query(t.Query, at, nil, false)
	case *sql.Join:
		u.from(t.Left, at, v, joins)
		u.from(t.Right, at, v, joins)
		*joins = append(*joins, t)
	case *sql.TableFunc:
		for _, a := range t.Call.Args {
			if ref, ok := a.(*sql.ColumnRef); ok && len(ref.Parts) == 1 {
				u.table(ref.Parts[0].Name, &sql.TableAlias{Columns: ref.Parts}, at, v)
			}
		}
	}
}

// table notes a name in FROM. Columns that are renamed there are not told apart.
func (u *usedNames) table(name string, as *sql.TableAlias, at place, v *shown) {
	if n := at.names.find(name); n != nil {
		if !u.done[n] {
			u.done[n] = true
			u.query(n.query, n.inside(), nil, false)
		}
		return
	}
	key := sql.FoldName(name)
	of := u.of[key]
	if of == nil {
		of = &Usage{paths: map[string][]string{}}
		u.of[key] = of
	}
	if as != nil {
		of.All = of.All || as.Columns != nil
		name = as.Name.Name
	}
	v.tables = append(v.tables, shownTable{name, of})
}

// expr notes the names of an expression, which may be nil.
func (u *usedNames) expr(e sql.Expr, at place, v *shown) {
	if e == nil {
		return
	}
	sql.Walk(e, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Exists:
			u.query(n.Query, at, v, true)
			return false
		case sql.Query:
			u.query(n, at, v, false)
			return false
		case *sql.Field, *sql.Index:
			if ref := fieldName(n.(sql.Expr)); ref != nil {
				v.name(names(ref.Parts))
				return false
			}
		case *sql.ColumnRef:
			v.name(names(n.Parts))
		}
		return true
	})
}

func names(ids []sql.Ident) []string {
	var out []string
	for _, id := range ids {
		out = append(out, id.Name)
	}
	return out
}

// name notes a dotted name for every source of which it may be a column.
func (v *shown) name(parts []string) {
	for ; v != nil; v = v.outer {
		for _, t := range v.tables {
			t.of.paths[pathKey(parts)] = parts
			if len(parts) > 1 && sql.SameName(parts[0], t.alias) {
				t.of.paths[pathKey(parts[1:])] = parts[1:]
			}
		}
	}
}

// star notes * or t.*.
func (v *shown) star(s *sql.Star) {
	for _, t := range v.tables {
		if len(s.Table) == 0 || sql.SameName(s.Table[len(s.Table)-1].Name, t.alias) {
			t.of.All = true
		}
	}
}
