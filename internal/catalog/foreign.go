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

// foreignOption says what to write in WITH (…) in place of an argument of a reader; nil: it is none.
func (d *draft) foreignOption(s *setting) error {
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
		case a.Table != "":
			return e.WithHint("write '%s'", a.Table)
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
func (d *draft) foreignArgument(name string, at sql.Node) error {
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
		if o.Refused != "" {
			return sql.Errorf(at, "option %s is not supported: %s", name, o.Refused).WithHint("%s", o.Try)
		}
		for _, a := range arguments {
			if a.Table == o.Name {
				return e.WithHint("write %s = …", a.Name)
			}
		}
		return e.WithHint("leave it out: it changes nothing of what is read")
	}
	for i := range arguments { // its own name, in quotes or with the format before it
		if a := &arguments[i]; (a.Of == "" || a.Of == "read_"+d.table.Format) && a.Name != sql.FoldName(name) && plainName(a.Name) == plainName(name) {
			return e.WithHint("write %s = …", a.Name)
		}
	}
	return nil
}
