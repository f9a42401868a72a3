package catalog

import (
	"strings"

	"ubik/internal/sql"
)

// What a call of a reader takes has the names of DuckDB, what WITH (…) takes those of Flink. Who knows one of them writes
// its names in both.

// plainName is the name of an option without the format before it, its words joined as in a declaration.
func plainName(key string) string {
	key = sql.FoldName(key)
	for _, format := range []string{"csv", "json"} {
		for _, sign := range []string{".", "_", "-"} {
			if rest, ok := strings.CutPrefix(key, format+sign); ok {
				key = rest
			}
		}
	}
	return strings.ReplaceAll(key, "_", "-")
}

// nothingOfIt is what to do with an option that says what is the case anyway.
const nothingOfIt = "leave it out: it changes nothing of what is read"

// saysNothing reports whether a text is the value with which a refused option says what is the case anyway.
func (o *Option) saysNothing(text string) bool {
	switch {
	case o.Only == "":
		return false
	case text == "0" && o.Only == "false", text == "1" && o.Only == "true":
		return true
	}
	return strings.EqualFold(text, o.Only)
}

// declaredFormat is the format that a declaration says, whichever of its options stands first; "": none.
func declaredFormat(ct *sql.CreateTable) string {
	path := ""
	for i := range ct.Options {
		switch o := &ct.Options[i]; o.Key {
		case "format", "value.format":
			return sql.FoldName(o.Text())
		case "path":
			path = o.Text()
		}
	}
	if format := EndingFormat(path); format != "raw" { // which an option of another format overrules
		return format
	}
	return ""
}

// foreignOption says what to write in WITH (…) in place of an argument of a reader; nil: it is none.
func (d *draft) foreignOption(s *setting, ct *sql.CreateTable) error {
	format := declaredFormat(ct)
	for i := range arguments {
		a := &arguments[i]
		if plainName(a.Name) != plainName(s.key) {
			continue
		}
		if d.conn.name == "kafka" && a.Of == "" { // what is said of files
			return nil
		}
		e := sql.Errorf(s.at, "there is no option %s", s.key)
		switch {
		case a.Table != "" && format != "" && format != "csv" && format != "tsv":
			return e.WithHint("leave it out: it is for csv")
		case a.Table != "":
			return e.WithHint("write '%s'", a.Table)
		case a.saysNothing(s.text):
			return e.WithHint(nothingOfIt)
		case strings.HasPrefix(a.Try, byTable) && a.Only != "":
			return e.WithHint("leave it out: %s", a.Refused)
		case strings.HasPrefix(a.Try, byTable):
			return e.WithHint("columns stand in front of WITH: CREATE TABLE name (column TYPE, …) WITH (…)")
		case a.Refused != "":
			return sql.Errorf(s.at, "option %s is not supported: %s", s.key, a.Refused).WithHint("%s", a.Try)
		}
		return e.WithHint("leave it out: it belongs to %s", a.Of)
	}
	return nil
}

// foreignArgument says what to write in a call in place of an option of WITH (…); nil: it is none.
func (d *draft) foreignArgument(name string, at sql.Node, value sql.Expr) error {
	text, _ := constant(value)
	refused := func(o *Option) error {
		return sql.Errorf(at, "option %s is not supported: %s", name, o.Refused).WithHint("%s", o.Try)
	}
	e := sql.Errorf(at, "%s has no option %s", d.function, sql.QuoteName(name))
	switch plainName(name) {
	case "disable-quote-character":
		return e.WithHint("write quote = ''")
	case "path", "connector":
		return e.WithHint("the path is the first argument: %s('path')", d.function)
	case "format", "value.format":
		return e.WithHint("leave it out: %s reads %s", d.function, d.table.Format)
	case "follow", "source.monitor-interval":
		return e.WithHint("files are read on and on as they grow by --follow")
	}
	for i := range formatOptions {
		o := &formatOptions[i]
		if o.Of != d.table.Format && o.Name == sql.FoldName(name) {
			return sql.Errorf(at, "option %s is for format %s, %s reads %s", name, o.Of, d.function, d.table.Format).WithHint("leave it out")
		}
		if o.Of != d.table.Format || plainName(o.Name) != plainName(name) {
			continue
		}
		if o.Refused != "" && !o.saysNothing(text) {
			return refused(o)
		}
		for _, a := range arguments {
			if a.Table == o.Name {
				return e.WithHint("write %s = …", a.Name)
			}
		}
		return e.WithHint(nothingOfIt)
	}
	for i := range arguments { // its own name, with the format before it or other signs
		a := &arguments[i]
		if !d.takesArgument(a) || plainName(a.Name) != plainName(name) {
			continue
		}
		switch {
		case a.saysNothing(text):
			return e.WithHint(nothingOfIt)
		case a.Refused != "":
			return refused(a)
		}
		return e.WithHint("write %s = …", a.Name)
	}
	return nil
}

// quotedName is the error of an option of a reader whose name stands in quotes, as those of WITH (…) do, or of its value;
// nil: the text is no option of it.
func (d *draft) quotedName(name *sql.StringLit, value sql.Expr) error {
	key := sql.FoldName(name.Value)
	if findOption(arguments, key, d.takesArgument) == nil {
		return nil
	}
	if err := d.argument(&sql.NamedArg{Span: name.Span, Name: sql.Ident{Span: name.Span, Name: key}, Value: value}); err != nil {
		return err
	}
	return sql.Errorf(name, "the name of an option of %s stands without quotes", d.function).WithHint("write %s = …", key)
}
