package infer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ubik/internal/infer"
	"ubik/internal/plan"
	"ubik/oracle/duck"
)

// reading is what a file is read as.
type reading struct {
	refused   string // why it is not read; "": it is
	columns   []column
	untyped   string   // names of columns that cannot be declared
	rows      []string // objects, in order
	malformed string
}

// ledgerRow is a line of the account that a run ends with: the last number is that of malformed records.
var ledgerRow = regexp.MustCompile(`(?m)^.*\s(\d+)$`)

func readByProgram(t *testing.T, program, path string) reading {
	t.Helper()
	base := filepath.Base(path)
	command := func(args ...string) (stdout, stderr string, ok bool) {
		if filepath.Ext(path) == ".txt" { // an ending that says nothing
			args = append(args, "--format", "csv")
		}
		cmd := exec.Command(program, args...)
		cmd.Dir = filepath.Dir(path)
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		err := cmd.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return out.String(), said.String(), err == nil
	}
	ddl, said, ok := command("schema", base)
	if !ok {
		lines := strings.Split(strings.TrimSpace(said), "\n")
		return reading{refused: strings.TrimPrefix(lines[len(lines)-1], "ubik: ")}
	}
	var r reading
	r.columns, r.untyped = declared(t, base, ddl)
	rows, said, ok := command("--on-error", "skip", "SELECT * FROM '"+base+"'")
	if !ok {
		t.Errorf("%s has a schema, and is not read:\n%s", base, said)
	}
	for row := range strings.Lines(rows) {
		r.rows = append(r.rows, strings.TrimSuffix(row, "\n"))
	}
	found := ledgerRow.FindAllStringSubmatch(strings.TrimSpace(said), -1)
	if found == nil {
		t.Fatalf("%s: no ledger:\n%s", base, said)
	}
	r.malformed = found[len(found)-1][1]
	return r
}

// declared takes a declaration apart, which must be one line for exactly these columns.
func declared(t *testing.T, base, ddl string) (columns []column, untyped string) {
	t.Helper()
	before, list, ok := strings.Cut(strings.TrimSuffix(ddl, ");\n"), " (")
	if !ok || !strings.HasPrefix(before, "CREATE TABLE ") || !strings.HasSuffix(ddl, ");\n") {
		t.Fatalf("%s: %s is no declaration", base, ddl)
	}
	if i := strings.LastIndex(list, " /* not typed: "); i >= 0 {
		untyped = strings.TrimSuffix(list[i+len(" /* not typed: "):], " */")
		list = list[:i]
	}
	fields, err := plan.Schema(list)
	if err != nil {
		t.Fatalf("%s: %s: %v", base, ddl, err)
	}
	var texts []string
	for _, f := range fields {
		columns = append(columns, column{f.Name, infer.Schema{Columns: []infer.Column{{Name: "x", Type: f.Type}}}.DDL("")[len("x "):]})
		texts = append(texts, infer.Schema{Columns: []infer.Column{{Name: f.Name, Type: f.Type}}}.DDL(""))
	}
	if strings.Join(texts, ", ") != list {
		t.Fatalf("%s: the columns of %s are %s", base, list, strings.Join(texts, ", "))
	}
	return columns, untyped
}

func readByDuckDB(t *testing.T, db *duck.DB, path string) reading {
	t.Helper()
	from := "read_csv_auto(" + duck.Literal(path) + ")"
	if filepath.Ext(path) == ".jsonl" {
		from = "read_json_auto(" + duck.Literal(path) + ")"
	}
	types, err := db.Query("DESCRIBE SELECT * FROM " + from)
	if err != nil {
		return reading{refused: "yes"} // why, says each version in other words
	}
	var r reading
	var names []string
	for _, row := range types.Rows {
		r.columns = append(r.columns, column{row[0].(string), row[1].(string)})
		names = append(names, "to_json("+duck.Quote(row[0].(string))+")::VARCHAR")
	}
	result, err := db.Query("SELECT " + strings.Join(names, ", ") + " FROM " + from)
	if err != nil {
		return reading{refused: "yes"}
	}
	for _, row := range result.Rows {
		var b strings.Builder
		for i, c := range r.columns {
			value, ok := row[i].(string)
			switch {
			case !ok:
				value = "null"
			case strings.HasSuffix(value, "NaN") || strings.HasSuffix(value, "Infinity"): // no JSON
				value = strconv.Quote(value)
			}
			fmt.Fprintf(&b, ",%s:%s", quotedJSON(c.Name), value)
		}
		r.rows = append(r.rows, "{"+b.String()[1:]+"}")
	}
	return r
}

// quotedJSON writes a text as JSON has it.
func quotedJSON(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // it is a string
	}
	return string(b)
}
