package catalog

import (
	"strings"

	"ubik/internal/sql"
)

// reader is a table function that reads files.
type reader struct {
	name   string
	format string
}

// readers are the table functions of DuckDB that have a meaning here.
var readers = []reader{
	{"read_csv", "csv"}, {"read_csv_auto", "csv"},
	{"read_json", "json"}, {"read_json_auto", "json"}, {"read_ndjson", "json"}, {"read_ndjson_auto", "json"},
}

// refusedReaders are others that are looked for.
var refusedReaders = []struct{ name, why, try string }{
	{"read_json_objects", "", "read_json reads the fields of the objects as columns; FROM 'path' with --format raw gives each line as _value"},
	{"read_ndjson_objects", "", "read_json reads the fields of the objects as columns; FROM 'path' with --format raw gives each line as _value"},
	{"read_text", ": a record is a line, not a file", "FROM 'path.txt' has a row for each line, in the column _value"},
	{"read_blob", ": a record is a line, not a file", "FROM 'path.txt' has a row for each line, in the column _value"},
	{"read_parquet", ": a Parquet file has no order of records to continue in", "convert it first, as with duckdb -c \"COPY 'x.parquet' TO 'x.csv'\""},
	{"parquet_scan", ": a Parquet file has no order of records to continue in", "convert it first, as with duckdb -c \"COPY 'x.parquet' TO 'x.csv'\""},
	{"range", ": rows come from a source", "put the values into a file"},
	{"generate_series", ": rows come from a source", "put the values into a file"},
	{"unnest", "", "a row gives one row here"},
}

func readerNamed(text string) *reader {
	for i := range readers {
		if sql.SameName(readers[i].name, text) {
			return &readers[i]
		}
	}
	return nil
}

// reader makes a source of a call of one.
func (l *loader) reader(t *sql.TableFunc, f *reader) (sql.TableExpr, error) {
	c := t.Call
	form := "write " + f.name + "('path')"
	if c.Star || c.Distinct || c.OrderBy != nil || c.Filter != nil {
		return nil, sql.Errorf(c, "%s takes a path and options", f.name).WithHint("%s", form)
	}
	path, err := pathArgument(c, f, l.in.Text)
	if err != nil {
		return nil, err
	}
	d := &draft{loader: l, table: &Table{Format: f.format}, function: f.name}
	for _, a := range c.Args[1:] {
		arg, ok := a.(*sql.NamedArg)
		if !ok {
			if b, is := a.(*sql.Binary); is && b.Op == sql.OpEq { // the name of an option that is none of an argument: csv.header, 'header'
				if name, is := b.L.(*sql.StringLit); is {
					if err := d.quotedName(name, b.R); err != nil {
						return nil, err
					}
				}
				at := b.L.At()
				if err := d.foreignArgument(strings.Trim(l.in.Text[at.Pos:at.End], "'"), at, b.R); err != nil {
					return nil, err
				}
			}
			return nil, sql.Errorf(a, "%s takes one path, and options with their names", f.name).
				WithHint("several files are read by a pattern, such as 'logs/*.csv'; an option is written header = true")
		}
		if err := d.argument(arg); err != nil {
			return nil, err
		}
	}
	if err := d.formatFits(); err != nil {
		return nil, err
	}
	src, err := l.pathTable(t.Call.At(), path, f.format, d.table.FormatOptions)
	if err != nil {
		return nil, err
	}
	return named(t.Span, t.Call.At(), src.Name, f.name, t.Alias), nil
}

// pathArgument is the path that a reader is given.
func pathArgument(c *sql.Call, f *reader, text string) (string, error) {
	form := "write " + f.name + "('path')"
	if len(c.Args) == 0 {
		return "", sql.Errorf(c, "%s needs a path", f.name).WithHint("%s", form)
	}
	x := c.Args[0]
	if list, ok := x.(*sql.ListLit); ok {
		if len(list.Items) != 1 {
			return "", sql.Errorf(list, "%s reads one path, and this is a list", f.name).
				WithHint("several files are read by a pattern, such as 'logs/2026-*.%s', or a directory, 'logs/'", f.format)
		}
		x = list.Items[0]
	}
	s, ok := x.(*sql.StringLit)
	if !ok {
		if path := text[x.At().Pos:x.At().End]; sql.LooksLikePath(strings.Trim(path, `"`)) {
			form = "write " + f.name + "(" + sql.QuoteString(strings.Trim(path, `"`)) + ")"
		}
		return "", sql.Errorf(x, "%s takes a path in single quotes", f.name).WithHint("%s", form)
	}
	return s.Value, nil
}
