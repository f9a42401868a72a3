package catalogue

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ubik/internal/expr"
	"ubik/internal/plan"
	"ubik/internal/sql"
	"ubik/internal/vec"
	"ubik/oracle/duck"
)

// outcome is what comes of an expression over the rows of a table.
type outcome struct {
	refused string   // why it cannot be run at all, "" if it can
	typ     string   // of the value
	values  []string // by row, cast to VARCHAR: the text, null or fault
	faults  []string // by row: what is said of a fault
}

// null and fault are no text that a value could have.
const (
	null  = "\x00NULL"
	fault = "\x00FAULT"
)

// printed is a value as messages show it.
func printed(v string) string {
	if v == null || v == fault {
		return v[1:]
	}
	return fmt.Sprintf("%q", v)
}

// table is the same rows in the engine and in DuckDB, where it is named data and has a column id more.
type table struct {
	db     *duck.DB
	fields []vec.Field
	cols   []*vec.Vector
	rows   int
}

// column is a column of a table by the texts that its values are cast from; null for NULL.
type column struct {
	name, typ string
	values    []string
}

// newTable makes a table. Its columns are compared with DuckDB's before anything is done with them.
func newTable(t *testing.T, db *duck.DB, columns []column) *table {
	t.Helper()
	d := &table{db: db}
	// Optimized, DuckDB computes functions of the least and the greatest value of a column and fails where no row does,
	// and it turns TRY_CAST(x AS t) = 1 into x = 1.
	if err := db.Exec("PRAGMA disable_optimizer"); err != nil {
		t.Fatal(err)
	}
	var schema, selected []string
	for _, c := range columns {
		schema = append(schema, c.name+" "+c.typ)
		d.rows = len(c.values)
	}
	var err error
	if d.fields, err = plan.Schema(strings.Join(schema, ", ")); err != nil {
		t.Fatal(err)
	}
	for i, c := range columns {
		d.cols = append(d.cols, cast(t, c, d.fields[i].Type))
		var texts []string
		for _, v := range c.values {
			texts = append(texts, literal(v))
		}
		selected = append(selected, fmt.Sprintf("unnest([%s])::%s AS %s", strings.Join(texts, ", "), c.typ, c.name))
	}
	if err := db.Exec(fmt.Sprintf("CREATE OR REPLACE TABLE data AS SELECT %s, unnest(range(%d)) AS id", strings.Join(selected, ", "), d.rows)); err != nil {
		t.Fatal(err)
	}
	for i, c := range columns {
		if message := compare(c.name, d.engine(c.name), d.duckdb(c.name)); message != "" {
			t.Fatalf("column %s %s: %s", c.name, d.fields[i].Type, message)
		}
	}
	return d
}

func literal(v string) string {
	if v == null {
		return "NULL::VARCHAR"
	}
	return duck.Literal(v) + "::VARCHAR"
}

// cast makes a vector of texts.
func cast(t *testing.T, c column, to vec.Type) *vec.Vector {
	t.Helper()
	b := vec.NewBatch(vec.TypeOf(vec.Varchar))
	b.Resize(len(c.values))
	for i, v := range c.values {
		b.Cols[0].AppendBytes(i, []byte(v))
		if v == null {
			b.Cols[0].SetNull(i)
		}
	}
	e, err := expr.NewCast(&expr.Column{Name: c.name, T: vec.TypeOf(vec.Varchar)}, to, false)
	if err != nil {
		t.Fatal(err)
	}
	var errs expr.Errors
	v := expr.Compile(e).Eval(b, nil, &errs)
	if len(errs.Faults) > 0 {
		t.Fatalf("column %s: %s", c.name, errs.Faults[0].Msg)
	}
	return v
}

// engine evaluates an expression as the program does: planned as a query over the table, then run over all rows.
func (d *table) engine(expression string) outcome {
	p, err := plan.Build(plan.Request{Query: "SELECT " + expression + " AS x FROM data", Sources: []plan.Source{{
		Name: "data", Log: "test data", Schema: d.fields, Format: "json", Bounded: true, File: true, Delay: -1,
	}}})
	if err != nil {
		var e *sql.Error
		if errors.As(err, &e) {
			return outcome{refused: e.Msg}
		}
		return outcome{refused: err.Error()}
	}
	b := &vec.Batch{N: d.rows}
	for _, c := range p.Sources[0].Columns {
		for i, f := range d.fields {
			if f.Name == c.Path[0] {
				b.Cols = append(b.Cols, d.cols[i])
			}
		}
	}
	e := p.Inputs[0].Exprs[0]
	var errs expr.Errors
	v := expr.Compile(e).Eval(b, nil, &errs)
	o := outcome{typ: e.Type().String(), values: make([]string, d.rows), faults: make([]string, d.rows)}
	for i := range o.values {
		if v.IsNull(i) || v.Type.Phys() == vec.PhysNone {
			o.values[i] = null
		} else {
			o.values[i] = string(expr.AppendText(nil, v, i))
		}
	}
	for _, f := range errs.Faults {
		if o.values[f.Row] != fault {
			o.values[f.Row], o.faults[f.Row] = fault, f.Msg
		}
	}
	return o
}

// duckdb evaluates an expression by DuckDB: all rows in one statement, or, if that fails, each for itself.
func (d *table) duckdb(expression string) outcome {
	result, err := d.db.Query("SELECT typeof(x), x::VARCHAR FROM (SELECT (" + expression + ") AS x, id FROM data) ORDER BY id")
	if err == nil {
		o := outcome{values: make([]string, d.rows), faults: make([]string, d.rows)}
		for i, r := range result.Rows {
			o.typ, o.values[i] = r[0].(string), null
			if r[1] != nil {
				o.values[i] = r[1].(string)
			}
		}
		return o
	}
	if mistaken(err) {
		return outcome{refused: reason(err)}
	}
	// A struct is never NULL, so what TRY makes NULL is a fault.
	why := reason(err)
	result, err = d.db.Query("SELECT typeof(x.v), x IS NULL, x.v::VARCHAR FROM (SELECT TRY({'v': (" + expression + ")}) AS x, id FROM data) ORDER BY id")
	if err != nil {
		return d.rowByRow(expression)
	}
	o := outcome{values: make([]string, d.rows), faults: make([]string, d.rows)}
	for i, r := range result.Rows {
		o.typ, o.values[i] = r[0].(string), null
		if r[1].(bool) {
			o.values[i], o.faults[i] = fault, why
		} else if r[2] != nil {
			o.values[i] = r[2].(string)
		}
	}
	return o
}

// rowByRow evaluates an expression in a statement for each row, since there are errors that TRY lets through.
func (d *table) rowByRow(expression string) outcome {
	o := outcome{values: make([]string, d.rows), faults: make([]string, d.rows)}
	for i := range o.values {
		result, err := d.db.Query(fmt.Sprintf("SELECT typeof(x), x::VARCHAR FROM (SELECT (%s) AS x FROM (SELECT * FROM data WHERE id = %d))", expression, i))
		switch {
		case err != nil:
			o.values[i], o.faults[i] = fault, reason(err)
		case result.Rows[0][1] == nil:
			o.values[i] = null
		default:
			o.values[i] = result.Rows[0][1].(string)
		}
		if err == nil {
			o.typ = result.Rows[0][0].(string)
		}
	}
	if o.typ == "" {
		slices.Sort(o.faults)
		return outcome{refused: strings.Join(slices.Compact(o.faults), "; ")}
	}
	return o
}

// reason is DuckDB's own part of an error, in one line.
func reason(err error) string {
	line, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "DuckDB refuses a statement: "), "\n")
	return line
}

// mistaken tells whether DuckDB refuses a statement whatever the rows are.
func mistaken(err error) bool {
	for _, kind := range []string{"Binder Error", "Catalog Error", "Parser Error", "Not implemented Error"} {
		if strings.HasPrefix(reason(err), kind) {
			return true
		}
	}
	return false
}

// inexact are the DECIMALs that DuckDB does not always make the nearest DOUBLE.
var inexact = regexp.MustCompile(`decimal|DECIMAL|\d\.\d`)

// approximate are the functions that two libraries of mathematics do not compute alike to the last bit.
var approximate = regexp.MustCompile(`\b(a?sin|a?cos|a?tan|atan2|sinh|cosh|tanh|exp|ln|log|log2|log10|pow|power|cbrt|degrees|radians|cot)\(`)

// same is how two values of an expression are compared: nil for byte by byte.
func same(expression string) func(a, b string) bool {
	tolerance := 1e-14
	if !approximate.MatchString(expression) {
		if !inexact.MatchString(expression) {
			return nil
		}
		tolerance = 3e-16 // neighbours
	}
	return func(a, b string) bool {
		if !strings.ContainsAny(a, "e.") {
			return false // no DOUBLE
		}
		x, errX := strconv.ParseFloat(a, 64)
		y, errY := strconv.ParseFloat(b, 64)
		return errX == nil && errY == nil && math.Abs(x-y) <= tolerance*(math.Abs(x)+0.1)
	}
}

// bare is an argument that is NULL without a type: which of its forms a function then takes, and so its type, is arbitrary.
var bare = regexp.MustCompile(`[(,] ?NULL[),]`)

// compare says what is different, "" if nothing is. An expression without columns that faults is refused by the
// engine, which computes it while planning.
func compare(expression string, engine, duckdb outcome) string {
	same := same(expression)
	valued := false
	switch {
	case engine.refused != "" && duckdb.refused != "":
		return ""
	case engine.refused != "":
		for _, v := range duckdb.values {
			if v != fault {
				return fmt.Sprintf("the engine refuses it (%s), DuckDB gives %s %s", engine.refused, duckdb.typ, printed(v))
			}
		}
		return ""
	case duckdb.refused != "":
		for _, v := range engine.values {
			if v != fault {
				return fmt.Sprintf("DuckDB refuses it (%s), the engine gives %s %s", duckdb.refused, engine.typ, printed(v))
			}
		}
		return ""
	}
	for i, v := range engine.values {
		w := duckdb.values[i]
		valued = valued || v != null && v != fault
		if v == w || same != nil && same(v, w) {
			continue
		}
		return fmt.Sprintf("row %d: the engine gives %s %s, DuckDB %s %s %s", i, printed(v), engine.faults[i], printed(w), duckdb.faults[i], duckdb.typ)
	}
	if engine.typ != duckdb.typ && duckdb.typ != `"NULL"` && (valued || !bare.MatchString(expression)) {
		return fmt.Sprintf("the engine's type is %s, DuckDB's %s", engine.typ, duckdb.typ)
	}
	return ""
}
