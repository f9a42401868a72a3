package catalog

import (
	"slices"
	"strings"

	"ubik/internal/plan"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// columns takes the columns of a declaration, and its watermark.
func (d *draft) columns(ct *sql.CreateTable) error {
	t := d.table
	for i := range ct.Columns {
		c := &ct.Columns[i]
		switch {
		case c.Computed != nil:
			name := sql.QuoteName(ct.Name.Name)
			return sql.Errorf(c, "computed columns are not supported: a table has the fields of its records").
				WithHint("write it in the query, or in a view: CREATE VIEW v AS SELECT *, %s AS %s FROM %s", sql.Format(c.Computed), sql.QuoteName(c.Name.Name), name)
		case c.Metadata != nil:
			return refuseMetadata(c)
		}
		typ, err := plan.TypeOf(c.Type)
		if err != nil {
			return err
		}
		t.Schema = append(t.Schema, vec.Field{Name: c.Name.Name, Type: typ})
	}
	if w := ct.Watermark; w != nil {
		t.Time, t.Delay = w.Column.Name, vec.Time(w.Micros())
		return d.timeColumn(w)
	}
	return nil
}

// columnsOf gives a source of --from the columns that a CREATE TABLE of its name declares.
func (l *loader) columnsOf(t *Table, ct *sql.CreateTable) error {
	if t.At != nil {
		return sql.Errorf(ct.Name, "%s is declared twice", sql.QuoteName(ct.Name.Name)).WithHint("leave one of them away")
	}
	d := &draft{loader: l, table: t}
	if err := d.columns(ct); err != nil {
		return err
	}
	t.At = ct.Name
	return d.declaredKey(ct)
}

// metadataColumns are the keys of METADATA in Flink SQL, and the column that every source has in their place.
var metadataColumns = map[string]string{
	"topic": "_topic", "partition": "_partition", "offset": "_offset", "timestamp": "_timestamp", "key": "_key",
	"file.path": "_topic", "file.name": "_topic",
}

func refuseMetadata(c *sql.TableColumn) error {
	key := c.Metadata.Key
	if key == "" {
		key = c.Name.Name
	}
	e := sql.Errorf(c.Metadata, "METADATA columns are not declared: every source has them")
	if column := metadataColumns[strings.ToLower(key)]; column != "" {
		return e.WithHint("leave %s out and use %s in the query", sql.QuoteName(c.Name.Name), column)
	}
	var names []string
	for _, f := range plan.PseudoColumns() {
		names = append(names, f.Name)
	}
	return e.WithHint("leave %s out; there are %s", sql.QuoteName(c.Name.Name), strings.Join(names, ", "))
}

// timeColumn checks the column of a watermark. Of a table without columns it is one that will be found.
func (d *draft) timeColumn(w *sql.Watermark) error {
	t := d.table
	if t.Schema == nil {
		return nil
	}
	var names []string
	for _, f := range slices.Concat(t.Schema, plan.PseudoColumns()) {
		if !sql.SameName(f.Name, w.Column.Name) {
			names = append(names, f.Name)
			continue
		}
		t.Time = f.Name
		switch f.Type.Kind {
		case vec.Timestamp, vec.TimestampTZ, vec.Date:
			return nil
		case vec.Int8, vec.Int16, vec.Int32, vec.Int64, vec.HugeInt:
			name := sql.QuoteName(f.Name)
			return sql.Errorf(w.Column, "WATERMARK FOR needs a TIMESTAMP, and %s is %s", name, f.Type).
				WithHint("leave WATERMARK out, give the delay by --delay, and make it a time in the query: to_timestamp(%s) of seconds, epoch_ms(%s) of milliseconds", name, name)
		}
		return sql.Errorf(w.Column, "WATERMARK FOR needs a TIMESTAMP, and %s is %s", sql.QuoteName(f.Name), f.Type).WithHint("declare it TIMESTAMP")
	}
	return noColumn(w.Column, t.Name, names[:len(t.Schema)])
}

// declaredKey takes PRIMARY KEY, or key.fields, which says the same.
func (d *draft) declaredKey(ct *sql.CreateTable) error {
	fields := d.given("key.fields")
	if !d.sink {
		if ct.PrimaryKey != nil {
			return sql.Errorf(ct.PrimaryKey, "a table that is read has no PRIMARY KEY: a record does not replace an earlier one of its key").
				WithHint("leave it out: each record is a row, and a query has no means yet to take the last one of a key")
		}
		if fields != nil {
			return sql.Errorf(fields.at, "option key.fields is for what is written").WithHint("the key of a record that is read is the column _key")
		}
		return nil
	}
	var ids []sql.Ident
	if ct.PrimaryKey != nil {
		ids, d.table.KeyAt, d.table.KeySaid = ct.PrimaryKey.Columns, ct.PrimaryKey, "PRIMARY KEY"
	}
	if fields != nil {
		if ids == nil {
			d.table.KeyAt, d.table.KeySaid = fields.at, "key.fields"
		}
		var named []sql.Ident
		for _, f := range strings.FieldsFunc(fields.text, func(r rune) bool { return r == ';' || r == ',' }) {
			named = append(named, sql.Ident{Span: fields.value.At(), Name: strings.TrimSpace(f)})
		}
		if len(named) == 0 {
			return fields.wrong("write 'key.fields' = 'a;b'", "names no column")
		}
		if ids != nil && !slices.EqualFunc(ids, named, func(a, b sql.Ident) bool { return sql.SameName(a.Name, b.Name) }) {
			return fields.wrong("give one of them", "is not the PRIMARY KEY")
		}
		if ids == nil {
			ids = named
		}
	}
	var names []string
	for _, f := range d.table.Schema {
		names = append(names, f.Name)
	}
	for i, id := range ids {
		at := slices.IndexFunc(names, func(n string) bool { return sql.SameName(n, id.Name) })
		switch {
		case names != nil && at < 0:
			return noColumn(id, d.table.Name, names)
		case slices.ContainsFunc(ids[:i], func(x sql.Ident) bool { return sql.SameName(x.Name, id.Name) }):
			return fields.wrong("", "names %s twice", sql.QuoteName(id.Name))
		case at >= 0:
			d.table.Key = append(d.table.Key, names[at])
		default:
			d.table.Key = append(d.table.Key, id.Name)
		}
	}
	return nil
}
