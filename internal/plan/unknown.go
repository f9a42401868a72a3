package plan

import (
	"strings"

	"ubik/internal/sql"
)

// clockWords are the functions that are written without parentheses.
var clockWords = map[string]bool{"current_date": true, "current_time": true, "current_timestamp": true, "localtime": true, "localtimestamp": true}

// singleQuotes is what to write for a name in double quotes that may be meant as text.
func singleQuotes(id sql.Ident) string {
	if !id.Quoted {
		return ""
	}
	return "text is written in single quotes: " + sql.QuoteString(id.Name) + "; "
}

// unknown is the error of a name that is no column, with the nearest that is one.
func (s *scope) unknown(ref *sql.ColumnRef) error {
	first := ref.Parts[0]
	tables := s.tables()
	if len(ref.Parts) == 1 && !first.Quoted && clockWords[sql.FoldName(first.Name)] {
		return sql.Errorf(first, "%s is refused: its value is the clock's, so a replay would give another result", first.Name).
			WithHint("use the time column of the record")
	}
	if len(ref.Parts) > 1 {
		for _, t := range tables {
			if sql.SameName(first.Name, t.alias) {
				return s.b.noColumn(t, ref.Parts[1], false)
			}
		}
		for _, h := range s.rel.hidden {
			if sql.SameName(first.Name, h.table.alias) {
				return h.refuse(ref)
			}
		}
		for _, t := range tables {
			if t.name != "" && sql.SameName(first.Name, t.name) {
				return sql.Errorf(first, "%s is named %s in this query", sql.QuoteName(t.name), t.text()).WithHint("write %s", t.qualify(ref.Parts[1].Name))
			}
		}
	}
	text := ""
	if len(ref.Parts) == 1 {
		text = s.b.meantText(first)
	}
	if len(tables) == 1 {
		err := s.b.noColumn(tables[0], first, len(ref.Parts) == 1)
		if e, ok := err.(*sql.Error); ok && !strings.HasPrefix(e.Hint, text) {
			e.Hint = text + e.Hint
		}
		return err
	}
	names := make([]string, len(tables))
	all := append([]string{}, pseudoNames...)
	for i, t := range tables {
		names[i] = t.text()
		all = append(all, fieldNames(t.fields)...)
	}
	none := "none of " + listOf(names, "and") + " has"
	if len(names) == 2 {
		none = "neither " + names[0] + " nor " + names[1] + " has"
	}
	e, later := sql.Errorf(first, "%s a column %s", none, sql.QuoteName(first.Name)), ""
	for _, t := range tables {
		if t.source != nil && t.source.Inferred {
			later = comesLater
		}
	}
	if x, ok := s.b.output(first); ok {
		return e.WithHint("it names an output column, which a condition cannot use; write what it stands for: %s", sql.Format(x))
	}
	if near := sql.Nearest(first.Name, all[len(pseudoNames):]); near != "" && text == "" {
		for _, t := range tables {
			if _, ok := t.find(near); ok {
				return e.WithHint("did you mean %s?%s", t.qualify(near), after(" ", later))
			}
		}
	}
	if near := sql.Nearest(first.Name, pseudoNames); near != "" && text == "" {
		return e.WithHint("did you mean %s?", tables[len(tables)-1].qualify(near))
	}
	var hint []string
	for i, t := range tables {
		word := "those of "
		if i == 0 {
			word = "the columns of "
		}
		text := word + t.text()
		if i == 0 {
			text += " are"
		}
		hint = append(hint, text+": "+sql.Listed(fieldNames(t.fields)))
	}
	quotes := ""
	if len(ref.Parts) == 1 {
		quotes = singleQuotes(first)
	}
	return e.WithHint("%s%s%s", quotes, strings.Join(hint, "; "), after("; ", later))
}

// meantText is what to write for a name in double quotes that is compared as a text would be; "" for another one.
func (b *builder) meantText(id sql.Ident) string {
	if !id.Quoted {
		return ""
	}
	compared := false
	is := func(list ...sql.Expr) {
		for _, e := range list {
			ref, ok := e.(*sql.ColumnRef)
			compared = compared || ok && len(ref.Parts) == 1 && ref.Parts[0].Pos == id.Pos
		}
	}
	sql.Walk(b.sel, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Binary:
			switch n.Op {
			case sql.OpEq, sql.OpNe, sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe:
				is(n.L, n.R)
			}
		case *sql.Between:
			is(n.Low, n.High)
		case *sql.In:
			is(n.List...)
		case *sql.Like:
			is(n.Pattern)
		}
		return !compared
	})
	if !compared {
		return ""
	}
	return singleQuotes(id)
}

// noColumn is the error of a name that is no column of a table; alone says that it stands without the name of one.
func (b *builder) noColumn(t *table, id sql.Ident, alone bool) error {
	name := t.alias
	if t.source != nil {
		name = t.source.Name
	}
	names := fieldNames(t.fields)
	e, later := sql.Errorf(id, "%s has no column %s", sql.QuoteName(name), sql.QuoteName(id.Name)), ""
	if t.source != nil && t.source.Inferred {
		e, later = sql.Errorf(id, "%s was not seen in the first records of %s", sql.QuoteName(id.Name), sql.QuoteName(name)), comesLater
	}
	if x, ok := b.output(id); ok {
		return e.WithHint("a name of the select list can be used in GROUP BY alone; write what it stands for: %s", sql.Format(x))
	}
	candidates := names
	if t.source != nil {
		candidates = append(append([]string{}, names...), pseudoNames...)
	}
	if near := sql.Nearest(id.Name, candidates); near != "" {
		return e.WithHint("did you mean %s?%s", sql.QuoteName(near), after(" ", later))
	}
	quotes := ""
	if alone {
		quotes = singleQuotes(id)
	}
	return e.WithHint("%sits columns are: %s%s", quotes, sql.Listed(names), after("; ", later))
}

// output returns the entry of the select list that has a name, unless the name stands in it.
func (b *builder) output(id sql.Ident) (sql.Expr, bool) {
	for _, it := range b.items {
		at := it.expr.At()
		if ref, same := it.expr.(*sql.ColumnRef); same && sql.SameName(ref.Parts[len(ref.Parts)-1].Name, id.Name) {
			continue // it is that very name
		}
		if sql.SameName(it.name, id.Name) && (id.Pos < at.Pos || id.End > at.End) {
			return it.expr, true
		}
	}
	return nil, false
}

// refuse is the error of naming the table.
func (h hidden) refuse(at sql.Node) error {
	return sql.Errorf(at, "the columns of %s cannot be named here: this join gives rows of %s alone", h.table.text(), h.rest).
		WithHint("use JOIN for columns of both")
}
