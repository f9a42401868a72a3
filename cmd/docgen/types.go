package main

import (
	"strings"

	"ubik/internal/sql"
)

// typeRows are the types in the order of the page. The spelling is one that a schema may have.
var typeRows = []struct{ spelling, canonical, values string }{
	{"BOOLEAN", "BOOLEAN", "true, false"},
	{"TINYINT", "TINYINT", "−2⁷ to 2⁷ − 1"},
	{"SMALLINT", "SMALLINT", "−2¹⁵ to 2¹⁵ − 1"},
	{"INTEGER", "INTEGER", "−2³¹ to 2³¹ − 1"},
	{"BIGINT", "BIGINT", "−2⁶³ to 2⁶³ − 1"},
	{"HUGEINT", "HUGEINT", "−2¹²⁷ to 2¹²⁷ − 1"},
	{"DECIMAL(p,s)", "DECIMAL", "exact, p digits of which s behind the point: 1 ≤ p ≤ 38, 0 ≤ s ≤ p; DECIMAL alone is DECIMAL(18,3), DECIMAL(p) is DECIMAL(p,0)"},
	{"DOUBLE", "DOUBLE", "IEEE 754 of 64 bits; one NaN, which is the greatest value"},
	{"VARCHAR", "VARCHAR", "UTF-8, compared by bytes; a length in brackets is ignored"},
	{"TIMESTAMP", "TIMESTAMP", "0001-01-01 to 9999-12-31 in a record's time column, to the microsecond, UTC"},
	{"TIMESTAMP WITH TIME ZONE", "TIMESTAMP WITH TIME ZONE", "the same instants; printed in UTC"},
	{"DATE", "DATE", "days"},
	{"TIME", "TIME", "00:00:00 to 24:00:00, to the microsecond"},
	{"INTERVAL", "INTERVAL", "months, days, microseconds"},
	{"STRUCT(name TYPE, …)", "STRUCT", "a JSON object; its fields are used one by one, or all as its JSON text"},
	{"BLOB", "BLOB", ""},
	{"UUID", "UUID", ""},
	{"JSON", "JSON", "any JSON value, as its text without blanks; a member is `j.a`, `j['a']`, `j[0]` or `j->'a'`, its text `j->>'a'`"},
	{"TYPE[]", "LIST", "a JSON array, as its text; an element is `x::JSON->0`"},
	{"MAP(TYPE, TYPE)", "MAP", "a JSON object, as its text; a value is `x::JSON->>'key'`"},
	{"REAL", "REAL", ""},
}

// declarable makes a declaration of a spelling with its parts filled in.
func declarable(spelling string) string {
	return strings.NewReplacer("(p,s)", "(18,2)", "name TYPE, …", "city VARCHAR", "TYPE", "VARCHAR").Replace(spelling)
}

func types(w *writer) {
	w.printf(`## Types

A column of a schema is %s. An absent member and a JSON null are NULL. A JSON number is read from its text, never through a
float; a JSON string is cast as SQL text is; what has no value of the column's type makes the record malformed, if the query uses the column.

| type | also written | values | as a column |
|---|---|---|---|
`, code("name TYPE"))
	spellings := sql.TypeSpellings()
	for _, t := range typeRows {
		declared := declarable(t.spelling)
		column := "yes"
		if ok, why := usable(declared); !ok {
			column = "no: " + why
		}
		w.printf("| %s | %s | %s | %s |\n", t.spelling, strings.Join(spellings[t.canonical], ", "), t.values, column)
	}
	w.printf("\nOverflow is an error that names the record, never a wrap. DECIMAL rounds half away from zero where digits are dropped.\n\n")
}
