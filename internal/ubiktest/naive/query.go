package naive

import (
	"strings"

	"ubik/internal/sql"
)

// query is a query ready to be evaluated.
type query struct {
	Query
	where  *node
	agg    *grouping // nil: record by record
	having *node
	items  []item
	out    []*node
	key    []int // of items; nil: the default key
	used   []use
}

func compile(q Query) (*query, error) {
	stmt, err := sql.Parse(q.SQL)
	if err != nil {
		return nil, err
	}
	sel, ok := stmt.(*sql.Select)
	if !ok || sel.Distinct || len(sel.OrderBy) > 0 || sel.Limit != nil || sel.Offset != nil {
		return nil, unsupported("%s", q.SQL)
	}
	from, ok := sel.From.(*sql.TableName)
	if !ok || len(from.Parts) != 1 || !sql.SameName(from.Parts[0].Name, q.Table) {
		return nil, unsupported("this FROM")
	}
	c := &compiler{table: from.Parts[0].Name}
	if from.Alias != nil {
		c.table = from.Alias.Name.Name
	}
	if c.schema, err = schema(q.Schema); err != nil {
		return nil, err
	}
	p := &query{Query: q}
	for i := range sel.Items {
		it := &sel.Items[i]
		if _, star := it.Expr.(*sql.Star); star {
			for _, col := range c.schema {
				p.items = append(p.items, item{&sql.ColumnRef{Parts: []sql.Ident{{Name: col.Name}}}, col.Name})
			}
			continue
		}
		name := c.nameOf(it.Expr)
		if it.Alias != nil {
			name = it.Alias.Name
		}
		p.items = append(p.items, item{it.Expr, name})
	}
	if sel.Where != nil {
		if p.where, err = c.boolean(sel.Where); err != nil {
			return nil, err
		}
	}
	if err := p.compileItems(c, sel); err != nil {
		return nil, err
	}
	for _, name := range q.Key {
		for i, it := range p.items {
			if sql.SameName(it.name, name) {
				p.key = append(p.key, i)
				break
			}
		}
	}
	p.used = c.used
	return p, nil
}

func (p *query) compileItems(c *compiler, sel *sql.Select) error {
	groups := sel.GroupBy != nil || sel.Having != nil
	for _, it := range p.items {
		groups = groups || hasAggregate(it.expr)
	}
	if groups {
		g, err := c.groupBy(sel, p.items)
		if err != nil {
			return err
		}
		p.agg, c.agg = g, g
	}
	for _, it := range p.items {
		n, err := c.expr(it.expr)
		if err != nil {
			return err
		}
		p.out = append(p.out, n)
	}
	if sel.Having != nil {
		var err error
		if p.having, err = c.boolean(sel.Having); err != nil {
			return err
		}
	}
	c.agg = nil
	return nil
}

// object is one JSON object of names and values.
func object(names []string, values []string) string {
	for i := range names {
		values[i] = quote(names[i]) + ":" + values[i]
	}
	return "{" + strings.Join(values, ",") + "}"
}

// value is the value of an output row, and the texts of its columns.
func (p *query) value(r *row) (string, []string, error) {
	var names, texts []string
	for i, n := range p.out {
		v, err := n.eval(r)
		if err != nil {
			return "", nil, err
		}
		names, texts = append(names, p.items[i].name), append(texts, output(v, n.typ))
	}
	return object(names, append([]string{}, texts...)), texts, nil
}

// keyOf is the key that --key names.
func (p *query) keyOf(texts []string) string {
	var names, values []string
	for _, i := range p.key {
		names, values = append(names, p.items[i].name), append(values, texts[i])
	}
	return object(names, values)
}
