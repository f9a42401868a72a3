package plan

import (
	"fmt"
	"strings"

	"ubik/internal/sql"
)

// named is a query with a name, of WITH or of CREATE VIEW. Each use in FROM plans it anew, as a subquery would be.
//
// What can be named at a place is a list, the nearest first: of WITH the last table is the nearest, behind it come those
// around, behind all of them the views, and where the list ends the sources. A query knows those that stand before its own
// name, so none knows itself.
type named struct {
	outer   *named // the next of the list, which is what its query knows
	name    sql.Ident
	columns []sql.Ident // names of its columns, from the first; nil: as the query has them
	query   sql.Query
	behind  []sql.Ident // declared with it, but behind it
	in      *named      // in whose text it is declared; nil: in none's
}

func (n *named) find(name string) *named {
	for ; n != nil; n = n.outer {
		if sql.SameName(n.name.Name, name) {
			return n
		}
	}
	return nil
}

// place is where a query stands.
type place struct {
	names *named // what can be named there; nil: sources alone
	in    *named // of whose text it is a part; nil: of none's
}

// with is the place behind a WITH, which may be nil.
func (at place) with(w *sql.With) place {
	if w == nil {
		return at
	}
	var behind []sql.Ident
	for _, t := range w.Tables {
		behind = append(behind, t.Name)
	}
	for i, t := range w.Tables {
		at.names = &named{outer: at.names, name: t.Name, columns: t.Columns, query: t.Query, behind: behind[i+1:], in: at.in}
	}
	return at
}

// inside is the place of a named query.
func (n *named) inside() place { return place{n.outer, n} }

// tail is what belongs to a query as a whole.
func tail(q sql.Query) *sql.Tail {
	switch q := q.(type) {
	case *sql.Union:
		return &q.Tail
	case *sql.Select:
		return &q.Tail
	}
	panic("plan: a query of another kind")
}

// viewsOf is what views make known, each to those behind it.
func viewsOf(views []*sql.CreateView) place {
	var at place
	var behind []sql.Ident
	for _, v := range views {
		behind = append(behind, v.Name)
	}
	for i, v := range views {
		if v.IfNotExists && at.names.find(v.Name.Name) != nil {
			continue
		}
		at.names = &named{outer: at.names, name: v.Name, columns: v.Columns, query: v.Query, behind: behind[i+1:]}
	}
	return at
}

// checkViews refuses views whose name stands for something else, too.
func (p *planner) checkViews() error {
	for i, v := range p.req.Views {
		name := sql.QuoteName(v.Name.Name)
		for _, s := range p.req.Sources {
			if sql.SameName(s.Name, v.Name.Name) {
				return sql.Errorf(v.Name, "%s is the name of a source, which a view cannot have", name).WithHint("give the view another name, and use that in the query")
			}
		}
		for _, before := range p.req.Views[:i] {
			if sql.SameName(before.Name.Name, v.Name.Name) && !v.IfNotExists {
				return sql.Errorf(v.Name, "two views are named %s", name).WithHint("give one of them another name, or leave it away")
			}
		}
	}
	return nil
}

// referencesMost bounds what a query is when its named queries are written out: views that name another twice, and are
// named twice, double it.
const referencesMost = 2000

// mention counts an entry of FROM.
func (p *planner) mention(at sql.Node) error {
	if p.mentions++; p.mentions > referencesMost {
		return sql.Errorf(at, "with its WITH and views written out at each use, the query has more than %d tables", referencesMost).
			WithHint("use them in fewer places")
	}
	return nil
}

// ofNamed is the relation of a query that FROM names.
func (b *builder) ofNamed(n *named, f *sql.TableName) (*relation, error) {
	q, err := b.p.query(n.query, n.inside(), max(len(n.columns), renamed(f.Alias)))
	if err != nil {
		return nil, err
	}
	return q.relation(&table{alias: n.name.Name, name: n.name.Name}, &sql.TableAlias{Name: n.name, Columns: n.columns}, f.Alias)
}

// unknownTable is the error of a name in FROM that stands for nothing.
func (b *builder) unknownTable(f *sql.TableName) error {
	name := f.Parts[0].Name
	quoted := sql.QuoteName(name)
	for n := b.at.in; n != nil; n = n.in {
		if sql.SameName(n.name.Name, name) {
			return sql.Errorf(f, "%s is used in its own query: over a stream a recursion has no end", quoted).
				WithHint("read a source there, or what is defined before %s", quoted)
		}
		if hasName(n.behind, f.Parts[0]) {
			return sql.Errorf(f, "%s is used before it is defined", quoted).WithHint("move it in front of %s", sql.QuoteName(n.name.Name))
		}
	}
	var names, defined []string
	for n := b.at.names; n != nil; n = n.outer {
		names = append(names, n.name.Name)
		defined = append(defined, sql.QuoteName(n.name.Name))
	}
	for _, s := range b.p.req.Sources {
		names = append(names, s.Name)
	}
	e := sql.Errorf(f, "there is no source named %s", quoted)
	if near := sql.Nearest(name, names); near != "" {
		return e.WithHint("did you mean %s?", sql.QuoteName(near))
	}
	hint := fmt.Sprintf("the sources are: %s; another is added by --from", b.p.sourceNames())
	if defined != nil {
		hint = fmt.Sprintf("defined are: %s; %s", strings.Join(defined, ", "), hint)
	}
	return e.WithHint("%s", hint)
}
