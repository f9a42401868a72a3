package catalog

import (
	"errors"
	"slices"
	"strings"

	"ubik/internal/connector"
	"ubik/internal/sql"
)

// Load reads a script: its statements in order, then what the query reads and where its rows go.
func Load(in Input) (*Job, error) {
	l := &loader{in: in, job: &Job{}, visited: map[sql.Query]bool{}, commons: map[sql.Query]bool{}}
	if err := l.load(); err != nil {
		var other *TextError
		if errors.As(err, &other) {
			return nil, &TextError{RedactError(other.Err, other.Text), other.Name, other.Text}
		}
		return nil, RedactError(err, in.Text)
	}
	return l.job, nil
}

// loader puts a job together.
type loader struct {
	in      Input
	job     *Job
	names   []*entry // all there are, in the order of flags, then of the script
	paths   []*Table // that FROM names, in the order of the text
	insert  *sql.Insert
	target  *entry          // of insert
	taken   map[string]bool // folded names that a path cannot have
	visited map[sql.Query]bool
	commons map[sql.Query]bool // the queries of tables of WITH, and whether they are read
}

// entry is a name that FROM may say. Exactly one of from, table and view is set.
type entry struct {
	text  string
	from  *Table           // of --from
	table *sql.CreateTable // declared
	view  *sql.CreateView
	at    sql.Node // nil: a flag

	read  bool // the query reads it
	busy  bool // view: being resolved
	ready bool // view: resolved
}

func (l *loader) load() error {
	if strings.TrimSpace(l.in.Text) == "" {
		return noQuery()
	}
	list, err := sql.ParseScript(l.in.Text)
	if err != nil {
		return l.unquoted(err)
	}
	if len(list) == 0 {
		return noQuery()
	}
	if err := l.checkFlags(); err != nil {
		return err
	}
	for _, from := range l.in.Flags.From {
		if err := l.addFrom(from); err != nil {
			return err
		}
	}
	if err := l.statements(list); err != nil {
		return err
	}
	l.taken = takenNames(l.names, list)
	if l.insert != nil {
		if err := l.findTarget(); err != nil {
			return err
		}
	}
	if err := l.resolveWhole(l.job.Query); err != nil {
		return err
	}
	if err := l.sources(); err != nil {
		return err
	}
	if err := l.sink(); err != nil {
		return err
	}
	return l.key()
}

// unquoted is an error of the parser, or, of a URL that lacks its quotes, that there is no connector for it, since with
// quotes it would be refused.
func (l *loader) unquoted(err error) error {
	var e *sql.Error
	if !errors.As(err, &e) || !strings.Contains(e.Path, "://") {
		return err
	}
	if _, none := kindOf(l.in.Kinds, e.Path); none != nil {
		return placed(none, sql.Span{Pos: e.Pos, End: e.End})
	}
	return err
}

func noQuery() error {
	return usage("it is the last argument: ubik --from … \"SELECT … FROM …\", or in a file with -f", "no query")
}

// statements takes the declarations, and the query that must be the last.
func (l *loader) statements(list []sql.Statement) error {
	for _, s := range list {
		if l.job.Query != nil {
			if _, again := asQuery(s); again {
				return sql.Errorf(l.firstWord(s), "one run is one query, and this is a second one").
					WithHint("run it by a command of its own; both may share a source")
			}
			return sql.Errorf(l.firstWord(s), "a declaration stands before the query").WithHint("move it in front; the query is the last statement")
		}
		var err error
		switch s := s.(type) {
		case *sql.CreateTable:
			err = l.declare(&entry{text: s.Name.Name, table: s, at: s.Name}, s.IfNotExists, false)
		case *sql.CreateView:
			err = l.declare(&entry{text: s.Name.Name, view: s, at: s.Name}, s.IfNotExists, s.OrReplace)
		case *sql.Insert:
			l.insert, l.job.Query, l.job.Columns = s, s.Query, s.Columns
		case sql.Query:
			l.job.Query = s
		}
		if err != nil {
			return err
		}
	}
	if l.job.Query == nil {
		last := list[len(list)-1].At()
		return sql.Errorf(sql.Span{Pos: last.End, End: last.End}, "the script has no query").
			WithHint("end it with SELECT … FROM …, or with INSERT INTO name SELECT … FROM …")
	}
	return nil
}

// asQuery returns the query of a statement that has rows.
func asQuery(s sql.Statement) (sql.Query, bool) {
	if i, ok := s.(*sql.Insert); ok {
		return i.Query, true
	}
	q, ok := s.(sql.Query)
	return q, ok
}

// firstWord is the place of the word that a statement begins with.
func (l *loader) firstWord(s sql.Statement) sql.Span {
	at := s.At()
	end := at.Pos
	for end < at.End && (l.in.Text[end]|0x20 >= 'a' && l.in.Text[end]|0x20 <= 'z' || end == at.Pos) {
		end++
	}
	return sql.Span{Pos: at.Pos, End: end}
}

// declare adds a name of the script.
func (l *loader) declare(n *entry, unlessThere, replace bool) error {
	old := l.find(n.text)
	if old == nil {
		l.names = append(l.names, n)
		return nil
	}
	switch {
	case old.from != nil && n.table != nil && n.table.Options == nil:
		return l.columnsOf(old.from, n.table)
	case old.from != nil:
		return sql.Errorf(n.at, "%s is a source of --from already", sql.QuoteName(n.text)).
			WithHint("leave one of them away, or name the other: --from NAME=%s", old.from.URL)
	case unlessThere:
		return nil
	case replace && old.view != nil:
		*old = *n
		return nil
	}
	e := sql.Errorf(n.at, "%s is declared twice", sql.QuoteName(n.text))
	if n.view != nil && old.view != nil {
		return e.WithHint("give one of them another name, or write CREATE OR REPLACE VIEW")
	}
	return e.WithHint("give one of them another name")
}

// find returns what goes by a name, nil for none.
func (l *loader) find(text string) *entry {
	for _, n := range l.names {
		if sql.SameName(n.text, text) {
			return n
		}
	}
	return nil
}

// findTarget finds the table of INSERT INTO.
func (l *loader) findTarget() error {
	id := l.insert.Name
	var tables []string
	for _, n := range l.names {
		if n.table != nil {
			tables = append(tables, n.text)
		}
	}
	n := l.find(id.Name)
	quoted := sql.QuoteName(id.Name)
	switch {
	case n != nil && n.table != nil:
		l.target = n
	case n != nil && n.view != nil:
		return sql.Errorf(id, "%s is a view, which holds no rows", quoted).WithHint("declare a table with CREATE TABLE name (…) WITH (…)")
	case n != nil:
		return sql.Errorf(id, "%s is a source of --from, and rows go to a declared table", quoted).
			WithHint("declare another one with CREATE TABLE name (…) WITH (…), or name the sink by --to")
	default:
		e := sql.Errorf(id, "there is no table named %s", quoted)
		if near := sql.Nearest(id.Name, tables); near != "" {
			return e.WithHint("did you mean %s?", sql.QuoteName(near))
		}
		return e.WithHint("declare it with CREATE TABLE %s (…) WITH (…), or leave INSERT INTO away and name the sink by --to", quoted)
	}
	if to := l.in.Flags.To; to != "" {
		return sql.Errorf(id, "rows go to %s, but --to names a sink too", quoted).WithHint("leave --to away, or INSERT INTO %s", quoted)
	}
	if l.in.Flags.ToFormat != "" {
		return sql.Errorf(id, "rows go to %s, which says its format itself", quoted).WithHint("leave --to-format away, and give it 'format' = '%s'", l.in.Flags.ToFormat)
	}
	return nil
}

// sources makes the tables that are read.
func (l *loader) sources() error {
	for _, n := range l.names {
		if n.from != nil {
			l.job.Sources = append(l.job.Sources, *n.from)
		}
	}
	for _, n := range l.names {
		if n.table == nil || !n.read {
			continue
		}
		t, err := l.declared(n.table, false)
		if err != nil {
			return err
		}
		l.job.Sources = append(l.job.Sources, *t)
	}
	for _, t := range l.paths {
		l.job.Sources = append(l.job.Sources, *t)
	}
	return l.applyFlags()
}

// sink makes the table that is written.
func (l *loader) sink() error {
	if l.target != nil {
		if l.target.read {
			return sql.Errorf(l.insert.Name, "the query reads %s, which it writes", sql.QuoteName(l.target.text)).WithHint("write to another table")
		}
		t, err := l.declared(l.target.table, true)
		if err != nil {
			return err
		}
		l.job.Sink = *t
		return l.insertColumns()
	}
	url := l.in.Flags.To
	if url == "" {
		url = "-"
	}
	k, err := kindOf(l.in.Kinds, url)
	if err != nil {
		return err
	}
	if k.NewSink == nil {
		return usage("", url+" can only be a source")
	}
	t := Table{Kind: k, URL: url, Delay: -1, Client: l.client(k, nil)}
	t.Name, t.Log = tableName(k, url)
	if k.Name == stdKind {
		t.Name = "stdout"
	}
	if t.Format = endingFormat(k, url); t.Format == "raw" {
		t.Format = "" // a file of rows may have any ending
	}
	if f := l.in.Flags.ToFormat; f != "" {
		if err := l.knownFormat("--to-format ", f); err != nil {
			return err
		}
		t.Format = f
	}
	if err := probe(&t, true); err != nil {
		return err
	}
	l.job.Sink = t
	return nil
}

// insertColumns checks the columns of INSERT INTO name (columns).
func (l *loader) insertColumns() error {
	var names []string
	for _, f := range l.job.Sink.Schema {
		names = append(names, f.Name)
	}
	for _, c := range l.job.Columns {
		if names != nil && !slices.ContainsFunc(names, func(n string) bool { return sql.SameName(n, c.Name) }) {
			return noColumn(c, l.job.Sink.Name, names)
		}
	}
	return nil
}

// noColumn says that a table lacks a column, and what it has.
func noColumn(at sql.Ident, table string, names []string) error {
	e := sql.Errorf(at, "%s has no column %s", sql.QuoteName(table), sql.QuoteName(at.Name))
	if near := sql.Nearest(at.Name, names); near != "" {
		return e.WithHint("did you mean %s?", sql.QuoteName(near))
	}
	return e.WithHint("its columns are: %s", sql.Listed(names))
}

// key decides the columns of the sink's key.
func (l *loader) key() error {
	l.job.Key = l.job.Sink.Key
	if l.in.Flags.Key == "" {
		return nil
	}
	if l.job.Key != nil {
		return usage("leave --key away", "--key "+l.in.Flags.Key+": "+sql.QuoteName(l.job.Sink.Name)+" declares its key: "+sql.Listed(l.job.Key))
	}
	for _, k := range strings.Split(l.in.Flags.Key, ",") {
		l.job.Key = append(l.job.Key, strings.TrimSpace(k))
	}
	return nil
}

// probe has the connector parse the URL and the client's properties, so that what is wrong is told first.
func probe(t *Table, sink bool) error {
	o := &connector.Options{Client: t.Client}
	if sink {
		s, err := t.Kind.NewSink(t.URL, o)
		if err == nil {
			s.Close()
		}
		return err
	}
	s, err := t.Kind.NewSource(t.URL, o)
	if err == nil {
		s.Close()
	}
	return err
}
