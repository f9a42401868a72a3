package scripts

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ubik/internal/sql"
	"ubik/internal/ubiktest/script"
	"ubik/internal/ubiktest/sim"
	"ubik/internal/vec"
	"ubik/oracle/duck"
)

// Tree answers a query over several references: DuckDB runs its very text over a table for each, TUMBLE written as
// time_bucket. It gives the values of the rows that leave by the end of the log, in no order of meaning.
func Tree(db *duck.DB, c *script.Case) ([]string, error) {
	views, q := sim.Statements(c.SQL)
	t := &tree{c: c, bands: c.Bands, used: map[sql.Query]bool{}, names: map[string]bool{}}
	var known *defined
	for _, v := range views {
		if !v.IfNotExists || known.find(v.Name.Name) == nil {
			known = &defined{known, v.Name.Name, v.Query}
		}
	}
	if err := t.query(q, known, true); err != nil {
		return nil, err
	}
	t.named(q)
	for _, v := range views {
		t.named(v)
	}
	for i, ref := range t.refs {
		if err := t.table(db, ref, fmt.Sprintf("scripts_ref_%d", i)); err != nil {
			return nil, err
		}
	}
	const name = `"scripts_tree"`
	var statements []string
	for _, v := range views {
		statements = append(statements, "DROP VIEW IF EXISTS "+duck.Quote(v.Name.Name))
	}
	for _, v := range views {
		if t.used[v.Query] {
			statements = append(statements, t.text(v.Span))
		}
	}
	for _, statement := range append(statements, "DROP TABLE IF EXISTS "+name, "CREATE TABLE "+name+" AS "+t.text(q.At())) {
		if err := db.Exec(statement); err != nil {
			return nil, fmt.Errorf("%w: %s", err, statement)
		}
	}
	columns, err := db.Query("SELECT column_name FROM (DESCRIBE " + name + ")")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, r := range columns.Rows {
		names = append(names, r[0].(string))
	}
	rows, err := tableOf(db, "SELECT *", " FROM "+name, "")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range rows.rows {
		out = append(out, object(names, r))
	}
	return out, nil
}

// table makes the table of a reference and has the text name it.
func (t *tree) table(db *duck.DB, ref *reference, name string) error {
	for _, t := range []string{"scripts_raw", "scripts_row", "scripts_judged", name} {
		if err := db.Exec("DROP TABLE IF EXISTS " + duck.Quote(t)); err != nil {
			return err
		}
	}
	alias, renamed := ref.name.Parts[0].Name, ""
	if ref.name.Alias != nil {
		alias = ref.name.Alias.Name.Name
		for i, c := range ref.name.Alias.Columns {
			renamed += strings.Repeat(", ", min(i, 1)) + duck.Quote(c.Name)
		}
	}
	side := *t.c
	side.SQL = "SELECT * FROM " + duck.Quote(ref.name.Parts[0].Name) + " AS " + duck.Quote(alias)
	q, err := take(db, &side)
	if err != nil {
		return err
	}
	if ref.split && q.src.Delay != vec.Forever {
		return fmt.Errorf("the rows of one mention of %s are late in one use of it and not in another, which has no translation", q.src.Name)
	}
	if !ref.judged && q.src.Delay != vec.Forever {
		return fmt.Errorf("which rows of %s are late has no translation: give it an unlimited delay", q.src.Name)
	}
	if ref.name.Alias != nil {
		q.t.rename(ref.name.Alias.Columns)
	}
	for _, d := range q.t.schema {
		if t.names == nil || t.names[sql.FoldName(q.t.shown(d.Name.Name))] || sql.SameName(d.Name.Name, q.src.Time) {
			q.t.column(&sql.ColumnRef{Parts: []sql.Ident{{Name: q.t.shown(d.Name.Name)}}})
		}
	}
	at := ""
	late := "false"
	switch {
	case ref.time == "" && ref.window == nil && q.src.Time != "": // declared; nothing is late by it
		at = q.t.column(&sql.ColumnRef{Parts: []sql.Ident{{Name: q.t.shown(q.src.Time)}}})
	case ref.time != "":
		x, err := sql.ParseExpr(ref.time)
		if err != nil {
			return err
		}
		at, late = q.t.expr(x), `"__time" < "__wm"`
	case ref.window != nil:
		at = q.t.expr(ref.window.Args[0])
		late = t.bucket(ref.window, `"__time"`) + " + " + interval(ref.window.Args[1].(*sql.IntervalLit)) + ` <= "__wm"`
	}
	if q.t.err != nil {
		return q.t.err
	}
	var columns []string
	for _, d := range q.t.schema {
		name := duck.Quote(d.Name.Name)
		switch used := slices.ContainsFunc(q.t.paths, func(p []string) bool { return p[0] == d.Name.Name }); {
		case !used:
			columns = append(columns, "NULL AS "+name) // it keeps its place
		case isJSON(d.Type):
			columns = append(columns, "CAST("+jsonColumn([]string{d.Name.Name})+" AS "+sql.Format(d.Type)+") AS "+name)
		default:
			columns = append(columns, name)
		}
	}
	for _, p := range pseudo { // * does not mean them
		if strings.Contains(t.c.SQL, p) {
			columns = append(columns, p)
		}
	}
	for _, step := range []func(*duck.DB) error{q.rawTable, q.rowTable, func(db *duck.DB) error { return q.judgedTable(db, at, "") }} {
		if err := step(db); err != nil {
			return err
		}
	}
	text := duck.Quote(name) + " AS " + duck.Quote(alias)
	if renamed != "" {
		text += "(" + renamed + ")"
	}
	t.edit(ref.name.Span, text)
	return db.Exec("CREATE TABLE " + duck.Quote(name) + " AS SELECT " + strings.Join(columns, ", ") + ` FROM "scripts_judged" WHERE "__counts" AND NOT coalesce(` + late + `, false)`)
}

// treeAgrees says how the rows of a tree and what a script expects differ, "" if they do not. Of a log without an end
// only some of the rows have left.
func treeAgrees(got []string, c *script.Case) (string, error) {
	var want []string
	for _, line := range strings.Split(c.Want, "\n") {
		if !strings.HasPrefix(line, "{") {
			continue
		}
		var key, value json.RawMessage
		d := json.NewDecoder(strings.NewReader(line))
		if err := d.Decode(&key); err != nil {
			return "", err
		}
		if err := d.Decode(&value); err != nil {
			return "", err
		}
		want = append(want, string(value))
	}
	rest := slices.Clone(got)
	var missing []string
	for _, w := range want {
		if i := slices.Index(rest, w); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		} else {
			missing = append(missing, w)
		}
	}
	if len(missing) > 0 || c.Bounded && len(rest) > 0 {
		return fmt.Sprintf("---- DuckDB alone\n%s\n---- the script alone\n%s", strings.Join(rest, "\n"), strings.Join(missing, "\n")), nil
	}
	return "", nil
}
