package main

import (
	"fmt"
	"strings"
)

// writer collects the page and the first error of its chapters.
type writer struct {
	strings.Builder
	err error
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// page is the whole of docs/SQL.md.
func page() (string, error) {
	w := &writer{}
	w.WriteString(head)
	for _, chapter := range []func(*writer){
		names, literals, types, operators, queries, joins, windows, aggregates, functions, pseudoColumns, statements, differences, unsupported,
	} {
		chapter(w)
	}
	return w.String(), w.err
}

const head = `# SQL

<!-- Written by cmd/docgen from the program's own catalogues. Do not edit: change the catalogue, then run make update. -->

The dialect is DuckDB's, for queries over streams of records. What a query means over time (windows, lateness, when a row leaves) is in
[SEMANTICS](SEMANTICS.md); this page is what can be written. Results are those of DuckDB 1.5 but for the
[differences](#where-ubik-differs-from-duckdb) listed below.

` + "```" + `
[WITH name [(column, …)] AS (query), …]
SELECT expression [[AS] name], … | * | name.*
FROM table [[AS] name [(column, …)]] [[kind] JOIN table ON condition | USING (column, …)] …
[WHERE condition]
[GROUP BY expression, … | ALL]
[HAVING condition]
[UNION ALL query]
` + "```" + `

- What FROM may name is in [Tables](#tables); statements that declare it are in [Statements](#statements).
- Without an aggregate the query works record by record: filter and project.
- With one, GROUP BY needs a window (see [Windows](#windows)) unless the source is read to its end: a file, or a topic or standard input with ` + "`--until-end`" + `.
- An entry of GROUP BY is an expression, the number of an entry of the select list, or a name: first a column, then an alias. ALL is every entry
  of the select list without an aggregate.
- WHERE, HAVING and FILTER keep a row when their condition is true; false and NULL drop it.
- An output column without AS is named as DuckDB names it, but for [its quotes](#where-ubik-differs-from-duckdb): ` + "`count_star()`, `sum(amount)`" + `. A window is named ` + "`window`" + `.
- FROM may stand first: ` + "`FROM txns SELECT merchant`" + `. A semicolon at the end is allowed.

`

// code writes SQL in backticks, also when it holds some, and so that it can stand in a cell of a table.
func code(text string) string {
	return "`" + text + "`"
}

// cell is code for a table, where a bar would end the cell.
func cell(text string) string { return code(strings.ReplaceAll(text, "|", `\|`)) }

// shown is how the page writes a value's text.
func shown(text string) string {
	if text == "" {
		return "the empty text"
	}
	return code(strings.ReplaceAll(text, "\n", `\n`))
}
