package scripts

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"ubik/oracle/duck"
)

// table is the result of a statement as the program writes values.
type table struct {
	rows [][]string
	raw  [][]any
}

// tableOf runs a statement given as its select list, what follows, and its order. INTERVALs are cast to text.
func tableOf(db *duck.DB, selected, rest, order string) (*table, error) {
	types, err := db.Query("SELECT column_name, column_type FROM (DESCRIBE " + selected + rest + ")")
	if err != nil {
		return nil, err
	}
	list, alias := make([]string, len(types.Rows)), make([]string, len(types.Rows))
	for i, r := range types.Rows {
		alias[i] = fmt.Sprintf("c%d", i)
		list[i] = alias[i]
		if r[1] == "INTERVAL" || r[1] == "TIME" {
			list[i] += "::VARCHAR"
		}
		if isJSONType(r[1].(string)) {
			list[i] = "to_json(" + list[i] + ")::VARCHAR"
		}
	}
	result, err := db.Query("SELECT " + strings.Join(list, ", ") + " FROM (" + selected + rest + order + ") AS o(" + strings.Join(alias, ", ") + ")")
	if err != nil {
		return nil, err
	}
	t := &table{raw: result.Rows}
	for _, r := range result.Rows {
		var row []string
		for i, v := range r {
			row = append(row, value(v, types.Rows[i][1].(string)))
		}
		t.rows = append(t.rows, row)
	}
	return t, nil
}

// isJSONType reports whether values of a type of DuckDB are written as JSON.
func isJSONType(typ string) bool {
	return typ == "JSON" || strings.HasPrefix(typ, "STRUCT(") || strings.HasPrefix(typ, "MAP(") || strings.HasSuffix(typ, "]")
}

// micros is a BIGINT, or a TIMESTAMP as µs since 1970. The row is one of the table's.
func (t *table) micros(row []string, column int) int64 {
	for i := range t.rows {
		if &t.rows[i][0] == &row[0] {
			switch v := t.raw[i][column].(type) {
			case int64:
				return v
			case time.Time:
				return v.UnixMicro()
			}
		}
	}
	panic("no row of the table")
}

// value writes a value as JSON, the way the program does.
func value(v any, typ string) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case string:
		if isJSONType(typ) {
			return v
		}
		return duck.JSONString(v)
	case float64:
		return number(v)
	case *big.Int:
		return v.String()
	case duckdb.Decimal:
		return duck.Decimal(v.Value, int(v.Scale))
	case time.Time:
		if typ == "DATE" {
			return `"` + v.UTC().Format("2006-01-02") + `"`
		}
		s := strings.TrimSuffix(v.UTC().Format("2006-01-02T15:04:05.000000"), "000")
		return `"` + strings.TrimSuffix(s, ".000") + `Z"`
	}
	return fmt.Sprint(v)
}

func number(f float64) string {
	switch {
	case math.IsNaN(f):
		return `"NaN"`
	case math.IsInf(f, 1):
		return `"Infinity"`
	case math.IsInf(f, -1):
		return `"-Infinity"`
	case f == 0:
		return "0" // without the sign that it may have
	}
	b, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func object(names, values []string) string {
	var parts []string
	for i, n := range names {
		parts = append(parts, duck.JSONString(n)+":"+values[i])
	}
	return "{" + strings.Join(parts, ",") + "}"
}
