package naive

import (
	"math/big"
	"slices"

	"ubik/internal/sql"
)

// table is what a name in FROM stands for.
type table struct {
	name    string   // "": it has none
	inner   bool     // it stands in the EXISTS whose condition is compiled, so its names hide those outside
	hides   int      // so many tables behind it have no bare name that it has: it is what USING makes one; else 0
	columns []string // those that * means
	has     func(name string) bool
	column  func(names []sql.Ident) (*node, error) // the first of which it has
}

// find is the table that a column is of, and its name without that of the table.
func (c *compiler) find(ref *sql.ColumnRef) (*table, []sql.Ident, error) {
	of := func(fits func(t *table) bool) []*table {
		var out, inner []*table
		for i := 0; i < len(c.tables); i++ {
			t := c.tables[i]
			switch {
			case !fits(t):
				continue
			case t.inner:
				inner = append(inner, t)
			default:
				out = append(out, t)
			}
			i += t.hides
		}
		if inner != nil {
			return inner
		}
		return out
	}
	names := ref.Parts
	if len(names) > 1 {
		found := of(func(t *table) bool {
			return t.name != "" && sql.SameName(names[0].Name, t.name) && t.has(names[1].Name)
		})
		if len(found) == 1 {
			return found[0], names[1:], nil
		}
	}
	found := of(func(t *table) bool { return t.has(names[0].Name) })
	if len(found) != 1 {
		return nil, nil, unsupported("the column %s of %d tables", sql.Format(ref), len(found))
	}
	return found[0], names, nil
}

// declares reports whether a table has a column of that name, other than those that come with each record.
func (c *compiler) declares(name string) bool {
	return slices.ContainsFunc(c.tables, func(t *table) bool { return contains(t.columns, name) })
}

func contains(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return sql.SameName(n, name) })
}

// column resolves [table.]column[.field…].
func (c *compiler) column(ref *sql.ColumnRef) (*node, error) {
	t, names, err := c.find(ref)
	if err != nil {
		return nil, err
	}
	return t.column(names)
}

// pseudo are the columns that come with a record.
var pseudo = []struct {
	name  string
	typ   Type
	value func(r *row) any
}{
	{"_topic", named("VARCHAR"), func(r *row) any { return r.part.Topic }},
	{"_partition", named("INTEGER"), func(r *row) any {
		if r.part.Index < 0 {
			return nil
		}
		return big.NewInt(int64(r.part.Index))
	}},
	{"_offset", named("BIGINT"), func(r *row) any { return big.NewInt(r.rec.Position) }},
	{"_timestamp", named("TIMESTAMP"), func(r *row) any {
		if r.part.Untimed {
			return nil
		}
		return r.rec.Time
	}},
	{"_key", named("VARCHAR"), func(r *row) any {
		if r.rec.Key == nil {
			return nil
		}
		return string(r.rec.Key)
	}},
}

// use is a column of a source that the query names.
type use struct {
	path []string
	typ  Type
}

// table is a source under a name, with its first columns renamed.
func (ref *reference) table(name string, renamed []sql.Ident) *table {
	src := ref.source
	t := &table{name: name}
	for i, col := range src.schema {
		if i < len(renamed) {
			col.Name = renamed[i].Name
		}
		t.columns = append(t.columns, col.Name)
	}
	t.has = func(name string) bool {
		for _, p := range pseudo {
			if sql.SameName(p.name, name) {
				return true
			}
		}
		return contains(t.columns, name)
	}
	t.column = func(names []sql.Ident) (*node, error) {
		at := slices.IndexFunc(t.columns, func(n string) bool { return sql.SameName(n, names[0].Name) })
		for _, p := range pseudo {
			if len(names) == 1 && at < 0 && sql.SameName(p.name, names[0].Name) {
				return &node{typ: p.typ, id: ref.id() + p.name, eval: func(r *row) (any, error) { return p.value(r), nil }}, nil
			}
		}
		if at < 0 {
			return nil, unsupported("the column %s", names[0].Name)
		}
		return ref.path([]string{src.schema[at].Name}, src.schema[at].Type, names[1:])
	}
	return t
}

// path is what names lead to from a path of a record. It is used; what lies on the way is not.
func (ref *reference) path(path []string, typ Type, names []sql.Ident) (*node, error) {
	for len(names) > 0 && typ.Name == "STRUCT" {
		f := find(typ.Fields, names[0].Name)
		if f == nil {
			return nil, unsupported("the field %s", names[0].Name)
		}
		path, typ, names = append(slices.Clone(path), f.Name), f.Type, names[1:]
	}
	key := pathKey(path)
	if !slices.ContainsFunc(ref.used, func(u use) bool { return pathKey(u.path) == key }) {
		ref.used = append(ref.used, use{path, typ})
	}
	n := &node{typ: typ, id: ref.id() + key, eval: func(r *row) (any, error) { return r.cols[key], nil }}
	if typ.Name == "STRUCT" {
		n.field = func(names []sql.Ident) (*node, error) { return ref.path(path, typ, names) }
	}
	return members(n, names)
}

func find(cols []Column, name string) *Column {
	for i := range cols {
		if sql.SameName(cols[i].Name, name) {
			return &cols[i]
		}
	}
	return nil
}

func pathKey(path []string) string {
	key := ""
	for _, p := range path {
		key += quote(p)
	}
	return key
}

// column is a column of a query.
type column struct {
	name string
	node *node
	use  func() // tells the joins below that it is named
}

// queryTable is the output of a query under a name, with its first columns renamed.
func queryTable(name string, renamed []sql.Ident, out []column) *table {
	t := &table{name: name}
	for i, col := range out {
		if i < len(renamed) {
			col.name = renamed[i].Name
		}
		t.columns = append(t.columns, col.name)
	}
	t.has = func(name string) bool { return contains(t.columns, name) }
	t.column = func(names []sql.Ident) (*node, error) {
		var found []column
		for i, n := range t.columns {
			if sql.SameName(n, names[0].Name) {
				found = append(found, out[i])
			}
		}
		if len(found) != 1 {
			return nil, unsupported("the column %s of a query", names[0].Name)
		}
		found[0].use()
		n := *found[0].node
		n.loose, n.lit = false, nil // in a query a literal has its type for good
		return members(&n, names[1:])
	}
	return t
}
