package catalog

import (
	"strings"

	"ubik/internal/plan"
	"ubik/internal/sql"
)

// tables are those that WITH gives around a query, innermost last.
type tables []*common

// common is a table of WITH.
type common struct {
	name   string
	query  sql.Query
	around tables // what it knows: those before it
}

func (t tables) find(text string) *common {
	for i := len(t) - 1; i >= 0; i-- {
		if sql.SameName(t[i].name, text) {
			return t[i]
		}
	}
	return nil
}

func (t tables) has(text string) bool { return t.find(text) != nil }

// with adds the tables of a query's WITH, of which each knows those before it.
func (t tables) with(q sql.Query) tables {
	w := withOf(q)
	if w == nil {
		return t
	}
	t = t[:len(t):len(t)]
	for _, c := range w.Tables {
		t = append(t, &common{c.Name.Name, c.Query, t})
	}
	return t
}

func withOf(q sql.Query) *sql.With {
	switch q := q.(type) {
	case *sql.Select:
		return q.With
	case *sql.Union:
		return q.With
	}
	return nil
}

// unused reports whether a query is that of a table of WITH which nothing reads.
func (l *loader) unused(q sql.Query) bool {
	used, is := l.commons[q]
	return is && !used
}

// reach finds the tables of WITH that a query reads, by itself or by another of them. It is done before what they read is
// noted, so that sources are noted in the order of the text.
func (l *loader) reach(q sql.Query, with tables) {
	if w := withOf(q); w != nil {
		for _, t := range w.Tables {
			if _, known := l.commons[t.Query]; !known {
				l.commons[t.Query] = false
			}
		}
	}
	with = with.with(q)
	read := func(text string) {
		if c := with.find(text); c != nil && !l.commons[c.query] {
			l.commons[c.query] = true
			l.reach(c.query, c.around)
		}
	}
	sql.Walk(q, func(n sql.Node) bool {
		switch n := n.(type) {
		case sql.Query:
			if _, isCommon := l.commons[n]; n != q && !isCommon {
				l.reach(n, with)
			}
			return n == q
		case *sql.TableName:
			if len(n.Parts) == 1 {
				read(n.Parts[0].Name)
			}
		case *sql.FilePath:
			read(n.Path)
		case *sql.TableFunc:
			for _, a := range n.Call.Args {
				if ref, ok := a.(*sql.ColumnRef); ok && len(ref.Parts) == 1 {
					read(ref.Parts[0].Name)
				}
			}
		}
		return true
	})
}

// resolveWhole resolves a query that stands in no other.
func (l *loader) resolveWhole(q sql.Query) error {
	l.reach(q, nil)
	return l.resolve(q, nil)
}

// resolve notes what a query reads, and replaces the paths in it. with holds what stands around it. A table of WITH that
// nothing reads is not looked at.
func (l *loader) resolve(q sql.Query, with tables) (err error) {
	if l.visited[q] || l.unused(q) {
		return nil
	}
	l.visited[q] = true
	around := len(with)
	with = with.with(q)
	for _, c := range with[around:] {
		if err := l.resolve(c.query, c.around); err != nil {
			return err
		}
	}
	var visit func(n sql.Node) bool
	visit = func(n sql.Node) bool {
		if err != nil {
			return false
		}
		inner, isQuery := n.(sql.Query)
		if isQuery && n != q {
			err = l.resolve(inner, with)
			return false
		}
		if s, ok := n.(*sql.Select); ok {
			for _, item := range s.Items { // which stand before FROM
				sql.Walk(item.Expr, visit)
			}
			if err == nil {
				s.From, err = l.table(s.From, with)
			}
		}
		return err == nil
	}
	sql.Walk(q, visit)
	return err
}

// table resolves one entry of FROM, and returns what stands there from now on. Queries in it are left to the walk.
func (l *loader) table(t sql.TableExpr, with tables) (_ sql.TableExpr, err error) {
	switch t := t.(type) {
	case *sql.Join:
		if t.Left, err = l.table(t.Left, with); err == nil {
			t.Right, err = l.table(t.Right, with)
		}
		return t, err
	case *sql.TableName:
		if len(t.Parts) > 1 {
			var names []string
			for _, n := range l.names {
				names = append(names, n.text)
			}
			for _, c := range with {
				names = append(names, c.name)
			}
			return nil, t.Dotted(names)
		}
		if with.has(t.Parts[0].Name) {
			return t, nil
		}
		return t, l.use(t, t.Parts[0].Name, with)
	case *sql.FilePath:
		if n := l.find(t.Path); n != nil || with.has(t.Path) { // a name in the wrong quotes is still that name
			id := sql.Ident{Span: sql.Span{Pos: t.Pos, End: t.Pos + len(sql.QuoteString(t.Path))}, Name: t.Path, Quoted: true}
			return l.table(&sql.TableName{Span: t.Span, Parts: []sql.Ident{id}, Alias: t.Alias}, with)
		}
		return l.path(t)
	case *sql.TableFunc:
		return l.function(t, with)
	}
	return t, nil
}

// use notes that a name is read.
func (l *loader) use(at sql.Node, text string, with tables) error {
	n := l.find(text)
	switch {
	case n == nil:
		return l.unknown(at, text, with)
	case n.view == nil || n.ready:
		n.read = true
		return nil
	case n.busy:
		return sql.Errorf(at, "the view %s reads itself", sql.QuoteName(n.text)).WithHint("a view is made of tables, and of views that do not read it")
	}
	n.busy = true
	if err := l.resolveWhole(n.view.Query); err != nil {
		return err
	}
	n.read, n.busy, n.ready = true, false, true
	l.job.Views = append(l.job.Views, n.view)
	return nil
}

// unknown says that nothing goes by a name.
func (l *loader) unknown(at sql.Node, text string, with tables) error {
	var names []string
	for _, n := range l.names {
		if n != l.target && !n.busy {
			names = append(names, n.text)
		}
	}
	for _, c := range with {
		names = append(names, c.name)
	}
	e := sql.Errorf(at, "there is no source named %s", sql.QuoteName(text))
	if sql.LooksLikePath(text) {
		return e.WithHint("a path is written in single quotes: %s", sql.QuoteString(text))
	}
	if near := sql.Nearest(text, names); near != "" {
		return e.WithHint("did you mean %s?", sql.QuoteName(near))
	}
	if len(names) == 0 {
		return e.WithHint("give it: --from %s=URL; or read a file: FROM 'txns.jsonl'", sql.QuoteName(text))
	}
	return e.WithHint("the sources are: %s; another is added by --from", sql.Listed(names))
}

// function resolves a call in FROM.
func (l *loader) function(t *sql.TableFunc, with tables) (sql.TableExpr, error) {
	name := t.Call.Name.Name
	if f := readerNamed(name); f != nil {
		return l.reader(t, f)
	}
	var names []string
	for _, w := range plan.WindowFunctions() {
		if sql.SameName(w.Name, name) {
			return t, l.windowed(t, with)
		}
		names = append(names, w.Name)
	}
	for _, f := range readers {
		names = append(names, f.name)
	}
	for _, r := range refusedReaders {
		if sql.SameName(r.name, name) {
			return nil, sql.Errorf(t.Call.Name, "%s is not supported%s", sql.FoldName(name), r.why).WithHint("%s", r.try)
		}
	}
	e := sql.Errorf(t.Call.Name, "there is no table function %s", sql.QuoteName(name))
	if near := sql.Nearest(name, names); near != "" {
		return nil, e.WithHint("did you mean %s?", near)
	}
	return nil, e.WithHint("a file is read by FROM 'path', read_csv('path') or read_json('path')")
}

// windowed notes the tables that a window function in FROM is given.
func (l *loader) windowed(t *sql.TableFunc, with tables) error {
	for _, a := range t.Call.Args {
		if ref, ok := a.(*sql.ColumnRef); ok && len(ref.Parts) == 1 && !with.has(ref.Parts[0].Name) && l.find(ref.Parts[0].Name) != nil {
			if err := l.use(ref, ref.Parts[0].Name, with); err != nil {
				return err
			}
		}
	}
	return nil
}

// path makes a source of FROM 'path'.
func (l *loader) path(t *sql.FilePath) (sql.TableExpr, error) {
	end := t.End
	if t.Alias != nil {
		end = t.Pos + len(strings.TrimRight(l.in.Text[t.Pos:t.Alias.Pos], " \t\r\n"))
	}
	at := sql.Span{Pos: t.Pos, End: end}
	src, err := l.pathTable(at, t.Path, "", nil)
	if err != nil {
		return nil, err
	}
	alias, _ := tableName(src.Kind, src.URL)
	return named(t.Span, at, src.Name, alias, t.Alias), nil
}

// named is the table that stands in place of a path.
func named(span, at sql.Span, table, alias string, given *sql.TableAlias) *sql.TableName {
	n := &sql.TableName{Span: span, Parts: []sql.Ident{{Span: at, Name: table, Quoted: true}}, Alias: given}
	if given == nil && alias != table {
		n.Alias = &sql.TableAlias{Span: at, Name: sql.Ident{Span: at, Name: alias, Quoted: true}}
	}
	return n
}

// pathTable returns the source of a path: one that there is already if it says the same, else a new one.
func (l *loader) pathTable(at sql.Span, url, format string, options map[string]string) (*Table, error) {
	k, err := kindOf(l.in.Kinds, url)
	if err != nil {
		return nil, placed(err, at)
	}
	if k.NewSource == nil {
		return nil, sql.Errorf(at, "%s can only be a sink", url)
	}
	if format == "" && options == nil {
		for _, n := range l.names {
			if n.from != nil && n.from.URL == url {
				n.read = true
				return n.from, nil
			}
		}
	}
	t := &Table{Kind: k, URL: url, Delay: -1, Client: l.client(k, nil), Format: format, FormatOptions: options, At: at}
	for _, same := range l.paths {
		if same.URL == url && same.Format == format && sameOptions(same.FormatOptions, options) {
			return same, nil
		}
	}
	if err := probe(&Table{Kind: k, URL: url}, false); err != nil {
		return nil, placed(err, at)
	}
	if err := probe(t, false); err != nil {
		return nil, err // of -X
	}
	t.Name, t.Log = tableName(k, url)
	t.Name = l.freeName(t.Name)
	l.paths = append(l.paths, t)
	return t, nil
}

func sameOptions(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || w != v {
			return false
		}
	}
	return true
}
