package scripts

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ubik/internal/ubiktest/naive"
	"ubik/internal/ubiktest/script"
	"ubik/oracle/duck"
)

// Joined answers a query over two sources: DuckDB runs its very text over two tables with the rows that are not late.
// It gives the values of the rows that leave by the end of the log, in no order of meaning.
func Joined(db *duck.DB, c *script.Case) ([]string, error) {
	left, right := *c, *c
	right.Table, right.Schema, right.Delay = c.Join.Table, c.Join.Schema, c.Join.Delay
	for i, side := range []*script.Case{&left, &right} {
		side.Partitions = slices.DeleteFunc(slices.Clone(c.Partitions), func(p naive.Partition) bool { return p.Source != i })
		if err := sideTable(db, side, c.Join.Times[i], c.SQL); err != nil {
			return nil, err
		}
	}
	const name = `"scripts_joined"`
	for _, statement := range []string{"DROP TABLE IF EXISTS " + name, "CREATE TABLE " + name + " AS " + c.SQL} {
		if err := db.Exec(statement); err != nil {
			return nil, err
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
	t, err := tableOf(db, "SELECT *", " FROM "+name, "")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range t.rows {
		out = append(out, object(names, r))
	}
	return out, nil
}

// sideTable makes the table of one source, named as the query of that text names it.
func sideTable(db *duck.DB, side *script.Case, time, text string) error {
	for _, t := range []string{"scripts_raw", "scripts_row", "scripts_judged", side.Table} {
		if err := db.Exec("DROP TABLE IF EXISTS " + duck.Quote(t)); err != nil {
			return err
		}
	}
	side.SQL = "SELECT * FROM " + duck.Quote(side.Table)
	q, err := take(db, side)
	if err != nil {
		return err
	}
	q.wanted() // names all columns
	var columns []string
	for _, p := range pseudo { // * does not mean them
		if strings.Contains(text, p) {
			columns = append(columns, p)
		}
	}
	for _, d := range q.t.schema {
		columns = append(columns, duck.Quote(d.Name.Name))
	}
	for _, step := range []func(*duck.DB) error{q.rawTable, q.rowTable, func(db *duck.DB) error { return q.judgedTable(db, time, "") }} {
		if err := step(db); err != nil {
			return err
		}
	}
	return db.Exec("CREATE TABLE " + duck.Quote(side.Table) + " AS SELECT " + strings.Join(columns, ", ") +
		` FROM "scripts_judged" WHERE "__counts" AND NOT coalesce("__time" < "__wm", false)`)
}

// joinAgrees says how the rows of a join and what a script expects differ, "" if they do not. Of a log without an end
// only some of the rows have left.
func joinAgrees(got []string, c *script.Case) (string, error) {
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
