package scripts

import (
	"database/sql/driver"
	"fmt"
	"strings"

	"ubik/internal/sql"
	"ubik/internal/vec"
	"ubik/oracle/duck"
)

// faulty wraps an expression whose value may be an error: the error is NULL, a value, NULL or not, is in field v.
func faulty(expr string) string { return "TRY({'v': " + expr + "})" }

// rawTable loads the records with the fields of the paths.
func (q *query) rawTable(db *duck.DB) error {
	columns := `"__part" BIGINT, "__off" BIGINT, "__ok" BOOLEAN, "_topic" VARCHAR, "_partition" INTEGER, "_offset" BIGINT, "__log_us" BIGINT, "_key" VARCHAR`
	for i := range q.t.paths {
		columns += fmt.Sprintf(`, "k%d" VARCHAR, "v%d" VARCHAR`, i, i)
	}
	var rows [][]driver.Value
	for p, part := range q.parts {
		for _, r := range part.Records {
			fields, ok := record(r.Value, q.t.paths)
			var key driver.Value
			if r.Key != nil {
				key = string(r.Key)
			}
			row := []driver.Value{int64(p), r.Position, ok, q.src.Name, part.Index, r.Position, r.Time, key}
			for i, path := range q.t.paths {
				f := field{kind: "null"}
				if ok {
					f = fields[i]
				}
				if ok && isJSON(q.leaf(path)) {
					sound := false
					if f, sound = whole(r.Value, path); !sound {
						row[2] = false
					}
				}
				row = append(row, f.kind, f.text)
			}
			rows = append(rows, row)
		}
	}
	return db.LoadRows("scripts_raw", columns, rows)
}

// isJSON reports whether the values of a type are JSON texts.
func isJSON(t *sql.TypeName) bool {
	return t.Name == "JSON" || t.Name == "STRUCT" || t.Name == "LIST" || t.Name == "MAP"
}

// jsonColumn is the name under which a table has the JSON text at a path.
func jsonColumn(path []string) string { return duck.Quote("__json " + strings.Join(path, ".")) }

// accepted are the kinds of JSON values that a type has a value for; of some kinds not all values do.
func accepted(t *sql.TypeName) []string {
	switch t.Name {
	case "VARCHAR":
		return []string{"number", "fraction", "string", "bool", "object", "array"}
	case "JSON":
		return []string{"number", "string", "bool", "object", "array"}
	case "STRUCT", "MAP":
		return []string{"object"}
	case "LIST":
		return []string{"array"}
	case "BOOLEAN":
		return []string{"number", "string", "bool"}
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT":
		return []string{"number", "string"}
	case "DECIMAL", "DOUBLE":
		return []string{"number", "fraction", "string"}
	}
	return []string{"string"}
}

// typed is the value of a field: text cast by DuckDB. The zone of a time counts, which its cast to TIMESTAMP would drop,
// and its year is one from 1 to 9999.
func typed(t *sql.TypeName, value string) string {
	if isJSON(t) {
		return "TRY_CAST(" + value + " AS JSON)"
	}
	switch t.Name {
	case "TIMESTAMP":
		return inRange("TRY_CAST(" + value + " AS TIMESTAMPTZ) AT TIME ZONE 'UTC'")
	case "TIMESTAMP WITH TIME ZONE", "DATE":
		return inRange("TRY_CAST(" + value + " AS " + t.Name + ")")
	case "BOOLEAN":
		return "CASE WHEN " + value + " NOT SIMILAR TO '-?[0-9.eE+-]+' OR " + value + " IN ('0', '1') THEN TRY_CAST(" + value + " AS BOOLEAN) END"
	}
	return "TRY_CAST(" + value + " AS " + sql.Format(t) + ")"
}

func inRange(value string) string {
	return "CASE WHEN year(" + value + ") BETWEEN 1 AND 9999 THEN " + value + " END"
}

func (q *query) leaf(path []string) *sql.TypeName {
	defs, t := q.t.schema, (*sql.TypeName)(nil)
	for _, name := range path {
		t = find(defs, name).Type
		defs = t.Fields
	}
	return t
}

// rowTable types the fields and puts those of a STRUCT together again.
func (q *query) rowTable(db *duck.DB) error {
	var typedColumns, checks []string
	for i, path := range q.t.paths {
		t := q.leaf(path)
		typedColumns = append(typedColumns, fmt.Sprintf(`CASE WHEN "k%d" IN ('%s') THEN %s END AS "t%d"`, i, strings.Join(accepted(t), "', '"), typed(t, fmt.Sprintf(`"v%d"`, i)), i))
		checks = append(checks, fmt.Sprintf(` AND ("k%d" = 'null' OR "t%d" IS NOT NULL)`, i, i))
	}
	var columns []string
	for _, d := range q.t.schema {
		if value := q.assembled([]string{d.Name.Name}); value != "" {
			columns = append(columns, value+" AS "+duck.Quote(d.Name.Name))
		}
	}
	for i, path := range q.t.paths {
		if isJSON(q.leaf(path)) {
			columns = append(columns, fmt.Sprintf(`"t%d" AS %s`, i, jsonColumn(path)))
		}
	}
	statement := `CREATE TABLE "scripts_row" AS SELECT "__part", "__off", "_topic", "_partition", "_offset", make_timestamp("__log_us") AS "_timestamp", "__log_us", "_key", ` +
		strings.Join(append(columns, `"__ok"`+strings.Join(checks, "")+` AS "__ok"`), ", ") +
		` FROM (SELECT ` + strings.Join(append(typedColumns, "*"), ", ") + ` FROM "scripts_raw")`
	return db.Exec(statement)
}

// assembled is a column, or a field of one, made of the typed fields at and below a path, but for JSON texts; "" when none
// is used.
func (q *query) assembled(path []string) string {
	var parts []string
	for i, p := range q.t.paths {
		if isJSON(q.leaf(p)) || len(p) < len(path) || strings.Join(p[:len(path)], "\x00") != strings.Join(path, "\x00") {
			continue
		}
		if len(p) == len(path) {
			return fmt.Sprintf(`"t%d"`, i)
		}
		name := p[len(path)]
		part := duck.Quote(name) + ": " + q.assembled(append(append([]string(nil), path...), name))
		if len(parts) == 0 || parts[len(parts)-1] != part {
			parts = append(parts, part)
		}
	}
	if parts == nil {
		return ""
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// judgedTable adds the time, whether the row counts for the watermark, the watermark before it, and what WHERE says: an
// error, TRUE, or neither.
func (q *query) judgedTable(db *duck.DB, time, where string) error {
	ok, at := `"__ok"`, "NULL::TIMESTAMP"
	if time != "" {
		at = faulty("CAST("+time+" AS TIMESTAMP)") + "['v']"
		ok += ` AND coalesce("__time" BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999', false)`
	}
	said := "{'v': true}"
	if where != "" {
		said = faulty(where)
	}
	watermark := "NULL::TIMESTAMP"
	if q.src.Delay != vec.Forever {
		watermark = fmt.Sprintf(`max(CASE WHEN "__counts" THEN "__time" END) OVER (PARTITION BY "__part" ORDER BY "__off" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) - INTERVAL '%d microseconds'`, q.src.Delay)
	}
	return db.Exec(`CREATE TABLE "scripts_judged" AS
SELECT *, ` + watermark + ` AS "__wm"
FROM (SELECT *, ` + ok + ` AS "__counts"
      FROM (SELECT *, ` + at + ` AS "__time", CASE WHEN "__ok" THEN ` + said + ` END AS "__where" FROM "scripts_row" AS "r"))`)
}

// windowTable has a line for every row and window it lies in, and one without window for rows that lie in none.
func (q *query) windowTable(db *duck.DB) error {
	if q.window == nil {
		return db.Exec(`CREATE TABLE "scripts_window" AS SELECT *, NULL::TIMESTAMP AS "__start", NULL::TIMESTAMP AS "__end", false AS "__late" FROM "scripts_judged"`)
	}
	last := fmt.Sprintf(`time_bucket(%s, "__time")`, interval(q.slide))
	if q.offset != nil {
		last = fmt.Sprintf(`time_bucket(%s, "__time", %s)`, interval(q.slide), interval(q.offset))
	}
	return db.Exec(fmt.Sprintf(`CREATE TABLE "scripts_window" AS
SELECT j.*, w."__start", w."__end", coalesce(w."__end" <= j."__wm", false) AS "__late"
FROM "scripts_judged" AS j LEFT JOIN (
  SELECT "__part", "__off", "__start", "__start" + %[2]s AS "__end"
  FROM (SELECT "__part", "__off", "__time", %[1]s - "__back" * %[3]s AS "__start"
        FROM "scripts_judged", (SELECT unnest(range(%[4]d)) AS "__back") WHERE "__counts")
  WHERE "__start" <= "__time" AND "__time" < "__start" + %[2]s) AS w USING ("__part", "__off")`,
		last, interval(q.size), interval(q.slide), q.hops()+2))
}

// typeOf is the type of an expression over a table, "" if it has none.
func typeOf(db *duck.DB, expr, table string) string {
	result, err := db.Query("SELECT column_type FROM (DESCRIBE SELECT " + expr + " FROM " + duck.Quote(table) + ` AS "r")`)
	if err != nil {
		return ""
	}
	return result.Rows[0][0].(string)
}

// usedTable decides on each row, and holds a line for each window of those that are used and not late for it. wanted
// are the expressions that each row computes; an error in one makes it malformed.
func (q *query) usedTable(db *duck.DB, wanted []string) error {
	errors := "false"
	if len(wanted) > 0 {
		var list []string
		for _, w := range wanted {
			list = append(list, faulty(w)+" IS NULL")
		}
		errors = strings.Join(list, " OR ")
	}
	unwindowed := "false"
	if q.window != nil {
		unwindowed = `bool_and("__start" IS NULL)`
	}
	if err := db.Exec(`CREATE TABLE "scripts_class" AS
SELECT "__part", "__off", any_value("__time") AS "__time", any_value("__wm") AS "__wm",
       CASE WHEN NOT bool_and("__counts") OR any_value("__where") IS NULL THEN 'malformed'
            WHEN NOT coalesce(any_value("__where")['v'], false) THEN 'filtered'
            WHEN ` + unwindowed + ` THEN 'unwindowed'
            WHEN bool_and("__late") THEN 'late'
            WHEN bool_or("__errors") THEN 'malformed'
            ELSE 'used' END AS "__class",
       bool_or("__late") AS "__partly"
FROM (SELECT *, CASE WHEN NOT "__late" AND "__counts" AND coalesce("__where"['v'], false) THEN ` + errors + ` ELSE false END AS "__errors" FROM "scripts_window" AS "r")
GROUP BY "__part", "__off"`); err != nil {
		return err
	}
	keys := ""
	for i, g := range q.groups {
		key := q.t.expr(g.expr)
		if typeOf(db, key, "scripts_window") == "DOUBLE" {
			key = "(" + key + " + 0::DOUBLE)" // −0.0 becomes 0.0
		}
		keys += fmt.Sprintf(`, %s AS "__g%d"`, key, i)
	}
	return db.Exec(`CREATE TABLE "scripts_used" AS SELECT *` + keys + ` FROM (
SELECT * FROM "scripts_window" WHERE NOT "__late" AND ("__part", "__off") IN (SELECT ("__part", "__off") FROM "scripts_class" WHERE "__class" = 'used')) AS "r"`)
}
